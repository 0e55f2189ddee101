"""Which engine plays observer and tutor, as the settings bind them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from preceptor.concepts.map_passages import MapPassages
from preceptor.concepts.subject_maps import SubjectMaps
from preceptor.errors import SettingsError
from preceptor.experience.engines import open_critic, open_rewriter
from preceptor.experience.repository_opening import retrieval_rule
from preceptor.models.embedder import Embedder
from preceptor.pedagogy.builtin_observer import BuiltinObserver
from preceptor.pedagogy.builtin_tutor import BuiltinTutor
from preceptor.pedagogy.observer import Observer
from preceptor.pedagogy.solver import Solver
from preceptor.pedagogy.tutor import Tutor
from preceptor.record.record import Record
from preceptor.safety.redaction import PersonalDataRedactor
from preceptor.settings import RoleSettings, Settings
from preceptor.tutoring.course_reader import CourseReader
from preceptor.tutoring.course_turn import CourseTurns
from preceptor.tutoring.experience_outcome import OutcomeScorer
from preceptor.tutoring.experience_reader import RepositoryReader
from preceptor.tutoring.live_courses import LiveCourses
from preceptor.tutoring.live_repository import LiveRepository
from preceptor.tutoring.reads import ExperienceReader, TurnReader
from preceptor.tutoring.turn import TurnMaker


def builtin_tutor(settings: Settings) -> BuiltinTutor:
    """Return the builtin tutor with the settings' limits."""
    limits = settings.tutoring
    return BuiltinTutor(
        bare_guess_limit=limits.bare_guess_limit, unread_limit=limits.unread_limit, highest_rung=limits.highest_rung
    )


def open_turn_maker(
    settings: Settings,
    *,
    observer: Observer | None = None,
    tutor: Tutor | None = None,
    experience: ExperienceReader | None = None,
    memory: TurnReader | None = None,
    course: TurnReader | None = None,
    course_turns: CourseTurns | None = None,
) -> TurnMaker:
    """Return the maker of turns with the engines that the settings name, or with those given.

    Raises:
        SettingsError: A role is bound to `llm` without provider or model.
        MissingExtraError: The provider needs an extra that is not installed.
    """
    fallback = builtin_tutor(settings)
    return TurnMaker(
        observer=observer or _observer(settings),
        tutor=tutor or _tutor(settings, fallback),
        fallback=fallback,
        settings=settings,
        experience=experience,
        memory=memory,
        course=course,
        course_turns=course_turns,
    )


@dataclass(frozen=True, kw_only=True)
class LiveCourse:
    """Course knowledge around the live turn: what is read, and which turns it answers."""

    courses: LiveCourses
    reader: TurnReader
    turns: CourseTurns


def open_courses(settings: Settings, record: Record, embedder: Callable[[], Embedder | None]) -> LiveCourse:
    """Return the courses of an installation; nothing is loaded or started yet.

    Args:
        settings: Bind the tutor role and say how passages are found.
        record: Holds courses and concept maps.
        embedder: Gives the one that is shared.

    Raises:
        SettingsError: The tutor is bound to `llm` without provider or model.
    """
    maps = MapPassages(SubjectMaps(record.concept_maps), record.courses, language=settings.language)
    courses = LiveCourses(settings, record.courses, embedder=embedder, concepts=maps)
    turns = CourseTurns(
        stored=courses.stored,
        home=settings.home,
        highest_rung=settings.tutoring.highest_rung,
        model=_course_model(settings),
        nearness=courses.nearness,
    )
    return LiveCourse(courses=courses, reader=CourseReader(courses), turns=turns)


def _course_model(settings: Settings) -> Tutor | None:
    if settings.roles.tutor.engine == "builtin":
        return None
    _require_model("tutor", settings.roles.tutor)
    from preceptor.pedagogy.llm_course_tutor import open_llm_course_tutor

    return open_llm_course_tutor(settings, PersonalDataRedactor())


@dataclass(frozen=True, kw_only=True)
class LiveExperience:
    """Teaching experience around the live turn: what is read before a reply, and what is scored after it."""

    repository: LiveRepository
    reader: ExperienceReader
    outcomes: OutcomeScorer


def open_experience(
    settings: Settings, record: Record, embedder: Callable[[], Embedder | None] | None = None
) -> LiveExperience:
    """Return the experience of an installation; nothing is loaded or started yet.

    Args:
        settings: Bind rewriter and critic.
        record: Holds the repository.
        embedder: Gives the one that is shared with memory and course; `None`: its own.

    Raises:
        SettingsError: Rewriter or critic is bound to `llm` without provider or model.
        ConsentError: Their text would leave this machine without the owner's consent.
    """
    repository = LiveRepository(settings, record.experiences, embedder=embedder)
    return LiveExperience(
        repository=repository,
        reader=RepositoryReader(repository, rule=retrieval_rule(settings), rewriter=open_rewriter(settings)),
        outcomes=OutcomeScorer(record=record, repository=repository, critic=open_critic(settings)),
    )


def open_solver(settings: Settings) -> Solver | None:
    """Return the solver where the settings bind it to a model; the builtin engine solves no problem.

    Raises:
        SettingsError: The role is bound to `llm` without provider or model.
    """
    if settings.roles.solver.engine == "builtin":
        return None
    _require_model("solver", settings.roles.solver)
    from preceptor.pedagogy.llm_solver import open_llm_solver

    return open_llm_solver(settings, PersonalDataRedactor())


def _observer(settings: Settings) -> Observer:
    builtin = BuiltinObserver()
    if settings.roles.observer.engine == "builtin":
        return builtin
    _require_model("observer", settings.roles.observer)
    from preceptor.pedagogy.llm_observer import open_llm_observer

    return open_llm_observer(settings, builtin, PersonalDataRedactor())


def _tutor(settings: Settings, builtin: BuiltinTutor) -> Tutor:
    if settings.roles.tutor.engine == "builtin":
        return builtin
    _require_model("tutor", settings.roles.tutor)
    from preceptor.pedagogy.llm_tutor import open_llm_tutor

    return open_llm_tutor(settings, PersonalDataRedactor())


def _require_model(role: str, bound: RoleSettings) -> None:
    if not bound.provider or not bound.model:
        raise SettingsError(
            f"roles.{role}: engine is llm, so provider and model must be set; "
            f"got provider={bound.provider!r}, model={bound.model!r}"
        )
