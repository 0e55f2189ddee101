"""What course knowledge makes of a turn: a route, the tutors that answer in order, and the state of a trace.

Turns about a maths problem are left as they are, but for two: the problem is a search to be traced, or the learner asks
what something is and the subject's files say it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from preceptor.course.extractive_answer import Nearness
from preceptor.domain.learner_state import ErrorType, Intent
from preceptor.domain.observation import Observation, Reading, ReadingStatus
from preceptor.domain.reply import Rung
from preceptor.domain.route import Route, Routed
from preceptor.pedagogy.intent import asks_question
from preceptor.pedagogy.tutor import Tutor, TutorTurn
from preceptor.tutoring.course_dialogue import is_about_course
from preceptor.tutoring.course_tutor import CourseTutor
from preceptor.tutoring.grounded_tutor import GroundedTutor
from preceptor.tutoring.grounding import StoredPassage
from preceptor.tutoring.guard import Guard
from preceptor.tutoring.reads import Read
from preceptor.tutoring.routing import route_of
from preceptor.tutoring.tracing_tutor import (
    DialogueTrace,
    TracingTutor,
    course_rules,
    dialogue_trace,
    shown_state,
    states_problem,
    wants_trace_help,
)


@dataclass(frozen=True, kw_only=True)
class CoursePlan:
    """How one turn is answered from the course, or from the trace."""

    routed: Routed
    turn: TutorTurn
    observation: Observation
    tutors: tuple[Tutor, ...]
    """Asked in this order until one reply passes the guard."""
    trace_state: dict[str, Any] | None = field(default=None)


class CourseTurns:
    """Decides for each turn whether and how the course answers."""

    def __init__(
        self,
        *,
        stored: StoredPassage,
        home: Path,
        highest_rung: int = 4,
        model: Tutor | None = None,
        nearness: Nearness | None = None,
    ) -> None:
        """Take what replies are made and checked with.

        Args:
            stored: The passages as they are stored now.
            home: Where rules of traces lie.
            highest_rung: Highest help allowed.
            model: A model's course tutor; `None`: the builtin one alone.
            nearness: Compares question and sentences by meaning; `None`: by words.
        """
        self._stored = stored
        self._home = home
        self._highest = highest_rung
        self._model = model
        self._nearness = nearness

    def concerns(self, turn: TutorTurn, read: Read) -> bool:
        """Return whether this turn may be the course's; cheap, and false for a problem without course and trace."""
        problem = turn.context.problem
        if states_problem(problem) or (is_about_course(problem) and read.status != "absent"):
            return True
        asks = turn.observation.state.intent is Intent.ASK_CONCEPT
        return asks and read.found is not None and read.found.in_course

    def citing(self, tutor: Tutor) -> Tutor:
        """Return a tutor whose citations are checked before a sentence of it goes on."""
        return GroundedTutor(tutor, stored=self._stored, explains=False)

    def plan(
        self,
        turn: TutorTurn,
        read: Read,
        *,
        rungs: Mapping[int, Rung],
        earlier: tuple[Routed, ...] = (),
    ) -> CoursePlan | None:
        """Return how a turn is answered; `None`: as a turn about a problem. May take as long as checking a trace.

        Raises:
            InputError: The course's rules of traces cannot be read.
        """
        context = turn.context
        in_course = is_about_course(context.problem) and read.status != "absent"
        rules = course_rules(self._home, context.problem.subject_id)
        trace = dialogue_trace(context, rules, in_course=in_course)
        traces = trace is not None and (
            trace.now or wants_trace_help(turn) or (trace.verdict is None and not _asks(turn))
        )
        if trace is None and read.found is None and not in_course:
            return None
        routed = route_of(
            context.utterance,
            traces=traces,
            earlier=earlier,
            stuck=turn.stuck,
            highest=self._highest,
            answers=bool(context.history) and not _asks(turn),
        )
        if trace is not None and (traces or (read.found is None and not in_course)):
            return self._trace_plan(turn, trace, replace(routed, route=Route.TRACING, procedural=True), rungs)
        return self._answer_plan(turn, read, routed, trace, aside=not in_course)

    def _trace_plan(
        self, turn: TutorTurn, trace: DialogueTrace, routed: Routed, rungs: Mapping[int, Rung]
    ) -> CoursePlan:
        tutor = TracingTutor(trace, rungs=rungs, highest=self._highest)
        observation = _observed(turn.observation, _trace_reading(trace))
        asked = replace(turn, routed=routed, observation=observation)
        return CoursePlan(
            routed=replace(routed, tier=int(tutor.compose(asked).rung)),
            turn=asked,
            observation=observation,
            tutors=(tutor, tutor),
            trace_state=shown_state(trace),
        )

    def _answer_plan(
        self, turn: TutorTurn, read: Read, routed: Routed, trace: DialogueTrace | None, *, aside: bool
    ) -> CoursePlan:
        found = read.found
        observation = turn.observation if aside else _observed(turn.observation, turn.observation.reading)
        asked = replace(turn, routed=routed, in_course=found is not None and found.in_course, observation=observation)
        guard = Guard(turn.context, observation)
        builtin = CourseTutor(
            passages=found.passages if found is not None and found.in_course else (),
            nearness=self._nearness,
            chance=found.answerable if found is not None else None,
            was_read=read.status not in ("dropped", "failed"),
            stored=self._stored,
            allowed=lambda sentence: guard.check("", sentence) is None,
            aside=aside,
        )
        tutors: tuple[Tutor, ...] = (builtin, builtin)
        if self._model is not None and not aside:
            checked = GroundedTutor(self._model, stored=self._stored, explains=True)
            tutors = (checked, checked, builtin)
        return CoursePlan(
            routed=routed,
            turn=asked,
            observation=observation,
            tutors=tutors,
            trace_state=shown_state(trace) if trace is not None else None,
        )


def _asks(turn: TutorTurn) -> bool:
    return asks_question(turn.context.utterance)


def _observed(seen: Observation, reading: Reading) -> Observation:
    """Return an observation without what arithmetic made of words that are no calculation for a problem."""
    state = replace(seen.state, error_type=ErrorType.NOT_APPLICABLE)
    return replace(
        seen,
        state=state,
        error_detail="",
        reading=replace(reading, status=ReadingStatus.READ) if reading.status is ReadingStatus.UNREAD else reading,
        claims=(),
        first_wrong_node=None,
        wrong_line=None,
    )


def _trace_reading(trace: DialogueTrace) -> Reading:
    """Return how the trace was read, as the learner is told."""
    verdict = trace.verdict
    if verdict is None or not trace.now:
        return Reading(status=ReadingStatus.READ, read_as="")
    if verdict.status == "unread":
        return Reading(status=ReadingStatus.UNREAD, read_as="", reason="no_step")
    unread = verdict.trace.unread_lines
    status = ReadingStatus.PARTLY if unread else ReadingStatus.READ
    return Reading(status=status, read_as="", reason="unread_lines" if unread else None)
