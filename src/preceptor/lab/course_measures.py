"""Measures of course answers that need no judge: was the span found, are the citations about it, was "no" said rightly.

All by strings against a span that was fixed before anything was searched. They cannot see whether an answer helps, nor
a right answer from another place of the course: a citation of that counts as wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from preceptor.course.question_set import is_about_span, plain_text
from preceptor.domain.grounding import Citation
from preceptor.domain.passage import Passage
from preceptor.lab.statistics import MIN_RESAMPLES, Interval, McNemar, cluster_bootstrap_mean, mcnemar_exact


@dataclass(frozen=True, kw_only=True)
class AnswerRow:
    """One question and what came of it; `None`: not to be asked of this question."""

    question_id: str
    topic: str
    question: str
    answerable: bool
    references: tuple[str, ...]
    passages: tuple[Passage, ...]
    """As told to the tutor, or would have been; best first."""
    reply: str
    engine: str
    route: str | None
    status: str | None
    """Grounding status; `None`: the reply has none."""
    unsure: bool
    """The reply says that it is not sure whether the course answers."""
    citations: tuple[Citation, ...]
    removed: int
    """Citations that were taken out before the learner saw them."""
    n_statements: int
    n_grounded: int
    stages_off: dict[str, str]
    search_ms: float | None
    span_in_course: bool | None
    """Whether one passage of the course holds the whole span; without it nothing about the span is scored."""
    span_found: bool | None
    right_citations: int | None
    """Citations that touch the span."""
    failure: str | None = None
    """Why there is no reply."""

    @property
    def said_no(self) -> bool | None:
        """Whether the reply says that the course does not answer; `None`: there is no reply."""
        return None if self.failure is not None else self.status == "not_in_course"


def is_document(name: str, wanted: str | None) -> bool:
    """Return whether a course's document is the one a question names: by whole path, or by the path's end."""
    return wanted is not None and (name == wanted or name.endswith(f"/{wanted}"))


def holds_span(passage: Passage, document: str | None, quote: str | None) -> bool:
    """Return whether a passage holds a whole span; marks of emphasis and spacing do not count."""
    return (
        quote is not None
        and is_document(passage.document_name, document)
        and plain_text(quote) in plain_text(passage.text)
    )


def touches(citation: Citation, document: str | None, quote: str | None) -> bool:
    """Return whether a citation is about a span."""
    return is_about_span(citation.quote, citation.document_name, document=document, quote=quote)


@dataclass(frozen=True, kw_only=True)
class Measured:
    """One measure over all questions it can be asked of."""

    name: str
    says: str
    interval: Interval | None
    """`None`: no question can be scored."""
    values: tuple[float | None, ...]
    """By question; `None`: unscored or not to be asked."""


Value = Callable[[AnswerRow], float | None]


def _span_recall(row: AnswerRow) -> float | None:
    return None if row.span_found is None else float(row.span_found)


def _citation_precision(row: AnswerRow) -> float | None:
    return None if row.right_citations is None or not row.citations else row.right_citations / len(row.citations)


def _citation_recall(row: AnswerRow) -> float | None:
    return None if row.right_citations is None else float(row.right_citations > 0)


def _grounded(row: AnswerRow) -> float | None:
    return None if row.failure is not None or not row.n_statements else row.n_grounded / row.n_statements


def _refused_rightly(row: AnswerRow) -> float | None:
    return None if row.answerable or row.said_no is None else float(row.said_no)


def _refused_wrongly(row: AnswerRow) -> float | None:
    return None if not row.span_in_course or row.said_no is None else float(row.said_no)


def _warned_rightly(row: AnswerRow) -> float | None:
    return None if row.answerable or row.said_no is None else float(row.said_no or row.unsure)


def _warned_wrongly(row: AnswerRow) -> float | None:
    return None if not row.span_in_course or row.said_no is None else float(row.said_no or row.unsure)


MEASURES: tuple[tuple[str, str, Value], ...] = (
    ("span_recall", "the passage with the span is among those found", _span_recall),
    ("citation_precision", "of an answer's citations, those about the span", _citation_precision),
    ("citation_recall", "the answer cites the span", _citation_recall),
    ("grounded_statements", "of an answer's statements, those with a citation that holds", _grounded),
    ("refused_rightly", "unanswerable questions told to be not in the course", _refused_rightly),
    ("refused_wrongly", "answerable questions told to be not in the course", _refused_wrongly),
    ("warned_rightly", "unanswerable questions told so, or that the tutor is not sure", _warned_rightly),
    ("warned_wrongly", "answerable questions told not to be, or that the tutor is not sure", _warned_wrongly),
)
"""(name, what it is the share of, its value on one question)."""


def measured(name: str, says: str, value: Value, rows: Sequence[AnswerRow], *, seed: int) -> Measured:
    """Return the mean of a measure over questions, with its interval over topics."""
    values = [value(row) for row in rows]
    return Measured(name=name, says=says, interval=mean_of(values, rows, seed=seed), values=tuple(values))


def mean_of(values: Sequence[float | None], rows: Sequence[AnswerRow], *, seed: int) -> Interval | None:
    """Return the mean of what is scored, with topics as clusters; `None`: nothing is."""
    scored = [(one, row.topic) for one, row in zip(values, rows, strict=True) if one is not None]
    if not scored:
        return None
    return cluster_bootstrap_mean(
        [one for one, _ in scored], [topic for _, topic in scored], seed=seed, resamples=MIN_RESAMPLES
    )


def judge_free(rows: Sequence[AnswerRow], *, seed: int) -> tuple[Measured, ...]:
    """Return every measure that needs no judge."""
    return tuple(measured(name, says, value, rows, seed=seed) for name, says, value in MEASURES)


@dataclass(frozen=True, kw_only=True)
class Compared:
    """One measure under two configurations, on the questions that both have a value for."""

    name: str
    first: float | None
    second: float | None
    difference: Interval | None
    """Second less first, paired by question."""
    mcnemar: McNemar | None
    """Of a measure that is yes or no on each question; `None`: it is not, or nothing is paired."""


def compare_measures(
    first: Sequence[Measured], second: Sequence[Measured], rows: Sequence[AnswerRow], *, seed: int
) -> tuple[Compared, ...]:
    """Return each measure's paired difference; `rows` gives the topics, in the order of the values."""
    return tuple(_compared(a, b, rows, seed) for a, b in zip(first, second, strict=True))


def _compared(first: Measured, second: Measured, rows: Sequence[AnswerRow], seed: int) -> Compared:
    both = [None if a is None or b is None else (a, b) for a, b in zip(first.values, second.values, strict=True)]
    pairs = [one for one in both if one is not None]
    yes_no = bool(pairs) and all(value in (0.0, 1.0) for pair in pairs for value in pair)
    return Compared(
        name=first.name,
        first=sum(a for a, _ in pairs) / len(pairs) if pairs else None,
        second=sum(b for _, b in pairs) / len(pairs) if pairs else None,
        difference=mean_of([None if one is None else one[1] - one[0] for one in both], rows, seed=seed),
        mcnemar=mcnemar_exact([bool(a) for a, _ in pairs], [bool(b) for _, b in pairs]) if yes_no else None,
    )
