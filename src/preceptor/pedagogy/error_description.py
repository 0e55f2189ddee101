"""A mistake and a struggle in abstract words: no digits, no number words, no names or nouns of a problem (A7, A23)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from preceptor.domain.claim import ClauseKind
from preceptor.domain.learner_state import Emotion, LearnerState, StruggleStatus
from preceptor.domain.observation import Explanation, MisconceptionKind, Reading, ReadingStatus
from preceptor.maths.step_graph import StepGraph, StepNode
from preceptor.pedagogy.progress import Progress
from preceptor.pedagogy.quantity_kinds import quantity_kinds

_DOES = {"+": "adds", "-": "takes away", "*": "multiplies", "/": "divides", "^": "raises to a power"}
"""What the situation does, by the step's operator."""
_DID = {"+": "added", "-": "subtracted", "*": "multiplied", "/": "divided", "^": "raised to a power"}

_DETAIL: dict[MisconceptionKind, str] = {
    MisconceptionKind.WRONG_OPERATION: "used another operation where the situation {does}",
    MisconceptionKind.SWAPPED_OPERANDS: "turned the order of the quantities round where the situation {does}",
    MisconceptionKind.FOREIGN_QUANTITY: "{did} with a quantity that does not belong to this step",
    MisconceptionKind.MISSING_QUANTITY: "left out a quantity that this step needs",
    MisconceptionKind.DOUBLED_QUANTITY: "counted the same quantity more often than the situation does",
    MisconceptionKind.UNIT_NOT_CONVERTED: "combined quantities without bringing them to the same unit",
    MisconceptionKind.PERCENT_BASE: "took the percentage of the wrong whole",
    MisconceptionKind.ONE_ITEM_MISSED: "left one of several parts out of the total",
    MisconceptionKind.COMPARISON_INVERTED: "read a comparison the wrong way round: the larger for the smaller",
    MisconceptionKind.ROUNDING_DIRECTION: "rounded in the direction that the situation does not allow",
    MisconceptionKind.STOPPED_EARLY: "gave an intermediate value as the final answer",
    MisconceptionKind.ONE_STEP_TOO_MANY: "went on calculating after the answer was reached",
    MisconceptionKind.CARRIED_VALUE: "carried on with an earlier value that was not right",
    MisconceptionKind.ARITHMETIC_SLIP: "chose a fitting operation but slipped in the calculation",
}

_LINE = re.compile(r"\n|(?<=[.!?])\s")
_WORDED = re.compile(r"[^\W\d_]{2}")
"""A line of a number alone states the answer again."""
SLIP = "slipped in a calculation"
OFF_PLAN = "worked out a quantity that does not lead to what is asked"


def describe_error(
    explanations: tuple[Explanation, ...],
    graph: StepGraph | None,
    *,
    slipped: bool,
    wrong: bool,
    line: str = "",
    said: str = "",
    problem: str = "",
    language: str = "en",
) -> str:
    """Return the mistake in abstract words, with its place and kinds of quantity; empty where none was seen.

    Args:
        explanations: What explains the wrong value; where they differ in kind, all kinds are named as possible.
        graph: The worked solution, for what the step does.
        slipped: The arithmetic of a claim does not hold.
        wrong: Something was marked wrong.
        line: The learner's line that goes off; only what kinds of quantity it speaks of enters.
        said: All that the learner said, for the place of the line in it.
        problem: The problem's text; of it, too, only the kinds of quantity.
        language: Of line and problem; kinds of quantity are read in English only.
    """
    mistake = _mistake(explanations, graph, slipped=slipped, wrong=wrong)
    if not mistake:
        return ""
    worked_with = quantity_kinds(line, language)
    around = tuple(kind for kind in quantity_kinds(problem, language) if kind not in worked_with)
    parts = [mistake + _place(line, said)]
    if worked_with:
        parts.append("working with " + _listed(worked_with))
    if around:
        parts.append("in a situation with " + _listed(around))
    return ", ".join(parts)


def _mistake(explanations: tuple[Explanation, ...], graph: StepGraph | None, *, slipped: bool, wrong: bool) -> str:
    if slipped and not explanations:
        return SLIP
    kinds = list(dict.fromkeys(_detail(explanation, graph) for explanation in explanations))
    if kinds:
        return kinds[0] if len(kinds) == 1 else "either " + ", or ".join(kinds[:3])
    return OFF_PLAN if wrong else ""


def _detail(explanation: Explanation, graph: StepGraph | None) -> str:
    node = graph.nodes[explanation.node] if graph and explanation.node < len(graph.nodes) else None
    return _DETAIL[explanation.kind].format(
        does=_DOES.get(_operator(node), "asks for a different calculation"), did=_DID.get(_operator(node), "calculated")
    )


def _place(line: str, said: str) -> str:
    """Return where in the learner's work the line stands, where it is one of several."""
    before, found, after = said.partition(line) if line.strip() else ("", "", "")
    if not found:
        return ""
    earlier, later = (len([part for part in _LINE.split(text) if _WORDED.search(part)]) for text in (before, after))
    if not earlier and not later:
        return ""
    if not earlier:
        return " at the first step"
    return " at the last step" if not later else " between the first and the last step"


def _listed(kinds: Sequence[str]) -> str:
    return kinds[0] if len(kinds) == 1 else f"{', '.join(kinds[:-1])} and {kinds[-1]}"


def _operator(node: StepNode | None) -> str:
    return node.operators[-1] if node is not None and node.operators else ""


def describe_struggle(state: LearnerState, reading: Reading, after: Progress, *, error_detail: str) -> str:
    """Return why the learner is stuck, in abstract words; empty where nothing shows it."""
    status, emotion = state.struggle_status, state.emotion
    reasons: list[str] = []
    if status is StruggleStatus.REPEATED_ERROR:
        reasons.append("holds on to the same idea after it was questioned")
    elif status is StruggleStatus.REGRESSION:
        reasons.append("goes back on a step that was already right")
    elif status is StruggleStatus.PERSISTENT_CONFUSION:
        reasons.append("does not find a way into the next step")
    if after.bare_guesses > 1:
        reasons.append("offers answers without showing how they were found")
    if ClauseKind.QUOTATION in reading.clauses and reading.status is not ReadingStatus.READ:
        reasons.append("repeats what is given without doing anything with it")
    if after.unread_streak > 1:
        reasons.append("says it in words that could not be followed")
    if emotion is Emotion.FRUSTRATED:
        reasons.append("is losing patience with the task")
    elif emotion is Emotion.CONFUSED and not reasons:
        reasons.append("is unsure what the situation asks for")
    if not reasons and error_detail and status is not StruggleStatus.FIRST_ATTEMPT:
        reasons.append("has not yet connected the situation to a fitting calculation")
    return "; ".join(reasons)
