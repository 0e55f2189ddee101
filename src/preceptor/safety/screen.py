"""Looks for signs of danger in what a learner wrote or a tutor is about to say; runs before any engine.

It errs towards stopping: a joking "I want to die lol" counts, ordinary frustration with the work does not. It is a
set of written rules in six languages, no diagnosis of a person, and it misses what is said in no listed way.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, cast

from preceptor.safety.folding import Folded, fold, respell, views
from preceptor.safety.rules import LANGUAGES, LanguageSigns, Row, Sign, load_signs, may_read

ScreeningKind = Literal["none", "distress", "danger_to_others", "abuse", "inappropriate"]

QUOTE_WORDS = 5
"""A run of so many words (Chinese: characters, twice as many) that also stands in the problem is a quotation."""

_WORD = re.compile(r"[\u3400-\u9fff]|[^\W_]+")
_RANK = {"distress": 4, "danger_to_others": 3, "abuse": 2, "inappropriate": 1}


@dataclass(frozen=True, kw_only=True)
class Screening:
    """What the rules found in one text; the gravest sign where there are several."""

    kind: ScreeningKind
    category: str = ""
    """Finer than kind: suicide, self_harm, severe_distress, physical_abuse, threat, insult …; empty for `none`."""
    evidence_start: int = 0
    evidence_end: int = 0
    """Span in the text screened, end exclusive; both 0 for `none`."""
    severity: int = 0
    """0 none, 1 look at it, 2 serious, 3 a life may be at risk."""

    @property
    def stops_tutoring(self) -> bool:
        """Whether this turn is answered with care in place of teaching, and flagged."""
        return self.kind in {"distress", "danger_to_others", "abuse"}


NOTHING = Screening(kind="none")


def screen(text: str, language: str = "en", *, problem_text: str | None = None) -> Screening:
    """Return the gravest sign in a text.

    Args:
        text: What the learner wrote, or a reply.
        language: The session's language; its rules are tried first, all others after it.
        problem_text: The problem's text; what is quoted from it does not count.
    """
    problem = fold(problem_text).text if problem_text else ""
    order = sorted(LANGUAGES, key=lambda one: one != language.split("-")[0].lower())
    best = NOTHING
    for view in views(text):
        rules = [load_signs(one) for one in order if may_read(one, view.text)]
        blanked = _blank(view.text, rules)
        for one in rules:
            found = list(_find(view, blanked, one, problem))
            respelt = respell(view, one.spellings)
            if respelt is not view:
                found += _find(respelt, _blank(respelt.text, rules), one, problem)
            best = max([best, *found], key=_weight)
    return best


def _blank(text: str, rules: list[LanguageSigns]) -> str:
    """Return the text with the shields of all these languages blanked; the length does not change."""
    for one in rules:
        if one.shields:
            text = one.shields.sub(lambda hit: "#" * len(hit.group()), text)
    return text


def _weight(found: Screening) -> tuple[bool, int, int]:
    return found.stops_tutoring, found.severity, _RANK.get(found.kind, 0)


def _find(view: Folded, blanked: str, rules: LanguageSigns, problem: str) -> Iterator[Screening]:
    quoted = _word_runs(problem)
    rows = rules.rows_worth_a_search(blanked)
    for sign in rules.signs:
        if sign.not_if_problem and sign.not_if_problem.search(problem):
            continue
        for hit in _hits(sign, blanked, rows):
            sentence = _sentence(blanked, hit.start(), hit.end())
            if sign.soft and rules.task.search(sentence):
                continue
            if sign.unless and sign.unless.search(sentence):
                continue
            if quoted and _is_quoted(view.text, hit.start(), hit.end(), quoted):
                continue
            yield _screening(view, sign, hit.start(), hit.end())
            break


def _hits(sign: Sign, text: str, rows: set[Row]) -> Iterator[re.Match[str]]:
    for row in sign.rows:
        if row in rows:
            yield from row.pattern.finditer(text)


def _screening(view: Folded, sign: Sign, start: int, end: int) -> Screening:
    first, last = view.span(start, end)
    return Screening(
        kind=cast(ScreeningKind, sign.kind),
        category=sign.category,
        evidence_start=first,
        evidence_end=last,
        severity=sign.severity,
    )


def _sentence(text: str, start: int, end: int) -> str:
    after = text.find("\n", end)
    return text[text.rfind("\n", 0, start) + 1 : after if after >= 0 else len(text)]


def _run_length(words: list[str]) -> int:
    return QUOTE_WORDS * 2 if words and "\u3400" <= words[0] <= "\u9fff" else QUOTE_WORDS


def _word_runs(text: str) -> frozenset[tuple[str, ...]]:
    words = _WORD.findall(text)
    size = _run_length(words)
    return frozenset(tuple(words[i : i + size]) for i in range(len(words) - size + 1))


def _is_quoted(text: str, start: int, end: int, quoted: frozenset[tuple[str, ...]]) -> bool:
    """Return whether every word of a span lies in a run of words that the problem has too."""
    words = list(_WORD.finditer(text))
    plain = [word.group() for word in words]
    size = _run_length(plain)
    covered: set[int] = set()
    for i in range(len(plain) - size + 1):
        if tuple(plain[i : i + size]) in quoted:
            covered.update(range(i, i + size))
    inside = {i for i, word in enumerate(words) if word.start() < end and word.end() > start}
    return bool(inside) and inside <= covered
