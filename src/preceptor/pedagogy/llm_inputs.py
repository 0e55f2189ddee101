"""What a model is told of a turn, as plain lines: the conversation, and what was read by calculation."""

from __future__ import annotations

from collections.abc import Sequence

from preceptor.domain.dialogue import Turn
from preceptor.domain.observation import Observation

HISTORY_TURNS = 12
"""Latest turns of the conversation that a model sees. (chosen: bounds the prompt of a long dialogue)"""


def history_text(history: Sequence[Turn]) -> str:
    """Return the latest turns, oldest first, one speaker a line."""
    lines: list[str] = []
    for turn in history[-HISTORY_TURNS:]:
        if turn.learner:
            lines.append(f"Learner: {turn.learner}")
        if turn.tutor:
            lines.append(f"Tutor: {turn.tutor}")
    return "\n".join(lines)


def reading_text(observation: Observation) -> str:
    """Return what was read and judged by calculation, one fact a line."""
    lines = [f"understood: {observation.reading.status}"]
    lines += [
        f"claim: {judged.read_as or judged.claim.text} | {judged.mark} | judged by {judged.judged_by}"
        for judged in observation.claims
    ]
    if observation.solved:
        lines.append("solved: yes")
    if observation.repeats:
        lines.append(f"same wrong claim before: {observation.repeats} times")
    if observation.bare_guesses:
        lines.append(f"bare guesses in a row: {observation.bare_guesses}")
    return "\n".join(lines)


def state_text(observation: Observation) -> str:
    """Return the four tags and the two descriptions, one a line."""
    state = observation.state
    lines = [
        f"emotion: {state.emotion}",
        f"intent: {state.intent}",
        f"error type: {state.error_type}",
        f"struggle: {state.struggle_status}",
    ]
    if observation.error_detail:
        lines.append(f"difficulty: {observation.error_detail}")
    if observation.struggle_reason:
        lines.append(f"held up by: {observation.struggle_reason}")
    return "\n".join(lines)
