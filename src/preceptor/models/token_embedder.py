"""A vector for each token of a text, as it is meant where it stands, from the pass that makes the text's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from preceptor.errors import ModelError


@dataclass(frozen=True, kw_only=True)
class TokenVectors:
    """A text's tokens, those that the model adds at start and end left out."""

    text_vector: NDArray[np.float32]
    """Of the whole text, as `Embedder.embed` gives it, unit, (n_dims,)."""
    vectors: NDArray[np.float32]
    """Unit rows, (n_tokens, n_dims); at least one."""
    spans: tuple[tuple[int, int], ...]
    """Per token its first character in the text and the one after its last."""


@runtime_checkable
class TokenEmbedder(Protocol):
    """An `Embedder` that also tells its tokens apart."""

    @property
    def fingerprint(self) -> str:
        """What vectors must share to be compared."""
        ...

    @property
    def dimensions(self) -> int:
        """Length of a vector, of a token as of a text."""
        ...

    def embed_tokens(self, texts: Sequence[str], *, language: str | None = None) -> list[TokenVectors | None]:
        """Return the tokens of each text with its vector, or `None` for a text it must not judge.

        Args:
            texts: In any number; each is cut where `embed` cuts it.
            language: Their language where it is known; one that is not declared gives `None` for all.
        """
        ...


def require_token_embedder(embedder: object) -> TokenEmbedder:
    """Return an embedder as one that gives token vectors.

    Raises:
        ModelError: It gives one vector a text and no more.
    """
    if isinstance(embedder, TokenEmbedder):
        return embedder
    name = getattr(embedder, "fingerprint", type(embedder).__name__)
    raise ModelError(
        f"embedder {name!r} gives no vector a token; course_retrieval.late_interaction expects one with "
        "`embed_tokens`, such as a sentence transformer read from model.onnx and tokenizer.json"
    )
