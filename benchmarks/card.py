"""The result card that every benchmark prints: what was measured, on what, against what, and what it does not show."""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

from preceptor import __version__
from preceptor.lab.statistics import Interval, minimum_detectable_effect


@dataclass(frozen=True, kw_only=True)
class DataSource:
    """The data a card was measured on."""

    data_id: str
    digest: str
    """SHA-256 over the files read, names included."""
    licence: str


@dataclass(frozen=True, kw_only=True)
class Baseline:
    """One row to compare with."""

    name: str
    values: dict[str, float | str]
    """Metric → value."""
    origin: str
    """`measured here`, or where it was published; a published row was not run again."""


@dataclass(frozen=True, kw_only=True)
class Measure:
    """One metric of the product."""

    metric: str
    definition: str
    point: float | None
    """`None`: could not be scored; the definition or the card's limits say why."""
    low: float | None = None
    high: float | None = None
    """95 % interval."""
    method: str = ""
    """How the interval was made."""
    minimum_detectable_effect: str = ""
    n: int | None = None
    pass_mark: str = ""
    passed: bool | None = None


def measure_of(
    metric: str, definition: str, found: Interval, error: float, mark: float | None = None, *, how: str = ""
) -> Measure:
    """Return a metric with its interval, where at least `mark` is asked for.

    Args:
        metric: Its name.
        definition: What it counts.
        found: Point and 95 % interval.
        error: Standard error, for the least effect that could be told.
        mark: The pass column; `None`: none is set.
        how: Added to the interval's method.
    """
    return Measure(
        metric=metric,
        definition=definition,
        point=found.point,
        low=found.low,
        high=found.high,
        method=found.method + how,
        minimum_detectable_effect=f"{minimum_detectable_effect(error):.3f}",
        n=found.n,
        pass_mark="" if mark is None else f">= {mark}",
        passed=None if mark is None else found.point >= mark,
    )


@dataclass(frozen=True, kw_only=True)
class Failure:
    """One failing example of a class of error, by id; never the data's text."""

    error_class: str
    row_id: str
    got: str


@dataclass(frozen=True, kw_only=True)
class ResultCard:
    """Everything needed to read, repeat and doubt one result."""

    name: str
    data: DataSource
    n: int
    n_clusters: int
    split_rule: str
    measures: Sequence[Measure]
    baselines: Sequence[Baseline]
    does_not_show: Sequence[str]
    command: str
    cpu_seconds: float
    models: str = "none"
    version: str = __version__
    failures: Sequence[Failure] = field(default_factory=tuple)
    """One per class of error; empty: none failed."""
    notes: Sequence[str] = field(default_factory=tuple)


@dataclass(frozen=True, kw_only=True)
class Options:
    """How a benchmark was called."""

    data: Path
    held_out: Path | None
    as_json: bool
    command: str

    @property
    def reported(self) -> Path:
        """The folder whose rows are reported."""
        return self.held_out or self.data


def read_options(name: str, arguments: Sequence[str] | None = None) -> Options:
    """Parse `--data DIR [--held-out DIR2] [--json]`; the command is written without the machine's folders."""
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.{name}")
    parser.add_argument("--data", type=Path, required=True, help="folder of the data sets")
    parser.add_argument("--held-out", type=Path, help="same layout; tune on --data, report on this one only")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parsed = parser.parse_args(arguments)
    for folder in (parsed.data, parsed.held_out):
        if folder is not None and not folder.is_dir():
            parser.error(f"{folder}: no such folder")
    command = f"python -m benchmarks.{name} --data DIR" + (" --held-out DIR2" if parsed.held_out else "")
    command += " --json" if parsed.json else ""
    return Options(data=parsed.data, held_out=parsed.held_out, as_json=parsed.json, command=command)


def digest_files(paths: Iterable[Path]) -> str:
    """Return one SHA-256 over these files, each by its name and bytes, in name order."""
    total = hashlib.sha256()
    for path in sorted(paths, key=lambda path: path.name):
        total.update(path.name.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


def cpu_seconds() -> float:
    """Return the processor time of this process so far, seconds, rounded for a card."""
    return round(time.process_time(), 2)


def print_card(card: ResultCard, *, as_json: bool) -> None:
    """Write a card on stdout: text, or one JSON object."""
    if as_json:
        sys.stdout.write(json.dumps(asdict(card), ensure_ascii=False) + "\n")
        return
    sys.stdout.write("\n".join(_lines(card)) + "\n")


def _lines(card: ResultCard) -> list[str]:
    lines = [
        f"{card.name} (preceptor {card.version})",
        f"data: {card.data.data_id}, {card.data.licence}, sha256 {card.data.digest[:16]}…",
        f"n: {card.n} in {card.n_clusters} clusters; split: {card.split_rule}",
        f"models: {card.models}; {card.cpu_seconds} CPU seconds",
        "",
    ]
    for measure in card.measures:
        point = "unscored" if measure.point is None else f"{measure.point:.3f}"
        interval = (
            f" [{measure.low:.3f}, {measure.high:.3f}]" if measure.low is not None and measure.high is not None else ""
        )
        verdict = "" if measure.passed is None else (", pass" if measure.passed else ", NOT PASSED")
        mark = f" (pass: {measure.pass_mark}{verdict})" if measure.pass_mark else ""
        lines += [f"{measure.metric}: {point}{interval}{mark}", f"    {measure.definition}"]
        if measure.method:
            lines.append(
                f"    interval: {measure.method}; minimum detectable: {measure.minimum_detectable_effect or '–'}"
            )
    lines += ["", "baselines:"]
    for row in card.baselines:
        values = ", ".join(f"{metric} {value}" for metric, value in row.values.items())
        lines.append(f"    {row.name}: {values} ({row.origin})")
    for title, entries in (
        (
            "failing examples:",
            [f"{item.error_class}: {item.row_id} → {item.got}" for item in card.failures] or ["none"],
        ),
        ("notes:", list(card.notes)),
        ("does not show:", list(card.does_not_show)),
        ("command:", [card.command]),
    ):
        if entries:
            lines += [title, *(f"    {entry}" for entry in entries)]
    return lines
