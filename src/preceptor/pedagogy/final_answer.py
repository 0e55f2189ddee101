"""Which of a learner's values is said to be the answer: by a word for it, or in the question's own words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from fractions import Fraction
from functools import lru_cache

from preceptor.domain.claim import Claim
from preceptor.pedagogy.content_words import content_words, head_of, sentence_at

_ANSWER_WORD = re.compile(
    r"\b(?:answer|solution|final (?:result|total|amount|value))\b(?!\s+(?:to|for) (?:that|this|the) (?:part|step))"
    r"|\brespuesta\b|\bsolución\b|\bréponse\b|\b(?:antwort|ergebnis|lösung)\b|الجواب|الإجابة|答案|答：",
    re.IGNORECASE,
)
_CONCLUDES = re.compile(
    r"^\W*(?:(?:and|so|then|oh|ok(?:ay)?|yes|right|i see|finally|now|well)[,.!]?\s+)*(?:so|therefore|thus|hence"
    r"|in total|altogether|finally"
    r"|that means|this means|which means|in the end|overall|por lo tanto|entonces|donc|also|因此|所以|لذلك)\b",
    re.IGNORECASE,
)
_LAST = re.compile(
    r"^\W*(?:(?:and|so|then|now)[,.!]?\s+)*(?:therefore|in total|altogether|finally|lastly|in the end|overall"
    r"|in conclusion)\b",
    re.IGNORECASE,
)
_QUESTION = re.compile(r"[^.!?\n。！？؟]*(?:\.\d[^.!?\n。！？؟]*)*[?？؟]")
_ASKS_FOR_ANSWER = re.compile(
    r"\b(?:answer|solution|final|your result)\b|\bwhat did you get\b|\btry again\b|答案"
    r"|respuesta|réponse|antwort|lösung",
    re.IGNORECASE,
)
_ASKS_FOR_WORK = re.compile(
    r"\bthrough\b|\b(?:solution|answer|workings?|method|thinking|steps|maths)\b"
    r"|\bhow (?:did )?you (?:get|got|solved?|reached?|worked|work|did)\b|\bshow (?:me )?(?:your|the) work",
    re.IGNORECASE,
)
_NOT_ANSWERED = re.compile(
    r"\bthan\b[^.!?]{0,40}$|\b(?:per|in|on|at|by|for|into|within|after|before|from|first|last|next)\s+[$€£]?$",
    re.IGNORECASE,
)
"""What stands before a number that is a side of a comparison, a time or a place, not the answer."""
_CLOSES = re.compile(
    r"\b(?:so|therefore|thus|hence|finally|total|altogether|conclud\w+|in the end|to get|g[ai]ve[sn]? me"
    r"|which (?:was|is|gave))\b",
    re.IGNORECASE,
)
_SO = re.compile(r"\b(?:so|therefore|thus|hence|then|altogether)\b", re.IGNORECASE)
_COMPARES = re.compile(r"\b(?:more|fewer|less|older|younger|longer|shorter|taller|heavier|difference)\b", re.IGNORECASE)
_SHARE = 0.6
"""Share of the question's words that a sentence must repeat to answer it."""


def final_claims(
    text: str,
    claims: Sequence[Claim],
    *,
    goal: str,
    asks_for_answer: bool,
    asks_for_work: bool = False,
    asks_otherwise: bool = False,
    givens: AbstractSet[Fraction] = frozenset(),
) -> frozenset[int]:
    """Return the indices of the claims that state the final answer.

    Args:
        text: The utterance.
        claims: Its claims, in reading order.
        goal: The problem's own question; empty: not known.
        asks_for_answer: The tutor's last turn asks for the answer as a whole.
        asks_for_work: It asks for the whole way: the last value of such a reply is the learner's answer.
        asks_otherwise: It asks for another value: then the question's own words alone make no answer.
        givens: Quantities of the problem's text: repeated without a calculation they are no answer.
    """
    standing = [place for place, claim in enumerate(claims) if claim.value is not None and not claim.withdrawn]
    if not standing:
        return frozenset()
    found = set(named_finals(text, claims))
    own = [place for place in standing if claims[place].operators or claims[place].value not in givens]
    words = len(re.findall(r"[^\W\d_]{2,}", text))
    if len(standing) == 1 and asks_for_answer and words <= (4 if own else 1) and not claims[standing[-1]].operators:
        found.add(standing[-1])
    if not own:
        if _answers(text, claims[standing[-1]], goal, asks_otherwise=asks_otherwise):
            found.add(standing[-1])
        return frozenset(found)
    last = own[-1]
    if asks_for_work and _ends_the_way(text, claims, own):
        found.add(last)
    if _answers(text, claims[last], goal, asks_otherwise=asks_otherwise) and _alone(text, claims, own, last):
        found.add(last)
    return frozenset(found)


def closing_finals(
    text: str, claims: Sequence[Claim], finals: AbstractSet[int], *, goal: str, asks_for_work: bool
) -> frozenset[int]:
    """Return those final answers that close the utterance beyond doubt, even where a step has the same value."""
    standing = [place for place, claim in enumerate(claims) if claim.value is not None and not claim.withdrawn]
    found: set[int] = set()
    for place in finals:
        head = head_of(text, claims[place].start)
        if place != standing[-1] or claims[place].operators or not _CONCLUDES.search(head):
            continue
        wanted = content_words(_asking_part(goal))
        sentence = content_words(sentence_at(text, claims[place].start, claims[place].end))
        if asks_for_work or (len(wanted) >= 2 and len(wanted & sentence) >= 0.75 * len(wanted)):
            found.add(place)
    return frozenset(found)


def named_finals(text: str, claims: Sequence[Claim]) -> frozenset[int]:
    """Return the indices of the claims that are called the answer."""
    found: set[int] = set()
    for place, claim in enumerate(claims):
        head = head_of(text, claim.start)
        word = list(_ANSWER_WORD.finditer(head))
        if claim.value is None or claim.withdrawn or not word:
            continue
        if not re.search(r"\d", head[word[-1].end() :]) and not _other_answer(head[: word[-1].end()]):
            found.add(place)
    last = claims[-1] if claims else None
    if last is not None and last.value is not None and not last.operators and _stands_alone(text, last):
        found.add(len(claims) - 1)
    return frozenset(found)


def _stands_alone(text: str, claim: Claim) -> bool:
    """Whether a value closes a longer text on a line or in a sentence of its own: "…so 4 bags. 4"."""
    head, tail = head_of(text, claim.start), text[claim.end :]
    if re.search(r"[^\W_]", head) or len(re.findall(r"[^\W\d_]+", tail)) > 2 or re.search(r"\d", tail):
        return False
    return len(re.findall(r"[^\W\d_]+", text[: claim.start])) >= 3


def concludes(text: str, start: int) -> bool:
    """Whether the sentence that leads to a place begins as the last of a way: "Finally", "Therefore", "In total"."""
    return bool(_LAST.search(head_of(text, start)))


def asks_for_answer(said: str | None) -> bool:
    """Whether a tutor's turn asks for the answer as a whole."""
    return bool(said and _ASKS_FOR_ANSWER.search(said))


def asks_for_work(said: str) -> bool:
    """Whether a tutor's turn asks for the whole way to the answer, not for the reason of one step."""
    return bool(_ASKS_FOR_WORK.search(said))


@lru_cache(maxsize=256)
def goal_question(problem: str) -> str:
    """Return the problem's own question, the last one; empty where it has none."""
    questions = _QUESTION.findall(problem)
    return questions[-1].strip() if questions else ""


def _other_answer(head: str) -> bool:
    """Whether the answer spoken of is an earlier or a denied one."""
    return bool(
        re.search(
            r"\b(?:first|previous|old|wrong|your|not the|isn't the|forgot the) (?:\w+ )?(?:answer|solution)\W*$",
            head,
            re.IGNORECASE,
        )
    )


def _ends_the_way(text: str, claims: Sequence[Claim], own: Sequence[int]) -> bool:
    """Whether the last value closes an account of a whole way: two calculations, or values that lead to a total."""
    last = claims[own[-1]]
    if last.operators and sum(1 for place in own if claims[place].operators) >= 2:
        return True
    head = head_of(text, last.start)
    if last.value == 1 or _NOT_ANSWERED.search(head):
        return False
    return len(own) >= 2 and bool(_CLOSES.search(head))


def _alone(text: str, claims: Sequence[Claim], own: Sequence[int], last: int) -> bool:
    """Whether no other value of the learner's stands in the same sentence before the calculation it ends."""
    start = len(text[: claims[last].start]) - len(head_of(text, claims[last].start))
    turns = [match.end() for match in _SO.finditer(text, start, claims[last].start)]
    start = turns[-1] if turns else start
    return all(claims[place].end <= start or place == last or bool(claims[last].operators) for place in own)


def _answers(text: str, claim: Claim, goal: str, *, asks_otherwise: bool) -> bool:
    wanted = content_words(_asking_part(goal))
    if not wanted:
        return False
    sentence = sentence_at(text, claim.start, claim.end)
    share = len(wanted & content_words(sentence)) / len(wanted)
    head = head_of(text, claim.start)
    if not claim.operators and (claim.value == 1 or _NOT_ANSWERED.search(head)):
        return False
    if _COMPARES.search(goal) and not _COMPARES.search(sentence):
        return False
    if share >= (0.75 if claim.operators else _SHARE) and _CONCLUDES.search(head_of(text, claim.start)):
        return True
    return share >= 0.75 and len(wanted) >= 2 and not asks_otherwise


def _asking_part(goal: str) -> str:
    """Return a question from its last "how" or "what" on."""
    starts = [match.start() for match in re.finditer(r"\b(?:how|what|which|who|find|calculate)\b", goal, re.IGNORECASE)]
    return goal[starts[-1] :] if starts else goal
