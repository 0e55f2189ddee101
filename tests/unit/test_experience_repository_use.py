"""What uses, other processes and a person's hand do to entries of the repository."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.experience_doubles import STATE, AngleEmbedder, candidate, open_store

from preceptor.domain.experience import Experience, ExperienceValue
from preceptor.errors import InputError
from preceptor.experience.calibration import Thresholds
from preceptor.experience.repository import ExperienceRepository
from preceptor.experience.repository_merger import Merge, Merger
from preceptor.experience.repository_words import WordIndex
from preceptor.stores.experiences import ExperienceChange, ExperienceQuery
from preceptor.stores.sql.experiences import SqlExperienceStore

FIRST, SECOND = "The learner compares the parts.", "The learner reads the parts."
DEGREES = {FIRST: 0.0, SECOND: 10.0}


@pytest.fixture
def store(tmp_path: Path) -> SqlExperienceStore:
    return open_store(tmp_path)


def open_one(store: SqlExperienceStore, merger: Merger | None = None) -> ExperienceRepository:
    limits = Thresholds(tau=0.5, tau_merge=0.9, tau_dup=0.999)
    return ExperienceRepository(store, AngleEmbedder(DEGREES), thresholds=limits, merger=merger)


def add(repository: ExperienceRepository, one: Experience) -> str:
    return asyncio.run(repository.add(one)).outcome


def use(repository: ExperienceRepository, one: Experience, *scores: tuple[float, float | None]) -> Experience:
    after = one
    for turn, (score, baseline) in enumerate(scores):
        after = repository.record_use(one.experience_id, dialogue_id="u", turn=turn, score=score, baseline=baseline)
    return after


def test_the_mean_gain_is_over_the_uses_whose_score_without_experience_is_known(store: SqlExperienceStore) -> None:
    repository, made = open_one(store), candidate(FIRST)
    add(repository, made)
    after = use(repository, made, (80.0, 70.0), (90.0, None), (60.0, 40.0), (95.0, 92.0))
    assert after.mean_gain == pytest.approx((10 + 20 + 3) / 3)
    assert after.scored_uses == 4


def test_a_use_of_what_was_disabled_by_hand_keeps_the_reason_given(store: SqlExperienceStore) -> None:
    repository, made = open_one(store), candidate(FIRST)
    add(repository, made)
    repository.disable(made.experience_id, reason="not for this course")
    after = use(repository, made, *[(0.0, None)] * 4)
    assert (after.status, after.status_reason) == ("disabled", "not for this course")
    assert after.utility < 75
    assert [line.outcome for line in store.decisions(made.experience_id)] == ["inserted", "disabled"]


def test_a_reason_is_asked_for_and_goes_when_the_entry_comes_back(store: SqlExperienceStore) -> None:
    repository, made = open_one(store), candidate(FIRST)
    add(repository, made)
    with pytest.raises(InputError, match="expected a reason"):
        repository.disable(made.experience_id, reason=" ")
    repository.disable(made.experience_id, reason="weak")
    assert repository.enable(made.experience_id, reason="it fits after all").status_reason == ""
    assert store.decisions(made.experience_id)[-1].reason == "it fits after all"
    assert add(open_one(store), candidate(FIRST, dialogue="d2")) == "duplicate", "its vector is there again"


def test_an_entry_made_for_another_embedder_does_not_come_back_before_it_is_read_anew(
    store: SqlExperienceStore,
) -> None:
    repository = open_one(store)
    foreign = replace(candidate(FIRST, embedder="another"), status="disabled", status_reason="weak")
    store.commit(ExperienceChange(put=(foreign,)))
    with pytest.raises(InputError, match="was made for another: run `experience reembed`"):
        repository.enable(foreign.experience_id, reason="it fits")
    assert store.get(foreign.experience_id).status == "disabled"


def test_a_candidate_for_another_embedder_is_refused(store: SqlExperienceStore) -> None:
    with pytest.raises(InputError, match="the candidate is for 'another', the repository for 'angles'"):
        add(open_one(store), candidate(FIRST, embedder="another"))


def test_what_another_process_stored_for_another_embedder_is_not_compared(store: SqlExperienceStore) -> None:
    repository = open_one(store)
    store.commit(ExperienceChange(put=(candidate(FIRST, embedder="another"),)))
    with repository.reading() as index:
        assert index.candidates(STATE) == ()


def test_entries_that_are_alike_in_words_come_by_their_ids_and_one_that_went_weighs_no_more() -> None:
    index = WordIndex()
    kept = [candidate(text, turn=turn) for turn in range(3) for text in (FIRST, SECOND)]
    for one in kept:
        index.put(one)
    before = index.search(STATE, FIRST, k=9).hits
    alike = [hit.experience_id for hit in before if hit.similarity == 1.0]
    assert alike == sorted(one.experience_id for one in kept if one.sentence == FIRST)
    gone = candidate("The learner compares everything.", turn=9)
    index.put(gone)
    assert index.search(STATE, FIRST, k=9).hits != before
    index.remove(gone.experience_id)
    assert index.search(STATE, FIRST, k=9).hits == before


class MergerWith:
    """Does something first, as the time that a model takes allows others to, and keeps a sentence."""

    def __init__(self, first: Callable[[], None], sentence: str) -> None:
        self._first = first
        self._sentence = sentence

    async def merge(self, known: Experience, candidate: Experience) -> Merge:
        self._first()
        value = ExperienceValue(triggering_difficulty="the parts", applied_strategy="asks what each part counts")
        return Merge(state=known.state, sentence=self._sentence, value=value, engine="p/m")


def test_a_candidate_is_weighed_again_where_another_process_came_first_while_it_was_merged(
    store: SqlExperienceStore,
) -> None:
    twin = candidate(SECOND, dialogue="d3")

    def meanwhile() -> None:
        vector = open_one(store).stored_form(SECOND)
        assert vector is not None
        store.commit(ExperienceChange(put=(twin,), vectors={twin.experience_id: vector}))
        came.append(twin.experience_id)

    came: list[str] = []
    repository = open_one(store, MergerWith(meanwhile, FIRST))
    add(repository, candidate(FIRST))
    assert add(repository, candidate(SECOND, dialogue="d2")) == "duplicate"
    assert came == [twin.experience_id]
    active = store.find(ExperienceQuery())
    assert {one.sentence for one in active} == {FIRST, SECOND}


def test_a_merge_whose_sentence_cannot_be_compared_leaves_both_as_they_are(store: SqlExperienceStore) -> None:
    repository = open_one(store, MergerWith(lambda: None, "The learner reverses the order."))
    add(repository, candidate(FIRST))
    line = asyncio.run(repository.add(candidate(SECOND, dialogue="d2")))
    assert (line.outcome, line.reason) == ("inserted", "not merged: its sentence cannot be compared")
    assert {one.sentence for one in store.find(ExperienceQuery())} == {FIRST, SECOND}
