"""An index that grew by appends is the one that would be built at once; what was read of it before stays as it was."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import fields, replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from preceptor.domain.scope import Scope
from preceptor.memory.entry import HEADER
from preceptor.memory.growing_array import GrowingArray
from preceptor.memory.scope_index import RECOUNT, ScopeIndex, ScopeIndexes, build_index
from preceptor.stores.memory import MemoryState, StoredEntry

ANA = Scope(learner_id="ana", subject_id="maths")
FINGERPRINT = "drawn"


def _entry(sequence: int, *, dialogue: int, actor: int, narration: bool, words: Sequence[int]) -> StoredEntry:
    header = np.zeros(1, dtype=HEADER)
    header["dialogue"], header["actor"], header["flags"], header["concepts"] = (
        dialogue,
        actor,
        narration,
        len(words) % 2,
    )
    header["language"] = actor % 3
    concepts = np.arange(len(words) % 2, dtype="<u4")
    content = header.tobytes() + concepts.tobytes() + np.array(words, dtype="<u4").tobytes()
    return StoredEntry(sequence=sequence, episode_id=f"e{sequence}", content=content)


class DrawnStore:
    """The entries and vectors of one scope, as the database would give them."""

    def __init__(self) -> None:
        """Begin without any."""
        self.held: list[StoredEntry] = []
        self.made: dict[int, bytes] = {}
        self.revision = self.writes = self.sequence = self.reads = 0

    def append(self, drawn: Sequence[tuple[int, int, bool, list[int]]]) -> None:
        """Add entries at the end; every third link has none."""
        for dialogue, actor, narration, words in drawn:
            self.sequence += 1 + (self.sequence % 3 == 0)
            self.held.append(_entry(self.sequence, dialogue=dialogue, actor=actor, narration=narration, words=words))

    def erase(self, place: int) -> None:
        """Take an entry and its vector away."""
        if self.held:
            gone = self.held.pop(place % len(self.held))
            self.made.pop(gone.sequence, None)
            self.revision += 1

    def embed(self, most: int) -> None:
        """Give the oldest entries without a vector theirs; every fourth is declined."""
        for one in [one for one in self.held if one.sequence not in self.made][:most]:
            vector = np.full(3, one.sequence, dtype="<f2").tobytes()
            self.made[one.sequence] = b"" if one.sequence % 4 == 0 else vector
            self.writes += 1

    def state(self) -> MemoryState:
        """Return how far the index goes."""
        return MemoryState(
            head_sequence=self.sequence,
            indexed_sequence=self.sequence,
            revision=self.revision,
            vector_writes=self.writes,
        )

    def entries(self, scope: Scope, *, after_sequence: int = 0) -> list[StoredEntry]:
        """Return those after a link."""
        self.reads += sum(one.sequence > after_sequence for one in self.held)
        return [one for one in self.held if one.sequence > after_sequence]

    def vectors(self, scope: Scope, embedder: str, *, after_sequence: int = 0) -> list[tuple[int, bytes]]:
        """Return those after a link, by sequence."""
        return sorted(one for one in self.made.items() if one[0] > after_sequence)


def _same(one: ScopeIndex, other: ScopeIndex) -> bool:
    """Whether two indexes are alike in everything but the median count, which is found anew only now and then."""
    return all(
        np.array_equal(getattr(one, field.name), getattr(other, field.name))
        for field in fields(ScopeIndex)
        if field.name not in ("common_count", "vectors", "vector_rows")
    )


ROWS = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 3), st.booleans(), st.lists(st.integers(0, 9), max_size=6)), max_size=9
)
STEPS = st.lists(
    st.one_of(
        ROWS.map(lambda rows: ("append", rows)),
        st.integers(0, 50).map(lambda place: ("erase", place)),
        st.integers(1, 9).map(lambda most: ("embed", most)),
    ),
    max_size=12,
)


@given(STEPS)
def test_an_index_that_grew_is_the_one_built_at_once(steps: list[tuple[str, object]]) -> None:
    store = DrawnStore()
    indexes = ScopeIndexes(store, limit=2)  # type: ignore[arg-type]
    counts: dict[int, int] = {0: 0}
    before: list[tuple[ScopeIndex, ScopeIndex]] = []
    for name, value in steps:
        getattr(store, name)(value)
        index = indexes.index(ANA, store.state(), FINGERPRINT)
        built = build_index(store.held)
        assert _same(index, built)
        if name == "erase":
            counts = {}
        counts[len(built.words)] = built.common_count
        assert index.common_count in {count for size, count in counts.items() if size * RECOUNT >= len(built.words)}
        vectors = {
            int(index.sequences[row]): vector for row, vector in zip(index.vector_rows, index.vectors, strict=True)
        }
        assert vectors.keys() == {one for one, content in store.made.items() if content}
        assert all((vector == sequence).all() for sequence, vector in vectors.items())
        before.append((index, deepcopy(index)))
    for then, as_it_was in before:
        assert _same(then, as_it_was)


def test_an_append_reads_what_is_new_and_an_erasure_everything() -> None:
    store = DrawnStore()
    indexes = ScopeIndexes(store, limit=2)  # type: ignore[arg-type]
    store.append([(1, 0, False, [1, 2])] * 50)
    indexes.index(ANA, store.state(), None)
    store.append([(1, 0, False, [3])] * 2)
    indexes.index(ANA, store.state(), None)
    assert store.reads == 52
    store.erase(0)
    assert indexes.index(ANA, store.state(), None).size == 51
    assert store.reads == 52 + 51


def test_a_vector_beyond_the_index_waits_for_its_row() -> None:
    store = DrawnStore()
    indexes = ScopeIndexes(store, limit=2)  # type: ignore[arg-type]
    store.append([(1, 0, False, [1])] * 3)
    known = store.state()
    indexes.index(ANA, known, None)
    store.append([(1, 0, False, [2])])
    store.embed(9)
    early = indexes.index(ANA, replace(known, vector_writes=store.writes), FINGERPRINT)
    assert (early.size, early.vector_rows.max()) == (3, 2)
    late = indexes.index(ANA, store.state(), FINGERPRINT)
    assert late.sequences[late.vector_rows].tolist() == [one for one, content in store.made.items() if content]


@given(st.lists(st.lists(st.integers(0, 99), max_size=40), max_size=12))
def test_rows_handed_out_stay_as_they_were(parts: list[list[int]]) -> None:
    grown = GrowingArray(np.zeros(0, dtype=np.int64))
    views = []
    for part in parts:
        grown.extend(np.array(part, dtype=np.int64))
        views.append((grown.rows, grown.rows.tolist()))
    assert grown.rows.tolist() == [one for part in parts for one in part]
    assert all(view.tolist() == then for view, then in views)
    assert all(not view.flags.writeable for view, _ in views)
