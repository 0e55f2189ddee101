"""Token vectors in 64 bytes: the size, what is left of a cosine, and what cannot be coded."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from preceptor.course.token_codes import TOKEN_BYTES, TokenCoder
from preceptor.errors import ModelError


def unit_rows(n: int, dimensions: int, seed: int = 0) -> NDArray[np.float32]:
    rows = np.random.default_rng(seed).standard_normal((n, dimensions)).astype(np.float32)
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


@pytest.mark.parametrize(
    ("dimensions", "two_bits", "one_bit", "size"),
    [(8, 8, 0, 2), (256, 256, 0, 64), (264, 248, 16, 64), (384, 128, 256, 64), (512, 0, 512, 64), (768, 0, 512, 64)],
)
def test_a_token_takes_at_most_64_bytes(dimensions: int, two_bits: int, one_bit: int, size: int) -> None:
    coder = TokenCoder(dimensions)
    assert (coder.two_bits, coder.one_bit, coder.token_bytes) == (two_bits, one_bit, size)
    assert len(coder.encode(unit_rows(3, dimensions))) == 3 * size <= 3 * TOKEN_BYTES


@given(seed=st.integers(0, 2**31 - 1), dimensions=st.sampled_from([8, 64, 264, 384, 768]))
def test_a_decoded_row_has_length_one_and_is_nearest_its_own(seed: int, dimensions: int) -> None:
    coder, rows = TokenCoder(dimensions), unit_rows(5, dimensions, seed)
    decoded = coder.decode(coder.encode(rows))
    assert np.linalg.norm(decoded, axis=1) == pytest.approx(np.ones(5), abs=1e-5)
    if dimensions > 8:  # of eight coordinates five random rows may be as near each other as to their codes
        assert (coder.turn(rows) @ decoded.T).argmax(axis=1).tolist() == list(range(5))


def test_turning_keeps_cosines_and_codes_keep_most_of_them() -> None:
    coder, rows = TokenCoder(384), unit_rows(200, 384)
    turned = coder.turn(rows)
    assert turned @ turned.T == pytest.approx(rows @ rows.T, abs=1e-4)
    own = np.einsum("ij,ij->i", turned, coder.decode(coder.encode(rows)))
    # Two bits lose .1175 of a coordinate, one bit .3634 (Max, 1960); 128 and 256 of 384 have them.
    assert own.mean() == pytest.approx(np.sqrt(1 - (128 * 0.1175 + 256 * 0.3634) / 384), abs=0.005)


def test_the_code_is_the_same_on_every_machine() -> None:
    coder = TokenCoder(16)
    rows = np.eye(16, dtype=np.float32)[:2]
    assert coder.encode(rows).hex() == "73555a6551ba6e92", "codes stored before would be read wrong: name a new CODE"


def test_what_cannot_be_coded_is_refused() -> None:
    with pytest.raises(ModelError, match="multiple of 8 dimensions, got 100"):
        TokenCoder(100)
    with pytest.raises(ValueError, match="rows of 64"):
        TokenCoder(64).encode(unit_rows(2, 32))
    with pytest.raises(ValueError, match="multiple of 16 bytes, got 15"):
        TokenCoder(64).decode(b"x" * 15)
