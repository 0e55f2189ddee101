"""Fits the weights that rank the steps of a wrong solution: a discrete hazard (logistic), with a ridge.

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
    """Return feature → weight, and `intercept`, of the hazard: P(wrong | none before) = sigmoid(weights · features).

    Args:
        solutions: Training rows; of each, the steps up to the labelled one are seen.
        ridge: Penalty on the squared weights; the intercept has none.
    """
    rows = [[row[name] for name in FEATURES] for s in solutions for row in s.rows[: s.label + 1]]
    wrong = [float(place == s.label) for s in solutions for place in range(s.label + 1)]
    matrix = np.column_stack([np.array(rows, dtype=np.float64), np.ones(len(rows))])
    weights = _newton(matrix, np.array(wrong, dtype=np.float64), ridge)
    return {name: round(float(weight), 4) for name, weight in zip((*FEATURES, "intercept"), weights, strict=True)}


def _newton(rows: NDArray[np.float64], wrong: NDArray[np.float64], ridge: float) -> NDArray[np.float64]:
    width = rows.shape[1]
    penalty = ridge * np.eye(width)
    penalty[-1, -1] = 1e-6
    weights = np.zeros(width)
    for _ in range(_NEWTON_STEPS):
        hazard = 1 / (1 + np.exp(-rows @ weights))
        gradient = rows.T @ (wrong - hazard) - penalty @ weights
        curvature = (rows * (hazard * (1 - hazard))[:, None]).T @ rows + penalty
        step = np.linalg.solve(curvature, gradient)
        weights = weights + step
        if float(np.abs(step).max()) < 1e-6:
            break
    return weights


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
        "what": "discrete hazard over the steps of a wrong solution: sigmoid(intercept + sum of weight * feature)",
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
