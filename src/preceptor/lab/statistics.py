"""Intervals and tests for paired, clustered measurements; every benchmark card uses them.

A cluster is what was drawn together and hangs together: a dialogue, a learner, a problem. Resampling single rows of it
would promise more than the data hold.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

MIN_RESAMPLES = 2_000
_CELLS_AT_ONCE = 4_000_000
"""Largest block of resampling counts held in memory."""


@dataclass(frozen=True, kw_only=True)
class Interval:
    """A point estimate with its interval."""

    point: float
    low: float
    high: float
    level: float
    """Confidence, in (0, 1)."""
    n: int
    """Rows."""
    n_clusters: int
    method: str


@dataclass(frozen=True, kw_only=True)
class McNemar:
    """The exact McNemar test of two paired yes/no outcomes."""

    only_first: int
    only_second: int
    p_value: float
    """Two-sided, in (0, 1]."""


def cluster_bootstrap_mean(
    values: Sequence[float], clusters: Sequence[Hashable], *, seed: int, resamples: int = 10_000, level: float = 0.95
) -> Interval:
    """Return the mean of all rows with a percentile interval from resampled clusters.

    Args:
        values: One number a row; leave unscored rows out.
        clusters: Per row the cluster it belongs to.
        seed: Seed of the resampling; the same seed gives the same interval.
        resamples: At least MIN_RESAMPLES.
        level: Confidence, in (0, 1).

    Raises:
        ValueError: No rows, lengths differ, a value is not finite, or resamples or level are out of range.

    Source:
        Davison and Hinkley, Bootstrap Methods and their Application (1997), section 3.8: whole clusters are drawn
        with replacement, the mean is the ratio of the drawn sums to the drawn row counts.
    """
    rows = _rows(values, clusters)
    _check(resamples, level)
    sums, sizes = _by_cluster(rows, clusters)
    means = _resampled_means(sums, sizes, resamples, np.random.default_rng(seed))
    tail = (1 - level) / 2
    low, high = np.quantile(means, [tail, 1 - tail])
    return Interval(
        point=float(rows.mean()),
        low=float(low),
        high=float(high),
        level=level,
        n=len(rows),
        n_clusters=len(sums),
        method=f"cluster bootstrap, percentile, {resamples} resamples, seed {seed}",
    )


def cluster_bootstrap_paired_difference(
    first: Sequence[float],
    second: Sequence[float],
    clusters: Sequence[Hashable],
    *,
    seed: int,
    resamples: int = 10_000,
    level: float = 0.95,
) -> Interval:
    """Return the mean of `first - second`, paired row by row, with its cluster bootstrap interval.

    Raises:
        ValueError: As `cluster_bootstrap_mean`, or the two have different lengths.
    """
    if len(first) != len(second):
        raise ValueError(f"paired values must have one length, got {len(first)} and {len(second)}")
    differences = [float(a) - float(b) for a, b in zip(first, second, strict=True)]
    return cluster_bootstrap_mean(differences, clusters, seed=seed, resamples=resamples, level=level)


def cluster_bootstrap_statistic(
    counts: NDArray[np.float64],
    clusters: Sequence[Hashable],
    statistic: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    *,
    seed: int,
    resamples: int = 10_000,
    level: float = 0.95,
) -> tuple[Interval, float]:
    """Return a statistic of summed counts with its cluster bootstrap interval, and its standard error.

    For what is no mean of rows: an F1, a ratio, or the paired difference of two of them.

    Args:
        counts: What is summed per row, (n_rows, n_columns).
        clusters: Per row the cluster it belongs to.
        statistic: Takes sums, (n_sums, n_columns), and returns one value each, (n_sums,).
        seed: Seed of the resampling; the same seed gives the same interval.
        resamples: At least MIN_RESAMPLES.
        level: Confidence, in (0, 1).

    Raises:
        ValueError: As `cluster_bootstrap_mean`.
    """
    _check(resamples, level)
    columns = np.stack(
        [_by_cluster(_rows(column, clusters), clusters)[0] for column in np.asarray(counts, dtype=np.float64).T], axis=1
    )
    rng = np.random.default_rng(seed)
    drawn = rng.multinomial(len(columns), np.full(len(columns), 1 / len(columns)), size=resamples) @ columns
    values = statistic(drawn)
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2])
    interval = Interval(
        point=float(statistic(columns.sum(axis=0, keepdims=True))[0]),
        low=float(low),
        high=float(high),
        level=level,
        n=len(counts),
        n_clusters=len(columns),
        method=f"percentile bootstrap over clusters, {resamples} resamples",
    )
    return interval, float(values.std(ddof=1))


def mcnemar_exact(first: Sequence[bool], second: Sequence[bool]) -> McNemar:
    """Return the exact two-sided McNemar test of two paired yes/no outcomes.

    Only rows that differ count: under the null each falls to either side with probability 1/2.

    Raises:
        ValueError: The two have different lengths.

    Source:
        Fagerland, Lydersen and Laake, BMC Medical Research Methodology 13:91 (2013), exact conditional test.
    """
    if len(first) != len(second):
        raise ValueError(f"paired outcomes must have one length, got {len(first)} and {len(second)}")
    only_first = sum(a and not b for a, b in zip(first, second, strict=True))
    only_second = sum(b and not a for a, b in zip(first, second, strict=True))
    differing = only_first + only_second
    tail = sum(math.comb(differing, k) for k in range(min(only_first, only_second) + 1))
    p_value = min(1.0, 2 * tail / 2**differing)
    return McNemar(only_first=only_first, only_second=only_second, p_value=p_value)


def wilson_interval(successes: int, n: int, *, level: float = 0.95) -> Interval:
    """Return a proportion with its Wilson score interval; rows must be independent of each other.

    Raises:
        ValueError: n is below 1, successes are not 0..n, or level is out of range.

    Source:
        Wilson, Journal of the American Statistical Association 22 (1927), 209-212.
    """
    if n < 1 or not 0 <= successes <= n:
        raise ValueError(f"successes must be 0..n with n at least 1, got {successes} of {n}")
    _check(MIN_RESAMPLES, level)
    z = NormalDist().inv_cdf(0.5 + level / 2)
    share = successes / n
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    low = 0.0 if successes == 0 else max(0.0, centre - half)
    high = 1.0 if successes == n else min(1.0, centre + half)
    return Interval(point=share, low=low, high=high, level=level, n=n, n_clusters=n, method="Wilson score")


def cluster_standard_error(values: Sequence[float], clusters: Sequence[Hashable]) -> float:
    """Return the cluster-robust standard error of the mean of all rows.

    Raises:
        ValueError: Fewer than two clusters, or as `cluster_bootstrap_mean`.

    Source:
        Liang and Zeger, Biometrika 73 (1986), 13-22, for an intercept only, with the factor k / (k - 1).
    """
    rows = _rows(values, clusters)
    sums, sizes = _by_cluster(rows, clusters)
    k = len(sums)
    if k < 2:
        raise ValueError(f"a standard error needs at least 2 clusters, got {k}")
    residuals = sums - sizes * rows.mean()
    return float(np.sqrt(k / (k - 1) * np.sum(residuals**2)) / len(rows))


def minimum_detectable_effect(standard_error: float, *, alpha: float = 0.05, power: float = 0.8) -> float:
    """Return the smallest true mean difference that a two-sided test would find with this power.

    Args:
        standard_error: Of the mean paired difference: `cluster_standard_error` of a pilot or of the run itself,
            or `planned_standard_error`.
        alpha: Two-sided level, in (0, 1).
        power: In (0, 1).

    Raises:
        ValueError: standard_error is negative, or alpha or power are out of range.

    Source:
        Bloom, Evaluation Review 19 (1995), 547-556; normal quantiles, so a little too small below 20 clusters.
    """
    if standard_error < 0 or not 0 < alpha < 1 or not 0 < power < 1:
        raise ValueError(f"need standard_error >= 0, alpha and power in (0, 1), got {standard_error}, {alpha}, {power}")
    normal = NormalDist()
    return (normal.inv_cdf(1 - alpha / 2) + normal.inv_cdf(power)) * standard_error


def planned_standard_error(
    *, difference_sd: float, n_clusters: int, rows_per_cluster: float, within_correlation: float
) -> float:
    """Return the standard error of a mean paired difference in a design that has not been run yet.

    Args:
        difference_sd: Standard deviation of the paired difference of one row.
        n_clusters: Clusters, at least 1.
        rows_per_cluster: Rows in each, at least 1.
        within_correlation: Intraclass correlation of the differences, in [0, 1].

    Raises:
        ValueError: A value is out of range.

    Source:
        Donner and Klar, Design and Analysis of Cluster Randomization Trials (2000): variance times
        1 + (m - 1) * correlation.
    """
    if difference_sd < 0 or n_clusters < 1 or rows_per_cluster < 1 or not 0 <= within_correlation <= 1:
        raise ValueError(
            "need difference_sd >= 0, n_clusters and rows_per_cluster >= 1, within_correlation in [0, 1], got "
            f"{difference_sd}, {n_clusters}, {rows_per_cluster}, {within_correlation}"
        )
    design_effect = 1 + (rows_per_cluster - 1) * within_correlation
    return difference_sd * math.sqrt(design_effect / (n_clusters * rows_per_cluster))


def _check(resamples: int, level: float) -> None:
    if resamples < MIN_RESAMPLES:
        raise ValueError(f"resamples must be at least {MIN_RESAMPLES}, got {resamples}")
    if not 0 < level < 1:
        raise ValueError(f"level must be in (0, 1), got {level}")


def _rows(values: Sequence[float], clusters: Sequence[Hashable]) -> NDArray[np.float64]:
    if not len(values) or len(values) != len(clusters):
        raise ValueError(f"need as many values as clusters and at least one, got {len(values)} and {len(clusters)}")
    rows = np.asarray(values, dtype=np.float64)
    if not np.isfinite(rows).all():
        raise ValueError("values must be finite; leave unscored rows out")
    return rows


def _by_cluster(
    rows: NDArray[np.float64], clusters: Sequence[Hashable]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return sums and row counts per cluster, in order of first appearance, each (n_clusters,)."""
    place: dict[Hashable, int] = {}
    index = np.array([place.setdefault(cluster, len(place)) for cluster in clusters])
    sums = np.bincount(index, weights=rows, minlength=len(place)).astype(np.float64)
    return sums, np.bincount(index, minlength=len(place)).astype(np.float64)


def _resampled_means(
    sums: NDArray[np.float64], sizes: NDArray[np.float64], resamples: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return the mean of each resample, (resamples,); drawn in blocks to bound memory."""
    k = len(sums)
    block = max(1, _CELLS_AT_ONCE // k)
    means: list[NDArray[np.float64]] = []
    for start in range(0, resamples, block):
        drawn = rng.multinomial(k, np.full(k, 1 / k), size=min(block, resamples - start))
        means.append((drawn @ sums) / (drawn @ sizes))
    return np.concatenate(means)
