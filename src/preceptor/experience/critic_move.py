"""What kind of move a reply is, read from its text, and how much it changes from the reply before: for adaptation.

Coarse on purpose: it only has to tell a changed strategy from the same one in other words.
"""

from __future__ import annotations

import re
from enum import StrEnum

from preceptor.experience.critic_cues import read_cues
from preceptor.experience.critic_talk import topic_words
from preceptor.pedagogy.content_words import content_words


class ReplyMove(StrEnum):
    """One coarse pedagogical act."""

    CHANGED_CASE = "changed_case"
    EXAMPLE = "example"
    PICTURE = "picture"
    DECOMPOSE = "decompose"
    ASK_EXPLAIN = "ask_explain"
    RECHECK = "recheck"
    ASK_QUANTITY = "ask_quantity"
    ASK_OTHER = "ask_other"
    TELL = "tell"


_CHANGED = re.compile(
    r"\b(?:suppose|imagine|what if|say (?:you|there|it|we)|pretend|just (?:one|two|1|2)|smaller)\b", re.I
)
_PICTURE = re.compile(
    r"\b(?:draw|picture|sketch|diagram|table|number line|act (?:it )?out|like a|list (?:them|out))\b", re.I
)


def read_move(reply: str) -> ReplyMove:
    """Return the kind of a reply; the most particular one where several fit."""
    cues = read_cues(reply)
    asks = "?" in reply or cues["asks_can_you"] or cues["imperative_first"]
    for there, move in (
        (_PICTURE.search(reply) is not None, ReplyMove.PICTURE),
        (_CHANGED.search(reply) is not None, ReplyMove.CHANGED_CASE),
        (cues["gives_example"], ReplyMove.EXAMPLE),
        (cues["step_by_step"], ReplyMove.DECOMPOSE),
        (asks and (cues["asks_explain"] or cues["asks_why"]), ReplyMove.ASK_EXPLAIN),
        (asks and cues["asks_quantity"], ReplyMove.ASK_QUANTITY),
        (cues["asks_recheck"] or cues["doubts"], ReplyMove.RECHECK),
        (asks, ReplyMove.ASK_OTHER),
    ):
        if there:
            return move
    return ReplyMove.TELL


def adaptation(reply: str, earlier: str, earlier_move: str | None = None) -> int:
    """Return 0 to 4: how far a reply changes the strategy of the one before it, after which the trouble went on.

    Args:
        reply: The reply that is judged.
        earlier: The reply before it.
        earlier_move: That reply's move where it is known by a name of `ReplyMove`; read from its text otherwise.
    """
    likeness = _likeness(content_words(reply), content_words(earlier))
    if likeness >= 0.85:
        return 0
    known = {move.value for move in ReplyMove}
    before = earlier_move if earlier_move in known else read_move(earlier).value
    now = read_move(reply).value
    if now == before:
        asked, asked_before = topic_words(reply), topic_words(earlier)
        if likeness < 0.25 and asked - asked_before:
            return 3
        return 2 if likeness < 0.6 else 1
    if now in (ReplyMove.TELL, ReplyMove.RECHECK, ReplyMove.ASK_OTHER):
        return 3 if likeness < 0.5 else 2
    return 4 if likeness < 0.5 else 3


def _likeness(first: frozenset[str], second: frozenset[str]) -> float:
    return len(first & second) / len(first | second) if first | second else 1.0
