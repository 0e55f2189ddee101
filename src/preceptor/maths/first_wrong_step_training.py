"""Fits the weights that rank the steps of a wrong solution: a conditional logit over the steps, with a ridge.

Needs nothing but numpy. The fitted table is data of the package (`first_wrong_step_weights.json`); run as
`python -m preceptor.maths.first_wrong_step_training --data DIR` to fit it again.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from preceptor.maths.first_wrong_step import compare
from preceptor.maths.first_wrong_step_features import FEATURES, Row
from preceptor.maths.step_graph import StepGraph, build_step_graph

RIDGE = 10.0
"""Penalty on the squared weights. (chosen: between 3 and 30 the folds do not tell one from another)"""
_NEWTON_STEPS = 15


@dataclass(frozen=True, kw_only=True)
class LabelledSolution:
    """One wrong solution with the step a teacher named."""

    problem: str
    """Groups folds: every solution of one problem lies in one fold."""
    rows: tuple[Row, ...]
    label: int


def read_stepverify(path: Path) -> list[dict[str, Any]]:
    """Return the rows of a StepVerify file, in order."""
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        return [json.loads(line) for line in stream]


def label_solutions(rows: Sequence[Mapping[str, Any]]) -> list[LabelledSolution]:
    """Return the labelled solutions of StepVerify rows; a label beyond the last step counts as the last."""
    empty = StepGraph(nodes=(), givens=(), answer=None, answer_node=None, inconsistent="unread")
    labelled: list[LabelledSolution] = []
    for row in rows:
        graph = build_step_graph(row["problem"], row["reference_solution"], None) or empty
        comparison = compare(graph, row["student_incorrect_solution"])
        label = min(int(row["incorrect_index"]), len(comparison.rows) - 1)
        labelled.append(LabelledSolution(problem=row["problem"], rows=comparison.rows, label=label))
    return labelled


def fold_of(problem: str, folds: int) -> int:
    """Return the fold of a problem: by hash, so that it never depends on the other rows."""
    return int(hashlib.sha256(problem.encode()).hexdigest(), 16) % folds


def fit(solutions: Sequence[LabelledSolution], *, ridge: float = RIDGE) -> dict[str, float]:
    """Return feature → weight of the conditional logit P(step) ∝ exp(weights · features).

    Args:
        solutions: Training rows.
        ridge: Penalty on the squared weights.
    """
    return _table(_newton([_matrix(solution) for solution in solutions], ridge))


def _table(weights: NDArray[np.float64]) -> dict[str, float]:
    return {name: round(float(weight), 4) for name, weight in zip(FEATURES, weights, strict=True)}


def _matrix(solution: LabelledSolution) -> tuple[NDArray[np.float64], int]:
    return np.array([[row[name] for name in FEATURES] for row in solution.rows], dtype=np.float64), solution.label


def _newton(data: Sequence[tuple[NDArray[np.float64], int]], ridge: float) -> NDArray[np.float64]:
    width = len(FEATURES)
    weights = np.zeros(width)
    for _ in range(_NEWTON_STEPS):
        gradient = -ridge * weights
        curvature = ridge * np.eye(width)
        for rows, label in data:
            share = _shares(rows, weights)
            mean = share @ rows
            gradient += rows[label] - mean
            curvature += (rows * share[:, None]).T @ rows - np.outer(mean, mean)
        step = np.linalg.solve(curvature, gradient)
        weights = weights + step
        if float(np.abs(step).max()) < 1e-6:
            break
    return weights


def _shares(rows: NDArray[np.float64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    scores = rows @ weights
    powers: NDArray[np.float64] = np.exp(scores - scores.max())
    shares: NDArray[np.float64] = powers / powers.sum()
    return shares


def main(arguments: Sequence[str] | None = None) -> None:
    """Fit on StepVerify and write the package's table."""
    parser = argparse.ArgumentParser(prog="python -m preceptor.maths.first_wrong_step_training")
    parser.add_argument("--data", type=Path, required=True, help="folder of the data sets")
    parser.add_argument("--out", type=Path, help="file to write; standard output otherwise")
    parsed = parser.parse_args(arguments)
    path = parsed.data / "stepverify" / "stepverify.jsonl.gz"
    rows = read_stepverify(path)
    solutions = label_solutions(rows)
    table = {
        "what": "conditional logit over the steps of a wrong solution: score = sum of weight * feature",
        "fitted_on": "StepVerify, teachers' first wrong steps (CC BY-SA 4.0, Daheim et al., EMNLP 2024)",
        "rows": len(solutions),
        "problems": len({solution.problem for solution in solutions}),
        "data_sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "ridge": RIDGE,
        "weights": fit(solutions),
    }
    text = json.dumps(table, indent=1) + "\n"
    if parsed.out:
        parsed.out.write_text(text, encoding="utf-8")
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()
