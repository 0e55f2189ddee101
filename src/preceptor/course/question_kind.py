"""What form of answer a question asks for, and whether a text has that form; six languages, by patterns."""

from __future__ import annotations

import re
from typing import Literal, get_args

from preceptor.course.terms import plain_runs, text_terms

QuestionKind = Literal["definition", "reason", "number", "how_to"]
KINDS: tuple[QuestionKind, ...] = get_args(QuestionKind)

LEAD_WORDS = 4
"""Words before a defined term in a definition: "In this course a heap is". (chosen)"""
_COPULAS = frozenset(
    "is are means mean denotes refers consists es son significa est sont signifie ist sind heißt heisst bedeutet "
    "bezeichnet".split()
)
_CALLED = frozenset("called named llama llamado llamada appelle appelée appelé genannt heißt nennt".split())

_ASKS: dict[QuestionKind, re.Pattern[str]] = {
    "definition": re.compile(
        r"\b(?:what(?:'?s| is| are| does)|define|definition|meaning|means?\b(?=\W*\Z)|stand for)\b"
        r"|\bqué (?:es|son|significa)|qu'est-ce|\bwas (?:ist|sind|heißt|bedeutet)"
        r"|ما (?:هو|هي|معنى)|什么是|是什么|定义|什么意思",
        re.IGNORECASE,
    ),
    "reason": re.compile(
        r"\b(?:why|how come|reason|what for|cause[sd]?)\b|\bpor qué\b|\bpourquoi\b"
        r"|\b(?:warum|wieso|weshalb)\b|لماذا|为什么",
        re.IGNORECASE,
    ),
    "number": re.compile(
        r"\b(?:how (?:many|much|long|far|big|hot|cold|often|high|deep|fast|old)|when|percent)\b|%"
        r"|\bcuánt[oa]s?\b|\bcuándo\b|\bcombien\b|\bquand\b|\bwie ?viele?\b|\bwann\b|كم|متى|多少|几个|什么时候",
        re.IGNORECASE,
    ),
    "how_to": re.compile(
        r"\b(?:how (?:do|can|to|should|could|would)|can i|should i|do i|way to|steps?)\b|\bcómo\b|\bcomment\b"
        r"|\bwie (?:kann|macht|mache|soll|geht|funktioniert)|كيف|怎么|如何|怎样",
        re.IGNORECASE,
    ),
}
_HAS: dict[QuestionKind, re.Pattern[str]] = {
    "definition": re.compile(
        r"\b(?:is|are|means?|denotes?|is called|are called|refers? to|consists? of|stands for|we call)\b"
        r"|\b(?:es|son|significa|se llama)\b|\b(?:est|sont|signifie|s'appelle)\b"
        r"|\b(?:ist|sind|heißt|bedeutet|bezeichnet)\b|(?:هو|هي|يعني)|是|称为|指的是",
        re.IGNORECASE,
    ),
    "reason": re.compile(
        r"\b(?:because|since|so that|therefore|hence|thus|due to|as a result|which means|otherwise|that is why)\b|, so "
        r"|\b(?:porque|ya que|por eso)\b|\b(?:parce que|car|puisque|donc)\b|\b(?:weil|denn|deshalb|daher|dadurch)\b"
        r"|(?:لأن|بسبب|لذلك)|因为|所以|因此|由于",
        re.IGNORECASE,
    ),
    "number": re.compile(
        r"\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|dozen|hundred|thousand|million|half|quarter)\b"
        r"|\b(?:dos|tres|cuatro|cinco|diez|deux|trois|quatre|cinq|dix|zwei|drei|vier|fünf|zehn)\b|[一二三四五六七八九十百千]",
        re.IGNORECASE,
    ),
    "how_to": re.compile(
        r"(?:^|[.:;!?]\s+)(?:to \w+, )?(?:then |first |next |always |never )?(?:add|ask|build|change|check|choose|"
        r"compare|convert|count|cut|divide|find|give|keep|look|make|mark|move|multiply|name|note|press|put|read|rename|round|"
        r"run|set|simplify|solve|subtract|swap|take|test|turn|use|weight|write|draw|say|bring|do not|don't)\b",
        re.IGNORECASE | re.MULTILINE,
    ),
}


def asked_kinds(question: str) -> frozenset[QuestionKind]:
    """Return the forms that a question asks for; often one, sometimes none or several."""
    return frozenset(kind for kind in KINDS if _ASKS[kind].search(question))


def main_kind(question: str) -> QuestionKind | None:
    """Return the one form that a reply closes by: a reason before steps, these before a number and a definition."""
    asked = asked_kinds(question)
    return next((kind for kind in ("reason", "how_to", "number", "definition") if kind in asked), None)


def defines_any(text: str, asked: frozenset[str]) -> bool:
    """Return whether a text says at its beginning what one of the asked words is, or ends by calling something so.

    Args:
        text: A sentence.
        asked: Terms of the question, stemmed as `text_terms` gives them.
    """
    words = plain_runs(text)
    for place, word in enumerate(words):
        if place <= LEAD_WORDS and not asked.isdisjoint(text_terms(word)):
            if not _COPULAS.isdisjoint(words[place + 1 : place + 4]):
                return True
        elif word in _CALLED and any(not asked.isdisjoint(text_terms(one)) for one in words[place + 1 : place + 4]):
            return True
    return False


def has_form(text: str, kind: QuestionKind) -> bool:
    """Return whether a text has the form of such an answer: says what a thing is, gives a reason, a number, a step."""
    return bool(_HAS[kind].search(text))
