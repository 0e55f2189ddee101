"""What can be counted about a message before anything is made of it: words, runs of letters, kinds of word, shape.

The same in six languages: words of one kind in all of them (`word_classes.toml`) let what was learnt from lines of one
language count in another. Names of features are hashed, so that a head is a table of numbers and no list of words.
"""

from __future__ import annotations

import math
import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from preceptor.messages.tokens import fold, is_chinese, tokens_of
from preceptor.messages.word_classes import classes_in

N_BUCKETS = 1 << 14
"""Columns of a head. (chosen: a power of two; twice as many made no difference on folds)"""
LONGEST_READ = 400
"""Characters of a message that are read. (chosen: five lines, as for questions about the record)"""

_LENGTH = {"word": 0.7, "pair": 0.5, "run": 0.7, "kind": 1.2, "order": 0.7, "shape": 1.0}
"""Length of each family's part of a row, whatever the number of its features."""
_RUNS = (3, 4, 5)
_LONGEST_WORD = 24
_MOST_KINDS = 24

_SHAPE = {
    name: re.compile(pattern, re.MULTILINE)
    for name, pattern in {
        "ends in question": r"[?？؟]\s*\Z",
        "question": r"[?？؟]",
        "exclaims": r"[!！]",
        "lines": r"\n",
        "digit": r"\d",
        "equals": r"=",
        "calculation": r"\d\s*[-+*/^:×÷]\s*\d",
        "code": r"[{}();]\s*$|\w\(|==|\+\+|<<|\w\.\w+\(|^\s{2,}\w",
        "quotes": r"[\"“”«»„]",
        "colon": r"[:：]",
        "arrow": r"->|→",
        "named error": r"[A-Z]\w+(?:Error|Exception)",
        "one capital": r"\b[A-Z]\b",
        "valued node": r"\b[A-Z]\s?\(\d",
        "numbers in a row": r"\d+[ ,;]+\d+[ ,;]+\d+",
        "letters in a row": r"\b\w\b,? \b\w\b,? \b\w\b",
        "number first": r"\A\W*\d",
        "number last": r"\d\W*\Z",
        "number asked": r"\d\s*\w{0,3}\s*[?？؟]",
    }.items()
}


@dataclass(frozen=True, kw_only=True)
class MessageRow:
    """The features of one message."""

    columns: NDArray[np.intp]
    """Buckets, in [0, N_BUCKETS); one may come twice."""
    values: NDArray[np.float64]
    """Of the same shape, all above 0."""


@lru_cache(maxsize=8)
def message_row(text: str) -> MessageRow:
    """Return the features of a message's first `LONGEST_READ` characters; the last few are kept: a turn asks again."""
    columns: list[int] = []
    values: list[float] = []
    for family, names in _families(text[:LONGEST_READ]):
        apart = set(names)
        if apart:
            value = _LENGTH[family] / math.sqrt(len(apart))
            columns += [zlib.crc32(f"{family} {name}".encode()) % N_BUCKETS for name in sorted(apart)]
            values += [value] * len(apart)
    return MessageRow(columns=np.array(columns, dtype=np.intp), values=np.array(values, dtype=np.float64))


def shapes_in(text: str) -> frozenset[str]:
    """Return the names of the shapes that a text has: "code", "valued node", "numbers in a row" and so on."""
    return frozenset(name for name, pattern in _SHAPE.items() if pattern.search(text))


def _families(text: str) -> Iterator[tuple[str, Iterable[str]]]:
    tokens = ["0" if one[0].isdecimal() else one for one in tokens_of(fold(text))]
    yield "word", tokens
    yield "pair", (f"{one} {other}" for one, other in zip(["^", *tokens], [*tokens, "$"], strict=True))
    yield "run", _runs(tokens)
    kinds = classes_in(tokens)
    apart = sorted(set(kinds))[:_MOST_KINDS]
    yield "kind", [*apart, *(f"{one}+{other}" for i, one in enumerate(apart) for other in apart[i + 1 :])]
    yield "order", (f"{one}>{other}" for one, other in zip(["^", *kinds], [*kinds, "$"], strict=True))
    shapes = shapes_in(text)
    size = min(6, (len(tokens) + 1).bit_length())
    yield "shape", [f"size {size}", *(name for name in _SHAPE if name in shapes)]


def _runs(tokens: list[str]) -> Iterator[str]:
    """Yield runs of letters inside each word, and of up to three Chinese characters that stand together."""
    line = ""
    for token in [*tokens, " "]:
        if is_chinese(token):
            line += token
            continue
        for size in (1, 2, 3):
            yield from (line[start : start + size] for start in range(len(line) - size + 1))
        line = ""
        if token[0].isalpha():
            word = f"_{token[:_LONGEST_WORD]}_"
            for size in _RUNS:
                yield from (word[start : start + size] for start in range(len(word) - size + 1))
