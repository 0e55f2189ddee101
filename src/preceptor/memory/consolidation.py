"""One day of one learner's subject as one note: counted, never summarised by a model, never from other such notes."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from datetime import time as time_of_day
from zoneinfo import ZoneInfo

from preceptor.domain.episode import Episode
from preceptor.domain.scope import Scope
from preceptor.errors import InputError
from preceptor.memory.episode_text import is_evidence, verdict_of
from preceptor.memory.record_questions import record_question
from preceptor.memory.time_phrases import zone_of
from preceptor.record.memory_kinds import ConsolidationBody

N_HEADLINES = 5
"""(seed: A Tutor That Remembers)"""
N_TOPICS = 8
"""(chosen: as many as a line holds)"""
NEVER_COUNTED = frozenset({"consolidation", "erasure", "safety_flag"})
"""Notes about notes, the record of erasures, and what only the instructor sees."""
_MOMENT = timedelta(microseconds=1)


def zone_or_utc(time_zone: str) -> ZoneInfo:
    """Return an episode's zone; UTC where it names none that is known here."""
    try:
        return zone_of(time_zone)
    except InputError:
        return ZoneInfo("UTC")


def local_day(episode: Episode) -> date:
    """Return the day on which an episode happened, in its learner's zone then."""
    return episode.occurred_at.astimezone(zone_or_utc(episode.time_zone)).date()


def end_of_day(day: date, zone: ZoneInfo) -> datetime:
    """Return the last moment of a day in a zone, UTC: recall of its month then finds the day's note in it."""
    return datetime.combine(day + timedelta(days=1), time_of_day(), tzinfo=zone).astimezone(UTC) - _MOMENT


def consolidate(
    day: date, episodes: Sequence[Episode], concept_names: Mapping[str, Sequence[str]]
) -> ConsolidationBody | None:
    """Return the note of a day; `None` for a quiet one.

    Args:
        day: Of the learner.
        episodes: That day's, by sequence; what is erased, recalled or itself a note counts for nothing.
        concept_names: Names of the concepts each episode touched, by its id.
    """
    counted = [one for one in episodes if one.kind not in NEVER_COUNTED and is_evidence(one)]
    if not counted:
        return None
    verdicts = Counter(verdict_of(one) for one in counted)
    topics = Counter(name for one in counted for name in concept_names.get(one.episode_id, ()))
    chosen = _headlines(counted)
    return ConsolidationBody(
        day=day,
        counts=dict(sorted(Counter(one.kind for one in counted).items())),
        checks_right=verdicts["right"],
        checks_wrong=verdicts["wrong"],
        topics=tuple(sorted(topics, key=lambda name: (-topics[name], name))[:N_TOPICS]),
        headlines=tuple(one.summary or "" for one in chosen),
        episode_ids=tuple(one.episode_id for one in chosen),
    )


def note_id(scope: Scope, day: date, generation: int) -> str:
    """Return the id of a day's note: the same night writes it once, whoever runs it. Raised after an erasure."""
    parts = "\0".join((scope.learner_id, scope.subject_id, day.isoformat(), str(generation)))
    return "day-" + hashlib.blake2b(parts.encode(), digest_size=16).hexdigest()


def _headlines(counted: Sequence[Episode]) -> list[Episode]:
    """Return the most salient episodes, each wording once; a question about the record is not the day's work."""
    chosen: list[Episode] = []
    said: set[str] = set()
    for one in sorted(counted, key=lambda each: (-(each.salience or 0), each.sequence)):
        words = (one.summary or "").casefold()
        if one.salience is None or not words or words in said or _asks_for_the_record(one):
            continue
        said.add(words)
        chosen.append(one)
        if len(chosen) == N_HEADLINES:
            break
    return chosen


def _asks_for_the_record(one: Episode) -> bool:
    if one.kind not in {"answer", "question"} or one.body is None or one.body.get("problem"):
        return False
    return record_question(str(one.body.get("text", "")), one.language) is not None
