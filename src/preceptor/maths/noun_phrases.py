"""The counted thing beside a number: a small reader of noun phrases, by word lists and plural endings.

It is a heuristic, not a parser: a noun is evidence to compare, never proof.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

STOP_WORDS: frozenset[str] = frozenset(
    """
    a an the and or but so then if when while because since as than that this these those which who whom whose what
    how why where there here it its he she they we you i him her them us me his their our your my is are was were be
    been being am has have had having do does did will would can could should may might must shall not no nor
    to from by with without for of in on at into onto out off up down over under after before during until till per
    between among through about around against along across within except
    each every both all any some such only also just even still too very really
    plus minus times divided multiplied equals equal makes make made gives give gave given gets get got leaves leave
    left remaining remain remains total altogether together combined overall
    bought buy buys sold sell sells ate eat eats used use uses spent spend spends took take takes came come comes
    went go goes paid pay pays cost costs needs need needed wants want wanted costing weighing earned earn earns
    lost lose loses found find finds saved save saves started start starts ended now today yesterday tomorrow
    ago again later first second third next last therefore thus hence however let lets know see say said means mean
    instead already away back apiece daily weekly monthly yearly x like
    """.split()
)
"""English words that end a noun phrase after a number."""

TALK_WORDS: frozenset[str] = frozenset(
    """
    answer result total solution sum product quotient number value amount calculation equation expression
    respuesta resultado solución número réponse résultat nombre antwort ergebnis lösung zahl
    """.split()
)
"""Words about the talk itself: "the answer: 67" counts no answers."""

LABEL_WORDS: frozenset[str] = TALK_WORDS | frozenset(
    "step question problem part line equals difference mean final altogether".split()
)
"""Words that before a colon or an equals sign name no counted thing either, though after a number they may."""

_MODIFIERS: frozenset[str] = frozenset(
    """
    more fewer less other additional extra new old big small large little long short tall full whole half empty same
    different red blue green yellow white black pink purple orange brown grey gray golden silver
    fresh frozen hot cold free single double regular remaining original initial final average
    """.split()
)
_IRREGULAR: dict[str, str] = {
    "children": "child",
    "men": "man",
    "women": "woman",
    "people": "person",
    "feet": "foot",
    "teeth": "tooth",
    "geese": "goose",
    "mice": "mouse",
    "oxen": "ox",
    "knives": "knife",
    "wives": "wife",
    "lives": "life",
    "leaves": "leaf",
    "loaves": "loaf",
    "shelves": "shelf",
    "halves": "half",
    "wolves": "wolf",
    "scarves": "scarf",
    "dice": "die",
    "pence": "penny",
    "movies": "movie",
    "cookies": "cookie",
    "brownies": "brownie",
    "pies": "pie",
    "ties": "tie",
    "calories": "calorie",
    "shoes": "shoe",
    "toes": "toe",
    "axes": "axe",
    "buses": "bus",
    "gases": "gas",
    "lenses": "lens",
    "selfies": "selfie",
    "zombies": "zombie",
    "smoothies": "smoothie",
    "hoodies": "hoodie",
}
_UNCHANGED = frozenset(
    "glass class grass dress boss gas bus plus lens series species news mathematics chess bass".split()
)


@lru_cache(maxsize=4096)
def singular(word: str) -> str:
    """Return the singular of an English noun in lower case, by rule: "boxes" → "box", "berries" → "berry"."""
    word = word.casefold()
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) < 4 or word in _UNCHANGED or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith("es") and word[:-2].endswith(("ch", "sh", "ss", "x", "zz", "o")):
        return word[:-2]
    return word[:-1]


def head_noun(words: Sequence[str]) -> tuple[str, int] | None:
    """Return the counted noun among the words after a number, singular, and its place; `None`: none is seen.

    The first plural within three words of the same phrase wins ("3 red toy cars" → "car"), else its last word
    that is no modifier ("1 red car" → "car").
    """
    candidates: list[tuple[int, str]] = []
    for place, word in enumerate(words[:5]):
        lower = word.casefold()
        if lower in STOP_WORDS or singular(lower) in TALK_WORDS or not lower.isalpha() and "-" not in lower:
            break
        if lower in _MODIFIERS:
            continue
        candidates.append((place, lower))
        if len(candidates) == 3:
            break
    for place, lower in candidates:
        if singular(lower) != lower:
            return singular(lower), place
    return (candidates[0][1], candidates[0][0]) if candidates else None
