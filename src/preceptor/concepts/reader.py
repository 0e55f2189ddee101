"""The concept reader role: one bounded pass over one file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from preceptor.domain.concept import ConceptReading

MAX_CONCEPTS = 24
"""The most concepts that one reading gives. (chosen: the seed says bounded and gives no bound)"""


@dataclass(frozen=True, kw_only=True)
class MaterialPage:
    """One page of a file as text."""

    page: int
    """1-based."""
    text: str
    """Plain or Markdown; headings may stand in it as `# …` or underlined."""
    headings: tuple[str, ...] = ()
    """Headings on this page that `text` does not mark."""
    fingerprint: str = ""


@dataclass(frozen=True, kw_only=True)
class Material:
    """One file of a subject, as the reader gets it; it knows nothing of how files are kept."""

    subject_id: str
    document_id: str
    pages: tuple[MaterialPage, ...]
    language: str = "en"
    fingerprint: str = ""


class ConceptReader(Protocol):
    """Reads the concepts of one file."""

    async def read(self, material: Material) -> ConceptReading:
        """Return at most `MAX_CONCEPTS` concepts in the order they first appear; every name passed `refusal`.

        Raises:
            ModelError: The model failed.
        """
        ...
