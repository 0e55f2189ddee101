"""Consents and distilled turns on both databases."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from preceptor.stores.consents import Consent
from preceptor.stores.distilled_turns import DistilledTurn
from preceptor.stores.sql.consents import SqlConsentStore
from preceptor.stores.sql.database import Database
from preceptor.stores.sql.distilled_turns import SqlDistilledTurnStore

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
TURN = DistilledTurn(
    dialogue_id="d1",
    turn=2,
    digest="aa",
    bucket="inserted",
    routed=True,
    rounds=1,
    experience_id="x1",
    batch="b",
    done_at=NOON,
)


def _consent(learner_id: str, allowed: bool) -> Consent:
    return Consent(learner_id=learner_id, use_for_teaching=allowed, decided_at=NOON)


def test_a_learner_who_was_never_asked_has_no_consent(database: Database) -> None:
    store = SqlConsentStore(database)
    assert store.get("ana") is None
    assert store.learners() == []


def test_the_latest_decision_counts(database: Database) -> None:
    store = SqlConsentStore(database)
    store.put(_consent("bo", True))
    store.put(_consent("ana", True))
    store.put(_consent("bo", False))
    assert store.get("bo") == _consent("bo", False)
    assert store.learners() == ["ana"]
    store.forget("ana")
    assert store.get("ana") is None


def test_a_decision_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="timezone"):
        Consent(learner_id="a", use_for_teaching=True, decided_at=NOON.replace(tzinfo=None))


def test_a_turn_is_stored_once_and_stays_as_it_was(database: Database) -> None:
    store = SqlDistilledTurnStore(database)
    store.add([TURN])
    store.add([replace(TURN, bucket="duplicate"), replace(TURN, digest="bb", bucket="duplicate", rounds=2)])
    assert store.digests("d1") == {(2, "aa"), (2, "bb")}
    assert store.tally() == [("duplicate", True, 2, 1), ("inserted", True, 1, 1)]


def test_a_tally_of_some_dialogues_counts_only_theirs(database: Database) -> None:
    store = SqlDistilledTurnStore(database)
    store.add([replace(TURN, dialogue_id=f"d{place}") for place in range(1100)])
    assert store.tally([f"d{place}" for place in range(700)]) == [("inserted", True, 1, 700)]
    assert store.tally([]) == []


def test_forgetting_a_dialogue_takes_all_its_turns(database: Database) -> None:
    store = SqlDistilledTurnStore(database)
    store.add([TURN, replace(TURN, turn=3), replace(TURN, dialogue_id="d2")])
    assert store.forget(["d1", "d9"]) == 2
    assert store.digests("d1") == frozenset()
    assert len(store.digests("d2")) == 1
