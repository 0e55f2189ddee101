"""From recorded turns to candidates for the repository: observe, critique, revise, gate, distil. Stores nothing.

Source: REAT, Figure 2 (b), equations 3 to 8. The order of one turn is fixed, and a turn ends in exactly one bucket.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import dataclass, replace

from preceptor.domain.dialogue import Dialogue
from preceptor.domain.experience import ExperienceProvenance, SourceTurn
from preceptor.domain.observation import Observation, ReadingStatus
from preceptor.domain.problem import Problem
from preceptor.domain.rubric import Critique, Dimension
from preceptor.domain.usage import Usage
from preceptor.errors import ModelError
from preceptor.experience.abstract_sentence import abstract_sentence
from preceptor.experience.abstract_text import Surroundings, dialogue_surroundings
from preceptor.experience.critic import ReviewedTurn
from preceptor.experience.distiller import AdmittedTurn
from preceptor.experience.mentor import Revision
from preceptor.experience.turn_review import Candidate, DialogueReview, ReviewRule, Roles, TurnReview
from preceptor.maths.step_graph import StepGraph, build_step_graph
from preceptor.pedagogy.dialogue_formats import problem_of
from preceptor.pedagogy.turn_context import TurnContext


@dataclass(frozen=True, kw_only=True)
class _Judged:
    """A reply with both records of it."""

    turn: ReviewedTurn
    critique: Critique


class TurnReviewer:
    """Reviews dialogues with the roles it is given; one instance serves any number, also at the same time."""

    def __init__(
        self, roles: Roles, rule: ReviewRule | None = None, *, batch: str = "", simulated: bool = False
    ) -> None:
        """Take roles and rule.

        Args:
            roles: Who plays which part.
            rule: Thresholds and switches.
            batch: Names the run in the provenance.
            simulated: Whether the learners are scripted; those of a dialogue with a persona always are.
        """
        self._roles = roles
        self._rule = rule or ReviewRule()
        self._batch = batch
        self._simulated = simulated

    async def review(self, dialogue: Dialogue, done: Collection[tuple[int, str]] = ()) -> DialogueReview:
        """Return how the turns of a dialogue went in which a learner spoke and got a reply.

        Args:
            dialogue: A whole dialogue; its id becomes the source of what is distilled.
            done: (turn, digest) of the turns that need not be looked at again.
        """
        digests = {place: turn_digest(dialogue, place) for place in answered_turns(dialogue)}
        waiting = {place: digest for place, digest in digests.items() if (place, digest) not in done}
        around = dialogue_surroundings(dialogue)
        problem = problem_of(dialogue)
        graph = graph_of_problem(problem) if waiting else None
        found: list[TurnReview] = []
        for place, digest in waiting.items():
            turn = dialogue.turns[place]
            context = TurnContext(
                problem=problem,
                graph=graph,
                history=dialogue.turns[:place],
                utterance=turn.learner,
                language=problem.language,
            )
            source = SourceTurn(dialogue_id=dialogue.dialogue_id, turn=place)
            scripted = self._simulated or dialogue.persona is not None
            found.append(await self._reviewed(context, turn.tutor or "", source, digest, around, scripted))
        return DialogueReview(
            dialogue_id=dialogue.dialogue_id,
            surroundings=around,
            turns=tuple(found),
            known=len(digests) - len(waiting),
        )

    async def _reviewed(
        self,
        context: TurnContext,
        reply: str,
        source: SourceTurn,
        digest: str,
        around: Surroundings,
        simulated: bool,
    ) -> TurnReview:
        review = _OneTurn(self._roles, self._rule, around, source, self._batch, simulated=simulated)
        start = TurnReview(turn=source.turn, digest=digest)
        try:
            made = await review.run(context, reply, start)
        except ModelError as error:
            made = replace(start, ending="failed", reason=type(error).__name__)
        return replace(made, calls=review.calls, cost_usd=review.cost_usd)


class _OneTurn:
    """One turn on its way; counts the model calls it takes."""

    def __init__(
        self,
        roles: Roles,
        rule: ReviewRule,
        around: Surroundings,
        source: SourceTurn,
        batch: str,
        *,
        simulated: bool,
    ) -> None:
        self._roles = roles
        self._rule = rule
        self._around = around
        self._source = source
        self._batch = batch
        self._simulated = simulated
        self.calls = 0
        self.cost_usd = 0.0

    async def run(self, context: TurnContext, reply: str, review: TurnReview) -> TurnReview:
        """Return where the turn ended, or its candidate."""
        observation = await self._roles.observer.observe(context)
        self._count(observation.usage)
        evidence = await self._roles.observer.observe_reply(context, observation, reply)
        self._count(evidence.usage)
        if not evidence.meaningful:
            return replace(review, ending="not_meaningful", reason=evidence.skipped_because)
        turn = ReviewedTurn(context=context, observation=observation, reply=reply, evidence=evidence)
        first_revision: Revision | None = None
        if self._roles.reflector is not None:
            turn, critique, first_revision = await self._reflected(turn)
        elif observation.reading.status is ReadingStatus.UNREAD:
            return replace(review, ending="unread")
        else:
            critique = None
        sentence = await self._sentence(turn.observation)
        if not sentence:
            return replace(review, ending="no_difficulty")
        if critique is None:
            critique = await self._critique(turn)
        needs = self._rule.rule.needs_revision(critique.scores)
        if needs is None:
            return replace(review, ending="unscored")
        opinion = critique.revision_wanted
        review = replace(review, routed=needs, disagrees=opinion is not None and opinion is not needs)
        original = _Judged(turn=turn, critique=critique)
        if not needs:
            if not self._rule.admits(critique):
                return replace(review, ending="dropped_direct")
            return await self._distilled(review, original, None, None, sentence)
        return await self._revised(review, original, first_revision, sentence)

    async def _reflected(self, turn: ReviewedTurn) -> tuple[ReviewedTurn, Critique, Revision | None]:
        assert self._roles.reflector is not None
        said = await self._roles.reflector.reflect(turn)
        self._count(said.usage)
        observation = replace(
            turn.observation,
            state=said.state,
            error_detail=said.error_detail,
            struggle_reason=said.struggle_reason,
        )
        return replace(turn, observation=observation), said.critique, said.revision

    async def _critique(self, turn: ReviewedTurn) -> Critique:
        if self._roles.reflector is not None:
            said = await self._roles.reflector.reflect(turn)
            self._count(said.usage)
            return said.critique
        critique = await self._roles.critic.critique(turn)
        self._count(critique.usage)
        return critique

    async def _sentence(self, observation: Observation) -> str:
        made = await abstract_sentence(
            observation.error_detail, observation.struggle_reason, rewriter=self._roles.rewriter, around=self._around
        )
        return made.text

    async def _revised(
        self, review: TurnReview, original: _Judged, first: Revision | None, sentence: str
    ) -> TurnReview:
        """Let the mentor try, re-observe and re-score each revision, and stop at the first that passes (A21, A22)."""
        earlier: list[tuple[Revision, Critique]] = []
        last: tuple[_Judged, Revision] | None = None
        for number in range(1, self._rule.rounds + 1):
            revision = await self._next_revision(original, first, earlier)
            if revision is None:
                break
            judged = await self._judged_again(original.turn, revision)
            review = replace(review, rounds=number)
            last = judged, revision
            if self._rule.rule.admits(judged.critique.scores):
                break
            earlier.append((revision, judged.critique))
        if last is None:
            if self._rule.gate:
                return replace(review, ending="dropped_no_revision")
            return await self._distilled(review, original, None, None, sentence)
        judged, revision = last
        if not self._rule.admits(judged.critique):
            return replace(review, ending="dropped_after_rounds")
        return await self._distilled(review, judged, revision, original, sentence)

    async def _next_revision(
        self, original: _Judged, first: Revision | None, earlier: list[tuple[Revision, Critique]]
    ) -> Revision | None:
        if self._roles.reflector is not None:
            if not earlier:
                return first
            again = await self._roles.reflector.reflect(replace(original.turn, reply=earlier[-1][0].reply))
            self._count(again.usage)
            return again.revision
        revision = await self._roles.mentor.revise(original.turn, original.critique, earlier=tuple(earlier))
        self._count(revision.usage if revision else None)
        return revision

    async def _judged_again(self, turn: ReviewedTurn, revision: Revision) -> _Judged:
        evidence = await self._roles.observer.observe_reply(turn.context, turn.observation, revision.reply)
        self._count(evidence.usage)
        revised = replace(turn, reply=revision.reply, evidence=evidence)
        return _Judged(turn=revised, critique=await self._critique(revised))

    async def _distilled(
        self,
        review: TurnReview,
        judged: _Judged,
        revision: Revision | None,
        original: _Judged | None,
        sentence: str,
    ) -> TurnReview:
        admitted = AdmittedTurn(
            turn=judged.turn,
            critique=judged.critique,
            sentence=sentence,
            revision=revision,
            original=original.turn if original else None,
            original_critique=original.critique if original else None,
        )
        made = await self._roles.distiller.distil(admitted)
        if made is None:
            return replace(review, ending="nothing_to_learn")
        self._count(made.usage)
        first = original or judged
        provenance = ExperienceProvenance(
            sources=(self._source,),
            original_percent=first.critique.percent,
            scores=tuple((dimension.value, judged.critique.scores.of(dimension).value) for dimension in Dimension),
            admission_percent=judged.critique.percent or 0.0,
            rounds=review.rounds if revision else 0,
            batch=self._batch,
            engines=self._roles.engines,
            made_by=self._roles.made_by,
            simulated=self._simulated,
        )
        candidate = Candidate(
            state=judged.turn.observation.state, sentence=sentence, value=made.value, provenance=provenance
        )
        return replace(review, candidate=candidate)

    def _count(self, usage: Usage | None) -> None:
        if usage is not None:
            self.calls += 1
            self.cost_usd += usage.cost_usd or 0.0


def answered_turns(dialogue: Dialogue) -> tuple[int, ...]:
    """Return the 0-based places at which a learner spoke and a reply is known."""
    return tuple(
        place for place, turn in enumerate(dialogue.turns) if turn.learner.strip() and (turn.tutor or "").strip()
    )


def graph_of_problem(problem: Problem) -> StepGraph | None:
    """Return the graph of a problem's worked solution; `None`: there is none."""
    if not problem.solution:
        return None
    return build_step_graph(problem.text, problem.solution, problem.answer, problem.language)


def turn_digest(dialogue: Dialogue, place: int) -> str:
    """Return the digest of all that a turn's review depends on, 16 hex digits."""
    content = hashlib.sha256((dialogue.problem.text if dialogue.problem else "").encode())
    content.update(b"\0" + ((dialogue.problem.solution or "") if dialogue.problem else "").encode())
    for turn in dialogue.turns[: place + 1]:
        content.update(b"\0" + turn.learner.encode() + b"\1" + (turn.tutor or "").encode())
    return content.hexdigest()[:16]
