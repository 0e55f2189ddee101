"""What an answer says: one quantity, several, an equation, an interval, a word, nothing, or more than one thing.

The values of this module are frozen; `answer_reader` makes them, `answer_comparison` compares them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from preceptor.maths.expression_grammar import Binary, Mixed, Neg, Node, Num, Percent
from preceptor.maths.expression_value import Exact, write_exact
from preceptor.maths.units import Unit

ItemsKind = Literal["set", "pair", "list", "ratio", "remainder"]


@dataclass(frozen=True, kw_only=True)
class Quantity:
    """One value, with what stands beside it."""

    node: Node
    exact: Exact | None
    """`None`: only floats and the symbolic checker can compare it."""
    text: str
    """The expression as read, without its unit."""
    unit: Unit | None = None
    noun: str | None = None
    """The counted thing, where it is no unit: "apples left"."""
    percent: bool = False
    """Written with a percent sign; `exact` is then the number before the sign."""
    name: str | None = None
    """x in "x = 3"."""
    approximate: bool = False
    ordinal: bool = False
    """Written as a place: 3rd."""


@dataclass(frozen=True, kw_only=True)
class Items:
    """Several quantities; a set has no order, a list keeps the order written but is compared as solutions."""

    kind: ItemsKind
    items: tuple[Quantity, ...]
    brackets: str = ""
    """Of a pair: "()" or "[]"; beside an interval they say whether its ends belong to it."""


@dataclass(frozen=True, kw_only=True)
class Equation:
    """An equation that is not solved: left minus right."""

    difference: Exact
    text: str


@dataclass(frozen=True, kw_only=True)
class Interval:
    """All numbers between two ends; `None`: no end on that side."""

    low: Quantity | None
    high: Quantity | None
    low_closed: bool
    high_closed: bool
    name: str | None = None


@dataclass(frozen=True, kw_only=True)
class Clock:
    """A time of day, or a duration written h:mm or m:ss."""

    first: int
    second: int
    half: Literal["am", "pm"] | None


@dataclass(frozen=True, kw_only=True)
class Words:
    """A word answer, plain and casefolded: "yes", "b", "isosceles"."""

    text: str


@dataclass(frozen=True, kw_only=True)
class NoAnswer:
    """Nothing was answered: empty, "I don't know", or only what it is not."""

    reason: str


@dataclass(frozen=True, kw_only=True)
class Several:
    """More than one answer offered: "12 or 13". Never the same as one value."""

    items: tuple[Quantity, ...]


@dataclass(frozen=True, kw_only=True)
class Ambiguous:
    """It can be read in more than one way; `question` asks which."""

    options: tuple[Reading, ...]
    question: str


@dataclass(frozen=True, kw_only=True)
class Unread:
    """It was not read; the reason is in words for a learner."""

    reason: str


Reading = Quantity | Items | Equation | Interval | Clock | Words | NoAnswer | Several | Ambiguous | Unread


def describe(reading: Reading) -> str:
    """Return the canonical writing of a reading, empty where nothing was read: "3 1/2 km", "{1, 2}", "x = 3"."""
    match reading:
        case Quantity():
            return _describe_quantity(reading)
        case Items(kind=kind, items=items):
            return _describe_items(kind, [_describe_quantity(item) for item in items])
        case Equation(text=text):
            return text
        case Interval():
            return _describe_interval(reading)
        case Clock(first=first, second=second, half=half):
            return f"{first}:{second:02d}" + (f" {half}" if half else "")
        case Words(text=text):
            return text
        case Several(items=items):
            return " or ".join(_describe_quantity(item) for item in items)
        case Ambiguous(options=options):
            return " or ".join(dict.fromkeys(describe(option) for option in options))
    return ""


def _describe_quantity(quantity: Quantity) -> str:
    as_fraction = fraction_bar(quantity.node) or isinstance(_core(quantity.node), Mixed)
    written = quantity.text if quantity.exact is None else write_exact(quantity.exact, as_fraction=as_fraction)
    if quantity.percent:
        written += "%"
    if quantity.unit is not None:
        symbol = quantity.unit.symbol
        if symbol in {"$", "€", "£", "₹"}:
            written = f"-{symbol}{written[1:]}" if written.startswith("-") else symbol + written
        else:
            written += ("" if symbol in {"°", "元"} else " ") + symbol
    elif quantity.noun:
        written += f" {quantity.noun}"
    if quantity.approximate:
        written = "about " + written
    return f"{quantity.name} = {written}" if quantity.name else written


def _describe_items(kind: ItemsKind, written: list[str]) -> str:
    if kind == "set":
        return "{" + ", ".join(written) + "}"
    if kind == "pair":
        return "(" + ", ".join(written) + ")"
    return {"ratio": ":", "remainder": " remainder ", "list": ", "}[kind].join(written)


def _describe_interval(interval: Interval) -> str:
    low = "-inf" if interval.low is None else _describe_quantity(interval.low)
    high = "inf" if interval.high is None else _describe_quantity(interval.high)
    return f"{'[' if interval.low_closed else '('}{low}, {high}{']' if interval.high_closed else ')'}"


def _core(node: Node) -> Node:
    while isinstance(node, Neg | Percent):
        node = node.arg
    return node


def fraction_bar(node: Node) -> bool:
    """Return whether a tree is one fraction of two whole numbers: 3/4, -7/2."""
    core = _core(node)
    if not (isinstance(core, Binary) and core.op == "/"):
        return False
    left = core.left.arg if isinstance(core.left, Neg) else core.left
    return isinstance(left, Num) and isinstance(core.right, Num) and not left.decimal and not core.right.decimal


def literal(node: Node) -> Node:
    """Return the number literal, fraction or mixed number under signs."""
    return _core(node)
