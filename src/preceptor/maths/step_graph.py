"""A worked solution as a graph: each step's value, what it was computed from, and whether it holds.

Interface (the builder is being written; these fields are what other packages rely on).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from preceptor.domain.claim import Operand


@dataclass(frozen=True, kw_only=True)
class StepNode:
    """One computed value of the worked solution."""

    index: int
    line: int
    """0-based line of the solution it stands on."""
    text: str
    """The sentence it stands in."""
    operands: tuple[Operand, ...]
    operators: tuple[str, ...]
    inputs: tuple[int | None, ...]
    """Per operand: the node whose value it is; `None`: a given quantity or a constant."""
    givens: tuple[int | None, ...]
    """Per operand: index into `StepGraph.givens`; `None`: another step's value or a constant."""
    value: Fraction
    unit: str | None = None
    noun: str | None = None
    consistent: bool = True
    """The stated result is what the expression gives."""


@dataclass(frozen=True, kw_only=True)
class StepGraph:
    """A worked solution read as computed values, in order."""

    nodes: tuple[StepNode, ...]
    givens: tuple[Operand, ...]
    """Quantities of the problem's text, in reading order."""
    answer: Fraction | None
    answer_node: int | None
    """Node that gives the final answer; `None`: none does."""
    inconsistent: str | None = None
    """Why the reference contradicts itself; `None`: it does not. Then only arithmetic is judged."""
