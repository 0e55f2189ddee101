"""The sentences of `record_answers.toml`, and dates as the learner's language writes them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib import resources

from preceptor.memory.time_phrases import TimeWindow


@dataclass(frozen=True, kw_only=True)
class RecordPhrases:
    """One language's sentences."""

    language: str
    months: tuple[str, ...]
    lines: Mapping[str, str]

    def say(self, key: str, **values: object) -> str:
        """Return a sentence with its places filled."""
        return self.lines[key].format(**values)

    def day(self, on: date) -> str:
        """Return a date: "12 July 2026"."""
        return self.say("day", day=on.day, month=self.months[on.month - 1], year=on.year)

    def when(self, window: TimeWindow) -> str:
        """Return a window with its preposition: "in July 2026", "from … to …"."""
        first, last = window.first_day, window.last_day
        if window.is_month:
            named = self.say("month", month=self.months[first.month - 1], year=first.year)
            return self.say("when_month", window=named)
        if window.is_year:
            return self.say("when_year", window=first.year)
        if first == last:
            return self.say("when_day", window=self.day(first))
        return self.say("when_range", first=self.day(first), last=self.day(last))


@cache
def record_phrases(language: str) -> RecordPhrases:
    """Return a language's sentences; English for a language that has none."""
    tables = _tables()
    code = language.split("-")[0].lower()
    code = code if code in tables else "en"
    table = tables[code]
    lines = {key: value for key, value in table.items() if isinstance(value, str)}
    return RecordPhrases(language=code, months=tuple(table["months"]), lines=lines)


@cache
def _tables() -> dict[str, dict[str, str | list[str]]]:
    file = resources.files(__package__).joinpath("record_answers.toml")
    tables: dict[str, dict[str, str | list[str]]] = tomllib.loads(file.read_text(encoding="utf-8"))
    return tables
