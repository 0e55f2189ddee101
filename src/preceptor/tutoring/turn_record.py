"""A turn's trace as the body of its turn record."""

from __future__ import annotations

from collections.abc import Mapping

from preceptor.record.kinds import SourceRead, TurnRecordBody
from preceptor.tutoring.turn import TurnTrace

_READ_STATUS: Mapping[str, str] = {"absent": "off", "none": "none", "read": "read", "dropped": "dropped"}


def record_body(trace: TurnTrace, *, last_event_id: int) -> TurnRecordBody:
    """Return the turn record of a trace whose reply is made."""
    assert trace.reply is not None
    reads = {
        name: SourceRead.model_validate(
            {"status": _READ_STATUS[read.status], "ids": read.ids, "similarities": read.similarities}
        )
        for name, read in trace.reads.items()
    }
    guard = tuple(f"refused: {refusal.reason}" for refusal in trace.refusals)
    if trace.failed:
        guard = (*guard, f"engine failed: {trace.failed.split(':')[0]}")
    return TurnRecordBody(
        reply=trace.reply,
        observation=trace.observation,
        reads=reads,
        engines={
            "tutor": trace.reply.engine,
            "observer": trace.observation.engine if trace.observation else "none",
        },
        timings_ms={name: round(value, 3) for name, value in trace.timings_ms.items()},
        guard=guard,
        last_event_id=last_event_id,
    )
