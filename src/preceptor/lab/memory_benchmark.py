"""The memory benchmark: histories and questions in, a report of four designs out. No language model.

"A Tutor That Remembers", a benchmark, not a demo: equal budgets, scorers by id and string, run twice, categories that
every design passes marked as measuring nothing, and what each design costs.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from preceptor.lab.memory_designs import ALL_DESIGNS, DesignName, Designs
from preceptor.lab.memory_histories import KINDS, History, Question
from preceptor.lab.memory_loading import loaded
from preceptor.lab.memory_scoring import Scored, Scorer
from preceptor.lab.statistics import (
    Interval,
    McNemar,
    cluster_bootstrap_mean,
    cluster_bootstrap_paired_difference,
    mcnemar_exact,
)
from preceptor.settings import Settings

SEED = 20260501
"""Of the resampling."""
RESAMPLES = 4_000
REFERENCE: DesignName = "full"
"""The design the others are compared with."""


@dataclass(frozen=True, kw_only=True)
class KindResult:
    """One kind of question under one design."""

    kind: str
    n: int
    passed: int
    n_required: int
    n_found: int
    n_false: int
    """Ids told that may not be."""
    measures_nothing: bool
    """Every design passes all of it: it cannot tell them apart."""


@dataclass(frozen=True, kw_only=True)
class DesignResult:
    """One design over all questions."""

    design: DesignName
    kinds: tuple[KindResult, ...]
    pass_rate: Interval
    required_found: float | None
    """Share of required entries told; `None`: none was required."""
    n_false: int
    flips: int
    """Questions that scored differently when everything was loaded and asked again."""
    tokens_median: float
    tokens_most: int
    cpu_ms_median: float
    cpu_ms_p95: float
    wall_ms_median: float
    wall_ms_p95: float
    versus_reference: Interval | None
    """Paired difference of the pass rate, the reference minus this; `None`: it is the reference."""
    mcnemar: McNemar | None
    tie: bool | None
    """The interval of the difference holds 0: the two are tied."""


@dataclass(frozen=True, kw_only=True)
class Report:
    """What came of a run."""

    n_histories: int
    n_learners: int
    n_questions: int
    total_tokens: int
    """Budget of every design."""
    designs: tuple[DesignResult, ...]
    scored: tuple[Scored, ...]
    """Every question under every design."""

    def failures(self, design: DesignName) -> tuple[Scored, ...]:
        """Return what one design failed."""
        return tuple(one for one in self.scored if one.design == design and not one.passed)

    def design(self, name: DesignName) -> DesignResult:
        """Return one design's results.

        Raises:
            KeyError: It was not run.
        """
        for one in self.designs:
            if one.design == name:
                return one
        raise KeyError(name)


def run_benchmark(
    histories: Sequence[History],
    questions: Sequence[Question],
    settings: Settings,
    *,
    designs: Sequence[DesignName] = ALL_DESIGNS,
    rerun: bool = True,
) -> Report:
    """Load the histories into a store of their own, show every question to every design, and score.

    Args:
        histories: Whose memory.
        questions: About them; see `memory_histories.question_fault`.
        settings: Budgets and rules of memory.
        designs: Which to run.
        rerun: Load and ask everything a second time, in a fresh store, and count what scored differently.
    """
    first, total = _run(histories, questions, settings, designs)
    again = _run(histories, questions, settings, designs)[0] if rerun else first
    flips = {
        design: sum(
            one.faults != other.faults or one.details != other.details
            for one, other in zip(first, again, strict=True)
            if one.design == design
        )
        for design in designs
    }
    by_design = {design: [one for one in first if one.design == design] for design in designs}
    worthless: set[str] = {
        kind
        for kind in KINDS
        if all(one.passed for rows in by_design.values() for one in rows if one.kind == kind) and len(designs) > 1
    }
    reference = by_design.get(REFERENCE)
    return Report(
        n_histories=len(histories),
        n_learners=len({history.learner for history in histories}),
        n_questions=len(questions),
        total_tokens=total,
        designs=tuple(_summary(design, by_design[design], reference, worthless, flips[design]) for design in designs),
        scored=tuple(first),
    )


def _run(
    histories: Sequence[History], questions: Sequence[Question], settings: Settings, designs: Sequence[DesignName]
) -> tuple[list[Scored], int]:
    with loaded(histories, settings.memory) as store:
        shower, scorer = Designs(store, settings), Scorer(histories)
        for question in questions[:1]:
            for design in designs:
                shower.show(design, question)  # what is read once a process is nobody's cost
        scored = [
            scorer.score(question, shower.show(design, question), design)
            for design in designs
            for question in questions
        ]
        return scored, shower.total_tokens


def _summary(
    design: DesignName, rows: Sequence[Scored], reference: Sequence[Scored] | None, worthless: set[str], flips: int
) -> DesignResult:
    passed = [float(one.passed) for one in rows]
    clusters = [one.cluster for one in rows]
    required = sum(one.n_required for one in rows)
    difference = mcnemar = None
    if reference is not None and design != REFERENCE:
        theirs = [float(one.passed) for one in reference]
        difference = cluster_bootstrap_paired_difference(theirs, passed, clusters, seed=SEED, resamples=RESAMPLES)
        mcnemar = mcnemar_exact([one.passed for one in reference], [one.passed for one in rows])
    return DesignResult(
        design=design,
        kinds=tuple(_kind(kind, rows, kind in worthless) for kind in KINDS if any(one.kind == kind for one in rows)),
        pass_rate=cluster_bootstrap_mean(passed, clusters, seed=SEED, resamples=RESAMPLES),
        required_found=sum(one.n_found for one in rows) / required if required else None,
        n_false=sum(one.n_false for one in rows),
        flips=flips,
        tokens_median=statistics.median(one.tokens for one in rows),
        tokens_most=max(one.tokens for one in rows),
        cpu_ms_median=round(statistics.median(one.cpu_ms for one in rows), 2),
        cpu_ms_p95=_p95(one.cpu_ms for one in rows),
        wall_ms_median=round(statistics.median(one.wall_ms for one in rows), 2),
        wall_ms_p95=_p95(one.wall_ms for one in rows),
        versus_reference=difference,
        mcnemar=mcnemar,
        tie=None if difference is None else difference.low <= 0 <= difference.high,
    )


def _kind(kind: str, rows: Sequence[Scored], worthless: bool) -> KindResult:
    own = [one for one in rows if one.kind == kind]
    return KindResult(
        kind=kind,
        n=len(own),
        passed=sum(one.passed for one in own),
        n_required=sum(one.n_required for one in own),
        n_found=sum(one.n_found for one in own),
        n_false=sum(one.n_false for one in own),
        measures_nothing=worthless,
    )


def _p95(values: Iterable[float]) -> float:
    """Return the 95th percentile, nearest rank."""
    ordered = sorted(values)
    return round(ordered[max(0, -(-95 * len(ordered) // 100) - 1)], 2)


def table(report: Report) -> str:
    """Return the report as text: a row a kind, a column a design; then costs."""
    names = [one.design for one in report.designs]
    lines = [
        f"{report.n_questions} questions on {report.n_histories} histories of {report.n_learners} learners; "
        f"{report.total_tokens} tokens for each design",
        "".join([f"{'passed':<16}", *(f"{name:>16}" for name in names)]),
    ]
    for kind in KINDS:
        cells = [next((one for one in design.kinds if one.kind == kind), None) for design in report.designs]
        if cells[0] is None:
            continue
        note = "  measures nothing: every design passes it" if cells[0].measures_nothing else ""
        lines.append(
            "".join([f"{kind:<16}", *(f"{f'{one.passed}/{one.n}' if one else '-':>16}" for one in cells)]) + note
        )
    rows: list[tuple[str, list[str]]] = [
        ("all", [f"{one.pass_rate.point:.1%}" for one in report.designs]),
        (
            "required ids",
            ["-" if one.required_found is None else f"{one.required_found:.1%}" for one in report.designs],
        ),
        ("false ids", [str(one.n_false) for one in report.designs]),
        ("flips", [str(one.flips) for one in report.designs]),
        ("tokens median", [f"{one.tokens_median:.0f}" for one in report.designs]),
        ("CPU ms p50/p95", [f"{one.cpu_ms_median}/{one.cpu_ms_p95}" for one in report.designs]),
    ]
    lines += ["".join([f"{name:<16}", *(f"{cell:>16}" for cell in cells)]) for name, cells in rows]
    for one in report.designs:
        if one.versus_reference is not None and one.mcnemar is not None:
            difference = one.versus_reference
            verdict = "tied" if one.tie else f"McNemar p {one.mcnemar.p_value:.2g}"
            lines.append(
                f"{REFERENCE} - {one.design}: {difference.point:+.1%} [{difference.low:+.1%}, {difference.high:+.1%}], "
                f"{one.mcnemar.only_first} only {REFERENCE}, {one.mcnemar.only_second} only {one.design}, {verdict}"
            )
    return "\n".join(lines)
