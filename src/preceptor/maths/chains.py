"""Chains of expressions in a text: sides joined by "=", "is", "gives", "rounded to", in reading order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from preceptor.maths.expression import Expression
from preceptor.maths.expression_reader import BREAK_WORDS, PREFIXES, ExpressionReader
from preceptor.maths.expression_tokens import Token
from preceptor.maths.noun_phrases import LABEL_WORDS, singular

LinkKind = Literal["equal", "said", "about", "up", "down"]
"""`said`: joined by a word such as "is" or "gives"; `about`, `up`, `down`: a rounding."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Side:
    """One side of a chain."""

    expression: Expression
    first: int
    """Index of its first token."""
    after: int
    """Index of the token after it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Chain:
    """Sides of one statement; a single side is a bare value or an expression without a result."""

    sides: tuple[Side, ...]
    links: tuple[LinkKind, ...]
    """One less than sides."""
    label: str | None = None
    """The noun before the first "=", where the chain begins with a name: "total cost = 3 * 5"."""


_VERBS = frozenset(
    """
    is are was were equals gives give gave gets get got makes make made making leaves leave leaving yields yield
    becomes costs totals giving getting be est son ist sont da fait suman
    """.split()
)
_VERB_PAIRS = frozenset(
    {("comes", "to"), ("come", "to"), ("results", "in"), ("adds", "up"), ("turns", "into"), ("left", "with")}
)
_SUBJECTS = frozenset("which that this it so then we you i to and would will can should".split())
_FILLERS = frozenset(
    """
    us me you him her them a an the about only total of sum equal to approximately roughly with be exactly around us
    just answer result value as up in at altogether nearly almost another another's rs rs. usd
    """.split()
)
_ROUND = frozenset({"round", "rounds", "rounded", "rounding"})
_ROUND_AFTER = frozenset({"up", "down", "off", "to", "it", "this", "that"})
_STARTS = frozenset({"number", "open", "unknown", "sign"})
_LONGEST_GAP = 7
_MAX_SIDES = 12


def read_chains(tokens: Sequence[Token]) -> list[Chain]:
    """Return the chains of a token list, without overlap.

    An operation in words that the text then writes out ("three less than half of them, which is 5 - 3") is left out.
    """
    reader = ExpressionReader(tokens)
    chains: list[Chain] = []
    place = 0
    while place < len(tokens):
        token = tokens[place]
        starts = token.kind in _STARTS or (token.kind == "word" and token.text.casefold() in PREFIXES)
        read = reader.read(place) if starts else None
        if read is None:
            place += 1
            continue
        sides = [Side(expression=read[0], first=place, after=read[1])]
        links: list[LinkKind] = []
        restated = False
        while len(sides) < _MAX_SIDES:
            link = _link(reader, sides[-1].after, compound=sides[-1].expression.compound)
            following = reader.read(link[1]) if link else None
            if link is None or following is None:
                break
            if link[0] == "said" and following[0].compound:
                restated = len(sides) == 1
                break
            links.append(link[0])
            sides.append(Side(expression=following[0], first=link[1], after=following[1]))
        place_after = sides[-1].after
        if restated:
            place = place_after
            continue
        chains.append(Chain(sides=tuple(sides), links=tuple(links), label=_label(tokens, place)))
        place = place_after
    return chains


def _link(reader: ExpressionReader, place: int, *, compound: bool) -> tuple[LinkKind, int] | None:
    """Return the kind of link that starts at a position and where the next side begins."""
    token = reader.at(place)
    rounding = _rounding(reader, place)
    if rounding is not None:
        return rounding
    if token.kind == "stop" and token.text in {"%", "$", '"'}:
        token, place = reader.at(place + 1), place + 1
    if token.kind in {"equal", "about"}:
        kind: LinkKind = "equal" if token.kind == "equal" else "about"
        after = place + 1
        for count in range(_LONGEST_GAP):
            following = reader.at(after + count)
            if following.kind in {"number", "open", "unknown", "sign"}:
                return kind, after + count
            if following.kind in {"equal", "about"} and count:
                after += 1
                continue
            if following.kind not in {"word", "stop", "equal"} or following.text in {".", ";", "?", "!", "\n"}:
                return None
            filler = following.text.casefold() in _FILLERS or following.text in {"$", ":", '"'}
            if not filler and not _another_equal(reader, after + count):
                return None
        return None
    return _said(reader, place) if compound else None


def _another_equal(reader: ExpressionReader, place: int) -> bool:
    """Whether a name stands here, between two equals: "3 * 4 = number of eggs = 12"."""
    for count in range(_LONGEST_GAP):
        token = reader.at(place + count)
        if token.kind == "equal":
            return True
        if token.kind != "word":
            return False
    return False


def _said(reader: ExpressionReader, place: int) -> tuple[LinkKind, int] | None:
    """Read "… is 48", ", which gives 48", "to get 48" after a computed expression."""
    comma = False
    for count in range(_LONGEST_GAP):
        token = reader.at(place + count)
        lower = token.text.casefold()
        after = reader.at(place + count + 1).text.casefold()
        if token.kind == "stop" and token.text == "," and not comma:
            comma = True
            continue
        if token.kind != "word":
            return None
        if lower in _VERBS or (lower, after) in _VERB_PAIRS or (lower.endswith("'s") and lower in {"that's", "it's"}):
            return _filled(reader, place + count + (2 if (lower, after) in _VERB_PAIRS else 1))
        if lower in _SUBJECTS:
            continue
        if comma or lower in BREAK_WORDS:
            return None
    return None


def _filled(reader: ExpressionReader, place: int) -> tuple[LinkKind, int] | None:
    for count in range(5):
        token = reader.at(place + count)
        if token.kind == "number" and token.number is not None and token.number.kind != "multiplier":
            return "said", place + count
        if token.text.casefold() not in _FILLERS and token.text not in {":", "$"}:
            return None
    return None


def _rounding(reader: ExpressionReader, place: int) -> tuple[LinkKind, int] | None:
    """Read ", rounded up to 7", "which rounds to 7", "≈ 7", "or about 7" after a value."""
    found = False
    kind: LinkKind = "about"
    for count in range(9):
        token = reader.at(place + count)
        lower = token.text.casefold()
        if lower in _ROUND and reader.at(place + count + 1).text.casefold() in _ROUND_AFTER:
            found = True
        elif found and lower in {"up", "down"}:
            kind = "up" if lower == "up" else "down"
        elif token.kind == "number" and found:
            return kind, place + count
        elif token.kind == "stop" and token.text in {",", "("} and not found:
            continue
        elif (
            token.kind not in {"word", "open", "equal"} or (not found and count > 4) or token.text == "=" and not found
        ):
            return None
    return None


def _label(tokens: Sequence[Token], place: int) -> str | None:
    """Return the last noun before "=" or ":" where a chain follows it."""
    before = tokens[place - 1] if place else None
    if before is None or (before.kind != "equal" and before.text not in {":", "$"}):
        return None
    at = place - (3 if before.text == "$" else 2)
    word = tokens[at] if at >= 0 else None
    if word is None or word.kind != "word" or len(word.text) <= 2 or singular(word.text) in LABEL_WORDS:
        return None
    return singular(word.text)
