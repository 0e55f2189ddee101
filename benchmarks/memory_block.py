"""What the memory block of a turn costs at 10,000 episodes of one learner, without embedding.

`python -m benchmarks.memory_block [--json]`. A simulated history over two years is appended to a log, then blocks are
built for ordinary and record questions: warm, with the learner's index in memory; live, as in a turn, with the last one
indexed behind its reply and the next message appended; and cold, with the index dropped before every block.
Episodes are drawn by us; nothing is read from the data folder.
"""

from __future__ import annotations

import argparse
import gc
import random
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.card import Baseline, DataSource, Measure, ResultCard, cpu_seconds, print_card
from preceptor.concepts.subject_maps import SubjectMaps
from preceptor.domain.episode import NewEpisode
from preceptor.domain.problem import Problem
from preceptor.domain.scope import Scope
from preceptor.memory.beliefs import Beliefs
from preceptor.memory.block import BlockBuilder
from preceptor.memory.recall import Recall
from preceptor.memory.teaching import TaughtNotes
from preceptor.record.kinds import AnswerBody, Body, QuestionBody, new_episode
from preceptor.record.memory_kinds import QuizBody, TaughtBody
from preceptor.record.record import Record, open_record
from preceptor.settings import Settings

N_EPISODES = 10_000
N_BLOCKS = 150
SEED = 11
SCOPE = Scope(learner_id="simulated", subject_id="maths")
NOW = datetime(2026, 11, 20, 9, tzinfo=UTC)
GOING_ON = "the dialogue that goes on"
WARM_MS, COLD_MS = 15.0, 50.0
THINGS = ("marbles", "ribbons", "tickets", "litres of paint", "pages", "seeds", "tiles", "coins", "metres", "minutes")
TOPICS = ("fractions", "percent", "area", "speed", "division", "averages", "ratios", "units of time", "discounts")
QUESTIONS = (
    "what did we do in July",
    "what did I get wrong",
    "what did I get wrong in percent last month",
    "was habe ich letzte Woche gelernt",
    "ماذا أخطأت",
    "how am I doing?",
    "when did we learn about discounts",
    "I think the ribbons cost 14 in total",
    "how do fractions work here",
    "7 * 12 = 84",
    "what did we do in March 2019",
    "I do not know what to do next",
)


def history(draw: random.Random) -> list[NewEpisode]:
    """Return the episodes of a learner: problems, messages, graded items, notes, over two years."""
    found: list[NewEpisode] = []
    while len(found) < N_EPISODES:
        at = NOW - timedelta(days=draw.uniform(1, 730))
        dialogue = f"dialogue-{len(found)}"
        topic, thing = draw.choice(TOPICS), draw.choice(THINGS)
        a, b = draw.randint(2, 60), draw.randint(2, 60)
        text = f"Problem {len(found)} on {topic}: {a} boxes hold {b} {thing} each. How many {thing} are there?"
        bodies: list[Body] = [QuestionBody(problem=Problem(problem_id=dialogue, text=text))]
        for _ in range(draw.randint(4, 12)):
            wrong = draw.random() < 0.3
            value = a * b + (draw.randint(1, 9) if wrong else 0)
            bodies.append(AnswerBody(text=f"I think {a} boxes of {thing} times {b} is {value}, because of {topic}"))
            item = QuizBody(item=f"{a} x {b}", answer=str(value), verdict="wrong" if wrong else "right", topic=topic)
            bodies.append(item)
            a += 1
        if draw.random() < 0.02:
            note = f"we write {thing} with a short name"
            bodies.append(TaughtBody(note=note, utterance=f"remember that {note}", concept=thing, is_new_concept=True))
        for turn, body in enumerate(bodies):
            found.append(
                new_episode(
                    body,
                    learner_id=SCOPE.learner_id,
                    subject_id=SCOPE.subject_id,
                    dialogue_id=dialogue,
                    turn=turn,
                    provenance="simulated",
                    occurred_at=at + timedelta(minutes=turn),
                )
            )
    return sorted(found[:N_EPISODES], key=lambda one: one.occurred_at or NOW)


def builder_of(record: Record, settings: Settings) -> tuple[BlockBuilder, Recall]:
    """Return the product's builder without an embedder, and its recall."""
    recall = Recall(record.episodes, record.memory, None, settings.memory)
    maps = SubjectMaps(record.concept_maps)
    beliefs = Beliefs(record.log, record.episodes, record.beliefs, maps.map, settings.memory, record.clock)
    notes = TaughtNotes(recall, record.episodes)
    builder = BlockBuilder(
        recall, record.memory, maps, notes, settings.memory, beliefs=beliefs, budget=settings.tutoring.memory_tokens
    )
    return builder, recall


def timed(build: Callable[[str], object], before: Callable[[], None]) -> tuple[list[float], list[float]]:
    """Return wall and CPU milliseconds of blocks."""
    wall, cpu = [], []
    for place in range(N_BLOCKS):
        before()
        began, began_cpu = time.perf_counter(), time.process_time()
        build(QUESTIONS[place % len(QUESTIONS)])
        wall.append((time.perf_counter() - began) * 1000)
        cpu.append((time.process_time() - began_cpu) * 1000)
    return wall, cpu


def main() -> None:
    """Print the card."""
    parser = argparse.ArgumentParser(prog="memory_block", description=__doc__)
    parser.add_argument("--json", action="store_true", help="Print the card as JSON.")
    as_json = parser.parse_args().json
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(home=Path(folder))
        with open_record(settings, lambda: NOW) as record:
            episodes = history(random.Random(SEED))
            for start in range(0, len(episodes), 500):
                record.log.append_many(episodes[start : start + 500])
            del episodes
            gc.collect()
            gc.freeze()  # as the server does before it serves
            builder, recall = builder_of(record, settings)
            recall.indexer.catch_up(SCOPE)
            tokens: list[int] = []

            def build(question: str, dialogue_id: str | None = None) -> None:
                built = builder.build(
                    SCOPE, question, now=NOW, time_zone="Europe/Berlin", language="en", dialogue_id=dialogue_id
                )
                tokens.append(built.tokens)

            def say() -> None:
                recall.indexer.catch_up(SCOPE)
                body = AnswerBody(text="I think 7 boxes of ribbons times 12 is 84, because of ratios")
                message = new_episode(
                    body,
                    learner_id=SCOPE.learner_id,
                    subject_id=SCOPE.subject_id,
                    dialogue_id=GOING_ON,
                    provenance="simulated",
                )
                record.log.append(message)

            for question in QUESTIONS:
                build(question)
            warm = timed(build, lambda: None)
            live = timed(partial(build, dialogue_id=GOING_ON), say)
            cold = timed(build, lambda: recall.forget(SCOPE))
    measures = [
        Measure(
            metric=f"{name}_{share}_{clock}_ms",
            definition=f"One block, {name}; {clock} time.",
            point=float(np.percentile(values, int(share[1:]))),
            n=N_BLOCKS,
            pass_mark=f"{mark:.0f} ms" if share == "p95" else "",
            passed=bool(np.percentile(values, 95) <= mark) if share == "p95" else None,
        )
        for name, (wall, cpu), mark in (("warm", warm, WARM_MS), ("live", live, WARM_MS), ("cold", cold, COLD_MS))
        for clock, values in (("wall", wall), ("cpu", cpu))
        for share in ("p50", "p95")
    ]
    measures.append(Measure(metric="tokens_p95", definition="Estimated.", point=float(np.percentile(tokens, 95))))
    print_card(
        ResultCard(
            name="memory_block",
            data=DataSource(data_id="drawn here", digest=f"seed {SEED}", licence="ours"),
            n=N_BLOCKS,
            n_clusters=1,
            split_rule="none: nothing is tuned",
            measures=measures,
            baselines=[
                Baseline(
                    name="A Tutor That Remembers, embedding included",
                    values={"p50": 295.0, "p90": 403.0, "p95": 445.0},
                    origin="published",
                )
            ],
            does_not_show=["the embedding of the question", "what the block is worth", "many learners at once"],
            command="python -m benchmarks.memory_block",
            cpu_seconds=cpu_seconds(),
            notes=[f"{N_EPISODES} episodes of one learner, {len(QUESTIONS)} questions in turn; SQLite"],
        ),
        as_json=as_json,
    )


if __name__ == "__main__":
    main()
