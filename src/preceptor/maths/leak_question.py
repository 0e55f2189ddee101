"""The question that a reply could answer: the problem's own, or the tutor's last one, computed where it can be."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from preceptor.domain.dialogue import Turn
from preceptor.maths.leak_expressions import find_expressions
from preceptor.maths.leak_mentions import find_mentions
from preceptor.maths.leak_secrets import final_line

SENTENCE = re.compile(r"[^.?!\n]+(?:[.](?=\d)[^.?!\n]+)*[.?!]*")
_WORD = re.compile(r"[A-Za-z][A-Za-z'-]*|\d[\d,./]*")
_STOP = frozenset(
    """
    a an the of in on at to for from by with and or but if is are was were be been being do does did what which how many
    much who whose when where why will would can could should shall may might must have has had it its this that these
    those there here you your we our us i me my he she they them his her their as so than then not no yes please find
    tell value give get got go let lets following question answer equation number numbers now next other need each name
    called call term type kind
    """.split()
)
_WANTED = re.compile(
    r"\bhow (?:many|much)\s+((?:(?!do|does|did|is|are|was|were|will|would|can|could|has|have|should)[a-z-]+\s+){1,4})",
    re.IGNORECASE,
)
_ROUND = re.compile(
    r"\bround\w*\b[^.?!]*?(?P<number>\d[\d,]*(?:\.\d+)?)[^.?!]*?"
    r"\bnearest (?P<place>ten|hundred|thousand|whole|tenth|hundredth)",
    re.IGNORECASE,
)
_PLACE = {
    "ten": Fraction(10),
    "hundred": Fraction(100),
    "thousand": Fraction(1000),
    "whole": Fraction(1),
    "tenth": Fraction(1, 10),
    "hundredth": Fraction(1, 100),
}


@dataclass(frozen=True, kw_only=True)
class OpenQuestion:
    """The question whose answer a reply could reveal."""

    text: str
    values: frozenset[Fraction]
    """Its answer; empty: not known."""
    words: frozenset[str]
    """Its content words, stemmed."""
    given: frozenset[Fraction]
    """Numbers in the problem, or else in the question."""
    said: frozenset[Fraction]
    """Those, and those that the learner has said."""
    last_said: frozenset[Fraction]
    """Numbers of the learner's last turn."""
    last_words: frozenset[str]
    """Content words of the learner's last turn."""
    wanted: frozenset[str]
    """What is counted: "boxes" of "how many boxes do they need", stemmed."""


def open_question(
    *, problem_text: str, answer: str | None, solution: str | None, history: Sequence[Turn]
) -> OpenQuestion:
    """Return the problem's own question where its answer is known, else the tutor's last one, computed if it can be."""
    written = answer or final_line(solution)
    learner = [turn.learner for turn in history if turn.learner]
    said = {value for text in learner for mention in find_mentions(text) for value in mention.values}
    last = {value for mention in find_mentions(learner[-1] if learner else "") for value in mention.values}
    values = frozenset(value for mention in find_mentions(written)[:2] for value in mention.values)
    if values:
        text = _last_question(problem_text)
    else:
        asked = [turn.tutor for turn in history if turn.tutor]
        text = _last_question("\n".join(asked[-3:]) or problem_text)
        values = _computed("\n".join(asked[-3:]), text)
    given = {value for mention in find_mentions(problem_text or text) for value in mention.values}
    wanted = _WANTED.search(text)
    return OpenQuestion(
        text=text,
        values=values,
        words=content_words(text),
        given=frozenset(given),
        said=frozenset(said | given),
        last_said=frozenset(last),
        last_words=content_words(learner[-1] if learner else ""),
        wanted=content_words(wanted.group(1)) if wanted else frozenset(),
    )


def _last_question(text: str) -> str:
    sentences = [match.group().strip() for match in SENTENCE.finditer(text) if match.group().strip()]
    asked = [sentence for sentence in sentences if "?" in sentence]
    return (asked or sentences or [""])[-1]


def _computed(context: str, question: str) -> frozenset[Fraction]:
    """Compute the tutor's question, or the last computation in the turns before it."""
    for text in (question, context):
        rounding = _ROUND.search(text)
        if rounding:
            number = Fraction(rounding["number"].replace(",", "").rstrip("."))
            place = _PLACE[rounding["place"].lower()]
            return frozenset({((number / place + Fraction(1, 2)) // 1) * place})
        expressions = list(find_expressions(text))
        if expressions:
            return frozenset({expressions[-1].value})
    return frozenset()


def content_words(text: str) -> frozenset[str]:
    """Return the words that carry a question's content, cut to a crude stem."""
    words = (match.group().lower().strip("'-.,/") for match in _WORD.finditer(text))
    return frozenset(_stem(word) for word in words if word and word not in _STOP)


def _stem(word: str) -> str:
    return word if word[0].isdigit() else re.sub(r"(?:ing|ed|es|s|d)$", "", word)[:7]
