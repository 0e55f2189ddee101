"""Finds the step that a learner's claim is about: by value AND operands, noun, unit or the tutor's question."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from preceptor.domain.claim import Claim, Operand
from preceptor.domain.frame import Frame, FrameKind
from preceptor.maths.claims import ReadClaim
from preceptor.maths.expression import Binary, Expression, Leaf
from preceptor.maths.step_graph import StepNode
from preceptor.maths.text_numbers import find_numbers
from preceptor.pedagogy.content_words import content_words, sentence_at
from preceptor.pedagogy.worlds import (
    GraphWorlds,
    Meaning,
    OwnResult,
    World,
    alike,
    factor_between,
    in_other_unit,
    meanings,
    named_alike,
    same,
    step_names,
    unit_symbol,
)

Support = Literal["calculation", "question", "name", "reached"]
"""What speaks for a match beside the value: the calculation, the tutor's question, noun or unit, a step reached."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What a question counts: "how many boxes" counts boxes, "how much does it cost" counts money."""

    unit: str | None = None
    noun: str | None = None


@dataclass(frozen=True, kw_only=True)
class Match:
    """What a claim was found to be."""

    node: int | None = None
    support: Support | None = None
    worlds: World | None = None
    """What the claim's value is in every world; `None`: a bare value."""
    used: frozenset[int] = frozenset()
    """Indices of the learner's earlier results it was calculated from."""
    roots: frozenset[int] = frozenset()
    """Steps it was calculated from, its own included."""
    close: tuple[int, ...] = ()
    """Steps with this value whose match lacks support."""


_EACH = re.compile(r"\b(?:each|every|per)\b[^.!?,;\n=\d]{0,60}$", re.IGNORECASE)
_EACH_ANYWHERE = re.compile(r"\b(?:each|every|per)\b", re.IGNORECASE)
_PER = re.compile(r"^[^.!?\n;=\d]{0,40}?\b(?:per|each|every)\s+([^\W\d_]+)")


def match_claim(
    read: ReadClaim,
    worlds: GraphWorlds,
    earlier: Sequence[OwnResult],
    *,
    frame: Frame,
    reached: frozenset[int],
    text: str = "",
    asked: Asked | None = None,
) -> Match:
    """Return the step a claim is about.

    Args:
        read: The claim with its calculation.
        worlds: The worked solution.
        earlier: The learner's own results so far.
        frame: The tutor's pending question.
        reached: Steps that the learner has shown before.
        text: The utterance, for the words after the claim.
        asked: What the tutor's question counts; lends its name to a value that answers it without one.
    """
    named = read
    if asked is not None and not read.claim.operators and not read.claim.unit and not read.claim.noun:
        named = replace(read, claim=replace(read.claim, unit=asked.unit, noun=asked.noun))
    match = _match(named, worlds, earlier, frame=frame, reached=reached, text=text)
    if match.node is not None and _other_rate(read.claim, text, worlds.graph.nodes[match.node]):
        return replace(match, node=None, support=None, close=(match.node, *match.close))
    return match


def _other_rate(claim: Claim, text: str, node: StepNode) -> bool:
    """Whether the claim counts per one thing and the step per another: "60 cups per meal", "60 cups per day"."""
    if not claim.operators and _EACH.search(text[: claim.start]) and not _EACH_ANYWHERE.search(node.text):
        return True
    own = _PER.match(text[claim.end :])
    if own is None:
        return False
    for number in find_numbers(node.text):
        theirs = _PER.match(node.text[number.end :]) if number.value == node.value else None
        if theirs and not alike(theirs.group(1), own.group(1)):
            return True
    return False


def _match(
    read: ReadClaim,
    worlds: GraphWorlds,
    earlier: Sequence[OwnResult],
    *,
    frame: Frame,
    reached: frozenset[int],
    text: str,
) -> Match:
    if read.expression is not None and read.claim.operators and read.claim.computed is not None:
        return _by_calculation(read, worlds, earlier)
    if read.claim.value is None:
        return Match()
    return _by_name(read.claim, worlds, frame=frame, reached=reached, text=text)


def _by_calculation(read: ReadClaim, worlds: GraphWorlds, earlier: Sequence[OwnResult]) -> Match:
    assert read.expression is not None
    found = meanings(read.expression, worlds, earlier, limit=None if _may_be_step(read.claim, worlds) else 1)
    product = _as_product(read.expression)
    if product is not None:
        found = (*found, *meanings(product, worlds, earlier))
    hits: list[tuple[int, Meaning]] = []
    for meaning in found:
        hits += [
            (node.index, meaning)
            for node in worlds.graph.nodes
            if node.index not in meaning.roots and _is_step(meaning.worlds, worlds, node, read.claim)
        ]
    hits = [hit for hit in hits if not _about_others(read.expression.operands, worlds.graph.nodes[hit[0]], worlds)]
    if hits:
        node, meaning = _best(hits, read.claim, worlds)
        return Match(
            node=node, support="calculation", worlds=meaning.worlds, used=_used(meaning), roots=meaning.roots | {node}
        )
    stated = read.claim.computed
    close = tuple(node.index for node in worlds.graph.nodes if node.value == stated)
    if not found:
        return Match(close=close)
    likely = max(found, key=lambda option: (len(_used(option)), None not in option.worlds))
    return Match(worlds=likely.worlds, used=_used(likely), close=close, roots=likely.roots)


def _as_product(expression: Expression) -> Expression | None:
    """Return a sum of one number with itself as a product: 24 + 24 as 24 × 2."""
    values = {operand.value for operand in expression.operands}
    if (
        set(expression.operators) != {"+"}
        or len(values) != 1
        or len(expression.operators) + 1 != len(expression.operands)
    ):
        return None
    count = Operand(value=Fraction(len(expression.operands)), text=str(len(expression.operands)))
    return Expression(
        tree=Binary(0, Leaf(0), Leaf(1)),
        operands=(expression.operands[0], count),
        operators=("*",),
        start=expression.start,
        end=expression.end,
    )


def _may_be_step(claim: Claim, worlds: GraphWorlds) -> bool:
    """Whether any step has the computed value, as it is, by its percent or in another unit."""
    value = claim.computed
    assert value is not None
    unit = unit_symbol(claim.unit, claim.noun)
    return any(
        node.value in {value, value * 100, value / 100}
        or worlds.nodes[node.index][0] == value
        or in_other_unit(node.value, unit_symbol(node.unit, node.noun), value, unit)
        for node in worlds.graph.nodes
    )


def _is_step(world: World, worlds: GraphWorlds, node: StepNode, claim: Claim) -> bool:
    own = worlds.nodes[node.index]
    if same(world, own):
        return True
    if None in world or None in own:
        return False
    factor = factor_between(unit_symbol(node.unit, node.noun), unit_symbol(claim.unit, claim.noun))
    if factor is not None and same(world, tuple(value * factor for value in own if value is not None)):
        return True
    return node.unit == "%" and all(
        left is not None and right is not None and left in {right * 100, right / 100}
        for left, right in zip(world, own, strict=True)
    )


def _used(meaning: Meaning) -> frozenset[int]:
    return frozenset(source.earlier for source in meaning.sources if source.earlier is not None)


def _best(hits: Sequence[tuple[int, Meaning]], claim: Claim, worlds: GraphWorlds) -> tuple[int, Meaning]:
    """Return the hit whose step carries the claim's noun or unit, else the first."""
    for node, meaning in hits:
        if named_alike(claim.unit, claim.noun, worlds.graph.nodes[node]):
            return node, meaning
    return hits[0]


def _about_others(operands: Sequence[Operand], node: StepNode, worlds: GraphWorlds) -> bool:
    """Whether an operand is named like a given quantity that this step does not use, though its number is the same."""
    for operand in operands:
        if not operand.noun:
            continue
        theirs = [other for other in node.operands if other.value == operand.value and other.noun]
        if not theirs or any(alike(other.noun or "", operand.noun) for other in theirs):
            continue
        named = [given for given in worlds.graph.givens if given.value == operand.value and given.noun]
        if any(alike(given.noun or "", operand.noun) for given in named) and any(
            alike(given.noun or "", other.noun or "") for given in named for other in theirs
        ):
            return True
    return False


def _by_name(claim: Claim, worlds: GraphWorlds, *, frame: Frame, reached: frozenset[int], text: str) -> Match:
    """Match a bare value; the value alone is never enough."""
    assert claim.value is not None
    graph = worlds.graph
    nodes = [
        node
        for node in graph.nodes
        if node.value == claim.value
        or _writes_percent(claim, node)
        or in_other_unit(
            node.value, unit_symbol(node.unit, node.noun), claim.value, unit_symbol(claim.unit, claim.noun)
        )
    ]
    if not nodes:
        return Match()
    if frame.own_instance and frame.kind is FrameKind.VALUE and frame.value == claim.value:
        asked = [node for node in nodes if node.index == frame.node] or (nodes if len(nodes) == 1 else [])
        if asked:
            return Match(node=asked[0].index, support="question")
    in_problem = any(given.value == claim.value for given in graph.givens)
    named = [
        node
        for node in nodes
        if node.value != claim.value or named_alike(claim.unit, claim.noun, node) or _told_alike(claim, node, text)
    ]
    if named and len(_distinct(nodes)) == 1 and not in_problem:
        return Match(node=named[0].index, support="name")
    shown = [node for node in nodes if node.index in reached and (claim.unit or claim.noun)]
    if (
        shown
        and not claim.unknown
        and not in_problem
        and len(_distinct(nodes)) == 1
        and not named_apart(claim, shown[0])
    ):
        return Match(node=shown[0].index, support="reached")
    return Match(close=tuple(node.index for node in nodes))


def _told_alike(claim: Claim, node: StepNode, text: str) -> bool:
    """Whether a value without unit and noun stands in a sentence that says what the step's sentence says."""
    if claim.unit or claim.noun or claim.unknown:
        return False
    sentence = sentence_at(text, claim.start, claim.end)
    if len(find_numbers(sentence)) > 1:
        return False
    own = content_words(sentence)
    if any(noun and noun in own for _, noun in step_names(node)):
        return True
    theirs = content_words(node.text)
    return len(own & theirs) >= 2 and len(own & theirs) >= 0.6 * len(own)


def _distinct(nodes: Sequence[StepNode]) -> list[StepNode]:
    """Return steps that mean different things: repetitions of one calculation count once."""
    kept: list[StepNode] = []
    for node in nodes:
        if not any(node.worlds and node.worlds == other.worlds for other in kept):
            kept.append(node)
    return kept


def named_apart(claim: Claim, node: StepNode) -> bool:
    """Whether both carry a name, a unit or a noun, and the names differ."""
    has_name = any(unit or noun for unit, noun in step_names(node))
    return bool((claim.unit or claim.noun) and has_name and not named_alike(claim.unit, claim.noun, node))


def _writes_percent(claim: Claim, node: StepNode) -> bool:
    if claim.value is None or (claim.unit != "%" and node.unit != "%"):
        return False
    return claim.value * 100 == node.value or claim.value == node.value * 100


def equals_answer(claim: Claim, answer: Fraction, unit: str | None) -> bool:
    """Whether a stated value is the final answer, also as a percent's face or in another unit.

    Args:
        claim: The learner's statement.
        answer: The reference's answer.
        unit: The answer's unit, where the worked solution names it.
    """
    value = claim.value
    if value is None:
        return False
    if value == answer:
        return True
    if claim.unit == "%" and value * 100 == answer or unit == "%" and value == answer * 100:
        return True
    return in_other_unit(answer, unit, value, unit_symbol(claim.unit, claim.noun))
