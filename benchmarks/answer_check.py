"""Benchmark 12: equal answers accepted, wrong answers accepted, and hangs, through `maths.answers.check_answer`.

On `answer_cases`, and on random variants made by `answer_variants`. Nothing is tuned or fitted.
Run: `python -m benchmarks.answer_check --data DIR --json`, with `--held-out DIR2` to report on DIR2 only.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.answer_variants import make_noise, make_variants
from benchmarks.card import (
    Baseline,
    DataSource,
    Failure,
    Measure,
    ResultCard,
    cpu_seconds,
    digest_files,
    print_card,
    read_options,
)
from preceptor.lab.statistics import wilson_interval
from preceptor.maths.answers import check_answer

N_VALUES = 400
N_NOISE = 1500
SEED = 20261130
LIMIT_MS = 50.0
_PUBLISHED = "published with the data set, on its full 92 pairs; not run again here"
_BASELINES = (
    Baseline(
        name="math-verify, defaults",
        values={"equal_accepted": "25 of 52", "wrong_accepted": "9 of 27"},
        origin=_PUBLISHED,
    ),
    Baseline(name="mathruler", values={"equal_accepted": "26 of 52", "wrong_accepted": "1 of 27"}, origin=_PUBLISHED),
    Baseline(name="pint", values={"equal_accepted": "18 of 52", "wrong_accepted": "2 of 27"}, origin=_PUBLISHED),
    Baseline(
        name="sympy parse_expr (executes code)",
        values={"equal_accepted": "12 of 52", "wrong_accepted": "0 of 27"},
        origin=_PUBLISHED,
    ),
)


@dataclass(frozen=True, kw_only=True)
class _Outcome:
    row_id: str
    want: str
    verdict: str
    duration_ms: float


def _check(row_id: str, reference: str, answer: str, want: str) -> _Outcome:
    started = time.process_time()
    verdict = check_answer(reference, answer).verdict
    return _Outcome(row_id=row_id, want=want, verdict=verdict, duration_ms=(time.process_time() - started) * 1000)


def _read(path: Path) -> list[dict[str, str]]:
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def _measure(metric: str, definition: str, hits: int, n: int, *, want: int) -> Measure:
    if n == 0:
        return Measure(metric=metric, definition=definition + " No rows.", point=None, n=0)
    found = wilson_interval(hits, n)
    effect = 1 - 0.2 ** (1 / n)
    return Measure(
        metric=metric,
        definition=definition,
        point=hits / n,
        low=found.low,
        high=found.high,
        method=found.method,
        minimum_detectable_effect=f"a failure rate of {effect:.4f} shows at least once with probability .8",
        n=n,
        pass_mark=f"{want} of {n}",
        passed=hits == want,
    )


def _rate(outcomes: Sequence[_Outcome], want: str, verdict: str) -> tuple[int, int]:
    rows = [item for item in outcomes if item.want == want]
    return sum(item.verdict == verdict for item in rows), len(rows)


def _failures(outcomes: Sequence[_Outcome]) -> list[Failure]:
    """Return one failing example per class of error."""
    classes: tuple[tuple[str, Callable[[_Outcome], bool]], ...] = (
        ("equal not accepted", lambda item: item.want == "equal" and item.verdict != "equal"),
        ("wrong accepted", lambda item: item.want == "not_equal" and item.verdict == "equal"),
        ("wrong left unread", lambda item: item.want == "not_equal" and item.verdict == "unread"),
        ("hostile accepted", lambda item: item.want == "hostile" and item.verdict == "equal"),
        ("slow", lambda item: item.duration_ms > LIMIT_MS),
    )
    found = []
    for name, test in classes:
        example = next((item for item in outcomes if test(item)), None)
        if example is not None:
            found.append(Failure(error_class=name, row_id=example.row_id, got=example.verdict))
    return found


def make_card(folder: Path, command: str) -> ResultCard:
    """Measure on one folder's `answer_cases` and return the card."""
    check_answer("1", "2")
    paths = [folder / "answer_cases" / name for name in ("equivalence.jsonl", "hostile.jsonl")]
    pairs, hostile = _read(paths[0]), _read(paths[1])
    cases = [_check(row["name"], row["reference"], row["answer"], row["want"]) for row in pairs]
    attacks = [_check(row["name"], row["reference"], row["answer"], "hostile") for row in hostile]
    attacks += [_check(f"noise {n}", "7777", text, "hostile") for n, text in enumerate(make_noise(N_NOISE, seed=SEED))]
    variants = [
        _check(f"{item.kind}: {item.answer[:60]}", item.reference, item.answer, "equal" if item.equal else "not_equal")
        for item in make_variants(N_VALUES, seed=SEED)
    ]
    wanted = {row["name"]: row for row in pairs}
    same_text = [item for item in cases if wanted[item.row_id]["reference"] == wanted[item.row_id]["answer"]]
    timed = [*cases, *attacks, *variants]
    equal, n_equal = _rate(cases, "equal", "equal")
    wrong, n_wrong = _rate(cases, "not_equal", "equal")
    strict, _ = _rate(cases, "not_equal", "not_equal")
    made = make_variants(N_VALUES, seed=SEED)
    refused = {item.value_id for item, out in zip(made, variants, strict=True) if item.equal and out.verdict != "equal"}
    taken = {
        item.value_id for item, out in zip(made, variants, strict=True) if not item.equal and out.verdict == "equal"
    }
    slow = sum(item.duration_ms > LIMIT_MS for item in timed)
    return ResultCard(
        name="answer_check",
        data=DataSource(
            data_id="answer_cases", digest=digest_files(path for path in paths if path.exists()), licence="own work"
        ),
        n=len(timed),
        n_clusters=len(cases) + len(attacks) + N_VALUES,
        split_rule="none: nothing is tuned or fitted; variants of one value are one cluster, other pairs stand alone",
        measures=[
            _measure("equal_accepted", "Pairs labelled equal that come out equal.", equal, n_equal, want=n_equal),
            _measure("wrong_accepted", "Pairs labelled not_equal that come out equal.", wrong, n_wrong, want=0),
            _measure(
                "wrong_refused", "Pairs labelled not_equal that come out not_equal.", strict, n_wrong, want=n_wrong
            ),
            _measure(
                "hangs",
                f"Calls over {LIMIT_MS:.0f} ms of processor time, on all pairs, hostile answers, noise and variants.",
                slow,
                len(timed),
                want=0,
            ),
            _measure(
                "hostile_accepted",
                "Hostile answers and random noise that come out equal.",
                sum(item.verdict == "equal" for item in attacks),
                len(attacks),
                want=0,
            ),
            _measure(
                "variants_equal_accepted",
                f"Random values of which every writing comes out equal ({sum(item.equal for item in made)} pairs).",
                N_VALUES - len(refused),
                N_VALUES,
                want=N_VALUES,
            ),
            _measure(
                "variants_wrong_accepted",
                f"Random values of which any near miss or hedge comes out equal "
                f"({sum(not item.equal for item in made)} pairs).",
                len(taken),
                N_VALUES,
                want=0,
            ),
        ],
        baselines=[
            Baseline(
                name="same text",
                values={
                    "equal_accepted": f"{sum(item.want == 'equal' for item in same_text)} of {n_equal}",
                    "wrong_accepted": f"{sum(item.want == 'not_equal' for item in same_text)} of {n_wrong}",
                },
                origin="measured here",
            ),
            *_BASELINES,
        ],
        failures=_failures(timed),
        notes=[
            f"{sum(item.want == 'policy' for item in cases)} pairs are the course's choice (policy) and not scored; "
            "docs/design/answers.md says what each setting decides.",
            f"slowest call {max(item.duration_ms for item in timed):.1f} ms of processor time; "
            f"{sum(item.verdict == 'unread' for item in variants if item.want == 'equal')} variants unread",
            "the symbolic child is not asked: every verdict here comes from the in-process reader",
        ],
        does_not_show=[
            "how often real learners write forms that stay unread",
            "whether the course's policy is the right one",
            "languages beyond the six, geometry, matrices, inequalities in two names, or proofs",
        ],
        command=command,
        cpu_seconds=cpu_seconds(),
    )


def main() -> None:
    """Print the card."""
    options = read_options("answer_check")
    print_card(make_card(options.reported, options.command), as_json=options.as_json)


if __name__ == "__main__":
    main()
