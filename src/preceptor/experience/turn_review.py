"""How one recorded turn went on its way to the repository, and who judges it by which rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from preceptor.domain.experience import ExperienceProvenance, ExperienceValue
from preceptor.domain.learner_state import LearnerState
from preceptor.domain.rubric import Critique
from preceptor.domain.usage import Usage
from preceptor.experience.abstract_sentence import Rewriter
from preceptor.experience.abstract_text import Surroundings
from preceptor.experience.critic import Critic, ReviewedTurn
from preceptor.experience.distiller import Distiller
from preceptor.experience.mentor import Mentor, Revision
from preceptor.experience.revision_rule import RevisionRule
from preceptor.pedagogy.observer import Observer
from preceptor.pedagogy.reply_observer import ReplyObserver

Ending = Literal[
    "not_meaningful",
    "unread",
    "no_difficulty",
    "unscored",
    "dropped_direct",
    "dropped_no_revision",
    "dropped_after_rounds",
    "nothing_to_learn",
    "failed",
]
"""Where a turn ends before it comes to the repository. `failed`: a model failed; the turn is tried again next time."""

MOST_ROUNDS = 3
"""Revisions of one reply before it is dropped. (seed: REAT, Figure 2)"""


class FullObserver(Observer, ReplyObserver, Protocol):
    """An observer in both modes."""


class Reflected(Protocol):
    """What one call in place of observer, critic and mentor says about a turn."""

    @property
    def state(self) -> LearnerState:
        """The four tags."""
        ...

    @property
    def error_detail(self) -> str:
        """The mistake in abstract words."""
        ...

    @property
    def struggle_reason(self) -> str:
        """Why the learner is stuck, in abstract words."""
        ...

    @property
    def critique(self) -> Critique:
        """Of the reply as it was given, caps applied."""
        ...

    @property
    def revision(self) -> Revision | None:
        """`None`: nothing better was said."""
        ...

    @property
    def usage(self) -> Usage | None:
        """The model call behind it."""
        ...


class Reflector(Protocol):
    """Plays observer, critic and mentor in one call: the ablation without three roles."""

    async def reflect(self, turn: ReviewedTurn) -> Reflected:
        """Return state, critique and revision of one turn.

        Raises:
            ModelError: The model behind it failed.
        """
        ...


@dataclass(frozen=True, kw_only=True)
class Roles:
    """Who plays the parts of a distillation."""

    observer: FullObserver
    critic: Critic
    mentor: Mentor
    distiller: Distiller
    rewriter: Rewriter | None
    """`None`: the ablation without rewriting."""
    reflector: Reflector | None = None
    """Given: the ablation with one reflection call; observer, critic and mentor are not asked then."""
    engines: tuple[tuple[str, str], ...] = ()
    """Role → engine or model, for the provenance."""

    @property
    def made_by(self) -> Literal["builtin", "llm"]:
        """Whether a model wrote any part of what is distilled."""
        return "builtin" if all(engine == "builtin" for _, engine in self.engines) else "llm"


@dataclass(frozen=True, kw_only=True)
class ReviewRule:
    """How turns are judged, and what is switched off."""

    rule: RevisionRule = RevisionRule()
    rounds: int = MOST_ROUNDS
    gate: bool = True
    """`False`: ablation; the mentor still runs, and whatever was scored is admitted (A52)."""

    def admits(self, critique: Critique) -> bool:
        """Whether a reply may be distilled."""
        return self.rule.admits(critique.scores) if self.gate else critique.percent is not None


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """What is to be offered to the repository for one turn."""

    state: LearnerState
    sentence: str
    value: ExperienceValue
    provenance: ExperienceProvenance


@dataclass(frozen=True, kw_only=True)
class TurnReview:
    """How one turn went."""

    turn: int
    """0-based."""
    digest: str
    """Of problem, history, utterance and reply."""
    ending: Ending | None = None
    """`None`: there is a candidate, and the repository decides."""
    candidate: Candidate | None = None
    routed: bool = False
    """D_t of equation 5."""
    rounds: int = 0
    """Revisions that were scored."""
    disagrees: bool = False
    """The critic's own opinion on revision differs from equation 5 (A18)."""
    reason: str = ""
    """Why a turn is not meaningful, or what failed."""
    calls: int = 0
    """Answered model calls."""
    cost_usd: float = 0.0
    """Of those whose price is known."""


@dataclass(frozen=True, kw_only=True)
class DialogueReview:
    """How one dialogue's turns went, in order."""

    dialogue_id: str
    surroundings: Surroundings
    turns: tuple[TurnReview, ...]
    known: int = 0
    """Turns that were done before and not looked at again."""
