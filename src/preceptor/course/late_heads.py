"""What late interaction adds up with: two small heads, one over the reranker, one for "the course answers".

They lie in `late_weights.json`. The first reads the reranker's logit and the mean nearness of the question's tokens,
the second what `answerability` sees and what the tokens lack.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any

import numpy as np

from preceptor.course.late_interaction import LateNearness
from preceptor.course.linear_head import LinearHead, Rows, parse_head
from preceptor.course.reranker import Scores, sigmoid

ORDER_FEATURES = ("rerank", "tokens")
"""Names of the columns of `order_rows`."""
_LEAST = 1e-6


@dataclass(frozen=True, kw_only=True)
class LateHeads:
    """Both heads."""

    order: LinearHead
    answerability: LinearHead

    def dump(self) -> dict[str, Any]:
        """Return what `parse_late_heads` takes."""
        return {"order": self.order.dump(), "answerability": self.answerability.dump()}


def order_rows(rerank: Scores, late: LateNearness) -> Rows:
    """Return the reranker's logit and the tokens' mean nearness of each candidate, (n, 2)."""
    chance = np.clip(rerank.astype(np.float64), _LEAST, 1 - _LEAST)
    return np.stack([np.log(chance / (1 - chance)), late.relevance().astype(np.float64)], axis=1)


def late_scores(head: LinearHead, rerank: Scores, late: LateNearness) -> Scores:
    """Return the probability of relevance of each candidate, (n,)."""
    return sigmoid(head.logits(order_rows(rerank, late)))


def parse_late_heads(raw: Mapping[str, Any]) -> LateHeads:
    """Return the heads that `LateHeads.dump` wrote."""
    return LateHeads(order=parse_head(raw["order"]), answerability=parse_head(raw["answerability"]))


@lru_cache(maxsize=1)
def shipped_late_heads() -> LateHeads:
    """Return the heads of the package."""
    text = resources.files("preceptor.course").joinpath("late_weights.json").read_text(encoding="utf-8")
    return parse_late_heads(json.loads(text))
