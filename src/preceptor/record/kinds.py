"""What each kind of episode carries: one payload model per kind, versioned.

A released model is only added to, with defaults. A change of meaning raises `KIND_VERSION` of the kind and keeps a
reader for the old one. Exact numbers (`Fraction`) are stored as text, "3/4" or "5".
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from preceptor.domain.episode import SALIENCE, Episode, Evidence, NewEpisode, Provenance
from preceptor.domain.observation import JudgedClaim, Observation
from preceptor.domain.problem import Problem
from preceptor.domain.reply import Move, Reply, Rung
from preceptor.domain.route import Routed
from preceptor.errors import InputError
from preceptor.record.body import Body as Body
from preceptor.record.body import BodyT as BodyT
from preceptor.record.body import one_line as one_line
from preceptor.record.course_search import CourseSearch
from preceptor.record.memory_kinds import ConsolidationBody, DenialBody, FileBody, QuizBody, TaughtBody


class QuestionBody(Body):
    """The problem that opens a dialogue, as it stood then; or a question in the learner's own words."""

    kind: ClassVar[str] = "question"
    actor: ClassVar[str] = "learner"
    provenance: ClassVar[Provenance] = "learner"

    problem: Problem | None = None
    """A snapshot with solution and answer: the bank may change later. Never sent to the page as it is."""
    text: str = ""
    """The learner's own question, where that is what was asked."""
    reply_language: str = "en"
    """Pinned for the dialogue."""
    persona: str | None = None
    source: str | None = None
    """Where an imported dialogue comes from."""
    licence: str | None = None

    def headline(self) -> str:
        """Return the problem's or question's first words."""
        return one_line(self.problem.text if self.problem else self.text)


AnswerMode = Literal["message", "answer", "check_step", "stuck"]


class AnswerBody(Body):
    """What the learner wrote in one turn."""

    kind: ClassVar[str] = "answer"
    actor: ClassVar[str] = "learner"
    provenance: ClassVar[Provenance] = "learner"

    text: str
    mode: AnswerMode = "message"
    """How it was sent: typed, in the answer box, by "check my step" or by "I'm stuck" (`text` may then be empty)."""

    def headline(self) -> str:
        """Return the first words."""
        return one_line(self.text) or f"[{self.mode}]"


class CheckBody(Body):
    """The verdict on one claim of the learner."""

    kind: ClassVar[str] = "check"
    actor: ClassVar[str] = "tutor"
    provenance: ClassVar[Provenance] = "tutor"

    judged: JudgedClaim
    engine: str = "builtin"

    def headline(self) -> str:
        """Return the claim as read, with its mark."""
        return one_line(f"{self.judged.mark}: {self.judged.read_as or self.judged.claim.text}")

    def salience(self) -> float | None:
        """Return the salience of a passed or missed check; `None` where nothing was decided."""
        return {"right": SALIENCE["check_passed"], "wrong": SALIENCE["check_missed"]}.get(self.judged.mark)


class HintBody(Body):
    """Help of some strength was given."""

    kind: ClassVar[str] = "hint"
    actor: ClassVar[str] = "tutor"
    provenance: ClassVar[Provenance] = "tutor"

    rung: Rung
    node: int | None = None
    """Step-graph node helped with."""
    move: Move = Move.FREE
    asked_for: bool = False
    """The learner asked for it, in words or by the button."""

    def headline(self) -> str:
        """Return rung and step."""
        return f"hint {self.rung.value} at step {self.node}" if self.node is not None else f"hint {self.rung.value}"


class RevealBody(Body):
    """The learner's own last step was given away, as the instructor allows."""

    kind: ClassVar[str] = "reveal"
    actor: ClassVar[str] = "tutor"
    provenance: ClassVar[Provenance] = "tutor"

    node: int | None
    text: str
    """What was shown."""

    def headline(self) -> str:
        """Return what was shown."""
        return one_line(self.text)


class ExperienceSearch(BaseModel):
    """What the repository of experience was asked, and what there was to choose from."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    asked: str
    """The abstract sentence; empty: no difficulty was seen, so nothing was asked."""
    asked_by: str
    """`rewriter`, or `fallback`: the diagnostic text as it is."""
    level: int | None = None
    """Filter of related states that was used, 0 the closest; `None`: none, or nothing was searched."""
    n_candidates: int = 0
    """Entries that passed the filter."""
    best_similarity: float | None = None
    """Of the most similar candidate, chosen or not; `None`: there was none."""
    threshold: float | None = None
    """Least similarity that was asked for."""
    nothing_because: str = ""
    """Why nothing was chosen; empty where something was."""
    embedder: str = ""
    """What compared: similarities of two embedders do not compare."""
    strategies: tuple[str, ...] = ()
    """Of what was chosen, one an id."""
    copied_shares: tuple[float | None, ...] = ()
    """Of the reply's runs of four words, those that stand in the experience, one an id; `None`: too short."""
    copied_runs: tuple[int, ...] = ()
    """Words of the longest run in both, one an id."""


class SourceRead(BaseModel):
    """What one of the turn's reads gave."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    status: Literal["read", "none", "off", "dropped", "failed"]
    """`none`: nothing matched; `off`: no such source; `dropped`: past its cap."""
    ids: tuple[str, ...] = ()
    similarities: tuple[float, ...] = ()
    """As long as `ids`, or empty."""
    belief_ids: tuple[str, ...] = ()
    """Of the read of memory: the beliefs it told."""
    detail: str = ""
    search: ExperienceSearch | None = None
    """Of the read of experience; `None`: it was not searched, or the record is of an older version."""
    course: CourseSearch | None = None
    """Of the read of the course; `None`: it was not searched."""


class PromptRead(BaseModel):
    """Which prompt file a model was given."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    role: str
    name: str
    version: int
    digest: str


class ModelUse(BaseModel):
    """One model call of the turn."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    role: str
    provider: str
    model: str
    input_tokens: int | None = None
    """`None`: the server did not say."""
    output_tokens: int | None = None
    cost_usd: float | None = None
    notes: tuple[str, ...] = ()


class TurnRecordBody(Body):
    """The tutor's reply to one turn and everything that was read to make it."""

    kind: ClassVar[str] = "turn_record"
    actor: ClassVar[str] = "tutor"
    provenance: ClassVar[Provenance] = "tutor"

    reply: Reply
    """Text, move, rung, node, frame, engine, language, experience used, notes."""
    observation: Observation | None = None
    """`None` where the tutor opened, or where safety stopped the turn before it was read."""
    reads: dict[str, SourceRead] = {}
    """By source: "experience", "memory", "course"."""
    engines: dict[str, str] = {}
    """By role: "builtin", "llm"."""
    prompts: tuple[PromptRead, ...] = ()
    models: tuple[ModelUse, ...] = ()
    timings_ms: dict[str, float] = {}
    """By stage, milliseconds."""
    guard: tuple[str, ...] = ()
    """What the guard did: "rewritten: leak", "replaced: arithmetic"."""
    route: Routed | None = None
    """KITE's class of help; `None`: the turn was about a problem."""
    trace_state: dict[str, Any] | None = None
    """OPEN, CLOSED and current node after the last right step of a trace, as the learner was shown them."""
    last_event_id: int = 0
    """Highest event id of the turn."""
    completed: bool = True
    """`False`: the reply broke off and this is as far as it came."""

    def headline(self) -> str:
        """Return the reply's first words."""
        return one_line(self.reply.text)


class CorrectionBody(Body):
    """Someone corrects what an earlier episode says; the episode itself stays."""

    kind: ClassVar[str] = "correction"
    actor: ClassVar[str] = "learner"
    provenance: ClassVar[Provenance] = "learner"

    corrected_episode_id: str
    reason: str
    replacement: str | None = None

    def headline(self) -> str:
        """Return the reason."""
        return one_line(self.reason)


class SafetyFlagBody(Body):
    """A turn that the instructor should look at."""

    kind: ClassVar[str] = "safety_flag"
    actor: ClassVar[str] = "system"
    provenance: ClassVar[Provenance] = "system"

    category: str
    """The safety rules' name for it: "self_harm", "abuse", "cannot_follow" …"""
    severity: Literal["notice", "urgent"] = "urgent"
    side: Literal["learner", "reply"] = "learner"
    """Whose words were flagged."""
    rules: tuple[str, ...] = ()
    """Names of the rules that fired; never the words."""

    def headline(self) -> str:
        """Return the category."""
        return self.category


class ErasureBody(Body):
    """Payloads were erased on request; holds no learner text and cannot be erased itself."""

    kind: ClassVar[str] = "erasure"
    actor: ClassVar[str] = "system"
    provenance: ClassVar[Provenance] = "system"

    scope: Literal["dialogue", "subject", "learner", "episodes"]
    sequences: tuple[tuple[int, int], ...]
    """Ranges of this chain's sequences whose payload was erased, both ends inclusive, ascending."""

    def headline(self) -> str:
        """Return the count."""
        return f"{sum(last - first + 1 for first, last in self.sequences)} episodes erased"


BODIES: Mapping[str, type[Body]] = {
    body.kind: body
    for body in (
        QuestionBody,
        AnswerBody,
        CheckBody,
        HintBody,
        RevealBody,
        TurnRecordBody,
        CorrectionBody,
        SafetyFlagBody,
        QuizBody,
        TaughtBody,
        FileBody,
        ConsolidationBody,
        DenialBody,
        ErasureBody,
    )
}
"""Kinds whose payload this version checks. Other kinds are stored, verified and exported as they are."""

KIND_VERSION = 1
"""Version of every kind above."""


def new_episode(
    body: Body,
    *,
    learner_id: str,
    subject_id: str,
    dialogue_id: str | None = None,
    turn: int | None = None,
    parent_id: str | None = None,
    language: str = "en",
    actor: str | None = None,
    provenance: Provenance | None = None,
    time_zone: str = "UTC",
    episode_id: str | None = None,
    occurred_at: datetime | None = None,
    concept_ids: tuple[str, ...] = (),
    evidence: tuple[Evidence, ...] = (),
) -> NewEpisode:
    """Return the event that carries a body, with the summary, actor, provenance and salience of its kind."""
    return NewEpisode(
        learner_id=learner_id,
        subject_id=subject_id,
        kind=body.kind,
        kind_version=KIND_VERSION,
        actor=actor or body.actor,
        provenance=provenance or body.provenance,
        summary=body.headline(),
        body=body.model_dump(mode="json"),
        dialogue_id=dialogue_id,
        turn=turn,
        parent_id=parent_id,
        language=language,
        time_zone=time_zone,
        salience=body.salience(),
        episode_id=episode_id,
        occurred_at=occurred_at,
        concept_ids=concept_ids,
        evidence=evidence,
    )


def body_of(episode: Episode, expected: type[BodyT]) -> BodyT | None:
    """Return an episode's payload as its model; `None` once erased.

    Raises:
        InputError: The episode is of another kind, of a version this program does not know, or not in its shape.
    """
    if episode.body is None:
        return None
    if episode.kind != expected.kind or episode.kind_version != KIND_VERSION:
        raise InputError(
            f"episode {episode.episode_id} is {episode.kind} version {episode.kind_version}, "
            f"expected {expected.kind} version {KIND_VERSION}"
        )
    return _parse(expected, episode.body)


def check_body(kind: str, kind_version: int, body: Mapping[str, object]) -> None:
    """Refuse a payload that is not in the shape of its kind; kinds and versions not known here pass.

    Raises:
        InputError: The message names kind and field, never the value.
    """
    if kind in BODIES and kind_version == KIND_VERSION:
        _parse(BODIES[kind], body)


def _parse(model: type[BodyT], body: Mapping[str, object]) -> BodyT:
    try:
        return model.model_validate(body)
    except ValidationError as error:
        first = error.errors(include_input=False, include_context=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise InputError(f"{model.kind}.{where}: {first['msg']}") from None
