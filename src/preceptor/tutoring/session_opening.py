"""Opens a tutoring session on the record in the settings' home, with the engines that the settings bind."""

from __future__ import annotations

from preceptor.course.open_courses import OpenCourses
from preceptor.messages.head import shipped_head
from preceptor.record.episode_log import Clock, utc_now
from preceptor.record.record import open_record
from preceptor.safety.message_screen import screen_message
from preceptor.settings import Settings
from preceptor.tutoring.distillation_schedule import DistillationSchedule
from preceptor.tutoring.engines import open_courses, open_experience, open_solver, open_turn_maker
from preceptor.tutoring.experience_desk import ExperienceDesk
from preceptor.tutoring.live_memory import open_memory
from preceptor.tutoring.message_vectors import MessageVectors
from preceptor.tutoring.session import TutoringSession
from preceptor.tutoring.shared_embedder import SharedEmbedder


def open_session(settings: Settings, clock: Clock = utc_now) -> TutoringSession:
    """Open the record in the settings' home, bind the engines and load what the first message would wait for."""
    screen_message("hello")
    for name in ("routes", "record"):
        shipped_head(name)
    solver = open_solver(settings)
    record = open_record(settings, clock)
    try:
        embedder = SharedEmbedder(settings)
        experience = open_experience(settings, record, embedder)
        course = open_courses(settings, record, embedder)
        memory = open_memory(settings, record, embedder)
        maker = open_turn_maker(settings, experience=experience.reader, course=course.reader, course_turns=course.turns)
    except BaseException:
        record.close()
        raise
    experience.outcomes.start()
    course.courses.start()
    memory.start()
    distillation = DistillationSchedule(settings, record, experience.repository)
    distillation.start()
    return TutoringSession(
        record=record,
        maker=maker,
        settings=settings,
        solver=solver,
        outcomes=experience.outcomes,
        distillation=distillation,
        courses=course.courses,
        memory=memory,
        vectors=MessageVectors(embedder, shows_memory=maker.shows_memory, has_course=course.courses.has),
        course_files=OpenCourses(
            record.courses,
            record.concept_maps,
            settings,
            search=course.courses,
            embedder=embedder,
            clock=record.clock,
        ),
        desk=ExperienceDesk(
            record=record,
            repository=experience.repository,
            distillation=distillation,
            distil_every_turns=settings.experience.distil_every_turns,
            prune_below=settings.experience.tau_prune,
        ),
    )
