"""The live turn as a tutor under test: the product's own maker, without a record."""

from __future__ import annotations

from preceptor.domain.dialogue import Turn
from preceptor.domain.problem import Problem
from preceptor.domain.reply import Move, Rung
from preceptor.errors import ModelError
from preceptor.lab.simulation.run import TutorAnswer
from preceptor.maths.step_graph import StepGraph
from preceptor.pedagogy.turn_context import TurnContext
from preceptor.tutoring.turn import TurnMaker, TurnTrace


class MakerTutor:
    """Holds one conversation with the engines of a `TurnMaker`; the reply language is pinned."""

    def __init__(
        self, maker: TurnMaker, problem: Problem, graph: StepGraph | None, *, opening: str = "", language: str = "en"
    ) -> None:
        """Take the engines and what is worked on; `opening` is what the tutor has said before the first turn."""
        self._maker = maker
        self._problem = problem
        self._graph = graph
        self._language = language
        self._rungs: dict[int, Rung] = {}
        self._moves: tuple[tuple[Move, int | None], ...] = ()
        self._history: tuple[Turn, ...] = (Turn(learner="", tutor=opening),) if opening else ()

    async def take(self, utterance: str) -> TutorAnswer:
        """Answer one learner utterance.

        Raises:
            ModelError: No reply was made.
        """
        context = TurnContext(
            problem=self._problem,
            graph=self._graph,
            history=self._history,
            utterance=utterance,
            language=self._language,
        )
        trace = TurnTrace()
        async for _ in self._maker.run(context, trace, rungs=self._rungs, earlier_moves=self._moves):
            pass
        reply, observation = trace.reply, trace.observation
        if reply is None:
            raise ModelError(f"no reply was made to turn {len(self._history)}")
        self._moves = (*self._moves, (reply.move, reply.node))
        if reply.rung:
            node = -1 if reply.node is None else reply.node
            self._rungs[node] = max(reply.rung, self._rungs.get(node, Rung.NONE))
        self._history = (*self._history, Turn(learner=utterance, tutor=reply.text, frame=reply.frame))
        return TutorAnswer(
            text=reply.text,
            frame=reply.frame,
            claims=observation.claims if observation else (),
            solved=observation.solved if observation else False,
            note=f"{reply.move.value}, {reply.engine}",
        )
