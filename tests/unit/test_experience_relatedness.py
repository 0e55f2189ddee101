"""State relatedness: the table of groups, the three levels and where the search stops."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from preceptor.domain.learner_state import Emotion, ErrorType, Intent, LearnerState, StruggleStatus
from preceptor.experience.state_relatedness import (
    LEVELS,
    closely_related,
    first_sufficient_level,
    matches_at,
)

BASE = LearnerState(
    emotion=Emotion.CONFUSED,
    intent=Intent.REQUEST_HINT,
    error_type=ErrorType.LOGIC_ERROR,
    struggle_status=StruggleStatus.REPEATED_ERROR,
)


@pytest.mark.parametrize(
    ("change", "levels", "related"),
    [
        ({}, "012", True),
        ({"error_type": "N/A"}, "012", True),
        ({"error_type": "Concept_Error"}, "", False),
        ({"error_type": "No_Error"}, "", False),
        ({"emotion": "Frustrated"}, "12", True),
        ({"emotion": "Neutral"}, "12", False),
        ({"intent": "Debugging"}, "12", True),
        ({"intent": "Guessing"}, "12", False),
        ({"struggle_status": "Persistent_Confusion"}, "12", True),
        ({"struggle_status": "Regression"}, "12", True),
        ({"struggle_status": "Progressing"}, "2", False),
        ({"struggle_status": "N/A"}, "2", False),
        ({"struggle_status": "First_Attempt", "error_type": "N/A"}, "2", False),
        ({"emotion": "Frustrated", "error_type": "N/A"}, "12", True),
    ],
)
def test_a_state_matches_at_these_levels(change: dict[str, str], levels: str, related: bool) -> None:
    kinds = {"emotion": Emotion, "intent": Intent, "error_type": ErrorType, "struggle_status": StruggleStatus}
    other = replace(BASE, **{name: kinds[name](value) for name, value in change.items()})  # type: ignore[arg-type]
    assert "".join(str(level) for level in LEVELS if matches_at(level, BASE, other)) == levels
    assert closely_related(BASE, other) is related


GROUPS = [
    (Emotion, [{"Confused", "Frustrated"}, {"Neutral", "Confident", "Curious", "Relieved"}]),
    (
        Intent,
        [
            {"Ask_Answer", "Guessing"},
            {"Ask_Concept", "Ask_Explanation"},
            {"Request_Hint", "Debugging"},
            {"Confirm_Understanding"},
            {"Off_Topic"},
        ],
    ),
    (
        StruggleStatus,
        [{"First_Attempt", "Progressing"}, {"Repeated_Error", "Persistent_Confusion", "Regression"}, {"N/A"}],
    ),
]


@pytest.mark.parametrize(("kind", "groups"), GROUPS, ids=["emotion", "intent", "struggle"])
def test_every_value_stands_in_one_group(
    kind: type[Emotion] | type[Intent] | type[StruggleStatus], groups: list[set[str]]
) -> None:
    field = {Emotion: "emotion", Intent: "intent", StruggleStatus: "struggle_status"}[kind]
    assert sorted(value for group in groups for value in group) == sorted(kind)
    for one, other in product(kind, kind):
        together = any({one.value, other.value} <= group for group in groups)
        states = [replace(BASE, **{field: value}) for value in (one, other)]  # type: ignore[arg-type]
        assert closely_related(*states) is together


def test_an_experience_without_an_error_type_matches_every_error_type_both_ways() -> None:
    silent = replace(BASE, error_type=ErrorType.NOT_APPLICABLE)
    for error_type in ErrorType:
        other = replace(BASE, error_type=error_type)
        assert matches_at(0, silent, other)
        assert matches_at(0, other, silent)


@pytest.mark.parametrize(
    ("counts", "level"),
    [((3, 9, 9), 0), ((2, 3, 9), 1), ((2, 2, 3), 2), ((0, 2, 2), 2), ((0, 0, 0), 2), ((100, 100, 100), 0)],
)
def test_the_search_stops_at_the_first_level_with_three_candidates(counts: tuple[int, ...], level: int) -> None:
    assert first_sufficient_level(counts) == level
