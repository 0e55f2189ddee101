"""The guard sees a reply before the learner does, sentence by sentence.

Precedence: safety, then no answer given away, then no false arithmetic, then no verdict on what was not read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Literal, TypedDict

from preceptor.domain.claim import Claim
from preceptor.domain.dialogue import Turn
from preceptor.domain.observation import Observation, ReadingStatus
from preceptor.maths.claims import read_claims
from preceptor.maths.leak import find_last_step, find_leak
from preceptor.maths.leak_secrets import Secrets, gather_secrets
from preceptor.maths.step_graph import StepGraph
from preceptor.pedagogy.claim_wording import in_a_row
from preceptor.pedagogy.turn_context import TurnContext
from preceptor.safety.screen import screen

RefusalReason = Literal["unsafe", "final_answer", "unreached_step", "false_arithmetic", "verdict_on_unread"]

_VERDICT = re.compile(
    r"\b(correct|that'?s right|not quite|good job|well done|great job|exactly|incorrect|wrong|perfect|excellent)\b",
    re.IGNORECASE,
)


class _Known(TypedDict):
    problem_text: str
    graph: StepGraph | None
    answer: str | None
    solution: str | None
    history: tuple[Turn, ...]
    reached: frozenset[int]


@dataclass(frozen=True, kw_only=True)
class Refusal:
    """Why a reply must not be sent."""

    reason: RefusalReason
    evidence: str
    sentence: str = ""
    """The whole sentence that was refused."""


class Guard:
    """Checks the replies of one turn."""

    def __init__(self, turn: TurnContext, observation: Observation) -> None:
        """Remember what the learner has reached and claimed."""
        self._turn = turn
        self._observation = observation
        self._computed = {
            value
            for judged in observation.claims
            if judged.claim.true
            for value in (judged.claim.value, *(operand.value for operand in judged.claim.operands))
        }
        """Numbers of true calculations that the learner wrote: confirming those gives nothing away."""
        self._claimed = {_shape(judged.claim) for judged in observation.claims}

    @cached_property
    def _known(self) -> _Known:
        return _Known(
            problem_text=self._turn.problem.text,
            graph=self._turn.graph,
            answer=self._turn.problem.answer,
            solution=self._turn.problem.solution,
            history=(*self._turn.history, Turn(learner=self._turn.utterance)),
            reached=self._observation.reached,
        )

    @cached_property
    def _secrets(self) -> Secrets:
        """What must not be said; a calculation that the observer read in any words is the learner's own."""
        secrets = gather_secrets(**self._known)
        own = {
            tuple(sorted(operand.value for operand in judged.claim.operands))
            for judged in self._observation.claims
            if judged.claim.operators
        }
        return replace(secrets, computed=secrets.computed | own)

    def check(self, sent: str, sentence: str) -> Refusal | None:
        """Return why `sentence` must not follow what was already `sent`, or `None` where it may.

        Leaks are looked for in both together, so that an answer cannot be spread over sentences.
        """
        screening = screen(sentence, self._turn.language)
        if screening.kind not in ("none", "distress"):
            return Refusal(reason="unsafe", evidence=sentence, sentence=sentence)
        known, secrets = self._known, self._secrets
        leaks = (
            find_leak(sentence, **known, sent=sent, secrets=secrets),
            find_last_step(sentence, **known, secrets=secrets),
        )
        for leak in leaks:
            if leak.kind != "none" and not (leak.form == "assertion" and leak.value in self._computed):
                return Refusal(reason=leak.kind, evidence=leak.evidence, sentence=sentence)
        for claim in read_claims(sentence, self._turn.language):
            if claim.true is False and _shape(claim) not in self._claimed:
                return Refusal(reason="false_arithmetic", evidence=claim.text, sentence=sentence)
        if self._observation.reading.status is ReadingStatus.UNREAD and _VERDICT.search(sentence):
            return Refusal(reason="verdict_on_unread", evidence=sentence, sentence=sentence)
        return None


def _shape(claim: Claim) -> tuple[tuple[Fraction, ...], tuple[str, ...], Fraction | None]:
    """Return what makes two claims the same: a learner's false line may be said back."""
    operands = in_a_row(claim) or claim.operands
    return tuple(operand.value for operand in operands), claim.operators, claim.value
