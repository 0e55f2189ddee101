"""Merging two experiences with the same difficulty into a more general one (REAT, equations 12 and 13)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Protocol

from preceptor.domain.experience import Experience, ExperienceValue, new_experience
from preceptor.domain.learner_state import LearnerState
from preceptor.experience.abstract_text import generality
from preceptor.experience.utility import merged_utility

MOST_PITFALLS = 8
"""Pitfalls a merged entry keeps, the older entry's first. (chosen: a prompt gives an experience 200 tokens)"""


@dataclass(frozen=True, kw_only=True)
class Merge:
    """What a merger makes of two experiences."""

    state: LearnerState
    sentence: str
    value: ExperienceValue
    engine: str
    """`builtin`, or provider and model."""


class Merger(Protocol):
    """Makes one more general experience of two."""

    async def merge(self, known: Experience, candidate: Experience) -> Merge:
        """Return the merged words.

        Raises:
            ModelError: The model failed.
        """
        ...


class BuiltinMerger:
    """Takes the more general of both, by the validator's measure, with the pitfalls of both."""

    async def merge(self, known: Experience, candidate: Experience) -> Merge:
        """Return the more general one; of equally general ones the one with more utility, then the older."""
        base, other = (candidate, known) if _measure(candidate) > _measure(known) else (known, candidate)
        pitfalls = _union(known.value.undesirable_behaviours, candidate.value.undesirable_behaviours)
        value = replace(
            base.value,
            undesirable_behaviours=pitfalls[:MOST_PITFALLS],
            struggle_handling=base.value.struggle_handling or other.value.struggle_handling,
            response_template=base.value.response_template or other.value.response_template,
        )
        return Merge(state=base.state, sentence=base.sentence, value=value, engine="builtin")


def merged_experience(known: Experience, candidate: Experience, merge: Merge, created_at: datetime) -> Experience:
    """Return the experience that replaces both: the sources of both, the weighted mean of utilities, two parents."""
    base = candidate if merge.sentence == candidate.sentence != known.sentence else known
    by_model = merge.engine != "builtin" or "llm" in (known.provenance.made_by, candidate.provenance.made_by)
    provenance = replace(
        base.provenance,
        sources=tuple(dict.fromkeys((*known.provenance.sources, *candidate.provenance.sources))),
        batch=candidate.provenance.batch,
        engines=(*base.provenance.engines, ("merger", merge.engine)),
        made_by="llm" if by_model else "builtin",
        simulated=known.provenance.simulated or candidate.provenance.simulated,
        parents=(known.experience_id, candidate.experience_id),
    )
    merged = new_experience(
        state=merge.state,
        sentence=merge.sentence,
        embedder=candidate.embedder,
        value=merge.value,
        provenance=provenance,
        created_at=created_at,
        language=base.language,
    )
    return replace(merged, utility=merged_utility((known, candidate)))


def _measure(experience: Experience) -> tuple[float, float, float]:
    words = " ".join(experience.value.texts())
    return generality(experience.sentence), generality(words), experience.utility


def _union(*parts: Iterable[str]) -> tuple[str, ...]:
    """Return all texts once, in order; the same text in another case is the same."""
    found: dict[str, str] = {}
    for part in parts:
        for text in part:
            found.setdefault(" ".join(text.casefold().split()), text)
    return tuple(found.values())
