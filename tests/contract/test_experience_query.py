"""Which experiences a query keeps, by tags and by origin, on both databases."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from preceptor.domain.experience import ExperienceProvenance, ExperienceValue, SourceTurn, new_experience
from preceptor.domain.learner_state import Emotion, ErrorType, Intent, LearnerState, StruggleStatus
from preceptor.experience.repository import ExperienceRepository
from preceptor.experience.starter import begin_with_starter, starter_entries
from preceptor.stores.experiences import ExperienceChange, ExperienceQuery, ExperienceStore
from preceptor.stores.sql.database import Database
from preceptor.stores.sql.experiences import SqlExperienceStore

NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
STATE = LearnerState(
    emotion=Emotion.CONFUSED,
    intent=Intent.REQUEST_HINT,
    error_type=ErrorType.LOGIC_ERROR,
    struggle_status=StruggleStatus.REPEATED_ERROR,
)
LOOKS_LIKE_AN_ORIGIN = 'says "made_by":"llm" and "simulated":true'


@pytest.fixture
def store(database: Database) -> ExperienceStore:
    opened = SqlExperienceStore(database)
    rules = ExperienceProvenance(sources=(SourceTurn(dialogue_id="d", turn=1),))
    kept = (
        ("plain", STATE, rules),
        (LOOKS_LIKE_AN_ORIGIN, replace(STATE, emotion=Emotion.NEUTRAL), rules),
        ("scripted", replace(STATE, intent=Intent.GUESSING), replace(rules, simulated=True)),
        ("by a model", STATE, replace(rules, made_by="llm")),
    )
    made = tuple(
        new_experience(
            state=state,
            sentence=sentence,
            embedder="e1",
            value=ExperienceValue(triggering_difficulty=sentence, applied_strategy="asks"),
            provenance=provenance,
            created_at=NOON,
        )
        for sentence, state, provenance in kept
    )
    opened.commit(ExperienceChange(put=made))
    return opened


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (ExperienceQuery(emotion=Emotion.NEUTRAL), [LOOKS_LIKE_AN_ORIGIN]),
        (ExperienceQuery(intent=Intent.GUESSING), ["scripted"]),
        (ExperienceQuery(emotion=Emotion.CONFUSED, intent=Intent.REQUEST_HINT), ["plain", "by a model"]),
        (ExperienceQuery(made_by="llm"), ["by a model"]),
        (ExperienceQuery(made_by="builtin"), ["plain", LOOKS_LIKE_AN_ORIGIN, "scripted"]),
        (ExperienceQuery(simulated=True), ["scripted"]),
        (ExperienceQuery(simulated=False, made_by="builtin"), ["plain", LOOKS_LIKE_AN_ORIGIN]),
    ],
)
def test_a_query_keeps_what_it_names(store: ExperienceStore, query: ExperienceQuery, expected: list[str]) -> None:
    assert [entry.sentence for entry in store.find(query)] == expected


def test_the_starter_is_stored_once_on_either_database(database: Database) -> None:
    store = SqlExperienceStore(database)
    repository = ExperienceRepository(store, None)
    assert begin_with_starter(repository) == len(starter_entries())
    assert begin_with_starter(repository) == 0
    every = ExperienceQuery(statuses=("active", "disabled", "superseded"))
    assert [one.experience_id for one in store.find(every)] == [one.experience_id for one in starter_entries()]
