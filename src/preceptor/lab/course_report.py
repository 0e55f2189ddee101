"""What an evaluation of course answers says, as JSON values and as tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from statistics import median
from typing import Any

from preceptor.lab.course_measures import AnswerRow, Compared, Measured
from preceptor.lab.statistics import Interval

READ_WITH = (
    "by strings, against spans fixed before any search; intervals over topics, too narrow where these are few. "
    "Says nothing about whether learners are helped"
)


def evaluation_json(rows: Sequence[AnswerRow], measures: Sequence[Measured], *, with_rows: bool) -> dict[str, Any]:
    """Return one evaluation as JSON values."""
    return {
        "read_with": READ_WITH,
        **counts(rows),
        "measures": {one.name: _measure_json(one) for one in measures},
        "rows": [_row_json(row) for row in rows] if with_rows else [],
    }


def counts(rows: Sequence[AnswerRow]) -> dict[str, Any]:
    """Return what is counted beside the measures."""
    times = [row.search_ms for row in rows if row.search_ms is not None]
    return {
        "questions": len(rows),
        "answerable": sum(row.answerable for row in rows),
        "span_not_in_course": sum(row.span_in_course is False for row in rows),
        "unscored": sum(row.failure is not None for row in rows),
        "unscored_by_reason": dict(Counter(row.failure for row in rows if row.failure is not None)),
        "engines": dict(Counter(row.engine for row in rows if row.engine)),
        "routes": dict(Counter(row.route for row in rows if row.route)),
        "statuses": dict(Counter(row.status for row in rows if row.status)),
        "unsure": sum(row.unsure for row in rows),
        "citations": sum(len(row.citations) for row in rows),
        "citations_removed": sum(row.removed for row in rows),
        "stages_off": dict(Counter(f"{stage}: {why}" for row in rows for stage, why in row.stages_off.items())),
        "search_ms_median": median(times) if times else None,
    }


def evaluation_text(rows: Sequence[AnswerRow], measures: Sequence[Measured]) -> str:
    """Return one evaluation as text with a Markdown table."""
    counted = counts(rows)
    lines = ["| measure | mean | 95 % | n | topics | what |", "| --- | ---: | --- | ---: | ---: | --- |"]
    lines += [
        f"| {one.name} | {_mean(one.interval)} | {_bounds(one.interval)} "
        f"| {one.interval.n if one.interval else 0} | {one.interval.n_clusters if one.interval else 0} | {one.says} |"
        for one in measures
    ]
    lines += ["", READ_WITH, *_count_lines(counted)]
    return "\n".join(lines)


def comparison_text(
    names: tuple[str, str], rows: tuple[Sequence[AnswerRow], Sequence[AnswerRow]], compared: Sequence[Compared]
) -> str:
    """Return two configurations side by side."""
    lines = [
        f"first: {names[0]}; second: {names[1]}",
        "",
        "| measure | first | second | second - first | 95 % | only first | only second | p |",
        "| --- | ---: | ---: | ---: | --- | ---: | ---: | ---: |",
    ]
    for one in compared:
        tested = (
            ("-", "-", "-")
            if one.mcnemar is None
            else (str(one.mcnemar.only_first), str(one.mcnemar.only_second), f"{one.mcnemar.p_value:.2g}")
        )
        lines.append(
            f"| {one.name} | {_number(one.first)} | {_number(one.second)} | {_mean(one.difference, sign=True)} "
            f"| {_bounds(one.difference)} | {' | '.join(tested)} |"
        )
    changed = changes(*rows)
    lines += [
        "",
        READ_WITH,
        "; ".join(f"{name} differ on {count} of {len(rows[0])}" for name, count in changed.items()),
    ]
    for name, own in zip(names, rows, strict=True):
        lines += [f"{name}:", *(f"  {line}" for line in _count_lines(counts(own)))]
    return "\n".join(lines)


def changes(first: Sequence[AnswerRow], second: Sequence[AnswerRow]) -> dict[str, int]:
    """Return on how many questions passages, answers and citations differ."""
    pairs = list(zip(first, second, strict=True))

    def cited(row: AnswerRow) -> list[tuple[str, int, int]]:
        return [(one.passage_id, one.start, one.end) for one in row.citations]

    return {
        "passages": sum(
            [one.passage_id for one in a.passages] != [one.passage_id for one in b.passages] for a, b in pairs
        ),
        "answers": sum(a.reply != b.reply for a, b in pairs),
        "citations": sum(cited(a) != cited(b) for a, b in pairs),
    }


def comparison_json(
    names: tuple[str, str],
    rows: tuple[Sequence[AnswerRow], Sequence[AnswerRow]],
    compared: Sequence[Compared],
    *,
    with_rows: bool,
) -> dict[str, Any]:
    """Return two configurations as JSON values; rows are those whose passages, answer or citations differ."""
    differ = [(a, b) for a, b in zip(*rows, strict=True) if any(changes([a], [b]).values())]
    return {
        "read_with": READ_WITH,
        "first": {"configuration": names[0], **counts(rows[0])},
        "second": {"configuration": names[1], **counts(rows[1])},
        "measures": {one.name: asdict(one) for one in compared},
        "differ": changes(*rows),
        "rows": [{"first": _row_json(a), "second": _row_json(b)} for a, b in differ] if with_rows else [],
    }


def _count_lines(counted: dict[str, Any]) -> list[str]:
    lines = [
        f"{counted['questions']} questions, {counted['answerable']} answerable, of which "
        f"{counted['span_not_in_course']} have a span that no passage of this course holds (unscored)",
        f"{counted['citations']} citations, {counted['citations_removed']} more removed; "
        f"{counted['unscored']} questions without a reply",
    ]
    for name in ("engines", "routes", "statuses", "stages_off", "unscored_by_reason"):
        if counted[name]:
            lines.append(f"{name.replace('_', ' ')}: " + ", ".join(f"{key} {n}" for key, n in counted[name].items()))
    return lines


def _measure_json(one: Measured) -> dict[str, Any]:
    return {"says": one.says, "interval": None if one.interval is None else asdict(one.interval)}


def _row_json(row: AnswerRow) -> dict[str, Any]:
    return {
        "question_id": row.question_id,
        "topic": row.topic,
        "question": row.question,
        "reply": row.reply,
        "engine": row.engine,
        "route": row.route,
        "status": row.status,
        "unsure": row.unsure,
        "span_found": row.span_found,
        "right_citations": row.right_citations,
        "passages": [f"{one.document_name}, p. {one.page}, {one.start}-{one.end}" for one in row.passages],
        "citations": [{"document": one.document_name, "page": one.page, "quote": one.quote} for one in row.citations],
        "failure": row.failure,
    }


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _mean(interval: Interval | None, *, sign: bool = False) -> str:
    return "-" if interval is None else f"{interval.point:+.3f}" if sign else f"{interval.point:.3f}"


def _bounds(interval: Interval | None) -> str:
    return "-" if interval is None else f"[{interval.low:.3f}, {interval.high:.3f}]"
