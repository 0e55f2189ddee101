"""A learner's solution, step by step, as values with their origin, compared with a worked solution."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from preceptor.domain.claim import Claim
from preceptor.maths.claims import ReadClaim, read_claims_with_trees
from preceptor.maths.clean_text import clean
from preceptor.maths.expression import Expression
from preceptor.maths.expression_tokens import unknowns_of
from preceptor.maths.problem_quantities import WORLDS
from preceptor.maths.reference_values import Match, ReferenceValues
from preceptor.maths.told_calculation import join_told
from preceptor.maths.worlds import Fingerprint, fingerprint_of, key, solve_in_worlds

MAX_STEPS = 60
_ANSWER_LINE = re.compile(
    r"^\W*(?:(?:the )?(?:final )?answer(?: is)?\W*)?[-+$€£]*\s*[\d.,/ ]+\s*(?:%|\w{1,12})?\W*$", re.IGNORECASE
)


@dataclass(frozen=True, kw_only=True)
class LearnerValue:
    """One value in a learner's solution."""

    step: int
    claim: Claim
    number: Fraction
    """The value stated, else the value its expression gives."""
    fingerprint: Fingerprint
    computed: bool
    """It comes from an expression or an equation."""
    false: bool
    """Its arithmetic does not hold."""
    uses: frozenset[int] = frozenset()
    """Indices of earlier values it is computed from."""
    foreign: int = 0
    """Operands that are neither given, nor computed before, nor small constants."""
    match: Match | None = None
    """Against the reference; `None` for a given quantity repeated or an earlier value restated."""
    restates: bool = False


@dataclass(frozen=True, kw_only=True)
class LearnerStep:
    """One step: its text, its values, and what of it could not be computed."""

    text: str
    values: tuple[LearnerValue, ...] = ()
    unfinished: int = 0
    """Expressions without a value, such as "3p + 5" with p unknown."""
    declares: bool = False
    """It says what an unknown stands for."""
    answer_line: bool = False
    """It is nothing but a final value."""


@dataclass
class _Reader:
    reference: ReferenceValues
    language: str
    names: frozenset[str]
    values: list[LearnerValue] = field(default_factory=list)
    unknowns: dict[str, Fingerprint] = field(default_factory=dict)
    solved: dict[str, Fraction] = field(default_factory=dict)
    told: set[Claim] = field(default_factory=set)
    """Claims of the step that were put together from words: too uncertain a reading to call one false."""

    def read(self, index: int, text: str) -> LearnerStep:
        written = read_claims_with_trees(text, self.language, unknowns=self.names, solved=self.solved)
        claims = join_told(written, text)
        self.told = {read.claim for read in claims} - {read.claim for read in written}
        found: list[LearnerValue] = []
        unfinished = 0
        for read in claims:
            if read.claim.withdrawn:
                continue
            value = self._value(index, read)
            if value is None:
                unfinished += 1
                continue
            found.append(value)
            self.values.append(value)
            if read.claim.unknown and read.claim.value is not None:
                self.unknowns[read.claim.unknown] = value.fingerprint
                self.solved.setdefault(read.claim.unknown, value.number)
        return LearnerStep(
            text=text,
            values=tuple(found),
            unfinished=unfinished,
            declares=bool(re.search(r"\b(?:let|call|say|represent|denote|stands? for)\b", text, re.IGNORECASE)),
            answer_line=bool(_ANSWER_LINE.match(text)),
        )

    def _value(self, index: int, read: ReadClaim) -> LearnerValue | None:
        claim, expression = read.claim, read.expression
        number = claim.value if claim.value is not None else claim.computed
        if number is None:
            return None
        if expression is None or (not claim.operators and read.equals is None and claim.computed is None):
            return self._bare(index, claim, number)
        operands = [*expression.operands, *(read.equals.operands if read.equals else ())]
        sources = [self._source(operand.value) for operand in operands]
        prints = [source[0] for source in sources]
        fingerprint = self._origin(read, expression, prints)
        false = claim.true is False and claim not in self.told
        if fingerprint is None:
            fingerprint = (float(number),) * (WORLDS + 1)
        elif claim.value is not None and claim.computed is not None and abs(fingerprint[0] - float(number)) > 1e-9:
            factor = float(number) / fingerprint[0] if fingerprint[0] and false else 1.0
            fingerprint = (float(number), *(value * factor for value in fingerprint[1:]))
        places = max((len(part) for part in re.findall(r"\.(\d+)", claim.text[-12:])), default=0)
        return LearnerValue(
            step=index,
            claim=claim,
            number=number,
            fingerprint=fingerprint,
            computed=True,
            false=false,
            uses=frozenset(source[1] for source in sources if source[1] is not None),
            foreign=sum(source[2] for source in sources),
            match=self.reference.match(fingerprint, number, places),
            restates=self._seen(fingerprint),
        )

    def _bare(self, index: int, claim: Claim, number: Fraction) -> LearnerValue:
        fingerprint, source, foreign = self._source(number)
        known = source is not None or number in self.reference.givens.values
        return LearnerValue(
            step=index,
            claim=claim,
            number=number,
            fingerprint=fingerprint,
            computed=False,
            false=False,
            uses=frozenset() if source is None else frozenset({source}),
            foreign=foreign,
            match=None if known else self.reference.match(fingerprint, number),
            restates=known,
        )

    def _seen(self, fingerprint: Fingerprint) -> bool:
        wanted = key(fingerprint)
        return any(key(value.fingerprint) == wanted for value in self.values)

    def _source(self, value: Fraction) -> tuple[Fingerprint, int | None, int]:
        """Return an operand's fingerprint, the earlier value it is, and 1 where it comes from nowhere."""
        for index in range(len(self.values) - 1, -1, -1):
            earlier = self.values[index]
            if earlier.number == value and (earlier.computed or not earlier.restates):
                return earlier.fingerprint, index, 0
        if value in self.reference.givens.values:
            return self.reference.givens.of(value), None, 0
        small = value.denominator == 1 and (value <= 4 or value in {7, 10, 12, 24, 30, 52, 60, 100, 365, 1000})
        return self.reference.givens.of(value), None, 0 if small or value.denominator in {2, 3, 4} else 1

    def _origin(self, read: ReadClaim, expression: Expression, prints: list[Fingerprint]) -> Fingerprint | None:
        if read.equals is not None and read.claim.unknown:
            known = {name: value for name, value in self.unknowns.items() if name != read.claim.unknown}
            return solve_in_worlds(expression, read.equals, prints, read.claim.unknown, known)
        found = fingerprint_of(expression, prints[: len(expression.operands)], self.unknowns)
        claim = read.claim
        if found is None or claim.computed is None or abs(found[0] - float(claim.computed)) < 1e-9:
            return found
        factor = float(claim.computed) / found[0] if found[0] else 1.0
        return tuple(value * factor for value in found)


def read_learner_steps(
    steps: Sequence[str], reference: ReferenceValues, language: str = "en"
) -> tuple[tuple[LearnerStep, ...], tuple[LearnerValue, ...]]:
    """Return a learner's steps (at most 60) and all their values in order, each compared with the reference."""
    reader = _Reader(
        reference=reference, language=language, names=unknowns_of(clean("\n".join(steps[:MAX_STEPS])[:8000]).text)
    )
    read = tuple(reader.read(index, text) for index, text in enumerate(steps[:MAX_STEPS]))
    return read, tuple(reader.values)


def final_value(steps: Sequence[LearnerStep]) -> LearnerValue | None:
    """Return the learner's final answer: the last value of the last step that has one, computed before bare."""
    for step in reversed(steps):
        results = [value for value in step.values if value.claim.value is not None and not value.claim.hedged]
        if step.answer_line and step.values:
            return step.values[-1]
        if results:
            computed = [value for value in results if value.computed]
            return computed[-1] if computed else results[-1]
    return None
