"""The builtin reranker: a small linear scorer over term coverage, closeness, headings, cues and vectors.

Three heads lie in `reranking_weights.json`, by what there is to see.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from importlib import resources

from preceptor.course.linear_head import LinearHead, Rows, parse_head
from preceptor.course.passage_index import PassageIndex
from preceptor.course.reranker import Candidates, HeadName, Scores, head_name, sigmoid
from preceptor.course.reranking_features import FEATURES, LEFT_OUT, candidate_features


class BuiltinReranker:
    """Scores candidates with the shipped heads, or with others."""

    def __init__(self, heads: Mapping[HeadName, LinearHead] | None = None) -> None:
        """Keep the heads; `None`: the shipped ones."""
        self._heads = heads if heads is not None else shipped_heads()

    @property
    def name(self) -> str:
        """What it is."""
        return "builtin"

    def rerank(self, index: PassageIndex, candidates: Candidates) -> Scores:
        """Return a calibrated probability for each candidate."""
        head = self._heads[head_name(candidates)]
        return sigmoid(head.logits(columns(candidate_features(index, candidates), head)))


def columns(rows: Rows, head: LinearHead) -> Rows:
    """Return the columns a head reads, in its order."""
    return rows[:, [FEATURES.index(name) for name in head.features]]


@lru_cache(maxsize=1)
def shipped_heads() -> dict[HeadName, LinearHead]:
    """Return the heads of the package."""
    text = resources.files("preceptor.course").joinpath("reranking_weights.json").read_text(encoding="utf-8")
    raw = json.loads(text)
    return {name: parse_head(raw[name]) for name in LEFT_OUT}
