"""The rubric's scale, caps and percentages, against the worked vectors of the requirements."""

from __future__ import annotations

import pytest

from preceptor.domain.rubric import (
    Critique,
    Dimension,
    Flag,
    RubricScores,
    Score,
    apply_caps,
    dimension_means,
    sample_level,
    sample_percent,
    turn_level,
)


def scores(*values: int | None) -> RubricScores:
    """Return five scores in the rubric's order; None is N/A."""
    made = [Score.not_applicable() if value is None else Score.of(value) for value in values]
    return RubricScores(**dict(zip((dimension.value for dimension in Dimension), made, strict=True)))


@pytest.mark.parametrize(
    ("values", "percent", "lowest"),
    [
        ((4, 4, 3, 4, None), 93.75, 3),
        ((4, 4, 3, 4, 3), 90.00, 3),
        ((2, 3, 3, 3, None), 68.75, 2),
        ((0, 0, 0, 0, 0), 0.0, 0),
        ((4, 4, 4, 4, 0), 80.0, 0),
        ((4, 4, 4, 4, None), 100.0, 4),
    ],
)
def test_turn_percent_leaves_not_applicable_out(values: tuple[int | None, ...], percent: float, lowest: int) -> None:
    # N/A as 0 would give 75.00 and as 4 95.00 for the first vector.
    assert scores(*values).percent == percent
    assert scores(*values).lowest == lowest


def test_sample_is_the_mean_of_turn_percentages_and_not_pooled_points() -> None:
    dialogue = [scores(4, 4, 3, 4, None), scores(4, 4, 3, 4, 3)]
    assert sample_percent(dialogue) == 91.875
    assert sample_percent(dialogue) != pytest.approx(100 * 33 / 36)


def test_sample_level_weighs_dialogues_and_turn_level_weighs_turns() -> None:
    short, long = [scores(4, 4, 4, 4, None)], [scores(2, 2, 2, 2, None)] * 3
    assert sample_level([short, long]) == 75.0
    assert turn_level([short, long]) == 62.5


def test_dimension_means_come_with_their_n() -> None:
    means = dimension_means([scores(4, 2, 3, 4, None), scores(2, 2, 3, 4, 1)])
    assert (means[Dimension.SCAFFOLDING].mean, means[Dimension.SCAFFOLDING].n) == (3.0, 2)
    assert (means[Dimension.STRATEGY_ADAPTATION].mean, means[Dimension.STRATEGY_ADAPTATION].n) == (1.0, 1)
    assert dimension_means([])[Dimension.EMPATHY].mean is None


def test_an_unscored_turn_is_left_out_and_never_zero() -> None:
    failed = RubricScores(
        scaffolding=Score.unscored("no answer from the model"),
        attribution=Score.of(4),
        empathy=Score.of(4),
        teaching_focus=Score.of(4),
        strategy_adaptation=Score.not_applicable(),
    )
    assert failed.percent is None
    assert failed.lowest is None
    assert failed.unscored == (Dimension.SCAFFOLDING,)
    assert sample_percent([failed, scores(4, 4, 4, 4, None)]) == 100.0
    assert sample_percent([failed]) is None
    assert sample_level([[failed], [scores(2, 2, 2, 2, None)]]) == 50.0


@pytest.mark.parametrize(
    ("flag", "dimension", "cap"),
    [
        (Flag.ANSWER_GIVEN, Dimension.SCAFFOLDING, 0),
        (Flag.PSEUDO_SCAFFOLDING, Dimension.SCAFFOLDING, 2),
        (Flag.FAKE_EMPATHY, Dimension.EMPATHY, 2),
        (Flag.MISDIAGNOSIS, Dimension.ATTRIBUTION, 1),
    ],
)
def test_each_flag_caps_its_dimension_only(flag: Flag, dimension: Dimension, cap: int) -> None:
    capped = apply_caps(scores(4, 4, 4, 4, 4), {flag})
    assert {each: capped.of(each).value for each in Dimension} == {
        each: cap if each is dimension else 4 for each in Dimension
    }


def test_a_cap_never_raises_and_the_lower_of_two_holds() -> None:
    assert apply_caps(scores(1, 0, 1, 4, None), set(Flag)).of(Dimension.ATTRIBUTION).value == 0
    both = {Flag.ANSWER_GIVEN, Flag.PSEUDO_SCAFFOLDING}
    assert apply_caps(scores(4, 4, 4, 4, None), both).of(Dimension.SCAFFOLDING).value == 0
    assert apply_caps(scores(1, 4, 4, 4, None), {Flag.PSEUDO_SCAFFOLDING}).of(Dimension.SCAFFOLDING).value == 1


@pytest.mark.parametrize("value", [-1, 5, True])
def test_a_score_off_the_scale_is_refused(value: int) -> None:
    with pytest.raises(ValueError, match="0..4"):
        Score.of(value)


@pytest.mark.parametrize("place", range(4))
def test_only_strategy_adaptation_may_be_not_applicable(place: int) -> None:
    values: list[int | None] = [3, 3, 3, 3, 3]
    values[place] = None
    with pytest.raises(ValueError, match="cannot be N/A"):
        scores(*values)


def test_an_unscored_dimension_needs_a_reason() -> None:
    with pytest.raises(ValueError, match="reason"):
        Score.unscored("")


def test_improvement_areas_are_the_weak_ones_weakest_first() -> None:
    critique = Critique(scores=scores(2, 0, 3, 4, 1))
    assert critique.improvement_areas == (
        Dimension.ATTRIBUTION,
        Dimension.STRATEGY_ADAPTATION,
        Dimension.SCAFFOLDING,
    )
    assert critique.severity == "severe"
    assert Critique(scores=scores(4, 3, 4, 4, None)).severity == "minor"
    assert Critique(scores=scores(4, 2, 4, 4, None)).severity == "moderate"
    assert Critique(scores=scores(4, 4, 4, 4, None)).severity == "none"
