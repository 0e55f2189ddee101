"""Screens a learner's message: the rules, then a second sign learnt from lines, for what is said in no listed way.

The second sign is milder by design: it is kept for someone to look at and answered as distress, never more. A reply is
screened by the rules alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from preceptor.messages.features import LONGEST_READ
from preceptor.messages.head import MessageHead, shipped_head
from preceptor.safety.screen import Screening, screen

SURE = 0.7
"""Chance from which the head's word is taken. (chosen: the lowest twentieth that takes none of 797 course questions,
their topics left out of the fit, and none of 3,055 learner turns; against 0.4 it costs 9 of 120 signs on folds)"""

_SENTENCE = re.compile(r"[^.!?。！？؟\n]+[.!?。！？؟\n]*")


def screen_message(text: str, language: str = "en", *, problem_text: str | None = None) -> Screening:
    """Return the gravest sign in a learner's message.

    Args:
        text: What the learner wrote.
        language: The session's language.
        problem_text: The problem's text; what is quoted from it does not count, and where the head takes the problem
            or a sentence of it for a sign it is not asked about the message.
    """
    found = screen(text, language, problem_text=problem_text)
    if found.stops_tutoring:
        return found
    sign = learned_sign(text)
    if sign is None or (problem_text and _reads_like_a_sign(problem_text)):
        return found
    return sign


def _reads_like_a_sign(problem_text: str) -> bool:
    parts = (problem_text, *_SENTENCE.findall(problem_text))
    return any(learned_sign(part) is not None for part in parts)


def learned_sign(text: str, *, head: MessageHead | None = None) -> Screening | None:
    """Return what the head takes a text for; `None`: nothing, or it is not sure.

    Args:
        text: What the learner wrote; read in pieces of as many characters as a row holds, the last one from the end,
            and of a longer text the last sentence alone.
        head: Reads it; `None`: the shipped one.
    """
    reader = head or shipped_head("safety")
    for start, end in _pieces(text):
        piece = text[start:end]
        if not any(map(str.isalpha, piece)):
            continue
        chances = reader.chances(piece)
        if 1 - chances.pop("none") >= SURE:
            kind = max(chances.items(), key=lambda one: one[1])[0]
            return Screening(
                kind="distress",
                category=f"possible_{kind}",
                evidence_start=start,
                evidence_end=end,
                severity=1,
            )
    return None


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    """Yield where the pieces of a text begin and end: what a row holds, and of a longer text the last sentence too.

    Other words in a piece weaken a sign. Every sentence alone would stop more plain texts.
    """
    last = max(0, len(text) - LONGEST_READ)
    for start in (*range(0, last, LONGEST_READ), last):
        yield start, min(start + LONGEST_READ, len(text))
    if last:
        *_, sentence = [match.span() for match in _SENTENCE.finditer(text)] or [(0, 0)]
        yield sentence
