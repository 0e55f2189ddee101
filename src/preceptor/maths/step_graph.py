"""A worked solution as a graph: each step's value, what it was computed from, and whether it holds.

`build_step_graph` reads GSM8K's calculation marks, plain prose and single equations; `recompute` runs a changed
step forward to the answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from preceptor.domain.claim import Operand
from preceptor.maths.expression import Expression, evaluate, linear_form, solve_linear
from preceptor.maths.problem_quantities import WORLDS, is_percent, perturbed_values, problem_quantities
from preceptor.maths.solution_lines import Statement, read_answer, read_solution


@dataclass(frozen=True, kw_only=True)
class StepNode:
    """One computed value of the worked solution."""

    index: int
    line: int
    """0-based line of the solution it stands on."""
    text: str
    """The sentence it stands in."""
    operands: tuple[Operand, ...]
    operators: tuple[str, ...]
    inputs: tuple[int | None, ...]
    """Per operand: the node whose value it is; `None`: a given quantity or a constant."""
    givens: tuple[int | None, ...]
    """Per operand: index into `StepGraph.givens`; `None`: another step's value or a constant."""
    value: Fraction
    unit: str | None = None
    noun: str | None = None
    consistent: bool = True
    """The stated result is what the expression gives."""
    expression: Expression | None = None
    """How the operands are joined; for an equation its left side."""
    equals: Expression | None = None
    """The right side, where the node is an equation solved for an unknown; its operands follow the left side's."""
    worlds: tuple[Fraction | None, ...] = ()
    """The value in each perturbed world; `None` where it cannot be computed."""


@dataclass(frozen=True, kw_only=True)
class StepGraph:
    """A worked solution read as computed values, in order."""

    nodes: tuple[StepNode, ...]
    givens: tuple[Operand, ...]
    """Quantities of the problem's text, in reading order."""
    answer: Fraction | None
    answer_node: int | None
    """Node that gives the final answer; `None`: none does."""
    inconsistent: str | None = None
    """Why the reference contradicts itself; `None`: it does not. Then only arithmetic is judged."""


def build_step_graph(problem_text: str, solution: str, answer: str | None, language: str = "en") -> StepGraph | None:
    """Return a worked solution as a graph, or `None` if no computed step can be read in it.

    Args:
        problem_text: The problem as the learner sees it; its quantities become `givens`.
        solution: One step a line; GSM8K marks `<<48/2=24>>` and its last line `#### 24` are understood, and a
            single equation `x=(324-240)/21` becomes one node per operation.
        answer: The final answer as its author wrote it; `None`: the solution's last value.
        language: Tag of both texts.

    `inconsistent` is one of `arithmetic` (a stated result is not what its expression gives, nor a rounding of it),
    `answer` (the solution states its final answer nowhere before its last line).
    """
    givens = problem_quantities(problem_text, language)
    read = read_solution(solution, language)
    if not read.statements:
        return None
    nodes: list[StepNode] = []
    for statement in read.statements:
        nodes.append(_node(statement, len(nodes), nodes, givens))
    nodes = _with_worlds(nodes, givens)
    stated = read_answer(answer, language) if answer is not None else None
    final = stated if stated is not None else read.answer
    if final is None:
        final = nodes[-1].value
    answer_node = _answer_node(nodes, final)
    return StepGraph(
        nodes=tuple(nodes),
        givens=givens,
        answer=final,
        answer_node=answer_node,
        inconsistent=_contradiction(nodes, final, answer_node, read.bare_values),
    )


def answer_only_graph(problem_text: str, answer: str, language: str = "en") -> StepGraph | None:
    """Return a graph without steps for a problem whose answer is known and whose solution is not.

    `None` where the answer is no number: it is then guarded as words, and nothing is judged by it.
    """
    value = read_answer(answer, language)
    if value is None:
        return None
    return StepGraph(nodes=(), givens=problem_quantities(problem_text, language), answer=value, answer_node=None)


def _node(statement: Statement, index: int, before: Sequence[StepNode], givens: tuple[Operand, ...]) -> StepNode:
    operands = statement.operands
    sources = [_source(operand, before, givens) for operand in operands]
    return StepNode(
        index=index,
        line=statement.line,
        text=statement.text,
        operands=operands,
        operators=statement.operators,
        inputs=tuple(source[0] for source in sources),
        givens=tuple(source[1] for source in sources),
        value=statement.value,
        unit=statement.unit,
        noun=statement.noun,
        consistent=statement.consistent,
        expression=statement.expression,
        equals=statement.equals,
    )


def _source(operand: Operand, before: Sequence[StepNode], givens: tuple[Operand, ...]) -> tuple[int | None, int | None]:
    """Return (node, given) that an operand's value comes from: the same noun first, then the latest step."""
    steps = [node for node in reversed(before) if node.value == operand.value]
    given = [
        place
        for place, quantity in enumerate(givens)
        if quantity.value == operand.value or (is_percent(quantity) and quantity.value * 100 == operand.value)
    ]
    named_steps = [node for node in steps if _same_noun(node.noun, operand.noun) or _same_noun(node.unit, operand.unit)]
    named_given = [place for place in given if _same_noun(givens[place].noun, operand.noun)]
    if named_steps and not (named_given and not _just_before(named_steps[0], before)):
        return named_steps[0].index, None
    if named_given:
        return None, named_given[0]
    if steps and (not given or _just_before(steps[0], before)):
        return steps[0].index, None
    if given:
        return None, given[0]
    return (steps[0].index, None) if steps else (None, None)


def _just_before(node: StepNode, before: Sequence[StepNode]) -> bool:
    return bool(before) and node.index >= before[-1].index - 1


def _same_noun(left: str | None, right: str | None) -> bool:
    return left is not None and left == right


def _with_worlds(nodes: Sequence[StepNode], givens: tuple[Operand, ...]) -> list[StepNode]:
    """Add each node's value in the perturbed worlds."""
    columns: list[list[Fraction | None]] = []
    for world in range(WORLDS):
        changed = perturbed_values(givens, world)
        values: list[Fraction | None] = []
        for node in nodes:
            operands = [
                values[source] if source is not None else changed.get(operand.value, operand.value)
                for operand, source in zip(node.operands, node.inputs, strict=True)
            ]
            values.append(_compute(node, operands))
        columns.append(values)
    return [replace(node, worlds=tuple(column[node.index] for column in columns)) for node in nodes]


def _compute(
    node: StepNode, operands: Sequence[Fraction | None], operators: Sequence[str] | None = None
) -> Fraction | None:
    """Return a node's value with these operands and operators in place of its own, unrounded."""
    values = [operand for operand in operands if operand is not None]
    if node.expression is None or len(values) != len(operands):
        return None
    if node.equals is None:
        result = evaluate(node.expression, operands=values, operators=operators)
        own = evaluate(node.expression)
        if own is not None and own != node.value and own == node.value * 100:
            return None if result is None else result / 100
        return result
    cut, sign_cut = len(node.expression.operands), len(node.expression.operators)
    left = linear_form(node.expression, operands=values[:cut], operators=operators[:sign_cut] if operators else None)
    right = linear_form(node.equals, operands=values[cut:], operators=operators[sign_cut:] if operators else None)
    solved = solve_linear(left, right) if left and right else None
    return solved[1] if solved else None


def recompute(
    graph: StepGraph,
    node: int,
    *,
    operator: str | Sequence[str] | None = None,
    operands: Sequence[Fraction] | None = None,
    value: Fraction | None = None,
) -> Fraction | None:
    """Return the final answer if one step were done otherwise and everything after it as in the reference.

    Args:
        graph: The worked solution.
        node: Index of the step that is changed.
        operator: One of + - * / ^ for all its operators, or one per operator.
        operands: New values, one per operand.
        value: The step's new value, instead of computing it.

    Returns:
        `None` where no node gives the answer, the answer does not depend on the step or a value cannot be computed.
    """
    if graph.answer_node is None:
        return None
    return recompute_all(graph, node, operator=operator, operands=operands, value=value).get(graph.answer_node)


def recompute_all(
    graph: StepGraph,
    node: int,
    *,
    operator: str | Sequence[str] | None = None,
    operands: Sequence[Fraction] | None = None,
    value: Fraction | None = None,
) -> Mapping[int, Fraction]:
    """Return the new values of the changed step and of every step that depends on it; see `recompute`."""
    changed = graph.nodes[node]
    if value is None:
        own = [operand.value for operand in changed.operands]
        signs = [operator] * len(changed.operators) if isinstance(operator, str) else operator
        value = _as_rounded(changed, _compute(changed, operands if operands is not None else own, signs))
    if value is None:
        return {}
    values: dict[int, Fraction] = {node: value}
    for later in graph.nodes[node + 1 :]:
        if not any(source in values for source in later.inputs):
            continue
        new = [
            values.get(source, operand.value) if source is not None else operand.value
            for operand, source in zip(later.operands, later.inputs, strict=True)
        ]
        result = _as_rounded(later, _compute(later, new))
        if result is None:
            return {}
        values[later.index] = result
    return values


def _as_rounded(node: StepNode, value: Fraction | None) -> Fraction | None:
    """Round a recomputed value the way the reference rounded this step."""
    own = _compute(node, [operand.value for operand in node.operands])
    if value is None or own is None or own == node.value or not node.consistent:
        return value
    if node.value.denominator != 1:
        return value
    if node.value > own and node.value - own > Fraction(1, 2):
        return Fraction(-(-value // 1))
    if node.value < own and own - node.value > Fraction(1, 2):
        return Fraction(value // 1)
    return Fraction(round(value))


def _answer_node(nodes: Sequence[StepNode], answer: Fraction) -> int | None:
    """Return the last node that gives the answer, as it is, as a percent's face or rounded."""
    for test in (_is_same, _is_percent_of, _is_rounded_to):
        for node in reversed(nodes):
            if test(node.value, answer):
                return node.index
    return None


def _is_same(value: Fraction, answer: Fraction) -> bool:
    return value == answer


def _is_percent_of(value: Fraction, answer: Fraction) -> bool:
    return value * 100 == answer or value == answer * 100


def _is_rounded_to(value: Fraction, answer: Fraction) -> bool:
    if value.denominator == 1:
        return False
    return abs(value - answer) <= (Fraction(1, 2) if answer.denominator == 1 else Fraction(1, 100))


def _contradiction(
    nodes: Sequence[StepNode],
    answer: Fraction,
    answer_node: int | None,
    bare_values: frozenset[Fraction],
) -> str | None:
    if any(not node.consistent for node in nodes):
        return "arithmetic"
    if answer_node is not None or answer in bare_values:
        return None
    return "answer"
