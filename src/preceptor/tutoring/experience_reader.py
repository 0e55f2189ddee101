"""The live turn's read of teaching experience: from an observation to advice, or to why there is none."""

from __future__ import annotations

import asyncio
import time

from preceptor.domain.experience import Experience
from preceptor.domain.observation import Observation
from preceptor.experience.abstract_sentence import BuiltinRewriter, Rewriter
from preceptor.experience.abstract_text import NOWHERE, Surroundings, surroundings_of
from preceptor.experience.retrieval import ExperienceRetrieval, RetrievalRule
from preceptor.pedagogy.turn_context import TurnContext
from preceptor.pedagogy.tutor import ExperienceAdvice
from preceptor.tutoring.live_repository import EMPTY, LiveRepository
from preceptor.tutoring.reads import Read


class RepositoryReader:
    """`ExperienceReader` on the installation's repository."""

    def __init__(
        self, repository: LiveRepository, *, rule: RetrievalRule | None = None, rewriter: Rewriter | None = None
    ) -> None:
        """Take the repository.

        Args:
            repository: Loaded at the first read, where nobody has loaded it before.
            rule: How entries are chosen; `None`: top-1, with state filter and threshold.
            rewriter: Makes the sentence that is asked with; `None`: the builtin one.
        """
        self._repository = repository
        self._rule = rule or RetrievalRule()
        self._rewriter = rewriter or BuiltinRewriter()

    async def read(self, turn: TurnContext, observation: Observation) -> Read:
        """Return the experience for this state, or none and why.

        Whoever stops waiting is let go at once: loading and comparing run on in their threads.

        Raises:
            StoreError: The database cannot be read.
        """
        finding = asyncio.ensure_future(self._find(turn, observation))
        finding.add_done_callback(_taken)
        return await asyncio.shield(finding)

    async def _find(self, turn: TurnContext, observation: Observation) -> Read:
        started = time.perf_counter()
        repository, why = self._repository.loaded, ""
        if repository is None:
            repository, why = await asyncio.to_thread(self._repository.open)
        if repository is None:
            return Read(status="none" if why == EMPTY else "absent", detail=why, duration_ms=_since(started))
        retrieval = ExperienceRetrieval(
            repository, rewriter=self._rewriter, rule=self._rule, by_kind=self._repository.by_kind
        )
        found = await retrieval.find(
            observation.state,
            error_detail=observation.error_detail,
            struggle_reason=observation.struggle_reason,
            around=self._around(turn),
        )
        return Read(
            status="read" if found.chosen else "none",
            ids=found.experience_ids,
            similarities=found.similarities,
            advice=tuple(advice_of(experience) for experience in found.chosen),
            retrieved=found,
            detail=found.nothing_because,
            duration_ms=_since(started),
        )

    def _around(self, turn: TurnContext) -> Surroundings:
        """Return what a model's sentence must not name; the builtin sentence is made of our own words."""
        if isinstance(self._rewriter, BuiltinRewriter):
            return NOWHERE
        said = [earlier.learner for earlier in turn.history]
        return surroundings_of(turn.problem, [*said, turn.utterance])


def advice_of(experience: Experience) -> ExperienceAdvice:
    """Return an experience as what a tutor is told: the most useful lines first, its words last."""
    value = experience.value
    lines = [
        f"Where it helped: {value.triggering_difficulty}",
        f"What was done: {value.applied_strategy}",
        *(f"Step: {step}" for step in value.scaffolding_steps),
        *(f"Avoid: {fault}" for fault in value.undesirable_behaviours),
    ]
    more = (
        ("If the struggle goes on", value.struggle_handling),
        ("What made it good", value.premium_practice),
        ("How such a reply can sound", value.response_template),
    )
    lines += [f"{label}: {text}" for label, text in more if text]
    return ExperienceAdvice(
        experience_id=experience.experience_id,
        strategy=value.strategy.value,
        text="\n".join(" ".join(line.split()) for line in lines),
        source=source_of(experience),
    )


def source_of(experience: Experience) -> str:
    """Return where an experience comes from and how it fared, one line without names or ids (A4)."""
    origin = experience.provenance
    state = experience.state
    revised = f"revised {origin.rounds} times" if origin.rounds else "as it was given"
    parts = [
        f"made by {'a language model' if origin.made_by == 'llm' else 'rules'}",
        "from a simulated learner" if origin.simulated else "from an earlier learner",
        f"whose state was {state.emotion}, {state.intent}, {state.error_type}, {state.struggle_status}",
        f"admitted {revised} at {origin.admission_percent:.0f} of 100",
        f"used {experience.scored_uses} times since, now at {experience.utility:.0f}"
        if experience.scored_uses
        else "not used since",
    ]
    return "; ".join(parts)


def _taken(finding: asyncio.Future[Read]) -> None:
    """Take up the error of a read that nobody waits for any more."""
    if not finding.cancelled():
        finding.exception()


def _since(started: float) -> float:
    return (time.perf_counter() - started) * 1000
