"""Formulas over labels, pinned to values worked by hand or by another library."""

from __future__ import annotations

import pytest

from preceptor.domain.metrics import auroc, class_f1, cohen_kappa, macro_f1, pair_credit

TRUTH = ["yes", "yes", "no", "some", "no", "yes"]
GUESS = ["yes", "no", "no", "no", "some", "yes"]


def test_macro_f1_is_the_plain_mean_of_the_classes() -> None:
    # yes: 2 hits of 3 and 2 → 4/5; no: 1 hit of 2 and 3 → 2/5; some: 0.
    assert class_f1(TRUTH, GUESS, "yes") == 0.8
    assert class_f1(TRUTH, GUESS, "no") == 0.4
    assert macro_f1(TRUTH, GUESS) == pytest.approx(0.4)
    assert macro_f1(TRUTH, GUESS, ["yes", "no"]) == pytest.approx(0.6)


def test_macro_f1_agrees_with_another_library() -> None:
    sklearn = pytest.importorskip("sklearn.metrics")
    assert macro_f1(TRUTH, GUESS) == pytest.approx(sklearn.f1_score(TRUTH, GUESS, average="macro"))
    assert cohen_kappa(TRUTH, GUESS) == pytest.approx(sklearn.cohen_kappa_score(TRUTH, GUESS))
    truth, given = [True, False, True, False, True, False], [0.9, 0.9, 0.4, 0.1, 0.4, 0.4]
    assert auroc(truth, given) == pytest.approx(sklearn.roc_auc_score(truth, given))


def test_kappa_is_none_where_there_is_one_class() -> None:
    assert cohen_kappa(["yes", "yes"], ["yes", "yes"]) is None
    assert cohen_kappa(["yes", "no"], ["no", "yes"]) == -1.0


def test_auroc_counts_ties_half_and_needs_both_classes() -> None:
    assert auroc([True, False], [0.5, 0.5]) == 0.5
    assert auroc([True, False], [0.9, 0.1]) == 1.0
    assert auroc([True, True], [0.9, 0.1]) is None


def test_a_pair_is_ranked_by_its_first_key_that_differs() -> None:
    assert pair_credit((90.0, 0.1), (80.0, 0.9)) == 1.0
    assert pair_credit((80.0, 0.1), (80.0, 0.9)) == 0.0
    assert pair_credit((80.0, 0.5), (80.0, 0.5)) == 0.5


def test_different_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="one length"):
        macro_f1(["yes"], [])
