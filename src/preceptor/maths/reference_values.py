"""Everything a worked solution makes of the problem's quantities: step values, sub-sums, sub-products, shortcuts.

Values are looked up by number and by fingerprint (`worlds`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from preceptor.maths.expression import Binary, Expression, Negative, Tree
from preceptor.maths.step_graph import StepGraph
from preceptor.maths.worlds import Fingerprint, GivenWorlds, combine, fingerprint_of, key, solve_in_worlds

_CONSTANTS = (2, 3, 4, 5, 7, 10, 12, 24, 30, 52, 60, 100, 365)
_MAX_TERMS = 6


@dataclass(frozen=True, kw_only=True)
class Match:
    """How a learner's value stands to the reference."""

    node: int | None
    """Step with this value by number; `None`: none."""
    node_in_worlds: int | None
    """Step with this value and this origin; `None`: none."""
    part: bool
    """A sub-sum or sub-product of a step, by number."""
    part_in_worlds: bool
    saves: bool
    """One operation with a known quantity leads from it to a step's value, in every world."""
    saves_by_number: bool

    @property
    def known(self) -> bool:
        """Whether the reference has it, by number or by origin, as a step or a part of one."""
        return self.node is not None or self.node_in_worlds is not None or self.part or self.part_in_worlds


class ReferenceValues:
    """Looks a learner's value up in one worked solution."""

    def __init__(self, graph: StepGraph) -> None:
        self.graph = graph
        self.givens = GivenWorlds(graph.givens)
        self.nodes: list[Fingerprint] = []
        self._parts: dict[tuple[str, ...], None] = {}
        self._part_numbers: set[str] = set()
        for node in graph.nodes:
            operands = [
                self.nodes[source] if source is not None else self.givens.of(operand.value)
                for operand, source in zip(node.operands, node.inputs, strict=True)
            ]
            found: Fingerprint | None = None
            if node.expression is not None and node.equals is not None:
                name = next(iter(node.expression.unknowns | node.equals.unknowns), "")
                found = solve_in_worlds(node.expression, node.equals, operands, name, {})
            elif node.expression is not None:
                found = fingerprint_of(node.expression, operands, {})
                for part in _parts(node.expression, operands):
                    self._parts[key(part)] = None
                    self._part_numbers.add(key(part)[0])
            stated = float(node.value)
            self.nodes.append((stated, *(found[1:] if found else (stated,) * (len(self.givens.of(Fraction(1))) - 1))))
        self._node_keys = {key(node): index for index, node in reversed(list(enumerate(self.nodes)))}
        self._node_numbers = {key(node)[0]: index for index, node in reversed(list(enumerate(self.nodes)))}
        self._known = self._known_quantities()

    def _known_quantities(self) -> list[Fingerprint]:
        values = [self.givens.of(value) for value in self.givens.values if value]
        values += [self.givens.of(Fraction(value)) for value in _CONSTANTS]
        return list({key(value): value for value in [*values, *self.nodes]}.values())[:40]

    def match(self, fingerprint: Fingerprint, number: Fraction, places: int = 0) -> Match:
        """Return how a value stands to the reference; decimals match to half their last printed digit."""
        full = key(fingerprint)
        plain = key((float(number),))[0]
        node = self._node_numbers.get(plain)
        if node is None and places:
            node = self._near(float(number), places)
        in_worlds = self._node_keys.get(full)
        if in_worlds is None and places:
            in_worlds = self._near_worlds(fingerprint)
        return Match(
            node=node,
            node_in_worlds=in_worlds,
            part=plain in self._part_numbers,
            part_in_worlds=full in self._parts,
            saves=self._saves(fingerprint),
            saves_by_number=self._saves((float(number),)),
        )

    def _near(self, number: float, places: int) -> int | None:
        limit = 0.5000001 * 10**-places
        return next((index for index, node in enumerate(self.nodes) if abs(node[0] - number) <= limit), None)

    def _near_worlds(self, fingerprint: Fingerprint) -> int | None:
        for index, node in enumerate(self.nodes):
            if all(abs(a - b) <= 0.006 * max(1.0, abs(a)) for a, b in zip(node, fingerprint, strict=True)):
                return index
        return None

    def _saves(self, value: Fingerprint) -> bool:
        """Whether one operation with a known quantity gives a step's value that the quantity itself does not."""
        width = len(value)
        targets = {key(node[:width]) for node in self.nodes}
        for other in self._known:
            cut = other[:width]
            if key(cut) == key(value):
                continue
            for sign, left, right in (
                ("+", value, cut),
                ("-", value, cut),
                ("-", cut, value),
                ("*", value, cut),
                ("/", value, cut),
                ("/", cut, value),
            ):
                found = combine(sign, left, right)
                if found is not None and key(found) in targets and key(found) != key(cut):
                    return True
        return False


def _parts(expression: Expression, operands: Sequence[Fingerprint]) -> Iterable[Fingerprint]:
    """Yield the values of proper sub-trees, and of every sub-sum and sub-product of a long sum or product."""

    def walk(tree: Tree) -> Fingerprint | None:
        return fingerprint_of(
            Expression(tree=tree, operands=expression.operands, operators=expression.operators, start=0, end=0),
            operands,
            {},
        )

    def visit(tree: Tree) -> Iterable[Fingerprint]:
        if isinstance(tree, Negative):
            yield from visit(tree.inner)
        if not isinstance(tree, Binary):
            return
        found = walk(tree)
        if found is not None and tree is not expression.tree:
            yield found
        for signs in ("+-", "*/"):
            terms = _terms(tree, expression, signs)
            if 3 <= len(terms) <= _MAX_TERMS:
                yield from _joined(terms, signs, walk)
        yield from visit(tree.left)
        yield from visit(tree.right)

    yield from visit(expression.tree)


def _terms(tree: Tree, expression: Expression, signs: str, *, turned: bool = False) -> list[tuple[Tree, bool]]:
    """Return the terms of a sum (or factors of a product), each with whether it is subtracted (or divided by)."""
    if isinstance(tree, Binary) and expression.operators[tree.operator] in signs:
        second = expression.operators[tree.operator] == signs[1]
        return _terms(tree.left, expression, signs, turned=turned) + _terms(
            tree.right, expression, signs, turned=turned != second
        )
    return [(tree, turned)]


def _joined(terms: list[tuple[Tree, bool]], signs: str, walk: object) -> Iterable[Fingerprint]:
    assert callable(walk)
    values = [(walk(tree), turned) for tree, turned in terms]
    for size in range(2, len(values)):
        for chosen in combinations(values, size):
            start = next((item for item in chosen if not item[1]), None)
            total = start[0] if start else None
            for item in chosen:
                if item is start or total is None or item[0] is None:
                    continue
                total = combine(signs[1] if item[1] else signs[0], total, item[0])
            if total is not None:
                yield total
            if start is None and signs == "+-" and all(item[0] is not None for item in chosen):
                total = chosen[0][0]
                for item in chosen[1:]:
                    total = combine("+", total, item[0]) if total is not None else None
                if total is not None:
                    yield total
