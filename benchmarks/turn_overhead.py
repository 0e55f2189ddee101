"""Benchmark 10: what a live turn costs apart from generation, per stage, cold and warm.

`python -m benchmarks.turn_overhead --data DIR [--json]`. Real learner turns run through the product's session: store
the message, read, observe, compose, guard, store the record. Slots that are not built yet are marked empty, not 0.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
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
from preceptor.domain.dialogue import Dialogue
from preceptor.domain.principal import LOCAL_OWNER
from preceptor.domain.problem import Problem
from preceptor.pedagogy.dialogue_formats import read_dialogues
from preceptor.record.kinds import AnswerBody, TurnRecordBody, body_of, new_episode
from preceptor.record.record import Record, open_record
from preceptor.settings import Settings
from preceptor.tutoring.engines import open_turn_maker
from preceptor.tutoring.session import TutoringSession

N_EPISODES = 10_000
N_DIALOGUES = 60
STAGES = ("safety", "observe", "guard", "compose", "experience", "memory", "course", "total")
PASS_MS = {"p50": 40.0, "p95": 90.0}

COLD = """
import asyncio, sys, time
started = time.perf_counter()
from pathlib import Path
from preceptor.domain.principal import LOCAL_OWNER
from preceptor.settings import Settings
from preceptor.tutoring.session import open_session
session = open_session(Settings(home=Path(sys.argv[1])))
opened = time.perf_counter()
async def first():
    problem = session.problems(LOCAL_OWNER, limit=1)[0]
    run = await session.submit(LOCAL_OWNER, session.start(LOCAL_OWNER, problem_id=problem.problem_id), "3 + 4 = 7")
    await run.wait()
asyncio.run(first())
print((opened - started) * 1000, (time.perf_counter() - opened) * 1000)
"""


def fill(record: Record) -> None:
    """Append simulated messages until the learner has 10,000 episodes."""
    for start in range(0, N_EPISODES, 500):
        record.log.append_many(
            [
                new_episode(
                    AnswerBody(text=f"simulated line {start + place}: {place} + {start} = {start + place}"),
                    learner_id=LOCAL_OWNER.learner_id,
                    subject_id="maths",
                    dialogue_id=f"filled-{(start + place) // 20}",
                    turn=(start + place) % 20,
                    provenance="simulated",
                )
                for place in range(500)
            ]
        )


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
            started = time.perf_counter()
            run = await session.submit(LOCAL_OWNER, dialogue_id, turn.learner)
            stored = time.perf_counter()
            last = await run.wait()
            times["submit_to_done"].append((time.perf_counter() - started) * 1000)
            times["store_message"].append((stored - started) * 1000)
            body = body_of(record.log.get(LOCAL_OWNER.learner_id, last.record_id or ""), TurnRecordBody)
            assert body is not None
            for stage in STAGES:
                if body.timings_ms.get(stage):
                    times[stage].append(body.timings_ms[stage])
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
        record = open_record(settings)
        fill(record)
        session = TutoringSession(record=record, maker=open_turn_maker(settings), settings=settings)
        times = asyncio.run(measure(session, record, dialogues))
        session.close()
        opening_ms, first_ms = cold(Path(folder))
    measures = []
    for stage in ("submit_to_done", "store_message", *STAGES):
        values = times.get(stage, [])
        for name, share in (("p50", 50), ("p95", 95)):
            is_whole = stage == "submit_to_done"
            point = float(np.percentile(values, share)) if values else None
            measures.append(
                Measure(
                    metric=f"{stage}_{name}_ms",
                    definition="Milliseconds, warm." if values else "Empty: nothing is installed in this slot yet.",
                    point=point,
                    n=len(values),
                    pass_mark=f"{PASS_MS[name]:.0f} ms" if is_whole else "",
                    passed=point <= PASS_MS[name] if is_whole and point is not None else None,
                )
            )
    measures += [
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
            "experience, memory and course reads: their slots are empty in this version",
            "the embedder: no read of this version needs a vector",
            "a provider's latency, or many learners at once",
        ],
        command=options.command,
        cpu_seconds=cpu_seconds(),
        notes=[
            f"{N_EPISODES} episodes of the learner in the log; SQLite, synchronous=FULL",
            "builtin engine: submit_to_done is the whole turn with its reply, from message to stored record",
        ],
    )
    print_card(card, as_json=options.as_json)


if __name__ == "__main__":
    main()
