"""Questions about the learner's own record ("what did I get wrong?"), told apart from questions about the subject."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, cast

from preceptor.memory.phrase_table import LANGUAGES, fold, likely_language, phrase_table

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


def record_question(text: str, language: str) -> RecordQuestion | None:
    """Return what a text asks of the record; `None`: it does not.

    Args:
        text: What the learner wrote.
        language: Its language as far as known, BCP 47; its own small words may say otherwise.
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
    return None


MAX_CHARS = 400
"""A longer text is work or a problem, not a question about the record. (chosen: five lines)"""


def record_silent_words(language: str) -> frozenset[str]:
    """Return the folded words of such questions that say nothing about a subject; empty for a language not known."""
    return phrase_table(language).record_silent if language in LANGUAGES else frozenset()
