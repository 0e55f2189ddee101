"""What builds on what, read from definitions: B builds on A where A's name helps to say what B is.

The direction is B → A, "learn A before B"; a test pins it, since the seed once had it reversed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from preceptor.concepts.canonical_key import canonical_key, key_words
from preceptor.concepts.concept_name import clean_name, refusal
from preceptor.concepts.material_text import Line, unmarked

MAX_PREREQUISITES = 4
"""Of one concept in one reading, the nearest ones. (chosen)"""
MAX_ASSUMED = 3
_ASSUMES: dict[str, str] = {
    "en": r"(?:prerequisites?|requires?|required knowledge|you should (?:already )?(?:know|be familiar with)|"
    r"assumes? (?:familiarity with|"
    r"knowledge of|that you know)|familiarity with|recall (?:the (?:concept|definition|notion) of|what)|"
    r"builds? on|knowledge of)[:\s]+(?P<t>[^.;:()]{3,120})",
    "es": r"(?:prerrequisitos?|requisitos previos|se supone conocid[oa]|"
    r"debes conocer|requiere conocer|conocimientos? de)[:\s]+(?P<t>[^.;:()]{3,120})",
    "fr": r"(?:prérequis|pré-requis|on suppose connue?s?|"
    r"il faut connaître|connaissances? de)[:\s]+(?P<t>[^.;:()]{3,120})",
    "de": r"(?:voraussetzung(?:en)?|setzt voraus|vorkenntnisse|kenntnis(?:se)? (?:von|der|des)|"
    r"baut auf)[:\s]+(?P<t>[^.;:()]{3,120})",
    "ar": r"(?:المتطلبات السابقة|يتطلب معرفة|يفترض معرفة|معرفة مسبقة ب)[:\s]*(?P<t>[^.؛:()]{3,120})",
    "zh": r"(?:前置知识|预备知识|需要了解|要求掌握|请参考|基于)[：:\s]*(?P<t>[^。；：()（）]{2,60})",
}
_PARTS = re.compile(r",|،|、|\band\b|\by\b|\bet\b|\bund\b|\bor\b|和|与|\sو(?=ال)")


@dataclass(frozen=True, kw_only=True)
class TermUse:
    """A concept as its file introduces it."""

    key: str
    place: int
    """Where the file first uses its name."""
    introduced: int
    """Where the file introduces it."""
    definition: str | None
    """The sentence that says what it is."""


def builds_on(terms: Sequence[TermUse], language: str) -> Mapping[str, tuple[str, ...]]:
    """Return for each concept's key the keys it builds on, the strongest first, at most `MAX_PREREQUISITES`.

    B builds on A where A's name is part of B's ("weighted graph" on "graph"), or where the sentence that defines B
    uses A and A was used or introduced before it. A longer name hides the shorter one inside it. Where two
    concepts use each other, the one introduced first is the prerequisite.
    """
    found: dict[str, dict[str, float]] = {term.key: {} for term in terms}
    known = {term.key: term for term in terms}
    for term in terms:
        for other in inside(term.key, known):
            found[term.key][other] = 2.0
        if term.definition is None:
            continue
        own = set(key_words(term.key, language))
        for other in named_in(term.definition, list(known), language):
            earlier = known[other].place < term.introduced or known[other].introduced < term.introduced
            if other != term.key and earlier and not own >= set(key_words(other, language)) - {""}:
                found[term.key].setdefault(other, 1.5)
    for key, others in found.items():
        for other in list(others):
            back = found[other].get(key)
            if back is None or others[other] > back:
                continue
            if back > others[other] or known[key].introduced <= known[other].introduced:
                del others[other]
    return {
        key: tuple(sorted(others, key=lambda other: -others[other])[:MAX_PREREQUISITES])
        for key, others in found.items()
    }


def named_in(text: str, keys: Sequence[str], language: str) -> tuple[str, ...]:
    """Return which keys a text names as whole words, in order; the longest name at a place wins."""
    words = " " + " ".join(key_words(unmarked(text), language)) + " "
    taken: list[tuple[int, int, str]] = []
    for key in sorted(keys, key=len, reverse=True):
        needle = " " + " ".join(key_words(key, "")) + " "
        at = words.find(needle)
        while at >= 0:
            start, end = at + 1, at + len(needle) - 1
            if all(end <= other[0] or start >= other[1] for other in taken):
                taken.append((start, end, key))
            at = words.find(needle, at + 1)
    return tuple(dict.fromkeys(key for _, _, key in sorted(taken)))


def assumed_in(lines: Iterable[Line], terms: Sequence[TermUse], language: str) -> Mapping[str, tuple[str, ...]]:
    """Return for each concept's key what the file says it takes for known and does not itself introduce."""
    primary = language.split("-")[0].lower()
    pattern = re.compile(_ASSUMES.get(primary, _ASSUMES["en"]), re.IGNORECASE)
    known = {term.key for term in terms}
    ordered = sorted(terms, key=lambda term: term.introduced)
    out: dict[str, list[str]] = {}
    for line in lines:
        if line.kind not in {"prose", "entry"} or line.exercise:
            continue
        for match in pattern.finditer(unmarked(line.text)):
            # What a file demands before it names any concept is demanded by its first one.
            holder = next(
                (term for term in reversed(ordered) if term.introduced <= line.place), ordered[0] if ordered else None
            )
            for name in map(_short, _PARTS.split(match["t"])):
                key = canonical_key(name, language)
                if holder and key and key not in known and refusal(name, language) is None:
                    names = out.setdefault(holder.key, [])
                    if name not in names and len(names) < MAX_ASSUMED:
                        names.append(name)
    return {key: tuple(names) for key, names in out.items()}


def _short(text: str) -> str:
    """Return a listed name without what is wrapped around it; one of more than four words is not one."""
    name = clean_name(re.sub(r"^(?:the|basic|some|a|an|how to)\s+", "", text.strip(), flags=re.IGNORECASE))
    return name if len(name.split()) <= 4 else ""


def inside(key: str, known: Iterable[str]) -> tuple[str, ...]:
    """Return the keys whose words stand together inside a key, the longest only."""
    inner = [other for other in known if other != key and _contains(key, other)]
    return tuple(one for one in inner if not any(one != other and _contains(other, one) for other in inner))


def _contains(key: str, other: str) -> bool:
    return f" {' '.join(key_words(other, ''))} " in f" {' '.join(key_words(key, ''))} "
