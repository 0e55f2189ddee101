"""The first wrong step of a learner's solution, given a worked one: where, what kind, and why in words.

Rules decide whether a solution is accused at all; where its final answer is wrong, one step must be wrong, so the
steps are ranked by a small linear model over named features (`first_wrong_step_features`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from importlib.resources import files
from math import exp

from preceptor.domain.observation import MisconceptionKind
from preceptor.maths.first_wrong_step_features import Row, states_of, step_rows
from preceptor.maths.learner_steps import LearnerStep, LearnerValue, final_value, read_learner_steps
from preceptor.maths.reference_values import ReferenceValues
from preceptor.maths.step_graph import StepGraph, build_step_graph


@dataclass(frozen=True, kw_only=True)
class WrongStep:
    """Where a solution goes wrong first."""

    index: int | None
    """0-based step; `None`: nothing is accused."""
    kind: str
    """A `MisconceptionKind` value, `off_reference`, `other_meaning`, `no_number`, `none` or `unread`."""
    why: str
    """In words, with the learner's own quantities only: never the right value."""
    confidence: float
    """Share of the ranking the step has, in [0, 1]; 1 where plain arithmetic shows it."""


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """A learner's solution laid beside a worked one."""

    reference: ReferenceValues
    steps: tuple[LearnerStep, ...]
    values: tuple[LearnerValue, ...]
    final: LearnerValue | None
    rows: tuple[Row, ...]

    @property
    def final_right(self) -> bool:
        """Whether the learner's final value is the reference's answer."""
        return self.final is not None and _same_answer(self.final, self.reference.graph)


def compare(graph: StepGraph, steps: Sequence[str], language: str = "en") -> Comparison:
    """Return a learner's solution laid beside a worked one; at most its first 60 steps."""
    reference = ReferenceValues(graph)
    read, values = read_learner_steps(steps, reference, language)
    final = final_value(read)
    return Comparison(
        reference=reference,
        steps=read,
        values=values,
        final=final,
        rows=tuple(step_rows(read, values, final, reference)),
    )


def find_first_wrong_step(
    problem: str,
    reference: str,
    steps: Sequence[str],
    *,
    answer: str | None = None,
    language: str = "en",
    trust_answer: bool = True,
    weights: Mapping[str, float] | None = None,
) -> WrongStep:
    """Return the first wrong step of a learner's solution.

    Args:
        problem: The problem's text.
        reference: A worked solution, see `build_step_graph`.
        steps: The learner's solution, one step an entry; the last may be the bare answer.
        answer: The final answer, where the reference does not end in it.
        language: Tag of all texts.
        trust_answer: A right final answer clears every step whose own arithmetic holds. Without it a step is also
            accused whose value the reference neither has nor can use.
        weights: Feature → weight, in place of the package's own.

    A reference that cannot be read, or contradicts itself, leaves only arithmetic to judge.
    """
    graph = build_step_graph(problem, reference, answer, language)
    if graph is None:
        graph = StepGraph(nodes=(), givens=(), answer=None, answer_node=None, inconsistent="unread")
    return judge(compare(graph, steps, language), trust_answer=trust_answer, weights=weights)


def judge(
    comparison: Comparison, *, trust_answer: bool = True, weights: Mapping[str, float] | None = None
) -> WrongStep:
    """Return the first wrong step of a solution that has been laid beside its reference."""
    if not comparison.steps:
        return WrongStep(index=None, kind="none", why="", confidence=0.0)
    slip = _first_slip(comparison)
    if comparison.reference.graph.inconsistent or comparison.final_right or not trust_answer:
        if slip is None and not trust_answer and not comparison.reference.graph.inconsistent:
            slip = _first_hard(comparison)
        if slip is None:
            right = comparison.final_right
            return WrongStep(index=None, kind="none" if right else "unread", why="", confidence=1.0 if right else 0.0)
        return _accuse(comparison, slip, 1.0)
    shares = rank(comparison, weights)
    index = max(range(len(shares)), key=lambda place: shares[place])
    if slip is not None and not any(row["any_not_known"] for row in comparison.rows[:slip]):
        return _accuse(comparison, slip, 1.0)
    return _accuse(comparison, index, shares[index])


def rank(comparison: Comparison, weights: Mapping[str, float] | None = None) -> tuple[float, ...]:
    """Return each step's share of being the first wrong one; the shares sum to 1.

    A discrete hazard: the chance that a step is wrong if none before it was; the last step takes what is left.
    """
    table = weights if weights is not None else load_weights()
    shares: list[float] = []
    left = 1.0
    for row in comparison.rows[:-1]:
        score = table.get("intercept", 0.0) + sum(table.get(name, 0.0) * value for name, value in row.items())
        hazard = 1 / (1 + exp(-max(-30.0, min(30.0, score))))
        shares.append(left * hazard)
        left *= 1 - hazard
    return (*shares, left)


@lru_cache(maxsize=1)
def load_weights() -> Mapping[str, float]:
    """Return the package's own weights; the file says on what they were fitted."""
    text = files("preceptor.maths").joinpath("first_wrong_step_weights.json").read_text(encoding="utf-8")
    weights: dict[str, float] = json.loads(text)["weights"]
    return weights


def _same_answer(final: LearnerValue, graph: StepGraph) -> bool:
    if graph.answer is None:
        return False
    if final.number == graph.answer:
        return True
    if final.claim.unit == "%" and final.number * 100 == graph.answer:
        return True
    if graph.answer.denominator == 1 and final.number.denominator == 1:
        return False
    return abs(final.number - graph.answer) <= Fraction(1, 200)


def _first_slip(comparison: Comparison) -> int | None:
    """Return the first step whose own arithmetic does not hold."""
    return next((value.step for value in comparison.values if value.false), None)


def _first_hard(comparison: Comparison) -> int | None:
    """Return the first step with a computed value that the reference neither has nor can use."""
    return next((value.step for value in comparison.values if states_of(value)["hard_origin"] and _hard(value)), None)


def _hard(value: LearnerValue) -> bool:
    match = value.match
    return match is not None and not match.known and not match.saves_by_number and not match.saves


_WHY: dict[str, str] = {
    MisconceptionKind.ARITHMETIC_SLIP: "“{text}” does not hold.",
    MisconceptionKind.WRONG_OPERATION: "The quantities in “{text}” belong together, but not joined like this.",
    MisconceptionKind.FOREIGN_QUANTITY: "A quantity in “{text}” is not one that this step is about.",
    MisconceptionKind.MISSING_QUANTITY: "“{text}” leaves out a quantity that belongs to this step.",
    MisconceptionKind.DOUBLED_QUANTITY: "“{text}” takes in a quantity that does not belong to this step.",
    MisconceptionKind.STOPPED_EARLY: "“{text}” is a value on the way, not yet what the problem asks for.",
    MisconceptionKind.ONE_STEP_TOO_MANY: "“{text}” goes on after what the problem asks for was found.",
    "other_meaning": "“{text}” may be the value of something else than it is taken for.",
    "off_reference": "“{text}” does not follow from the problem as the worked solution reads it.",
    "no_number": "This step states no value, and what follows from it does not hold.",
}


def _accuse(comparison: Comparison, index: int, confidence: float) -> WrongStep:
    kind, text = _kind(comparison, index)
    return WrongStep(index=index, kind=kind, why=_WHY[kind].format(text=text), confidence=round(confidence, 4))


def _kind(comparison: Comparison, index: int) -> tuple[str, str]:
    """Return the kind of mistake at a step and the learner's words it shows in."""
    values = [value for value in comparison.values if value.step == index]
    row = comparison.rows[index]
    slip = next((value for value in values if value.false), None)
    if slip is not None:
        return MisconceptionKind.ARITHMETIC_SLIP.value, _quoted(slip)
    if not values:
        return "no_number", ""
    off = next((value for value in values if value.match is not None and not value.match.known), values[-1])
    quote = _quoted(off)
    reached = any(earlier["reaches_answer"] for earlier in comparison.rows[:index])
    for name, kind in (
        ("other_operator", MisconceptionKind.WRONG_OPERATION),
        ("missing_operand", MisconceptionKind.MISSING_QUANTITY),
        ("extra_operand", MisconceptionKind.DOUBLED_QUANTITY),
        ("other_operand", MisconceptionKind.FOREIGN_QUANTITY),
        ("any_foreign", MisconceptionKind.FOREIGN_QUANTITY),
    ):
        if row[name] and off.computed:
            return kind.value, quote
    if reached:
        return MisconceptionKind.ONE_STEP_TOO_MANY.value, quote
    if row["final_is_step"] or row["final_is_step_last"]:
        return MisconceptionKind.STOPPED_EARLY.value, quote
    if row["number_only"] or row["noun_differs"] or row["all_origin"]:
        return "other_meaning", quote
    return "off_reference", quote


def _quoted(value: LearnerValue) -> str:
    text = " ".join(value.claim.text.split())
    return text if len(text) <= 80 else text[:79] + "…"
