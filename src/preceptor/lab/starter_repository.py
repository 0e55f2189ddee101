"""Makes the starter repository: scripted learners on our own problems, through the pipeline for any dialogue.

Everything is builtin, simulated and repeatable: the same program makes the same bytes. It is no evidence about
children. It gives a fresh install something to retrieve, until dialogues of real learners teach it more.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from preceptor.domain.dialogue import Dialogue, Turn
from preceptor.domain.problem import Problem
from preceptor.experience.dialogue_reviews import builtin_roles, review_in_processes
from preceptor.experience.distillation import Distillation, DistillationProgress, funnel_of
from preceptor.experience.experience_export import export_experiences
from preceptor.experience.repository import ExperienceRepository
from preceptor.experience.turn_review import DialogueReview
from preceptor.experience.turn_reviewer import TurnReviewer
from preceptor.lab.simulation.maker_tutor import MakerTutor
from preceptor.lab.simulation.results import run_scripted
from preceptor.lab.simulation.run import Transcript, TutorAnswer, TutorUnderTest
from preceptor.lab.simulation.scripted import SCRIPTED_LEARNERS
from preceptor.maths.step_graph import StepGraph, build_step_graph
from preceptor.record.problem_bank import sample_problems
from preceptor.settings import RolesSettings, Settings, TutoringSettings
from preceptor.stores.sql.database import open_database
from preceptor.stores.sql.distilled_turns import SqlDistilledTurnStore
from preceptor.stores.sql.experiences import SqlExperienceStore
from preceptor.tutoring.engines import open_turn_maker
from preceptor.tutoring.opening import opening_record

SEED = 20261130
"""Of the scripted learners. (chosen: the day it was first made; nothing was tried out with others)"""
BATCH = "starter"
MADE_AT = datetime(2026, 11, 30, tzinfo=UTC)
"""Stands as the time of every entry, so that the same program makes the same bytes."""
LANGUAGE = "en"
"""Of the problems that are used: abstract sentences are in English."""


@dataclass(frozen=True, kw_only=True)
class StarterRepository:
    """What one run made."""

    lines: tuple[str, ...]
    """One experience a line, in the form of `experience export`: active and superseded ones."""
    funnel: Mapping[str, int]
    """Where every turn ended; see `distillation.funnel_of`."""
    n_dialogues: int
    n_problems: int


def starter_problems() -> list[tuple[Problem, StepGraph]]:
    """Return our own problems in the language of the starter whose worked solution the step graph confirms."""
    found = []
    for problem in sample_problems():
        graph = build_step_graph(problem.text, problem.solution or "", problem.answer, problem.language)
        if problem.language == LANGUAGE and graph and graph.answer_node is not None and not graph.inconsistent:
            found.append((problem, graph))
    return found


def make_starter(
    problems: Sequence[tuple[Problem, StepGraph]] | None = None,
    *,
    learners: Sequence[str] = tuple(SCRIPTED_LEARNERS),
    processes: int = 1,
    progress: Callable[[DistillationProgress], None] | None = None,
) -> StarterRepository:
    """Simulate the dialogues, distil them, and return the entries as lines.

    Args:
        problems: What is worked on; `None`: all of `starter_problems`.
        learners: Names of scripted learners.
        processes: How many review at a time; the result is the same.
        progress: Called after each dialogue that was distilled.
    """
    chosen = starter_problems() if problems is None else problems
    return asyncio.run(_made(chosen, learners, processes, progress))


async def _made(
    problems: Sequence[tuple[Problem, StepGraph]],
    learners: Sequence[str],
    processes: int,
    progress: Callable[[DistillationProgress], None] | None,
) -> StarterRepository:
    dialogues = await simulated_dialogues(problems, learners)
    with tempfile.TemporaryDirectory(prefix="preceptor-starter-") as folder:
        database = open_database(home=Path(folder), url=None)
        try:
            store, done = SqlExperienceStore(database), SqlDistilledTurnStore(database)
            repository = ExperienceRepository(store, None, clock=_made_at)
            distillation = Distillation(repository, done, batch=BATCH, clock=_made_at, progress=progress)
            await distillation.run(_reviews(dialogues, done, processes))
            lines = tuple(json.dumps(line, ensure_ascii=False) for line in export_experiences(store))
            funnel = funnel_of(done.tally())
        finally:
            database.close()
    return StarterRepository(lines=lines, funnel=funnel, n_dialogues=len(dialogues), n_problems=len(problems))


async def simulated_dialogues(
    problems: Sequence[tuple[Problem, StepGraph]], learners: Sequence[str] = tuple(SCRIPTED_LEARNERS)
) -> list[Dialogue]:
    """Return a dialogue of every learner on every problem with the builtin tutor, which remembers nothing."""
    settings = Settings(roles=RolesSettings(), tutoring=TutoringSettings())  # whatever this installation is set to
    maker = open_turn_maker(settings)

    async def open_tutor(problem: Problem, graph: StepGraph) -> tuple[TutorUnderTest, TutorAnswer | None]:
        reply = opening_record(problem, LANGUAGE, settings).reply
        tutor = MakerTutor(maker, problem, graph, opening=reply.text, language=LANGUAGE)
        return tutor, TutorAnswer(text=reply.text, frame=reply.frame)

    transcripts = await run_scripted(problems, open_tutor, seed=SEED, learners=learners)
    by_id = {problem.problem_id: problem for problem, _ in problems}
    return [_dialogue(transcript, by_id[transcript.problem_id]) for transcript in transcripts]


def _dialogue(transcript: Transcript, problem: Problem) -> Dialogue:
    opening = transcript.opening
    opened = () if opening is None else (Turn(learner="", tutor=opening.text, frame=opening.frame),)
    said = (Turn(learner=turn.move.text, tutor=turn.answer.text, frame=turn.answer.frame) for turn in transcript.turns)
    return Dialogue(
        dialogue_id=f"{BATCH}/{transcript.learner}/{problem.problem_id}",
        problem=problem,
        turns=(*opened, *said),
        persona=transcript.learner,
        source=problem.source,
        licence=problem.licence,
    )


def _reviews(
    dialogues: Sequence[Dialogue], done: SqlDistilledTurnStore, processes: int
) -> AsyncIterator[DialogueReview]:
    if processes > 1:
        return review_in_processes(dialogues, done.digests, processes=processes, batch=BATCH, simulated=True)
    return _one_by_one(dialogues)


async def _one_by_one(dialogues: Sequence[Dialogue]) -> AsyncIterator[DialogueReview]:
    reviewer = TurnReviewer(builtin_roles(), batch=BATCH, simulated=True)
    for dialogue in dialogues:
        yield await reviewer.review(dialogue)


def _made_at() -> datetime:
    return MADE_AT
