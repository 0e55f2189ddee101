"""One byte string per value: what the chain and the commitments are computed over."""

from __future__ import annotations

import json
from collections.abc import Mapping

from preceptor.domain.episode import Episode
from preceptor.errors import InputError
from preceptor.stores.instants import instant_text
from preceptor.stores.protocols import ChainHead

_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"))
_ORDERED_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def canonical_json(value: object) -> str:
    """Return a value's JSON text with sorted keys, no spaces and no escapes that are not needed.

    Raises:
        InputError: It holds something that is not JSON, a NaN, a NUL character or half of a character.
    """
    try:
        text = _ENCODER.encode(value)
        text.encode()
    except UnicodeEncodeError as error:
        raise InputError("text must be whole Unicode characters, got half of a surrogate pair") from error
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"a payload must be JSON: {error}") from error
    if "\\u0000" in text and _holds_nul(value):
        raise InputError("text must not contain NUL")
    return text


def _holds_nul(value: object) -> bool:
    if isinstance(value, str):
        return "\x00" in value
    if isinstance(value, Mapping):
        return any(_holds_nul(key) or _holds_nul(item) for key, item in value.items())
    if isinstance(value, (list, tuple)):
        return any(_holds_nul(item) for item in value)
    return False


def envelope_bytes(episode: Episode) -> bytes:
    """Return every attested field of an episode: the whole envelope with the payload's commitment.

    The same bytes as `canonical_json` of the fields; written in sorted order here, because verification does this for
    every episode.
    """
    fields = {
        "actor": episode.actor,
        "commitment": episode.commitment,
        "concept_ids": episode.concept_ids,
        "dialogue_id": episode.dialogue_id,
        "episode_id": episode.episode_id,
        "evidence": [[item.document_id, item.page, item.fingerprint] for item in episode.evidence],
        "kind": episode.kind,
        "kind_version": episode.kind_version,
        "language": episode.language,
        "learner_id": episode.learner_id,
        "occurred_at": instant_text(episode.occurred_at),
        "parent_id": episode.parent_id,
        "provenance": episode.provenance,
        "recorded_at": instant_text(episode.recorded_at),
        "salience": episode.salience,
        "sequence": episode.sequence,
        "subject_id": episode.subject_id,
        "time_zone": episode.time_zone,
        "turn": episode.turn,
    }
    return _ORDERED_ENCODER.encode(fields).encode()


def head_bytes(head: ChainHead) -> bytes:
    """Return what a head's seal covers."""
    return canonical_json([head.learner_id, head.subject_id, head.sequence, head.chain_hash]).encode()
