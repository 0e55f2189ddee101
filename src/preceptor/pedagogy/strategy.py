"""A retrieved strategy as a move of the builtin tutor, where it fits, is no more help than is due and was not tried.

Experience chooses among the moves that fit a situation; it opens no new one. The ladder of help, the hidden values and
the rules about asking twice stand above it. Source: REAT, Figure 2 (experience guides the reply); the mapping is ours.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from preceptor.domain.experience import Strategy
from preceptor.domain.frame import Frame, FrameKind
from preceptor.domain.learner_state import Emotion, StruggleStatus
from preceptor.domain.observation import JudgedClaim
from preceptor.domain.reply import ExperiencePart, ExperienceRole, Move, Rung
from preceptor.pedagogy.moves import Draft, MoveMaker
from preceptor.pedagogy.parallel_case import STORIES
from preceptor.pedagogy.situation import Situation, rung_after, slipped, wrong_claim
from preceptor.pedagogy.speaker import normal_form
from preceptor.pedagogy.turn_words import format_value
from preceptor.pedagogy.tutor import ExperienceAdvice, TutorTurn
from preceptor.pedagogy.wording import sentences_of


@dataclass(frozen=True, kw_only=True)
class StrategyMove:
    """What a strategy comes to in a reply."""

    move: Move
    rung: Rung
    """How much help it is; the reply is recorded with it."""
    most_repeats: int
    """It is not tried where the same wrong claim came more often than that: probing a third time moves nobody."""


_FOREVER = 99
MOVE_OF: Mapping[Strategy, StrategyMove] = {
    Strategy.STRUCTURE_FIRST: StrategyMove(move=Move.PLANNING_QUESTION, rung=Rung.NUDGE, most_repeats=1),
    Strategy.ASK_TO_EXPLAIN: StrategyMove(move=Move.TELL_APART, rung=Rung.NONE, most_repeats=0),
    Strategy.DECOMPOSE: StrategyMove(move=Move.ASK_NEXT_QUANTITY, rung=Rung.NUDGE, most_repeats=1),
    Strategy.QUESTION_QUANTITY: StrategyMove(move=Move.QUESTION_OPERAND, rung=Rung.LOCATE, most_repeats=1),
    Strategy.CLASHING_FACT: StrategyMove(move=Move.CLASHING_FACT, rung=Rung.LOCATE, most_repeats=1),
    Strategy.ISOLATE_COMPUTATION: StrategyMove(move=Move.ISOLATE_COMPUTATION, rung=Rung.LOCATE, most_repeats=1),
    Strategy.SMALLER_NUMBERS: StrategyMove(move=Move.SMALLER_CASE, rung=Rung.NEXT_SUBSTEP, most_repeats=_FOREVER),
    Strategy.ANALOGY: StrategyMove(move=Move.SMALLER_CASE, rung=Rung.NEXT_SUBSTEP, most_repeats=_FOREVER),
    Strategy.WORKED_PARALLEL: StrategyMove(move=Move.WORKED_PARALLEL, rung=Rung.WORKED_PARALLEL, most_repeats=_FOREVER),
    Strategy.COMPARE_ATTEMPTS: StrategyMove(move=Move.COMPARE_FIRST_TRY, rung=Rung.NONE, most_repeats=_FOREVER),
}
"""A story with other things in it is how this tutor makes an analogy, so that is a smaller case too.
`ACKNOWLEDGE_AND_NORMALISE` stands before any move; `OTHER` is words only."""

_CASES = {Strategy.SMALLER_NUMBERS, Strategy.ANALOGY, Strategy.WORKED_PARALLEL}
_POINTING = {Strategy.STRUCTURE_FIRST, Strategy.DECOMPOSE, Strategy.CLASHING_FACT}
FITS: Mapping[Situation, frozenset[Strategy]] = {
    Situation.SLIP: frozenset({Strategy.ISOLATE_COMPUTATION, *_CASES}),
    Situation.OFF_REFERENCE_ERROR: frozenset(
        {Strategy.ASK_TO_EXPLAIN, Strategy.QUESTION_QUANTITY, *_POINTING, *_CASES}
    ),
    Situation.STUCK: frozenset({*_POINTING, *_CASES}),
    Situation.UNSURE_CLAIM: frozenset({Strategy.ASK_TO_EXPLAIN, Strategy.QUESTION_QUANTITY, *_POINTING}),
    Situation.QUOTED: frozenset(_POINTING),
    Situation.ACKNOWLEDGED: frozenset(_POINTING),
    Situation.SOLVED: frozenset({Strategy.COMPARE_ATTEMPTS}),
}
"""Situations where several moves fit. Elsewhere (a step reached, an answer asked for, nothing readable) one is due."""

_TROUBLE = {StruggleStatus.REPEATED_ERROR, StruggleStatus.PERSISTENT_CONFUSION, StruggleStatus.REGRESSION}
_SHOWN = {Emotion.FRUSTRATED, Emotion.CONFUSED}


@dataclass(frozen=True, kw_only=True)
class Chosen:
    """The draft after experience was heard."""

    draft: Draft
    moves: MoveMaker
    """Whose speaker has said the draft."""
    roles: tuple[ExperienceRole, ...]


def follow(
    turn: TutorTurn, situation: Situation, draft: Draft, moves: MoveMaker, again: Callable[[], MoveMaker]
) -> Chosen:
    """Return the draft that the first possible experience asks for, else the one given.

    Args:
        turn: Holds the experience, best first.
        situation: What the tutor answers to.
        draft: The reply without experience.
        moves: Who made it.
        again: Gives a fresh maker, whose words are not used up.
    """
    roles: list[ExperienceRole] = []
    chosen = Chosen(draft=draft, moves=moves, roles=())
    for advice in turn.experience:
        if chosen.draft is not draft:
            roles.append(_role(advice, "not_followed", "another experience was followed"))
            continue
        made = _made(advice, turn, situation, draft, moves, again)
        if made == _SAME:
            roles.append(_role(advice, "same_move", draft.move.value))
            continue
        if isinstance(made, str):
            roles.append(_role(advice, "not_followed", made))
            continue
        chosen = made
        why = "acknowledged first" if _strategy(advice) is Strategy.ACKNOWLEDGE_AND_NORMALISE else made.draft.move.value
        roles.append(_role(advice, "chosen", why))
    return replace(chosen, roles=tuple(roles))


_SAME = "same"


def _made(
    advice: ExperienceAdvice,
    turn: TutorTurn,
    situation: Situation,
    draft: Draft,
    moves: MoveMaker,
    again: Callable[[], MoveMaker],
) -> Chosen | str:
    """Return the reply that an advice asks for, `_SAME`, or why it is not followed."""
    strategy = _strategy(advice)
    if turn.avoid:
        return "an earlier draft was refused"
    if strategy is Strategy.ACKNOWLEDGE_AND_NORMALISE:
        return _acknowledged(turn, situation, draft, moves)
    wanted = MOVE_OF.get(strategy)
    if wanted is None:
        return "no move of the builtin tutor stands for it"
    if strategy not in FITS.get(situation, frozenset()):
        return f"does not fit: {situation.value}"
    if draft.move is wanted.move:
        return _SAME
    if strategy is Strategy.COMPARE_ATTEMPTS:
        return "there is no other first answer to compare with"
    fresh = again()
    if why := _refused(turn, situation, draft, fresh, wanted):
        return why
    made = _draft(strategy, situation, fresh)
    if isinstance(made, str):
        return made
    return Chosen(draft=made, moves=fresh, roles=())


def _refused(turn: TutorTurn, situation: Situation, draft: Draft, moves: MoveMaker, wanted: StrategyMove) -> str:
    """Return which rule forbids a move here; "": none."""
    if moves.node is None:
        return "no worked step is known"
    if (wanted.move, moves.node) in turn.earlier_moves:
        return "tried at this step before"
    if turn.observation.repeats > wanted.most_repeats:
        return f"the same mistake came {turn.observation.repeats} times before"
    due = rung_after(turn, Rung.NUDGE, highest=moves.highest_rung)
    allowed = min(max(draft.rung, due), moves.highest_rung)
    if wanted.rung > allowed:
        return f"more help than is due: rung {int(wanted.rung)}, {int(allowed)} allowed"
    if situation is Situation.STUCK and wanted.rung < draft.rung:
        return f"less help than was asked for: rung {int(wanted.rung)}, {int(draft.rung)} due"
    return ""


def _draft(strategy: Strategy, situation: Situation, moves: MoveMaker) -> Draft | str:
    """Return a strategy's draft, or why it cannot be said here."""
    claim = _claim_in_question(situation, moves)
    if strategy is Strategy.ASK_TO_EXPLAIN:
        made = _explain(moves, claim)
    elif strategy is Strategy.QUESTION_QUANTITY:
        made = _question_quantity(moves, claim)
    elif strategy in _CASES:
        made = _case(strategy, moves)
    elif strategy is Strategy.ISOLATE_COMPUTATION:
        made = moves.slip() if slipped(moves.observation) else "no calculation of the learner's is off"
    else:
        made = _pointed(strategy, moves, _opener(situation, moves, claim))
    if isinstance(made, Draft) and not made.parts[-1]:
        return "no words for it are left"
    return made


def _pointed(strategy: Strategy, moves: MoveMaker, opener: str) -> Draft:
    """Ask for the structure, for one piece, or about the fact that clashes."""
    frame, wanted = moves.value_frame(), MOVE_OF[strategy]
    last = moves.outlook is not None and moves.outlook.is_last
    if strategy is Strategy.STRUCTURE_FIRST:
        ask = moves.say("ask.structure")
    elif strategy is Strategy.DECOMPOSE:
        ask = moves.say("ask.step") if last else moves.say("ask.agreed", "ask.begin", "ask.step")
    else:
        ask = moves.say("ask.fact")
    return moves.draft(wanted.move, opener, ask, rung=wanted.rung, frame=frame)


def _explain(moves: MoveMaker, claim: JudgedClaim | None) -> Draft | str:
    """Ask how a bare number came about; work that is on the page is never asked for again."""
    if claim is None or claim.claim.operators:
        return "the learner's calculation is known"
    value = moves.value_text(claim)
    frame = Frame(kind=FrameKind.OPERATION, node=moves.node)
    return moves.draft(
        Move.TELL_APART, moves.say("ack.said", claim=value), moves.say("ask.apart", claim=value), frame=frame
    )


def _question_quantity(moves: MoveMaker, claim: JudgedClaim | None) -> Draft | str:
    """Ask what a number of the learner's counts: the one that does not belong to the step, else the result."""
    if claim is None:
        return "the learner named no number"
    node = moves.outlook.node if moves.outlook else None
    of_step = {operand.value for operand in node.operands} if node else set()
    named = [explanation.foreign for explanation in moves.observation.explanations if explanation.foreign is not None]
    written = [operand.value for operand in claim.claim.operands if operand.value not in of_step]
    foreign = next((value for value in (*named, *written) if value in {o.value for o in claim.claim.operands}), None)
    keys = ("ask.operand",) if foreign is not None else ("ask.quantity",)
    ask = moves.say(*keys, foreign=format_value(foreign), claim=moves.value_text(claim))
    frame = Frame(kind=FrameKind.EXPLAIN, node=moves.node, value=moves.value_frame().value)
    return moves.draft(Move.QUESTION_OPERAND, moves.opener_for(claim), ask, rung=Rung.LOCATE, frame=frame)


def _case(strategy: Strategy, moves: MoveMaker) -> Draft | str:
    """Set a small case or work one out: only where the step has one operation that a story tells."""
    node = moves.outlook.node if moves.outlook else None
    operators = set(node.operators) if node else set()
    if len(operators) != 1 or not operators <= STORIES.keys():
        return "no story tells this step's operation"
    made = moves.parallel() if strategy is Strategy.WORKED_PARALLEL else moves.smaller_case()
    return made if made.parts[0] or strategy is not Strategy.WORKED_PARALLEL else "no words for it are left"


def _acknowledged(turn: TutorTurn, situation: Situation, draft: Draft, moves: MoveMaker) -> Chosen | str:
    """Put a line before the move that makes the difficulty an ordinary one, where there is trouble to speak of."""
    observation = turn.observation
    if observation.state.emotion in _SHOWN:
        return _SAME
    if situation not in FITS or situation is Situation.SOLVED:
        return f"does not fit: {situation.value}"
    if not (observation.repeats or turn.stuck or observation.state.struggle_status in _TROUBLE):
        return "there is no trouble to acknowledge"
    last = turn.context.history[-1].tutor if turn.context.history else None
    known = {normal_form(line) for line in moves.speaker.variants("ack.confused", "ack.frustrated")}
    if last and known & {normal_form(part) for part in sentences_of(last)}:
        return "acknowledged a turn ago"
    line = moves.say("ack.confused")
    if not line or len([part for part in draft.parts if part]) > 2:
        return "no words for it are left"
    return Chosen(draft=replace(draft, parts=(line, *draft.parts)), moves=moves, roles=())


def _claim_in_question(situation: Situation, moves: MoveMaker) -> JudgedClaim | None:
    """Return the learner's claim that the reply is about; `None`: it is about no claim."""
    if situation in (Situation.SLIP, Situation.OFF_REFERENCE_ERROR):
        return wrong_claim(moves.observation)
    return moves.observation.claims[-1] if situation is Situation.UNSURE_CLAIM else None


def _opener(situation: Situation, moves: MoveMaker, claim: JudgedClaim | None) -> str:
    if claim is None:
        return moves.say("ack.still")
    return moves.heard(claim) if situation is Situation.UNSURE_CLAIM else moves.opener_for(claim)


def _strategy(advice: ExperienceAdvice) -> Strategy:
    known = {strategy.value: strategy for strategy in Strategy}
    return known.get(advice.strategy, Strategy.OTHER)


def _role(advice: ExperienceAdvice, part: ExperiencePart, reason: str) -> ExperienceRole:
    return ExperienceRole(experience_id=advice.experience_id, part=part, reason=reason)
