"""What the judging roles are told of a reviewed turn: the observer's record, of the learner and of the reply."""

from __future__ import annotations

from preceptor.domain.tutor_evidence import TutorEvidence
from preceptor.experience.critic import ReviewedTurn
from preceptor.pedagogy.llm_inputs import reading_text, state_text


def record_text(turn: ReviewedTurn) -> str:
    """Return the observer's record as plain lines; no author, no engine."""
    parts = [reading_text(turn.observation), state_text(turn.observation)]
    if turn.evidence is not None:
        parts.append(evidence_text(turn.evidence))
    return "\n".join(part for part in parts if part)


def evidence_text(evidence: TutorEvidence) -> str:
    """Return what the observer recorded of the reply, one fact a line."""
    lines = [f"the reply is: {evidence.move.value}"]
    lines += [f"the reply does: {behaviour.value}" for behaviour in evidence.behaviours]
    if evidence.summary:
        lines.append(f"what happened: {evidence.summary}")
    return "\n".join(lines)
