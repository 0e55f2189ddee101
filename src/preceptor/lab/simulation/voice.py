"""How a scripted learner words an act: a table of phrases, numbers and signs its way, and where each claim stands."""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from importlib import resources

from preceptor.lab.simulation.calculation import Calculation, Quantity, Term, value_of, write
from preceptor.lab.simulation.learner import LearnerClaim, LearnerMove
from preceptor.lab.simulation.spelled import OPERATION_WORDS
from preceptor.maths.numerals import format_number

_SLOT = re.compile(r"\{([a-z]+)\}")
_WRITINGS = (
    {"+": "+", "-": "-", "*": "*", "/": "/", "^": "^"},
    {"+": "+", "-": "-", "*": "×", "/": "÷", "^": "^"},
    {"+": "+", "-": "-", "*": "x", "/": "/", "^": "^"},
)
_INVERSE = {"+": "-", "-": "+", "*": "/", "/": "*"}


@dataclass(frozen=True, kw_only=True)
class Stated:
    """A text that states a value, and what the simulator knows of it."""

    text: str
    value: Fraction
    on_route: bool | None
    arithmetic_holds: bool | None = None
    node: int | None = None
    final: bool = False

    def at(self, start: int) -> LearnerClaim:
        """Return the claim with its place in the whole text."""
        return LearnerClaim(
            start=start,
            end=start + len(self.text),
            value=self.value,
            on_route=self.on_route,
            arithmetic_holds=self.arithmetic_holds,
            node=self.node,
            final=self.final,
        )


class Voice:
    """Words of one learner; no wording comes twice in a row."""

    def __init__(
        self, table: str, rng: random.Random, *, number: Callable[[Fraction], str] = format_number, words: bool = False
    ) -> None:
        """Take a table of phrases.toml and a way to write numbers; `words` writes operations in words too."""
        self._phrases = phrase_tables()[table]
        self._rng = rng
        self._number = number
        self._signs = OPERATION_WORDS if words else rng.choice(_WRITINGS)
        self._equals = "is" if words else "="
        self._last: dict[str, str] = {}

    def has(self, act: str) -> bool:
        """Return whether this learner has words for an act."""
        return act in self._phrases

    def say(
        self, act: str, slots: Mapping[str, str | Stated | tuple[Stated, ...]], *, ended: bool = False
    ) -> LearnerMove:
        """Return a move worded by one of the act's phrases."""
        wordings = [one for one in self._phrases[act] if one != self._last.get(act)]
        template = self._rng.choice(wordings)
        self._last[act] = template
        text, claims, place = "", list[LearnerClaim](), 0
        for slot in _SLOT.finditer(template):
            text += template[place : slot.start()]
            filled = slots[slot.group(1)]
            parts = filled if isinstance(filled, tuple) else (filled,)
            for index, part in enumerate(parts):
                text += ", " if index else ""
                if isinstance(part, Stated):
                    claims.append(part.at(len(text)))
                    part = part.text
                text += part
            place = slot.end()
        text += template[place:]
        return LearnerMove(text=text, ended=ended, act=act, claims=tuple(claims))

    def value(self, value: Fraction, *, on_route: bool | None, node: int | None = None, final: bool = False) -> Stated:
        """Return a bare value."""
        return Stated(text=self._number(value), value=value, on_route=on_route, node=node, final=final)

    def expression(self, term: Term) -> str:
        """Return a calculation without its result."""
        return write(term, dict(self._signs), self._number)

    def calculation(
        self, term: Term, value: Fraction, *, on_route: bool, node: int | None = None, final: bool = False
    ) -> Stated:
        """Return a calculation with the result the learner gives it."""
        text = f"{self.expression(term)} {self._equals} {self._number(value)}"
        holds = value_of(term) == value
        return Stated(
            text=text, value=value, on_route=on_route and holds, arithmetic_holds=holds, node=node, final=final
        )

    def equation(self, term: Term) -> str:
        """Return an equation in x that has this calculation's value as its solution."""
        if isinstance(term, Calculation) and isinstance(term.right, Quantity) and self._rng.random() < 0.5:
            inverse = _INVERSE.get(term.operator)
            if inverse and not term.right.percent:
                right, left = self._number(term.right.value), self.expression(term.left)
                return f"{right}x = {left}" if inverse == "*" else f"x {self._signs[inverse]} {right} = {left}"
        return f"x = {self.expression(term)}"


def as_final(stated: Stated) -> Stated:
    """Return the same claim, stated as the final answer."""
    return replace(stated, final=True)


@cache
def phrase_tables() -> dict[str, dict[str, list[str]]]:
    """Return every table of phrases.toml."""
    return tomllib.loads((resources.files(__package__) / "phrases.toml").read_text(encoding="utf-8"))
