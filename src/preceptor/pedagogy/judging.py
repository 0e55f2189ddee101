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
from preceptor.maths.step_graph import StepGraph
from preceptor.pedagogy.ambiguity import ANY_FACTORS, UNIT_FACTORS, is_ambiguous
from preceptor.pedagogy.claim_wording import read_as
from preceptor.pedagogy.matching import Asked, Match, equals_answer, match_claim, named_apart
from preceptor.pedagogy.worlds import GraphWorlds, OwnResult, named_alike, unit_symbol

WrongKey = tuple[Fraction, str]
"""A wrong value with its unit or noun, so that 120 minutes and 120 cups are two things."""
JudgedBy = Literal["arithmetic", "reference", "tutor"]
_MONEY = frozenset({"$", "€", "£", "¥", "元"})
_REPLY_WORDS = 5
"""A longer sentence around one value may be about something else than what was asked."""


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

    def as_judged(self, language: str, said: str) -> JudgedClaim:
        """Return it as the domain keeps it; `said` is the utterance."""
        return JudgedClaim(
            claim=self.read.claim,
            mark=self.mark,
            node=self.node,
            judged_by=self.judged_by,
            read_as=read_as(self.read.claim, language, said=said),
        )


@dataclass(frozen=True, kw_only=True)
class Standing:
    """What is known when an utterance is judged."""

    reached: frozenset[int] = frozenset()
    """Steps the learner has shown before."""
    results: Sequence[OwnResult] = ()
    """The learner's own results so far."""
    wrong: frozenset[WrongKey] = frozenset()
    """Values that were marked wrong in earlier turns."""
    refused: frozenset[Fraction] = frozenset()
    """Final answers of earlier turns that were not right."""
    unproven: frozenset[Fraction] = frozenset()
    """Bare values that were stated in earlier turns and not marked right."""
    step_errors: frozenset[Fraction] = frozenset()
    """Values that a known wrong rule gives at the step the tutor asks for."""
    parts: frozenset[Fraction] = frozenset()
    """Values of parts of the worked solution: see `partial_work`."""


def judge(utterance: Utterance, worlds: GraphWorlds | None, *, frame: Frame, standing: Standing) -> list[Verdict]:
    """Return one verdict a claim, in reading order.

    Args:
        utterance: What was read.
        worlds: The worked solution; `None`, or one that contradicts itself: only arithmetic is judged.
        frame: The tutor's pending question.
        standing: What is known from earlier turns.
    """
    if worlds is None or worlds.graph.inconsistent:
        return [_by_arithmetic(read, place, utterance, frame) for place, read in enumerate(utterance.reads)]
    own = list(standing.results)
    shown = standing.reached
    verdicts: list[Verdict] = []
    judging = _Judge(utterance, worlds.graph, frame, standing)
    for place, read in enumerate(utterance.reads):
        match = match_claim(read, worlds, own, frame=frame, reached=shown, text=utterance.text, asked=utterance.asked)
        found = _carried_out(read, utterance.reads[place - 1], verdicts[-1].match) if verdicts else None
        verdict = judging.mark(read, place, found or match, worked_out=found is not None)
        verdicts.append(verdict)
        if verdict.node is not None and verdict.mark == "right":
            shown |= {verdict.node}
        own.append(_result(verdict, worlds))
    before = len(standing.results)
    return _carried_on(_leading_on(verdicts, offset=before), offset=before)


def _carried_out(read: ReadClaim, earlier: ReadClaim, match: Match) -> Match | None:
    """Return the match of the calculation right before, where it has no result and this bare value is what it gives."""
    claim, plan = read.claim, earlier.claim
    if claim.operators or claim.value is None or plan.value is not None or claim.value != plan.computed:
        return None
    return match if plan.operators and claim.unknown in {None, plan.unknown} else None


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

    def __init__(self, utterance: Utterance, graph: StepGraph, frame: Frame, standing: Standing) -> None:
        self.utterance = utterance
        self.graph = graph
        self.frame = frame
        self.known = standing
        self.wrong = set(standing.wrong)
        stated = [
            place
            for place, read in enumerate(utterance.reads)
            if read.claim.value is not None and not read.claim.withdrawn
        ]
        self.last = stated[-1] if stated else -1
        self.givens = {given.value for given in graph.givens}
        self.unit = graph.nodes[graph.answer_node].unit if graph.answer_node is not None else None

    def mark(self, read: ReadClaim, place: int, match: Match, *, worked_out: bool) -> Verdict:
        """Return one claim's verdict; what is wrong is remembered for the claims after it.

        Args:
            read: The claim.
            place: Its index in the utterance.
            match: The step it is.
            worked_out: It is the result of the calculation right before it.
        """
        final = (place in self.utterance.finals or self._is_lone_answer(read.claim)) and not read.claim.withdrawn
        is_answer = final and self.graph.answer is not None and equals_answer(read.claim, self.graph.answer, self.unit)
        mark, judged_by, node, at = self._decide(
            read, place, match, final=final, is_answer=is_answer, worked_out=worked_out
        )
        if mark == "wrong":
            self.wrong.add(wrong_key(read.claim))
        answers = mark == "right" and (is_answer or (node is not None and node == self.graph.answer_node))
        return Verdict(
            read=read, match=match, mark=mark, judged_by=judged_by, node=node, at=at, final=final, answers=answers
        )

    def _decide(
        self, read: ReadClaim, place: int, match: Match, *, final: bool, is_answer: bool, worked_out: bool
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
            return ("unsure" if self._is_old_value(claim, match) else "right"), "reference", match.node, None
        if worked_out:
            answered = self.frame.node is None and _against_question(claim, self.frame, self.utterance) == "right"
            return "right" if answered else "unsure", "arithmetic", None, None
        return self._by_question(read, place)

    def _by_question(self, read: ReadClaim, place: int) -> tuple[Mark, JudgedBy, int | None, int | None]:
        """Judge what is no step by what the tutor asked."""
        claim = read.claim
        is_part = bool(claim.operators) and claim.value in self.known.parts
        if claim.value in self.known.step_errors and not is_part and _is_only_value(claim, self.utterance):
            return "wrong", "reference", None, self.frame.node
        if place == self.last and self._is_repeated_error(claim):
            return "wrong", "reference", None, None
        asked = _against_question(claim, self.frame, self.utterance)
        if asked == "wrong" and self.frame.node is not None and self._is_step_value(claim.value):
            return "unsure", "reference", None, None
        if asked is not None:
            judge: JudgedBy = "arithmetic" if self.frame.node is None else "reference"
            return asked, judge, self.frame.node if asked == "right" else None, None
        return "unsure", "arithmetic" if claim.true else "reference", None, None

    def _is_old_value(self, claim: Claim, match: Match) -> bool:
        """Whether only the question speaks for a value that was stated before: it may be the old one, unchanged."""
        if match.support != "question" or claim.value not in self.known.unproven | self.known.refused:
            return False
        assert match.node is not None
        bare = not re.search(r"[^\W\d_]{2,}", self.utterance.text)
        return not bare and not named_alike(claim.unit, claim.noun, self.graph.nodes[match.node])

    def _false_arithmetic(self, read: ReadClaim) -> Mark:
        claim = read.claim
        if claim.true is not False or is_ambiguous(read, self.utterance.text):
            return "unsure"
        return "unsure" if self._is_step_value(claim.value) else "wrong"

    def _is_wrong_answer(self, claim: Claim, place: int, match: Match) -> bool:
        if self.graph.answer is None:
            return False
        named = place in self.utterance.named_finals and not claim.operators
        if named and claim.value in self.known.refused and claim.value != self.graph.answer:
            return True
        if match.node is not None and not named:
            return False
        if not claim.operators and claim.value in self.givens and not named:
            return False
        if claim.operators and self._is_step_value(claim.value):
            return False
        return not _may_be_the_same(claim, self.graph.answer, self.unit)

    def _is_lone_answer(self, claim: Claim) -> bool:
        """Whether a reply is nothing but the answer's value, which stands neither in the problem nor at another step.

        Whatever was asked then, it is the answer: no other quantity of this problem is this number.
        """
        answer = self.graph.answer
        if claim.operators or claim.unknown or claim.value != answer or answer in self.givens:
            return False
        if self.graph.answer_node is None or not _is_only_value(claim, self.utterance):
            return False
        last = self.graph.nodes[self.graph.answer_node]
        alone = all(node.value != answer or node.worlds == last.worlds for node in self.graph.nodes)
        return alone and not named_apart(claim, last)

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
    if value / answer in UNIT_FACTORS and unit not in _MONEY and (claim.unit or unit) and claim.unit != unit:
        return True
    if value / answer in ANY_FACTORS:
        return True
    return (value.denominator != 1 or answer.denominator != 1) and abs(value - answer) < abs(answer) / 50


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
