"""Benchmarks 5 and 6: ties share a hit, other problems only, and no head is fitted on rows that it is scored on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from benchmarks.experience_key import FOLDS, Keys, Mistake, evaluate, fit_on, hits_of, own_of, same_mistake, split
from benchmarks.observer_ceiling import Segment, expert_pairs, kappa, predict_errors
from tests.unit.experience_doubles import AngleEmbedder

TEXTS = ["The learner mixed units.", "The learner made a slip.", "The learner left a part out."]
EMBEDDER = AngleEmbedder({text: 30.0 * place for place, text in enumerate(TEXTS)})


def mistake(number: int) -> Mistake:
    text = TEXTS[number % 3]
    return Mistake(
        row_id=f"row {number}",
        problem=f"problem {number // 2}",
        category=("unit", "slip", "part")[number % 3],
        solution=f"solution {number // 2}",
        description=text,
        masked=text,
        own=text,
    )


ROWS = [mistake(number) for number in range(60)]


def test_stores_hold_other_folds_and_heads_are_fitted_on_them_alone() -> None:
    at = split(ROWS, ROWS, apart=False)
    for query, group in zip(at.queries, at.group, strict=True):
        store = at.stores[group]
        assert query.problem not in {row.problem for row in store}
    for store in at.stores:
        assert fit_on(store, own_of, EMBEDDER).fitted_on == {row.row_id for row in store}
    assert len(at.stores) == FOLDS


def test_a_key_that_names_the_kind_is_always_right_and_ties_share() -> None:
    results = evaluate(split(ROWS, ROWS, apart=False), Keys(EMBEDDER))
    assert np.mean(results.hits["own, head"]) == 1.0
    assert np.mean(results.hits["own, MiniLM"]) == 1.0
    blind = [replace(row, own=TEXTS[0]) for row in ROWS]
    tied = hits_of(split(blind, blind, apart=False), lambda asked, store: np.zeros((len(asked), len(store))))
    assert np.mean(tied) == pytest.approx(1 / 3, abs=0.05)


def test_an_empty_key_finds_nothing() -> None:
    rows = [replace(row, own="") if number == 0 else row for number, row in enumerate(ROWS)]
    results = evaluate(split(rows, rows, apart=False), Keys(EMBEDDER))
    assert results.hits["own, head"][0] == results.hits["own, MiniLM"][0] == 0.0


def test_same_mistake_needs_a_second_description_of_the_step() -> None:
    alone = [replace(row, solution=row.row_id) for row in ROWS]
    assert same_mistake(alone, Keys(EMBEDDER)) == ([], [])
    two = [*alone[:3], replace(alone[0], row_id="second")]
    hits, _ = same_mistake(two, Keys(EMBEDDER))
    assert hits == [1.0, 1.0]


def test_kappa_and_pairs_of_experts() -> None:
    assert kappa(["a", "b", "a", "b"], ["a", "b", "a", "b"]) == 1.0
    assert kappa(["a", "a", "b", "b"], ["a", "b", "a", "b"]) == pytest.approx(0.0)
    rows = [
        Segment(row_id=str(n), group="g" if n < 2 else str(n), record=TEXTS[n % 3], label="guess") for n in range(4)
    ]
    assert expert_pairs(rows) == [("guess", "guess", "g")]


def test_error_types_are_told_by_heads_that_saw_no_row_of_the_segment() -> None:
    names = ("guess", "careless", "imprecise")
    rows = [
        Segment(row_id=f"r{n}", group=f"segment {n // 2}", record=TEXTS[n % 3], label=names[n % 3]) for n in range(60)
    ]
    assert predict_errors(rows, rows, EMBEDDER, apart=False) == [row.label for row in rows]
    assert predict_errors(rows[:6], rows, EMBEDDER, apart=True) == [row.label for row in rows[:6]]
