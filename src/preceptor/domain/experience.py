"""One distilled piece of teaching know-how: when it helps, what to do, and where it came from.

Source: REAT, equation 9: e = <k_e, v_e>, k_e = <c_e, q_e>.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from enum import StrEnum
from typing import Literal

from preceptor.domain.learner_state import LearnerState

ExperienceStatus = Literal["active", "disabled", "superseded"]
"""`disabled`: not retrieved, kept; `superseded`: replaced by a merged experience, kept as history."""


class Strategy(StrEnum):
    """What the reply did, as the builtin tutor can do it again."""

    STRUCTURE_FIRST = "structure_first"
    ANALOGY = "analogy"
    SMALLER_NUMBERS = "smaller_numbers"
    WORKED_PARALLEL = "worked_parallel"
    ASK_TO_EXPLAIN = "ask_to_explain"
    DECOMPOSE = "decompose"
    ISOLATE_COMPUTATION = "isolate_computation"
    QUESTION_QUANTITY = "question_quantity"
    CLASHING_FACT = "clashing_fact"
    ACKNOWLEDGE_AND_NORMALISE = "acknowledge_and_normalise"
    COMPARE_ATTEMPTS = "compare_attempts"
    OTHER = "other"
    """Said in words only; no move of the builtin tutor stands for it."""


@dataclass(frozen=True, kw_only=True)
class ExperienceValue:
    """What to do, in words that belong to no problem and to no learner."""

    triggering_difficulty: str
    """The difficulty that called for it."""
    applied_strategy: str
    """What the tutor did about it."""
    scaffolding_steps: tuple[str, ...] = ()
    """The steps of the help, in order."""
    response_template: str = ""
    """How such a reply can sound; gaps in square brackets."""
    premium_practice: str = ""
    """What made it good."""
    undesirable_behaviours: tuple[str, ...] = ()
    """Common pitfalls in this situation."""
    struggle_handling: str = ""
    """What to do where the struggle goes on."""
    strategy: Strategy = Strategy.OTHER

    def texts(self) -> tuple[str, ...]:
        """Return every text that must be free of the problem and the learner; empty ones left out."""
        parts = (
            self.triggering_difficulty,
            self.applied_strategy,
            *self.scaffolding_steps,
            self.response_template,
            self.premium_practice,
            *self.undesirable_behaviours,
            self.struggle_handling,
        )
        return tuple(part for part in parts if part)


@dataclass(frozen=True, kw_only=True)
class SourceTurn:
    """The turn an experience was distilled from."""

    dialogue_id: str
    turn: int
    """0-based."""


@dataclass(frozen=True, kw_only=True)
class ExperienceProvenance:
    """Where an experience comes from."""

    sources: tuple[SourceTurn, ...] = ()
    """Empty where every source was erased."""
    original_percent: float | None = None
    """S_t of the reply as it was given, percent; `None`: not scored."""
    scores: tuple[tuple[str, int | None], ...] = ()
    """v_t of the admitted reply: dimension → 0 to 4; `None`: not applicable."""
    admission_percent: float = 0.0
    """S* of the admitted reply, percent."""
    rounds: int = 0
    """How often the mentor revised it; 0: it passed as it was."""
    batch: str = ""
    """The distillation run."""
    engines: tuple[tuple[str, str], ...] = ()
    """Role → engine or model."""
    made_by: Literal["builtin", "llm"] = "builtin"
    simulated: bool = False
    """Distilled from scripted learners."""
    parents: tuple[str, ...] = ()
    """Ids of the experiences it was merged from."""


@dataclass(frozen=True, kw_only=True)
class Experience:
    """One entry of the repository."""

    experience_id: str
    """See `experience_id_of`."""
    state: LearnerState
    """c_e: the four tags."""
    sentence: str
    """The problem-agnostic core difficulty; its vector is q_e."""
    embedder: str
    """Fingerprint of what compares its sentence."""
    value: ExperienceValue
    provenance: ExperienceProvenance
    utility: float
    """U, percent, in [0, 100]; S* at admission."""
    created_at: datetime
    """Timezone-aware, UTC."""
    scored_uses: int = 0
    """Uses whose turn the critic scored."""
    mean_gain: float | None = None
    """Mean of score minus the prompt-only score over the uses where that is known, percent; `None`: never known."""
    status: ExperienceStatus = "active"
    status_reason: str = ""
    """Why it is not active."""
    language: str = "en"

    def __post_init__(self) -> None:
        """Refuse values that the two databases would treat differently, and impossible ones."""
        if self.created_at.utcoffset() is None:
            raise ValueError("created_at must be timezone-aware")
        if not 0 <= self.utility <= 100:
            raise ValueError(f"utility must be 0..100, got {self.utility}")
        if not self.sentence.strip():
            raise ValueError("sentence must not be empty")
        if any("\x00" in text for text in (self.experience_id, self.sentence, *self.value.texts())):
            raise ValueError("an experience must not contain NUL")


def experience_id_of(
    state: LearnerState,
    sentence: str,
    value: ExperienceValue,
    *,
    sources: Sequence[SourceTurn] = (),
    parents: Sequence[str] = (),
) -> str:
    """Return the id that follows from the content: the same turn distilled to the same words has the same id."""
    content = {
        "state": asdict(state),
        "sentence": sentence,
        "value": asdict(value),
        "sources": sorted((source.dialogue_id, source.turn) for source in sources),
        "parents": sorted(parents),
    }
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    return "x" + hashlib.sha256(text.encode()).hexdigest()[:20]


def new_experience(
    *,
    state: LearnerState,
    sentence: str,
    embedder: str,
    value: ExperienceValue,
    provenance: ExperienceProvenance,
    created_at: datetime,
    language: str = "en",
) -> Experience:
    """Return a candidate with the id of its content; its utility is S* (A35)."""
    return Experience(
        experience_id=experience_id_of(state, sentence, value, sources=provenance.sources, parents=provenance.parents),
        state=state,
        sentence=sentence,
        embedder=embedder,
        value=value,
        provenance=provenance,
        utility=provenance.admission_percent,
        created_at=created_at,
        language=language,
    )
