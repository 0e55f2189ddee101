"""The words that find a memory: without endings, numbered by a digest, so that an index holds no readable text.

Cut as the record's own search words are; then an ending goes, by language: English by Porter's rules (M. F. Porter,
An algorithm for suffix stripping, 1980), Spanish, French, German and Arabic by the short lists of `word_forms.toml`.
"""

from __future__ import annotations

import re
import tomllib
import zlib
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources

from preceptor.record.search_words import word_runs

_DOUBLED = re.compile(r"([^aeioulsz])\1$")
_VOWEL = re.compile(r"[aeiou]|(?<=[^aeiou])y")
_STEPS_2 = (
    ("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"), ("abli", "able"),
    ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous"), ("ization", "ize"), ("ation", "ate"),
    ("ator", "ate"), ("alism", "al"), ("iveness", "ive"), ("fulness", "ful"), ("ousness", "ous"), ("aliti", "al"),
    ("iviti", "ive"), ("biliti", "ble"),
)  # fmt: skip
_STEPS_3 = (
    ("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""), ("ness", ""),
)  # fmt: skip
_STEPS_4 = (
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ou", "ism", "ate", "iti", "ous",
    "ive", "ize",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class WordTable:
    """One language's rows of `word_forms.toml`."""

    silent: frozenset[str]
    """Words that say nothing about a subject: articles, pronouns, auxiliaries, question words."""
    endings: tuple[str, ...]
    """Taken off once, the first that fits; empty: none, or English."""
    beginnings: tuple[str, ...]
    """Taken off before the ending: the Arabic article."""


@cache
def word_table(language: str) -> WordTable | None:
    """Return a language's rows; `None`: there are none.

    Args:
        language: BCP 47; only its first part counts.
    """
    row = _tables().get(language.split("-")[0].lower())
    if row is None:
        return None
    silent = frozenset(word for word in word_runs(str(row["silent"])))
    return WordTable(
        silent=silent,
        endings=tuple(row.get("endings", "").split()),
        beginnings=tuple(row.get("beginnings", "").split()),
    )


@cache
def _tables() -> dict[str, dict[str, str]]:
    return tomllib.loads(resources.files(__package__).joinpath("word_forms.toml").read_text(encoding="utf-8"))


@lru_cache(maxsize=65536)
def word_form(word: str, language: str) -> str:
    """Return a word without its ending: "mitosis" and "mitoses" may differ, "triangles" and "triangle" do not.

    Args:
        word: Folded, as `word_runs` cuts it.
        language: The language of the text it stands in, BCP 47.
    """
    code = language.split("-")[0].lower()
    if code == "en":
        return _porter(word)
    table = word_table(code)
    if table is None or not word.isalpha():
        return word
    for beginning in table.beginnings:
        if word.startswith(beginning) and len(word) - len(beginning) >= 3:
            word = word[len(beginning) :]
            break
    for ending in table.endings:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


@lru_cache(maxsize=65536)
def word_number(form: str) -> int:
    """Return the number that stands for a word's form, its CRC-32: of 20,000 words two share one in 5 % of cases."""
    return zlib.crc32(form.encode())


def content_words(text: str, language: str) -> tuple[str, ...]:
    """Return the distinct folded words of a question that are about something, in order; may be empty."""
    table = word_table(language)
    silent = table.silent if table else frozenset()
    words = (word for word in word_runs(text) if word not in silent and (len(word) > 1 or not word.isascii()))
    return tuple(dict.fromkeys(words))


def _porter(word: str) -> str:
    if len(word) <= 2 or not word.isascii() or not word.isalpha():
        return word
    word = _plural(word)
    word = _past(word)
    if word.endswith("y") and _VOWEL.search(word[:-1]):
        word = word[:-1] + "i"
    for ending, short in _STEPS_2:
        if word.endswith(ending):
            word = word[: -len(ending)] + short if _measure(word[: -len(ending)]) > 0 else word
            break
    for ending, short in _STEPS_3:
        if word.endswith(ending):
            word = word[: -len(ending)] + short if _measure(word[: -len(ending)]) > 0 else word
            break
    word = _last_ending(word)
    return _last_letter(word)


def _plural(word: str) -> str:
    for ending, short in (("sses", "ss"), ("ies", "i"), ("ss", "ss"), ("s", "")):
        if word.endswith(ending):
            return word[: -len(ending)] + short
    return word


def _past(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for ending in ("ed", "ing"):
        stem = word[: -len(ending)]
        if word.endswith(ending) and _VOWEL.search(stem):
            if stem.endswith(("at", "bl", "iz")):
                return stem + "e"
            if _DOUBLED.search(stem):
                return stem[:-1]
            return stem + "e" if _measure(stem) == 1 and _is_short(stem) else stem
    return word


def _last_ending(word: str) -> str:
    for ending in sorted(_STEPS_4, key=len, reverse=True):
        if word.endswith(ending):
            return word[: -len(ending)] if _measure(word[: -len(ending)]) > 1 else word
    if word.endswith("ion") and word[-4:-3] in {"s", "t"} and _measure(word[:-3]) > 1:
        return word[:-3]
    return word


def _last_letter(word: str) -> str:
    if word.endswith("e"):
        stem = word[:-1]
        if _measure(stem) > 1 or (_measure(stem) == 1 and not _is_short(stem)):
            word = stem
    if word.endswith("ll") and _measure(word) > 1:
        word = word[:-1]
    return word


def _measure(stem: str) -> int:
    """Return how often a consonant follows a vowel in it."""
    pattern = "".join("v" if _is_vowel(stem, i) else "c" for i in range(len(stem)))
    return len(re.findall("v+c+", pattern))


def _is_vowel(word: str, i: int) -> bool:
    return word[i] in "aeiou" or (word[i] == "y" and i > 0 and not _is_vowel(word, i - 1))


def _is_short(stem: str) -> bool:
    """Whether it ends consonant, vowel, consonant, the last not w, x or y."""
    if len(stem) < 3 or stem[-1] in "wxy":
        return False
    return not _is_vowel(stem, len(stem) - 1) and _is_vowel(stem, len(stem) - 2) and not _is_vowel(stem, len(stem) - 3)
