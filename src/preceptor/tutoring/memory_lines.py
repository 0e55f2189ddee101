"""Episodes of the log as lines that their learner can read, and the months and days they fall in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from itertools import groupby
from typing import Any

from preceptor.domain.episode import Episode
from preceptor.memory.consolidation import local_day, zone_or_utc
from preceptor.memory.episode_text import episode_text, verdict_of
from preceptor.tutoring.memory_views import DayView, LineKind, MonthView, RecordLine

_HIDDEN = frozenset({"hint", "safety_flag", "erasure"})
"""Bookkeeping, and what only the instructor sees."""
_NOT_COUNTED = frozenset({"tutor", "note"})
"""What the tutor said and the loop's own notes are no work of the learner's."""
_KINDS: Mapping[str, LineKind] = {
    "answer": "said",
    "check": "check",
    "quiz": "quiz",
    "taught": "taught",
    "denial": "denial",
    "file": "file",
    "turn_record": "tutor",
    "consolidation": "note",
}


def record_line(episode: Episode) -> RecordLine | None:
    """Return an episode as its learner may read it; `None`: it was erased, or it is nothing to read."""
    if episode.body is None or episode.kind in _HIDDEN:
        return None
    read = _WORDS.get(episode.kind)
    words = read(episode.body) if read is not None else (episode_text(episode) or "")
    if not words.strip():
        return None
    verdict = verdict_of(episode)
    concept = episode.body.get("concept", "") if episode.kind in {"taught", "denial"} else ""
    return RecordLine(
        episode_id=episode.episode_id,
        subject_id=episode.subject_id,
        kind=_kind(episode),
        on=local_day(episode),
        at=episode.occurred_at.astimezone(zone_or_utc(episode.time_zone)),
        words=words.strip(),
        verdict=None if verdict is None else "right" if verdict == "right" else "wrong",
        concept=str(concept),
        language=episode.language,
        dialogue_id=episode.dialogue_id,
        turn=episode.turn,
    )


def record_lines(episodes: Iterable[Episode]) -> list[RecordLine]:
    """Return the lines of episodes, in their order."""
    return [line for line in map(record_line, episodes) if line is not None]


def months_of(lines: Sequence[RecordLine], today: date) -> tuple[MonthView, ...]:
    """Return every month from the first line's to today's, newest first; those without a line are empty."""
    counted = [line for line in lines if line.kind not in _NOT_COUNTED]
    by_month: dict[date, list[RecordLine]] = {}
    for line in counted:
        by_month.setdefault(line.on.replace(day=1), []).append(line)
    if not by_month:
        return ()
    month, last = min(by_month), max(max(by_month), today.replace(day=1))
    months = []
    while month <= last:
        months.append(_month(month, by_month.get(month, ())))
        month = next_month(month)
    return tuple(reversed(months))


def days_of(lines: Sequence[RecordLine], month: date) -> tuple[DayView, ...]:
    """Return a month's days with their lines, without what the tutor said; days without one are left out."""
    of_month = [line for line in lines if line.kind not in _NOT_COUNTED and line.on.replace(day=1) == month]
    of_month.sort(key=lambda line: line.at)
    return tuple(DayView(day=day, lines=tuple(group)) for day, group in groupby(of_month, key=lambda line: line.on))


def next_month(month: date) -> date:
    """Return the first day of the month after."""
    return date(month.year + month.month // 12, month.month % 12 + 1, 1)


def _month(month: date, lines: Sequence[RecordLine]) -> MonthView:
    return MonthView(
        first_day=month,
        problems=sum(line.kind == "problem" for line in lines),
        questions=sum(line.kind == "question" for line in lines),
        messages=sum(line.kind == "said" for line in lines),
        right=sum(line.verdict == "right" for line in lines),
        wrong=sum(line.verdict == "wrong" for line in lines),
        taught=sum(line.kind == "taught" for line in lines),
        other=sum(line.kind in {"denial", "file", "other"} for line in lines),
        days=len({line.on for line in lines}),
    )


def _kind(episode: Episode) -> LineKind:
    if episode.kind == "question":
        return "problem" if (episode.body or {}).get("problem") else "question"
    return _KINDS.get(episode.kind, "other")


def _check(body: Mapping[str, Any]) -> str:
    judged = body["judged"]
    return str(judged.get("read_as") or judged["claim"]["text"])


def _quiz(body: Mapping[str, Any]) -> str:
    return f"{body['item']} → {body['answer']}"


_WORDS: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "check": _check,
    "quiz": _quiz,
    "taught": lambda body: str(body["note"]),
    "denial": lambda body: str(body.get("note") or body["concept"]),
    "turn_record": lambda body: str(body["reply"]["text"]),
}
"""What is shown in other words than those that find the episode; the tutor's telling of the record is shown too."""
