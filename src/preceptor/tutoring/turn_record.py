"""A turn's trace as the body of its turn record."""

from __future__ import annotations

from collections.abc import Mapping

from preceptor.domain.usage import Usage
from preceptor.record.kinds import ModelUse, PromptRead, SourceRead, TurnRecordBody
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
    used = [made.usage for made in (trace.observation, trace.reply) if made is not None and made.usage is not None]
    return TurnRecordBody(
        reply=trace.reply,
        observation=trace.observation,
        reads=reads,
        engines={
            "tutor": trace.reply.engine,
            "observer": trace.observation.engine if trace.observation else "none",
        },
        prompts=tuple(_prompt(usage) for usage in used),
        models=tuple(_model(usage) for usage in used),
        timings_ms={name: round(value, 3) for name, value in trace.timings_ms.items()},
        guard=guard,
        last_event_id=last_event_id,
    )


def _prompt(usage: Usage) -> PromptRead:
    return PromptRead(role=usage.role, name=usage.prompt, version=usage.prompt_version, digest=usage.prompt_digest)


def _model(usage: Usage) -> ModelUse:
    notes = [f"{name} refused" for name in usage.dropped]
    if usage.retries:
        notes.append(f"{usage.retries} retries")
    return ModelUse(
        role=usage.role,
        provider=usage.engine,
        model=usage.model,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cost_usd=usage.cost_usd,
        notes=tuple(notes),
    )
