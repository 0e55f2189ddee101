"""The builtin observer: reads a learner's turn against the worked solution by rules, without a model.

It keeps no state of its own: what the learner has shown before is folded again from the history, and kept per
prefix so that a dialogue that goes on is read once.
"""

from __future__ import annotations

from collections import OrderedDict

from preceptor.domain.dialogue import Turn
from preceptor.domain.frame import Frame
from preceptor.domain.observation import Observation
from preceptor.domain.tutor_evidence import TutorEvidence
from preceptor.maths.step_graph import StepGraph
from preceptor.pedagogy.builtin_evidence import observe_reply_now
from preceptor.pedagogy.frame_reading import read_frame
from preceptor.pedagogy.misconceptions import ErrorTables
from preceptor.pedagogy.progress import Progress
from preceptor.pedagogy.turn_context import TurnContext
from preceptor.pedagogy.turn_findings import Question
from preceptor.pedagogy.turn_reading import TurnReader
from preceptor.pedagogy.worlds import WorldsOfGraphs

_Key = tuple[str, str | None, str | None, tuple[tuple[str, str | None], ...]]


class BuiltinObserver:
    """Observes by rules; one instance serves any number of dialogues."""

    def __init__(self, *, kept_dialogues: int = 512) -> None:
        """Keep what was folded of at most `kept_dialogues` prefixes."""
        self._kept: OrderedDict[_Key, Progress] = OrderedDict()
        self._limit = kept_dialogues
        self._worlds = WorldsOfGraphs()
        self._tables = ErrorTables()

    async def observe(self, turn: TurnContext) -> Observation:
        """Return the record of `turn.utterance`."""
        return self.observe_now(turn)

    async def observe_reply(self, turn: TurnContext, observation: Observation, reply: str) -> TutorEvidence:
        """Return the record of `reply`: the offline mode."""
        return observe_reply_now(turn, observation, reply)

    def observe_now(self, turn: TurnContext) -> Observation:
        """Return the record of `turn.utterance`, without awaiting anything."""
        reader = TurnReader(
            problem=turn.problem, graph=turn.graph, language=turn.language, worlds=self._worlds, tables=self._tables
        )
        before = self._fold(turn, reader)
        observation, after = reader.read(turn.utterance, before, self._question(turn, turn.history))
        self._keep(self._key(turn, (*turn.history, Turn(learner=turn.utterance))), after)
        return observation

    def _fold(self, turn: TurnContext, reader: TurnReader) -> Progress:
        """Return the learner's standing before this utterance."""
        known = len(turn.history)
        progress = Progress()
        while known > 0:
            kept = self._kept.get(self._key(turn, turn.history[:known]))
            if kept is not None:
                progress = kept
                break
            known -= 1
        for place in range(known, len(turn.history)):
            learner = turn.history[place].learner
            if learner.strip():
                _, progress = reader.read(learner, progress, self._question(turn, turn.history[:place]))
            self._keep(self._key(turn, turn.history[: place + 1]), progress)
        return progress

    def _question(self, turn: TurnContext, history: tuple[Turn, ...]) -> Question:
        """Return what was asked before an utterance that follows this history."""
        last = history[-1] if history else None
        said = last.tutor if last else None
        recorded = last.frame if last else None
        frame = recorded or self._frame(said, turn.graph, turn)
        return Question(frame=frame, recorded=recorded is not None, said=said or "")

    def _frame(self, said: str | None, graph: StepGraph | None, turn: TurnContext) -> Frame:
        return read_frame(said, graph=graph, problem=turn.problem.text, language=turn.language)

    def _key(self, turn: TurnContext, history: tuple[Turn, ...]) -> _Key:
        """Return the key of a prefix; the last reply is left out: it says nothing of what the learner has shown."""
        spoken = tuple(
            (entry.learner, entry.tutor if place < len(history) - 1 else None) for place, entry in enumerate(history)
        )
        return turn.problem.text, turn.problem.solution, turn.problem.answer, spoken

    def _keep(self, key: _Key, progress: Progress) -> None:
        self._kept[key] = progress
        self._kept.move_to_end(key)
        while len(self._kept) > self._limit:
            self._kept.popitem(last=False)
