"""The vectors of a map's names, for the concepts whose language the embedder speaks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from preceptor.concepts.calibration import ROUTE_LEAST, route_least
from preceptor.domain.concept import ConceptMap
from preceptor.models.embedder import Embedder, Vector


@dataclass(frozen=True, kw_only=True)
class ConceptVectors:
    """One unit vector a concept."""

    embedder: str
    """Fingerprint: a question's vector must be of the same."""
    languages: tuple[str, ...]
    """What the embedder speaks."""
    concept_ids: tuple[str, ...]
    matrix: NDArray[np.float32]
    """Shape (n_concepts, n_dims), in the order of `concept_ids`."""
    least: float = ROUTE_LEAST
    """From this cosine on a question is taken to be about a concept; each embedder has a scale of its own."""

    def similarities(self, vector: Vector) -> NDArray[np.float32]:
        """Return the cosine of each concept with a unit vector, shape (n_concepts,)."""
        found: NDArray[np.float32] = self.matrix @ vector
        return found


def embed_concepts(concepts: ConceptMap, embedder: Embedder) -> ConceptVectors:
    """Return the vectors of a map's concepts, of "name: gist"; made once a map, not once a turn."""
    ids: list[str] = []
    vectors: list[Vector] = []
    for language in dict.fromkeys(concept.language for concept in concepts.concepts):
        chosen = [concept for concept in concepts.concepts if concept.language == language]
        texts = [f"{one.name}: {one.gist}" if one.gist else one.name for one in chosen]
        for concept, vector in zip(chosen, embedder.embed(texts, language=language), strict=True):
            if vector is not None:
                ids.append(concept.concept_id)
                vectors.append(vector)
    return ConceptVectors(
        embedder=embedder.fingerprint,
        languages=tuple(embedder.languages),
        concept_ids=tuple(ids),
        least=route_least(embedder.fingerprint),
        matrix=np.stack(vectors) if vectors else np.zeros((0, embedder.dimensions), np.float32),
    )
