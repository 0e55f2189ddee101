"""A trace in a dialogue: which search problem it is about, what the learner has written so far, and the reply to it.

The state is the checker's (`tracing/`), never a model's text. Nothing is kept beside the dialogue: problem, trace and
attempts are read from its turns.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from preceptor.course.answer_phrases import phrase
from preceptor.domain.problem import Problem
from preceptor.domain.reply import Reply, Rung
from preceptor.errors import InputError
from preceptor.pedagogy.intent import is_lost
from preceptor.pedagogy.intent_cues import signals_in
from preceptor.pedagogy.turn_context import TurnContext
from preceptor.pedagogy.tutor import TutorTurn
from preceptor.tracing.checking import TraceVerdict
from preceptor.tracing.dialogue_trace import check, feedback, find_trace_problem, read_trace
from preceptor.tracing.problem import TraceProblem
from preceptor.tracing.rules import CourseRules, read_rules
from preceptor.tracing.state_view import state_view

FIRST_TIER = Rung.LOCATE
"""Help at a step that was not asked about yet: its node is named. (seed: KITE names the missed update at once)"""
RULES_FOLDER = "trace_rules"
"""Under the home folder: SUBJECT.toml holds what a course lays down about traces."""
MOST_JOINED = 6
"""Earlier messages that a trace is taken to go on from, at most. (chosen)"""
_TRACE_BEGINS = re.compile(
    r"^[^\n]*\b(?:my )?(?:trace|traza|durchlauf|ablauf)\b|^\s*(?:step|schritt|paso|étape)\s*\d|^\s*expand"
    r"|^\s*(?:OPEN|CLOSED)\b|^\s*1\s*[.)]\s|^\s*\|",
    re.IGNORECASE | re.MULTILINE,
)


@dataclass(frozen=True, kw_only=True)
class DialogueTrace:
    """What one turn has to do with a trace."""

    problem: TraceProblem
    verdict: TraceVerdict | None
    """On the trace as it stands; `None`: nothing of it was written yet."""
    now: bool
    """This very message holds steps."""


def trace_problem(turn: TurnContext, *, in_course: bool) -> tuple[TraceProblem | None, bool]:
    """Return the search problem of a dialogue, and whether this very message states it.

    Args:
        turn: The dialogue.
        in_course: It is about a course: then problems pasted into the conversation count, the latest first.
    """
    if in_course:
        here = _find(turn.utterance)
        if here is not None:
            return here, True
        for earlier in reversed(turn.history):
            if (found := _find(earlier.learner)) is not None:
                return found, False
    return _find(turn.problem.text), False


def dialogue_trace(turn: TurnContext, rules: CourseRules, *, in_course: bool) -> DialogueTrace | None:
    """Return what a turn has to do with a trace; `None`: the dialogue holds no search problem."""
    problem, stated_here = trace_problem(turn, in_course=in_course)
    if problem is None:
        return None
    said = _after_problem(turn.utterance) if stated_here else turn.utterance
    earlier = _earlier_steps(turn, problem, rules)
    if _steps(said, problem):
        return DialogueTrace(problem=problem, verdict=_best(earlier, said, problem, rules), now=True)
    verdict = _verdict("\n".join(earlier), problem, rules) if earlier else None
    return DialogueTrace(problem=problem, verdict=verdict, now=False)


class TracingTutor:
    """Replies to a trace: confirms what holds and asks about one step, more plainly each time it comes back."""

    def __init__(self, trace: DialogueTrace, *, rungs: Mapping[int, Rung], highest: int) -> None:
        """Take the trace.

        Args:
            trace: Of this turn.
            rungs: Help given so far, by number of the wrong step.
            highest: Highest help allowed.
        """
        self._trace = trace
        self._rungs = rungs
        self._highest = Rung(highest)

    async def reply(self, turn: TutorTurn) -> AsyncIterator[str | Reply]:
        """Yield the reply in one piece, then whole."""
        whole = self.compose(turn)
        yield whole.text
        yield whole

    def compose(self, turn: TutorTurn) -> Reply:
        """Return the whole reply to one turn."""
        language = turn.context.language
        verdict = self._trace.verdict
        asks = bool(signals_in(turn.context.utterance, ("asks_for_work", "ask_answer"))) and not self._trace.now
        if verdict is None:
            made = _verdict("", self._trace.problem, CourseRules())
            reply = replace(feedback(made, Rung.NUDGE, language), text=phrase(language, "trace_opening"))
        else:
            reply = replace(feedback(verdict, self._tier(verdict, turn), language), node=verdict.wrong_step)
        if asks:
            reply = replace(reply, text=f"{phrase(language, 'no_trace')} {reply.text}")
        return reply

    def _tier(self, verdict: TraceVerdict, turn: TutorTurn) -> Rung:
        given = self._rungs.get(verdict.wrong_step or -1, Rung.NONE)
        if turn.avoid:
            return Rung.NUDGE
        return Rung(min(max(FIRST_TIER, given + 1), self._highest))


def shown_state(trace: DialogueTrace) -> dict[str, Any] | None:
    """Return OPEN and CLOSED after the last right step; `None`: nothing was written yet, or nothing is certain."""
    verdict = trace.verdict
    return state_view(verdict) if verdict is not None and verdict.confirmed and verdict.status != "unread" else None


def wants_trace_help(turn: TutorTurn) -> bool:
    """Return whether a message without steps asks for the trace's next hint, not for something of the course."""
    said = turn.context.utterance
    return turn.stuck or not said.strip() or is_lost(said) or bool(signals_in(said, ("asks_for_work", "ask_answer")))


def course_rules(home: Path, subject_id: str) -> CourseRules:
    """Return what a course lays down about traces; the textbooks' defaults where it lays down nothing.

    Raises:
        InputError: The file is there and cannot be read.
    """
    path = home / RULES_FOLDER / f"{subject_id}.toml"
    return read_rules(path) if path.is_file() else CourseRules()


def states_problem(problem: Problem) -> bool:
    """Return whether a problem's text is an exercise in tracing a search."""
    return _find(problem.text) is not None


@lru_cache(maxsize=512)
def _find(text: str) -> TraceProblem | None:
    return find_trace_problem(text) if text.strip() else None


def _after_problem(text: str) -> str:
    """Return what follows the problem in a message that states it: the first line that begins a trace, and on."""
    begins = _TRACE_BEGINS.search(text)
    return text[begins.start() :] if begins else ""


def _steps(text: str, problem: TraceProblem) -> int:
    try:
        return len(read_trace(text, problem).steps) if text.strip() else 0
    except InputError:
        return 0


def _verdict(text: str, problem: TraceProblem, rules: CourseRules) -> TraceVerdict:
    return check(read_trace(text, problem, rules), problem, rules)


def _earlier_steps(turn: TurnContext, problem: TraceProblem, rules: CourseRules) -> list[str]:
    """Return the messages that make up the trace before this one: each goes on from the last, or replaces it."""
    held: list[str] = []
    for earlier in turn.history:
        text = _after_problem(earlier.learner) if _find(earlier.learner) is not None else earlier.learner
        if _steps(text, problem):
            held = _joined(held, text, problem, rules)
    return held


def _joined(held: list[str], text: str, problem: TraceProblem, rules: CourseRules) -> list[str]:
    alone = _verdict(text, problem, rules)
    for first in range(len(held)):
        longer = [*held[first:], text][-MOST_JOINED:]
        if _verdict("\n".join(longer), problem, rules).right_steps > alone.right_steps:
            return longer
    return [text]


def _best(held: list[str], text: str, problem: TraceProblem, rules: CourseRules) -> TraceVerdict:
    return _verdict("\n".join(_joined(held, text, problem, rules)), problem, rules)
