"""What a search of a course found: passages with what each stage gave them, and whether the course answers at all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from preceptor.domain.passage import Passage


@dataclass(frozen=True, kw_only=True)
class StageScores:
    """What each stage gave one passage; `None`: the stage was off or did not see it."""

    dense: float | None = None
    """Cosine to the query, in [-1, 1]."""
    words: float | None = None
    """BM25 score, 0 or more."""
    fused: float | None = None
    """In [0, 1]."""
    mmr: float | None = None
    """Marginal relevance when it was chosen."""
    concepts: float | None = None
    """Sum of reciprocal ranks with the second index."""
    rerank: float | None = None
    """Probability of relevance by the reranker, in [0, 1]."""
    late: float | None = None
    """Probability of relevance with what the tokens add, in [0, 1]."""
    boost: float = 0.0
    """What being official added."""


@dataclass(frozen=True, kw_only=True)
class RetrievedPassage:
    """One passage in the result."""

    passage: Passage
    rank: int
    """From 1."""
    score: float
    """By which it is ranked: of the last stage that ran."""
    stages: StageScores


@dataclass(frozen=True, kw_only=True)
class RetrievedPassages:
    """The result of one search."""

    subject_id: str
    query: str
    profile: str
    passages: tuple[RetrievedPassage, ...] = ()
    """Best first; at most the profile's `top`."""
    answerable: float | None = None
    """Calibrated probability that the course holds the answer; `None`: nothing to judge by."""
    in_course: bool = False
    """Whether `answerable` reaches the threshold."""
    revision: int | None = None
    """Of the course as it was searched."""
    n_searched: int = 0
    """Passages of the course."""
    unknown_words: tuple[str, ...] = ()
    """Words of the query that stand nowhere in the course."""
    stages_off: Mapping[str, str] = field(default_factory=dict)
    """Stage → why it did not run."""
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    """Stage → milliseconds; `total` holds all but the embedding of the query, which is `embed`."""
