"""How much of a subject hangs on each concept: PageRank over the builds-on edges."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from preceptor.domain.concept import ConceptMap

DAMPING = 0.85
"""(Brin and Page 1998)"""
_TOLERANCE = 1e-12
_MOST_ROUNDS = 500


def centrality(concepts: ConceptMap) -> Mapping[str, float]:
    """Return each concept's weighted PageRank; the values sum to 1, empty for an empty map.

    Rank flows from a concept to what it builds on, in proportion to the edges' weights, so a prerequisite that much
    builds on is a hub. A concept that builds on nothing gives its rank to all alike.
    """
    ids = [concept.concept_id for concept in concepts.concepts]
    if not ids:
        return {}
    place = {concept_id: index for index, concept_id in enumerate(ids)}
    flow = np.zeros((len(ids), len(ids)))
    for edge in concepts.edges:
        flow[place[edge.prerequisite_id], place[edge.concept_id]] += edge.weight
    sums = flow.sum(axis=0)
    flow = np.where(sums > 0, flow / np.where(sums > 0, sums, 1), 1 / len(ids))
    rank = np.full(len(ids), 1 / len(ids))
    for _ in range(_MOST_ROUNDS):
        after = DAMPING * (flow @ rank) + (1 - DAMPING) / len(ids)
        if np.abs(after - rank).sum() < _TOLERANCE:
            break
        rank = after
    return dict(zip(ids, (rank / rank.sum()).tolist(), strict=True))
