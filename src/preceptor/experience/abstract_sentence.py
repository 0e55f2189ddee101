"""One abstract sentence for a difficulty: what a live turn asks the repository with, and what an entry is found by.

The same words must be made the same way on both sides, or nothing is ever found.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from preceptor.errors import ModelError
from preceptor.experience.abstract_text import NOWHERE, Surroundings, find_faults

_SUBJECT = "The learner"


@dataclass(frozen=True, kw_only=True)
class AbstractSentence:
    """The sentence and how it came about."""

    text: str
    """Empty: the observer saw no difficulty, so there is nothing to ask with."""
    made_by: str
    """`rewriter`, or `fallback` where the rewriter failed, gave nothing or named the problem (A27)."""
    reason: str = ""
    """Why the rewriter's sentence was not taken."""


class Rewriter(Protocol):
    """Turns error detail and struggle reason into one abstract sentence."""

    async def rewrite(self, error_detail: str, struggle_reason: str) -> str:
        """Return the sentence.

        Raises:
            ModelError: The model failed.
        """
        ...


class BuiltinRewriter:
    """Joins both into one sentence about the learner."""

    async def rewrite(self, error_detail: str, struggle_reason: str) -> str:
        """Return "The learner <detail> and <reason>."; empty where both are."""
        return join_difficulty(error_detail, struggle_reason)


def join_difficulty(error_detail: str, struggle_reason: str) -> str:
    """Return error detail and struggle reason as one sentence; either may be a whole sentence or a verb phrase."""
    parts = [_phrase(part) for part in (error_detail, struggle_reason)]
    said = [part for part in dict.fromkeys(parts) if part]
    if not said:
        return ""
    joint = ", and " if any("," in part for part in said) else " and "
    return f"{_SUBJECT} {joint.join(said)}."


def _phrase(text: str) -> str:
    """Return a text as a phrase that can follow "The learner"."""
    phrase = " ".join(text.split()).rstrip(".!?;, ")
    for opening in (_SUBJECT, "A learner", "The student", "A student"):
        if phrase.casefold().startswith(opening.casefold() + " "):
            return phrase[len(opening) + 1 :]
    return phrase


async def abstract_sentence(
    error_detail: str, struggle_reason: str, *, rewriter: Rewriter | None = None, around: Surroundings = NOWHERE
) -> AbstractSentence:
    """Return the sentence for a difficulty, falling back to the diagnostic text itself.

    Args:
        error_detail: The observer's words for the mistake; may be empty.
        struggle_reason: The observer's words for why the learner is stuck; may be empty.
        rewriter: `None`: no rewriting, as in the ablation without it.
        around: The dialogue that the sentence must not name.

    Source:
        REAT, Algorithm 1: an empty or failed rewriting falls back to the original text.
    """
    original = join_difficulty(error_detail, struggle_reason)
    if rewriter is None or not original:
        return AbstractSentence(text=original, made_by="fallback", reason="" if original else "no difficulty was seen")
    try:
        text = (await rewriter.rewrite(error_detail, struggle_reason)).strip()
    except ModelError as error:
        return AbstractSentence(text=original, made_by="fallback", reason=f"the rewriter failed: {error}")
    if not text:
        return AbstractSentence(text=original, made_by="fallback", reason="the rewriter gave nothing")
    faults = find_faults(text, around)
    if faults:
        kinds = ", ".join(sorted({fault.kind for fault in faults}))
        return AbstractSentence(text=original, made_by="fallback", reason=f"the rewriter's sentence holds: {kinds}")
    return AbstractSentence(text=text, made_by="rewriter")
