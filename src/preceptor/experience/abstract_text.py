"""What an experience's words must be free of: the numbers, names and things of a problem, and what a learner wrote.

Strict on purpose: a good sentence refused costs one candidate, a leaked one cannot be called back. Every refusal
says which words, and why. Source: REAT, Appendix G.3 ("problem-agnostic"); the rules are ours (A23).
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from importlib.resources import files
from typing import Literal

from preceptor.domain.dialogue import Dialogue
from preceptor.domain.experience import Experience
from preceptor.domain.problem import Problem
from preceptor.maths.number_lexicon import NUMBER_WORDS
from preceptor.maths.text_numbers import TextNumber, find_numbers

FaultKind = Literal["digit", "symbol", "number_word", "variable", "name", "thing", "learner_words", "language"]

LEARNER_SPAN = 6
"""So many of a learner's words in a row are a quotation. (issue: no 6-word learner span)"""
LEARNER_CONTENT = 4
"""So many of a learner's content words in a row are one too. (issue: no learner 4-gram of content words)"""
FOREIGN_LETTERS = 0.1
"""Share of letters outside the Latin script above which the word lists cannot judge a text. (chosen)"""
LARGEST_PLAIN_NUMBER = 3
"""A number word up to here may count something of mathematics ("two quantities"). (chosen)"""

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_TOKEN = re.compile(r"[一-鿿぀-ヿ가-힣]|[^\W_一-鿿぀-ヿ가-힣]+")
_SYMBOL = re.compile(r"[=<>≤≥≠×÷±√$€£¥₹%°^*+∑∏∫]|(?<=\w)\s?/\s?(?=\w)|(?<!\w)-(?=\w)|(?<=\s)[-–−](?=\s\w+\s?=)")
_SENTENCE_START = re.compile(r"(?:^|[.!?:;…\n\[(\"“]\s*)$")
_FUNCTION = frozenset(
    "a an the and or but nor so yet of in on at to for from by with as is are was were be been being am do does "
    "did done have  has had having it its this that these those there here he she they we you i me him her them "
    "us my your his our their  who whom whose which what when where why how not no if then than too very can "
    "could will would shall should may might  must just also up down out off over into about".split()
)
_VOWELS = frozenset("aeiouy")


@dataclass(frozen=True, kw_only=True)
class Fault:
    """One reason to refuse a text."""

    kind: FaultKind
    words: str
    """The words that gave rise to it."""

    def __str__(self) -> str:
        """Say the fault in plain words."""
        return f"{_SAID[self.kind]}: {self.words!r}"


_SAID: dict[FaultKind, str] = {
    "digit": "a digit",
    "symbol": "a sign of a calculation",
    "number_word": "a number word bound to a problem",
    "variable": "a variable",
    "name": "a name",
    "thing": "a thing of the problem",
    "learner_words": "the learner's own words",
    "language": "not written in English letters",
}


@dataclass(frozen=True, kw_only=True)
class Surroundings:
    """What one turn's texts must not carry over: computed once a dialogue."""

    numbers: frozenset[Fraction]
    """Every number of the problem and of the learner's messages."""
    names: frozenset[str]
    """Words that are written with a capital within a sentence, lower case."""
    things: frozenset[str]
    """Stems of the problem's words that belong to no word list."""
    spans: frozenset[tuple[str, ...]]
    """The learner's word sequences of length `LEARNER_SPAN`."""
    content: frozenset[tuple[str, ...]]
    """The learner's content-word sequences of length `LEARNER_CONTENT`."""


NOWHERE = Surroundings(
    numbers=frozenset(), names=frozenset(), things=frozenset(), spans=frozenset(), content=frozenset()
)
"""No problem and no learner is known: digits, signs, number words, variables and names are still refused."""


def surroundings_of(
    problem: Problem | None, learner_texts: Iterable[str], other_texts: Iterable[str] = ()
) -> Surroundings:
    """Return what must not be carried over from one dialogue.

    Args:
        problem: Its text and solution; `None`: not known.
        learner_texts: Every learner message of the dialogue.
        other_texts: Further texts whose names must not appear, such as the tutor's replies.
    """
    learner = list(learner_texts)
    parts = [problem.text, problem.solution or ""] if problem else []
    stories = [*parts, *learner, *other_texts]
    language = problem.language if problem else "en"
    numbers = {number.value for text in (*parts, *learner) for number in find_numbers(text, language)}
    faces = {number.face for text in (*parts, *learner) for number in find_numbers(text, language)}
    tokens = [_tokens(text) for text in learner]
    return Surroundings(
        numbers=frozenset(numbers | faces),
        names=_names(stories),
        things=frozenset(stem for text in parts for stem in _things(text)),
        spans=frozenset(gram for sequence in tokens for gram in _grams(sequence, LEARNER_SPAN)),
        content=frozenset(gram for sequence in tokens for gram in _grams(_content(sequence), LEARNER_CONTENT)),
    )


def dialogue_surroundings(dialogue: Dialogue) -> Surroundings:
    """Return what must not be carried over from a dialogue: problem, learner, names in the tutor's replies."""
    return surroundings_of(
        dialogue.problem,
        [turn.learner for turn in dialogue.turns],
        [turn.tutor for turn in dialogue.turns if turn.tutor],
    )


def find_faults(text: str, around: Surroundings = NOWHERE) -> tuple[Fault, ...]:
    """Return every reason to refuse an abstract text; empty: it may be stored."""
    if _is_foreign(text):
        return (Fault(kind="language", words=text[:40]),)
    faults = [Fault(kind="digit", words=char) for char in text if unicodedata.category(char).startswith("N")]
    faults += [Fault(kind="symbol", words=match.group(0).strip()) for match in _SYMBOL.finditer(text)]
    faults += [
        Fault(kind="number_word", words=number.text) for number in find_numbers(text) if _is_bound(number, around)
    ]
    for match in _WORD.finditer(text):
        kind = _word_fault(match, text, around)
        if kind is not None:
            faults.append(Fault(kind=kind, words=match.group(0)))
    copied = _copied(text, around)
    if copied:
        faults.append(Fault(kind="learner_words", words=copied))
    return tuple(dict.fromkeys(faults))


def experience_faults(experience: Experience, around: Surroundings) -> tuple[Fault, ...]:
    """Return every reason to refuse an experience, over its sentence and all texts of its value."""
    texts = (experience.sentence, *experience.value.texts())
    return tuple(dict.fromkeys(fault for text in texts for fault in find_faults(text, around)))


def generality(text: str) -> float:
    """Return how general a text is: the share of its words that belong to the word lists, in [0, 1]."""
    words = [word.casefold() for word in _WORD.findall(text)]
    return sum(_is_listed(word) for word in words) / len(words) if words else 0.0


def content_words(text: str) -> list[str]:
    """Return a text's content words in order, lower case, without their English endings."""
    return _content(_tokens(text))


def listed_stem(word: str) -> str:
    """Return the stem of a word that is on the lists of mathematics, teaching and plain English; empty if it is not."""
    lower = word.casefold()
    return _stem(lower) if _is_listed(lower) and lower not in _FUNCTION else ""


def _word_fault(match: re.Match[str], text: str, around: Surroundings) -> FaultKind | None:
    word, lower = match.group(0), match.group(0).casefold()
    if lower in NUMBER_WORDS["en"]:
        return None
    if len(word) == 1 and lower not in {"a", "i"}:
        return "variable"
    listed = _is_listed(lower)
    if lower.split("'")[0].split("’")[0] in around.names and not listed:
        return "name"
    if _is_capital(word) and not _SENTENCE_START.search(text[: match.start()]):
        return "name"
    if _stem(lower) in around.things and not listed:
        return "thing"
    return None


def _is_bound(number: TextNumber, around: Surroundings) -> bool:
    """Whether a number word counts something of a problem; "two quantities" and "twice" alone do not."""
    if not number.is_word:
        return False
    words = number.text.casefold().split()
    if number.kind == "multiplier" or (number.fraction and words[-1].startswith("hal")) or words == ["one"]:
        return number.noun is not None and not _is_listed(number.noun) and _stem(number.noun) in around.things
    counts_maths = number.noun is not None and _is_listed(number.noun)
    return not counts_maths or number.value > LARGEST_PLAIN_NUMBER


def _copied(text: str, around: Surroundings) -> str:
    tokens = _tokens(text)
    for sequence, length, known in (
        (tokens, LEARNER_SPAN, around.spans),
        (_content(tokens), LEARNER_CONTENT, around.content),
    ):
        for gram in _grams(sequence, length):
            if gram in known:
                return " ".join(gram)
    return ""


def _names(texts: Sequence[str]) -> frozenset[str]:
    """Return words written with a capital within a sentence, and never without one."""
    capital: set[str] = set()
    small: set[str] = set()
    for text in texts:
        for match in _WORD.finditer(text):
            word = match.group(0).split("'")[0].split("’")[0]
            if _is_capital(word):
                capital.add(word.casefold())
            else:
                small.add(word)
    return frozenset(name for name in capital - small if len(name) > 1)


def _things(text: str) -> set[str]:
    words = {word.casefold() for word in _WORD.findall(text)}
    return {_stem(word) for word in words if len(word) > 2 and not _is_listed(word)}


def _is_capital(word: str) -> bool:
    return word[0].isupper() and word not in {"I", "I'm", "I’m", "I'll", "I’ll", "I've", "I’ve", "I'd", "I’d"}


def _is_foreign(text: str) -> bool:
    letters = [char for char in text if char.isalpha()]
    foreign = sum(not char.isascii() and not unicodedata.name(char, "").startswith("LATIN") for char in letters)
    return not letters or foreign > FOREIGN_LETTERS * len(letters)


def _tokens(text: str) -> list[str]:
    return [token.casefold() for token in _TOKEN.findall(text)]


def _content(tokens: Sequence[str]) -> list[str]:
    return [_stem(token) for token in tokens if token not in _FUNCTION and (len(token) > 1 or not token.isascii())]


def _grams(tokens: Sequence[str], length: int) -> list[tuple[str, ...]]:
    return [tuple(tokens[place : place + length]) for place in range(len(tokens) - length + 1)]


def _is_listed(word: str) -> bool:
    word = word.split("'")[0].split("’")[0]
    return word in _listed() or _stem(word) in _listed()


@lru_cache(maxsize=1)
def _listed() -> frozenset[str]:
    table = tomllib.loads(files("preceptor.experience").joinpath("abstract_words.toml").read_text(encoding="utf-8"))
    words = {word for group in table.values() for word in group.split()}
    return frozenset(words | {_stem(word) for word in words})


@lru_cache(maxsize=8192)
def _stem(word: str) -> str:
    """Return a word without its English ending: "apples", "apple" alike; "divided", "dividing", "divide" alike."""
    for ending, kept in (("ies", "y"), ("ied", "y"), ("sses", "ss"), ("ing", ""), ("ed", ""), ("es", ""), ("s", "")):
        stem = word.removesuffix(ending)
        if stem != word and not word.endswith("ss") and len(stem) >= 3 and _VOWELS & set(stem):
            word = stem + kept
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiouls":
        word = word[:-1]
    return word[:-1] if word.endswith("e") and len(word) > 3 else word
