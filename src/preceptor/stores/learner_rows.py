"""What the store promises for a learner's rights: every row that names them can be shown and deleted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Protocol


class LearnerRows(Protocol):
    """The rows of one learner in every table that names a learner."""

    def walk(self, learner_id: str) -> Iterator[tuple[str, Mapping[str, object]]]:
        """Yield (table, row) of everything beside the episodes, in the order of tables; bytes come as base64 text."""
        ...

    def forget(self, learner_id: str) -> Mapping[str, int]:
        """Delete those rows in one transaction; return how many went from each table.

        Kept are the chain's envelopes and heads, which hold no words and prove what was erased, and the log of who
        opened a flagged transcript.
        """
        ...
