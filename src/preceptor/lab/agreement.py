"""How far two reviewers agree, and what their agreement is worth: kappa never stands without prevalence beside it.

Where nearly every answer is the same, chance alone agrees nearly always: kappa then says little, in either direction,
and AC1, which takes chance agreement the other way round, stays high. Reading both with the shares of each answer shows
which of it is the case. Six dimensions answered all alike are a halo, not six findings; so equal columns are named.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from preceptor.domain.metrics import cohen_kappa
from preceptor.lab.review_sheets import ANSWERS, DIMENSIONS, Answer, Review, SheetKey


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """Two reviewers on one dimension."""

    dimension: str
    n: int
    """Items that both answered."""
    raw: float | None
    """Share of equal answers, in [0, 1]; `None`: no item has both."""
    kappa: float | None
    """Cohen's, at most 1; `None`: not defined, both gave one answer only."""
    ac1: float | None
    """Gwet's AC1, at most 1."""
    prevalence: Mapping[Answer, float]
    """Answer → mean of the two reviewers' shares of it, in [0, 1]; they sum to 1."""


@dataclass(frozen=True, kw_only=True)
class PairAgreement:
    """Two reviewers on all dimensions."""

    first: str
    second: str
    dimensions: tuple[Agreement, ...]
    pooled: Agreement
    """All dimensions' answers in one; what a single published figure for a form usually is."""


@dataclass(frozen=True, kw_only=True)
class ReviewScore:
    """Everything that a set of review sheets says."""

    pairs: tuple[PairAgreement, ...]
    counts: Mapping[str, Mapping[str, Mapping[Answer, int]]]
    """Where the items come from → dimension → answer → how often, over all reviewers."""
    equal_columns: Mapping[str, tuple[tuple[str, str], ...]]
    """Reviewer → pairs of dimensions answered alike on every item: a sign of halo."""
    unanswered: Mapping[str, int]
    """Reviewer → fields left empty."""


def gwet_ac1(first: Sequence[Hashable], second: Sequence[Hashable], labels: Sequence[Hashable]) -> float:
    """Return Gwet's AC1, at most 1.

    Args:
        first: One reviewer's answers.
        second: The other's, row by row.
        labels: Every answer that the form allows, at least two; also those that nobody gave.

    Raises:
        ValueError: No rows, lengths differ, fewer than two labels, or an answer is none of them.

    Source:
        Gwet, British Journal of Mathematical and Statistical Psychology 61 (2008), 29-48: chance agreement is
        the sum of share * (1 - share) over the q labels, divided by q - 1; shares are means of the two reviewers'.
    """
    if not first or len(first) != len(second) or len(labels) < 2:
        raise ValueError(f"need rows of one length and two labels, got {len(first)}, {len(second)}, {len(labels)}")
    strange = (set(first) | set(second)) - set(labels)
    if strange:
        raise ValueError(f"answers must be among {list(labels)}, got {sorted(map(str, strange))}")
    observed = sum(a == b for a, b in zip(first, second, strict=True)) / len(first)
    shares = mean_shares(first, second, labels)
    chance = sum(share * (1 - share) for share in shares.values()) / (len(labels) - 1)
    return (observed - chance) / (1 - chance)


def mean_shares(
    first: Sequence[Hashable], second: Sequence[Hashable], labels: Sequence[Hashable]
) -> dict[Hashable, float]:
    """Return each label's share of all answers of both; empty where there are none."""
    counted = Counter((*first, *second))
    total = len(first) + len(second)
    return {label: counted[label] / total for label in labels} if total else {}


def agreement(dimension: str, first: Sequence[Answer], second: Sequence[Answer]) -> Agreement:
    """Return how far two reviewers agree, row by row.

    Raises:
        ValueError: The lengths differ.
    """
    if len(first) != len(second):
        raise ValueError(f"need answers of one length, got {len(first)} and {len(second)}")
    if not first:
        return Agreement(dimension=dimension, n=0, raw=None, kappa=None, ac1=None, prevalence={})
    shares = mean_shares(first, second, ANSWERS)
    return Agreement(
        dimension=dimension,
        n=len(first),
        raw=sum(a == b for a, b in zip(first, second, strict=True)) / len(first),
        kappa=cohen_kappa(first, second),
        ac1=gwet_ac1(first, second, ANSWERS),
        prevalence={answer: shares[answer] for answer in ANSWERS},
    )


def score_reviews(reviews: Sequence[Review], keys: Sequence[SheetKey]) -> ReviewScore:
    """Return what the sheets say, put together by their key.

    Args:
        reviews: Filled-in lines of all reviewers; each is in the key.
        keys: Whose line is about which item.
    """
    by_id = {key.sheet_id: key for key in keys}
    answers: dict[str, dict[str, Review]] = {}
    counts: dict[str, dict[str, Counter[Answer]]] = {}
    for review in reviews:
        key = by_id[review.sheet_id]
        answers.setdefault(key.reviewer, {})[key.item_id] = review
        origin = counts.setdefault(key.origin, {dimension: Counter() for dimension in DIMENSIONS})
        for dimension in DIMENSIONS:
            answer = review.answer(dimension)
            if answer is not None:
                origin[dimension][answer] += 1
    reviewers = sorted(answers)
    return ReviewScore(
        pairs=tuple(_pair(a, b, answers[a], answers[b]) for a, b in combinations(reviewers, 2)),
        counts={
            origin: {dimension: {one: found[one] for one in ANSWERS} for dimension, found in rows.items()}
            for origin, rows in counts.items()
        },
        equal_columns={reviewer: _equal_columns(list(answers[reviewer].values())) for reviewer in reviewers},
        unanswered={
            reviewer: sum(review.answer(one) is None for review in answers[reviewer].values() for one in DIMENSIONS)
            for reviewer in reviewers
        },
    )


def _pair(first: str, second: str, ours: Mapping[str, Review], theirs: Mapping[str, Review]) -> PairAgreement:
    both = sorted(set(ours) & set(theirs))
    found: list[Agreement] = []
    every: list[tuple[Answer, Answer]] = []
    for dimension in DIMENSIONS:
        rows: list[tuple[Answer, Answer]] = []
        for item in both:
            a, b = ours[item].answer(dimension), theirs[item].answer(dimension)
            if a is not None and b is not None:
                rows.append((a, b))
        found.append(agreement(dimension, [a for a, _ in rows], [b for _, b in rows]))
        every += rows
    pooled = agreement("all", [a for a, _ in every], [b for _, b in every])
    return PairAgreement(first=first, second=second, dimensions=tuple(found), pooled=pooled)


def _equal_columns(reviews: Sequence[Review]) -> tuple[tuple[str, str], ...]:
    """Return pairs of dimensions that were answered alike on every item; of one item nothing can be said."""
    if len(reviews) < 2:
        return ()
    columns = {dimension: [review.answer(dimension) for review in reviews] for dimension in DIMENSIONS}
    return tuple((a, b) for a, b in combinations(DIMENSIONS, 2) if columns[a] == columns[b] and None not in columns[a])


def review_text(score: ReviewScore) -> str:
    """Return the score as Markdown tables."""
    lines = []
    for pair in score.pairs:
        lines += [
            f"{pair.first} and {pair.second}",
            "",
            f"| dimension | n | raw | kappa | AC1 | {' | '.join(ANSWERS)} |",
            f"| --- |{' ---: |' * (4 + len(ANSWERS))}",
            *(_row(one) for one in (*pair.dimensions, pair.pooled)),
            "",
        ]
    for origin, rows in score.counts.items():
        lines.append(f"{origin}:")
        for dimension, found in rows.items():
            total = sum(found.values())
            said = ", ".join(f"{one} {count} ({count / total:.1%})" for one, count in found.items() if total)
            lines.append(f"  {dimension}: {said or 'no answer'}")
    for reviewer, equal in score.equal_columns.items():
        if equal:
            said = "; ".join(f"{a} = {b}" for a, b in equal)
            lines.append(f"{reviewer} answered these alike on every item (halo?): {said}")
    lines += [f"{reviewer} left {count} fields empty" for reviewer, count in score.unanswered.items() if count]
    return "\n".join(lines)


def _row(found: Agreement) -> str:
    numbers = [found.raw, found.kappa, found.ac1, *(found.prevalence.get(one) for one in ANSWERS)]
    return f"| {found.dimension} | {found.n} | {' | '.join('-' if one is None else f'{one:.3f}' for one in numbers)} |"
