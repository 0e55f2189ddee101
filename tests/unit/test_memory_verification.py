"""What is said of a memory's citations, by what the store finds of each file."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import pytest

from preceptor.domain.episode import Evidence
from preceptor.domain.scope import Scope
from preceptor.memory.verification import Verifier
from preceptor.stores.nights import Cited

ANA = Scope(learner_id="ana", subject_id="cells")
NOW = datetime(2026, 3, 2, 3, tzinfo=UTC)


class Shelf:
    """Files by how they fare; a document's id says it."""

    def evidence_found(self, scope: Scope, evidence: Sequence[Evidence]) -> list[str]:
        return [one.document_id for one in evidence]


def look_up(*files: str) -> tuple[str, str]:
    evidence = tuple(Evidence(document_id=one, page=1, fingerprint="f") for one in files)
    verifier = Verifier(Shelf())  # type: ignore[arg-type]
    (found,) = verifier.look_up(ANA, [Cited(episode_id="e", evidence=evidence)], now=NOW)
    return found.status, found.note


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ((), ("unverifiable", "")),
        (("holds",), ("holds", "")),
        (("holds", "changed"), ("changed", "replaced")),
        (("holds", "removed"), ("changed", "removed")),
        (("changed", "removed"), ("changed", "removed")),
        (("removed", "changed", "holds"), ("changed", "removed")),
    ],
)
def test_of_several_files_the_removed_one_counts_most_then_the_replaced_one(
    files: tuple[str, ...], found: tuple[str, str]
) -> None:
    assert look_up(*files) == found
