"""What a reply on one problem must not give away, and what everybody at the table knows already."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor

from preceptor.domain.dialogue import Turn
from preceptor.maths.leak_expressions import Expression, find_expressions
from preceptor.maths.leak_mentions import Mention, find_mentions
from preceptor.maths.step_graph import StepGraph
from preceptor.maths.units import Unit, find_unit

_CLOCK_OR_ALGEBRA = re.compile(r"\d:\d\d|\d[a-z]\b|[a-z]\s?[-+*/^]\s?\d|\d\s?[-+*/^]\s?[a-z]\b", re.IGNORECASE)
_UNKNOWN = re.compile(r"^\s*[a-z]\s*=\s*", re.IGNORECASE)
_LEADING = re.compile(r"^(?:the|a|an|it is|it's|answer:?)\s+", re.IGNORECASE)
_ANSWER_MARK = re.compile(r"####\s*(.+?)\s*$")
_RESULT = re.compile(r"=\s*[$€£]?\s*(\d[\d,]*(?:\.\d+)?%?)(?![\d.,]*\d|\s*(?:[a-z$%]+\s*)?[-+*/x×÷^]\s*[($]?\d)")
_ANSWER_SAID = re.compile(r"\banswer\b[^.?!\d]{0,30}$", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class Secrets:
    """Values and words to keep back."""

    answers: frozenset[Fraction]
    """Readings of a numeric final answer, and its roundings."""
    words: str = ""
    """A final answer in words, lower case: "hexagon", "yes", "3:20"; empty where it is a number."""
    steps: frozenset[Fraction] = frozenset()
    """Values of the steps and results of the solution."""
    public: frozenset[Fraction] = frozenset()
    """Values in the problem or written by the learner."""
    problem: str = ""
    learner: str = ""
    """Everything the learner wrote."""
    computed: frozenset[tuple[Fraction, ...]] = field(default_factory=frozenset)
    """Sorted operands of each computation that the learner wrote."""
    answer_units: tuple[Unit, ...] = ()
    """Units that the answer is known to have."""
    step_units: tuple[tuple[Fraction, Unit], ...] = ()
    """Unreached steps' values that have a unit."""
    last_stated: Fraction | None = None
    """The last value the learner stated."""

    @property
    def hidden_answers(self) -> frozenset[Fraction]:
        """Answers whose mere mention is a leak."""
        return self.answers - self.public

    @property
    def hidden_steps(self) -> frozenset[Fraction]:
        """Step values whose mere mention is a leak."""
        return self.steps - self.public - self.answers


def gather_secrets(
    *,
    problem_text: str,
    graph: StepGraph | None,
    answer: str | None,
    solution: str | None,
    history: Sequence[Turn],
    reached: frozenset[int] | None,
) -> Secrets:
    """Return what is secret at this point of a dialogue; an answer the learner has reached is none any more."""
    learner = "\n".join(turn.learner for turn in history if turn.learner)
    read = [_cached_mentions(text) for text in (problem_text, *(turn.learner for turn in history))]
    public = {value for mentions in read for mention in mentions for value in mention.values}
    values, words = _answer(graph, answer, solution)
    latest = next((turn.learner for turn in reversed(history) if _cached_mentions(turn.learner)), "")
    steps: set[Fraction] = set()
    if graph is not None:
        steps = {node.value for node in graph.nodes} | _stated_results(solution or "")
    written = any(mention.values & values for mentions in read[1:] for mention in mentions)
    solved = _solved(graph, values, latest, reached) and (written or not values)
    return Secrets(
        answers=frozenset() if solved else _with_roundings(values),
        words="" if solved or (words and history and _says(history[-1].learner, words)) else words,
        steps=frozenset(_with_roundings(steps) - (values if solved else frozenset())),
        public=frozenset(public),
        problem=problem_text,
        learner=learner,
        computed=frozenset(operands for turn in history for operands in _cached_operands(turn.learner)),
        answer_units=_answer_units(graph, answer),
        step_units=tuple(
            (node.value, unit)
            for node in (graph.nodes if graph else ())
            if node.value in steps and node.unit and (unit := find_unit(node.unit)) is not None
        ),
        last_stated=_last_stated(_cached_mentions(latest)),
    )


def operands_of(expression: Expression) -> tuple[Fraction, ...]:
    """Return a computation's operands in ascending order, to compare it with another."""
    return tuple(sorted(expression.operands))


@lru_cache(maxsize=512)
def _cached_mentions(text: str) -> tuple[Mention, ...]:
    return tuple(find_mentions(text))


@lru_cache(maxsize=512)
def _cached_operands(text: str) -> frozenset[tuple[Fraction, ...]]:
    return frozenset(operands_of(expression) for expression in find_expressions(text))


def _answer(graph: StepGraph | None, answer: str | None, solution: str | None) -> tuple[frozenset[Fraction], str]:
    """Return the final answer as values, or else as words."""
    written = answer.strip() if answer and answer.strip() else final_line(solution)
    if not written:
        return (frozenset({graph.answer}) if graph is not None and graph.answer is not None else frozenset()), ""
    written = _UNKNOWN.sub("", written)
    mentions = find_mentions(written)
    if not mentions or _CLOCK_OR_ALGEBRA.search(written):
        return frozenset(), _LEADING.sub("", written.casefold()).strip(" .!")
    whole = [mention for mention in mentions if mention.form == "fraction"] or mentions
    values = {value for mention in whole for value in mention.values}
    if graph is not None and graph.answer is not None:
        values.add(graph.answer)
    return frozenset(abs(value) for value in values), ""


def _answer_units(graph: StepGraph | None, answer: str | None) -> tuple[Unit, ...]:
    names = [re.sub(r"^[\s\d.,/]+", "", answer or "").strip(" .")]
    if graph is not None and graph.answer_node is not None:
        names.append(graph.nodes[graph.answer_node].unit or "")
    return tuple(unit for name in names if name and (unit := find_unit(name)) is not None)


def final_line(solution: str | None) -> str:
    """Return the answer at the end of a worked solution: after "####", or a last line that is one number."""
    lines = [line.strip() for line in (solution or "").splitlines() if line.strip()]
    if not lines:
        return ""
    marked = _ANSWER_MARK.search(lines[-1])
    if marked:
        return marked.group(1)
    return lines[-1] if len(lines[-1]) < 24 and "=" not in lines[-1] and find_mentions(lines[-1]) else ""


@lru_cache(maxsize=64)
def _stated_results(solution: str) -> frozenset[Fraction]:
    """Return the numbers right of an "=", so that a step the graph could not read is kept back, too."""
    found: set[Fraction] = set()
    for match in _RESULT.finditer(solution):
        number = next((mention for mention in find_mentions(match.group(1))), None)
        if number is not None:
            found |= number.values
    return frozenset(found)


def _solved(graph: StepGraph | None, values: frozenset[Fraction], latest: str, reached: frozenset[int] | None) -> bool:
    """Tell whether the learner has the answer: as the observer says, else by the last value they stated."""
    if reached is not None and graph is not None and graph.answer_node is not None:
        return graph.answer_node in reached
    mentions = find_mentions(latest)
    if not mentions or not values:
        return False
    if mentions[-1].values & values and "?" not in latest[mentions[-1].end :]:
        return True
    return any(
        mention.values & values and _ANSWER_SAID.search(latest[max(0, mention.start - 40) : mention.start])
        for mention in mentions
    )


def _last_stated(mentions: Sequence[Mention]) -> Fraction | None:
    return mentions[-1].value if mentions else None


def _says(text: str, words: str) -> bool:
    return bool(re.search(rf"(?<!\w){re.escape(words)}(?!\w)", text.casefold()))


def _with_roundings(values: frozenset[Fraction] | set[Fraction]) -> frozenset[Fraction]:
    """Add 2.92, 2.93, 2.9 to 2.925: a decimal cut or rounded within 2 % gives a value away as well."""
    found = {abs(value) for value in values}
    for value in [*found]:
        for scale in (10, 100, 1000) if value.denominator != 1 else ():
            for near in (Fraction(floor(value * scale), scale), Fraction(ceil(value * scale), scale)):
                if near.denominator != 1 and abs(near - value) <= value / 50:
                    found.add(near)
    return frozenset(found)
