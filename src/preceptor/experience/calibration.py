"""Similarity thresholds, and how they are measured for an embedder: each has a scale of its own (trap 6).

Texts about different kinds of error should not count as similar. So the similarities between texts of DIFFERENT error
categories are measured, and their 95th, 99th and 99.9th percentiles become tau, tau_merge and tau_dup.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from preceptor.domain.experience import Experience, ExperienceProvenance, ExperienceValue
from preceptor.domain.learner_state import LearnerState
from preceptor.errors import InputError, SettingsError
from preceptor.experience.repository_words import LEXICAL, WordIndex
from preceptor.models.embedder import Embedder
from preceptor.stores.experiences import ExperienceStore
from preceptor.stores.instants import instant_from

Origin = Literal["seed", "chosen", "calibrated", "owner"]
PERCENTILES = (95.0, 99.0, 99.9)
LEAST_PAIRS = 1000
"""With fewer pairs the highest percentile is one pair's accident. (chosen)"""
MOST_TEXTS = 3000
"""Every n-th text is taken above this: similarities of all pairs must fit in memory. (chosen)"""


@dataclass(frozen=True, kw_only=True)
class Thresholds:
    """What counts as similar, for one fingerprint."""

    tau: float
    """A retrieved entry is at least so similar."""
    tau_merge: float
    """At least so similar, and below `tau_dup`: merged."""
    tau_dup: float
    """At least so similar: discarded as a duplicate."""
    origin: Origin = "chosen"
    measured: Mapping[str, object] = field(default_factory=dict)
    """What a calibration saw: texts, categories, pairs, percentiles, and on what."""

    def __post_init__(self) -> None:
        """Refuse thresholds out of order."""
        if not -1 <= self.tau <= self.tau_merge <= self.tau_dup <= 1.000001:
            raise ValueError(
                f"expected -1 <= tau <= tau_merge <= tau_dup <= 1, got {self.tau}, {self.tau_merge}, {self.tau_dup}"
            )


REFERENCE = Thresholds(tau=0.50, tau_merge=0.80, tau_dup=0.92, origin="seed")
"""On the scale of paraphrase-multilingual-MiniLM-L12-v2, REAT's embedder."""
BY_WORDS = Thresholds(tau=0.33, tau_merge=0.70, tau_dup=0.95, origin="chosen")
"""Without an embedder: shares of weighted words, another scale. tau is the 95th percentile over the builtin observer's
sentences; the others are stricter than measured (.46, .68): words cannot tell a paraphrase from another case."""
SHIPPED: Mapping[str, Thresholds] = {
    LEXICAL: BY_WORDS,
    "all-minilm-l6-v2-int8:8199be6f699a:": Thresholds(
        tau=0.8259,
        tau_merge=0.8663,
        tau_dup=0.9101,
        origin="calibrated",
        measured={
            "on": "sentences of the builtin observer on 404 MathDial dialogues, by error type",
            "texts": 634,
            "categories": 6,
            "pairs": 119544,
            "percentiles": list(PERCENTILES),
            "mean": 0.6888,
        },
    ),
}
"""Start of a fingerprint → what was measured for it. Sentences that models write freely are less alike (teachers' own
descriptions of errors: .40, .52, .66): with a model as observer, `preceptor experience calibrate` is due."""


def default_thresholds(fingerprint: str) -> Thresholds:
    """Return what applies before anything was measured here."""
    for start, measured in SHIPPED.items():
        if fingerprint.startswith(start):
            return measured
    return REFERENCE


def thresholds_of(store: ExperienceStore, fingerprint: str) -> Thresholds:
    """Return the stored thresholds of a fingerprint, else the defaults."""
    stored = store.thresholds(fingerprint)
    if stored is None:
        return default_thresholds(fingerprint)
    return Thresholds(**stored)  # type: ignore[arg-type]


def store_thresholds(store: ExperienceStore, fingerprint: str, thresholds: Thresholds) -> None:
    """Store thresholds with the fingerprint they belong to."""
    store.put_thresholds(fingerprint, asdict(thresholds))


def measure_thresholds(texts: Sequence[tuple[str, str]], embedder: Embedder | None, *, measured_on: str) -> Thresholds:
    """Measure thresholds on labelled texts.

    Args:
        texts: (abstract text, error category); at least two categories.
        embedder: `None`: compare by words.
        measured_on: Name of the texts, for the record.

    Raises:
        InputError: There are too few pairs of different categories.
    """
    distinct = list(dict.fromkeys(texts))
    distinct = distinct[:: max(1, -(-len(distinct) // MOST_TEXTS))]
    read, table = _similarities(distinct, embedder)
    categories = np.array([category for _, category in read])
    words = np.array([text for text, _ in read])
    upper = np.triu(np.ones((len(read), len(read)), np.bool_), 1)
    # One text under two categories says nothing about how alike different texts are.
    pairs = table[upper & (categories[:, None] != categories[None, :]) & (words[:, None] != words[None, :])]
    if len(pairs) < LEAST_PAIRS:
        raise InputError(
            f"{measured_on}: {len(pairs)} pairs of texts of different error categories, expected {LEAST_PAIRS} or more"
        )
    tau, tau_merge, tau_dup = (min(1.0, float(np.percentile(pairs, share))) for share in PERCENTILES)
    return Thresholds(
        tau=round(tau, 4),
        tau_merge=round(tau_merge, 4),
        tau_dup=round(tau_dup, 4),
        origin="calibrated",
        measured={
            "on": measured_on,
            "texts": len(read),
            "unread_texts": len(distinct) - len(read),
            "categories": len(set(categories.tolist())),
            "pairs": len(pairs),
            "percentiles": list(PERCENTILES),
            "mean": round(float(pairs.mean()), 4),
        },
    )


def require_same_embedder(store: ExperienceStore, fingerprint: str) -> None:
    """Refuse a repository whose active entries were compared by something else.

    Raises:
        SettingsError: Names both fingerprints and the way out.
    """
    others = {name: n for name, n in store.embedders().items() if name != fingerprint}
    if others:
        held = ", ".join(f"{n} entries of {name}" for name, n in sorted(others.items()))
        now = "no embedder is installed (words)" if fingerprint == LEXICAL else f"the embedder is {fingerprint}"
        raise SettingsError(
            f"the experience repository holds {held}, but {now}: similarities cannot be compared. "
            "Run `preceptor experience reembed`, or set embedder.name back"
        )


def _similarities(
    texts: Sequence[tuple[str, str]], embedder: Embedder | None
) -> tuple[list[tuple[str, str]], NDArray[np.float32]]:
    """Return the texts that can be compared, and their similarities, shape (n, n)."""
    if embedder is None:
        return _by_words(texts)
    vectors = embedder.embed([text for text, _ in texts])
    read = [text for text, vector in zip(texts, vectors, strict=True) if vector is not None]
    known = [vector for vector in vectors if vector is not None]
    matrix = np.stack(known) if known else np.zeros((0, 1), np.float32)
    return read, matrix @ matrix.T


def _by_words(texts: Sequence[tuple[str, str]]) -> tuple[list[tuple[str, str]], NDArray[np.float32]]:
    index = WordIndex()
    read = [pair for pair in texts if index.can_read(pair[0])]
    for place, (text, _) in enumerate(read):
        index.put(_bare(f"{place:06d}", text))
    table = np.zeros((len(read), len(read)), np.float32)
    for place, (text, _) in enumerate(read):
        for hit in index.search(LearnerState(), text, k=len(read), filtered=False).hits:
            table[place, int(hit.experience_id)] = hit.similarity
    return read, table


def _bare(key: str, sentence: str) -> Experience:
    return Experience(
        experience_id=key,
        state=LearnerState(),
        sentence=sentence,
        embedder=LEXICAL,
        value=ExperienceValue(triggering_difficulty="", applied_strategy=""),
        provenance=ExperienceProvenance(),
        utility=0,
        created_at=instant_from("2000-01-01T00:00:00.000000Z"),
    )
