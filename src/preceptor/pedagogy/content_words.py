"""Words that carry meaning, and the sentence that holds a place: how two texts are told to speak of the same thing."""

from __future__ import annotations

import re
from functools import lru_cache

SENTENCE_END = re.compile(r"[.!?\n。！？](?:\s|$)|\n")
_STOP = frozenset(
    "the a an of is are was were be been do does did have has had how many much what which in on at to for and or "
    "so now then with from that this it its he she they we you i his her their all each per would will can could "
    "need needs if there not no as by than more after before when who whom find calculate determine total number "
    "amount also your my get gets got gives gave because since which therefore".split()
)


@lru_cache(maxsize=2048)
def content_words(text: str) -> frozenset[str]:
    """Return a text's content words in lower case, without their endings, at most five letters each."""
    words = re.findall(r"[^\W\d_]+", text.casefold())
    return frozenset(_stem(word) for word in words if word not in _STOP and len(word) > 2)


def _stem(word: str) -> str:
    for ending in ("ing", "ies", "ed", "en", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            break
    return word[:5].rstrip("e")


def head_of(text: str, start: int) -> str:
    """Return the part of the sentence that stands before a place."""
    before = text[:start]
    ends = [match.end() for match in SENTENCE_END.finditer(before)]
    return before[ends[-1] :] if ends else before


def sentence_at(text: str, start: int, end: int) -> str:
    """Return the sentence that holds a span."""
    last = SENTENCE_END.search(text, end)
    return head_of(text, start) + text[start : last.start() if last else len(text)]
