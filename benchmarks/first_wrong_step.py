"""Benchmark 4: the first wrong step of a learner's solution, against teachers' labels and solutions made wrong here.

Run as `python -m benchmarks.first_wrong_step --data DIR [--held-out DIR2] [--json]`. The weights are fitted by the
product's own training function, on folds grouped by problem, or on DIR for DIR2.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.card import (
    Baseline,
    DataSource,
    Failure,
    Measure,
    Options,
    ResultCard,
    cpu_seconds,
    digest_files,
    print_card,
    read_options,
)
from benchmarks.solution_mutations import (
    MUTATIONS,
    REWRITES,
    MadeSolution,
    PlainSolution,
    mutate,
    plain_solution,
    rewrite,
)
from preceptor.lab.statistics import cluster_bootstrap_mean, cluster_standard_error, minimum_detectable_effect
from preceptor.maths.first_wrong_step import Comparison, WrongStep, compare, judge
from preceptor.maths.first_wrong_step_training import (
    LabelledSolution,
    fit,
    fold_of,
    label_solutions,
    read_stepverify,
)
from preceptor.maths.step_graph import StepGraph, build_step_graph

FOLDS = 5
RESAMPLES = 2000
MAX_PLAIN = 400
"""Correct solutions that mutations and rewrites are made from."""
_EMPTY = StepGraph(nodes=(), givens=(), answer=None, answer_node=None, inconsistent="unread")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n")


@dataclass
class Outcomes:
    """Hits by metric, each with the problem it belongs to, and one failing row per class of error."""

    hits: dict[str, list[tuple[str, float]]] = field(default_factory=lambda: defaultdict(list))
    failures: dict[str, Failure] = field(default_factory=dict)

    def add(self, metric: str, problem: str, hit: float) -> None:
        """Record one row of one metric."""
        self.hits[metric].append((problem, hit))

    def fail(self, error_class: str, row_id: str, got: str) -> None:
        """Keep the first failing row of a class."""
        self.failures.setdefault(error_class, Failure(error_class=error_class, row_id=row_id, got=got))


Weights = Mapping[str, float]


def fold_weights(solutions: Sequence[LabelledSolution]) -> list[Weights]:
    """Return per fold the weights fitted on the other folds."""
    return [fit([s for s in solutions if fold_of(s.problem, FOLDS) != fold]) for fold in range(FOLDS)]


def score_labels(rows: Sequence[Mapping[str, Any]], weights: Sequence[Weights], outcomes: Outcomes) -> None:
    """Compare with the teachers' labels: exact, within one step, majority of three labels, trivial baselines."""
    labels: dict[str, list[int]] = defaultdict(list)
    found: dict[str, tuple[str, int]] = {}
    for number, row in enumerate(rows):
        problem, steps, label = row["problem"], row["student_incorrect_solution"], int(row["incorrect_index"])
        comparison = compare(build_step_graph(problem, row["reference_solution"], None) or _EMPTY, steps)
        wrong = judge(comparison, weights=weights[fold_of(problem, len(weights))])
        index = -9 if wrong.index is None else wrong.index
        outcomes.add("exact", problem, index == label)
        outcomes.add("within_one", problem, abs(index - label) <= 1)
        outcomes.add("baseline: step 0", problem, label == 0)
        outcomes.add("baseline: first number not in the reference", problem, _first_number(comparison) == label)
        outcomes.add("baseline: first computed value not in the reference", problem, _first_value(comparison) == label)
        outcomes.add("baseline: arithmetic only", problem, _first_false(comparison) == label)
        if wrong.confidence >= 0.5:
            outcomes.add("exact where confidence >= .5", problem, index == label)
        if index != label:
            side = "late" if index > label else "early"
            outcomes.fail(
                f"label {row['error_category']}, named too {side}", f"stepverify row {number}", f"step {index}"
            )
        solution = problem + "\n".join(steps)
        labels[solution].append(label)
        found[solution] = (problem, index)
    for solution, given in labels.items():
        label, votes = Counter(given).most_common(1)[0]
        if len(given) >= 3 and votes > len(given) / 2:
            outcomes.add("exact, majority of three labels or more", found[solution][0], found[solution][1] == label)


def _first_number(comparison: Comparison) -> int:
    return _first(comparison, lambda value: value.match is not None and not value.match.known)


def _first_value(comparison: Comparison) -> int:
    return _first(comparison, lambda v: v.computed and v.match is not None and (v.false or v.match.node is None))


def _first_false(comparison: Comparison) -> int:
    return next((value.step for value in comparison.values if value.false), -9)


def _first(comparison: Comparison, test: Any) -> int:
    found = next((value.step for value in comparison.values if test(value)), None)
    if found is not None:
        return found
    final = comparison.final
    same = [v.step for v in comparison.values if final and v.number == final.number and v.claim.value is not None]
    return same[0] if same else len(comparison.steps) - 1


def score_correct(rows: Sequence[Mapping[str, Any]], outcomes: Outcomes) -> None:
    """Count alarms on the learners' corrected solutions, split into sentences."""
    seen: set[str] = set()
    for number, row in enumerate(rows):
        response = row.get("student_correct_response") or ""
        if not response.strip() or response in seen:
            continue
        seen.add(response)
        graph = build_step_graph(row["problem"], row["reference_solution"], None) or _EMPTY
        steps = [sentence for sentence in _SENTENCE.split(response) if sentence.strip()]
        comparison = compare(graph, steps)
        _alarms(comparison, row["problem"], f"stepverify row {number}", "corrected", outcomes)


def _alarms(comparison: Comparison, problem: str, row_id: str, name: str, outcomes: Outcomes) -> None:
    gated, open_ = judge(comparison), judge(comparison, trust_answer=False)
    if comparison.final_right:
        outcomes.add(f"alarms, {name}, right final answer", problem, gated.index is not None)
        _note(gated, f"alarm on {name}, right final answer", row_id, outcomes)
    else:
        outcomes.fail(f"final answer of {name} not recognised", row_id, "final answer read as another value")
    outcomes.add(f"alarms, {name}, ungated", problem, open_.index is not None)
    _note(open_, f"alarm on {name}, ungated", row_id, outcomes)


def _note(wrong: WrongStep, error_class: str, row_id: str, outcomes: Outcomes) -> None:
    if wrong.index is not None:
        outcomes.fail(error_class, row_id, f"step {wrong.index}, {wrong.kind}")


def score_made(plains: Sequence[PlainSolution], weights: Sequence[Weights], outcomes: Outcomes) -> None:
    """Score solutions with a known first wrong step, and rewrites that hold."""
    chooser = random.Random(20)
    for number, plain in enumerate(plains):
        for kind in MUTATIONS:
            made = mutate(plain, kind, chooser)
            if made is not None:
                _score_mutation(plain, made, weights, f"gsm8k plain solution {number}", outcomes)
        for kind in REWRITES:
            made = rewrite(plain, kind)
            if made is not None:
                comparison = compare(plain.graph, made.steps)
                _alarms(comparison, plain.problem, f"gsm8k plain solution {number}", "rewritten", outcomes)


def _score_mutation(
    plain: PlainSolution, made: MadeSolution, weights: Sequence[Weights], row_id: str, outcomes: Outcomes
) -> None:
    wrong = judge(compare(plain.graph, made.steps), weights=weights[fold_of(plain.problem, len(weights))])
    hit = wrong.index == made.first_wrong
    outcomes.add("mutated", plain.problem, hit)
    outcomes.add(f"mutated: {made.kind}", plain.problem, hit)
    if not hit:
        outcomes.fail(f"mutated by {made.kind}", row_id, f"step {wrong.index}, not {made.first_wrong}")


_PASS: dict[str, tuple[str, float, bool]] = {
    "exact": ("≥ .52", 0.52, True),
    "within_one": ("≥ .77", 0.77, True),
    "mutated": ("≥ .89", 0.89, True),
    "alarms, corrected, right final answer": ("≤ .02", 0.02, False),
    "alarms, corrected, ungated": ("≤ .07", 0.07, False),
    "alarms, rewritten, right final answer": ("≤ .02", 0.02, False),
    "alarms, rewritten, ungated": ("≤ .07", 0.07, False),
}
_MEANING = {
    "exact": "the step named is the teacher's first wrong step; share of StepVerify wrong solutions",
    "within_one": "the step named is the teacher's or its neighbour",
    "mutated": "the step named is the one changed, on correct GSM8K solutions made wrong here",
}


def measures_of(outcomes: Outcomes) -> list[Measure]:
    """Return the card's measures, those with a pass mark first."""
    names = [*_PASS, *(name for name in outcomes.hits if name not in _PASS and not name.startswith("baseline"))]
    measures: list[Measure] = []
    for name in names:
        rows = outcomes.hits.get(name, [])
        if not rows:
            continue
        hits, problems = [float(hit) for _, hit in rows], [problem for problem, _ in rows]
        found = cluster_bootstrap_mean(hits, problems, seed=7, resamples=RESAMPLES)
        point = found.point
        effect = minimum_detectable_effect(cluster_standard_error(hits, problems))
        mark, limit, above = _PASS.get(name, ("", 0.0, True))
        measures.append(
            Measure(
                metric=name,
                definition=_MEANING.get(
                    name, "share of rows" + (" accused" if name.startswith("alarms") else " right")
                ),
                point=round(point, 4),
                low=round(found.low, 4),
                high=round(found.high, 4),
                method=found.method,
                minimum_detectable_effect=f"{effect:.3f} against a fixed value",
                n=len(rows),
                pass_mark=mark,
                passed=None if not mark else (point >= limit if above else point <= limit),
            )
        )
    return measures


def baselines_of(outcomes: Outcomes) -> list[Baseline]:
    """Return the rules measured here and the published rows."""
    here = [
        Baseline(
            name=name.removeprefix("baseline: "),
            values={"exact": round(sum(hit for _, hit in rows) / len(rows), 3)},
            origin="measured here",
        )
        for name, rows in outcomes.hits.items()
        if name.startswith("baseline")
    ]
    return [
        *here,
        Baseline(
            name="two teachers on the same solution",
            values={"exact": 0.604, "within_one": 0.853},
            origin="measured once on pairs of labels of StepVerify; a ceiling, not a baseline to beat",
        ),
        Baseline(
            name="prototype of this engine",
            values={"exact": 0.52, "within_one": 0.77, "mutated": 0.89},
            origin="measured once on the same data, other code",
        ),
    ]


def read_plain(folder: Path) -> list[PlainSolution]:
    """Return the correct solutions that wrong ones are made from."""
    plains: list[PlainSolution] = []
    with (folder / "gsm8k" / "test.jsonl").open(encoding="utf-8") as stream:
        for line in stream:
            row = json.loads(line)
            plain = plain_solution(row["question"], row["answer"])
            if plain is not None:
                plains.append(plain)
    return plains[:MAX_PLAIN]


def run(options: Options) -> ResultCard:
    """Return the card of this benchmark."""
    train = read_stepverify(options.data / "stepverify" / "stepverify.jsonl.gz")
    rows = read_stepverify(options.reported / "stepverify" / "stepverify.jsonl.gz")
    solutions = label_solutions(train)
    weights: list[Weights] = [fit(solutions)] if options.held_out else fold_weights(solutions)
    outcomes = Outcomes()
    score_labels(rows, weights, outcomes)
    score_correct(rows, outcomes)
    plains = read_plain(options.reported)
    score_made(plains, weights, outcomes)
    files = [options.reported / "stepverify" / "stepverify.jsonl.gz", options.reported / "gsm8k" / "test.jsonl"]
    return ResultCard(
        name="first_wrong_step",
        data=DataSource(
            data_id="StepVerify; GSM8K test for made solutions",
            digest=digest_files(files),
            licence="CC BY-SA 4.0; MIT",
        ),
        n=len(rows),
        n_clusters=len({row["problem"] for row in rows}),
        split_rule="fitted on --data, reported on --held-out"
        if options.held_out
        else f"{FOLDS} folds by hash of the problem",
        measures=measures_of(outcomes),
        baselines=baselines_of(outcomes),
        does_not_show=(
            "Learners of StepVerify are simulated by a language model; labels are one teacher's each.",
            "Several solutions of StepVerify carry more than one label; each label is a row.",
            "Mutations and rewrites are made by this project; a real mistake is less tidy.",
            "The features were chosen with this data in sight, so grouped cross-validation is mildly optimistic.",
        ),
        command=options.command,
        cpu_seconds=cpu_seconds(),
        failures=tuple(outcomes.failures.values()),
        notes=(f"{len(plains)} correct solutions for mutations and rewrites.",),
    )


def main() -> None:
    """Print the card."""
    options = read_options("first_wrong_step")
    print_card(run(options), as_json=options.as_json)


if __name__ == "__main__":
    main()
