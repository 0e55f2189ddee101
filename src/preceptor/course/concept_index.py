"""A second index over a course, by its concepts; the concept map plays it, and there is no other graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class ConceptIndex(Protocol):
    """Finds passages through the concepts that a query names."""

    def passage_ids(self, subject_id: str, query: str, *, limit: int) -> Sequence[str]:
        """Return ids of passages of the subject by relevance of their concepts, best first; empty: none is named."""
        ...
