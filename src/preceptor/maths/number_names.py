"""What stands after a number in a text: its unit, or the thing that it counts."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal

from preceptor.maths.noun_phrases import head_noun
from preceptor.maths.units import find_unit

NumberKind = Literal["number", "percent", "money", "time", "ordinal", "multiplier"]

WORDS_AFTER = re.compile(r"\s?-?\s*([^\W\d_]+(?:[-'][^\W\d_]+)*)")
"""The next word after a place."""
_NO_UNIT = frozenset("in a t l h c as an at may so no d e second seconds quarter quarters".split())
_SHORT_AFTER = re.compile(r"\s?([A-Za-z°¢\"']{1,4}[23]?(?:/[A-Za-z]{1,3})?)(?![A-Za-z'])|\s?([一-鿿]{1,4})")
_MONEY_DIMENSION = frozenset({"$", "¢", "€", "£", "¥", "元", "角", "分"})
_CLOCK = re.compile(r"\s?(?:a\.m\.|p\.m\.|am\b|pm\b|AM\b|PM\b|o'clock)")


def unit_after(text: str, end: int) -> tuple[str | None, NumberKind]:
    """Return the symbol of the unit that follows a place, and what kind of number that makes."""
    if _CLOCK.match(text, end):
        return None, "time"
    words = _next_words(text, end, 3)
    for count in (3, 2, 1):
        if len(words) < count or (count == 1 and words[0].casefold() in _NO_UNIT):
            continue
        if count > 1 and words[0].casefold() not in _UNIT_STARTS:
            continue
        symbol = _symbol(" ".join(words[:count]))
        if symbol:
            return symbol, "money" if _is_money(symbol) else "number"
    short = _SHORT_AFTER.match(text, end)
    if short:
        name = short.group(1) or short.group(2)
        lengths = range(len(name), 0, -1) if short.group(2) else (len(name),)
        for length in lengths:
            if name[:length].casefold() in _NO_UNIT:
                continue
            symbol = _symbol(name[:length])
            if symbol:
                return symbol, "money" if _is_money(symbol) else "number"
    return None, "number"


_UNIT_STARTS = frozenset("square cubic sq cu fluid miles kilometers kilometres meters metres km feet gallons".split())


@lru_cache(maxsize=8192)
def _symbol(name: str) -> str | None:
    unit = find_unit(name)
    return unit.symbol if unit else None


@lru_cache(maxsize=512)
def _is_money(symbol: str) -> bool:
    unit = find_unit(symbol)
    return symbol in _MONEY_DIMENSION or bool(
        unit and len(unit.dimension) == 1 and unit.dimension[0][0] not in _PHYSICAL
    )


_PHYSICAL = frozenset({"length", "mass", "time", "angle", "current", "amount", "temperature"})


def _next_words(text: str, end: int, limit: int) -> list[str]:
    words: list[str] = []
    while len(words) < limit:
        following = WORDS_AFTER.match(text, end)
        if following is None or following.start(1) - end > 2:
            break
        words.append(following.group(1))
        end = following.end()
    return words


def noun_after(text: str, end: int) -> str | None:
    """Return the counted thing that follows a place; `None`: none is seen."""
    if text[end : end + 1] == "-":
        return None
    chinese = _ZH_NOUN.match(text, end)
    if chinese:
        return chinese.group(1)
    found = head_noun(_next_words(text, end, 5))
    if found is None or (not found[0].isascii() and len(found[0]) > 4 and "\u4e00" <= found[0][0] <= "\u9fff"):
        return None
    return found[0]


_ZH_NOUN = re.compile(r"\s?[个只本支枝张条块件辆匹头把瓶盒箱袋包棵朵名位人种双对套台次篇页道排层组份根]([一-鿿]{1,2})")
