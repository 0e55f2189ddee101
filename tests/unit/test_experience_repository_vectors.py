"""The exact search: the same as a full scan, whatever the data, the filter and what was removed since."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from preceptor.domain.experience import Experience, ExperienceProvenance, ExperienceValue
from preceptor.domain.learner_state import Emotion, ErrorType, Intent, LearnerState, StruggleStatus
from preceptor.experience import repository_rows, repository_vectors
from preceptor.experience.repository_rows import SortedRows
from preceptor.experience.repository_vectors import VectorIndex
from preceptor.experience.state_relatedness import matches_at
from preceptor.models.embedder import Vector

DIMENSIONS = 24
STATES = [
    LearnerState(emotion=emotion, intent=Intent.DEBUGGING, error_type=error, struggle_status=struggle)
    for emotion, error, struggle in product(
        (Emotion.NEUTRAL, Emotion.CONFUSED),
        (ErrorType.LOGIC_ERROR, ErrorType.CARELESS, ErrorType.NOT_APPLICABLE),
        (StruggleStatus.FIRST_ATTEMPT, StruggleStatus.REGRESSION),
    )
]


class RandomEmbedder:
    """Gives each text a vector of its own, close to one of a few centres."""

    fingerprint = "random"
    languages = ("en",)
    dimensions = DIMENSIONS

    def embed(self, texts: Sequence[str], *, language: str | None = None) -> list[Vector | None]:
        return [self._vector(text) for text in texts]

    def _vector(self, text: str) -> Vector | None:
        if not text:
            return None
        seed = int.from_bytes(text.encode()[-8:], "big")
        centre = np.random.default_rng(seed % 7).standard_normal(DIMENSIONS)
        found = centre + 0.6 * np.random.default_rng(seed).standard_normal(DIMENSIONS)
        return (found / np.linalg.norm(found)).astype(np.float32)


def _entry(place: int, state: LearnerState) -> Experience:
    return Experience(
        experience_id=f"x{place:020d}",
        state=state,
        sentence=f"sentence {place}",
        embedder="random",
        value=ExperienceValue(triggering_difficulty="d", applied_strategy="s"),
        provenance=ExperienceProvenance(),
        utility=90,
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
    )


def _filled(n: int, *, removed: Sequence[int] = ()) -> tuple[VectorIndex, dict[str, tuple[LearnerState, Vector]]]:
    index, known = VectorIndex(RandomEmbedder()), {}
    for place in range(n):
        entry = _entry(place, STATES[place * 7 % len(STATES)])
        index.put(entry)
        stored = np.frombuffer(index.stored_form(entry.sentence) or b"", "<f2").astype(np.float32)
        known[entry.experience_id] = (entry.state, stored)
    for place in removed:
        index.remove(f"x{place:020d}")
        known.pop(f"x{place:020d}")
    return index, known


@pytest.mark.parametrize("tail_limit", [5000, 100, 7], ids=["all in the tail", "both", "sorted often"])
@pytest.mark.parametrize("filtered", [True, False])
def test_a_search_finds_what_a_full_scan_finds(
    monkeypatch: pytest.MonkeyPatch, tail_limit: int, filtered: bool
) -> None:
    monkeypatch.setattr(repository_vectors, "TAIL_LIMIT", tail_limit)
    monkeypatch.setattr(repository_rows, "HEAD_DIMENSIONS", 5)
    index, known = _filled(600, removed=range(0, 600, 11))
    for number, state in enumerate(STATES):
        sentence = f"asked {number}"
        query = np.frombuffer(index.stored_form(sentence) or b"", "<f2").astype(np.float32)
        found = index.search(state, sentence, k=5, filtered=filtered)
        chosen = {
            key: float(vector @ query)
            for key, (other, vector) in known.items()
            if not filtered or matches_at(0, state, other)
        }
        best = sorted(chosen, key=lambda key: (-chosen[key], key))[:5]
        assert [hit.experience_id for hit in found.hits] == best
        assert [hit.similarity for hit in found.hits] == pytest.approx([chosen[key] for key in best], abs=1e-5)
        assert (found.level, found.n_candidates) == (0 if filtered else None, len(chosen))
        assert index.candidates(state, filtered=filtered) == tuple(sorted(chosen))


@given(
    n=st.integers(1, 3000),
    seed=st.integers(0, 2**32 - 1),
    spread=st.sampled_from([0.0, 0.01, 0.5, 50.0]),
    k=st.integers(1, 6),
    head=st.sampled_from([1, 4, 12]),
)
def test_bounds_never_hide_the_best_rows(n: int, seed: int, spread: float, k: int, head: int) -> None:
    """Clustered, identical or spread evenly: the heads may hold much or nothing of the vectors."""
    random = np.random.default_rng(seed)
    vectors = random.standard_normal((1 + n // 50, 12))[random.integers(0, 1 + n // 50, n)]
    vectors = vectors + spread * random.standard_normal((n, 12))
    stored = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float16)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(repository_rows, "HEAD_DIMENSIONS", head)
        rows = SortedRows(12)
        rows.fill(((f"x{place:020d}", STATES[0]) for place in range(n)), n, (row.tobytes() for row in stored))
    query = random.standard_normal(12).astype(np.float32)
    query /= np.linalg.norm(query)
    found = rows.best([(0, n)], query, k)
    exact = np.sort(stored.astype(np.float32) @ query)[::-1][:k]
    assert [score for _, score in found] == pytest.approx(list(exact), abs=1e-5)


def test_vectors_above_the_memory_limit_are_mapped_from_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repository_vectors, "TAIL_LIMIT", 7)
    in_memory, _ = _filled(100)
    monkeypatch.setattr(repository_rows, "MEMORY_LIMIT_BYTES", 1000)
    mapped, _ = _filled(100)
    assert (in_memory.is_mapped, mapped.is_mapped) == (False, True)
    assert mapped.n_bytes < in_memory.n_bytes
    for state in STATES:
        assert mapped.search(state, "asked", k=3) == in_memory.search(state, "asked", k=3)


def test_the_search_widens_level_by_level_until_three_candidates() -> None:
    index = VectorIndex(RandomEmbedder())
    exact = STATES[0]
    near = replace(exact, intent=Intent.OFF_TOPIC)
    far = replace(exact, struggle_status=StruggleStatus.REGRESSION)
    expected = [(0, None, 2, 0), (1, exact, 2, 1), (2, near, 2, 2), (3, far, 2, 3), (4, near, 1, 3), (5, exact, 1, 4)]
    for place, state, level, n in expected:
        if state is not None:
            index.put(_entry(place, state))
        found = index.search(exact, "asked", k=9)
        assert (found.level, found.n_candidates) == (level, n)


def test_the_mean_similarity_is_that_of_all_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repository_vectors, "TAIL_LIMIT", 20)
    index, known = _filled(60, removed=[3])
    vectors = np.stack([vector for _, vector in known.values()])
    pairs = (vectors @ vectors.T)[np.triu_indices(len(vectors), 1)]
    assert index.mean_similarity() == pytest.approx(float(pairs.mean()), abs=1e-4)
    assert VectorIndex(RandomEmbedder()).mean_similarity() is None
    assert sum(index.state_counts().values()) == 59
