"""How much of a reply is copied from an experience: it should guide, not be recited (A5)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

GRAM = 4
"""Words in a row that count as copied. (chosen: three often fall together by chance in short plain sentences)"""
_WORD = re.compile(r"[一-鿿぀-ヿ가-힣]|[^\W_一-鿿぀-ヿ가-힣]+")


@dataclass(frozen=True, kw_only=True)
class CopyOverlap:
    """What a reply shares with one experience, word for word."""

    share: float | None
    """Of the reply's runs of `GRAM` words, those that stand in the experience too, [0, 1]; `None`: the reply is
    shorter than one run."""
    longest_run: int
    """Words of the longest run that stands in both."""


def copy_overlap(reply: str, texts: Sequence[str], *, gram: int = GRAM) -> CopyOverlap:
    """Return how much of a reply stands word for word in the texts of an experience.

    Words are compared without case and punctuation; a CJK character is a word. A run does not cross two texts. The
    share is over the reply's runs, each place counted, so that a long experience does not lower it.

    Args:
        reply: What the learner was told.
        texts: Every text of one experience; see `ExperienceValue.texts`.
        gram: Words a run, at least 1.

    Raises:
        ValueError: gram is below 1.
    """
    if gram < 1:
        raise ValueError(f"gram must be 1 or more, got {gram}")
    said, known = _words(reply), [_words(text) for text in texts]
    runs = {tuple(words[start : start + gram]) for words in known for start in range(len(words) - gram + 1)}
    places = [tuple(said[start : start + gram]) for start in range(len(said) - gram + 1)]
    share = sum(place in runs for place in places) / len(places) if places else None
    return CopyOverlap(share=share, longest_run=max((_longest_run(said, words) for words in known), default=0))


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]


def _longest_run(one: Sequence[str], other: Sequence[str]) -> int:
    """Return the length of the longest run of words that both hold."""
    best = 0
    before = [0] * (len(other) + 1)
    for word in one:
        now = [0] * (len(other) + 1)
        for place, known in enumerate(other, start=1):
            if word == known:
                now[place] = before[place - 1] + 1
                best = max(best, now[place])
        before = now
    return best
