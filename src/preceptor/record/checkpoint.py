"""Signed heads, kept outside: they show a record whose log and heads were rolled back together."""

from __future__ import annotations

import hmac
import json
from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from preceptor.errors import ChainError, InputError
from preceptor.record.canonical import canonical_json
from preceptor.record.record_key import RecordKey
from preceptor.stores.instants import instant_text
from preceptor.stores.protocols import ChainHead


class _Head(BaseModel):
    model_config = ConfigDict(extra="forbid")

    learner_id: str
    subject_id: str
    sequence: int
    chain_hash: str
    seal: str


class _Checkpoint(BaseModel):
    model_config = ConfigDict(extra="forbid")

    format: Literal["preceptor-checkpoint-1"]
    key_fingerprint: str
    made_at: str
    heads: list[_Head]
    signature: str

    def content(self) -> bytes:
        return canonical_json(self.model_dump(exclude={"signature"})).encode()


def make_checkpoint(heads: Sequence[ChainHead], key: RecordKey, made_at: datetime) -> dict[str, object]:
    """Return a JSON object with the heads, signed. It holds ids and hashes, no learner text."""
    unsigned = _Checkpoint(
        format="preceptor-checkpoint-1",
        key_fingerprint=key.fingerprint,
        made_at=instant_text(made_at),
        heads=[
            _Head(
                learner_id=head.learner_id,
                subject_id=head.subject_id,
                sequence=head.sequence,
                chain_hash=head.chain_hash,
                seal=head.seal,
            )
            for head in heads
        ],
        signature="",
    )
    return unsigned.model_copy(update={"signature": key.sign_checkpoint(unsigned.content())}).model_dump()


def read_checkpoint(text: str, key: RecordKey) -> tuple[ChainHead, ...]:
    """Return the heads of a checkpoint.

    Raises:
        InputError: The text is not a checkpoint, or one of another record.
        ChainError: It was changed after it was signed.
    """
    try:
        checkpoint = _Checkpoint.model_validate(json.loads(text))
    except (json.JSONDecodeError, ValidationError) as error:
        raise InputError("not a checkpoint: expected the JSON object that `log checkpoint` writes") from error
    if checkpoint.key_fingerprint != key.fingerprint:
        raise InputError(
            f"the checkpoint is of the record with key {checkpoint.key_fingerprint}, this one's is {key.fingerprint}"
        )
    if not hmac.compare_digest(checkpoint.signature, key.sign_checkpoint(checkpoint.content())):
        raise ChainError("the checkpoint's signature does not fit: it was changed after it was made")
    return tuple(ChainHead(**head.model_dump()) for head in checkpoint.heads)
