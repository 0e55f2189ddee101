"""Questions about the learner's own record ("what did I get wrong?"), told apart from questions about the subject.

Rules first (`phrases/`); where none fits, a head that was fitted on lines of such questions and of near misses.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, cast

from preceptor.memory.phrase_table import LANGUAGES, fold, likely_language, phrase_table
from preceptor.messages.head import MessageHead, shipped_head

RecordQuestionKind = Literal[
    "what_done", "got_wrong", "got_right", "when", "explain_again", "how_am_i_doing", "what_taught"
]


@dataclass(frozen=True, kw_only=True)
class RecordQuestion:
    """What of the record is asked for."""

    kind: RecordQuestionKind
    language: str
    """The language it was recognised in."""
    phrase: str
    """The words that say so."""
    span: tuple[int, int]
    """Where they stand."""


def record_question(text: str, language: str, *, learned: bool = True) -> RecordQuestion | None:
    """Return what a text asks of the record; `None`: it does not.

    Args:
        text: What the learner wrote.
        language: Its language as far as known, BCP 47; its own small words may say otherwise.
        learned: Where no rule fits the head is asked. False: rules only.
    """
    if len(text) > MAX_CHARS:
        return None
    folded = fold(text)
    likely = likely_language(text, language)
    given = language.split("-")[0].lower()
    for code in dict.fromkeys((likely, given)):
        if code not in LANGUAGES:
            continue
        for kind, pattern in phrase_table(code).record:
            match = pattern.search(folded)
            if match is not None:
                return RecordQuestion(
                    kind=cast("RecordQuestionKind", kind),
                    language=code,
                    phrase=text[match.start() : match.end()],
                    span=match.span(),
                )
    return learned_question(text, language) if learned else None


def learned_question(text: str, language: str, *, head: MessageHead | None = None) -> RecordQuestion | None:
    """Return what the head takes a text to ask of the record; `None`: nothing, or it is not sure.

    Args:
        text: What the learner wrote.
        language: Its language as far as known, BCP 47.
        head: Reads it; `None`: the shipped one.
    """
    if len(text) > LEARNED_CHARS or _says_too_little(text):
        return None
    chances = (head or shipped_head("record")).chances(text)
    if 1 - chances.pop("none") < SURE:
        return None
    kind = max(chances.items(), key=lambda one: one[1])[0]
    likely = likely_language(text, language)
    return RecordQuestion(
        kind=cast("RecordQuestionKind", kind),
        language=likely if likely in LANGUAGES else "en",
        phrase=text,
        span=(0, len(text)),
    )


SURE = 0.75
"""Chance from which the head's word is taken. (chosen: none of 3,055 learner turns, on folds 2 of 120 near misses)"""
LEARNED_CHARS = 200
"""A longer text is left to the rules: the head was fitted on shorter ones. (chosen: three lines)"""
FEWEST_WORDS, FEWEST_HAN = 3, 5
"""With fewer words, or fewer characters of Chinese, a text names a matter and asks nothing: the rules alone read
it. (chosen)"""
MAX_CHARS = 400
"""A longer text is work or a problem, not a question about the record. (chosen: five lines)"""


_ASKS_IN_HAN = re.compile(
    r"[?？吗呢嘛哪谁几怎]|什么|啥|多少|多久|还是|何时|为何|告诉|看看|说说|讲|总结|回顾|复习|重复|列|打个?分"
    r"|再|请|帮|我的|的题\Z"
)
"""What a question or a request in Chinese has: the head alone takes "we learnt fractions" for "what did we learn"."""


def _says_too_little(text: str) -> bool:
    n_han = len(re.findall(r"[\u4e00-\u9fff]", text))
    if n_han:
        return n_han < FEWEST_HAN or _ASKS_IN_HAN.search(text) is None
    return len(re.findall(r"[^\W\d_]+", text)) < FEWEST_WORDS


def record_silent_words(language: str) -> frozenset[str]:
    """Return the folded words of such questions that say nothing about a subject; empty for a language not known."""
    return phrase_table(language).record_silent if language in LANGUAGES else frozenset()
