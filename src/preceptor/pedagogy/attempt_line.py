"""The line in which an attempt goes off first, in the learner's own words.

An account of the whole way is laid beside the worked solution (`maths.first_wrong_step`) and its lines are ranked,
even where no single claim can be called wrong. A shorter turn names the sentence of its first wrong claim, or, where
it only says a wrong value, the line of the account given before it.
"""

from __future__ import annotations

from preceptor.maths.first_wrong_step import compare, judge
from preceptor.maths.step_graph import StepGraph
from preceptor.pedagogy.final_answer import concludes
from preceptor.pedagogy.judging import Verdict
from preceptor.pedagogy.turn_findings import TurnFindings, is_off, sets_up
from preceptor.pedagogy.wording import written_lines

_LEAST_LINES = 2
"""From here on an utterance is an account whose lines can be ranked against each other."""
_MOST_LINES = 40


def account_line(turn: TurnFindings, graph: StepGraph | None, language: str = "en") -> str | None:
    """Return the line that goes off first where the turn tells a way and comes out wrong; `None`: it does not.

    Args:
        turn: What was found in the utterance.
        graph: The worked solution; `None`: not known, or it contradicts itself.
        language: Tag of the session.
    """
    lines = written_lines(turn.text)
    if graph is None or turn.solved or not _is_account(turn, lines):
        return None
    comparison = compare(graph, lines, language)
    index = judge(comparison).index if turn.slipped or not comparison.final_right else None
    return None if index is None else lines[index]


def wrong_line(turn: TurnFindings, account: str | None) -> str | None:
    """Return the line that the turn record names; `None`: nothing wrong, or not known.

    Args:
        turn: What was found in the utterance.
        account: What `account_line` gave for it.
    """
    if account is not None or not turn.is_wrong:
        return account
    own = _first_suspect(turn)
    if turn.before.account_line is not None and (own is None or not own.read.claim.operators):
        return turn.before.account_line
    return None if own is None else _line_at(turn.text, own.read.claim.start)


def _is_account(turn: TurnFindings, lines: tuple[str, ...]) -> bool:
    """Whether the turn tells a way that is off, that ends in something not found right, or that is said to end."""
    values = [verdict for verdict in turn.kept if not verdict.read.claim.withdrawn]
    worked_out = [verdict for verdict in values if verdict.read.claim.operators or verdict.read.claim.unknown]
    if not _LEAST_LINES <= len(lines) <= _MOST_LINES or not (worked_out or len(values) > 1):
        return False
    last = values[-1]
    if turn.is_wrong or (last.final and concludes(turn.text, last.read.claim.start)):
        return True
    return last.mark != "right" and (not worked_out or worked_out[-1].mark != "right")


def _first_suspect(turn: TurnFindings) -> Verdict | None:
    """Return the first claim that is wrong or no step of the reference."""
    answered = any(verdict.final and verdict.mark == "wrong" for verdict in turn.kept)
    for verdict in turn.kept:
        if verdict.mark == "wrong" or is_off(verdict) or (answered and sets_up(verdict)):
            return verdict
    return None


def _line_at(text: str, start: int) -> str | None:
    """Return the line, as `written_lines` cuts them, that holds a place of the text."""
    place = 0
    found: str | None = None
    for line in written_lines(text):
        at = text.find(line, place)
        if at > start:
            break
        found, place = line, max(at, place)
    return found
