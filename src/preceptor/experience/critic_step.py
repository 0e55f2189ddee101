"""What a reply says of the learner's step that went off, as the observer sees it."""

from __future__ import annotations

import math
import re
from fractions import Fraction

from preceptor.experience.critic import ReviewedTurn
from preceptor.experience.critic_talk import topic_words
from preceptor.maths.step_graph import StepGraph
from preceptor.pedagogy.content_words import content_words

_FAULTS = re.compile(
    r"\b(?:mistake|error|wrong|incorrect|not (?:quite )?right|off|slip|recheck|check|shouldn't"
    r"|should (?:not )?have)\b",
    re.I,
)


def read_step(turn: ReviewedTurn, reply: set[Fraction]) -> dict[str, float]:
    """Return whether a reply speaks of the step that went off: its numbers, noun, the wrong value or line.

    Args:
        turn: The reply at its moment.
        reply: The values that it names.
    """
    graph, observation = turn.context.graph, turn.observation
    words = content_words(turn.reply)
    wrong_values = {
        judged.claim.value
        for judged in observation.claims
        if judged.mark == "wrong" and judged.claim.value is not None and not judged.claim.withdrawn
    }
    node = observation.first_wrong_node
    step = graph.nodes[node] if graph and node is not None and 0 <= node < len(graph.nodes) else None
    operands = {operand.value for operand in step.operands} if step else set()
    nouns = content_words(" ".join([step.noun or "", step.unit or "", step.text]) if step else "")
    line = content_words(observation.wrong_line or "")
    return {
        "names_wrong_value": float(bool(reply & wrong_values)),
        "names_step_value": float(step is not None and step.value in reply),
        "names_step_operands": len(reply & operands) / len(operands) if operands else 0.0,
        "shares_step_words": len(words & nouns) / max(len(words), 1) if nouns else 0.0,
        "shares_wrong_line": len(words & line) / max(len(line), 1) if line else 0.0,
        "log_shares_step_words": math.log1p(len(words & nouns)),
        "step_known": float(step is not None),
        "faults_other_step": _faults_other_step(turn, reply, graph, wrong_values),
    }


def _faults_other_step(
    turn: ReviewedTurn, numbers: set[Fraction], graph: StepGraph | None, wrong_values: set[Fraction]
) -> float:
    """Whether a reply calls a mistake, names two numbers of a right step and says nothing of what went off.

    One number is too little: a learner's wrong result is often asked about by the right value it was made from.
    """
    observation = turn.observation
    if graph is None or observation.first_wrong_node is None or not observation.explanations:
        return 0.0
    if not _FAULTS.search(turn.reply) or numbers & wrong_values:
        return 0.0
    off = {explanation.node for explanation in observation.explanations} | {observation.first_wrong_node}
    near = set(off)
    for node in off:
        near |= {source for source in graph.nodes[node].inputs if source is not None}
    spoken = topic_words(turn.reply)

    def named(place: int) -> int:
        node = graph.nodes[place]
        return len(numbers & ({operand.value for operand in node.operands} | {node.value}))

    def hits(place: int) -> int:
        return 2 * named(place) + len(
            spoken & topic_words(f"{graph.nodes[place].noun or ''} {graph.nodes[place].text}")
        )

    here = max(hits(place) for place in near)
    other = max(
        (hits(node.index) for node in graph.nodes if node.index not in near and named(node.index) > 1), default=0
    )
    return float(other > 2 * here)
