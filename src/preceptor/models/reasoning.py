"""Reasoning that a model writes into its answer between tags is kept out of it, also where a tag comes in pieces."""

from __future__ import annotations

import re

_NAMES = "think|thinking|thought|reasoning"
_OPEN = re.compile(rf"<\s*({_NAMES})\s*>", re.IGNORECASE)
_CLOSE = re.compile(rf"<\s*/\s*({_NAMES})\s*>", re.IGNORECASE)
_MAYBE_TAG = re.compile(r"<\s*/?\s*[a-z]*\s*$", re.IGNORECASE)
_LONGEST_TAG = 16


class OrphanReasoningError(ValueError):
    """A closing tag came without its opening one: everything before it was reasoning, too."""


class ReasoningFilter:
    """Passes on what stands outside reasoning tags, piece by piece; leading white space is dropped."""

    def __init__(self) -> None:
        self._held = ""
        self._inside = False
        self._begun = False

    def feed(self, piece: str) -> str:
        """Return the part of the text so far that is certainly answer.

        Raises:
            OrphanReasoningError: Reasoning was passed on, because its opening tag was missing.
        """
        self._held += piece
        passed = ""
        while True:
            found = (_CLOSE if self._inside else _OPEN).search(self._held)
            if not self._inside:
                orphan = _CLOSE.search(self._held)
                if orphan and (not found or orphan.start() < found.start()):
                    raise OrphanReasoningError
            if not found:
                break
            if not self._inside:
                passed += self._held[: found.start()]
            self._held = self._held[found.end() :]
            self._inside = not self._inside
        if self._inside:
            self._held = self._held[-_LONGEST_TAG:]
            return self._without_lead(passed)
        open_end = _MAYBE_TAG.search(self._held)
        keep = open_end.start() if open_end and len(self._held) - open_end.start() < _LONGEST_TAG else len(self._held)
        passed += self._held[:keep]
        self._held = self._held[keep:]
        return self._without_lead(passed)

    def finish(self) -> str:
        """Return what was held back as a possible tag; reasoning that was never closed is dropped."""
        held, self._held = self._held, ""
        return "" if self._inside else self._without_lead(held)

    def _without_lead(self, text: str) -> str:
        if not self._begun:
            text = text.lstrip()
            self._begun = bool(text)
        return text


def without_reasoning(text: str) -> str:
    """Return a whole answer without its reasoning, an orphan closing tag included."""
    orphan = _CLOSE.search(text)
    opened = _OPEN.search(text)
    if orphan and (not opened or orphan.start() < opened.start()):
        return without_reasoning(text[orphan.end() :])
    once = ReasoningFilter()
    return (once.feed(text) + once.finish()).strip()
