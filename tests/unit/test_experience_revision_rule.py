"""Truth table of the revision rule and the gate, with N/A and both sides of each threshold."""

from __future__ import annotations

import pytest

from preceptor.domain.rubric import Dimension, RubricScores, Score
from preceptor.experience.revision_rule import RevisionRule

RULE = RevisionRule()


def scores(*values: int | None) -> RubricScores:
    made = [Score.not_applicable() if value is None else Score.of(value) for value in values]
    return RubricScores(**dict(zip((dimension.value for dimension in Dimension), made, strict=True)))


@pytest.mark.parametrize(
    ("values", "revise", "admit"),
    [
        ((4, 4, 3, 4, None), False, True),  # 93.75: a first turn is not routed for its N/A
        ((4, 4, 3, 4, 3), False, True),  # 90.00 exactly: gamma is reached by being equal
        ((4, 3, 4, 3, 3), False, False),  # 85.00 exactly: not below tau_rev, yet below gamma
        ((3, 4, 3, 3, 4), False, False),  # 85.00
        ((3, 3, 3, 4, 3), True, False),  # 80.00: below tau_rev, though no dimension is below 3
        ((4, 3, 3, 3, None), True, False),  # 81.25
        ((4, 4, 3, 3, None), False, False),  # 87.50: a direct turn at 87.5 must not slip past the gate
        ((4, 4, 4, 2, None), True, False),  # 87.50, but a 2
        ((4, 4, 4, 4, 2), True, False),  # 90.00, but a 2: the minimum decides
        ((4, 4, 4, 4, 0), True, False),
        ((2, 3, 3, 3, None), True, False),
        ((4, 4, 4, 4, None), False, True),
    ],
)
def test_rule_and_gate(values: tuple[int | None, ...], revise: bool, admit: bool) -> None:
    assert RULE.needs_revision(scores(*values)) is revise
    assert RULE.admits(scores(*values)) is admit


def test_what_is_unscored_is_neither_routed_nor_admitted() -> None:
    failed = RubricScores(
        scaffolding=Score.of(4),
        attribution=Score.unscored("timed out"),
        empathy=Score.of(4),
        teaching_focus=Score.of(4),
        strategy_adaptation=Score.not_applicable(),
    )
    assert RULE.needs_revision(failed) is None
    assert RULE.admits(failed) is False


def test_thresholds_are_compared_as_eq_5_writes_them() -> None:
    strict = RevisionRule(tau_rev=85.01, gamma=93.75)
    assert strict.needs_revision(scores(4, 3, 4, 3, 3)) is True
    assert strict.admits(scores(4, 4, 3, 4, None)) is True
    assert RevisionRule(gamma=93.76).admits(scores(4, 4, 3, 4, None)) is False
    assert RevisionRule(tau_min=4).needs_revision(scores(4, 4, 3, 4, None)) is True
    assert RevisionRule(gate_min=4).admits(scores(4, 4, 3, 4, None)) is False


@pytest.mark.parametrize("bad", [{"tau_rev": 101.0}, {"tau_min": 5}, {"gamma": 80.0}, {"gate_min": -1}])
def test_thresholds_off_their_scale_are_refused(bad: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="must be"):
        RevisionRule(**bad)  # type: ignore[arg-type]
