"""Intervals and tests against hand computations, published figures and scipy."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
import pytest

from preceptor.lab.statistics import (
    cluster_bootstrap_mean,
    cluster_bootstrap_paired_difference,
    cluster_bootstrap_statistic,
    cluster_standard_error,
    mcnemar_exact,
    minimum_detectable_effect,
    planned_standard_error,
    wilson_interval,
)


def test_wilson_matches_the_published_example() -> None:
    # Newcombe, Statistics in Medicine 17 (1998), table I: 81 of 263, Wilson without continuity correction.
    interval = wilson_interval(81, 263)
    assert (round(interval.low, 4), round(interval.high, 4)) == (0.2553, 0.3662)


def test_wilson_ends_at_zero_and_one() -> None:
    # Newcombe 1998, table I: 0 of 20 and 29 of 29.
    none, everything = wilson_interval(0, 20), wilson_interval(29, 29)
    assert (none.low, round(none.high, 4)) == (0.0, 0.1611)
    assert (round(everything.low, 4), everything.high) == (0.8830, 1.0)


@pytest.mark.parametrize(
    ("only_first", "only_second", "p_value"),
    [(0, 0, 1.0), (1, 7, 18 / 256), (0, 6, 2 / 64), (5, 5, 1.0), (3, 9, 2 * 299 / 4096)],
)
def test_mcnemar_matches_the_binomial_by_hand(only_first: int, only_second: int, p_value: float) -> None:
    first = [True] * only_first + [False] * only_second + [True, False] * 4
    second = [False] * only_first + [True] * only_second + [True, False] * 4
    result = mcnemar_exact(first, second)
    assert (result.only_first, result.only_second) == (only_first, only_second)
    assert result.p_value == pytest.approx(p_value)


def test_mcnemar_matches_scipy_on_a_large_table() -> None:
    stats: Any = pytest.importorskip("scipy.stats")
    result = mcnemar_exact([True] * 700 + [False] * 600, [False] * 700 + [True] * 600)
    assert result.p_value == pytest.approx(stats.binomtest(600, 1300, 0.5).pvalue, rel=1e-9)


def test_bootstrap_of_single_row_clusters_matches_scipy() -> None:
    stats: Any = pytest.importorskip("scipy.stats")
    rng = random.Random(4)
    values = [rng.gauss(3, 2) for _ in range(80)]
    ours = cluster_bootstrap_mean(values, list(range(80)), seed=1, resamples=20_000)
    theirs = stats.bootstrap(
        (values,), lambda x, axis: x.mean(axis=axis), method="percentile", n_resamples=20_000, rng=2
    ).confidence_interval
    assert ours.point == pytest.approx(sum(values) / 80)
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.03)


def test_rows_of_one_cluster_are_drawn_together() -> None:
    rng = random.Random(7)
    levels = [rng.gauss(0, 1) for _ in range(40)]
    clustered = cluster_bootstrap_mean(
        [v for v in levels for _ in range(25)], [i for i in range(40) for _ in range(25)], seed=3
    )
    single = cluster_bootstrap_mean(levels, list(range(40)), seed=3)
    assert clustered.high - clustered.low == pytest.approx(single.high - single.low)
    assert (clustered.n, clustered.n_clusters) == (1000, 40)


def test_two_clusters_by_hand() -> None:
    # Draws are (a,a), (a,b), (b,b) with probability 1/4, 1/2, 1/4: means 0, 1.5 and 2.
    interval = cluster_bootstrap_mean([0, 2, 2, 2], ["a", "b", "b", "b"], seed=0)
    assert (interval.point, interval.low, interval.high) == (1.5, 0.0, 2.0)


def test_paired_difference_is_first_minus_second_and_seeded() -> None:
    first, second, clusters = [1.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 0.0], ["x", "x", "y", "z"]
    one = cluster_bootstrap_paired_difference(first, second, clusters, seed=5)
    assert one.point == 0.5
    assert one == cluster_bootstrap_paired_difference(first, second, clusters, seed=5)


def test_bootstrap_covers_the_true_mean_about_as_often_as_it_says() -> None:
    rng = random.Random(11)
    covered = 0
    for trial in range(200):
        levels = [rng.gauss(0, 1) for _ in range(30)]
        values = [level + rng.gauss(0, 1) for level in levels for _ in range(4)]
        interval = cluster_bootstrap_mean(values, [i for i in range(30) for _ in range(4)], seed=trial, resamples=2000)
        covered += interval.low <= 0 <= interval.high
    assert 0.88 <= covered / 200 <= 0.99


def test_cluster_standard_error_of_single_rows_is_the_usual_one() -> None:
    # 1, 2, 3, 4: standard deviation sqrt(5/3), divided by sqrt(4).
    assert cluster_standard_error([1, 2, 3, 4], [1, 2, 3, 4]) == pytest.approx(math.sqrt(5 / 3) / 2)


def test_cluster_standard_error_by_hand() -> None:
    # Mean 2; residual sums -2, 0, 2; sqrt(3/2 * 8) / 6.
    assert cluster_standard_error([1, 1, 2, 2, 3, 3], "aabbcc") == pytest.approx(math.sqrt(12) / 6)


def test_detectable_effect_is_2_8_standard_errors() -> None:
    assert minimum_detectable_effect(0.1) == pytest.approx(0.1 * (1.959964 + 0.841621), abs=1e-6)


def test_planned_error_grows_with_the_design_effect() -> None:
    # 50 clusters of 5, correlation 0.2: design effect 1.8.
    planned = planned_standard_error(difference_sd=1, n_clusters=50, rows_per_cluster=5, within_correlation=0.2)
    assert planned == pytest.approx(math.sqrt(1.8 / 250))


@pytest.mark.parametrize(
    ("values", "clusters", "resamples"),
    [([], [], 2000), ([1.0], ["a", "b"], 2000), ([float("nan")], ["a"], 2000), ([1.0], ["a"], 100)],
)
def test_unusable_input_is_refused(values: list[float], clusters: list[str], resamples: int) -> None:
    with pytest.raises(ValueError, match="need as many|finite|at least"):
        cluster_bootstrap_mean(values, clusters, seed=0, resamples=resamples)


def test_a_statistic_of_counts_agrees_with_the_bootstrap_of_a_mean() -> None:
    values = [1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0]
    clusters = ["a", "a", "b", "b", "c", "d", "d", "e", "f", "g", "g", "h"]
    counts = np.array([[value, 1.0] for value in values])
    found, error = cluster_bootstrap_statistic(
        counts, clusters, lambda sums: sums[:, 0] / sums[:, 1], seed=3, resamples=4000
    )
    mean = cluster_bootstrap_mean(values, clusters, seed=3, resamples=4000)
    assert found.point == pytest.approx(mean.point)
    assert found.low == pytest.approx(mean.low, abs=0.05)
    assert found.high == pytest.approx(mean.high, abs=0.05)
    assert error == pytest.approx((mean.high - mean.low) / 3.92, rel=0.15)
