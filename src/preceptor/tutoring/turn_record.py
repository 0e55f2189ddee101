"""A turn's trace as the episodes that keep it: checks, hint, reveal, flag and, last, the turn record."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Literal

from preceptor.course.retrieved import RetrievedPassages
from preceptor.domain.episode import Evidence, NewEpisode
from preceptor.domain.reply import Move, Reply, Rung
from preceptor.domain.usage import Usage
from preceptor.experience.overlap import copy_overlap
from preceptor.experience.retrieval import Retrieved
from preceptor.record.course_search import CourseSearch, PassageFound
from preceptor.record.kinds import (
    Body,
    CheckBody,
    ExperienceSearch,
    HintBody,
    ModelUse,
    PromptRead,
    RevealBody,
    SafetyFlagBody,
    SourceRead,
    TurnRecordBody,
)
from preceptor.record.memory_kinds import TaughtBody
from preceptor.tutoring.reads import Read, ReadStatus
from preceptor.tutoring.turn import TurnTrace

_READ_STATUS: Mapping[ReadStatus, Literal["read", "none", "off", "dropped", "failed"]] = {
    "absent": "off",
    "none": "none",
    "read": "read",
    "dropped": "dropped",
    "failed": "failed",
}


def record_body(trace: TurnTrace, *, last_event_id: int) -> TurnRecordBody:
    """Return the turn record of a trace whose reply is made."""
    assert trace.reply is not None
    reads = {name: _source_read(read, trace.reply) for name, read in trace.reads.items()}
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
        route=trace.plan.routed if trace.plan else None,
        trace_state=trace.plan.trace_state if trace.plan else None,
        last_event_id=last_event_id,
    )


def _source_read(read: Read, reply: Reply) -> SourceRead:
    return SourceRead(
        status=_READ_STATUS[read.status],
        ids=read.ids,
        similarities=read.similarities,
        belief_ids=read.memory.belief_ids if read.memory else (),
        detail=read.detail,
        search=None if read.retrieved is None else _search(read.retrieved, reply),
        course=None if read.found is None else _course_search(read.found),
    )


def _course_search(found: RetrievedPassages) -> CourseSearch:
    return CourseSearch(
        profile=found.profile,
        revision=found.revision,
        answerable=found.answerable,
        in_course=found.in_course,
        n_searched=found.n_searched,
        found=tuple(
            PassageFound(passage_id=one.passage.passage_id, score=one.score, **asdict(one.stages))
            for one in found.passages
        ),
        unknown_words=found.unknown_words,
        stages_off=dict(found.stages_off),
        timings_ms=dict(found.timings_ms),
    )


def _search(found: Retrieved, reply: Reply) -> ExperienceSearch:
    copied = [copy_overlap(reply.text, one.value.texts()) for one in found.chosen]
    return ExperienceSearch(
        asked=found.query.text,
        asked_by=found.query.made_by,
        level=found.level,
        n_candidates=found.n_candidates,
        best_similarity=found.best_similarity,
        threshold=found.threshold,
        nothing_because=found.nothing_because,
        embedder=found.embedder,
        strategies=tuple(one.value.strategy.value for one in found.chosen),
        copied_shares=tuple(one.share for one in copied),
        copied_runs=tuple(one.longest_run for one in copied),
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


def _evidence(reply: Reply) -> tuple[Evidence, ...]:
    """Return the pages that a reply cites, each once."""
    cited = reply.grounding.citations if reply.grounding else ()
    return tuple(
        dict.fromkeys(
            Evidence(document_id=one.document_id, page=one.page, fingerprint=one.page_fingerprint) for one in cited
        )
    )


def turn_episodes(
    trace: TurnTrace,
    make: Callable[..., NewEpisode],
    *,
    asked_for_help: bool,
    last_event_id: int,
    record_id: str,
) -> list[NewEpisode]:
    """Return what is to be appended for one turn, in order.

    Args:
        trace: The turn, with its reply made.
        make: `new_episode` with learner, subject, dialogue, turn, parent and language given.
        asked_for_help: The learner asked for the hint.
        last_event_id: Highest event id of the turn.
        record_id: Id of the turn record.
    """
    reply, observation = trace.reply, trace.observation
    assert reply is not None
    bodies: list[Body] = []
    for judged in observation.claims if observation else ():
        bodies.append(CheckBody(judged=judged, engine=observation.engine if observation else "builtin"))
    if reply.rung is not Rung.NONE:
        bodies.append(HintBody(rung=reply.rung, node=reply.node, move=reply.move, asked_for=asked_for_help))
    if reply.move is Move.REVEAL:
        bodies.append(RevealBody(node=reply.node, text=reply.text))
    if trace.screening is not None and trace.screening.stops_tutoring:
        category = trace.screening.category or trace.screening.kind
        severity: Literal["urgent", "notice"] = "urgent" if trace.screening.severity >= 2 else "notice"
        bodies.append(SafetyFlagBody(category=category, severity=severity))
    if reply.move is Move.CANNOT_FOLLOW:
        bodies.append(SafetyFlagBody(category="cannot_follow", severity="notice"))
    record = make(
        record_body(trace, last_event_id=last_event_id),
        episode_id=record_id,
        actor=reply.engine,
        evidence=_evidence(reply),
        provenance="recalled" if tells_the_record(trace) else None,
    )
    return [*(make(body) for body in bodies), *_taught(trace, make), record]


def memory_read_of(trace: TurnTrace) -> str:
    """Return how a turn's read of memory went, as its record says it."""
    read = trace.reads.get("memory")
    return _READ_STATUS[read.status] if read is not None else ""


def tells_the_record(trace: TurnTrace) -> bool:
    """Whether a reply tells what is on record: it is then no memory of its own (M15)."""
    read = trace.reads.get("memory")
    return read is not None and read.memory is not None and read.memory.reply is not None


def _taught(trace: TurnTrace, make: Callable[..., NewEpisode]) -> list[NewEpisode]:
    """Return the episode that keeps what the learner taught, in the language it was taught in."""
    read = trace.reads.get("memory")
    taught = read.memory.taught if read is not None and read.memory is not None else None
    if taught is None or not taught.concept:
        return []
    body = TaughtBody(
        note=taught.note, utterance=taught.utterance, concept=taught.concept, is_new_concept=taught.is_new
    )
    return [make(body, language=taught.language, concept_ids=(taught.concept_id,))]
