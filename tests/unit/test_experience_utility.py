"""Equation 14 and the rule for disabling, against hand computations."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.experience_doubles import candidate

from preceptor.domain.experience import Experience
from preceptor.experience.utility import UtilityRule, merged_utility, should_disable, update_mean, update_utility


@pytest.mark.parametrize(
    ("old", "score", "alpha", "new"),
    [(90.0, 50.0, 0.7, 78.0), (50.0, 90.0, 0.7, 62.0), (90.0, 50.0, 0.0, 50.0), (100.0, 0.0, 0.9, 90.0)],
)
def test_alpha_weighs_the_old_value(old: float, score: float, alpha: float, new: float) -> None:
    assert update_utility(old, outcome_score=score, alpha=alpha) == pytest.approx(new)


@pytest.mark.parametrize("score", [-0.1, 100.1, float("nan")])
def test_what_is_no_percentage_is_refused(score: float) -> None:
    with pytest.raises(ValueError, match="outcome_score must be 0..100"):
        update_utility(90.0, outcome_score=score)


@pytest.mark.parametrize(
    ("utility", "uses", "gain", "disabled"),
    [
        (74.999, 3, None, True),
        (75.0, 3, None, False),
        (74.999, 2, None, False),
        (0.0, 9, 0.0, True),
        (0.0, 9, 0.001, False),
        (0.0, 9, -5.0, True),
    ],
)
def test_disabling_needs_weakness_repetition_and_no_gain(
    utility: float, uses: int, gain: float | None, disabled: bool
) -> None:
    entry = replace(candidate("s"), utility=utility, scored_uses=uses, mean_gain=gain)
    assert should_disable(entry, UtilityRule()) is disabled


def test_a_merged_utility_lies_between_and_leans_to_the_tried_parent() -> None:
    def parent(utility: float, uses: int) -> Experience:
        return replace(candidate("s"), utility=utility, scored_uses=uses)

    assert merged_utility((parent(90, 0), parent(100, 0))) == 95.0
    assert merged_utility((parent(60, 9), parent(100, 0))) == pytest.approx(700 / 11)


def test_a_running_mean_is_the_mean() -> None:
    mean = None
    for n, value in enumerate([4.0, -2.0, 7.0]):
        mean = update_mean(mean, n=n, value=value)
    assert mean == pytest.approx(3.0)
    with pytest.raises(ValueError, match="alpha must be in"):
        UtilityRule(alpha=1.0)
