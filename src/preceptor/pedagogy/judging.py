"""Marks claims right, wrong or unsure; unsure whenever two readings are open: a false tick is the worst fault."""

from __future__ import annotations

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
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
from preceptor.pedagogy.matching import Asked, Match, equals_answer, match_claim
from preceptor.pedagogy.worlds import GraphWorlds, OwnResult, unit_symbol

WrongKey = tuple[Fraction, str]
"""A wrong value with its unit or noun, so that 120 minutes and 120 cups are two things."""
JudgedBy = Literal["arithmetic", "reference", "tutor"]
_UNIT_FACTORS = frozenset(
    factor
    for base in (7, 12, 16, 24, 30, 36, 52, 60, 365, 1000, 3600)
    for factor in (Fraction(base), Fraction(1, base))
)
_MONEY = frozenset({"$", "€", "£", "¥", "元"})
_ANY_FACTORS = frozenset({Fraction(100), Fraction(1, 100), Fraction(-1)})
_REPLY_WORDS = 5
"""A longer sentence around one value may be about something else than what was asked."""
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
    asked: Asked | None = None
    """What the tutor's question counts, where one value answers it."""


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """One claim with its match and mark."""

    read: ReadClaim
    match: Match
    mark: Mark
    judged_by: JudgedBy
    node: int | None = None
    final: bool = False
    at: int | None = None
    """The step that the tutor asked for and that this claim gets wrong."""
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
    wrong_before: AbstractSet[WrongKey],
    step_errors: frozenset[Fraction] = frozenset(),
) -> list[Verdict]:
    """Return one verdict a claim, in reading order.

    Args:
        utterance: What was read.
        worlds: The worked solution; `None`, or one that contradicts itself: only arithmetic is judged.
        frame: The tutor's pending question.
        reached: Steps the learner has shown before.
        results: The learner's own results so far.
        wrong_before: Values that were marked wrong in earlier turns.
        step_errors: Values that a known wrong rule gives at the step the tutor asks for.
    """
    if worlds is None or worlds.graph.inconsistent:
        return [_by_arithmetic(read, place, utterance, frame) for place, read in enumerate(utterance.reads)]
    own = list(results)
    shown = reached
    verdicts: list[Verdict] = []
    judging = _Judge(utterance, worlds.graph, frame, wrong_before, step_errors)
    for place, read in enumerate(utterance.reads):
        match = match_claim(read, worlds, own, frame=frame, reached=shown, text=utterance.text, asked=utterance.asked)
        verdict = judging.mark(read, place, match)
        verdicts.append(verdict)
        if verdict.node is not None and verdict.mark == "right":
            shown |= {verdict.node}
        own.append(_result(verdict, worlds))
    return _carried_on(_leading_on(verdicts, offset=len(results)), offset=len(results))


def _result(verdict: Verdict, worlds: GraphWorlds) -> OwnResult:
    """Return a claim as a result that later claims may build on."""
    claim = verdict.read.claim
    value = claim.value if claim.value is not None else (claim.computed or Fraction(0))
    known = verdict.match.worlds
    if verdict.node is not None and verdict.mark == "right":
        known = worlds.nodes[verdict.node]
    if known is None or known[0] != value:
        known = (value, *(None for _ in worlds.changed))
    operand = Operand(value=value, text=claim.text, unit=claim.unit, noun=claim.noun)
    roots = verdict.match.roots | ({verdict.node} if verdict.node is not None else frozenset())
    return OwnResult(operand=operand, worlds=known, roots=roots)


class _Judge:
    """Marks the claims of one utterance against one worked solution."""

    def __init__(
        self,
        utterance: Utterance,
        graph: StepGraph,
        frame: Frame,
        wrong_before: AbstractSet[WrongKey],
        step_errors: frozenset[Fraction],
    ) -> None:
        self.utterance = utterance
        self.graph = graph
        self.frame = frame
        self.wrong = set(wrong_before)
        self.step_errors = step_errors
        standing = [
            place
            for place, read in enumerate(utterance.reads)
            if read.claim.value is not None and not read.claim.withdrawn
        ]
        self.last = standing[-1] if standing else -1
        self.givens = {given.value for given in graph.givens}
        self.unit = graph.nodes[graph.answer_node].unit if graph.answer_node is not None else None

    def mark(self, read: ReadClaim, place: int, match: Match) -> Verdict:
        """Return one claim's verdict; what is wrong is remembered for the claims after it."""
        final = place in self.utterance.finals and not read.claim.withdrawn
        is_answer = final and self.graph.answer is not None and equals_answer(read.claim, self.graph.answer, self.unit)
        mark, judged_by, node, at = self._decide(read, place, match, final=final, is_answer=is_answer)
        if mark == "wrong":
            self.wrong.add(wrong_key(read.claim))
        answers = mark == "right" and (is_answer or (node is not None and node == self.graph.answer_node))
        return Verdict(
            read=read, match=match, mark=mark, judged_by=judged_by, node=node, at=at, final=final, answers=answers
        )

    def _decide(
        self, read: ReadClaim, place: int, match: Match, *, final: bool, is_answer: bool
    ) -> tuple[Mark, JudgedBy, int | None, int | None]:
        """Return mark, judge, the step it is, and the step asked for that it gets wrong."""
        claim = read.claim
        if claim.withdrawn:
            return "unsure", "reference", None, None
        if claim.true is False or (claim.rounded and not _is_close(claim)):
            return self._false_arithmetic(read), "arithmetic", None, None
        if is_answer:
            return "right", "reference", self.graph.answer_node, None
        if final and self._is_wrong_answer(claim, place, match):
            return "wrong", "reference", None, None
        if match.node is not None and (not final or match.support in {"calculation", "question"}):
            return "right", "reference", match.node, None
        if claim.value in self.step_errors and _is_only_value(claim, self.utterance):
            return "wrong", "reference", None, self.frame.node
        if place == self.last and self._is_repeated_error(claim):
            return "wrong", "reference", None, None
        asked = _against_question(claim, self.frame, self.utterance)
        if asked is not None:
            return asked, "arithmetic", self.frame.node if asked == "right" else None, None
        return "unsure", "arithmetic" if claim.true else "reference", None, None

    def _false_arithmetic(self, read: ReadClaim) -> Mark:
        claim = read.claim
        if claim.true is not False or is_ambiguous(read, self.utterance.text):
            return "unsure"
        return "unsure" if self._is_step_value(claim.value) else "wrong"

    def _is_wrong_answer(self, claim: Claim, place: int, match: Match) -> bool:
        if self.graph.answer is None:
            return False
        named = place in self.utterance.named_finals and not claim.operators
        if match.node is not None and not named:
            return False
        if not claim.operators and claim.value in self.givens and not named:
            return False
        if claim.operators and self._is_step_value(claim.value):
            return False
        return not _may_be_the_same(claim, self.graph.answer, self.unit)

    def _is_repeated_error(self, claim: Claim) -> bool:
        """Whether a bare value was marked wrong before under the same name and is no value of the problem's."""
        if claim.operators or claim.value in self.givens or self._is_step_value(claim.value):
            return False
        return wrong_key(claim) in self.wrong

    def _is_step_value(self, value: Fraction | None) -> bool:
        return value is not None and any(node.value == value for node in self.graph.nodes)


def _against_question(claim: Claim, frame: Frame, utterance: Utterance) -> Mark | None:
    """Return the mark of the one value that answers the tutor's own calculation; `None`: it does not decide."""
    if frame.kind is not FrameKind.VALUE or frame.value is None or claim.value is None or claim.operators:
        return None
    if claim.value == frame.value:
        return "right"
    if not _is_only_value(claim, utterance) or abs(claim.value - frame.value) < Fraction(1, 20) * abs(frame.value) / 5:
        return None
    if claim.value in {frame.value * 100, frame.value / 100}:
        return None
    return "wrong"


def _is_only_value(claim: Claim, utterance: Utterance) -> bool:
    """Whether a short reply states this value and no other."""
    values = [read.claim for read in utterance.reads if read.claim.value is not None and not read.claim.withdrawn]
    words = len(re.findall(r"[^\W\d_]{2,}", utterance.text))
    return len(values) == 1 and values[0] == claim and (words <= _REPLY_WORDS or bool(claim.operators))


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


def wrong_key(claim: Claim) -> WrongKey:
    """Return the value and name under which a wrong claim is remembered."""
    value = claim.value if claim.value is not None else claim.computed
    return value or Fraction(0), unit_symbol(claim.unit, claim.noun) or claim.noun or ""


def _is_close(claim: Claim) -> bool:
    """Whether a rounding stays near what was computed."""
    if claim.value is None or claim.computed is None:
        return False
    return abs(claim.value - claim.computed) <= max(Fraction(1, 100), abs(claim.computed) / 20) or (
        claim.value.denominator == 1 and abs(claim.value - claim.computed) < 1
    )


def _may_be_the_same(claim: Claim, answer: Fraction, unit: str | None) -> bool:
    """Whether a value that differs from the answer may still be it: rounded, by its face, or in a unit not named."""
    value = claim.value
    if value is None or answer == 0:
        return value == answer
    if value / answer in _UNIT_FACTORS and unit not in _MONEY and (claim.unit or unit) and claim.unit != unit:
        return True
    if value / answer in _ANY_FACTORS:
        return True
    return (value.denominator != 1 or answer.denominator != 1) and abs(value - answer) < abs(answer) / 50


def is_ambiguous(read: ReadClaim, text: str) -> bool:
    """Whether false arithmetic may be a matter of reading: units, percent, precedence, sign, rounding, an unknown."""
    claim = read.claim
    if claim.value is None or claim.computed is None or claim.unknown or len(claim.text) > _LONGEST_SURE:
        return True
    if re.search(
        r"(?:[\d+\-*/×÷^)%]|\b(?:x|times|plus|minus))$", text[: claim.start].rstrip(" $"), re.IGNORECASE
    ) or re.search(r"\d[a-zA-Z]\b", claim.text):
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


def _carried_on(verdicts: list[Verdict], *, offset: int) -> list[Verdict]:
    """Mark true calculations with a value that was just marked wrong wrong too, unless they are a step."""
    marked: list[Verdict] = []
    for verdict in verdicts:
        rests = [marked[used - offset] for used in verdict.match.used if 0 <= used - offset < len(marked)]
        off = verdict.mark == "unsure" and verdict.node is None and not verdict.read.claim.withdrawn
        carried = off and any(earlier.mark == "wrong" for earlier in rests)
        marked.append(replace(verdict, mark="wrong", judged_by="reference") if carried else verdict)
    return marked
