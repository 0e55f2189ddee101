"""Text with one writing for digits and signs, and the way back from each cleaned character to the original."""

from __future__ import annotations

import re
from dataclasses import dataclass

from preceptor.maths.numerals import normalise

_LATEX = re.compile(
    r"\\(?:times|cdot)(?![A-Za-z])|\\div(?![A-Za-z])|\\[dt]?frac\{([^{}]{1,40})\}\{([^{}]{1,40})\}|\\approx(?![A-Za-z])"
    r"|\\text\{([^{}]{0,60})\}|\\[()\[\]]|\\boxed(?=\{)|\\\$|\\%"
)
_VULGAR = re.compile(r"(?<=\d)[¼-¾⅐-⅞]")


@dataclass(frozen=True, kw_only=True)
class CleanText:
    """A cleaned text of the same reading order."""

    text: str
    offsets: tuple[int, ...] | range
    """Per cleaned character the index of the original character it comes from; one more entry for the end."""

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the original span, end exclusive, of a non-empty cleaned span."""
        return self.offsets[start], self.offsets[end - 1] + 1


def clean(text: str) -> CleanText:
    """Return `text` after `normalise` and with the usual LaTeX signs as ASCII, with offsets into the original."""
    if text.isascii() and "\\" not in text:
        return CleanText(text=text, offsets=range(len(text) + 1))
    pieces: list[str] = []
    offsets: list[int] = []
    place = 0
    while place < len(text):
        char = text[place]
        written, length = char, 1
        if char == "\\":
            match = _LATEX.match(text, place)
            if match:
                written, length = _plain_latex(match), match.end() - place
        elif char > "\x7f":
            written = normalise(char)
            if _VULGAR.match(text, place):
                written = " " + written
            elif written.startswith("^") and pieces and place and normalise(text[place - 1]).startswith("^"):
                written = written[1:]
        pieces.append(written)
        offsets.extend([place] * len(written))
        place += length
    offsets.append(len(text))
    return CleanText(text="".join(pieces), offsets=tuple(offsets))


def _plain_latex(match: re.Match[str]) -> str:
    found = match.group(0)
    if match.group(1) is not None:
        return f"({match.group(1)})/({match.group(2)})"
    if match.group(3) is not None:
        return match.group(3)
    if found in {r"\times", r"\cdot"}:
        return "*"
    return {r"\div": "/", r"\approx": "≈", r"\(": "(", r"\)": ")", r"\$": "$", r"\%": "%"}.get(found, " ")
