"""How a dialogue begins: the problem, and the tutor's opening, always builtin, at once and unseen by any provider."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence

from preceptor.domain.episode import NewEpisode
from preceptor.domain.learner_state import LearnerState
from preceptor.domain.observation import Observation, Reading, ReadingStatus
from preceptor.domain.problem import Problem
from preceptor.errors import InputError
from preceptor.pedagogy.turn_context import TurnContext
from preceptor.pedagogy.tutor import TutorTurn
from preceptor.record.kinds import QuestionBody, TurnRecordBody
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


def own_problem(text: str, answer: str | None, *, limit: int) -> Problem:
    """Return a learner's own problem.

    Raises:
        InputError: The text is empty or has more than `limit` characters, blanks at its ends apart.
    """
    said = text.strip()
    if not 1 <= len(said) <= limit:
        raise InputError(f"a problem's text must have 1 to {limit} characters, got {len(said)}")
    return Problem(problem_id=f"own:{uuid.uuid4().hex}", text=said, answer=answer, source="learner")


def opening_episodes(
    problem: Problem,
    language: str,
    settings: Settings,
    make: Callable[..., NewEpisode],
    *,
    concept_ids: Sequence[str] = (),
) -> list[NewEpisode]:
    """Return the two episodes a dialogue begins with: the problem, and the tutor's first words.

    Args:
        problem: A snapshot goes into the first episode.
        language: Reply language.
        settings: The tutor's limits.
        make: `new_episode` with learner, subject, dialogue, turn and time zone given.
        concept_ids: What the problem is about.
    """
    question = QuestionBody(problem=problem, reply_language=language)
    opening = opening_record(problem, language, settings)
    return [
        make(question, language=problem.language, concept_ids=tuple(concept_ids)),
        make(opening, language=language, actor="builtin"),
    ]
