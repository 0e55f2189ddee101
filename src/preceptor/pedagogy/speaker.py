"""Choosing words: the next unused variant that fits the slots and gives nothing away."""

from __future__ import annotations

import hashlib
import re
import string
from collections.abc import Callable, Iterable, Mapping
from math import gcd

from preceptor.pedagogy.phrases.loader import Phrases
from preceptor.pedagogy.wording import sentences_of

_FORMATTER = string.Formatter()


class Speaker:
    """Says each sentence of one dialogue at most once."""

    def __init__(
        self, phrases: Phrases, *, said: Iterable[str], seed_text: str, turn: int, refuse: Callable[[str], bool]
    ) -> None:
        """Remember what was said.

        Args:
            phrases: Sentences of the reply's language.
            said: The tutor's earlier replies in this dialogue.
            seed_text: Text that makes this dialogue's choice of variants its own, e.g. the problem.
            turn: 0-based index of the turn: neighbouring turns take neighbouring variants.
            refuse: Says whether a rendered sentence would give something away.
        """
        self._phrases = phrases
        self._said = {normal_form(part) for reply in said for part in sentences_of(reply)}
        self._seed_text = seed_text
        self._turn = turn
        self._refuse = refuse

    def say(self, *keys: str, slots: Mapping[str, str | None]) -> str:
        """Return one rendered line of the given situations, "" where none of them fits.

        Situations are tried in order; within one, variants that need a missing slot, that were said before or
        that the refuse rule rejects are passed over.
        """
        given = {name: value for name, value in slots.items() if value}
        for key in keys:
            lines = [line for template in self._phrases.variants(key) if (line := self._render(template, given))]
            start = self._first(key) + self._turn * _stride(len(lines))
            for offset in range(len(lines)):
                line = lines[(start + offset) % len(lines)]
                if not self._said_before(line) and not self._refuse(line):
                    self._said.update(normal_form(part) for part in sentences_of(line))
                    return line
        return ""

    def variants(self, *keys: str) -> tuple[str, ...]:
        """Return the unfilled variants of the given situations."""
        return tuple(line for key in keys for line in self._phrases.variants(key))

    def _first(self, key: str) -> int:
        """Return where a situation's variants begin in this dialogue; each situation begins elsewhere."""
        return int.from_bytes(hashlib.sha256(f"{key}|{self._seed_text}".encode()).digest()[:4], "big")

    def _render(self, template: str, slots: Mapping[str, str]) -> str:
        needed = {name for _, name, _, _ in _FORMATTER.parse(template) if name}
        if not needed <= slots.keys():
            return ""
        line = template.format_map(slots)
        line = re.sub(r"([?？])[?？]+", r"\1", line).replace("?:", ":").replace("..", ".")
        return line[0].upper() + line[1:] if line else ""

    def _said_before(self, line: str) -> bool:
        return any(normal_form(part) in self._said for part in sentences_of(line))


def _stride(count: int) -> int:
    """Return a step that visits all of `count` places before it repeats, and neighbours late."""
    return next((step for step in (5, 3, 7) if gcd(step, count) == 1), 1) if count else 1


def normal_form(sentence: str) -> str:
    """Return a sentence without case, space and punctuation, for comparing."""
    return re.sub(r"[\W_]+", " ", sentence.lower()).strip()
