"""What is known of each step of a learner's solution, as numbers between 0 and 1, for ranking the first wrong step.

Every feature is named; `FEATURES` is their order. They describe values and their origin, never wording, but for a
handful of markers (a declaration, an answer line).
"""

from __future__ import annotations

from collections.abc import Sequence

from preceptor.domain.claim import Claim
from preceptor.maths.learner_steps import LearnerStep, LearnerValue
from preceptor.maths.noun_phrases import singular
from preceptor.maths.reference_values import ReferenceValues
from preceptor.maths.step_graph import StepNode

Row = dict[str, float]

_STATES = ("false", "not_number", "not_origin", "not_known", "unsaving", "hard", "hard_origin", "foreign", "new_bare")
"""Ways in which a value can be off: arithmetic; not a step's number, not a step's origin, neither nor a part of a step,
and also no operation away; an operand from nowhere; a bare number from nowhere."""


def states_of(value: LearnerValue) -> dict[str, bool]:
    """Return in which ways one value is off the reference."""
    match = value.match
    if match is None:
        return dict.fromkeys(_STATES, False)
    computed = value.computed
    return {
        "false": value.false,
        "not_number": computed and match.node is None,
        "not_origin": computed and match.node_in_worlds is None and not match.part_in_worlds,
        "not_known": computed and not match.known,
        "unsaving": computed and not (match.saves or match.saves_by_number),
        "hard": computed and not match.known and not match.saves_by_number,
        "hard_origin": computed and not (match.node_in_worlds is not None or match.part_in_worlds or match.saves),
        "foreign": computed and value.foreign > 0,
        "new_bare": not computed and not match.known,
    }


def step_rows(
    steps: Sequence[LearnerStep], values: Sequence[LearnerValue], final: LearnerValue | None, reference: ReferenceValues
) -> list[Row]:
    """Return one row of features per step, in order."""
    rows = [_own(step) for step in steps]
    _add_position(rows, steps)
    _add_firsts(rows)
    _add_reach(rows, steps, reference)
    _add_trace(rows, steps, values, final, reference)
    _add_operations(rows, steps, reference)
    _add_neighbours(rows)
    return rows


def _own(step: LearnerStep) -> Row:
    row: Row = {f"any_{state}": 0.0 for state in _STATES}
    computed = [value for value in step.values if value.computed]
    for value in step.values:
        for state, holds in states_of(value).items():
            row[f"any_{state}"] = max(row[f"any_{state}"], float(holds))
    matched = [value for value in computed if value.match is not None]
    row["all_known"] = float(bool(matched) and all(v.match is not None and v.match.known for v in matched))
    row["all_origin"] = float(
        bool(matched) and all(v.match is not None and v.match.node_in_worlds is not None for v in matched)
    )
    row["number_only"] = float(
        any(v.match is not None and v.match.node is not None and v.match.node_in_worlds is None for v in matched)
    )
    row["computes"] = float(bool(computed))
    row["computes_twice"] = float(len(computed) > 1)
    row["computes_thrice"] = float(len(computed) > 2)
    row["restates_only"] = float(bool(step.values) and all(value.restates for value in step.values))
    row["no_number"] = float(not step.values and not step.unfinished)
    row["unfinished"] = float(step.unfinished > 0)
    row["declares"] = float(step.declares)
    row["answer_line"] = float(step.answer_line)
    row["equation"] = float(any(value.claim.unknown is not None for value in step.values))
    row["long"] = min(len(step.text) / 300, 1.0)
    return row


def _add_position(rows: list[Row], steps: Sequence[LearnerStep]) -> None:
    count = len(rows)
    for index, row in enumerate(rows):
        row["first"] = float(index == 0)
        row["second"] = float(index == 1)
        row["last"] = float(index == count - 1)
        row["before_last"] = float(index == count - 2)
        row["place"] = index / max(1, count - 1)
        row["index"] = min(index, 8) / 8


def _add_firsts(rows: list[Row]) -> None:
    """Mark the first step in each state, and steps after it."""
    for state in _STATES:
        seen = False
        total = any(row[f"any_{state}"] for row in rows)
        for row in rows:
            here = bool(row[f"any_{state}"])
            row[f"first_{state}"] = float(here and not seen)
            row[f"after_{state}"] = float(seen)
            row[f"none_{state}"] = float(not total and row["last"])
            seen = seen or here


def _add_reach(rows: list[Row], steps: Sequence[LearnerStep], reference: ReferenceValues) -> None:
    """Mark which step reaches which new value of the reference, and whether later steps come back to it."""
    nodes = reference.graph.nodes
    reached: set[int] = set()
    news: list[set[int]] = []
    for step, row in zip(steps, rows, strict=True):
        here: set[int] = set()
        for value in step.values:
            if value.match is not None and not value.false:
                node = value.match.node_in_worlds if value.match.node_in_worlds is not None else value.match.node
                if node is not None:
                    here.add(node)
        new = here - reached
        needed = {source for node in new for source in nodes[node].inputs if source is not None}
        row["reaches_new"] = float(bool(new))
        row["reaches_answer"] = float(reference.graph.answer_node in new)
        row["skips_inputs"] = float(bool(needed - reached - new))
        row["reached_before"] = len(reached) / max(1, len(nodes))
        row["noun_differs"] = float(any(_noun_differs(value.claim, nodes, new) for value in step.values))
        reached |= new
        news.append(new)
    later = 0
    for row, new in zip(reversed(rows), reversed(news), strict=True):
        row["recovers_later"] = min(later, 3) / 3
        later += len(new)


def _noun_differs(claim: Claim, nodes: Sequence[StepNode], reached: set[int]) -> bool:
    if claim.noun is None or claim.value is None:
        return False
    same = [nodes[index] for index in reached if nodes[index].value == claim.value and nodes[index].noun]
    return bool(same) and all(singular(node.noun or "") != singular(claim.noun) for node in same)


def _add_trace(
    rows: list[Row],
    steps: Sequence[LearnerStep],
    values: Sequence[LearnerValue],
    final: LearnerValue | None,
    reference: ReferenceValues,
) -> None:
    """Follow the final value back: which steps feed it, and which of those are off while their inputs are not."""
    feeding: set[int] = set()
    if final is not None:
        roots = [i for i, value in enumerate(values) if value.number == final.number and value.claim.value is not None]
        todo = list(roots)
        while todo:
            index = todo.pop()
            if index not in feeding:
                feeding.add(index)
                todo.extend(values[index].uses)
    off = [_is_off(value) for value in values]
    used = {source for value in values for source in value.uses}
    is_step = final is not None and any(node.value == final.number for node in reference.graph.nodes)
    first_final = next(
        (v.step for v in values if final is not None and v.computed and v.number == final.number), len(steps) - 1
    )
    for index, row in enumerate(rows):
        mine = [i for i, value in enumerate(values) if value.step == index and value.computed]
        row["feeds_final"] = float(any(i in feeding for i in mine))
        row["unused"] = float(bool(mine) and not any(i in used or i in feeding for i in mine))
        row["root_off"] = float(any(off[i] and not any(off[j] for j in values[i].uses) for i in mine))
        row["root_off_feeding"] = float(
            any(i in feeding and off[i] and not any(off[j] for j in values[i].uses) for i in mine)
        )
        row["uses_off"] = float(any(off[j] for i in mine for j in values[i].uses))
        row["gives_final"] = float(index == first_final)
        row["final_is_step"] = float(is_step and index == first_final)
        row["final_is_step_last"] = float(is_step and index == len(steps) - 1)


def _is_off(value: LearnerValue) -> bool:
    return value.false or (value.match is not None and value.computed and not value.match.known)


def _add_operations(rows: list[Row], steps: Sequence[LearnerStep], reference: ReferenceValues) -> None:
    """Compare each operation with the reference's: the same operands otherwise joined, or one operand other."""
    known = [
        (sorted(str(operand.value) for operand in node.operands), sorted(node.operators))
        for node in reference.graph.nodes
    ]
    for step, row in zip(steps, rows, strict=True):
        same_operands = one_other = same_all = extra = fewer = False
        for value in step.values:
            claim = value.claim
            if not claim.operators:
                continue
            operands, operators = sorted(str(operand.value) for operand in claim.operands), sorted(claim.operators)
            for other_operands, other_operators in known:
                shared = len(set(operands) & set(other_operands))
                same_all |= operands == other_operands and operators == other_operators
                same_operands |= operands == other_operands and operators != other_operators
                one_other |= operators == other_operators and shared == len(other_operands) - 1 == len(operands) - 1
                extra |= set(other_operands) < set(operands)
                fewer |= set(operands) < set(other_operands) and len(operands) > 1
        row["same_operation"] = float(same_all)
        row["other_operator"] = float(same_operands and not same_all)
        row["other_operand"] = float(one_other and not same_all)
        row["extra_operand"] = float(extra and not same_all)
        row["missing_operand"] = float(fewer and not same_all)


def _add_neighbours(rows: list[Row]) -> None:
    """Add what the next and the previous step look like."""
    watched = ("any_not_known", "any_not_origin", "any_false", "computes", "reaches_new", "answer_line", "unfinished")
    for index, row in enumerate(rows):
        for name in watched:
            row[f"next_{name}"] = rows[index + 1][name] if index + 1 < len(rows) else 0.0
            row[f"previous_{name}"] = rows[index - 1][name] if index else 0.0


FEATURES: tuple[str, ...] = tuple(
    dict.fromkeys(
        [
            *(f"any_{state}" for state in _STATES),
            *"all_known all_origin number_only computes computes_twice computes_thrice restates_only no_number".split(),
            *"unfinished declares answer_line equation long first second last before_last place index".split(),
            *(f"{kind}_{state}" for state in _STATES for kind in ("first", "after", "none")),
            *"reaches_new reaches_answer skips_inputs reached_before noun_differs recovers_later".split(),
            *"feeds_final unused root_off root_off_feeding uses_off gives_final final_is_step".split(),
            *"final_is_step_last same_operation other_operator other_operand extra_operand missing_operand".split(),
            *(
                f"{side}_{name}"
                for name in (
                    "any_not_known",
                    "any_not_origin",
                    "any_false",
                    "computes",
                    "reaches_new",
                    "answer_line",
                    "unfinished",
                )
                for side in ("next", "previous")
            ),
        ]
    )
)
"""Order of the features in the table of weights."""
