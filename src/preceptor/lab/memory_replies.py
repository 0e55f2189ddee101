"""Does the builtin answer about a record name a date, a count or a topic that is not on it? Against the history itself.

What may be named: the question's own words; the time that was asked about; of each episode the answer tells, its words,
its local date and how many identical ones there are; how many episodes of a kind there truly are, in the time asked
about or at all; what is believed. Everything else is false.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date
from functools import cache
from zoneinfo import ZoneInfo

from preceptor.lab.memory_deck import LANGUAGES, deck
from preceptor.lab.memory_histories import Entry, History, Question
from preceptor.memory.block import MemoryBlock
from preceptor.memory.record_answers import RecordAnswer
from preceptor.memory.record_phrases import record_phrases
from preceptor.memory.time_phrases import TimeWindow

_NUMBER = re.compile(r"\d+")


class ReplyCheck:
    """Holds answers against one history."""

    def __init__(self, history: History) -> None:
        """Index it."""
        self._entries = {entry.episode_id: entry for entry in history.episodes}
        self._zone = ZoneInfo(history.time_zone)
        self._history = history

    def faults(self, question: Question, block: MemoryBlock, answer: RecordAnswer) -> tuple[str, ...]:
        """Return what the answer names that is not so; empty: nothing."""
        told = [self._entries[one] for one in answer.episode_ids if one in self._entries]
        found = [f"id {one}" for one in answer.episode_ids if one not in self._entries]
        found += [f"time {one.episode_id}" for one in told if question.forbidden_window.holds(one.at)]
        found += [f"narration {one.episode_id}" for one in told if one.narration]
        text = _plain(answer.text)
        words = " \n ".join([question.text, *(one.text for one in told), *(one.concept for one in block.beliefs)])
        days = [*(one.at.astimezone(self._zone).date() for one in told), *_days(block.window)]
        numbers = self._numbers(told, block, days) | set(_NUMBER.findall(_plain(words)))
        found += [f"number {one}" for one in sorted(set(_NUMBER.findall(text)) - numbers)]
        found += [f"month {one}" for one in _months(text, answer.language, words, days)]
        found += [f"topic {one}" for one in _topics(text) if one not in _plain(words)]
        if question.says_no_record and (answer.found != "nothing" or told):
            found.append("tells of a time that has no record")
        if question.kind == "got_wrong":
            found += [f"not wrong {one.episode_id}" for one in told if one.verdict != "wrong"]
        return tuple(found)

    def _numbers(self, told: Sequence[Entry], block: MemoryBlock, days: Sequence[date]) -> set[str]:
        """Return the digits that are true: of dates, of counts and of confidences."""
        counted = Counter(_Counted.of(entry) for entry in self._history.episodes if not entry.narration)
        values: set[str] = {str(part) for day in days for part in (day.day, day.month, day.year)}
        values |= {str(counted[_Counted.of(entry)] - 1) for entry in told}
        values |= {part for one in block.beliefs for part in f"{one.confidence:.2f}".split(".")}
        for within in (None, block.window):
            starts_at, ends_at = (within.starts_at, within.ends_at) if within else (None, None)
            inside = [
                one
                for one in self._history.episodes
                if starts_at is None or ends_at is None or starts_at <= one.at < ends_at
            ]
            kinds: Counter[str] = Counter(one.kind for one in inside if not one.narration)
            kinds.update(one.verdict for one in inside if one.verdict is not None)
            values |= {str(count) for count in kinds.values()}
        return values


class _Counted:
    @staticmethod
    def of(entry: Entry) -> tuple[str, str, str | None]:
        return entry.kind, entry.text, entry.verdict


def _plain(text: str) -> str:
    """Return a text in lower case with digits as 0-9."""
    return "".join(
        str(digit) if (digit := unicodedata.decimal(letter, None)) is not None else letter for letter in text.casefold()
    )


def _days(window: TimeWindow | None) -> Iterator[date]:
    if window is not None:
        yield from (window.first_day, window.last_day)


def _months(text: str, language: str, words: str, days: Sequence[date]) -> Iterator[str]:
    """Yield names of months in the answer's own sentences that belong to no date it may name."""
    said = _plain(words)
    for number, name in enumerate(record_phrases(language).months, start=1):
        plain = _plain(name)
        pattern = rf"(?<!\d){plain}" if language == "zh" else rf"(?<!\w){plain}(?!\w)"
        if re.search(pattern, text) and number not in {day.month for day in days} and not re.search(pattern, said):
            yield name


@cache
def _names() -> tuple[str, ...]:
    return tuple(_plain(one.name) for language in LANGUAGES for one in deck(language).concepts)


def _topics(text: str) -> Iterator[str]:
    """Yield the names of concepts, of any of our subjects, that stand in a text."""
    yield from (name for name in _names() if name in text)
