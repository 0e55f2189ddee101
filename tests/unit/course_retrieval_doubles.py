"""Passages and a small embedder for tests of course retrieval."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from preceptor.domain.passage import Passage
from preceptor.models.embedder import Vector

TEXTS = {
    "bfs.md": (
        "Breadth-first search looks at nearer states before farther ones. Its queue is first in, first out.",
        "The whole frontier must be kept, and memory gives out long before patience does.",
    ),
    "fractions.md": (
        "The denominator says into how many equal parts the whole is cut.",
        "Adding top to top and bottom to bottom gives nonsense.",
    ),
    "leaf.md": (
        "Stomata are tiny pores, most of them on the underside of the leaf.",
        "Chlorophyll swallows red and blue light and lets green pass.",
    ),
}


class HashEmbedder:
    """Adds up one fixed random direction a word; a text with letters beyond ASCII gets no vector."""

    fingerprint = "hash"
    languages = ("en",)
    dimensions = 64

    def embed(self, texts: Sequence[str], *, language: str | None = None) -> list[Vector | None]:
        return [None if language not in (None, "en") or not text.isascii() else self._vector(text) for text in texts]

    def _vector(self, text: str) -> Vector | None:
        total = np.zeros(self.dimensions, np.float32)
        for word in text.lower().replace(".", " ").replace(",", " ").split():
            seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:4], "big")
            total += np.random.default_rng(seed).standard_normal(self.dimensions).astype(np.float32)
        length = float(np.linalg.norm(total))
        return total / length if length else None


def passages(subject_id: str = "notes", *, official: str = "") -> list[Passage]:
    return [
        Passage(
            passage_id=f"{subject_id}-{name}-{place}",
            subject_id=subject_id,
            document_id=f"{subject_id}-{name}",
            document_name=name,
            page=1,
            start=place * 1000,
            end=place * 1000 + len(text),
            text=text,
            heading_path=(name.removesuffix(".md").title(),),
            official=name == official,
        )
        for name, texts in TEXTS.items()
        for place, text in enumerate(texts)
    ]
