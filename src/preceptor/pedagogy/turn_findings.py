"""What was found in one utterance, and what follows from it before any tag is set."""

from __future__ import annotations

import re
from dataclasses import dataclass

from preceptor.domain.frame import Frame, FrameKind
from preceptor.domain.observation import Explanation
from preceptor.pedagogy.judging import Verdict, wrong_key
from preceptor.pedagogy.progress import Progress
from preceptor.pedagogy.reading_status import read_status

BARE_WORDS = 4
"""A reply with more words than this is more than a bare answer."""


@dataclass(frozen=True, kw_only=True)
class Question:
    """What stood before an utterance."""

    frame: Frame
    recorded: bool
    """Whoever asked it recorded what it asks for; otherwise it was read from the words."""
    said: str


@dataclass(frozen=True, kw_only=True)
class TurnFindings:
    """What was found in one utterance."""

    text: str
    question: Question
    before: Progress
    all: list[Verdict]
    kept: list[Verdict]
    """Without repeated quantities of the problem."""
    explanations: tuple[Explanation, ...]

    @property
    def slipped(self) -> bool:
        """Whether the arithmetic of a claim does not hold."""
        return any(is_slip(verdict) for verdict in self.kept)

    @property
    def is_wrong(self) -> bool:
        """Whether something is off: marked wrong, or a true calculation that a misconception explains."""
        if any(verdict.mark == "wrong" for verdict in self.kept):
            return True
        return bool(self.explanations) and not self.solved

    @property
    def solved(self) -> bool:
        """Whether the right answer stands, and nothing else was worked out from it afterwards."""
        places = [place for place, verdict in enumerate(self.kept) if verdict.mark == "right" and verdict.answers]
        if not places or any(verdict.final and verdict.mark == "wrong" for verdict in self.kept):
            return False
        later = [verdict for verdict in self.kept[places[-1] + 1 :] if not verdict.read.claim.withdrawn]
        return self.kept[places[-1]].final or not later

    @property
    def repeats(self) -> int:
        """How many earlier turns made the same wrong claim."""
        wrong = [verdict.read.claim for verdict in self.kept if verdict.mark == "wrong"]
        return max((self.before.times_wrong(wrong_key(claim)) for claim in wrong if claim.value is not None), default=0)

    @property
    def regressed(self) -> bool:
        """Whether a step or the answer that was right before is now contradicted."""
        if self.before.solved and any(verdict.final and verdict.mark == "wrong" for verdict in self.kept):
            return True
        nodes = {explanation.node for explanation in self.explanations}
        return len(nodes) == 1 and bool(nodes & self.before.reached)

    @property
    def is_bare_answer(self) -> bool:
        """Whether the turn is an answer with no work shown, and not the reply to a question for one quantity."""
        claims = [verdict.read.claim for verdict in self.kept]
        if len(claims) != 1 or claims[0].operators or claims[0].value is None:
            return False
        frame = self.question.frame
        if frame.kind in {FrameKind.CHOICE, FrameKind.YES_NO}:
            return False
        if frame.kind is FrameKind.VALUE and not self.kept[0].final:
            return False
        return len(re.findall(r"[^\W\d_]{2,}", self.text)) <= BARE_WORDS

    def is_unread(self, language: str) -> bool:
        """Whether nothing at all was made of the utterance."""
        reading = read_status(
            self.text,
            claims=(),
            quoted=False,
            clauses=(),
            frame=self.question.frame,
            intent=None,
            language=language,
        )
        return reading.status == "unread"


def is_slip(verdict: Verdict) -> bool:
    """Whether a claim's own arithmetic does not hold."""
    return verdict.mark == "wrong" and verdict.read.claim.true is False


def sets_up(verdict: Verdict) -> bool:
    """Whether a claim is an equation in an unknown that did not lead to a step of the reference."""
    claim = verdict.read.claim
    return bool(claim.unknown) and verdict.mark != "right" and not claim.withdrawn and "=" in claim.text


def is_off(verdict: Verdict) -> bool:
    """Whether a claim is a true calculation that is no step of the reference."""
    claim = verdict.read.claim
    return (
        verdict.mark != "right"
        and verdict.node is None
        and bool(claim.operators)
        and claim.true is not False
        and not claim.withdrawn
        and not claim.unknown
    )
