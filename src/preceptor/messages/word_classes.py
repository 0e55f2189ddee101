"""Kinds of word that matter for what a message is, in six languages: `word_classes.toml`, read once."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from importlib import resources

from preceptor.messages.tokens import fold, is_arabic, is_chinese, tokens_of

LATIN = ("en", "es", "fr", "de")
"""Languages that share a script, told apart by their small words."""
_ARTICLE = re.compile(r"^[وفبلك]?ال(?=..)")
_JOINED = "وفبلك"
"""Letters that Arabic writes at the front of the next word."""
_SHORTEST_BEGINNING = 2


@dataclass(frozen=True, kw_only=True)
class _Entries:
    """The entries of one language, by what they begin with."""

    words: dict[str, list[str]] = field(default_factory=dict)
    beginnings: dict[str, list[str]] = field(default_factory=dict)
    phrases: dict[str, list[tuple[tuple[str, ...], bool, str]]] = field(default_factory=dict)
    """First token → the tokens after it, whether the last is only a beginning, the class."""


def classes_in(tokens: list[str]) -> list[str]:
    """Return the kinds of word in a message, in its order; a word may be of several, and one may come again.

    Args:
        tokens: Tokens of the folded text (`tokens.tokens_of`).
    """
    tables = [_entries(language) for language in languages_of(tokens)]
    bare = [_bare(token) for token in tokens]
    found: list[str] = []
    for place in range(len(tokens)):
        names: dict[str, None] = {}
        for table in tables:
            for word in _forms(tokens[place], bare[place]):
                _look_up(table, word, bare, place, names)
        found += names
    return found


def languages_of(tokens: list[str]) -> tuple[str, ...]:
    """Return the languages whose words are looked for: by script, then by small words; all of them where none is."""
    scripts = [code for code, is_of in (("ar", is_arabic), ("zh", is_chinese)) if any(map(is_of, tokens))]
    small = _small_words()
    counts = Counter({code: sum(token in small[code] for token in tokens) for code in LATIN})
    most = max(counts.values())
    latin = [] if scripts and not most else [code for code in LATIN if counts[code] == most]
    return ("any", *scripts, *latin)


def _look_up(table: _Entries, word: str, bare: list[str], place: int, names: dict[str, None]) -> None:
    names.update(dict.fromkeys(table.words.get(word, ())))
    for size in range(_SHORTEST_BEGINNING, len(word) + 1):
        names.update(dict.fromkeys(table.beginnings.get(word[:size], ())))
    for rest, is_beginning, name in table.phrases.get(word, ()):
        if name not in names and _follows(bare, place + 1, rest, is_beginning):
            names[name] = None


def _follows(bare: list[str], start: int, rest: tuple[str, ...], is_beginning: bool) -> bool:
    there = bare[start : start + len(rest)]
    if len(there) < len(rest) or tuple(there[:-1]) != rest[:-1]:
        return False
    return there[-1].startswith(rest[-1]) if is_beginning else there[-1] == rest[-1]


def _bare(token: str) -> str:
    """Return an Arabic word without its article; other words as they are."""
    return _ARTICLE.sub("", token) if is_arabic(token) else token


def _forms(token: str, bare: str) -> tuple[str, ...]:
    if len(token) > 3 and token[0] in _JOINED:
        return tuple(dict.fromkeys((bare, token[1:])))
    return (bare,)


@cache
def _raw() -> dict[str, dict[str, str]]:
    text = (resources.files(__package__) / "word_classes.toml").read_text(encoding="utf-8")
    raw: dict[str, dict[str, str]] = tomllib.loads(text)
    return raw


@cache
def _small_words() -> dict[str, frozenset[str]]:
    return {code: frozenset(fold(row).split()) for code, row in _raw()["small"].items()}


@cache
def _entries(language: str) -> _Entries:
    table = _Entries()
    for name, rows in _raw().items():
        if name != "small":
            for entry in dict.fromkeys(rows.get(language, "").split()):
                _add(table, name, entry)
    return table


def _add(table: _Entries, name: str, entry: str) -> None:
    is_beginning = entry.endswith("*") and not entry.endswith("_*")
    text = entry.removesuffix("*") if is_beginning else entry
    first, *rest = (_bare(token) for token in tokens_of(fold(text.replace("_", " "))))
    if rest:
        table.phrases.setdefault(first, []).append((tuple(rest), is_beginning, name))
    elif is_beginning:
        table.beginnings.setdefault(first, []).append(name)
    else:
        table.words.setdefault(first, []).append(name)
