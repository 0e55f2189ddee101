"""Benchmark 9: does memory hold what the record holds and nothing else? Designs, false-memory probes, changed logs.

`python -m benchmarks.memory_honesty [--data DIR] [--json]`. DIR may hold `histories.jsonl` and `questions.jsonl` of
your own (docs/formats.md); otherwise histories are made up here, with known truth, in six languages. No language model
and no embedder: what reaches the prompt is scored, and what the builtin tutor answers about the record.
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.card import Baseline, DataSource, Failure, Measure, ResultCard, cpu_seconds, print_card
from preceptor.lab.memory_benchmark import RESAMPLES, SEED, DesignResult, Report, run_benchmark
from preceptor.lab.memory_designs import DESIGNS, Designs
from preceptor.lab.memory_generator import Made, generate
from preceptor.lab.memory_histories import History, Question, read_histories, read_questions
from preceptor.lab.memory_loading import loaded
from preceptor.lab.memory_probes import Probed, probe, probes
from preceptor.lab.memory_question_maker import make_questions
from preceptor.lab.memory_tampering import TamperingResult, tamper
from preceptor.lab.statistics import (
    Interval,
    cluster_bootstrap_mean,
    cluster_bootstrap_statistic,
    cluster_standard_error,
    minimum_detectable_effect,
    wilson_interval,
)
from preceptor.settings import Settings, load_settings

HISTORIES_SEED = 2026
"""Not the seed that was looked at while faults were mended (11)."""
N_HISTORIES = 48
N_PROBES = 1_000
N_TAMPERINGS = 10_000
DOES_NOT_SHOW = (
    "Made-up histories: six subjects of seven concepts, sentences of one author, claims short and clean; a real record"
    " is longer, dirtier and seldom names the concept a check belongs to.",
    "Chosen for having something in them: 100 to 300 episodes, 30 or more graded, two files each. A learner who has"
    " just begun exercises far less of it.",
    "What reaches the prompt, not what a model makes of it. The article's shares are of answers by a model and are no"
    " baseline for these.",
    "Imported checks name their concept; tying a live check to a concept is measured elsewhere.",
    "Not a blind test of wordings: both sets are by the author of the rules, who knew the held-out set while mending;"
    " only its failures were not read. In wordings made afterwards far fewer questions were recognised"
    " (docs/design/memory_benchmark.md).",
    "Times were taken on a loaded machine; CPU time is the figure to read.",
)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print one card."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.memory_honesty", description=__doc__)
    parser.add_argument("--data", type=Path, help="folder with histories.jsonl and questions.jsonl of your own")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--histories", type=int, default=N_HISTORIES, help="how many to make up")
    parser.add_argument("--probes", type=int, default=N_PROBES, help="false-memory probes")
    parser.add_argument("--tamperings", type=int, default=N_TAMPERINGS, help="changed logs")
    options = parser.parse_args(arguments)
    settings = load_settings()
    made = generate(seed=HISTORIES_SEED, n_histories=options.histories)
    own = _own(options.data)
    histories, questions = own or ([one.history for one in made], make_questions(made, seed=SEED, wordings="held_out"))
    report = run_benchmark(histories, questions, settings)
    mended = None if own else run_benchmark(
        histories, make_questions(made, seed=SEED), settings, designs=("full",), rerun=False
    )  # fmt: skip
    probed = _probed(made, settings, options.probes)
    changed = tamper(seed=SEED, count=options.tamperings)
    print_card(_card(report, mended, probed, changed, questions, own is not None), as_json=options.json)


def _own(folder: Path | None) -> tuple[Sequence[History], Sequence[Question]] | None:
    if folder is None or not (folder / "histories.jsonl").is_file():
        return None
    histories = read_histories(str(folder / "histories.jsonl"))
    return histories, read_questions(str(folder / "questions.jsonl"), histories)


def _probed(made: Sequence[Made], settings: Settings, count: int) -> tuple[Probed, ...]:
    histories = [one.history for one in made]
    with loaded(histories, settings.memory) as store:
        return probe(Designs(store, settings), histories, probes(made, seed=SEED, count=count))


def _card(
    report: Report,
    mended: Report | None,
    probed: Sequence[Probed],
    changed: Sequence[TamperingResult],
    questions: Sequence[Question],
    own: bool,
) -> ResultCard:
    return ResultCard(
        name="memory_honesty",
        data=DataSource(
            data_id="histories of your own" if own else f"made up, seed {HISTORIES_SEED}",
            digest=hashlib.sha256("\n".join(one.model_dump_json() for one in questions).encode()).hexdigest(),
            licence="-" if own else "as the program",
        ),
        n=report.n_questions,
        n_clusters=report.n_learners,
        split_rule=(
            "as given"
            if own
            else "second wordings, known to the author of the rules, failures not read; another seed than was mended on"
        ),
        measures=[*_measures(report, mended), *_probe_measures(probed), *_tamper_measures(changed)],
        baselines=[*map(_baseline, report.designs), _article()],
        does_not_show=DOES_NOT_SHOW,
        command="python -m benchmarks.memory_honesty",
        cpu_seconds=cpu_seconds(),
        failures=_failures(report, probed, changed),
        notes=_notes(report, changed),
    )


def _measures(report: Report, mended: Report | None) -> list[Measure]:
    full = report.design("full")
    found = _required(report)
    rows = [
        Measure(
            metric="required_ids",
            definition="Share of required episodes, edges and concepts that the full memory puts into the prompt.",
            point=found.point,
            low=found.low,
            high=found.high,
            method=found.method,
            n=found.n,
            pass_mark=">= 0.95 (aim 0.98)",
            passed=found.point >= 0.95,
        ),
        Measure(
            metric="questions_passed",
            definition="Everything required told, nothing from outside, changed files noted, and nothing called so.",
            point=full.pass_rate.point,
            low=full.pass_rate.low,
            high=full.pass_rate.high,
            method=full.pass_rate.method,
            n=full.pass_rate.n,
        ),
        Measure(
            metric="flips",
            definition="Questions, over all designs, that scored differently when loaded and asked again.",
            point=float(sum(one.flips for one in report.designs)),
            pass_mark="0",
            passed=not any(one.flips for one in report.designs),
        ),
    ]
    if mended is not None:
        rows.insert(
            1,
            Measure(
                metric="required_ids, mended wordings",
                definition="The same with the wordings by which phrases were mended.",
                point=mended.design("full").required_found,
                n=mended.n_questions,
            ),
        )
    for kind in full.kinds:
        nothing = "; measures nothing: every design passes it" if kind.measures_nothing else ""
        rows.append(
            Measure(
                metric=f"passed {kind.kind}",
                definition=f"{kind.passed} of {kind.n}; ids {kind.n_found} of {kind.n_required}{nothing}.",
                point=kind.passed / kind.n,
                n=kind.n,
            )
        )
    for one in report.designs:
        if one.versus_reference is not None and one.mcnemar is not None:
            difference = one.versus_reference
            error = cluster_standard_error(*_differences(report, one))
            rows.append(
                Measure(
                    metric=f"full - {one.design}",
                    definition=(
                        f"Paired difference of questions passed; {one.mcnemar.only_first} only by full, "
                        f"{one.mcnemar.only_second} only by {one.design}, McNemar p {one.mcnemar.p_value:.2g}"
                        f"{'; a tie' if one.tie else ''}."
                    ),
                    point=difference.point,
                    low=difference.low,
                    high=difference.high,
                    method=difference.method,
                    minimum_detectable_effect=f"{minimum_detectable_effect(error):.3f}",
                    n=difference.n,
                )
            )
    return rows


def _required(report: Report) -> Interval:
    rows = [one for one in report.scored if one.design == "full" and one.n_required]
    counts = np.array([[one.n_found, one.n_required] for one in rows], dtype=np.float64)

    def share(sums: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(sums[:, 0] / sums[:, 1])

    return cluster_bootstrap_statistic(counts, [one.cluster for one in rows], share, seed=SEED, resamples=RESAMPLES)[0]


def _differences(report: Report, design: DesignResult) -> tuple[list[float], list[str]]:
    theirs = [one for one in report.scored if one.design == design.design]
    full = [one for one in report.scored if one.design == "full"]
    return (
        [float(a.passed) - float(b.passed) for a, b in zip(full, theirs, strict=True)],
        [one.cluster for one in full],
    )


def _probe_measures(probed: Sequence[Probed]) -> list[Measure]:
    false = sum(bool(one.false) for one in probed)
    empty = [one for one in probed if one.said_so is not None]
    said = cluster_bootstrap_mean(
        [float(bool(one.said_so)) for one in empty], [one.question.learner for one in empty], seed=SEED,
        resamples=RESAMPLES,
    )  # fmt: skip
    bound = wilson_interval(false, len(probed))
    return [
        Measure(
            metric="false_memories",
            definition=(
                f"Probes, of {len(probed)}, where the block tells of another time or history, or the builtin reply "
                f"({sum(one.replied for one in probed)} replies) names a date, count or topic that is not on record."
            ),
            point=float(false),
            pass_mark="0 of 1000",
            passed=false == 0 and len(probed) >= N_PROBES,
            method=f"at most {bound.high:.2%} by Wilson, were probes independent",
        ),
        Measure(
            metric="said_that_there_is_nothing",
            definition="Share of probes about a time without any record where that is said.",
            point=said.point,
            low=said.low,
            high=said.high,
            method=said.method,
            n=said.n,
        ),
    ]


def _tamper_measures(changed: Sequence[TamperingResult]) -> list[Measure]:
    total, found = sum(one.n for one in changed), sum(one.at_the_link for one in changed)
    return [
        Measure(
            metric="tampered_logs",
            definition=f"Changed logs, of {total} in {len(changed)} ways, found at the link where they were changed.",
            point=float(found),
            pass_mark="10000 of 10000",
            passed=found == total and total >= N_TAMPERINGS,
        )
    ]


def _baseline(one: DesignResult) -> Baseline:
    kinds = {kind.kind: f"{kind.passed}/{kind.n}" for kind in one.kinds}
    return Baseline(
        name=one.design if one.design in DESIGNS else f"{one.design} (a fifth, for fairness)",
        values={
            "passed": round(one.pass_rate.point, 3),
            "required ids": round(one.required_found or 0.0, 3),
            "false ids": one.n_false,
            "flips": one.flips,
            "tokens median": one.tokens_median,
            "tokens most": one.tokens_most,
            "CPU ms median": one.cpu_ms_median,
            "CPU ms p95": one.cpu_ms_p95,
            "wall ms median": one.wall_ms_median,
            "wall ms p95": one.wall_ms_p95,
            **kinds,
        },
        origin="measured here",
    )


def _article() -> Baseline:
    return Baseline(
        name="A Tutor That Remembers: answers of a model, 420 questions on 45 real histories",
        values={"retrieval": "40 %", "window": "65 %", "episodes": "83 %", "full": "91 %", "flips": "44 of 420"},
        origin="published there; another measure on other data",
    )


def _failures(report: Report, probed: Sequence[Probed], changed: Sequence[TamperingResult]) -> list[Failure]:
    found: dict[str, Failure] = {}
    for one in report.failures("full"):
        for fault in one.faults:
            name = f"{one.kind}: {fault}"
            found.setdefault(name, Failure(error_class=name, row_id=one.question_id, got="; ".join(one.details[:3])))
    for probe_ in probed:
        if probe_.false:
            name = f"false memory: {probe_.false[0].split(' ')[0]}"
            found.setdefault(
                name, Failure(error_class=name, row_id=probe_.question.question_id, got="; ".join(probe_.false[:3]))
            )
    for way in changed:
        if way.example:
            found[way.way] = Failure(error_class="tampering", row_id=way.way, got=way.example)
    return list(found.values())


def _notes(report: Report, changed: Sequence[TamperingResult]) -> list[str]:
    need = [f"{one.way}: {one.unseen_without} of {one.n} unseen without it" for one in changed if one.needs_checkpoint]
    nothing = sorted({kind.kind for kind in report.designs[0].kinds if kind.measures_nothing})
    ties = [one.design for one in report.designs if one.tie]
    return [
        f"budget of every design: {report.total_tokens} tokens",
        f"kinds that measure nothing, since every design passes them: {', '.join(nothing) or 'none'}",
        f"tied with full: {', '.join(ties) or 'none'}",
        "the windows are not failed for what they hold from outside the time asked about; it is counted as false ids",
        f"need the checkpoint: {'; '.join(need)}",
        f"ways of tampering: {', '.join(f'{one.way} {one.at_the_link}/{one.n}' for one in changed)}",
    ]


if __name__ == "__main__":
    main()
