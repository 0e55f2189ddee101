"""Wrong rules run forward on the step graph: which one, at which step, gives the value that a learner wrote.

Two questions are answered: what explains a calculation that is true but not the reference's (`explain_calculation`),
and what explains a bare final answer that is not right (`ErrorTable.explain`). Several explanations are all kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from math import ceil, floor

from preceptor.domain.claim import Claim
from preceptor.domain.observation import Explanation, MisconceptionKind
from preceptor.maths.expression import evaluate
from preceptor.maths.step_graph import StepGraph, StepNode, recompute
from preceptor.pedagogy.partial_work import partial_values

Kind = MisconceptionKind
_OPERATORS = ("+", "-", "*", "/")
_CONVERSIONS = frozenset(map(Fraction, (3, 7, 10, 12, 16, 24, 30, 52, 60, 100, 365, 1000, 3600)))
_COMPARES = re.compile(
    r"\b(?:more|less|fewer|older|younger|taller|shorter|longer|heavier|cheaper|greater|smaller)\b[^.!?;]{0,40}\bthan\b"
    r"|\btimes (?:as|more|less)\b|\bas (?:many|much|old|long|far|tall|heavy)\b|\btwice\b"
    r"|\bhalf (?:as|of)\b|\bmás que\b|\bmenos que\b|\bplus que\b"
    r"|\bmoins que\b|\bals\b|أكثر من|أقل من|比|倍",
    re.IGNORECASE,
)
_WEAK = frozenset({Kind.FOREIGN_QUANTITY, Kind.DOUBLED_QUANTITY, Kind.ONE_STEP_TOO_MANY})
"""Kinds that explain almost any number, kept only where nothing else explains."""
OPEN_KINDS = _WEAK | {Kind.MISSING_QUANTITY, Kind.ONE_ITEM_MISSED}
"""Kinds that a true calculation on the way by another route looks like too: no error before an answer is given."""
_MAX = 6
"""Explanations kept; more say nothing."""
_RANK: tuple[MisconceptionKind, ...] = (
    Kind.STOPPED_EARLY,
    Kind.WRONG_OPERATION,
    Kind.COMPARISON_INVERTED,
    Kind.SWAPPED_OPERANDS,
    Kind.UNIT_NOT_CONVERTED,
    Kind.PERCENT_BASE,
    Kind.ONE_ITEM_MISSED,
    Kind.MISSING_QUANTITY,
    Kind.CARRIED_VALUE,
    Kind.ROUNDING_DIRECTION,
    Kind.ONE_STEP_TOO_MANY,
    Kind.DOUBLED_QUANTITY,
    Kind.FOREIGN_QUANTITY,
    Kind.ARITHMETIC_SLIP,
)
"""From what single cause explains most to what explains almost any number."""


class ErrorTable:
    """Every answer that one wrong rule at one step of a worked solution gives, with what explains it."""

    def __init__(self, graph: StepGraph, problem: str) -> None:
        """Run all rules on the graph once; a look-up is then free."""
        self.graph = graph
        self.problem = problem
        self._found: dict[Fraction, dict[tuple[Kind, int], Explanation]] = {}
        self._slipped: dict[Fraction, list[Explanation]] = {}
        self._at_step: dict[int, frozenset[Fraction]] = {}
        if graph.answer is None or not graph.nodes:
            return
        if graph.answer_node is None:
            for value, explanation in _rounded_otherwise(graph, graph.nodes[-1]):
                self._add(value, explanation)
            return
        for value, explanation in _whole_answer(graph):
            self._add(value, explanation)
        for node in graph.nodes:
            for kind, changed, foreign in _variants(node, graph, problem):
                self._add(_answer_with(graph, node, changed), Explanation(kind=kind, node=node.index, foreign=foreign))
        for node in graph.nodes:
            for changed in _slips(node.value):
                answer = _answer_with(graph, node, changed)
                if answer is not None and answer not in self._found:
                    self._slipped.setdefault(answer, []).append(Explanation(kind=Kind.ARITHMETIC_SLIP, node=node.index))

    @cached_property
    def parts(self) -> frozenset[Fraction]:
        """Return the values of parts of the worked solution: a true calculation of one is no error yet."""
        return partial_values(self.graph)

    def _add(self, value: Fraction | None, explanation: Explanation) -> None:
        if value is not None and value != self.graph.answer:
            self._found.setdefault(value, {}).setdefault((explanation.kind, explanation.node), explanation)

    def step_errors(self, node: int) -> frozenset[Fraction]:
        """Return every value that a rule which explains more than any number gives at one step."""
        if node not in self._at_step:
            step = self.graph.nodes[node]
            known = {step.value for step in self.graph.nodes} | {given.value for given in self.graph.givens}
            self._at_step[node] = (
                frozenset(
                    changed for kind, changed, _ in _variants(step, self.graph, self.problem) if kind not in _WEAK
                )
                - known
            )
        return self._at_step[node]

    def explain_step(self, value: Fraction, node: int) -> tuple[Explanation, ...]:
        """Return what wrong rule at one step gives this value there, the likeliest kinds first."""
        step = self.graph.nodes[node]
        found = {
            (kind, foreign): Explanation(kind=kind, node=node, foreign=foreign)
            for kind, changed, foreign in _variants(step, self.graph, self.problem)
            if changed == value
        }
        if not found and value in _slips(step.value):
            return (Explanation(kind=Kind.ARITHMETIC_SLIP, node=node),)
        return _ranked(found.values(), frozenset())[:1] if found else ()

    def explain(
        self, value: Fraction, *, reached: frozenset[int] = frozenset(), own: Sequence[Fraction] = ()
    ) -> tuple[Explanation, ...]:
        """Return what single wrong rule at what step gives this value as the final answer, the likeliest kinds first.

        Args:
            value: The learner's answer, which is not the reference's.
            reached: Steps the learner has shown: a rule broken there is left out where another explains too.
            own: Values of the learner's own that were not right, and may have been carried on.
        """
        found = dict(self._found.get(value, {}))
        for node in self.graph.nodes if own and self.graph.answer_node is not None else ():
            for changed, carried in _carried(node, own):
                if changed != node.value and _answer_with(self.graph, node, changed) == value:
                    key = (Kind.CARRIED_VALUE, node.index)
                    found.setdefault(key, Explanation(kind=key[0], node=key[1], foreign=carried))
        return _ranked(found.values() if found else self._slipped.get(value, ()), reached)


class ErrorTables:
    """Keeps the tables of the graphs seen last, looked up by identity."""

    def __init__(self, *, limit: int = 64) -> None:
        """Keep at most `limit` tables."""
        self._limit = limit
        self._kept: dict[int, ErrorTable] = {}

    def of(self, graph: StepGraph, problem: str) -> ErrorTable:
        """Return the graph's table."""
        kept = self._kept.get(id(graph))
        if kept is not None and kept.graph is graph and kept.problem == problem:
            return kept
        if len(self._kept) >= self._limit:
            self._kept.pop(next(iter(self._kept)))
        table = ErrorTable(graph, problem)
        self._kept[id(graph)] = table
        return table


def _answer_with(graph: StepGraph, node: StepNode, changed: Fraction) -> Fraction | None:
    """Return the final answer if a step gave another value."""
    if changed == node.value:
        return None
    return changed if node.index == graph.answer_node else recompute(graph, node.index, value=changed)


def _carried(node: StepNode, own: Sequence[Fraction]) -> Iterator[tuple[Fraction, Fraction]]:
    values = [operand.value for operand in node.operands]
    for place, value in enumerate(values):
        for replaced in own:
            changed = _with(node, values, place, replaced) if replaced != value else None
            if changed is not None:
                yield changed, replaced


def _ranked(found: Iterable[Explanation], reached: frozenset[int]) -> tuple[Explanation, ...]:
    explanations = list(found)
    fresh = [item for item in explanations if item.node not in reached or item.kind is Kind.STOPPED_EARLY]
    early = [item.node for item in fresh if item.kind is Kind.STOPPED_EARLY]
    fresh = [item for item in fresh if item.kind is Kind.STOPPED_EARLY or item.node not in early]
    kept = sorted(fresh or explanations, key=lambda item: (_RANK.index(item.kind), item.node))
    strong = [item for item in kept if item.kind not in _WEAK]
    return tuple((strong or kept)[:_MAX])


def _whole_answer(graph: StepGraph) -> Iterator[tuple[Fraction, Explanation]]:
    """Yield answers of learners who stopped early, went on after the answer or rounded the other way."""
    assert graph.answer is not None
    assert graph.answer_node is not None
    answer, last = graph.answer, graph.answer_node
    for node in graph.nodes:
        yield node.value, Explanation(kind=Kind.STOPPED_EARLY, node=last)
    for other in {operand.value for operand in graph.givens} | {node.value for node in graph.nodes}:
        if other not in {0, 1}:
            for value in (answer + other, answer - other, other - answer, answer * other, answer / other):
                yield value, Explanation(kind=Kind.ONE_STEP_TOO_MANY, node=last, foreign=other)
    yield from _rounded_otherwise(graph, graph.nodes[last])


def _rounded_otherwise(graph: StepGraph, last: StepNode) -> Iterator[tuple[Fraction, Explanation]]:
    """Yield the whole numbers beside a last step that does not come out whole, where the answer is whole."""
    exact = _exact(last)
    if exact is None or exact.denominator == 1 or graph.answer is None or graph.answer.denominator != 1:
        return
    for rounded in (floor(exact), ceil(exact)):
        yield Fraction(rounded), Explanation(kind=Kind.ROUNDING_DIRECTION, node=last.index)


def _exact(node: StepNode) -> Fraction | None:
    return _compute(node, [operand.value for operand in node.operands], node.operators)


def _variants(node: StepNode, graph: StepGraph, problem: str) -> Iterator[tuple[Kind, Fraction, Fraction | None]]:
    """Yield (kind, the step's value under it, the quantity in question)."""
    values = [operand.value for operand in node.operands]
    yield from _other_operations(node, values, _is_compared(node, graph, problem))
    yield from _left_out(node, values)
    yield from _percents(node, values, graph)
    for place, value in enumerate(values):
        for other in _others(node, graph):
            if other != value:
                kind = Kind.DOUBLED_QUANTITY if other in values else Kind.FOREIGN_QUANTITY
                yield from _as(kind, _with(node, values, place, other), other)


def _as(
    kind: Kind, value: Fraction | None, foreign: Fraction | None
) -> Iterator[tuple[Kind, Fraction, Fraction | None]]:
    if value is not None:
        yield kind, value, foreign


def _others(node: StepNode, graph: StepGraph) -> set[Fraction]:
    return {given.value for given in graph.givens} | {step.value for step in graph.nodes if step.index < node.index}


def _with(node: StepNode, values: Sequence[Fraction], place: int, other: Fraction) -> Fraction | None:
    return _compute(node, [*values[:place], other, *values[place + 1 :]], node.operators)


def _compute(node: StepNode, values: Sequence[Fraction], operators: Sequence[str]) -> Fraction | None:
    """Compute a step's tree with other operands and operators."""
    if node.expression is None or node.equals is not None:
        return None
    return evaluate(node.expression, operands=list(values), operators=list(operators))


def _other_operations(
    node: StepNode, values: Sequence[Fraction], compared: bool
) -> Iterator[tuple[Kind, Fraction, Fraction | None]]:
    for place, sign in enumerate(node.operators):
        for other in _OPERATORS:
            if other == sign:
                continue
            inverse = {sign, other} in ({"+", "-"}, {"*", "/"})
            kind = Kind.COMPARISON_INVERTED if compared and inverse else Kind.WRONG_OPERATION
            operators = [*node.operators[:place], other, *node.operators[place + 1 :]]
            yield from _as(kind, _compute(node, values, operators), None)
            if len(values) == 2 and other in "-/":
                yield from _as(kind, _compute(node, values[::-1], operators), None)
    if len(values) == 2 and node.operators and node.operators[0] in "-/":
        yield from _as(Kind.SWAPPED_OPERANDS, _compute(node, values[::-1], node.operators), None)


def _left_out(node: StepNode, values: Sequence[Fraction]) -> Iterator[tuple[Kind, Fraction, Fraction | None]]:
    """Yield the step without one of its operands; a conversion left out is its own kind."""
    signs = ("+", *node.operators)
    if len(values) == 2:
        for kept, gone in ((0, 1), (1, 0)):
            given = node.inputs[gone] is None and node.givens[gone] is None
            converts = given and values[gone] in _CONVERSIONS and node.operators[0] in "*/"
            kind = Kind.UNIT_NOT_CONVERTED if converts else Kind.MISSING_QUANTITY
            yield kind, values[kept], values[gone]
        return
    if set(node.operators) <= {"+", "-"} and len(signs) == len(values):
        total = sum((value if sign == "+" else -value for sign, value in zip(signs, values, strict=True)), Fraction(0))
        if total != node.value:
            return
        for sign, value in zip(signs, values, strict=True):
            yield Kind.ONE_ITEM_MISSED, total - (value if sign == "+" else -value), value
    elif set(node.operators) == {"*"} and len(signs) == len(values):
        for value in values:
            if value:
                yield Kind.MISSING_QUANTITY, node.value / value, value


def _percents(
    node: StepNode, values: Sequence[Fraction], graph: StepGraph
) -> Iterator[tuple[Kind, Fraction, Fraction | None]]:
    """Yield a percentage taken of another whole, or its rest taken for it."""
    for place, operand in enumerate(node.operands):
        part = operand.value if operand.unit == "%" or 0 < operand.value < 1 else None
        if (
            part is None
            and operand.unit is None
            and 0 < operand.value < 100
            and node.operators.count("/")
            and 100 in values
        ):
            part = operand.value / 100
        if part is None or operand.value != part:
            continue
        for base, value in enumerate(values):
            if base == place or not value:
                continue
            for other in _others(node, graph) - {value}:
                if other > 1:
                    yield from _as(Kind.PERCENT_BASE, _with(node, values, base, other), other)
        yield from _as(Kind.PERCENT_BASE, _with(node, values, place, 1 - part), None)


def _is_compared(node: StepNode, graph: StepGraph, problem: str) -> bool:
    """Whether the problem states a quantity of this step by a comparison."""
    sentences = re.split(r"(?<=[.!?。！？])\s*", problem)
    for place in node.givens:
        if place is None or place >= len(graph.givens):
            continue
        text = graph.givens[place].text
        if any(text in sentence and _COMPARES.search(sentence) for sentence in sentences):
            return True
    return False


def _slips(value: Fraction) -> set[Fraction]:
    """Return values that a slip in one digit, a carry or two digits exchanged would give."""
    if value.denominator != 1 or not 10 <= abs(value) < 10**7:
        return set()
    slipped = {value + step * sign for step in (1, 2, 10, 100, 1000) if step < value for sign in (1, -1)}
    digits = str(int(value))
    for place in range(len(digits) - 1):
        turned = digits[:place] + digits[place + 1] + digits[place] + digits[place + 2 :]
        slipped.add(Fraction(int(turned)))
    return slipped - {value}


def explain_calculation(
    claim: Claim, graph: StepGraph, *, problem: str, reached: frozenset[int]
) -> tuple[Explanation, ...]:
    """Return how a true calculation differs from the steps: other operation, operand foreign, missing or double.

    A step that the learner has shown is compared only where no other fits.
    """
    if not claim.operators or len(claim.operands) != len(claim.operators) + 1:
        return ()
    found: dict[tuple[Kind, int], Explanation] = {}
    for node in graph.nodes:
        explanation = _compared(claim, node, graph, problem)
        if explanation is not None:
            found.setdefault((explanation.kind, node.index), explanation)
    return _closest(found.values(), reached)


def _closest(found: Iterable[Explanation], reached: frozenset[int]) -> tuple[Explanation, ...]:
    """Keep the likeliest kind; of one kind, steps that the learner has not shown."""
    kept = list(found)
    if not kept:
        return ()
    best = min(_RANK.index(item.kind) for item in kept)
    likely = [item for item in kept if _RANK.index(item.kind) == best]
    fresh = [item for item in likely if item.node not in reached]
    return tuple(fresh or likely)[:_MAX]


def _compared(claim: Claim, node: StepNode, graph: StepGraph, problem: str) -> Explanation | None:
    own = sorted(operand.value for operand in claim.operands)
    theirs = sorted(operand.value for operand in node.operands)
    if own == theirs:
        if claim.operators == node.operators and claim.computed == _exact(node):
            return None
        if claim.operators == node.operators:
            return Explanation(kind=Kind.SWAPPED_OPERANDS, node=node.index) if claim.computed != node.value else None
        signs = {*claim.operators, *node.operators}
        inverse = signs in ({"+", "-"}, {"*", "/"})
        kind = Kind.COMPARISON_INVERTED if inverse and _is_compared(node, graph, problem) else Kind.WRONG_OPERATION
        return Explanation(kind=kind, node=node.index)
    if set(claim.operators) != set(node.operators):
        return None
    extra, lacking = _difference(own, theirs), _difference(theirs, own)
    if len(extra) == 1 and len(lacking) == 1:
        if extra[0] in theirs:
            return Explanation(kind=Kind.DOUBLED_QUANTITY, node=node.index, foreign=extra[0])
        percent = any(operand.unit == "%" or 0 < operand.value < 1 for operand in node.operands)
        kind = Kind.PERCENT_BASE if percent and extra[0] > 1 and lacking[0] > 1 else Kind.FOREIGN_QUANTITY
        return Explanation(kind=kind, node=node.index, foreign=extra[0])
    if not extra and len(lacking) == 1:
        kind = Kind.ONE_ITEM_MISSED if set(node.operators) <= {"+", "-"} else Kind.MISSING_QUANTITY
        return Explanation(kind=kind, node=node.index, foreign=lacking[0])
    if not lacking and len(extra) == 1:
        kind = Kind.DOUBLED_QUANTITY if extra[0] in theirs else Kind.FOREIGN_QUANTITY
        return Explanation(kind=kind, node=node.index, foreign=extra[0])
    return None


def _difference(left: Sequence[Fraction], right: Sequence[Fraction]) -> list[Fraction]:
    """Return what of the left stands not in the right, counting repetitions."""
    rest = list(right)
    extra: list[Fraction] = []
    for value in left:
        if value in rest:
            rest.remove(value)
        else:
            extra.append(value)
    return extra
