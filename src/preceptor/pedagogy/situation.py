"""Which situation a turn is in: the first that applies, in the order of what matters most."""

from __future__ import annotations

from enum import StrEnum

from preceptor.domain.claim import ClauseKind
from preceptor.domain.learner_state import Intent
from preceptor.domain.observation import JudgedClaim, Observation, ReadingStatus
from preceptor.domain.reply import Rung
from preceptor.pedagogy.ambiguity import adds_units, is_cut_out
from preceptor.pedagogy.intent import is_not_following
from preceptor.pedagogy.tutor import TutorTurn


class Situation(StrEnum):
    """What the tutor has to answer to."""

    OPENING = "opening"
    SOLVED = "solved"
    FINISHED = "finished"
    ASKS_ANSWER = "asks_answer"
    OFF_TOPIC = "off_topic"
    BARE_GUESSES = "bare_guesses"
    SMALL_CASE_ANSWERED = "small_case_answered"
    SLIP = "slip"
    OFF_REFERENCE_ERROR = "off_reference_error"
    STEP_REACHED = "step_reached"
    STUCK = "stuck"
    NOTHING_TO_CHECK = "nothing_to_check"
    ASKS_QUESTION = "asks_question"
    UNSURE_CLAIM = "unsure_claim"
    UNREAD = "unread"
    ACKNOWLEDGED = "acknowledged"
    QUOTED = "quoted"


def situation_of(turn: TutorTurn, *, bare_guess_limit: int) -> Situation:
    """Return the situation of one turn."""
    observation = turn.observation
    if not (turn.context.utterance.strip() or turn.stuck or turn.check_requested):
        return Situation.OPENING
    for situation, applies in (
        (Situation.SOLVED, observation.solved),
        (Situation.BARE_GUESSES, observation.bare_guesses >= bare_guess_limit),
        (Situation.SLIP, slipped(observation) is not None),
        (Situation.OFF_REFERENCE_ERROR, any(judged.mark == "wrong" for judged in observation.claims)),
        (Situation.FINISHED, _is_finished(turn)),
        (Situation.STEP_REACHED, bool(observation.newly_reached)),
        (Situation.SMALL_CASE_ANSWERED, _answers_small_case(observation)),
        (Situation.STUCK, turn.stuck or observation.state.intent is Intent.REQUEST_HINT or _does_not_follow(turn)),
        (Situation.ASKS_ANSWER, observation.state.intent is Intent.ASK_ANSWER),
        (Situation.OFF_TOPIC, observation.state.intent is Intent.OFF_TOPIC),
        (Situation.OFF_REFERENCE_ERROR, observation.first_wrong_node is not None and bool(observation.claims)),
        (Situation.NOTHING_TO_CHECK, turn.check_requested and not observation.claims),
        (Situation.ASKS_QUESTION, ClauseKind.QUESTION in observation.reading.clauses and not observation.claims),
        (Situation.UNSURE_CLAIM, bool(observation.claims)),
        (Situation.UNREAD, observation.reading.status is ReadingStatus.UNREAD),
        (Situation.QUOTED, ClauseKind.QUOTATION in observation.reading.clauses),
    ):
        if applies:
            return situation
    return Situation.ACKNOWLEDGED


def wrong_arithmetic(observation: Observation) -> JudgedClaim | None:
    """Return the first claim whose own arithmetic does not hold."""
    for judged in observation.claims:
        if judged.mark == "wrong" and judged.claim.true is False and not judged.claim.withdrawn:
            return judged
    return None


def miscalculated(observation: Observation) -> JudgedClaim | None:
    """Return a calculation that stands without its result beside a wrong value, which is then no result of it.

    "72 - 5, so 66 are left": the calculation behind 66 is written, and asking for it would be deaf.
    """
    for place, judged in enumerate(observation.claims):
        value = judged.claim.value
        if judged.mark != "wrong" or judged.claim.operators or value is None or judged.claim.withdrawn:
            continue
        for beside in (*observation.claims[max(place - 1, 0) : place], *observation.claims[place + 1 : place + 2]):
            plan = beside.claim
            if plan.operators and plan.value is None and plan.computed not in {None, value} and not plan.withdrawn:
                return beside
    return None


def slipped(observation: Observation) -> JudgedClaim | None:
    """Return the first calculation of the learner's that does not give what they say."""
    return wrong_arithmetic(observation) or miscalculated(observation)


def open_calculation(observation: Observation, utterance: str) -> JudgedClaim | None:
    """Return the last calculation that does not hold as it is written, though no mark says so.

    Its value may be a step's of another way, or it may be rounded: to work it out once more is right in any case, to
    ask what its value counts is not. What may be read wrongly is left out.
    """
    for judged in reversed(observation.claims):
        claim = judged.claim
        if claim.true is False and not claim.withdrawn and not is_cut_out(claim, utterance) and not adds_units(claim):
            return judged
    return None


def wrong_claim(observation: Observation) -> JudgedClaim | None:
    """Return the first claim marked wrong; where none is but a step is off, the last claim."""
    for judged in observation.claims:
        if judged.mark == "wrong":
            return judged
    return observation.claims[-1] if observation.claims else None


def right_claim(observation: Observation) -> JudgedClaim | None:
    """Return the last claim marked right."""
    right = [judged for judged in observation.claims if judged.mark == "right"]
    return right[-1] if right else None


def _is_finished(turn: TutorTurn) -> bool:
    """Whether the final answer was found in an earlier turn, and nothing in this one takes it back."""
    graph = turn.context.graph
    if graph is None or graph.answer_node is None or turn.observation.first_wrong_node is not None:
        return False
    if any(judged.mark != "right" and not judged.claim.withdrawn for judged in turn.observation.claims):
        return False
    return graph.answer_node in turn.observation.reached and graph.answer_node not in turn.observation.newly_reached


def _answers_small_case(observation: Observation) -> bool:
    frame = observation.frame
    if frame is None or frame.own_instance or frame.value is None:
        return False
    return any(judged.claim.value == frame.value for judged in observation.claims)


def _does_not_follow(turn: TutorTurn) -> bool:
    """Whether the learner claims nothing and says that the last question was no help: the same again would not be."""
    return not turn.observation.claims and is_not_following(turn.context.utterance)


def rung_after(turn: TutorTurn, at_least: Rung, *, highest: int) -> Rung:
    """Return the rung one above the help already given at this step, at least `at_least`, at most `highest`."""
    return Rung(min(max(turn.rung + 1, at_least), highest))
