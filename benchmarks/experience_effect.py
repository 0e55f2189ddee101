"""Mechanism check, not evidence of tutoring quality: scripted learners with and without a distilled repository.

Distils the first dialogues of MathDial with the builtin engines into a folder that is thrown away, lets every scripted
learner work on our own sample problems with and without it, and prints what the builtin critic makes of the replies.
Run: `python -m benchmarks.experience_effect --data DIR [--dialogues 60]`.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from preceptor.domain.dialogue import Dialogue, Turn
from preceptor.domain.observation import Observation
from preceptor.domain.problem import Problem
from preceptor.experience.builtin_critic import BuiltinCritic
from preceptor.experience.critic import ReviewedTurn
from preceptor.experience.critic_histogram import reviewed_turns
from preceptor.experience.dialogue_reviews import review_in_processes
from preceptor.experience.distillation import Distillation, funnel_of
from preceptor.experience.repository import ExperienceRepository
from preceptor.experience.revision_rule import RevisionRule
from preceptor.lab.simulation.maker_tutor import MakerTutor
from preceptor.lab.simulation.results import run_scripted
from preceptor.lab.simulation.run import Transcript, TutorAnswer, TutorUnderTest
from preceptor.lab.starter_repository import starter_problems
from preceptor.maths.step_graph import StepGraph
from preceptor.pedagogy.builtin_observer import BuiltinObserver
from preceptor.pedagogy.dialogue_formats import read_dialogues
from preceptor.pedagogy.turn_context import TurnContext
from preceptor.settings import ExperienceSettings, RolesSettings, Settings, TutoringSettings
from preceptor.stores.sql.database import open_database
from preceptor.stores.sql.distilled_turns import SqlDistilledTurnStore
from preceptor.stores.sql.experiences import SqlExperienceStore
from preceptor.tutoring.engines import open_turn_maker
from preceptor.tutoring.experience_reader import RepositoryReader
from preceptor.tutoring.live_repository import LiveRepository
from preceptor.tutoring.opening import opening_record
from preceptor.tutoring.reads import ExperienceReader, Read

LABEL = "mechanism check, not evidence of tutoring quality"
SEED = 20250101
BATCH = "effect"


class CountingReader:
    """Reads the repository and counts the turns to which it had something to say."""

    def __init__(self, reader: ExperienceReader) -> None:
        """Take the reader to count for."""
        self._reader = reader
        self.asked = 0
        self.answered = 0

    async def read(self, turn: TurnContext, observation: Observation) -> Read:
        """See `ExperienceReader.read`."""
        read = await self._reader.read(turn, observation)
        self.asked += 1
        self.answered += read.status == "read"
        return read


async def simulate(
    settings: Settings, problems: Sequence[tuple[Problem, StepGraph]], reader: ExperienceReader | None
) -> list[Dialogue]:
    """Return a dialogue of every scripted learner on every problem."""
    maker = open_turn_maker(settings, experience=reader)

    async def open_tutor(problem: Problem, graph: StepGraph) -> tuple[TutorUnderTest, TutorAnswer | None]:
        reply = opening_record(problem, problem.language, settings).reply
        return MakerTutor(maker, problem, graph, opening=reply.text), TutorAnswer(text=reply.text, frame=reply.frame)

    by_id = {problem.problem_id: problem for problem, _ in problems}
    transcripts = await run_scripted(problems, open_tutor, seed=SEED)
    return [_dialogue(transcript, by_id[transcript.problem_id]) for transcript in transcripts]


def _dialogue(transcript: Transcript, problem: Problem) -> Dialogue:
    opening = transcript.opening
    opened = () if opening is None else (Turn(learner="", tutor=opening.text, frame=opening.frame),)
    said = (Turn(learner=turn.move.text, tutor=turn.answer.text, frame=turn.answer.frame) for turn in transcript.turns)
    name = f"{transcript.learner}/{problem.problem_id}"
    return Dialogue(dialogue_id=name, problem=problem, turns=(*opened, *said), persona=transcript.learner)


def score(dialogues: Sequence[Dialogue]) -> dict[str, float | int | None]:
    """Return how many replies there are, their mean S_t and the share that passes the gate."""
    critic, rule = BuiltinCritic(), RevisionRule()
    found = [critic.critique_now(turn) for turn in _turns(dialogues)]
    percents = [one.percent for one in found if one.percent is not None]
    return {
        "replies": len(found),
        "mean_percent": sum(percents) / len(percents) if percents else None,
        "pass_rate": sum(rule.admits(one.scores) for one in found) / len(found) if found else None,
    }


def _turns(dialogues: Sequence[Dialogue]) -> Iterator[ReviewedTurn]:
    observer = BuiltinObserver()
    for dialogue in dialogues:
        for _, turn in reviewed_turns(dialogue, observer):
            yield turn


async def measure(data: Path, n_dialogues: int, n_problems: int) -> dict[str, object]:
    """Return the whole comparison."""
    problems = starter_problems()[:n_problems]
    dialogues = list(
        itertools.islice(read_dialogues(str(data / "mathdial" / "dialogues.jsonl"), "mathdial"), n_dialogues)
    )
    with tempfile.TemporaryDirectory(prefix="preceptor-effect-") as folder:
        settings = Settings(
            home=Path(folder),
            roles=RolesSettings(),
            tutoring=TutoringSettings(),
            experience=ExperienceSettings(starter=False),
        )
        database = open_database(home=Path(folder), url=None)
        try:
            store, done = SqlExperienceStore(database), SqlDistilledTurnStore(database)
            distillation = Distillation(ExperienceRepository(store, None), done, batch=BATCH)
            await distillation.run(review_in_processes(dialogues, done.digests, processes=2, batch=BATCH))
            reader = CountingReader(RepositoryReader(LiveRepository(settings, store)))
            without = await simulate(settings, problems, None)
            with_it = await simulate(settings, problems, reader)
            funnel = funnel_of(done.tally())
        finally:
            database.close()
    return {
        "label": LABEL,
        "distilled_dialogues": len(dialogues),
        "funnel": funnel,
        "problems": len(problems),
        "without": score(without),
        "with": score(with_it),
        "turns_with_an_experience": reader.answered,
        "turns_asked": reader.asked,
        "dialogues_that_differ": sum(one.turns != other.turns for one, other in zip(without, with_it, strict=True)),
        "dialogues": len(without),
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Print one JSON object, labelled as what it is."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.experience_effect", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the data sets")
    parser.add_argument("--dialogues", type=int, default=60, help="how many dialogues to distil (default: 60)")
    parser.add_argument("--problems", type=int, default=12, help="how many sample problems (default: 12)")
    options = parser.parse_args(arguments)
    found = asyncio.run(measure(options.data, options.dialogues, options.problems))
    sys.stdout.write(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
