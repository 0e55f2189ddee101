"""The words that find an episode: the same ones are indexed and asked for, on every database.

Letters lose case and accents. Scripts written without spaces are cut into pairs of characters.
"""

from __future__ import annotations

import re
import unicodedata

_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u0e00-\u0e7f"
_RUN = re.compile(rf"[{_UNSPACED}]+|[^\W_{_UNSPACED}]+")
_IS_UNSPACED = re.compile(rf"[{_UNSPACED}]")


def search_words(text: str) -> tuple[str, ...]:
    """Return the distinct words of a text in the order they first stand there."""
    return tuple(dict.fromkeys(word_runs(text)))


def word_runs(text: str) -> list[str]:
    """Return the words of a text in order, each as often as it stands there."""
    if text.isascii():
        return list(_RUN.findall(text.lower()))
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    plain = "".join(character for character in decomposed if not unicodedata.combining(character))
    words: list[str] = []
    for run in _RUN.findall(unicodedata.normalize("NFC", plain)):
        if _IS_UNSPACED.match(run) and len(run) > 1:
            words += [run[start : start + 2] for start in range(len(run) - 1)]
        else:
            words.append(run)
    return words
