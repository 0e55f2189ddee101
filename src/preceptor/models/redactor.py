"""Personal data leaves a text before a provider outside this machine sees it, and comes back in the reply."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Protocol

_BEGUN = re.compile(r"[⟦〚\[]{1,2}\s*(?:[A-Z]+(?:_\d*)?)?\s*\]?$")
"""The beginning of a placeholder, also as models miswrite it: "[NAME_1" or "[[NAME_1]"."""


class Redactor(Protocol):
    """Replaces personal data by placeholders, and puts it back."""

    def redact(self, text: str) -> tuple[str, Mapping[str, str]]:
        """Return the text with placeholders, and placeholder → what it stands for."""
        ...

    def restore(self, text: str, mapping: Mapping[str, str]) -> str:
        """Return the text with every placeholder of `mapping` replaced by what it stands for."""
        ...


class Unredacted:
    """Changes nothing: for providers on this machine."""

    def redact(self, text: str) -> tuple[str, Mapping[str, str]]:
        """Return the text as it is."""
        return text, {}

    def restore(self, text: str, mapping: Mapping[str, str]) -> str:
        """Return the text as it is."""
        return text


class StreamRestorer:
    """Restores placeholders in a text that arrives in pieces: one cut in two is held back until it is whole."""

    def __init__(self, redactor: Redactor, mapping: Mapping[str, str]) -> None:
        self._redactor = redactor
        self._mapping = mapping
        self._held = ""

    def feed(self, piece: str) -> str:
        """Return what of the text so far cannot be the beginning of a placeholder."""
        text = self._held + piece
        cut = len(text)
        if self._mapping and (begun := _BEGUN.search(text)):
            cut = begun.start()
        for placeholder in self._mapping:
            for length in range(min(len(placeholder) - 1, len(text)), 0, -1):
                if text.endswith(placeholder[:length]):
                    cut = min(cut, len(text) - length)
                    break
        self._held = text[cut:]
        return self._redactor.restore(text[:cut], self._mapping)

    def finish(self) -> str:
        """Return what was held back."""
        held, self._held = self._held, ""
        return self._redactor.restore(held, self._mapping)
