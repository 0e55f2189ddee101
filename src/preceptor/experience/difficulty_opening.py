"""The order by kind of mistake for a running program, made once when the repository is loaded."""

from __future__ import annotations

from preceptor.experience.difficulty_head import WARM_AT_MOST, KindOrder, shipped_difficulty_head
from preceptor.experience.repository import ExperienceRepository
from preceptor.models.embedder import Embedder
from preceptor.stores.experiences import ExperienceQuery


def open_kind_order(repository: ExperienceRepository, embedder: Embedder | None) -> KindOrder | None:
    """Return the order by kind of mistake with every active entry looked at, or `None`.

    `None` where there is no embedder, the head was fitted for another, or the repository holds more than
    `WARM_AT_MOST` active entries. Takes some milliseconds an entry.
    """
    head = shipped_difficulty_head()
    if embedder is None or not head.embedder == embedder.fingerprint == repository.fingerprint:
        return None
    entries = repository.store.find(ExperienceQuery(statuses=("active",), limit=WARM_AT_MOST + 1))
    if len(entries) > WARM_AT_MOST:
        return None
    order = KindOrder(head=head, embedder=embedder)
    order.warm_entries(entries)
    return order
