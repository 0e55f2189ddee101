"""The builtin mentor: the builtin tutor's own moves for the observed turn, the best by the critic that it is given."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from preceptor.domain.experience import Strategy
from preceptor.domain.observation import ReadingStatus
from preceptor.domain.reply import Move, Reply, Rung
from preceptor.domain.rubric import Critique, Dimension
from preceptor.experience.builtin_critic import BuiltinCritic
from preceptor.experience.critic import ReviewedTurn
from preceptor.experience.mentor import Flaw, Revision
from preceptor.experience.teaching_account import (
    flaws_of,
    pitfalls_of,
    response_template,
    scaffolding_steps,
    struggle_handling,
)
from preceptor.experience.teaching_words import EXCELLENT, STRATEGY_OF_MOVE
from preceptor.pedagogy.builtin_evidence import observe_reply_now
from preceptor.pedagogy.builtin_tutor import BuiltinTutor
from preceptor.pedagogy.tutor import ExperienceAdvice, TutorTurn

NO_REVISION = frozenset({Move.CANNOT_FOLLOW, Move.GREET, Move.CARE, Move.LANGUAGE_LIMIT, Move.REQUEST_FORM})
"""Moves that say that nothing was understood, or that are not about the matter: nothing to learn from."""
_TRIED = (None, *Strategy)


@dataclass(frozen=True, kw_only=True)
class _Candidate:
    """A possible reply with what the critic makes of it."""

    reply: Reply
    turn: ReviewedTurn
    critique: Critique

    @property
    def rank(self) -> tuple[int, float, float]:
        """Worst dimension, percent, quality before rounding; higher is better."""
        return self.critique.scores.lowest or 0, self.critique.percent or 0.0, self.critique.order or 0.0


class BuiltinMentor:
    """Revises by rules; no model. A turn that was not read gets no revision."""

    def __init__(self, *, critic: BuiltinCritic | None = None, tutor: BuiltinTutor | None = None) -> None:
        """Use the shipped critic to rank candidates, and the builtin tutor to make them, unless others are given."""
        self._critic = critic or BuiltinCritic()
        self._tutor = tutor or BuiltinTutor()

    async def revise(
        self, turn: ReviewedTurn, critique: Critique, *, earlier: Sequence[tuple[Revision, Critique]] = ()
    ) -> Revision | None:
        """See `Mentor.revise`."""
        return self.revise_now(turn, critique, earlier=earlier)

    def revise_now(
        self, turn: ReviewedTurn, critique: Critique, *, earlier: Sequence[tuple[Revision, Critique]] = ()
    ) -> Revision | None:
        """Return the best reply that was not offered before; `None`: there is none, or the learner was not read."""
        if turn.observation.reading.status is ReadingStatus.UNREAD:
            return None
        best = max(self._candidates(turn, earlier), key=lambda one: one.rank, default=None)
        return None if best is None else self._revision(turn, critique, best)

    def _candidates(self, turn: ReviewedTurn, earlier: Sequence[tuple[Revision, Critique]]) -> Iterator[_Candidate]:
        said = tuple(revision.reply for revision, _ in earlier)
        seen = {turn.reply, *said}
        context = replace(turn.context, said=(*turn.context.said, *said))
        rung = Rung.LOCATE if turn.observation.repeats else Rung.NONE
        for strategy in _TRIED:
            advice = () if strategy is None else (_advice(strategy),)
            asked = TutorTurn(context=context, observation=turn.observation, rung=rung, experience=advice)
            reply = self._tutor.compose(asked)
            if reply.text in seen or reply.move in NO_REVISION:
                continue
            seen.add(reply.text)
            evidence = observe_reply_now(turn.context, turn.observation, reply.text)
            revised = replace(turn, reply=reply.text, evidence=evidence)
            yield _Candidate(reply=reply, turn=revised, critique=self._critic.critique_now(revised))

    def _revision(self, turn: ReviewedTurn, critique: Critique, best: _Candidate) -> Revision:
        strategy = STRATEGY_OF_MOVE.get(best.reply.move, Strategy.OTHER)
        return Revision(
            flaws=tuple(Flaw(code=code, said=said) for code, said in flaws_of(critique)),
            reply=best.reply.text,
            template=response_template(best.turn, strategy),
            strategy=strategy,
            strategy_notes=scaffolding_steps(best.turn, strategy),
            pitfalls=pitfalls_of(turn.observation, strategy, critique),
            struggle_handling=struggle_handling(turn.observation, strategy),
            addresses=_addressed(critique, best.critique),
            move=best.reply.move.value,
        )


def _advice(strategy: Strategy) -> ExperienceAdvice:
    return ExperienceAdvice(experience_id="mentor", strategy=strategy.value, text="")


def _addressed(before: Critique, after: Critique) -> str:
    """Return which weak dimensions are better now, in words."""
    better = [
        EXCELLENT[dimension]
        for dimension in Dimension
        if (before.scores.of(dimension).value or 0) < (after.scores.of(dimension).value or 0)
    ]
    return f"In the new reply, {', and '.join(better[:3])}." if better else ""
