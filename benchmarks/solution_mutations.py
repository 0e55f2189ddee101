"""Wrong and rewritten solutions made from correct worked ones, with a known first wrong step.

A mutation changes one computation (slip, operand, operator, swapped, unit) and carries the consequence through every
later line. A rewrite (swapped, merged, split, reordered, converted) says the same otherwise and must not be accused.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from preceptor.maths.claims import ReadClaim, read_claims_with_trees
from preceptor.maths.expression import Binary, Leaf, Negative, Tree, Unknown
from preceptor.maths.step_graph import StepGraph, StepNode, build_step_graph, recompute_all

_MARK = re.compile(r"<<[^<>]*>>")
_NUMBER = re.compile(r"(?<![\w.,])\d+(?:,\d{3})*(?:\.\d+)?(?![\w]|[.,]\d)")
_CONVERSIONS = frozenset({7, 12, 16, 24, 52, 60, 100, 1000, 3600})
MUTATIONS = ("slip", "operand", "operator", "swapped", "unit")
REWRITES = ("swapped", "merged", "split", "reordered", "converted")


@dataclass(frozen=True, kw_only=True)
class MadeSolution:
    """A solution made from a correct one."""

    kind: str
    steps: tuple[str, ...]
    first_wrong: int | None


@dataclass(frozen=True, kw_only=True)
class PlainSolution:
    """A correct solution with exactly one computation a line."""

    problem: str
    reference: str
    graph: StepGraph
    lines: tuple[str, ...]
    claims: tuple[ReadClaim, ...]


def plain_solution(problem: str, solution: str) -> PlainSolution | None:
    """Return a worked solution with one plain computation on every line, the last giving the answer; else `None`."""
    text = _MARK.sub("", solution)
    graph = build_step_graph(problem, text, None)
    lines = [line for line in text.split("\n") if line.strip() and not line.startswith("####")]
    if graph is None or graph.inconsistent or graph.nodes[-1].value != graph.answer:
        return None
    if len(graph.nodes) != len(lines) or len(lines) < 2 or any(node.value <= 0 for node in graph.nodes):
        return None
    claims: list[ReadClaim] = []
    for line, node in zip(lines, graph.nodes, strict=True):
        found = [read for read in read_claims_with_trees(line) if read.claim.operators]
        if len(found) != 1 or found[0].claim.unknown or found[0].claim.value != found[0].claim.computed:
            return None
        if found[0].claim.value != node.value or node.equals is not None or found[0].expression is None:
            return None
        claims.append(found[0])
    return PlainSolution(problem=problem, reference=solution, graph=graph, lines=tuple(lines), claims=tuple(claims))


def mutate(plain: PlainSolution, kind: str, chooser: random.Random) -> MadeSolution | None:
    """Return the solution with one computation changed and its consequences carried on; `None`: no place for it."""
    nodes = list(plain.graph.nodes)
    chooser.shuffle(nodes)
    for node in nodes:
        change = _CHANGES[kind](plain, node, chooser)
        if change is None:
            continue
        values = recompute_all(plain.graph, node.index, value=change[1])
        if values.get(len(nodes) - 1, plain.graph.answer) == plain.graph.answer:
            continue
        if any(value <= 0 or _written(value) is None for value in values.values()):
            continue
        return MadeSolution(kind=kind, steps=_carried(plain, node, change[0], values), first_wrong=node.index)
    return None


def _written(value: Fraction) -> str | None:
    if value.denominator == 1:
        return str(value.numerator)
    scaled = value * 10_000
    return None if scaled.denominator != 1 else f"{float(value):.4f}".rstrip("0")


def _render(tree: Tree, values: Sequence[Fraction], signs: Sequence[str], *, inner: bool = False) -> str:
    if isinstance(tree, Leaf):
        return _written(values[tree.index]) or str(values[tree.index])
    if isinstance(tree, Unknown):
        return tree.name
    if isinstance(tree, Negative):
        return f"-{_render(tree.inner, values, signs, inner=True)}"
    left, right = (_render(side, values, signs, inner=True) for side in (tree.left, tree.right))
    written = f"{left} {signs[tree.operator]} {right}"
    return f"({written})" if inner else written


def _tree(plain: PlainSolution, node: StepNode) -> Tree:
    expression = plain.claims[node.index].expression
    assert expression is not None
    return expression.tree


def _values(node: StepNode) -> list[Fraction]:
    return [operand.value for operand in node.operands]


def _compute(tree: Tree, values: Sequence[Fraction], signs: Sequence[str]) -> Fraction | None:
    if isinstance(tree, Leaf):
        return values[tree.index]
    if not isinstance(tree, Binary):
        return None
    left, right = _compute(tree.left, values, signs), _compute(tree.right, values, signs)
    if left is None or right is None:
        return None
    sign = signs[tree.operator]
    if sign == "/":
        return left / right if right else None
    return {"+": left + right, "-": left - right, "*": left * right}.get(sign)


Change = tuple[str, Fraction] | None
"""The new expression as written, and the value now stated for it."""


def _slip(plain: PlainSolution, node: StepNode, chooser: random.Random) -> Change:
    delta = chooser.choice([-10, -2, -1, 1, 2, 10])
    value = node.value + delta
    return (_render(_tree(plain, node), _values(node), node.operators), value) if value > 0 else None


def _operand(plain: PlainSolution, node: StepNode, chooser: random.Random) -> Change:
    pool = {given.value for given in plain.graph.givens} | {other.value for other in plain.graph.nodes[: node.index]}
    place = chooser.randrange(len(node.operands))
    others = sorted(pool - set(_values(node)) - {Fraction(0), Fraction(1)})
    if not others:
        return None
    values = _values(node)
    values[place] = chooser.choice(others)
    return _changed(plain, node, values, node.operators)


def _operator(plain: PlainSolution, node: StepNode, chooser: random.Random) -> Change:
    signs = list(node.operators)
    place = chooser.randrange(len(signs))
    signs[place] = chooser.choice([sign for sign in "+-*/" if sign != signs[place]])
    return _changed(plain, node, _values(node), signs)


def _swapped(plain: PlainSolution, node: StepNode, chooser: random.Random) -> Change:
    if len(node.operators) != 1 or node.operators[0] not in "-/":
        return None
    return _changed(plain, node, _values(node)[::-1], node.operators)


def _unit(plain: PlainSolution, node: StepNode, chooser: random.Random) -> Change:
    if len(node.operators) != 1 or node.operators[0] not in "*/":
        return None
    for place, operand in enumerate(node.operands):
        if operand.value in _CONVERSIONS and node.inputs[place] is None and node.givens[place] is None:
            kept = node.operands[1 - place].value
            return _written(kept) or "", kept
    return None


def _changed(plain: PlainSolution, node: StepNode, values: Sequence[Fraction], signs: Sequence[str]) -> Change:
    value = _compute(_tree(plain, node), values, signs)
    if value is None or value <= 0 or value == node.value or _written(value) is None:
        return None
    return _render(_tree(plain, node), values, signs), value


_CHANGES: dict[str, Callable[[PlainSolution, StepNode, random.Random], Change]] = {
    "slip": _slip,
    "operand": _operand,
    "operator": _operator,
    "swapped": _swapped,
    "unit": _unit,
}


def _carried(plain: PlainSolution, changed: StepNode, written: str, values: Mapping[int, Fraction]) -> tuple[str, ...]:
    """Write every line again with the new values, old ones in the prose replaced."""
    given = {value.value for value in plain.graph.givens}
    renamed = {
        plain.graph.nodes[index].value: value
        for index, value in values.items()
        if plain.graph.nodes[index].value not in given
    }
    steps: list[str] = []
    for node, line, read in zip(plain.graph.nodes, plain.lines, plain.claims, strict=True):
        if node.index < changed.index:
            steps.append(line)
            continue
        if node.index == changed.index:
            expression = written
        else:
            operands = [
                values.get(source, operand.value) if source is not None else operand.value
                for operand, source in zip(node.operands, node.inputs, strict=True)
            ]
            expression = _render(_tree(plain, node), operands, node.operators)
        value = _written(values.get(node.index, node.value)) or ""
        stated = value if expression == value else f"{expression} = {value}"
        steps.append(_replaced(line, read, stated, renamed))
    answer = _written(values[len(plain.graph.nodes) - 1])
    return (*steps, answer or "")


def _replaced(line: str, read: ReadClaim, stated: str, renamed: Mapping[Fraction, Fraction]) -> str:
    def rename(match: re.Match[str]) -> str:
        new = renamed.get(Fraction(match.group(0).replace(",", "")))
        return match.group(0) if new is None else (_written(new) or match.group(0))

    return _NUMBER.sub(rename, line[: read.claim.start]) + stated + _NUMBER.sub(rename, line[read.claim.end :])


def rewrite(plain: PlainSolution, kind: str) -> MadeSolution | None:
    """Return a right solution said otherwise; `None`: this one cannot be said so."""
    lines = _REWRITERS[kind](plain)
    answer = _written(plain.graph.nodes[-1].value)
    if lines is None or answer is None:
        return None
    return MadeSolution(kind=kind, steps=(*lines, answer), first_wrong=None)


def _with(plain: PlainSolution, index: int, stated: str) -> str:
    return _replaced(plain.lines[index], plain.claims[index], stated, {})


def _swap_sides(plain: PlainSolution) -> list[str] | None:
    lines, changed = list(plain.lines), False
    for node in plain.graph.nodes:
        if len(node.operators) == 1 and node.operators[0] in "+*" and isinstance(_tree(plain, node), Binary):
            tree = Binary(0, Leaf(1), Leaf(0))
            lines[node.index] = _with(
                plain, node.index, f"{_render(tree, _values(node), node.operators)} = {_written(node.value)}"
            )
            changed = True
    return lines if changed else None


def _merge(plain: PlainSolution) -> list[str] | None:
    """Write one step inside the only later step that uses it."""
    for node in plain.graph.nodes[1:]:
        sources = [source for source in node.inputs if source is not None]
        if not sources or len(node.operators) != 1:
            continue
        source = sources[0]
        users = [other for other in plain.graph.nodes if source in other.inputs]
        if len(users) != 1 or node.inputs.count(source) != 1:
            continue
        inner = plain.graph.nodes[source]
        parts = [
            f"({_render(_tree(plain, inner), _values(inner), inner.operators)})"
            if origin == source
            else (_written(operand.value) or "")
            for operand, origin in zip(node.operands, node.inputs, strict=True)
        ]
        tree = _tree(plain, node)
        if not isinstance(tree, Binary) or tree.left != Leaf(0) or len(parts) != 2:
            continue
        if _compute(tree, _values(node), node.operators) != node.value or inner.value in _values(inner):
            continue
        stated = f"{parts[0]} {node.operators[0]} {parts[1]} = {_written(node.value)}"
        merged = list(plain.lines)
        merged[node.index] = _with(plain, node.index, stated)
        del merged[source]
        return merged
    return None


def _split(plain: PlainSolution) -> list[str] | None:
    """Say a sum or product of three in two steps."""
    for node in plain.graph.nodes:
        if len(node.operands) == 3 and set(node.operators) in ({"+"}, {"*"}):
            first, second, third = _values(node)
            sign = node.operators[0]
            part = first + second if sign == "+" else first * second
            pieces = [_written(value) for value in (first, second, part, third, node.value)]
            lines = list(plain.lines)
            lines[node.index] = _with(plain, node.index, f"{pieces[2]} {sign} {pieces[3]} = {pieces[4]}")
            lines.insert(node.index, f"{pieces[0]} {sign} {pieces[1]} = {pieces[2]}")
            return lines
    return None


def _reorder(plain: PlainSolution) -> list[str] | None:
    """Change the order of two neighbours that do not need each other."""
    for first, second in zip(plain.graph.nodes, plain.graph.nodes[1:], strict=False):
        if first.index not in second.inputs:
            lines = list(plain.lines)
            lines[first.index], lines[second.index] = lines[second.index], lines[first.index]
            return lines
    return None


def _convert(plain: PlainSolution) -> list[str] | None:
    """Add a line that says one step's value in another unit."""
    factors = {"h": (60, "hours", "minutes"), "$": (100, "dollars", "cents"), "ft": (12, "feet", "inches")}
    for node in plain.graph.nodes:
        if node.unit in factors:
            factor, name, other = factors[node.unit]
            value, converted = _written(node.value), _written(node.value * factor)
            lines = list(plain.lines)
            lines.insert(node.index + 1, f"That is {value} {name} * {factor} = {converted} {other}.")
            return lines
    return None


_REWRITERS: dict[str, Callable[[PlainSolution], list[str] | None]] = {
    "swapped": _swap_sides,
    "merged": _merge,
    "split": _split,
    "reordered": _reorder,
    "converted": _convert,
}
