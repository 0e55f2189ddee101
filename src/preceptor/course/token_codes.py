"""Token vectors in 64 bytes each: turned by one fixed rotation, then one or two bits a coordinate.

Nothing is fitted, so any embedder's tokens can be kept. The question's own vectors stay floats: only the stored side is
coarse, and turned vectors have the same cosines.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from preceptor.errors import ModelError

TOKEN_BYTES = 64
"""Bytes a token, at most. (seed: 64. Measured against 384 floats: docs/design/course_retrieval.md)"""
CODE = "tokens1"
"""Names rotation and levels; part of what stored codes must share to be compared."""
_SEED = 20_260
_BITS = 8 * TOKEN_BYTES
_ONE_BIT = 0.7979
_TWO_BITS = (-1.5104, -0.4528, 0.4528, 1.5104)
"""Levels of a normal variable with least squared error. (Max, IRE Transactions on Information Theory 6, 1960)"""
_EDGE = 0.9816
"""Between the two levels of one sign. (the same)"""

Vectors = NDArray[np.float32]


@dataclass(frozen=True)
class TokenCoder:
    """Codes for vectors of one length: up to 512 coordinates, with two bits where they fit, the rest with one."""

    dimensions: int

    def __post_init__(self) -> None:
        """Refuse a length that does not fill whole bytes."""
        if self.dimensions < 8 or self.dimensions % 8:
            raise ModelError(f"token vectors must have a multiple of 8 dimensions, got {self.dimensions}")

    @property
    def two_bits(self) -> int:
        """Coordinates of two bits; they come first."""
        kept = min(self.dimensions, _BITS)
        return min(kept, _BITS - kept)

    @property
    def one_bit(self) -> int:
        """Coordinates of one bit."""
        return min(self.dimensions, _BITS) - self.two_bits

    @property
    def token_bytes(self) -> int:
        """Bytes of one token, at most `TOKEN_BYTES`."""
        return self.two_bits // 4 + self.one_bit // 8

    def turn(self, vectors: Vectors) -> Vectors:
        """Return vectors in the coordinates of the codes, (n, two_bits + one_bit): multiply them with `decode`."""
        turned: Vectors = vectors @ _rotation(self.dimensions)[:, : self.two_bits + self.one_bit]
        return turned

    def encode(self, vectors: Vectors) -> bytes:
        """Return the codes of unit rows, (n, dimensions), one row after another.

        Raises:
            ValueError: The rows have another length.
        """
        if vectors.ndim != 2 or vectors.shape[1] != self.dimensions:
            raise ValueError(f"need rows of {self.dimensions}, got shape {vectors.shape}")
        turned = self.turn(vectors) * np.float32(np.sqrt(self.dimensions))
        fine, coarse = turned[:, : self.two_bits], turned[:, self.two_bits :]
        levels = np.digitize(fine, (-_EDGE, 0.0, _EDGE)).astype(np.uint8).reshape(len(vectors), -1, 4)
        packed = (levels << np.array([6, 4, 2, 0], dtype=np.uint8)).sum(axis=2, dtype=np.uint8)
        return np.hstack([packed, np.packbits(coarse >= 0, axis=1)]).tobytes()

    def decode(self, codes: bytes) -> Vectors:
        """Return unit rows near those that were encoded, in turned coordinates, (n, two_bits + one_bit).

        Raises:
            ValueError: The bytes are no whole number of tokens.
        """
        if len(codes) % self.token_bytes:
            raise ValueError(f"need a multiple of {self.token_bytes} bytes, got {len(codes)}")
        rows = np.frombuffer(codes, dtype=np.uint8).reshape(-1, self.token_bytes)
        fine, coarse = _levels()
        n = self.two_bits // 4
        near = np.hstack([fine[rows[:, :n]].reshape(len(rows), -1), coarse[rows[:, n:]].reshape(len(rows), -1)])
        lengths = np.sqrt(np.einsum("ij,ij->i", near, near))
        return np.asarray(near / lengths[:, None], dtype=np.float32)


@lru_cache(maxsize=2)
def _rotation(dimensions: int) -> Vectors:
    """Return an orthogonal matrix, the same on every machine: `RandomState` keeps its stream, and signs are settled."""
    first, scale = np.linalg.qr(np.random.RandomState(_SEED).standard_normal((dimensions, dimensions)))
    return np.asarray(first * np.sign(np.diag(scale)), dtype=np.float32)


@lru_cache(maxsize=1)
def _levels() -> tuple[Vectors, Vectors]:
    """Return per byte the four and the eight coordinates it stands for, (256, 4) and (256, 8)."""
    values = np.arange(256, dtype=np.uint8)
    fine = np.array(_TWO_BITS, dtype=np.float32)[(values[:, None] >> np.array([6, 4, 2, 0], dtype=np.uint8)) & 3]
    signs = np.unpackbits(values[:, None], axis=1).astype(np.float32)
    return fine, ((2 * signs - 1) * np.float32(_ONE_BIT)).astype(np.float32)
