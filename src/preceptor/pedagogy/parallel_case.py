"""Small invented numbers for a worked parallel and for a smaller case: none of them is in the problem."""

from __future__ import annotations

import hashlib
from collections.abc import Set
from dataclasses import dataclass
from fractions import Fraction

STORIES = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide"}


@dataclass(frozen=True, kw_only=True)
class ParallelCase:
    """Numbers of one invented case: a + b = c, c - b = a, a × b = c or c ÷ a = b."""

    operator: str
    a: int
    b: int
    c: int

    @property
    def slots(self) -> dict[str, str]:
        """Return the numbers as words for a story."""
        return {"a": str(self.a), "b": str(self.b), "c": str(self.c)}

    @property
    def result(self) -> Fraction:
        """Return the value that the small case asks for."""
        return Fraction({"+": self.c, "-": self.a, "*": self.c, "/": self.b}[self.operator])

    @property
    def equation(self) -> str:
        """Return the case as an equation: "4 × 6 = 24"."""
        forms = {"+": "{a} + {b} = {c}", "-": "{c} - {b} = {a}", "*": "{a} × {b} = {c}", "/": "{c} ÷ {a} = {b}"}
        return forms[self.operator].format(a=self.a, b=self.b, c=self.c)


def invent_case(operator: str, *, avoid: Set[Fraction], seed_text: str, largest: int = 14) -> ParallelCase:
    """Return small numbers for one operator, none of which is among `avoid`.

    Args:
        operator: One of + - * /.
        avoid: Values of the problem and of its solution.
        seed_text: Makes the choice repeatable.
        largest: Upper bound of a and b tried at first; it grows until a free pair is found.
    """
    start = int.from_bytes(hashlib.sha256(f"{operator}|{seed_text}".encode()).digest()[:4], "big")
    while True:
        pairs = [(a, b) for a in range(3, largest) for b in range(2, largest) if a != b]
        for offset in range(len(pairs)):
            a, b = pairs[(start + offset * 7) % len(pairs)]
            c = a + b if operator in "+-" else a * b
            if not {Fraction(a), Fraction(b), Fraction(c)} & avoid:
                return ParallelCase(operator=operator, a=a, b=b, c=c)
        largest += 10
