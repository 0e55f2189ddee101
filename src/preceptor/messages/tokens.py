"""A message's folded text and its tokens: what words are compared by, the same in six languages."""

from __future__ import annotations

import re
import unicodedata

_TOKEN = re.compile(r"[\u3400-\u9fff]|[^\W\d_]+|\d+(?:[.,]\d+)*|[^\w\s]")
_ARABIC = str.maketrans({"ى": "ي", "ة": "ه", "ؤ": "و", "ئ": "ي", "ٱ": "ا", "\u0640": None})


def fold(text: str) -> str:
    """Return a text in lower case without accents, Arabic letters in one form each."""
    lower = text.casefold().replace("’", "'")
    if lower.isascii():
        return lower
    parts = unicodedata.normalize("NFKD", lower)
    return "".join(part for part in parts if not unicodedata.combining(part)).translate(_ARABIC)


def tokens_of(folded: str) -> list[str]:
    """Return words, numbers, single signs and single Chinese characters of a folded text, in order."""
    return _TOKEN.findall(folded)


def is_chinese(token: str) -> bool:
    """Whether a token is a Chinese character."""
    return "\u3400" <= token[0] <= "\u9fff"


def is_arabic(token: str) -> bool:
    """Whether a token is an Arabic word."""
    return "\u0621" <= token[0] <= "\u064a"
