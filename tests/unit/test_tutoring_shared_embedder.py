"""A single text is embedded once while it is among those asked for lately; several at once are not remembered."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from preceptor.models.embedder import Vector
from preceptor.tutoring.shared_embedder import RememberingEmbedder


class CountingEmbedder:
    """Gives the length of a text and remembers every text it was asked for."""

    fingerprint, languages, dimensions = "lengths", ("en",), 1

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str], *, language: str | None = None) -> list[Vector | None]:
        self.asked += texts
        return [np.array([len(text)], np.float32) if language in (None, "en") else None for text in texts]


def test_what_was_asked_longest_ago_goes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("preceptor.tutoring.shared_embedder.REMEMBERED", 2)
    inner = CountingEmbedder()
    embedder = RememberingEmbedder(inner)
    for text in ("a", "bb", "a", "ccc", "a", "bb"):
        assert embedder.embed([text]) != [None]
    assert inner.asked == ["a", "bb", "ccc", "bb"]


def test_texts_of_another_language_and_several_at_once_go_straight_through() -> None:
    inner = CountingEmbedder()
    embedder = RememberingEmbedder(inner)
    for _ in range(2):
        assert embedder.embed(["a"], language="de") == [None]
        assert embedder.embed([]) == []
        assert [one is not None and one.tolist() for one in embedder.embed(["a", "bb"])] == [[1.0], [2.0]]
    assert inner.asked == ["a", "a", "bb"] * 2
    assert (embedder.fingerprint, embedder.languages, embedder.dimensions) == ("lengths", ("en",), 1)
