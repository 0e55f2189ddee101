"""What builtin engines say about a reply that helped: put together from tables by what was observed of both sides."""

from __future__ import annotations

from collections.abc import Iterable

from preceptor.domain.experience import ExperienceValue, Strategy
from preceptor.domain.learner_state import Emotion, ErrorType
from preceptor.domain.observation import Observation
from preceptor.domain.rubric import TOP, Critique, Dimension
from preceptor.domain.tutor_evidence import Behaviour, TutorEvidence, TutorMove
from preceptor.experience.critic import ReviewedTurn
from preceptor.experience.teaching_words import (
    EMOTIONS,
    EXCELLENT,
    FLAGGED,
    INTENTS,
    KINDS,
    OFF_PLAN,
    SEVERAL,
    SLIPPED,
    STRATEGIES,
    STRUGGLES,
    STUCK,
    WEAK,
    KindWords,
)
from preceptor.pedagogy.situation import wrong_arithmetic

MOST_PITFALLS = 4
"""Pitfalls that a value names, those of this very reply first. (chosen: a prompt gives an experience 200 tokens)"""

_BY_BEHAVIOUR: tuple[tuple[frozenset[Behaviour], Strategy], ...] = (
    (frozenset({Behaviour.SHRINKS_CASE}), Strategy.SMALLER_NUMBERS),
    (frozenset({Behaviour.WORKS_SIMILAR_CASE}), Strategy.ANALOGY),
    (frozenset({Behaviour.ASKS_MEANING, Behaviour.POINTS_TO_STEP}), Strategy.QUESTION_QUANTITY),
    (frozenset({Behaviour.ASKS_MEANING}), Strategy.STRUCTURE_FIRST),
    (frozenset({Behaviour.ASKS_TO_EXPLAIN}), Strategy.ASK_TO_EXPLAIN),
    (frozenset({Behaviour.POINTS_TO_TEXT}), Strategy.CLASHING_FACT),
    (frozenset({Behaviour.ASKS_COMPARISON}), Strategy.CLASHING_FACT),
    (frozenset({Behaviour.ASKS_OPERATION}), Strategy.STRUCTURE_FIRST),
    (frozenset({Behaviour.SPLITS_TASK}), Strategy.DECOMPOSE),
    (frozenset({Behaviour.ASKS_QUANTITY}), Strategy.DECOMPOSE),
    (frozenset({Behaviour.ASKS_TO_RECHECK, Behaviour.POINTS_TO_STEP}), Strategy.QUESTION_QUANTITY),
    (frozenset({Behaviour.NAMES_MISTAKE, Behaviour.POINTS_TO_STEP}), Strategy.QUESTION_QUANTITY),
    (frozenset({Behaviour.ACKNOWLEDGES_FEELING}), Strategy.ACKNOWLEDGE_AND_NORMALISE),
)
"""Behaviours that are all there → the strategy; the first that applies."""
_BY_MOVE = {TutorMove.PROBING: Strategy.ASK_TO_EXPLAIN, TutorMove.FOCUS: Strategy.DECOMPOSE}
"""Where no behaviour tells it."""


def strategy_of(observation: Observation, evidence: TutorEvidence) -> Strategy:
    """Return what a reply did, as the builtin tutor could do it again; `OTHER`: no move of it stands for that."""
    behaviours = set(evidence.behaviours)
    asks_calculation = behaviours & {Behaviour.ASKS_QUANTITY, Behaviour.ASKS_TO_RECHECK}
    if wrong_arithmetic(observation) is not None and asks_calculation:
        return Strategy.ISOLATE_COMPUTATION
    found = next((strategy for needed, strategy in _BY_BEHAVIOUR if needed <= behaviours), None)
    return found or _BY_MOVE.get(evidence.move, Strategy.OTHER)


def kind_words(observation: Observation) -> KindWords:
    """Return what the difficulty of a turn needs."""
    kinds = list(dict.fromkeys(explanation.kind for explanation in observation.explanations))
    if len(kinds) == 1:
        return KINDS[kinds[0]]
    if kinds:
        return SEVERAL
    if wrong_arithmetic(observation) is not None or observation.state.error_type is ErrorType.CALCULATION_ERROR:
        return SLIPPED
    return OFF_PLAN if observation.error_detail else STUCK


def describe_value(
    turn: ReviewedTurn,
    critique: Critique,
    strategy: Strategy,
    *,
    sentence: str,
    original: Critique | None = None,
    pitfalls: Iterable[str] = (),
) -> ExperienceValue:
    """Return v_e for a reply.

    Args:
        turn: With the record of the reply in `turn.evidence`.
        critique: Of that reply.
        strategy: What it did.
        sentence: The abstract sentence of the difficulty.
        original: The critique of the reply that it replaced; `None`: it replaced none.
        pitfalls: Further things to avoid, said first.
    """
    observation, words, kind = turn.observation, STRATEGIES[strategy], kind_words(turn.observation)
    return ExperienceValue(
        triggering_difficulty=triggering_difficulty(turn, sentence),
        applied_strategy=_applied(turn, strategy, kind),
        scaffolding_steps=scaffolding_steps(turn, strategy),
        response_template=response_template(turn, strategy),
        premium_practice=_premium(critique, words.good),
        undesirable_behaviours=pitfalls_of(observation, strategy, original, pitfalls),
        struggle_handling=struggle_handling(observation, strategy),
        strategy=strategy,
    )


def triggering_difficulty(turn: ReviewedTurn, sentence: str) -> str:
    """Return the difficulty with how often it came, what the learner was after and how the learner sounded."""
    observation, state = turn.observation, turn.observation.state
    struggle = "" if observation.struggle_reason else STRUGGLES[state.struggle_status][0]
    around = (struggle, INTENTS[state.intent], EMOTIONS[state.emotion])
    return ", ".join((sentence.rstrip(". "), *(part for part in around if part))) + "."


def scaffolding_steps(turn: ReviewedTurn, strategy: Strategy) -> tuple[str, ...]:
    """Return the steps of the help in order."""
    look = f"Have the learner look at {kind_words(turn.observation).look}."
    first, second = STRATEGIES[strategy].steps
    return tuple(dict.fromkeys((*_opening_step(turn), first, look, second, _closing_step(turn.evidence))))


def response_template(turn: ReviewedTurn, strategy: Strategy) -> str:
    """Return how such a reply can sound; gaps in square brackets."""
    behaviours = _behaviours(turn)
    opening = ""
    if turn.observation.state.emotion in (Emotion.CONFUSED, Emotion.FRUSTRATED):
        opening = "It is fine to be unsure here. "
    elif turn.observation.newly_reached:
        opening = "[What the learner got right] holds. "
    elif Behaviour.CREDITS_PART in behaviours or Behaviour.CONFIRMS in behaviours:
        opening = "You are right about [what holds]. "
    elif Behaviour.NAMES_MISTAKE in behaviours:
        opening = "Something in [the step] does not fit yet. "
    return opening + STRATEGIES[strategy].template


def pitfalls_of(
    observation: Observation, strategy: Strategy, original: Critique | None, further: Iterable[str] = ()
) -> tuple[str, ...]:
    """Return what to avoid: what the replaced reply did, what the misconception and the strategy invite."""
    weak = [said for _, said in flaws_of(original)] if original else []
    named = (*further, *weak, kind_words(observation).pitfall, STRATEGIES[strategy].pitfall)
    return tuple(dict.fromkeys(named))[:MOST_PITFALLS]


def struggle_handling(observation: Observation, strategy: Strategy) -> str:
    """Return what to do where the struggle goes on: another strategy, never the same question."""
    begins = STRUGGLES[observation.state.struggle_status][1]
    following = STRATEGIES[STRATEGIES[strategy].next]
    return f"{begins} use a reply that {following.does}."


def flaws_of(critique: Critique) -> list[tuple[str, str]]:
    """Return a reply's flaws as (code, abstract words), flags first, each code once.

    Where nothing is flagged and nothing lies below 3, it is the dimensions that are not at the top.
    """
    found: dict[str, str] = {}
    for flag in sorted(critique.flags):
        code, said = FLAGGED[flag]
        found.setdefault(code, said)
    weak = critique.improvement_areas
    if not found and not weak:
        weak = tuple(one for one in Dimension if critique.scores.of(one).value not in (None, TOP))
    for dimension in weak:
        code, said = WEAK[dimension]
        found.setdefault(code, said)
    return list(found.items())


def _applied(turn: ReviewedTurn, strategy: Strategy, kind: KindWords) -> str:
    behaviours = _behaviours(turn)
    before = ""
    if Behaviour.ACKNOWLEDGES_FEELING in behaviours and strategy is not Strategy.ACKNOWLEDGE_AND_NORMALISE:
        before = "takes the feeling up, then "
    elif Behaviour.CREDITS_PART in behaviours or Behaviour.CONFIRMS in behaviours:
        before = "credits what holds, then "
    elif Behaviour.NAMES_MISTAKE in behaviours:
        before = "says that something does not fit, then "
    elif Behaviour.POINTS_TO_STEP in behaviours:
        before = "takes up what the learner wrote, then "
    move = turn.evidence.move if turn.evidence else None
    how = ", telling a part," if move is TutorMove.TELLING else ","
    return f"The tutor {before}{STRATEGIES[strategy].does}{how} so that the learner {kind.aim}."


def _opening_step(turn: ReviewedTurn) -> tuple[str, ...]:
    emotion, reached = turn.observation.state.emotion, turn.observation.newly_reached
    if emotion in (Emotion.CONFUSED, Emotion.FRUSTRATED):
        return ("Say in a few words that this place is a hard one.",)
    if reached:
        return ("Name the step that is right now.",)
    return ("Say back what the learner wrote.",) if turn.observation.claims else ()


def _closing_step(evidence: TutorEvidence | None) -> str:
    asked = set(evidence.behaviours) if evidence else set()
    if Behaviour.ASKS_QUANTITY in asked:
        return "End with a question for a single quantity, and wait."
    if Behaviour.ASKS_TO_EXPLAIN in asked or Behaviour.ASKS_MEANING in asked:
        return "End with a question for the meaning, and wait."
    if Behaviour.ASKS_TO_RECHECK in asked:
        return "End by letting the learner correct the step alone."
    return "End with a question that only the learner can answer."


def _premium(critique: Critique, good: str) -> str:
    best = [EXCELLENT[dimension] for dimension in Dimension if critique.scores.of(dimension).value == TOP]
    said = [good, *best][:3]
    text = said[0] if len(said) == 1 else f"{', '.join(said[:-1])} and {said[-1]}"
    return f"{text[:1].upper()}{text[1:]}."


def _behaviours(turn: ReviewedTurn) -> frozenset[Behaviour]:
    return frozenset(turn.evidence.behaviours) if turn.evidence else frozenset()
