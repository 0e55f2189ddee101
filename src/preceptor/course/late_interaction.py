"""Late interaction: each token of a question looks for its nearest token in each candidate passage.

What a token means where it stands was worked out when the passage was added, and lies in the store in `TOKEN_BYTES`;
only the candidates' tokens are read. It knows stores and embedders; nothing of ranking.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from preceptor.course.terms import STOP_WORDS
from preceptor.course.token_codes import CODE, TokenCoder
from preceptor.domain.passage import Passage
from preceptor.models.embedder import Vector
from preceptor.models.token_embedder import TokenVectors, require_token_embedder
from preceptor.stores.courses import CourseStore

TOP = 3
"""Passages whose mean is the second number of `answer_lacks`. (chosen)"""
LATE_FEATURES = ("late_best", "late_top")
"""Names of what `answer_lacks` returns."""
Nearness = NDArray[np.float32]


@dataclass(frozen=True, kw_only=True)
class QuestionTokens:
    """A question as late interaction compares it."""

    turned: NDArray[np.float32]
    """In the coordinates of the codes, (n_tokens, n)."""
    focus: NDArray[np.float32]
    """How near each token comes to the whole question, in [0, 1]; 0 for function words, (n_tokens,)."""


@dataclass(frozen=True, kw_only=True)
class LateNearness:
    """How near each token of a question comes to each candidate."""

    nearness: Nearness
    """Cosine to the nearest token, in [-1, 1]; 0 where the embedder must not judge the passage, (n_tokens, n)."""
    focus: NDArray[np.float32]
    """As in `QuestionTokens`."""

    def relevance(self) -> NDArray[np.float32]:
        """Return the mean over the question's tokens, (n,).

        Source:
            MaxSim: Khattab and Zaharia, ColBERT, SIGIR 2020; a mean, since questions are of unlike length.
        """
        return np.asarray(self.nearness.mean(axis=0), dtype=np.float32)

    def answer_lacks(self, places: Sequence[int]) -> dict[str, float]:
        """Return how little is lacking of what a question is about, each at most 0, by the names in `LATE_FEATURES`.

        Of a passage counts the one token that it comes least near, times that token's focus. `late_best` is the best
        passage, `late_top` the mean of the `TOP` best.

        Args:
            places: Columns of `nearness`: the passages looked at, at least one.
        """
        lacks = (self.focus[:, None] * (1 - np.clip(self.nearness[:, list(places)], 0, 1))).max(axis=0)
        least = np.sort(lacks)
        return {"late_best": -float(least[0]), "late_top": -float(least[:TOP].mean())}


class PassageTokens:
    """The tokens of stored passages by one embedder: written once, read for candidates."""

    def __init__(self, store: CourseStore, embedder: object) -> None:
        """Keep both.

        Raises:
            ModelError: The embedder gives no vector a token, or vectors of a length that cannot be coded.
        """
        self._store, self._embedder = store, require_token_embedder(embedder)
        self._coder = TokenCoder(self._embedder.dimensions)

    @property
    def fingerprint(self) -> str:
        """Under which the codes are stored."""
        return f"{self._embedder.fingerprint}:{CODE}"

    def write(self, passages: Sequence[Passage]) -> list[Vector | None]:
        """Store the codes of passages' tokens; return the passages' own vectors from the same pass."""
        made = self._embedder.embed_tokens([passage.text for passage in passages])
        self._store.put_token_vectors(
            self.fingerprint,
            {
                passage.passage_id: None if one is None else self._coder.encode(one.vectors)
                for passage, one in zip(passages, made, strict=True)
            },
        )
        return [None if one is None else one.text_vector for one in made]

    def question(self, text: str, *, language: str | None = None) -> QuestionTokens | None:
        """Return a question's tokens; `None`: the embedder does not speak its language."""
        found = self._embedder.embed_tokens([text], language=language)[0]
        return None if found is None else question_tokens(self._coder, text, found)

    def compare(self, question: QuestionTokens, passage_ids: Sequence[str]) -> LateNearness | None:
        """Return how near a question comes to each passage; `None`: one of them has no token vectors yet."""
        stored = self._store.token_vectors(self.fingerprint, passage_ids)
        if any(one not in stored for one in passage_ids):
            return None
        return late_nearness(self._coder, question, [stored[one] for one in passage_ids])


def question_tokens(coder: TokenCoder, text: str, found: TokenVectors) -> QuestionTokens:
    """Return a question's tokens as they are compared."""
    focus = np.clip(found.vectors @ found.text_vector, 0.0, 1.0).astype(np.float32)
    content = np.array([_is_content(text[start:end]) for start, end in found.spans], dtype=bool)
    return QuestionTokens(
        turned=coder.turn(found.vectors), focus=np.where(content, focus, np.float32(0)) if content.any() else focus
    )


def late_nearness(coder: TokenCoder, question: QuestionTokens, codes: Sequence[bytes | None]) -> LateNearness:
    """Return how near a question's tokens come to those of passages given as codes; `None`: must not be judged.

    Passage by passage: one product over all of them wakes a pool of threads, which on a busy machine costs 40 ms.
    """
    nearness = np.zeros((len(question.turned), len(codes)), dtype=np.float32)
    for place, one in enumerate(codes):
        if one:
            nearness[:, place] = (coder.decode(one) @ question.turned.T).max(axis=0)
    return LateNearness(nearness=nearness, focus=question.focus)


def _is_content(token: str) -> bool:
    return any(letter.isalnum() for letter in token) and token.casefold() not in STOP_WORDS
