"""Clauses of an utterance and what each one is: claim, operation, quotation, question, acknowledgement and so on.

By cue words per language, most telling kind first; nothing here judges whether a claim is right.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from preceptor.domain.claim import Claim, ClauseKind
from preceptor.maths.claims import MAX_TEXT, read_claims
from preceptor.maths.clean_text import clean
from preceptor.maths.cue_words import (
    ACKNOWLEDGEMENT,
    AFFECT,
    CLAUSE_BREAK,
    CORRECTION,
    HEDGE,
    OPERATION,
    QUESTION,
    cue,
)
from preceptor.maths.text_numbers import find_numbers


@lru_cache(maxsize=16)
def _cues(language: str) -> dict[str, re.Pattern[str]]:
    tables = {
        "question": QUESTION,
        "hedge": HEDGE,
        "correction": CORRECTION,
        "acknowledgement": ACKNOWLEDGEMENT,
        "affect": AFFECT,
        "operation": OPERATION,
        "break": CLAUSE_BREAK,
    }
    return {name: re.compile(cue(table, language), re.IGNORECASE) for name, table in tables.items()}


def read_clauses(
    text: str, language: str = "en", *, given: Sequence[Fraction] = (), claims: Sequence[Claim] | None = None
) -> tuple[tuple[ClauseKind, int, int], ...]:
    """Return each clause's kind and span (end exclusive), in reading order.

    Args:
        text: An utterance; at most its first 4,000 characters are read.
        language: Tag; en is full, es, fr, de, ar and zh have their main cues, others are read as English.
        given: Values of the problem's quantities: a clause that only repeats them is a quotation.
        claims: What `read_claims` returned for the same text, where it is known already.

    A clause with a computed result or a value that is not given is a claim, whatever else it does; a question is a
    question even with numbers in it.
    """
    cleaned = clean(text[:MAX_TEXT])
    cues = _cues(language[:2].lower())
    stated = claims if claims is not None else read_claims(text, language)
    found: list[tuple[ClauseKind, int, int]] = []
    start = 0
    breaks = [(match.start(), match.end()) for match in cues["break"].finditer(cleaned.text)]
    for stop, following in [*breaks, (len(cleaned.text), len(cleaned.text))]:
        piece = cleaned.text[start:stop]
        if piece.strip():
            left = start + len(piece) - len(piece.lstrip())
            first, last = cleaned.span(left, max(left + 1, stop))
            asks = "?" in cleaned.text[stop:following] or "?" in piece
            inside = [claim for claim in stated if first <= claim.start < last]
            found.append((_kind(piece.strip(), inside, cues, asks=asks, given=given, language=language), first, last))
        start = following
    return tuple(found)


def _kind(
    piece: str,
    claims: Sequence[Claim],
    cues: dict[str, re.Pattern[str]],
    *,
    asks: bool,
    given: Sequence[Fraction],
    language: str,
) -> ClauseKind:
    lower = piece.casefold()
    bare = not re.search(r"[^\W\d_]{2,}", piece)
    if (asks and not bare) or (cues["question"].search(lower) and "=" not in piece):
        return ClauseKind.QUESTION
    if cues["correction"].search(lower):
        return ClauseKind.CORRECTION
    if any(_says_something(claim, given) for claim in claims):
        return ClauseKind.CLAIM
    if cues["operation"].search(lower) or any(claim.operators for claim in claims):
        return ClauseKind.OPERATION
    if claims:
        return ClauseKind.QUOTATION if given else ClauseKind.CLAIM
    if cues["acknowledgement"].search(lower) and not cues["affect"].search(lower):
        return ClauseKind.ACKNOWLEDGEMENT
    if cues["affect"].search(lower):
        return ClauseKind.AFFECT
    if cues["hedge"].search(lower):
        return ClauseKind.HEDGE
    if given and any(number.value in given for number in find_numbers(piece, language)):
        return ClauseKind.QUOTATION
    return ClauseKind.OTHER


def _says_something(claim: Claim, given: Sequence[Fraction]) -> bool:
    if claim.value is None:
        return False
    return bool(claim.operators) or claim.unknown is not None or not given or claim.value not in given
