"""What two rounds came to: both arms' tables, the paired difference with its interval, leaks, rows without a grade."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from preceptor.lab.protocols.transitions import IMPROVED, Cell, Ratio, Standing, TransitionTable, transition_table
from preceptor.lab.protocols.two_round import ARMS, Arm, RoundRow, TwoRoundRun
from preceptor.lab.statistics import Interval, McNemar, cluster_bootstrap_paired_difference, mcnemar_exact

DENOMINATORS = (
    "improved: partial and incorrect first rounds with two grades. "
    "improved, as published: the same count of those and of all rows without a grade, which so count as not improved "
    "(the published 24 of 27 does this with three rows). harmed: of all rows with two grades."
)


@dataclass(frozen=True, kw_only=True)
class Difference:
    """Feedback against control on the rows that have both grades in both arms."""

    gain: Interval
    """Mean of (share after feedback - share after control), in [-1, 1]."""
    improved: Interval
    """Mean difference of "improved", in [-1, 1]."""
    correct: McNemar
    """Correct in the second round: only after feedback, only after control."""
    n_unpaired: int
    """Pairs left out, because one arm has no grade."""


@dataclass(frozen=True, kw_only=True)
class RoundReport:
    """One run in figures."""

    label: str
    learner_engines: tuple[str, ...]
    tutor_engines: tuple[str, ...]
    tables: dict[Arm, TransitionTable]
    difference: Difference | None
    """`None`: no pair has its grades."""
    screened: int
    """Feedback texts that were screened for leaks."""
    leaks: tuple[RoundRow, ...]
    unscored: int
    """Rows without a second grade because something failed."""
    parse_failures: int
    """Of them, answers that could not be read in their output type."""
    unscored_by_reason: dict[str, int]

    @property
    def parse_failure_rate(self) -> float | None:
        """Parse failures of all rows, in [0, 1]."""
        rows = sum(table.n for table in self.tables.values())
        return self.parse_failures / rows if rows else None


def round_report(run: TwoRoundRun, *, seed: int, resamples: int = 10_000) -> RoundReport:
    """Return the figures of a run; tasks are the clusters of every interval."""
    failed = [row for row in run.rows if row.failure is not None]
    reasons: dict[str, int] = {}
    for row in failed:
        reasons[row.failure or ""] = reasons.get(row.failure or "", 0) + 1
    spoken = [row for row in run.rows if row.arm == "feedback" and row.said]
    return RoundReport(
        label=run.label,
        learner_engines=run.learner_engines,
        tutor_engines=run.tutor_engines,
        tables={arm: transition_table([row.cell for row in run.rows if row.arm == arm]) for arm in ARMS},
        difference=_difference(run.rows, seed=seed, resamples=resamples),
        screened=len(spoken),
        leaks=tuple(row for row in spoken if row.leak is not None),
        unscored=len(failed),
        parse_failures=sum(row.parse_failure for row in failed),
        unscored_by_reason=reasons,
    )


def _difference(rows: Sequence[RoundRow], *, seed: int, resamples: int) -> Difference | None:
    arms = {arm: {(row.task_id, row.learner): row for row in rows if row.arm == arm} for arm in ARMS}
    pairs = [(row, arms["control"][key]) for key, row in arms["feedback"].items()]
    graded = [pair for pair in pairs if all(row.cell is not Cell.NOT_APPLICABLE for row in pair)]
    if not graded:
        return None
    clusters = [row.task_id for row, _ in graded]

    def interval(first: Sequence[float], second: Sequence[float]) -> Interval:
        return cluster_bootstrap_paired_difference(first, second, clusters, seed=seed, resamples=resamples)

    return Difference(
        gain=interval([_share(row) for row, _ in graded], [_share(row) for _, row in graded]),
        improved=interval(
            [float(row.cell in IMPROVED) for row, _ in graded], [float(row.cell in IMPROVED) for _, row in graded]
        ),
        correct=mcnemar_exact([_correct(row) for row, _ in graded], [_correct(row) for _, row in graded]),
        n_unpaired=len(pairs) - len(graded),
    )


def _share(row: RoundRow) -> float:
    assert row.after is not None
    assert row.after.share is not None
    return row.after.share


def _correct(row: RoundRow) -> bool:
    return row.after is not None and row.after.standing is Standing.CORRECT


def report_text(report: RoundReport) -> str:
    """Return the report as text with a Markdown table."""
    feedback, control = report.tables["feedback"], report.tables["control"]
    lines = [
        f"{report.label}",
        f"learner: {', '.join(report.learner_engines)}; tutor: {', '.join(report.tutor_engines)}",
        "",
        "| round 1 to round 2 | feedback | no feedback |",
        "| --- | ---: | ---: |",
    ]
    lines += [
        f"| {cell.value.replace('_', ' ')} | {feedback.counts[cell]}{_percent(feedback.counts[cell], feedback.n)} "
        f"| {control.counts[cell]}{_percent(control.counts[cell], control.n)} |"
        for cell in Cell
    ]
    for name in ("improved", "improved_as_published", "harmed"):
        first, second = (_ratio(getattr(table, name)) for table in (feedback, control))
        lines.append(f"| **{name.replace('_', ' ')}** | {first} | {second} |")
    lines += ["", DENOMINATORS, *_difference_lines(report.difference)]
    lines.append(f"leak screen: {len(report.leaks)} of {report.screened} feedback texts give something away")
    lines += [f"  {row.task_id}, learner {row.learner}: {row.leak}" for row in report.leaks]
    rows = sum(table.n for table in report.tables.values())
    lines.append(f"unscored: {report.unscored} of {rows} rows, {report.parse_failures} of them unreadable answers")
    lines += [f"  {count} times: {why}" for why, count in report.unscored_by_reason.items()]
    return "\n".join(lines)


def _difference_lines(found: Difference | None) -> list[str]:
    if found is None:
        return ["no pair has grades in both arms"]
    return [
        f"feedback - no feedback, share right in round 2: {_interval(found.gain)}",
        f"feedback - no feedback, improved: {_interval(found.improved)}",
        f"correct in round 2 only after feedback {found.correct.only_first}, only without {found.correct.only_second}, "
        f"exact McNemar p = {found.correct.p_value:.2g}; {found.n_unpaired} pairs left out",
    ]


def _interval(found: Interval) -> str:
    return (
        f"{found.point:+.3f} [{found.low:+.3f}, {found.high:+.3f}] ({found.level:.0%}, {found.n} pairs, "
        f"{found.n_clusters} tasks)"
    )


def _percent(count: int, n: int) -> str:
    return f" ({count / n:.1%})" if n and count else ""


def _ratio(found: Ratio) -> str:
    return f"{found.count} of {found.of}" + ("" if found.share is None else f" ({found.share:.1%})")
