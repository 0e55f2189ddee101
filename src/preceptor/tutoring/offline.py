"""Replies to recorded dialogues: the live turn's own maker, without a record."""

from __future__ import annotations

from dataclasses import dataclass, replace

from preceptor.domain.dialogue import Dialogue, Turn
from preceptor.domain.observation import Observation
from preceptor.domain.problem import Problem
from preceptor.errors import InputError, ModelError
from preceptor.pedagogy.dialogue_formats import problem_of
from preceptor.pedagogy.turn_context import TurnContext
from preceptor.pedagogy.wording import written_lines
from preceptor.record.kinds import TurnRecordBody
from preceptor.tutoring.stored_dialogue import graph_of
from preceptor.tutoring.turn import TurnMaker, TurnTrace
from preceptor.tutoring.turn_record import record_body

DRAFTS_KEPT = 5000
"""Drafts remembered, so that a dialogue replied to turn by turn is not drafted over and over."""
_DRAFTS: dict[tuple[str, tuple[Turn, ...]], str] = {}


@dataclass(frozen=True, kw_only=True)
class OfflineReply:
    """One reply, with what was read and observed."""

    turn: int
    """0-based index of the turn replied to."""
    record: TurnRecordBody
    wrong_line_turn: int | None
    """0-based turn whose learner utterance holds the line that goes off first; `None`: not known."""
    wrong_line_index: int | None
    """0-based line of that utterance (sentence, where it has one line); `None`: not known."""


async def reply_offline(maker: TurnMaker, dialogue: Dialogue, place: int) -> OfflineReply:
    """Reply to one learner utterance of a dialogue from what came before it.

    Args:
        maker: The engines.
        dialogue: A whole dialogue; what stands after `place` is not looked at.
        place: 0-based index of the turn to reply to.

    Raises:
        InputError: The dialogue has no such turn.
        ModelError: The model failed.
    """
    if not 0 <= place < len(dialogue.turns):
        raise InputError(f"dialogue {dialogue.dialogue_id!r} has turns 0..{len(dialogue.turns) - 1}, got {place}")
    problem = problem_of(dialogue)
    context = context_at(dialogue, place, problem)
    if any(turn.tutor and turn.frame is None for turn in context.history):
        context = replace(context, said=await _own_words(maker, dialogue, place, problem))
    trace = TurnTrace()
    async for _ in maker.run(context, trace):
        pass
    if trace.reply is None:
        raise ModelError(f"dialogue {dialogue.dialogue_id!r}: no reply was made")
    line_turn, line_index = _place_of_line(dialogue, place, trace.observation)
    return OfflineReply(
        turn=place,
        record=record_body(trace, last_event_id=0),
        wrong_line_turn=line_turn,
        wrong_line_index=line_index,
    )


def context_at(dialogue: Dialogue, place: int, problem: Problem) -> TurnContext:
    """Return what observer and tutor may see at one turn of a dialogue."""
    return TurnContext(
        problem=problem,
        graph=graph_of(problem),
        history=dialogue.turns[:place],
        utterance=dialogue.turns[place].learner,
        language=problem.language,
    )


async def _own_words(maker: TurnMaker, dialogue: Dialogue, place: int, problem: Problem) -> tuple[str, ...]:
    """Return the builtin tutor's own words at earlier turns of another tutor's dialogue, so that none comes twice."""
    said: tuple[str, ...] = ()
    for earlier in range(place):
        if not dialogue.turns[earlier].learner.strip():
            continue
        key = (problem.text, dialogue.turns[: earlier + 1])
        if key not in _DRAFTS:
            if len(_DRAFTS) >= DRAFTS_KEPT:
                _DRAFTS.clear()
            _DRAFTS[key] = await maker.draft(replace(context_at(dialogue, earlier, problem), said=said))
        said = (*said, _DRAFTS[key])
    return said


def _place_of_line(dialogue: Dialogue, place: int, observation: Observation | None) -> tuple[int | None, int | None]:
    """Return turn and line of what goes off first: in the utterance itself, else in the latest turn that holds it."""
    wrong = observation.wrong_line.strip() if observation is not None and observation.wrong_line else ""
    for turn in range(place, -1, -1) if wrong else ():
        for index, line in enumerate(written_lines(dialogue.turns[turn].learner)):
            if wrong in line or line in wrong:
                return turn, index
    return None, None
