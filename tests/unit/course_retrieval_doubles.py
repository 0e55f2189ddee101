"""Passages and a small embedder for tests of course retrieval."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

import numpy as np

from preceptor.domain.passage import Passage
from preceptor.models.embedder import Vector
from preceptor.models.token_embedder import TokenVectors

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


class TokenHashEmbedder(HashEmbedder):
    """The same, and each word's own direction for its token, with half of the text's for where it stands."""

    fingerprint = "hash-tokens"

    def embed_tokens(self, texts: Sequence[str], *, language: str | None = None) -> list[TokenVectors | None]:
        return [
            None if vector is None else self._tokens(text, vector)
            for text, vector in zip(texts, self.embed(texts, language=language), strict=True)
        ]

    def _tokens(self, text: str, vector: Vector) -> TokenVectors:
        spans = tuple(word.span() for word in re.finditer(r"\w+", text))
        own = [self._vector(text[start:end]) for start, end in spans]
        rows = np.stack([(one if one is not None else 0 * vector) + 0.5 * vector for one in own])
        unit = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
        return TokenVectors(text_vector=vector, vectors=unit, spans=spans)


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
