"""What beliefs, verification and nights cost for one learner with a long past: `python -m benchmarks.memory_nights`."""

from __future__ import annotations

import argparse
import json
import platform
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

from preceptor.course.extraction import ExtractedDocument, ExtractedPage
from preceptor.course.ingestion import prepare
from preceptor.domain.course import Course
from preceptor.domain.episode import Evidence, NewEpisode
from preceptor.domain.passage import Document
from preceptor.domain.scope import Scope
from preceptor.memory.learner_memory import LearnerMemory
from preceptor.record.kinds import AnswerBody, new_episode
from preceptor.record.memory_kinds import QuizBody
from preceptor.record.record import Record, open_record
from preceptor.settings import Settings
from preceptor.testing.fixed_clock import FixedClock

ANA = Scope(learner_id="ana", subject_id="maths")
START = datetime(2026, 1, 5, 9, tzinfo=UTC)
DOCUMENTS, PAGES, DAYS = 20, 20, 90


def fill(record: Record, clock: FixedClock, n_episodes: int) -> None:
    """Add a learner's past: half their answers citing pages, half checks on 20 concepts, over 90 days."""
    chosen = random.Random(7)
    record.courses.create(Course(subject_id="maths", title="Maths", created_at=START))
    pages: list[Evidence] = []
    for number in range(DOCUMENTS):
        text = [f"Page {page} of document {number}." for page in range(PAGES)]
        document = Document(
            document_id=f"doc{number}",
            subject_id="maths",
            name=f"{number}.txt",
            media_type="text/plain",
            fingerprint=str(number),
            n_pages=PAGES,
            added_at=START,
        )
        content = prepare(document, ExtractedDocument(pages=tuple(ExtractedPage(text=one) for one in text)))
        record.courses.put_document(content)
        pages += [
            Evidence(document_id=document.document_id, page=one.page, fingerprint=one.fingerprint)
            for one in content.pages
        ]
    concepts = [one.concept_id for one in LearnerMemory(record, Settings().memory).maps.map("maths").concepts][:20]
    batch: list[NewEpisode] = []
    for number in range(n_episodes):
        at = START + timedelta(days=DAYS) * number / n_episodes
        if number % 2:
            right = chosen.random() < 0.7
            body = QuizBody(item=f"item {number}", answer="4", verdict="right" if right else "wrong")
            batch.append(_new(body, at, concept_ids=(chosen.choice(concepts),)))
        else:
            batch.append(_new(AnswerBody(text=f"I said {number}"), at, evidence=(chosen.choice(pages),)))
        if len(batch) == 500:
            record.log.append_many(batch)
            batch = []
    if batch:
        record.log.append_many(batch)
    clock.advance(START + timedelta(days=DAYS, hours=18) - clock())


def _new(body: QuizBody | AnswerBody, at: datetime, **fields: object) -> NewEpisode:
    return new_episode(
        body,
        learner_id="ana",
        subject_id="maths",
        dialogue_id="d",
        turn=0,
        occurred_at=at,
        **fields,  # type: ignore[arg-type]
    )


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """Return wall and CPU seconds."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - wall, time.process_time() - cpu


def measure(n_episodes: int) -> dict[str, object]:
    """Return the figures."""
    with tempfile.TemporaryDirectory() as folder:
        clock = FixedClock(START)
        with open_record(Settings(home=Path(folder)), clock) as record:
            fill(record, clock, n_episodes)
            memory = LearnerMemory(record, Settings().memory)
            catch_up = timed(lambda: memory.beliefs.catch_up(ANA))
            verify = timed(lambda: memory.verifier.verify(ANA, limit=n_episodes, now=clock()))
            again = timed(lambda: memory.verifier.verify(ANA, limit=n_episodes, now=clock()))
            first_night = timed(memory.nightly.run)
            turns = []
            for turn in range(1, 31):
                body = QuizBody(item="item", answer="4", verdict="right", topic="percent")
                record.log.append(
                    new_episode(body, learner_id="ana", subject_id="maths", dialogue_id="live", turn=turn)
                )

                def update(turn: int = turn) -> object:
                    return memory.beliefs.update_after_turn(ANA, "live", turn)

                turns.append(timed(update)[0] * 1000)
            clock.advance(timedelta(days=1))
            next_night = timed(memory.nightly.run)
            current = [timed(lambda: memory.beliefs.current(ANA))[0] * 1000 for _ in range(20)]
            rederive = timed(lambda: memory.beliefs.rederive(ANA))
            return {
                "episodes": n_episodes,
                "belief_rows": len(memory.beliefs.rows(ANA)),
                "catch_up_s": _pair(catch_up),
                "verified_per_s": {"wall": round(n_episodes / verify[0]), "cpu": round(n_episodes / verify[1])},
                "verified_again_per_s": {"wall": round(n_episodes / again[0]), "cpu": round(n_episodes / again[1])},
                "first_night_s": _pair(first_night),
                "next_night_s": _pair(next_night),
                "after_turn_ms": {"p50": round(statistics.median(turns), 1), "max": round(max(turns), 1)},
                "current_ms": {"p50": round(statistics.median(current), 1)},
                "rederive_unchanged_s": _pair(rederive),
                "python": platform.python_version(),
            }


def _pair(both: tuple[float, float]) -> dict[str, float]:
    return {"wall": round(both[0], 2), "cpu": round(both[1], 2)}


def main() -> None:
    """Print the figures as one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--episodes", type=int, default=10_000, help="Episodes of the learner.")
    sys.stdout.write(json.dumps(measure(parser.parse_args().episodes)) + "\n")


if __name__ == "__main__":
    main()
