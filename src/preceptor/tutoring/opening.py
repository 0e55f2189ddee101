"""The tutor's opening: always builtin, so that a dialogue begins at once and unseen by any provider."""

from __future__ import annotations

from preceptor.domain.learner_state import LearnerState
from preceptor.domain.observation import Observation, Reading, ReadingStatus
from preceptor.domain.problem import Problem
from preceptor.pedagogy.turn_context import TurnContext
from preceptor.pedagogy.tutor import TutorTurn
from preceptor.record.kinds import TurnRecordBody
from preceptor.settings import Settings
from preceptor.tutoring.course_dialogue import course_opening
from preceptor.tutoring.engines import builtin_tutor
from preceptor.tutoring.stored_dialogue import graph_of

_NOTHING_SAID = Observation(
    state=LearnerState(),
    error_detail="",
    struggle_reason="",
    reading=Reading(status=ReadingStatus.READ, read_as=""),
)


def opening_record(problem: Problem, language: str, settings: Settings) -> TurnRecordBody:
    """Return the turn record of the tutor's first words on a problem."""
    about_course = course_opening(problem, language)
    if about_course is not None:
        return TurnRecordBody(reply=about_course, engines={"tutor": "builtin"})
    context = TurnContext(problem=problem, graph=graph_of(problem), history=(), utterance="", language=language)
    reply = builtin_tutor(settings).compose(TutorTurn(context=context, observation=_NOTHING_SAID))
    return TurnRecordBody(reply=reply, engines={"tutor": "builtin"})
