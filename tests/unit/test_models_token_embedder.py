"""Vectors of tokens: from the same pass as the text's, in place, and for nothing that must not be judged."""

from __future__ import annotations

import numpy as np
import pytest
from tests.conftest import skip_or_fail

from preceptor.errors import ModelError
from preceptor.models.embedder import OnnxEmbedder, embedder_languages
from preceptor.models.fetch import fetch_model
from preceptor.models.token_embedder import TokenEmbedder, require_token_embedder
from preceptor.settings import load_settings
from preceptor.tutoring.shared_embedder import RememberingEmbedder, RememberingTokenEmbedder


@pytest.fixture(scope="module")
def embedder() -> OnnxEmbedder:
    try:
        folder = fetch_model(load_settings().home, "all-minilm-l6-v2-int8", progress=lambda *_: None)
    except ModelError as error:
        skip_or_fail(f"the embedder's weights cannot be had: {error}")
    return OnnxEmbedder(folder, languages=embedder_languages(folder), max_tokens=32)


def test_each_token_has_a_unit_vector_and_its_place(embedder: OnnxEmbedder) -> None:
    text = "The denominator says it."
    (found,) = embedder.embed_tokens([text])
    assert found is not None
    pieces = [text[start:end] for start, end in found.spans]
    assert "".join(pieces) == text.replace(" ", "")
    assert found.vectors.shape == (len(pieces), 384)
    assert np.linalg.norm(found.vectors, axis=1) == pytest.approx(np.ones(len(pieces)), abs=1e-5)


def test_the_text_vector_is_the_one_that_embed_gives(embedder: OnnxEmbedder) -> None:
    texts = ["a queue is first in, first out", "the leaf's pores", "猫在沙发上睡觉"]
    for plain, found in zip(embedder.embed(texts), embedder.embed_tokens(texts), strict=True):
        assert (plain is None) == (found is None)
        if plain is not None and found is not None:
            assert plain.tolist() == found.text_vector.tolist()


def test_a_token_means_what_it_means_where_it_stands(embedder: OnnxEmbedder) -> None:
    river, money, loan = embedder.embed_tokens(
        ["we fished from the bank of the river", "the bank raised its interest", "a bank lends at interest"]
    )
    assert river is not None
    assert money is not None
    assert loan is not None
    in_river, in_money, in_loan = river.vectors[4], money.vectors[1], loan.vectors[1]
    assert float(in_money @ in_loan) > float(in_money @ in_river)


def test_text_is_cut_and_a_foreign_language_gets_none(embedder: OnnxEmbedder) -> None:
    (long,) = embedder.embed_tokens(["word " * 200])
    assert long is not None
    assert len(long.vectors) == 30
    assert embedder.embed_tokens(["dos manzanas"], language="es") == [None]


def test_what_gives_no_tokens_is_refused_by_name(embedder: OnnxEmbedder) -> None:
    plain, whole = RememberingEmbedder(embedder), RememberingTokenEmbedder(embedder, embedder)
    with pytest.raises(ModelError, match="all-minilm-l6-v2-int8.*gives no vector a token.*embed_tokens"):
        require_token_embedder(plain)
    assert isinstance(whole, TokenEmbedder)
    assert require_token_embedder(whole) is whole
