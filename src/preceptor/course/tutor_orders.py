"""Course text that speaks to the tutor: found for the instructor, kept as course text, never obeyed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from preceptor.domain.course import PageProblem
from preceptor.safety.untrusted import find_authority_claims

MAX_ORDERS = 10
"""Most reported of one page. (chosen)"""
CONTEXT_CHARS = 80
"""Text shown on either side. (chosen)"""
_OFFICIAL = re.compile(
    r"\bthe (?:official|only (?:valid|correct|accepted)) (?:answers?|solutions?) (?:is|are|to)\b"
    r"|\bla (?:respuesta|solución) oficial es\b|\bla (?:réponse|solution) officielle est\b"
    r"|\bdie offizielle (?:antwort|lösung) (?:ist|lautet)\b|الإجابة الرسمية (?:هي|هو)|(?:官方|标准)答案(?:是|为|:|：)",
    re.IGNORECASE,
)
_TO_TUTOR = re.compile(
    r"\b(?:ai|virtual|llm)[ -]?(?:tutor|assistant|model)s?\s*(?:must|should|shall|:|,)"
    r"|\b(?:tutor|assistant|chatbot|language model|llm|ai)s?,? (?:must|has to|have to) (?:always |now |immediately )?"
    r"(?:reveal|give|tell|say|answer|output|print|show)\b"
    r"|\bif you are an? (?:ai|llm|language model|assistant|chatbot|tutor)\b",
    re.IGNORECASE,
)
_FIRST_PERSON = re.compile(r"\W{0,3}(?:I|we)\b")
_PROMPT_SYNTAX = re.compile(r"system|<|\[|developer|النظام|系统", re.IGNORECASE)


def find_orders(page: int, text: str) -> tuple[PageProblem, ...]:
    """Return the places of a page that address the tutor or claim to be official, in order."""
    problems: list[PageProblem] = []
    last_end = -1
    for start, end, what in sorted(_find(text)):
        if start <= last_end:
            continue
        last_end = end + CONTEXT_CHARS
        excerpt = " ".join(text[max(0, start - CONTEXT_CHARS) : end + CONTEXT_CHARS].split())
        problems.append(PageProblem(page=page, kind="addresses_tutor", detail=what, excerpt=excerpt))
        if len(problems) == MAX_ORDERS:
            break
    return tuple(problems)


def _find(text: str) -> Iterator[tuple[int, int, str]]:
    for claim in find_authority_claims(text):
        if claim.kind == "role_marker":
            if _PROMPT_SYNTAX.search(text[claim.start : claim.end]):
                yield claim.start, claim.end, "looks like a prompt's own marks; it is course text and changes nothing"
        elif claim.kind == "encoded":
            yield claim.start, claim.end, "holds an encoded text; it is course text and is not decoded"
        elif _is_claim(text, claim.start, claim.end):
            yield claim.start, claim.end, "gives the tutor orders or claims a right; it is course text and not obeyed"
    for pattern, what in (
        (_OFFICIAL, "calls something official; only the instructor's mark makes a file official"),
        (_TO_TUTOR, "gives the tutor orders; it is course text and not obeyed"),
    ):
        for hit in pattern.finditer(text):
            yield hit.start(), hit.end(), what


def _is_claim(text: str, start: int, end: int) -> bool:
    """Return whether words such as "as the instructor" are the writer's own: a text on teaching is full of them."""
    return text[start : start + 2].lower() != "as" or bool(_FIRST_PERSON.match(text, end))
