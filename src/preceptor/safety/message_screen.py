"""Screens a learner's message: the rules, then a second sign learnt from lines, for what is said in no listed way.

The second sign is milder by design: it is kept for someone to look at and answered as distress, never more. A reply is
screened by the rules alone.
"""

from __future__ import annotations

from preceptor.messages.features import LONGEST_READ
from preceptor.messages.head import MessageHead, shipped_head
from preceptor.safety.screen import Screening, screen

SURE = 0.4
"""Chance from which the head's word is taken. (chosen: the lowest tenth that takes none of 3,055 learner turns)"""


def screen_message(text: str, language: str = "en", *, problem_text: str | None = None) -> Screening:
    """Return the gravest sign in a learner's message.

    Args:
        text: What the learner wrote.
        language: The session's language.
        problem_text: The problem's text; what is quoted from it does not count, and where the head takes the problem
            itself for a sign it is not asked about the message.
    """
    found = screen(text, language, problem_text=problem_text)
    if found.stops_tutoring:
        return found
    sign = learned_sign(text)
    if sign is None or (problem_text and learned_sign(problem_text) is not None):
        return found
    return sign


def learned_sign(text: str, *, head: MessageHead | None = None) -> Screening | None:
    """Return what the head takes a text for; `None`: nothing, or it is not sure.

    Args:
        text: What the learner wrote; read in pieces of as many characters as a row holds, the last one from the end.
        head: Reads it; `None`: the shipped one.
    """
    reader = head or shipped_head("safety")
    last = max(0, len(text) - LONGEST_READ)
    for start in (*range(0, last, LONGEST_READ), last):
        piece = text[start : start + LONGEST_READ]
        if not any(map(str.isalpha, piece)):
            continue
        chances = reader.chances(piece)
        if 1 - chances.pop("none") >= SURE:
            kind = max(chances.items(), key=lambda one: one[1])[0]
            return Screening(
                kind="distress",
                category=f"possible_{kind}",
                evidence_start=start,
                evidence_end=start + len(piece),
                severity=1,
            )
    return None
