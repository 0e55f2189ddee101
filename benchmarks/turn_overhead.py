"""Benchmark 10: what a live turn costs apart from generation, per stage, cold and warm.

`python -m benchmarks.turn_overhead --data DIR [--json]`. Real learner turns run through the product's session: store
the message, read, observe, retrieve experience, compose, guard, store the record; behind it uses are scored, as in the
product. Every dialogue runs twice, in changing order: with a tutor that is told of all memories, as a model is, and
says the builtin reply without taking time; and with the builtin tutor itself, for which memory is read only where the
record is asked. The marks are held to the first.
"""

from __future__ import annotations

import asyncio
import gc
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np

from benchmarks.card import (
    Baseline,
    DataSource,
    Measure,
    ResultCard,
    cpu_seconds,
    digest_files,
    print_card,
    read_options,
)
from benchmarks.turn_overhead_data import (
    N_EPISODES,
    N_EXPERIENCES,
    N_PASSAGES,
    difficulties,
    fill,
    fill_course,
    fill_repository,
)
from preceptor.domain.dialogue import Dialogue
from preceptor.domain.principal import LOCAL_OWNER
from preceptor.domain.problem import Problem
from preceptor.domain.reply import Reply
from preceptor.domain.scope import Scope
from preceptor.experience.repository_words import LEXICAL
from preceptor.models.embedder import open_embedder
from preceptor.pedagogy.builtin_tutor import BuiltinTutor
from preceptor.pedagogy.dialogue_formats import read_dialogues
from preceptor.pedagogy.tutor import TutorTurn
from preceptor.record.kinds import TurnRecordBody, body_of
from preceptor.record.record import Record, open_record
from preceptor.settings import Settings, default_home
from preceptor.tutoring.engines import builtin_tutor, open_courses, open_experience, open_turn_maker
from preceptor.tutoring.live_memory import open_memory
from preceptor.tutoring.message_vectors import MessageVectors
from preceptor.tutoring.session import TutoringSession
from preceptor.tutoring.shared_embedder import RememberingEmbedder

N_DIALOGUES = 60
STAGES = ("safety", "observe", "guard", "compose", "experience", "memory", "course", "total")
DEFINITIONS = {
    "submit_to_done": "Milliseconds from message to stored record, warm; the tutor is told of all memories.",
    "submit_to_done_cpu": "CPU milliseconds of the whole process during such a turn, every thread included.",
    "builtin": "Milliseconds from message to stored record, warm, with the builtin tutor.",
    "builtin_cpu": "CPU milliseconds of the whole process during such a turn.",
}
PASS_MS = {"p50": 40.0, "p95": 90.0}

COLD = """
import asyncio, sys, time
started = time.perf_counter()
from pathlib import Path
from preceptor.domain.principal import LOCAL_OWNER
from preceptor.settings import Settings
from preceptor.tutoring.session_opening import open_session
session = open_session(Settings(home=Path(sys.argv[1])))
opened = time.perf_counter()
async def first():
    problem = session.problems(LOCAL_OWNER, limit=1)[0]
    run = await session.submit(LOCAL_OWNER, session.start(LOCAL_OWNER, problem_id=problem.problem_id), "3 + 4 = 7")
    await run.wait()
asyncio.run(first())
print((opened - started) * 1000, (time.perf_counter() - opened) * 1000)
"""


class ToldTutor:
    """A model that takes no time: it is told of every memory, and says what the builtin tutor says."""

    def __init__(self, builtin: BuiltinTutor) -> None:
        """Keep the tutor whose words these are."""
        self._builtin = builtin

    async def reply(self, turn: TutorTurn) -> AsyncIterator[str | Reply]:
        """Yield the builtin reply."""
        async for part in self._builtin.reply(turn):
            yield part


async def measure_both(
    told: TutoringSession, builtin: TutoringSession, record: Record, dialogues: list[Dialogue]
) -> dict[str, list[float]]:
    """Run every learner turn of the dialogues with both tutors, which comes first changing with each dialogue."""
    times: dict[str, list[float]] = defaultdict(list)
    for place, dialogue in enumerate(dialogues):
        for is_told in (True, False) if place % 2 else (False, True):
            found = await measure(told if is_told else builtin, record, [dialogue])
            if is_told:
                for name, values in found.items():
                    times[name] += values
            else:
                times["builtin"] += found["submit_to_done"]
                times["builtin_cpu"] += found["submit_to_done_cpu"]
    return times


async def measure(session: TutoringSession, record: Record, dialogues: list[Dialogue]) -> dict[str, list[float]]:
    """Run every learner turn of the dialogues; return milliseconds per stage, the whole turn as `submit_to_done`."""
    times: dict[str, list[float]] = defaultdict(list)
    for dialogue in dialogues:
        assert dialogue.problem is not None
        problem = Problem(
            problem_id=f"bench:{dialogue.dialogue_id}",
            text=dialogue.problem.text,
            solution=dialogue.problem.solution,
            answer=dialogue.problem.answer,
        )
        record.problems.put_many([problem])
        dialogue_id = session.start(LOCAL_OWNER, problem_id=problem.problem_id)
        for turn in dialogue.turns:
            if not turn.learner.strip():
                continue
            started, started_cpu = time.perf_counter(), time.process_time()
            run = await session.submit(LOCAL_OWNER, dialogue_id, turn.learner)
            stored = time.perf_counter()
            last = await run.wait()
            times["submit_to_done"].append((time.perf_counter() - started) * 1000)
            times["submit_to_done_cpu"].append((time.process_time() - started_cpu) * 1000)
            times["store_message"].append((stored - started) * 1000)
            body = body_of(record.log.get(LOCAL_OWNER.learner_id, last.record_id or ""), TurnRecordBody)
            assert body is not None
            for stage in STAGES:
                if body.timings_ms.get(stage):
                    times[stage].append(body.timings_ms[stage])
            read = body.reads.get("experience")
            if read is not None:
                times[f"experience_{read.status}"].append(1.0)
            course = body.reads.get("course")
            if course is not None and course.course is not None:
                times["course_read"].append(body.timings_ms["course"])
                times["course_search"].append(course.course.timings_ms["total"])
                times["course_embed"].append(course.course.timings_ms.get("embed", 0.0))
            if body.reply.used_experience_ids:
                times["experience_used"].append(1.0)
    return times


def cold(home: Path) -> tuple[float, float]:
    """Return milliseconds to open a session in a fresh process, and for its first turn."""
    done = subprocess.run([sys.executable, "-c", COLD, str(home)], capture_output=True, text=True, check=True)
    opening, turn = done.stdout.split()
    return float(opening), float(turn)


def main() -> None:
    """Print the card."""
    options = read_options("turn_overhead")
    path = options.reported / "mathdial" / "dialogues.jsonl"
    dialogues = list(read_dialogues(str(path), "mathdial"))[:N_DIALOGUES]
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(home=Path(folder))
        if (default_home() / "models").is_dir():
            (Path(folder) / "models").symlink_to(default_home() / "models")
        opened = open_embedder(settings)
        embedder = RememberingEmbedder(opened) if opened is not None else None  # as `SharedEmbedder` gives it
        record = open_record(settings)
        fill(record)
        fill_repository(record.experiences, embedder, asyncio.run(difficulties(dialogues)))
        experience = open_experience(settings, record)
        began = time.perf_counter()
        experience.repository.open()
        load_ms = (time.perf_counter() - began) * 1000
        experience.outcomes.start()
        fill_course(record.courses, embedder)
        course = open_courses(settings, record, lambda: embedder)
        course.courses.prepare("maths")
        makers = [
            open_turn_maker(
                settings,
                tutor=tutor,
                experience=experience.reader,
                course=course.reader,
                course_turns=course.turns,
            )
            for tutor in (ToldTutor(builtin_tutor(settings)), None)
        ]
        memory = open_memory(settings, record, lambda: embedder)
        memory.start()
        whole = Scope(learner_id=LOCAL_OWNER.learner_id, subject_id="maths")
        memory.block(whole, "what did we do?", now=record.clock(), time_zone="UTC", language="en")
        told, builtin = (
            TutoringSession(
                record=record,
                maker=maker,
                settings=settings,
                outcomes=experience.outcomes,
                memory=memory,
                vectors=MessageVectors(
                    lambda: embedder, shows_memory=maker.shows_memory, has_course=course.courses.has
                ),
            )
            for maker in makers
        )
        gc.freeze()  # as `preceptor serve` does before it serves
        times = asyncio.run(measure_both(told, builtin, record, dialogues))
        told.close()
        compared_by = embedder.fingerprint if embedder else f"{LEXICAL} (no embedder here)"
        opening_ms, first_ms = cold(Path(folder))
    measures = []
    for stage in (
        "submit_to_done",
        "submit_to_done_cpu",
        "builtin",
        "builtin_cpu",
        "store_message",
        *STAGES,
        "course_read",
        "course_search",
        "course_embed",
    ):
        values = times.get(stage, [])
        for name, share in (("p50", 50), ("p95", 95)):
            is_whole = stage == "submit_to_done"
            point = float(np.percentile(values, share)) if values else None
            measures.append(
                Measure(
                    metric=f"{stage}_{name}_ms",
                    definition=DEFINITIONS.get(stage, "Milliseconds, warm.")
                    if values
                    else "Empty: nothing is installed in this slot yet.",
                    point=point,
                    n=len(values),
                    pass_mark=f"{PASS_MS[name]:.0f} ms" if is_whole else "",
                    passed=point <= PASS_MS[name] if is_whole and point is not None else None,
                )
            )
    n_turns = len(times["submit_to_done"])
    measures += [
        Measure(
            metric=f"share_{name}",
            definition=words,
            point=len(times.get(f"experience_{name}", [])) / n_turns,
            n=n_turns,
        )
        for name, words in (
            ("read", "Turns that were told of an experience."),
            ("used", "Turns whose reply was chosen by one; each is scored behind the next turn."),
            ("dropped", "Turns whose read passed its cap."),
        )
    ]
    measures += [
        Measure(
            metric="repository_load_ms",
            definition="Embedder and repository, once, in the background of a start.",
            point=load_ms,
        ),
        Measure(
            metric="cold_open_ms", definition="Imports and opening the session in a fresh process.", point=opening_ms
        ),
        Measure(metric="cold_first_turn_ms", definition="The first turn in that process.", point=first_ms),
    ]
    card = ResultCard(
        name="turn_overhead",
        data=DataSource(data_id="mathdial", digest=digest_files([path]), licence="CC BY-SA 4.0"),
        n=len(times["submit_to_done"]),
        n_clusters=len(dialogues),
        split_rule="none: nothing is tuned; the first dialogues of the file",
        measures=measures,
        baselines=[
            Baseline(
                name="A Tutor That Remembers, memory block", values={"p50": 295.0, "p95": 445.0}, origin="published"
            ),
            Baseline(name="REAT without generation", values={"p50": 17_400.0}, origin="published"),
        ],
        does_not_show=[
            "memories by vector: the filled episodes have words only; what the block is worth",
            "answers from the course: the passages are drawn, so that next to no turn is answered by them",
            "quality of what is retrieved: entries are drawn, not distilled, and their strategies are drawn evenly",
            "new sentences: a sentence is embedded once and remembered, and the builtin observer has few",
            "what comes behind the reply: memory waits for a pause of half a second before words, beliefs and vectors",
            "a provider's latency, or many learners at once",
        ],
        command=options.command,
        cpu_seconds=cpu_seconds(),
        notes=[
            f"{N_EPISODES} episodes of the learner in the log; SQLite, synchronous=FULL",
            f"{N_PASSAGES} passages in a course of maths, searched where the learner asks: `course_read` is the "
            "read in those turns (`course`: in all), `course_search` "
            "the search without embedding, `course_embed` the query's vectors",
            f"{N_EXPERIENCES} experiences with states and sentences as the builtin observer finds them in these "
            f"dialogues, compared by {compared_by}",
            "submit_to_done is the whole turn with its reply, from message to stored record; the words are builtin",
        ],
    )
    print_card(card, as_json=options.as_json)


if __name__ == "__main__":
    main()
