"""Six judged measures of course answers, by our own prompts and formulas; what failed is unscored and counted.

Source: seed KITE names the measures after RAGAS (Es et al., EACL 2024). Formulas:

| measure | value |
| --- | --- |
| faithfulness | of the answer's statements, those that the passages support |
| answer_relevance | mean cosine of the question and three questions made from the answer; 0 if it avoids answering |
| context_relevance | 0, 1 or 2 for the passages, halved |
| answer_similarity | largest cosine of the answer and a reference, at least 0 |
| factual_correctness | F-beta of statements against the best reference, see below |
| answer_correctness | 3/4 of the F1 of the same counts and 1/4 of the similarity, same reference |

True positives are the answer's statements that the reference supports, false positives its others, false negatives the
reference's that the answer does not support. With one reference, the last two punish an answer that teaches more than
the reference says, or asks instead of telling: they are reported and nothing may depend on them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Generic, TypeVar

import numpy as np

from preceptor.domain.route import PROCEDURAL
from preceptor.errors import ModelError, ModelOutputError
from preceptor.lab.course_judge import Judge, without_markers
from preceptor.lab.course_measures import AnswerRow, Measured, mean_of
from preceptor.models.embedder import Embedder, Vector

T = TypeVar("T")

FACTUAL_SHARE = 0.75
"""Weight of the F1 in answer correctness; the rest is the similarity's. (seed: KITE by RAGAS's default)"""
JUDGED = (
    ("faithfulness", "of an answer's statements, those that the passages support"),
    ("answer_relevance", "likeness of the question and questions made from the answer"),
    ("context_relevance", "how far the passages hold an answer"),
    ("answer_similarity", "likeness of answer and reference"),
    ("factual_correctness", "F-beta of statements against the reference; punishes teaching, never a gate"),
    ("answer_correctness", "3/4 F1 of statements, 1/4 likeness; punishes teaching, never a gate"),
)
"""(name, what it is)."""


class UnscoredError(Exception):
    """A measure has no value here; the message says why. Not a failure of the judge."""


def f_beta(true_positives: int, false_positives: int, false_negatives: int, *, beta: float = 1.0) -> float:
    """Return F-beta, in [0, 1]; above 1, beta gives recall more weight.

    Raises:
        ValueError: A count is negative, all are 0, or beta is not positive.
    """
    counts = (true_positives, false_positives, false_negatives)
    if min(counts) < 0 or not sum(counts) or beta <= 0:
        raise ValueError(f"need counts of 0 or more, not all 0, and beta above 0, got {counts}, {beta}")
    weight = beta * beta
    return (1 + weight) * true_positives / ((1 + weight) * true_positives + weight * false_negatives + false_positives)


@dataclass(frozen=True, kw_only=True)
class Counts:
    """Statements of an answer against one reference."""

    true_positives: int
    false_positives: int
    false_negatives: int

    def f(self, beta: float = 1.0) -> float:
        """Return their F-beta."""
        return f_beta(self.true_positives, self.false_positives, self.false_negatives, beta=beta)


@dataclass(kw_only=True)
class JudgedRow:
    """One answer's values; a measure is in `values` or in `unscored`, never in both."""

    values: dict[str, float] = field(default_factory=dict)
    unscored: dict[str, str] = field(default_factory=dict)
    """Measure → why."""
    parse_failures: set[str] = field(default_factory=set)
    """Measures without a value because the judge's output could not be read."""


async def judge_row(row: AnswerRow, judge: Judge, embedder: Embedder | None, *, beta: float = 1.0) -> JudgedRow:
    """Return the six values of one answer; nothing is raised for what fails, it stands in `unscored`."""
    judged = JudgedRow()
    out_of_scope = _out_of_scope(row)
    if out_of_scope is not None:
        judged.unscored = {name: out_of_scope for name, _ in JUDGED}
        return judged
    statements = _Once(lambda: judge.statements(row.question, row.reply))
    against = _Once(lambda: _against(row, judge, statements))

    async def faithfulness() -> float:
        found = await statements()
        if not found:
            raise UnscoredError("the answer states nothing")
        if not row.passages:
            raise UnscoredError("no passage was found")
        return float(np.mean(await judge.supported(found, _text(row))))

    async def answer_relevance() -> float:
        made = await judge.questions(row.reply)
        if made.avoids_answering:
            return 0.0
        asked, *others = _vectors(embedder, [row.question, *made.questions])
        return float(np.mean([max(0.0, float(asked @ one)) for one in others]))

    async def context_relevance() -> float:
        if not row.passages:
            raise UnscoredError("no passage was found")
        return await judge.context_score(row.question, _text(row)) / 2

    async def answer_similarity() -> float:
        return max(_similarities(row, embedder))

    async def factual_correctness() -> float:
        return max(one.f(beta) for one in await against())

    async def answer_correctness() -> float:
        likeness = _similarities(row, embedder)
        return max(
            FACTUAL_SHARE * one.f() + (1 - FACTUAL_SHARE) * like
            for one, like in zip(await against(), likeness, strict=True)
        )

    for name, value in (
        ("faithfulness", faithfulness),
        ("answer_relevance", answer_relevance),
        ("context_relevance", context_relevance),
        ("answer_similarity", answer_similarity),
        ("factual_correctness", factual_correctness),
        ("answer_correctness", answer_correctness),
    ):
        await _scored(judged, name, value)
    return judged


class _Once(Generic[T]):
    """Makes a value at the first call and gives it, or the error it ended in, at every other."""

    def __init__(self, make: Callable[[], Awaitable[T]]) -> None:
        self._make = make
        self._made: list[T] = []
        self._error: Exception | None = None

    async def __call__(self) -> T:
        if self._error is not None:
            raise self._error
        if not self._made:
            try:
                self._made.append(await self._make())
            except (ModelError, UnscoredError) as error:
                self._error = error
                raise
        return self._made[0]


async def _scored(judged: JudgedRow, name: str, value: Callable[[], Awaitable[float]]) -> None:
    try:
        judged.values[name] = await value()
    except UnscoredError as error:
        judged.unscored[name] = str(error)
    except ModelError as error:
        judged.unscored[name] = f"failed: {error}"
        if isinstance(error, ModelOutputError):
            judged.parse_failures.add(name)


def _out_of_scope(row: AnswerRow) -> str | None:
    if row.failure is not None:
        return "there is no reply"
    if row.route in PROCEDURAL:
        return "its route tells no answer"
    return None if row.answerable else "the course does not answer it"


async def _against(row: AnswerRow, judge: Judge, statements: _Once[list[str]]) -> list[Counts]:
    """Return the counts against each reference."""
    if not row.references:
        raise UnscoredError("there is no reference")
    ours = await statements()
    found = []
    for reference in row.references:
        theirs = await judge.statements(row.question, reference)
        if not ours and not theirs:
            raise UnscoredError("neither answer nor reference states anything")
        supported = await judge.supported(ours, reference) if ours else []
        covered = await judge.supported(theirs, without_markers(row.reply)) if theirs else []
        found.append(
            Counts(
                true_positives=sum(supported),
                false_positives=len(supported) - sum(supported),
                false_negatives=len(covered) - sum(covered),
            )
        )
    return found


def _text(row: AnswerRow) -> str:
    return "\n\n".join(one.text for one in row.passages)


def _similarities(row: AnswerRow, embedder: Embedder | None) -> list[float]:
    """Return the cosine of the answer and each reference, at least 0."""
    if not row.references:
        raise UnscoredError("there is no reference")
    answer, *others = _vectors(embedder, [without_markers(row.reply), *row.references])
    return [max(0.0, float(answer @ one)) for one in others]


def _vectors(embedder: Embedder | None, texts: Sequence[str]) -> list[Vector]:
    if embedder is None:
        raise UnscoredError("there is no embedder")
    found = [one for one in embedder.embed(texts) if one is not None]
    if len(found) != len(texts):
        raise UnscoredError("the embedder does not read this text")
    return found


@dataclass(frozen=True, kw_only=True)
class JudgedMeasure:
    """One judged measure over all answers."""

    measured: Measured
    unscored: Counter[str]
    """Why → answers without a value."""
    asked: int
    """Answers it was to be asked of: those with a value and those where something failed."""
    parse_failures: int

    @property
    def parse_failure_rate(self) -> float | None:
        """Of the answers it was asked of, in [0, 1]; `None`: of none."""
        return self.parse_failures / self.asked if self.asked else None


def judged_measures(rows: Sequence[AnswerRow], judged: Sequence[JudgedRow], *, seed: int) -> tuple[JudgedMeasure, ...]:
    """Return the six measures; intervals over topics."""
    found = []
    for name, says in JUDGED:
        values = [one.values.get(name) for one in judged]
        unscored = Counter(one.unscored[name] for one in judged if name in one.unscored)
        failed = sum(count for why, count in unscored.items() if why.startswith("failed: "))
        interval = mean_of(values, rows, seed=seed)
        found.append(
            JudgedMeasure(
                measured=Measured(name=name, says=says, interval=interval, values=tuple(values)),
                unscored=unscored,
                asked=sum(value is not None for value in values) + failed,
                parse_failures=sum(name in one.parse_failures for one in judged),
            )
        )
    return tuple(found)


def judged_text(measures: Sequence[JudgedMeasure], judge: Judge) -> str:
    """Return the six measures as a Markdown table, with how often the judge failed."""
    lines = [
        f"judge {judge.model.engine}, {judge.calls} calls"
        + (f"; the provider refused {', '.join(sorted(judge.dropped))}" if judge.dropped else ""),
        "",
        "| measure | mean | 95 % | SD | n | unreadable | what |",
        "| --- | ---: | --- | ---: | ---: | ---: | --- |",
    ]
    for one in measures:
        own, interval = one.measured, one.measured.interval
        scored = [value for value in own.values if value is not None]
        mean = "-" if interval is None else f"{interval.point:.3f}"
        bounds = "-" if interval is None else f"[{interval.low:.3f}, {interval.high:.3f}]"
        spread = f"{float(np.std(scored, ddof=1)):.3f}" if len(scored) > 1 else "-"
        rate = "-" if one.parse_failure_rate is None else f"{one.parse_failure_rate:.1%}"
        lines.append(f"| {own.name} | {mean} | {bounds} | {spread} | {len(scored)} | {rate} | {own.says} |")
    for one in measures:
        lines += [f"{one.measured.name} unscored {count} times: {why}" for why, count in one.unscored.most_common(5)]
    return "\n".join(lines)


def judged_json(measures: Sequence[JudgedMeasure], judge: Judge) -> dict[str, Any]:
    """Return the six measures as JSON values."""
    return {
        "judge": judge.model.engine,
        "calls": judge.calls,
        "refused_parameters": sorted(judge.dropped),
        "measures": {
            one.measured.name: {
                "says": one.measured.says,
                "interval": None if one.measured.interval is None else asdict(one.measured.interval),
                "unscored": dict(one.unscored),
                "parse_failure_rate": one.parse_failure_rate,
                "values": list(one.measured.values),
            }
            for one in measures
        },
    }
