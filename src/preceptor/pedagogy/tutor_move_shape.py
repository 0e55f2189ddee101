"""A reply reduced to its shape: words of our own list in their order, and for all others where they come from.

"How many lemons are in 6 crates?" becomes `how many @problem are in #problem @problem ?`. What is said of one problem
so tells of another, and no word of a learner or tutor that is not on the list is kept.
"""

from __future__ import annotations

import re
import tomllib
from fractions import Fraction
from functools import lru_cache
from importlib.resources import files

from preceptor.maths.text_numbers import find_numbers
from preceptor.pedagogy.turn_context import TurnContext

GRAM = "gram "
"""What the name of a feature of the shape begins with."""
LONGEST = 3
"""Tokens in a row that are looked at. (2 and 4 are no better on folds)"""
_TOKEN = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?|[^\W\d_]+(?:'[a-z]+)?|[?!.,=+\-*/%:;()$£€]")
_WORD = re.compile(r"[a-z]+")
_ENDINGS = ("s", "es", "ed", "d", "ing")


@lru_cache(maxsize=1)
def tutor_words() -> frozenset[str]:
    """Return our own list of plain words."""
    text = files("preceptor.pedagogy").joinpath("tutor_words.toml").read_text(encoding="utf-8")
    return frozenset(tomllib.loads(text)["words"].split())


def shape_features(reply: str, context: TurnContext) -> dict[str, float]:
    """Return 1 for each run of up to `LONGEST` tokens of the shape."""
    tokens = shape_of(reply, context)
    return {
        GRAM + " ".join(tokens[start : start + size]): 1.0
        for size in range(1, LONGEST + 1)
        for start in range(len(tokens) - size + 1)
    }


def shape_of(reply: str, context: TurnContext) -> list[str]:
    """Return the tokens of a reply's shape; words and numbers off the list say only who said them before."""
    sources = _Sources(context)
    found = ["<"]
    for token in _TOKEN.findall(reply.replace("’", "'")):
        shown = sources.number(token) if token[0].isdigit() else sources.word(token.casefold())
        if not (shown.startswith("@") and found[-1] == shown):
            found.append(shown)
    return [*found, ">"]


def plain_shape(reply: str) -> list[str]:
    """Return the tokens of a reply's shape where nobody is asked who said them before: other words `@`, numbers `#`."""
    found = ["<"]
    for token in _TOKEN.findall(reply.replace("’", "'")):
        shown = "#" if token[0].isdigit() else _plain(token.casefold())
        if not (shown in {"@", "#"} and found[-1] == shown):
            found.append(shown)
    return [*found, ">"]


class _Sources:
    """Where words and numbers of a reply come from."""

    def __init__(self, context: TurnContext) -> None:
        graph = context.graph
        earlier = " ".join(f"{turn.learner} {turn.tutor or ''}" for turn in context.history)
        self._numbers = (
            ("#problem", _values(context.problem.text)),
            ("#answer", {graph.answer} if graph and graph.answer is not None else set()),
            ("#learner", _values(context.utterance)),
            ("#earlier", _values(earlier)),
            ("#step", {node.value for node in graph.nodes} if graph else set()),
        )
        self._words = (
            ("@problem", set(_WORD.findall(context.problem.text.casefold()))),
            ("@learner", set(_WORD.findall(context.utterance.casefold()))),
        )

    def number(self, token: str) -> str:
        value = Fraction(token.replace(",", ""))
        return next((name for name, values in self._numbers if value in values), "#new")

    def word(self, word: str) -> str:
        shown = _plain(word)
        if shown != "@":
            return shown
        return next((name for name, words in self._words if word in words), "@other")


def _plain(word: str) -> str:
    if not word[0].isalpha():
        return "$" if word in "£€" else word
    return word if _listed(word) else "@"


@lru_cache(maxsize=4096)
def _listed(word: str) -> bool:
    listed = tutor_words()
    return word in listed or any(word.endswith(end) and word[: -len(end)] in listed for end in _ENDINGS)


def _values(text: str) -> set[Fraction]:
    return {number.value for number in find_numbers(text)}
