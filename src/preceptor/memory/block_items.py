"""What stands in the block of one turn: beliefs, memories and concepts, each with the id it comes from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal
from zoneinfo import ZoneInfo

from preceptor.domain.belief import Claim
from preceptor.domain.episode import Episode
from preceptor.memory.episode_text import episode_text, verdict_of
from preceptor.memory.recall import RecalledEpisode
from preceptor.stores.memory import VerificationStatus

Form = Literal[
    "problem", "you were asked", "the student wrote", "you answered", "the student taught you", "check", "quiz",
    "you showed a step", "corrected", "file", "day's note", "on record",
]  # fmt: skip
"""Who said or did it, as the block puts it. (seed: A Tutor That Remembers, with the kinds of this record added)"""
STALE_NOTE = "[note: the file this cited has been replaced or removed since]"
"""(seed: A Tutor That Remembers)"""
_FORMS: Mapping[str, Form] = {
    "turn_record": "you answered",
    "check": "check",
    "quiz": "quiz",
    "taught": "the student taught you",
    "reveal": "you showed a step",
    "correction": "corrected",
    "file": "file",
    "consolidation": "day's note",
}
_ASKS = ("?", "？", "؟")


@dataclass(frozen=True, kw_only=True)
class EpisodeItem:
    """One memory in the block."""

    episode_id: str
    kind: str
    on: date
    """In the learner's time zone."""
    form: Form
    text: str
    """Whole, on one line."""
    verdict: Literal["right", "wrong"] | None
    """Of a check or quiz item; `None`: none was made."""
    count: int
    """How many identical episodes it stands for, itself included."""
    stale: bool
    """The file it cited has been replaced or removed since."""
    language: str


@dataclass(frozen=True, kw_only=True)
class BeliefItem:
    """One belief in the block."""

    belief_id: str
    concept: str
    """Its name."""
    claim: Claim
    confidence: float
    """[0, 1]: a ranking, not a probability, until calibrated."""
    to_confirm: bool
    """It faded and waits for the next check."""
    evidence_ids: tuple[str, ...]


def episode_item(recalled: RecalledEpisode, zone: ZoneInfo, status: VerificationStatus | None) -> EpisodeItem:
    """Return a recalled episode as the block tells it."""
    episode = recalled.episode
    verdict = verdict_of(episode)
    return EpisodeItem(
        episode_id=episode.episode_id,
        kind=episode.kind,
        on=episode.occurred_at.astimezone(zone).date(),
        form=form_of(episode),
        text=" ".join(said(episode).split()),
        verdict="right" if verdict == "right" else "wrong" if verdict == "wrong" else None,
        count=recalled.count,
        stale=status == "changed",
        language=episode.language,
    )


def form_of(episode: Episode) -> Form:
    """Return who said or did it."""
    if episode.kind == "question":
        return "problem" if (episode.body or {}).get("problem") else "you were asked"
    if episode.kind == "answer":
        return "you were asked" if said(episode).rstrip().endswith(_ASKS) else "the student wrote"
    return _FORMS.get(episode.kind, "on record")


def said(episode: Episode) -> str:
    """Return the words of an episode as they are told; of a check the claim as read, of an item item and answer."""
    body: Mapping[str, Any] = episode.body or {}
    if episode.kind == "check":
        judged = body["judged"]
        return str(judged.get("read_as") or judged["claim"]["text"])
    if episode.kind == "quiz":
        return f"{body['item']}: {body['answer']}"
    if episode.kind == "taught":
        return str(body["note"])
    if episode.kind in {"file", "consolidation"}:
        return episode.summary or ""
    return episode_text(episode) or ""
