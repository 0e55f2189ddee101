"""What the store of beliefs promises: rows are added and pointed at the row that supersedes them, nothing else.

A chain is all rows of one learner, subject, concept and predicate. Its last row is current. Rows go only with the
evidence they stand on, in the transaction of its erasure.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from preceptor.domain.belief import Belief
from preceptor.domain.scope import Scope


class BeliefStore(Protocol):
    """Beliefs by scope."""

    def heads(self, scope: Scope) -> list[Belief]:
        """Return the current row of each chain, unsettled ones included, the oldest first; `evidence` is left empty.

        This is the read of a live turn: it costs the same however long the chains are.
        """
        ...

    def rows(self, scope: Scope, concept_id: str | None = None) -> list[Belief]:
        """Return every row of a scope, or of one concept in it, in the order they were added."""
        ...

    def chain(self, scope: Scope, belief_id: str) -> list[Belief]:
        """Return the whole chain that a row belongs to, oldest first.

        Raises:
            NotFoundError: The scope has no such row.
        """
        ...

    def add(self, scope: Scope, rows: Sequence[Belief], expected_head: str | None) -> bool:
        """Add rows to one chain, each superseding the one before it; all or nothing.

        Args:
            scope: Whose.
            rows: Of one concept and predicate; `superseded_by` and `valid_to` are set here.
            expected_head: Id of the row the first of them supersedes; `None`: the chain is new.

        Returns:
            Whether they were added; `False`, with nothing changed: the chain has another head by now, or the payload
            of an episode they add as evidence is gone.

        Raises:
            ValueError: The rows are not of this scope or not of one chain.
        """
        ...

    def checks_tied(self, scope: Scope) -> int:
        """Return how many checks and quiz items stand behind some row."""
        ...

    def checks_on_record(self, scope: Scope) -> int:
        """Return how many checks and quiz items with a verdict the scope has, tied to a concept or not."""
        ...

    def fading_scopes(self, before: str) -> list[Scope]:
        """Return the scopes with a current belief that has held unchanged since before an instant (`instant_text`).

        The one question here about everyone: it is the nightly loop's, and it gives scopes, never rows.
        """
        ...
