"""Why this hint: what teaching experience had to do with each reply. For instructors; a learner never sees it (A9)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

from preceptor.domain.reply import ExperienceRole
from preceptor.record.kinds import SourceRead, TurnRecordBody
from preceptor.tutoring.stored_dialogue import StoredDialogue

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class FoundExperience:
    """One experience that was retrieved for a turn. Plain values, so that `asdict` gives JSON."""

    experience_id: str
    similarity: float | None
    """Cosine, or share of weighted words where there is no embedder; `None`: not recorded."""
    strategy: str
    part: str
    """`chosen`, `in_prompt`, `same_move` or `not_followed`; empty: cut from the prompt, or another engine replied."""
    reason: str
    """The move that was chosen for it, or why it was not followed."""
    copied_share: float | None
    """Of the reply's runs of four words, those that stand in the experience; `None`: the reply is too short."""
    copied_run: int | None
    """Words of the longest run in both."""


@dataclass(frozen=True, kw_only=True)
class HintReason:
    """One turn. Plain values, so that `asdict` gives JSON. Teaching signals, no diagnosis of a person."""

    turn: int
    emotion: str
    intent: str
    error_type: str
    struggle_status: str
    """The four tags; all empty where the turn was not observed."""
    move: str
    rung: int
    engine: str
    """Who replied."""
    read: str
    """`read`, `none`, `off`, `dropped` or `failed`; empty: there was no read in this turn."""
    asked: str
    """The abstract sentence; empty: nothing was asked."""
    level: int | None
    """Filter of related states, 0 the closest; `None`: none was used."""
    n_candidates: int | None
    """Entries that passed it; `None`: not searched, or not recorded."""
    best_similarity: float | None
    threshold: float | None
    nothing_because: str
    """Why there is no experience; empty where there is."""
    found: tuple[FoundExperience, ...] = ()
    """Best first."""


def hint_reasons(dialogue: StoredDialogue) -> tuple[HintReason, ...]:
    """Return one entry for each turn with a reply, in order. The caller makes sure that an instructor is asking."""
    return tuple(_reason(stored.turn, stored.record) for stored in dialogue.turns if stored.record is not None)


def _reason(turn: int, record: TurnRecordBody) -> HintReason:
    state = record.observation.state if record.observation else None
    read = record.reads.get("experience")
    search = read.search if read else None
    return HintReason(
        turn=turn,
        emotion=state.emotion.value if state else "",
        intent=state.intent.value if state else "",
        error_type=state.error_type.value if state else "",
        struggle_status=state.struggle_status.value if state else "",
        move=record.reply.move.value,
        rung=int(record.reply.rung),
        engine=record.reply.engine,
        read=read.status if read else "",
        asked=search.asked if search else "",
        level=search.level if search else None,
        n_candidates=search.n_candidates if search else None,
        best_similarity=search.best_similarity if search else None,
        threshold=search.threshold if search else None,
        nothing_because="" if read is None or read.ids else read.detail,
        found=_found(read, record.reply.experience_roles) if read else (),
    )


def _found(read: SourceRead, roles: tuple[ExperienceRole, ...]) -> tuple[FoundExperience, ...]:
    by_id = {role.experience_id: role for role in roles}
    search = read.search
    found = []
    for place, experience_id in enumerate(read.ids):
        role = by_id.get(experience_id)
        found.append(
            FoundExperience(
                experience_id=experience_id,
                similarity=_at(read.similarities, place),
                strategy=_at(search.strategies, place) or "" if search else "",
                part=role.part if role else "",
                reason=role.reason if role else "",
                copied_share=_at(search.copied_shares, place) if search else None,
                copied_run=_at(search.copied_runs, place) if search else None,
            )
        )
    return tuple(found)


def _at(values: tuple[T, ...], place: int) -> T | None:
    return values[place] if place < len(values) else None
