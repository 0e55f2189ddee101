"""Porter's stemmer for English words: `adding`, `added` and `adds` become one term.

Source: Porter, An algorithm for suffix stripping, Program 14 (1980), 130-137, with the two departures its author made
later (`logi` → `log`, `bli` → `ble`).
"""

from __future__ import annotations

import re
from functools import lru_cache

_CONSONANT = "(?:[bcdfghjklmnpqrstvwxz]|(?<![bcdfghjklmnpqrstvwxz])y|^y)"
_VOWEL = "(?:[aeiou]|(?<=[bcdfghjklmnpqrstvwxz])y)"
_ONE = re.compile(f"^{_CONSONANT}*{_VOWEL}+{_CONSONANT}")
_EXACTLY_ONE = re.compile(f"^{_CONSONANT}*{_VOWEL}+{_CONSONANT}+{_VOWEL}*$")
_TWO = re.compile(f"^{_CONSONANT}*{_VOWEL}+{_CONSONANT}+{_VOWEL}+{_CONSONANT}")
_HAS_VOWEL = re.compile(_VOWEL)
_DOUBLE = re.compile(r"([bcdfghjkmnpqrtvwx])\1$")
_SHORT = re.compile(f"^{_CONSONANT}+{_VOWEL}[bcdfghjklmnpqrstvz]$")

_SECOND = (
    ("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"), ("bli", "ble"),
    ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous"), ("ization", "ize"), ("ation", "ate"),
    ("ator", "ate"), ("alism", "al"), ("iveness", "ive"), ("fulness", "ful"), ("ousness", "ous"), ("aliti", "al"),
    ("iviti", "ive"), ("biliti", "ble"), ("logi", "log"),
)  # fmt: skip
_THIRD = (
    ("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""), ("ness", ""),
)  # fmt: skip
_FOURTH = (
    "ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate", "iti", "ous", "ive", "ize", "al",
    "er", "ic", "ou",
)  # fmt: skip


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """Return the stem of a lower-case word of English letters; words of one or two letters stay as they are."""
    if len(word) < 3:
        return word
    word = _endings(_past(_plural(word)))
    return _final(_fourth(_replace(_replace(word, _SECOND), _THIRD)))


def _plural(word: str) -> str:
    if word.endswith("sses") or word.endswith("ies"):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _past(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _ONE.match(word[:-3]) else word
    for ending in ("ed", "ing"):
        if word.endswith(ending) and _HAS_VOWEL.search(word[: -len(ending)]):
            return _mended(word[: -len(ending)])
    return word


def _mended(stem_: str) -> str:
    if stem_.endswith(("at", "bl", "iz")) or (_EXACTLY_ONE.match(stem_) and _SHORT.match(stem_)):
        return stem_ + "e"
    return stem_[:-1] if _DOUBLE.search(stem_) else stem_


def _endings(word: str) -> str:
    return word[:-1] + "i" if word.endswith("y") and _HAS_VOWEL.search(word[:-1]) else word


def _replace(word: str, table: tuple[tuple[str, str], ...]) -> str:
    for ending, new in table:
        if word.endswith(ending):
            rest = word[: -len(ending)]
            return rest + new if _ONE.match(rest) else word
    return word


def _fourth(word: str) -> str:
    if word.endswith("ion") and word[:-3].endswith(("s", "t")):
        return word[:-3] if _TWO.match(word[:-3]) else word
    for ending in _FOURTH:
        if word.endswith(ending):
            rest = word[: -len(ending)]
            return rest if _TWO.match(rest) else word
    return word


def _final(word: str) -> str:
    if word.endswith("e"):
        rest = word[:-1]
        if _TWO.match(rest) or (_ONE.match(rest) and not (_EXACTLY_ONE.match(rest) and _SHORT.match(rest))):
            word = rest
    return word[:-1] if word.endswith("ll") and _TWO.match(word[:-1]) else word
