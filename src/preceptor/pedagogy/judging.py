"""Marks claims right, wrong or unsure; unsure whenever two readings are open: a false tick is the worst fault."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

from preceptor.domain.claim import Claim, Operand
from preceptor.domain.frame import Frame, FrameKind
from preceptor.domain.observation import JudgedClaim, Mark
from preceptor.maths.claims import ReadClaim
from preceptor.maths.expression import Binary, Leaf, Tree, evaluate
from preceptor.maths.step_graph import StepGraph
from preceptor.pedagogy.claim_wording import read_as
from preceptor.pedagogy.matching import Match, equals_answer, match_claim
from preceptor.pedagogy.worlds import GraphWorlds, OwnResult

JudgedBy = Literal["arithmetic", "reference", "tutor"]
_UNIT_FACTORS = frozenset(
    factor
    for base in (7, 12, 16, 24, 30, 36, 52, 60, 365, 1000, 3600)
    for factor in (Fraction(base), Fraction(1, base))
)
_ANY_FACTORS = frozenset({Fraction(100), Fraction(1, 100), Fraction(-1)})
_LONGEST_SURE = 160


@dataclass(frozen=True, kw_only=True)
class Utterance:
    """What was read in one utterance before it is judged."""

    text: str
    reads: tuple[ReadClaim, ...]
    finals: frozenset[int]
    """Indices of the claims that state the final answer."""
    named_finals: frozenset[int] = frozenset()
    """Those of them that are called the answer."""
    language: str = "en"


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """One claim with its match and mark."""

    read: ReadClaim
    match: Match
    mark: Mark
    judged_by: JudgedBy
    node: int | None = None
    final: bool = False
    answers: bool = False
    """Its step is the one that answers the problem, or it was said to be the answer."""

    def as_judged(self, language: str) -> JudgedClaim:
        """Return it as the domain keeps it."""
        return JudgedClaim(
            claim=self.read.claim,
            mark=self.mark,
            node=self.node,
            judged_by=self.judged_by,
            read_as=read_as(self.read.claim, language),
        )


def judge(
    utterance: Utterance,
    worlds: GraphWorlds | None,
    *,
    frame: Frame,
    reached: frozenset[int],
    results: Sequence[OwnResult],
    wrong_before: frozenset[Fraction],
) -> list[Verdict]:
    """Return one verdict a claim, in reading order.

    Args:
        utterance: What was read.
        worlds: The worked solution; `None`, or one that contradicts itself: only arithmetic is judged.
        frame: The tutor's pending question.
        reached: Steps the learner has shown before.
        results: The learner's own results so far.
        wrong_before: Values that were marked wrong in earlier turns.
    """
    if worlds is None or worlds.graph.inconsistent:
        return [_by_arithmetic(read, place, utterance, frame) for place, read in enumerate(utterance.reads)]
    own = list(results)
    shown = reached
    verdicts: list[Verdict] = []
    wrong = set(wrong_before)
    for place, read in enumerate(utterance.reads):
        match = match_claim(read, worlds, own, frame=frame, reached=shown, text=utterance.text)
        verdict = _verdict(read, place, match, utterance, worlds.graph, frame, frozenset(wrong))
        verdicts.append(verdict)
        if verdict.node is not None and verdict.mark == "right":
            shown |= {verdict.node}
        if verdict.mark == "wrong" and read.claim.value is not None:
            wrong.add(read.claim.value)
        own.append(_result(verdict, worlds))
    return _leading_on(verdicts, offset=len(results))


def _result(verdict: Verdict, worlds: GraphWorlds) -> OwnResult:
    """Return a claim as a result that later claims may build on."""
    claim = verdict.read.claim
    value = claim.value if claim.value is not None else (claim.computed or Fraction(0))
    known = verdict.match.worlds
    if verdict.node is not None and verdict.mark == "right":
        known = worlds.nodes[verdict.node]
    if known is None or known[0] != value:
        known = (value, *(None for _ in worlds.changed))
    return OwnResult(operand=Operand(value=value, text=claim.text, unit=claim.unit, noun=claim.noun), worlds=known)


def _verdict(
    read: ReadClaim,
    place: int,
    match: Match,
    utterance: Utterance,
    graph: StepGraph,
    frame: Frame,
    wrong: frozenset[Fraction],
) -> Verdict:
    claim = read.claim
    final = place in utterance.finals and not claim.withdrawn

    def as_verdict(mark: Mark, judged_by: JudgedBy = "reference", node: int | None = None) -> Verdict:
        answers = mark == "right" and (final or (node is not None and node == graph.answer_node))
        return Verdict(read=read, match=match, mark=mark, judged_by=judged_by, node=node, final=final, answers=answers)

    if claim.withdrawn:
        return as_verdict("unsure")
    if claim.rounded and not _is_close(claim):
        return as_verdict("unsure", "arithmetic")
    if claim.true is False:
        sure = not is_ambiguous(read, utterance.text) and not _is_known_value(claim.value, graph)
        return as_verdict("wrong" if sure else "unsure", "arithmetic")
    if final and graph.answer is not None:
        unit = graph.nodes[graph.answer_node].unit if graph.answer_node is not None else None
        if equals_answer(claim, graph.answer, unit):
            return as_verdict("right", node=graph.answer_node)
        said = place in utterance.named_finals and not claim.operators
        if (match.node is None or said) and not _may_be_the_same(claim, graph.answer, unit):
            return as_verdict("wrong")
    if match.node is not None and (not final or match.support in {"calculation", "question"}):
        return as_verdict("right", node=match.node)
    asked = _against_question(claim, frame, utterance)
    if asked is not None:
        return as_verdict(asked, "arithmetic", frame.node if asked == "right" else None)
    return as_verdict("unsure", "arithmetic" if claim.true else "reference")


def _against_question(claim: Claim, frame: Frame, utterance: Utterance) -> Mark | None:
    """Return the mark of the one value that answers the tutor's own calculation; `None`: it does not decide."""
    if frame.kind is not FrameKind.VALUE or frame.value is None or claim.value is None or claim.operators:
        return None
    if claim.value == frame.value:
        return "right"
    values = [read.claim for read in utterance.reads if read.claim.value is not None and not read.claim.withdrawn]
    words = len(re.findall(r"[^\W\d_]{2,}", utterance.text))
    if len(values) != 1 or words > 5 or abs(claim.value - frame.value) < Fraction(1, 20) * abs(frame.value) / 5:
        return None
    if claim.value in {frame.value * 100, frame.value / 100}:
        return None
    return "wrong"


def _by_arithmetic(read: ReadClaim, place: int, utterance: Utterance, frame: Frame) -> Verdict:
    """Judge a claim without a worked solution: false arithmetic, or the tutor's own calculation answered."""
    claim = read.claim
    mark: Mark = "unsure"
    if not claim.withdrawn:
        if claim.true is False:
            mark = "unsure" if is_ambiguous(read, utterance.text) else "wrong"
        else:
            mark = _against_question(claim, frame, utterance) or "unsure"
    return Verdict(read=read, match=Match(), mark=mark, judged_by="arithmetic", final=place in utterance.finals)


def _is_close(claim: Claim) -> bool:
    """Whether a rounding stays near what was computed."""
    if claim.value is None or claim.computed is None:
        return False
    return abs(claim.value - claim.computed) <= max(Fraction(1, 100), abs(claim.computed) / 20) or (
        claim.value.denominator == 1 and abs(claim.value - claim.computed) < 1
    )


def _is_known_value(value: Fraction | None, graph: StepGraph) -> bool:
    return value is not None and any(node.value == value for node in graph.nodes)


def _may_be_the_same(claim: Claim, answer: Fraction, unit: str | None) -> bool:
    """Whether a value that differs from the answer may still be it: rounded, by its face, or in a unit not named."""
    value = claim.value
    if value is None or answer == 0:
        return value == answer
    if value / answer in _UNIT_FACTORS and (claim.unit or unit) and claim.unit != unit:
        return True
    if value / answer in _ANY_FACTORS:
        return True
    return (value.denominator != 1 or answer.denominator != 1) and abs(value - answer) < abs(answer) / 50


def is_ambiguous(read: ReadClaim, text: str) -> bool:
    """Whether false arithmetic may be a matter of reading: units, percent, precedence, sign, rounding, an unknown."""
    claim = read.claim
    if claim.value is None or claim.computed is None or claim.unknown or len(claim.text) > _LONGEST_SURE:
        return True
    if claim.computed == 0 or claim.value == 0:
        return claim.value != 0 and claim.computed == 0 and len(claim.operators) > 2
    ratio = claim.value / claim.computed
    named = claim.unit is not None or any(operand.unit for operand in claim.operands)
    if ratio in _ANY_FACTORS or (ratio in _UNIT_FACTORS and named):
        return True
    fractional = claim.value.denominator != 1 or claim.computed.denominator != 1
    if fractional and abs(ratio - 1) < Fraction(1, 40):
        return True
    units = {operand.unit for operand in claim.operands if operand.unit} | ({claim.unit} if claim.unit else set())
    if len(units) > 1 and set(claim.operators) & {"+", "-"}:
        return True
    if read.expression is not None and claim.value in _other_readings(read):
        return True
    return bool(
        re.search(r"[:;]|\b(?:remainder|each|per|every)\b[^=]*$", text[claim.start : claim.end].split("=")[0])
        and fractional
    )


def _other_readings(read: ReadClaim) -> set[Fraction]:
    """Return what the calculation gives when it is read from the right, or from the left without precedence."""
    expression = read.expression
    assert expression is not None
    values = [operand.value for operand in expression.operands]
    signs = expression.operators
    found: set[Fraction] = set()
    if len(signs) != len(values) - 1 or len(values) < 3 or not _is_plain(expression.tree):
        plain = evaluate(expression)
        return {plain} if plain is not None else set()
    if set(signs) <= {"/", "*"}:
        result = values[-1]
        for value, sign in zip(reversed(values[:-1]), reversed(signs), strict=True):
            if sign == "/" and not result:
                return found
            result = value * result if sign == "*" else value / result
        found.add(result)
    return found


def _is_plain(tree: Tree) -> bool:
    return isinstance(tree, Leaf | Binary)


def _leading_on(verdicts: list[Verdict], *, offset: int) -> list[Verdict]:
    """Mark true claims off the reference right where a right step was calculated from them: another way, accepted."""
    accepted: set[int] = set()
    for verdict in reversed(verdicts):
        place = verdicts.index(verdict)
        if verdict.mark == "right" and verdict.match.support == "calculation" or place in accepted:
            accepted |= {used - offset for used in verdict.match.used if used >= offset}
    return [
        replace(verdict, mark="right")
        if place in accepted
        and verdict.mark == "unsure"
        and verdict.read.claim.true
        and not verdict.read.claim.withdrawn
        else verdict
        for place, verdict in enumerate(verdicts)
    ]
