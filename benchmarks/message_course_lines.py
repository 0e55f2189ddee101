"""Plain questions about twelve courses, as lines for the heads that read messages: of no record and of no danger.

From `course_questions.jsonl`, part tune only, for fitting. Nobody labelled their routes: a weak label is given where
the words leave little doubt, and none where a learner may be showing work.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

from preceptor.domain.route import Route
from preceptor.tutoring.learned_route import OPEN
from preceptor.tutoring.routing import rules_of

HERE = Path(__file__).parent
_REASON = re.compile(r"\b(?:why|how come|differ\w*|explain|means?|meaning|versus|vs)\b", re.IGNORECASE)
_HELD_TRUE = re.compile(
    r"(?:right|correct|true|yes|no)\W*$|\bis (?:that|this) (?:true|right|correct)"
    r"|\bmy (?:teacher|friend|brother|sister|dad|mum|mom|book|classmate|partner)\b.*"
    r"\b(?:says?|said|thinks|claims|told)\b",
    re.IGNORECASE,
)
_WORK = re.compile(
    r"\bmy (?:\w+ )?(?:code|programm?e?|loop|function|class|method|solver|answer|result|script|text|essay|paragraph"
    r"|sentence|list|search|work|solution|homework)\b"
    r"|\bi (?:got|get|did|wrote|tried|keep)\b|\b(?:wrong|mistake|error|bug|crash\w*)\b|exception",
    re.IGNORECASE,
)


def course_lines(part: str) -> list[dict[str, str]]:
    """Return the questions of a part, tune or held_out, each with `text`, `topic`, `language` and label "none"."""
    rows = map(json.loads, (HERE / "course_questions.jsonl").read_text(encoding="utf-8").splitlines())
    return [
        {"text": row["question"], "topic": row["topic"], "language": "en", "label": "none"}
        for row in rows
        if row["part"] == part
    ]


def topic_folds(lines: Sequence[dict[str, str]], n_folds: int) -> list[list[dict[str, str]]]:
    """Return lines in as many parts, no topic in two of them."""
    topics = sorted({line["topic"] for line in lines})
    return [[line for line in lines if topics.index(line["topic"]) % n_folds == place] for place in range(n_folds)]


def weak_route(text: str) -> str | None:
    """Return the route that a course question most likely asks for; `None`: a rule withholds, or work may be shown."""
    ruled = rules_of(text)
    if ruled is not None and ruled not in OPEN:
        return None
    if _HELD_TRUE.search(text):
        return Route.VALIDATION.value if ruled is None else None
    if _WORK.search(text):
        return None
    is_reason = ruled is Route.CONCEPTUAL or _REASON.search(text) is not None
    return (Route.CONCEPTUAL if is_reason else Route.DIRECT).value
