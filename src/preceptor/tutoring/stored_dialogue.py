"""One dialogue as the log holds it, and what of it a page may show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from preceptor.domain.dialogue import Turn
from preceptor.domain.episode import Episode
from preceptor.domain.problem import Problem
from preceptor.domain.reply import MEMORY_MOVES, Move, Rung
from preceptor.domain.route import Routed
from preceptor.errors import NotFoundError
from preceptor.maths.step_graph import StepGraph, answer_only_graph, build_step_graph
from preceptor.record.episode_log import EpisodeLog
from preceptor.record.kinds import AnswerBody, QuestionBody, TurnRecordBody, body_of
from preceptor.tutoring.course_dialogue import is_course_conversation
from preceptor.tutoring.sources import course_sources
from preceptor.tutoring.tracing_tutor import states_problem
from preceptor.tutoring.views import DialogueView, HelpAtStep, TurnView, rail_steps

TUTORS_OWN = "tutor's own"
"""Source of a reference that the solver role made."""


@dataclass(frozen=True, kw_only=True)
class StoredTurn:
    """One turn as the log holds it."""

    turn: int
    answer: AnswerBody | None
    answer_id: str | None
    record: TurnRecordBody | None

    @property
    def is_about_task(self) -> bool:
        """Whether it has a reply, and one that was not about the learner's record."""
        return self.record is not None and self.record.reply.move not in MEMORY_MOVES


@dataclass(frozen=True, kw_only=True)
class StoredDialogue:
    """One dialogue as the log holds it."""

    dialogue_id: str
    problem: Problem
    language: str
    question_id: str
    turns: tuple[StoredTurn, ...]
    own_reference: bool = False
    """The problem came without a solution; the one it has here is the tutor's own."""

    @property
    def history(self) -> tuple[Turn, ...]:
        """Return the turns that have a reply, for the engines; without those about the learner's own record."""
        return tuple(
            Turn(
                learner=spoken(stored.answer, self.language) if stored.answer else "",
                tutor=stored.record.reply.text,
                frame=stored.record.reply.frame,
            )
            for stored in self.turns
            if stored.record is not None and stored.is_about_task
        )

    @property
    def solved(self) -> bool:
        """Whether the final answer was found in some turn."""
        return any(
            stored.record and stored.record.observation and stored.record.observation.solved for stored in self.turns
        )

    @property
    def moves(self) -> tuple[tuple[Move, int | None], ...]:
        """Return the moves of the replies in `history`, each with its step-graph node."""
        return tuple(
            (stored.record.reply.move, stored.record.reply.node)
            for stored in self.turns
            if stored.record is not None and stored.is_about_task
        )

    @property
    def routes(self) -> tuple[Routed, ...]:
        """Return the routes of the turns so far that had one, oldest first."""
        return tuple(stored.record.route for stored in self.turns if stored.record and stored.record.route)

    def rungs(self) -> dict[int, Rung]:
        """Return the highest rung of help given so far, by step-graph node (-1: none known)."""
        highest: dict[int, Rung] = {}
        for stored in self.turns:
            if stored.record is not None:
                reply = stored.record.reply
                node = -1 if reply.node is None else reply.node
                highest[node] = max(highest.get(node, Rung.NONE), reply.rung)
        return highest


def graph_of(problem: Problem) -> StepGraph | None:
    """Return a problem's step graph, without steps where only its answer can be read; `None`: neither can."""
    return _graph(problem.text, problem.solution, problem.answer, problem.language)


@lru_cache(maxsize=512)
def _graph(text: str, solution: str | None, answer: str | None, language: str) -> StepGraph | None:
    graph = build_step_graph(text, solution, answer, language) if solution is not None else None
    if graph is None and answer is not None:
        graph = answer_only_graph(text, answer, language)
    return graph


def spoken(answer: AnswerBody, language: str) -> str:
    """Return a learner's message as the engines read it: what stood in the answer box is said to be the answer."""
    if answer.mode != "answer":
        return answer.text
    return f"答案是{answer.text}。" if language.startswith("zh") else f"The answer is {answer.text}."


def stored_turns(episodes: Sequence[Episode]) -> tuple[StoredTurn, ...]:
    """Group a dialogue's episodes by turn."""
    answers: dict[int, tuple[AnswerBody | None, str]] = {}
    records: dict[int, TurnRecordBody | None] = {}
    for episode in episodes:
        if episode.turn is None:
            continue
        if episode.kind == "answer":
            answers[episode.turn] = (body_of(episode, AnswerBody), episode.episode_id)
        elif episode.kind == "turn_record":
            records[episode.turn] = body_of(episode, TurnRecordBody)
    turns = []
    for turn in sorted(answers.keys() | records.keys()):
        answer, answer_id = answers.get(turn, (None, None))
        if answer is None and records.get(turn) is None:
            continue  # the whole turn was erased
        turns.append(StoredTurn(turn=turn, answer=answer, answer_id=answer_id, record=records.get(turn)))
    return tuple(turns)


def load_dialogue(log: EpisodeLog, learner_id: str, dialogue_id: str) -> StoredDialogue:
    """Return one dialogue of one learner.

    Raises:
        NotFoundError: This learner has no such dialogue, or it was erased.
    """
    episodes = log.list(learner_id, dialogue_id=dialogue_id)
    questions = [episode for episode in episodes if episode.kind == "question"]
    question = questions[-1] if questions else None
    body = body_of(question, QuestionBody) if question is not None else None
    if question is None or body is None or body.problem is None:
        raise NotFoundError(f"no dialogue {dialogue_id!r} of {learner_id!r}")
    return StoredDialogue(
        dialogue_id=dialogue_id,
        problem=body.problem,
        language=body.reply_language,
        question_id=questions[0].episode_id,
        own_reference=body.source == TUTORS_OWN,
        turns=stored_turns(episodes),
    )


def turn_view(stored: StoredTurn) -> TurnView:
    """Return one turn as its learner may see it."""
    record = stored.record
    observation = record.observation if record else None
    return TurnView(
        turn=stored.turn,
        learner=stored.answer.text if stored.answer else "",
        mode=stored.answer.mode if stored.answer else "message",
        reply=record.reply.text if record else None,
        rung=int(record.reply.rung) if record else 0,
        engine=record.reply.engine if record else "",
        language=record.reply.language if record else "en",
        status=observation.reading.status.value if observation else "",
        read_as=observation.reading.read_as if observation else "",
        reason=observation.reading.reason if observation else None,
        steps=rail_steps(observation),
        sources=course_sources(record.reply) if record else (),
        grounding=record.reply.grounding.status if record and record.reply.grounding else "",
        route=record.route.route.value if record and record.route else "",
        attempt=record.route.attempt if record and record.route else 0,
        trace_state=record.trace_state if record else None,
        memory_read=record.reads["memory"].status if record and "memory" in record.reads else "",
    )


def dialogue_view(stored: StoredDialogue) -> DialogueView:
    """Return one dialogue as its learner may see it."""
    graph = graph_of(stored.problem)
    last = stored.turns[-1] if stored.turns else None
    rungs = stored.rungs()
    node = next((t.record.reply.node for t in reversed(stored.turns) if t.record and t.is_about_task), None)
    return DialogueView(
        dialogue_id=stored.dialogue_id,
        problem_id=stored.problem.problem_id,
        problem_text=stored.problem.text,
        subject_id=stored.problem.subject_id,
        language=stored.language,
        turns=tuple(turn_view(turn) for turn in stored.turns),
        rung=int(rungs.get(-1 if node is None else node, Rung.NONE)),
        solved=stored.solved,
        guarded=graph is not None or stored.problem.answer is not None,
        notice=notice_of(stored, graph),
        help_trend=help_trend(stored.turns),
        pending=last is not None and last.record is None,
    )


def help_trend(turns: Sequence[StoredTurn]) -> tuple[HelpAtStep, ...]:
    """Return how many hints came before each step that the learner reached, in order."""
    trend: list[HelpAtStep] = []
    hints = 0
    for stored in turns:
        record = stored.record
        if record is None:
            continue
        observation = record.observation
        if observation is not None and observation.newly_reached:
            right = [judged for judged in observation.claims if judged.mark == "right"]
            line = right[-1].claim.text if right else (stored.answer.text if stored.answer else "")
            trend.append(HelpAtStep(step=line[:60], hints=hints))
            hints = 0
        if record.reply.rung is not Rung.NONE:
            hints += 1
    return tuple(trend)


def notice_of(stored: StoredDialogue, graph: StepGraph | None) -> str | None:
    """Return what the learner should know about a problem's reference: a key of the page's texts, or `None`."""
    if graph is not None and graph.inconsistent:
        return "reference_inconsistent"
    if is_course_conversation(stored.problem) or states_problem(stored.problem):
        return None
    if graph is None and stored.problem.answer is None:
        return "no_reference"
    if stored.own_reference:
        return "tutors_own_reference"
    return None
