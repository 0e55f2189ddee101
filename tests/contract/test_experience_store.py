"""The experience repository's tables on both databases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from preceptor.domain.experience import (
    Experience,
    ExperienceProvenance,
    ExperienceValue,
    SourceTurn,
    Strategy,
    new_experience,
)
from preceptor.domain.learner_state import Emotion, ErrorType, Intent, LearnerState, StruggleStatus
from preceptor.errors import DuplicateError, NotFoundError
from preceptor.stores.experiences import (
    ExperienceChange,
    ExperienceDecision,
    ExperienceQuery,
    ExperienceStore,
    ExperienceUse,
)
from preceptor.stores.sql.database import Database
from preceptor.stores.sql.experiences import SqlExperienceStore

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
STATE = LearnerState(
    emotion=Emotion.CONFUSED,
    intent=Intent.REQUEST_HINT,
    error_type=ErrorType.LOGIC_ERROR,
    struggle_status=StruggleStatus.REPEATED_ERROR,
)
VECTOR = bytes(range(8))


@pytest.fixture
def store(database: Database) -> ExperienceStore:
    return SqlExperienceStore(database)


def _made(sentence: str, *, state: LearnerState = STATE, sources: Sequence[tuple[str, int]] = ()) -> Experience:
    return new_experience(
        state=state,
        sentence=sentence,
        embedder="e1",
        value=ExperienceValue(
            triggering_difficulty=sentence,
            applied_strategy="asks what each part counts – «½»",
            scaffolding_steps=("one", "two"),
            undesirable_behaviours=("tells the result",),
            strategy=Strategy.DECOMPOSE,
        ),
        provenance=ExperienceProvenance(
            sources=tuple(SourceTurn(dialogue_id=dialogue, turn=turn) for dialogue, turn in sources),
            original_percent=87.5,
            scores=(("scaffolding", 4), ("strategy_adaptation", None)),
            admission_percent=93.75,
            engines=(("critic", "builtin"),),
            simulated=True,
        ),
        created_at=NOON,
    )


def _decided(experience: Experience, outcome: str = "inserted", **more: object) -> ExperienceDecision:
    return ExperienceDecision(
        candidate_id=experience.experience_id,
        outcome=outcome,  # type: ignore[arg-type]
        decided_at=NOON,
        **more,  # type: ignore[arg-type]
    )


def test_an_experience_comes_back_as_it_was_stored(store: ExperienceStore) -> None:
    made = _made("confuses part and whole", sources=[("d1", 2), ("d2", 0)])
    assert store.revision() == 0
    assert store.commit(ExperienceChange(put=(made,), vectors={made.experience_id: VECTOR})) == 1
    assert store.get(made.experience_id) == made
    assert store.vector(made.experience_id) == VECTOR
    assert store.revision() == 1


def test_an_unknown_experience_is_not_found(store: ExperienceStore) -> None:
    with pytest.raises(NotFoundError, match="'x9'"):
        store.get("x9")
    assert (store.vector("x9"), store.first_decision("x9"), store.uses("x9")) == (None, None, [])


def test_a_commit_after_another_one_changes_nothing(store: ExperienceStore) -> None:
    first, second = _made("first"), _made("second")
    assert store.commit(ExperienceChange(put=(first,)), expected_revision=0) == 1
    assert store.commit(ExperienceChange(put=(second,)), expected_revision=0) is None
    assert (store.revision(), len(store.find(ExperienceQuery()))) == (1, 1)
    assert store.commit(ExperienceChange(put=(second,)), expected_revision=1) == 2


def test_putting_again_replaces_and_keeps_place_and_vector(store: ExperienceStore) -> None:
    first, second = _made("first"), _made("second")
    store.commit(ExperienceChange(put=(first, second), vectors={first.experience_id: VECTOR}))
    changed = replace(first, status="disabled", status_reason="weak", utility=61.5, scored_uses=3, mean_gain=-2.0)
    store.commit(ExperienceChange(put=(changed,)))
    everything = store.find(ExperienceQuery(statuses=("active", "disabled")))
    assert everything == [changed, second]
    assert store.find(ExperienceQuery()) == [second]
    assert store.find(ExperienceQuery(statuses=("disabled",), changed_after=1)) == [changed]
    assert store.find(ExperienceQuery(changed_after=1)) == []
    assert store.vector(first.experience_id) == VECTOR


def test_experiences_are_narrowed_by_state_and_text(store: ExperienceStore) -> None:
    other = replace(STATE, error_type=ErrorType.NOT_APPLICABLE, struggle_status=StruggleStatus.PROGRESSING)
    made = (_made("Part 100% whole"), _made("part 1000 whole"), _made("third", state=other))
    store.commit(ExperienceChange(put=made))
    assert store.find(ExperienceQuery(text="part 100%")) == [made[0]]
    assert store.find(ExperienceQuery(error_type=ErrorType.NOT_APPLICABLE)) == [made[2]]
    assert store.find(ExperienceQuery(struggle_status=StruggleStatus.REPEATED_ERROR, limit=1, offset=1)) == [made[1]]


def test_active_vectors_of_one_embedder_are_read_in_order(store: ExperienceStore) -> None:
    made = [_made(f"sentence {letter}") for letter in "abcd"]
    made[3] = replace(made[3], embedder="e2")
    made[1] = replace(made[1], status="superseded")
    vectors = {one.experience_id: bytes([place] * 4) for place, one in enumerate(made)}
    store.commit(ExperienceChange(put=tuple(made), vectors=vectors))
    with store.open_vectors("e1") as reading:
        assert (reading.revision, reading.n) == (1, 2)
        assert list(reading.keys) == [(made[0].experience_id, STATE), (made[2].experience_id, STATE)]
        assert list(reading.vectors) == [bytes([0] * 4), bytes([2] * 4)]
    assert store.embedders() == {"e1": 2, "e2": 1}


def test_decisions_are_kept_in_order_and_found_by_either_id(store: ExperienceStore) -> None:
    one, two, three = _made("one"), _made("two"), _made("three")
    first = _decided(one)
    second = _decided(
        two, "merged", other_id=one.experience_id, result_id=three.experience_id, similarity=0.8125, threshold=0.8
    )
    store.commit(ExperienceChange(decisions=(first,)))
    store.commit(ExperienceChange(decisions=(second, _decided(two, "disabled", reason="weak"))))
    assert [line.outcome for line in store.decisions()] == ["inserted", "merged", "disabled"]
    assert store.decisions(one.experience_id) == [first, second]
    assert store.first_decision(two.experience_id) == second
    assert store.outcome_counts() == {"inserted": 1, "merged": 1, "disabled": 1}


def test_a_merged_experience_is_found_from_its_parent(store: ExperienceStore) -> None:
    one, two, child = _made("one"), _made("two"), _made("three")
    parents = (one.experience_id, two.experience_id)
    child = replace(child, provenance=replace(child.provenance, parents=parents))
    merged = _decided(two, "merged", other_id=one.experience_id, result_id=child.experience_id)
    store.commit(ExperienceChange(put=(one, two, child), decisions=(merged,)))
    assert store.children(one.experience_id) == store.children(two.experience_id) == [child]
    assert store.children(child.experience_id) == []


def test_sources_lead_to_experiences_and_follow_a_change(store: ExperienceStore) -> None:
    one, two = _made("one", sources=[("d1", 0), ("d1", 3)]), _made("two", sources=[("d2", 0)])
    store.commit(ExperienceChange(put=(one, two)))
    assert store.find_by_dialogue(["d1", "d2", "d9"]) == [one, two]
    store.commit(ExperienceChange(put=(replace(one, provenance=replace(one.provenance, sources=())),)))
    assert store.find_by_dialogue(["d1"]) == []


def test_a_use_is_stored_once_and_forgotten_with_its_dialogue(store: ExperienceStore) -> None:
    use = ExperienceUse(
        experience_id="x1", dialogue_id="d1", turn=2, score=75.0, baseline_score=70.0, utility_after=88.0, used_at=NOON
    )
    store.commit(ExperienceChange(uses=(use, replace(use, turn=3, baseline_score=None))))
    with pytest.raises(DuplicateError):
        store.commit(ExperienceChange(put=(_made("new"),), uses=(use,)))
    assert (store.revision(), store.find(ExperienceQuery())) == (1, [])
    assert store.uses("x1") == [use, replace(use, turn=3, baseline_score=None)]
    assert store.forget_uses(["d1"]) == 2
    assert store.uses("x1") == []


def test_thresholds_and_counts_are_replaced_by_their_key(store: ExperienceStore) -> None:
    assert store.thresholds("e1") is None
    store.put_thresholds("e1", {"tau": 0.5})
    store.put_thresholds("e1", {"tau": 0.25, "origin": "calibrated"})
    assert store.thresholds("e1") == {"tau": 0.25, "origin": "calibrated"}
    store.put_counts("b1", {"turns": 5, "meaningful": 4})
    store.put_counts("b1", {"turns": 7})
    store.put_counts("b2", {"turns": 1, "meaningful": 1})
    assert store.counts("b1") == {"turns": 7}
    assert store.counts() == {"turns": 8, "meaningful": 1}
