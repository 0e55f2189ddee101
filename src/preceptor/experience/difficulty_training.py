"""Fitting the head that tells kinds of mistake, on teachers' words: `preceptor heads train --kind difficulties`."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from preceptor.domain.problem import Problem
from preceptor.errors import InputError
from preceptor.experience.abstract_sentence import join_difficulty
from preceptor.experience.difficulty_head import DifficultyHead, feature_rows, words_of
from preceptor.maths.first_wrong_step_training import read_stepverify
from preceptor.maths.step_graph import build_step_graph
from preceptor.models.embedder import Embedder
from preceptor.pedagogy.builtin_observer import BuiltinObserver
from preceptor.pedagogy.softmax_fit import fit_softmax
from preceptor.pedagogy.turn_context import TurnContext

RIDGE = 1.0
"""Penalty on the squared weights, for the observer's own sentences. (0.5, 1, 2 on folds: .39, .40, .38)"""
RIDGE_OF_DESCRIPTIONS = 2.0
"""For teachers' free words. (0.5, 1, 2 on folds: .473, .485, .499)"""
LEAST_ROWS = 2
"""Descriptions that must hold a word for it to be a feature."""
UNNAMED = "None of the above"
"""The category of a mistake that is of no named kind."""
_STEPS = 120
_CARD: Mapping[str, object] = {
    "what": "multinomial logistic regression over listed words and the sentence's vector; intercept last",
    "fitted_on": "StepVerify, teachers' categories of mistakes (Daheim et al., EMNLP 2024)",
    "licence": "CC BY-SA 4.0; these weights are under CC BY-SA 4.0 too",
    "contains": "numbers, and words of our own lists",
    "limits": "English; grade-school word problems; two teachers agree on a category in 30 to 40 % of cases",
}


@dataclass(frozen=True, kw_only=True)
class LabelledDifficulty:
    """A sentence about a mistake with the kind a teacher gave it."""

    row_id: str
    sentence: str
    kind: str


def read_difficulties(path: Path) -> tuple[list[LabelledDifficulty], str]:
    """Return the mistakes of StepVerify that a teacher described and put into a category, and the file's SHA-256.

    Raises:
        InputError: The file is missing.
    """
    if not path.is_file():
        raise InputError(f"{path}: no such file; expected StepVerify as JSON lines, gzip")
    rows = [
        LabelledDifficulty(row_id=f"row {number}", sentence=description, kind=row["error_category"])
        for number, row in enumerate(read_stepverify(path))
        if (description := (row.get("error_description") or "").strip()) and row["error_category"] != UNNAMED
    ]
    return rows, hashlib.sha256(path.read_bytes()).hexdigest()


def read_observed_difficulties(path: Path) -> tuple[list[LabelledDifficulty], str]:
    """Return the same mistakes in the builtin observer's own sentences, as a live turn asks with; unseen ones left out.

    Raises:
        InputError: The file is missing.
    """
    described, digest = read_difficulties(path)
    solutions = {f"row {number}": row for number, row in enumerate(read_stepverify(path))}
    observer = BuiltinObserver()
    rows = [replace(row, sentence=_observed(solutions[row.row_id], observer)) for row in described]
    return [row for row in rows if row.sentence], digest


def _observed(row: Mapping[str, Any], observer: BuiltinObserver) -> str:
    problem = Problem(problem_id="fitted on", text=row["problem"], solution=row["reference_solution"])
    graph = build_step_graph(problem.text, problem.solution or "", None)
    said = "\n".join(row["student_incorrect_solution"])
    seen = observer.observe_now(TurnContext(problem=problem, graph=graph, history=(), utterance=said))
    return join_difficulty(seen.error_detail, seen.struggle_reason)


def fit_difficulty_head(
    rows: Sequence[LabelledDifficulty],
    embedder: Embedder,
    *,
    card: Mapping[str, object] | None = None,
    ridge: float = RIDGE,
) -> DifficultyHead:
    """Return the head fitted on exactly these rows.

    Args:
        rows: Sentences with their kind.
        embedder: Makes the sentences' vectors.
        card: Added to the head's data card.
        ridge: Penalty on the squared weights, above 0.

    Raises:
        ValueError: Fewer than two kinds.
    """
    kinds = tuple(sorted({row.kind for row in rows}))
    if len(kinds) < 2:
        raise ValueError(f"need rows of at least two kinds, got {len(kinds)}")
    counts = Counter(word for row in rows for word in words_of(row.sentence))
    words = tuple(sorted(word for word, count in counts.items() if count >= LEAST_ROWS))
    head = DifficultyHead(
        kinds=kinds,
        words=words,
        weight_of_word=tuple(1 + math.log((1 + len(rows)) / (1 + counts[word])) for word in words),
        weights=tuple((0.0,) * len(kinds) for _ in range(len(words) + embedder.dimensions + 1)),
        embedder=embedder.fingerprint,
    )
    sentences = [row.sentence for row in rows]
    matrix = feature_rows(sentences, embedder.embed(sentences, language="en"), head)
    weights = fit_softmax(
        matrix,
        np.array([kinds.index(row.kind) for row in rows], dtype=np.intp),
        len(kinds),
        np.concatenate([np.full(matrix.shape[1], ridge), [1e-3]]),
        most_steps=_STEPS,
        least_change=1e-3,
    )
    return replace(
        head,
        weights=tuple(tuple(round(float(value), 4) for value in row) for row in weights),
        card={**_CARD, **(card or {}), "rows": len(rows), "ridge": ridge},
        fitted_on=frozenset(row.row_id for row in rows),
    )
