"""What the builtin observer records about a reply: its move, what it does, and what happened, in abstract words."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from preceptor.domain.claim import ClauseKind
from preceptor.domain.learner_state import Intent
from preceptor.domain.observation import Observation, ReadingStatus
from preceptor.domain.tutor_evidence import Behaviour, TutorEvidence, TutorMove
from preceptor.pedagogy.content_words import content_words
from preceptor.pedagogy.turn_context import TurnContext
from preceptor.pedagogy.tutor_move_features import move_features
from preceptor.pedagogy.tutor_move_head import MoveHead, shipped_move_head

REPEATED = 0.8
"""Share of content words in common from which on a reply repeats the one before. (chosen)"""
_SOCIAL = re.compile(
    r"^\W*(?:hi|hello|hey|thanks?|thank you|ok(?:ay)?|bye|goodbye|see you|yes|no|sure|cheers|great|nice|cool"
    r"|good (?:morning|afternoon|evening)|you(?:'re| are) welcome)"
    r"(?:\W+(?:there|so|very|much|you|teacher|sir|miss|a lot|for|your|the|help|all|everyone|again|i|get|understand"
    r"|it|now|that|makes|sense))*\W*$",
    re.IGNORECASE,
)
_SPLITS = re.compile(
    r"\b(?:first|step by step|one (?:thing|step|part) at a time|break (?:it|this)|before that|for now)\b", re.I
)
_SHRINKS = re.compile(
    r"\b(?:if (?:you|there|we|it) (?:only |just )?(?:had|have|were|was)|imagine|suppose|say there)\b", re.I
)
_SIMILAR = re.compile(r"\b(?:similar|for example|for instance|like when|just like)\b", re.I)
_FEELING = re.compile(
    r"\b(?:don't worry|no worries|not to worry|that's (?:ok|okay|fine)|it's (?:ok|okay|fine)|tricky"
    r"|easy to (?:mix|miss|get)|can be confusing|take your time|frustrat\w+|hard (?:one|part|place|spot)"
    r"|many (?:people|learners|students))\b",
    re.I,
)

_Facts = Mapping[str, float]
_SEEN: tuple[tuple[Behaviour, Callable[[_Facts], bool]], ...] = (
    (Behaviour.GREETS, lambda f: f["greets"] > 0),
    (Behaviour.CONFIRMS, lambda f: max(f["opens_right"], f["calls_right"]) > 0 and f["corrects_no"] == 0),
    (Behaviour.PRAISES, lambda f: max(f["opens_praise"], f["praises"]) > 0),
    (Behaviour.CREDITS_PART, lambda f: f["credits_part"] > 0),
    (Behaviour.NAMES_MISTAKE, lambda f: max(f["corrects"], f["corrects_no"]) > 0),
    (Behaviour.POINTS_TO_TEXT, lambda f: max(f["asks_text_says"], f["problem_word"], f["quotes"]) > 0),
    (Behaviour.POINTS_TO_STEP, lambda f: max(f["you_did"], f["learner_numbers"], f["focuses"]) > 0),
    (Behaviour.STATES_ANSWER, lambda f: f["says_new_answer"] > 0),
    (Behaviour.STATES_STEP, lambda f: f["new_step_numbers"] > 0 and f["says_new_answer"] == 0),
    (Behaviour.NAMES_OPERATION, lambda f: f["names_operation"] > 0),
    (Behaviour.STATES_FACT, lambda f: f["has_question"] == 0 and f["problem_numbers"] > 0),
    (Behaviour.ASKS_QUANTITY, lambda f: f["has_question"] > 0 and max(f["asks_how_many"], f["asks_what_total"]) > 0),
    (Behaviour.ASKS_OPERATION, lambda f: f["asks_next"] > 0 and f["has_question"] > 0),
    (
        Behaviour.ASKS_TO_EXPLAIN,
        lambda f: max(f["asks_show_work"], f["asks_walk"], f["asks_why"], f["asks_how_did"]) > 0,
    ),
    (Behaviour.ASKS_MEANING, lambda f: f["asks_meaning"] > 0),
    (Behaviour.ASKS_TO_RECHECK, lambda f: f["asks_recheck"] > 0),
    (Behaviour.ASKS_COMPARISON, lambda f: f["asks_same"] > 0),
    (Behaviour.ASKS_AGREEMENT, lambda f: max(f["asks_sure"], f["asks_clear"], f["asks_clear_end"]) > 0),
    (Behaviour.MOVES_ON, lambda f: f["farewell"] > 0),
)

_BY_INTENT: Mapping[Intent, str] = {
    Intent.ASK_ANSWER: "asks for the answer",
    Intent.REQUEST_HINT: "asks for a hint",
    Intent.ASK_CONCEPT: "asks about an idea",
    Intent.ASK_EXPLANATION: "asks for an explanation",
    Intent.OFF_TOPIC: "speaks of something else",
    Intent.CONFIRM_UNDERSTANDING: "says that it is understood",
    Intent.GUESSING: "offers a guess",
    Intent.DEBUGGING: "works on the problem",
}
_DOES: Mapping[Behaviour, str] = {
    Behaviour.STATES_ANSWER: "states the final answer",
    Behaviour.STATES_STEP: "states the result of a step",
    Behaviour.SHRINKS_CASE: "makes up a simpler case",
    Behaviour.WORKS_SIMILAR_CASE: "brings a similar case",
    Behaviour.SPLITS_TASK: "takes a part of the task first",
    Behaviour.ASKS_QUANTITY: "asks for a quantity",
    Behaviour.ASKS_OPERATION: "asks what to do next",
    Behaviour.ASKS_MEANING: "asks what something means",
    Behaviour.ASKS_TO_EXPLAIN: "asks for an explanation of the work",
    Behaviour.ASKS_COMPARISON: "asks for a comparison",
    Behaviour.ASKS_TO_RECHECK: "asks for another look",
    Behaviour.ASKS_AGREEMENT: "asks for agreement",
    Behaviour.POINTS_TO_TEXT: "points to the text of the problem",
    Behaviour.POINTS_TO_STEP: "points to a step of the learner",
    Behaviour.NAMES_OPERATION: "names an operation",
    Behaviour.NAMES_MISTAKE: "says that something is not right",
    Behaviour.CONFIRMS: "confirms what is right",
    Behaviour.CREDITS_PART: "credits a part",
    Behaviour.PRAISES: "praises",
    Behaviour.ACKNOWLEDGES_FEELING: "takes up how the learner feels",
    Behaviour.STATES_FACT: "recalls what is given",
    Behaviour.REPEATS_ITSELF: "says much the same as before",
    Behaviour.MOVES_ON: "moves on",
    Behaviour.GREETS: "greets",
}
_MOST_SAID = 3
"""Behaviours that the summary names. (chosen)"""


def observe_reply_now(
    turn: TurnContext, observation: Observation, reply: str, *, head: MoveHead | None = None
) -> TutorEvidence:
    """Return the record of a reply, without awaiting anything."""
    facts = move_features(reply, turn)
    chances = (head or shipped_move_head()).probabilities(facts)
    move = max(chances, key=lambda one: chances[one])
    behaviours = _behaviours(turn, reply, facts)
    skipped = _skipped_because(turn, observation, reply, move)
    return TutorEvidence(
        move=move,
        meaningful=not skipped,
        skipped_because=skipped,
        behaviours=behaviours,
        summary=f"The learner {_learner_part(observation)}; the tutor {_tutor_part(behaviours, move)}.",
    )


def _behaviours(turn: TurnContext, reply: str, facts: _Facts) -> tuple[Behaviour, ...]:
    seen = {behaviour for behaviour, there in _SEEN if there(facts)}
    seen |= {
        behaviour
        for behaviour, pattern in (
            (Behaviour.SPLITS_TASK, _SPLITS),
            (Behaviour.SHRINKS_CASE, _SHRINKS),
            (Behaviour.WORKS_SIMILAR_CASE, _SIMILAR),
            (Behaviour.ACKNOWLEDGES_FEELING, _FEELING),
        )
        if pattern.search(reply)
    }
    if _repeats(turn, reply):
        seen.add(Behaviour.REPEATS_ITSELF)
    return tuple(behaviour for behaviour in Behaviour if behaviour in seen)


def _repeats(turn: TurnContext, reply: str) -> bool:
    before = next((entry.tutor for entry in reversed(turn.history) if entry.tutor), "")
    first, second = content_words(reply), content_words(before or "")
    return bool(first) and len(first & second) >= REPEATED * len(first | second)


def _skipped_because(turn: TurnContext, observation: Observation, reply: str, move: TutorMove) -> str:
    """Return why a turn is not pedagogically meaningful, as a code; empty where it is."""
    utterance = turn.utterance.strip()
    if not utterance:
        return "opening"
    if not reply.strip():
        return "no_reply"
    if observation.state.intent is Intent.OFF_TOPIC and move is TutorMove.GENERIC:
        return "off_topic"
    if move is not TutorMove.GENERIC or observation.claims:
        return ""
    clauses = set(observation.reading.clauses)
    only_agrees = bool(clauses) and clauses <= {ClauseKind.ACKNOWLEDGEMENT, ClauseKind.AFFECT}
    is_social = ClauseKind.QUESTION not in clauses and _SOCIAL.match(utterance) is not None
    return "social" if only_agrees or is_social else ""


def _learner_part(observation: Observation) -> str:
    if observation.solved:
        return "gives the right final answer"
    if observation.error_detail:
        return observation.error_detail
    if observation.newly_reached:
        return "reaches a right step"
    if observation.reading.status is ReadingStatus.UNREAD:
        return "writes something that could not be followed"
    return observation.struggle_reason.split(";")[0] or _BY_INTENT[observation.state.intent]


def _tutor_part(behaviours: tuple[Behaviour, ...], move: TutorMove) -> str:
    said = [_DOES[behaviour] for behaviour in _DOES if behaviour in behaviours][:_MOST_SAID]
    if not said:
        return "gives a general answer" if move is TutorMove.GENERIC else "answers to the point"
    return said[0] if len(said) == 1 else f"{', '.join(said[:-1])} and {said[-1]}"
