"""The fit of recall's shares: it finds what tells evidence from the rest, gives nothing negative, refuses bad input."""

from __future__ import annotations

import numpy as np
import pytest

from preceptor.errors import InputError
from preceptor.memory.matching import PARTS
from preceptor.memory.recall_training import TrainingQuestion, fit_recall_weights
from preceptor.settings import MemorySettings


def _questions(telling: int, sign: float) -> list[TrainingQuestion]:
    random = np.random.default_rng(7)
    questions = []
    for _ in range(12):
        parts = random.uniform(0, 0.5, size=(40, len(PARTS))).astype(np.float32)
        parts[:2, telling] += sign * 0.5
        questions.append(TrainingQuestion(parts=parts, spread=parts.std(axis=0), evidence=np.array([0, 1])))
    return questions


@pytest.mark.parametrize("telling", [0, 6])
def test_the_part_that_tells_evidence_gets_the_largest_share_and_the_shares_sum_to_1(telling: int) -> None:
    weights = fit_recall_weights(_questions(telling, 1.0))
    assert max(weights, key=lambda name: weights[name]) == PARTS[telling]
    assert sum(weights.values()) == pytest.approx(1, abs=0.01)
    assert min(weights.values()) >= 0


def test_a_part_that_speaks_against_evidence_gets_nothing() -> None:
    assert fit_recall_weights(_questions(3, -1.0))[PARTS[3]] == 0


def test_questions_without_evidence_are_refused() -> None:
    parts = np.zeros((4, len(PARTS)), dtype=np.float32)
    bare = TrainingQuestion(parts=parts, spread=parts.std(axis=0), evidence=np.zeros(0, dtype=np.int64))
    with pytest.raises(InputError, match="question 0 has 0 rows of evidence"):
        fit_recall_weights([bare])
    with pytest.raises(InputError, match="no questions"):
        fit_recall_weights([])


def test_every_part_is_a_setting() -> None:
    assert set(PARTS) <= set(MemorySettings.model_fields)
