"""Making links: each episode's hash covers its envelope, its payload's commitment and the link before it."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from preceptor.domain.episode import Episode, NewEpisode
from preceptor.errors import InputError
from preceptor.record.canonical import canonical_json, envelope_bytes, head_bytes
from preceptor.record.kinds import TurnRecordBody
from preceptor.record.record_key import RecordKey
from preceptor.record.search_words import search_words
from preceptor.stores.protocols import ChainHead, ChainKey, Links, SealedEpisode

GENESIS = "0" * 64
"""`previous_hash` of the first link."""
NONCE_BYTES = 32

_SHORT_FIELDS = (
    "learner_id",
    "subject_id",
    "kind",
    "actor",
    "provenance",
    "language",
    "time_zone",
    "dialogue_id",
    "parent_id",
    "episode_id",
)
_LONGEST_FIELD = 200


def payload_text(new: NewEpisode) -> str:
    """Return the payload as it is committed to and stored.

    Raises:
        InputError: It is not JSON, or holds a NUL character or half of a character.
    """
    return canonical_json({"body": new.body, "summary": new.summary})


def check_envelope(new: NewEpisode) -> None:
    """Refuse envelope fields that the two databases would treat differently.

    Raises:
        InputError: A field is empty, longer than 200 characters, or holds a NUL character.
    """
    for name in _SHORT_FIELDS:
        value = getattr(new, name)
        if value is None:
            continue
        if not value or len(value) > _LONGEST_FIELD or "\x00" in value:
            raise InputError(f"{name} must be 1..{_LONGEST_FIELD} characters without NUL, got {len(value)} characters")
    canonical_json([[getattr(new, name) for name in _SHORT_FIELDS], list(new.concept_ids)])
    canonical_json([[item.document_id, item.fingerprint] for item in new.evidence])
    if new.turn is not None and not 0 <= new.turn < 2**31:
        raise InputError(f"turn must be 0 or more, got {new.turn}")


def link_maker(
    key: RecordKey, items: Sequence[tuple[NewEpisode, str]], recorded_at: datetime
) -> Callable[[Mapping[ChainKey, ChainHead]], Links]:
    """Return the function that turns heads into the next links, for `EpisodeStore.append`.

    Args:
        key: The record's key.
        items: Episodes with their `payload_text`, in order.
        recorded_at: Timezone-aware.
    """

    def link(heads: Mapping[ChainKey, ChainHead]) -> Links:
        ends = dict(heads)
        sealed = []
        for new, payload in items:
            chain = (new.learner_id, new.subject_id)
            item = _seal(key, new, payload, ends.get(chain), recorded_at)
            ends[chain] = seal_head(key, item.envelope)
            sealed.append(item)
        touched = {(new.learner_id, new.subject_id) for new, _ in items}
        return Links(
            episodes=tuple(sealed),
            heads=tuple(ends[chain] for chain in sorted(touched)),
            settled_turns=tuple(turn for new, _ in items if (turn := _settled_turn(new))),
        )

    return link


def seal_head(key: RecordKey, last: Episode) -> ChainHead:
    """Return the head of a chain whose last link is `last`."""
    head = ChainHead(
        learner_id=last.learner_id,
        subject_id=last.subject_id,
        sequence=last.sequence,
        chain_hash=last.chain_hash,
        seal="",
    )
    return replace(head, seal=key.seal_head(head_bytes(head)))


def _settled_turn(new: NewEpisode) -> tuple[str, str, int] | None:
    if new.kind != TurnRecordBody.kind or new.dialogue_id is None or new.turn is None:
        return None
    return (new.learner_id, new.dialogue_id, new.turn) if new.body.get("completed", True) else None


def _seal(
    key: RecordKey, new: NewEpisode, payload: str, before: ChainHead | None, recorded_at: datetime
) -> SealedEpisode:
    nonce = secrets.token_bytes(NONCE_BYTES)
    previous_hash = before.chain_hash if before else GENESIS
    open_link = Episode(
        episode_id=new.episode_id or new_episode_id(recorded_at),
        learner_id=new.learner_id,
        subject_id=new.subject_id,
        sequence=before.sequence + 1 if before else 1,
        kind=new.kind,
        kind_version=new.kind_version,
        actor=new.actor,
        provenance=new.provenance,
        language=new.language,
        time_zone=new.time_zone,
        occurred_at=(new.occurred_at or recorded_at).astimezone(UTC),
        recorded_at=recorded_at.astimezone(UTC),
        commitment=key.commit(nonce, payload),
        previous_hash=previous_hash,
        chain_hash="",
        dialogue_id=new.dialogue_id,
        turn=new.turn,
        parent_id=new.parent_id,
        salience=None if new.salience is None else float(new.salience),
        concept_ids=tuple(new.concept_ids),
        evidence=tuple(new.evidence),
    )
    return SealedEpisode(
        envelope=replace(open_link, chain_hash=key.link(previous_hash, envelope_bytes(open_link))),
        nonce=nonce,
        payload=payload,
        search_words=search_words(new.summary),
    )


def new_episode_id(at: datetime) -> str:
    """Return a fresh id: milliseconds, then randomness, so that ids made later sort later. 32 hex digits."""
    return f"{int(at.timestamp() * 1000):012x}{secrets.token_hex(10)}"
