"""The sentences of a passage as spans of its page, with what kind of text each is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from preceptor.course.tutor_orders import find_orders
from preceptor.domain.passage import Passage

SHORTEST_CHARS = 25
LONGEST_CHARS = 420
"""Sentences outside these say too little, or are no sentences. (chosen)"""
_END = re.compile(r"[.!?…]+[\"'”’)\]*_]*(?=\s|\Z)|[。！？]+[”’」』）]*|\n[ \t]*(?:\n|[-*+•#>|]|\d+[.)]\s)|\n(?=\s*$)")
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|cf|vs|etc|al|fig|eq|no|vol|ch|sec|dr|mr|mrs|ms|prof|st|approx|resp|bzw|z\.B|d\.h|Abb|Nr)"
    r"|\b[A-Z]|\b\d)\.\Z",
    re.IGNORECASE,
)
_LEAD = re.compile(r"\s*(?:(?:[-*+•>]|\#{1,6}|\d+[.)])\s+)*\s*")
_CODE = re.compile(
    r"^\s{4,}\S|```|\bdef \w+\(|\breturn\b.*[;({]|\b(?:for|while|if)\b[^.]*[:{]\s*$|[{};]\s*$|\w+\(.*\)\s*[:;{]|←|:=|"
    r"\+\+|==|\bimport \w+",
    re.MULTILINE,
)
_WORKED = re.compile(
    r"=\s*[-+]?[\d(\\]|\d\s*[-+×÷*/·]\s*\d|\\frac|\bx\s*=|→\s*\w+\s*→|\b(?:answer|solution|result) is\b|答案是",
    re.IGNORECASE,
)
_LINE = re.compile(r"[|\t]|\.{4,}")
_PAIRS = (("(", ")"), ("[", "]"), ("{", "}"), ("“", "”"), ("«", "»"))
_QUESTION_MARKS = ("?", "？", "؟")
_EXERCISES = re.compile(
    r"\b(?:exercises?|practi[cs]e (?:makes|problems?|questions?)|problem sets?|homework|try it|review questions"
    r"|self[- ]?(?:check|test)|quiz(?:zes)?|everyday math|worksheet)\b"
    r"|\b(?:übungen|übungsaufgaben|aufgaben|hausaufgaben?)\b|\bejercicios?\b|\bexercices?\b|تمارين|تمرين|练习|习题|作业",
    re.IGNORECASE,
)
_TASK = re.compile(
    r"(?:in the following (?:exercises|problems)"
    r"|(?:translate|simplify|evaluate|solve|calculate|determine|prove|sketch"
    r"|find)\b[^.]*[:：])",
    re.IGNORECASE,
)
_ANNOUNCES = re.compile(
    r"(?:(?:so|now|here|next|first|then)[, ]+)?"
    r"(?:(?:we|you|i)(?:['’]ll| will|['’]re going to| are going to) "
    r"(?:use|start|begin|look|learn|show|do|work|try|practi[cs]e|now|also|first|see (?:how|why|what|that))\b"
    r"|let(?:['’]s| us) (?:use|start|begin|look|see|show|do|try|define|now|first)\b"
    r"|in (?:the (?:following|next|previous|last)|this|our) "
    r"(?:example|section|exercise|table|figure|chapter|lesson|unit|problem)s?\b"
    r"|(?:the )?(?:following|next|figure|table)\b[^.]{0,30}\bshows?\b|shows? how\b|as we (?:saw|have seen|will see)\b)",
    re.IGNORECASE,
)
_LETTER = re.compile(r"[^\W\d_]")


@dataclass(frozen=True, kw_only=True)
class CourseSentence:
    """One sentence of a passage."""

    passage: Passage
    start: int
    """First character in the page's stored text."""
    end: int
    """One past the last; final full stops are left out."""
    text: str
    worked: bool
    """Holds a worked calculation, code or a result: not to be quoted where no solution may be given."""
    orders: bool
    """Gives the tutor orders or claims to be official."""
    ends: bool = True
    """It ends as a statement does; `False`: it may be a heading, a label, a line cut short or a question."""
    exercise: bool = False
    """It asks, stands among exercises, or says only what comes next: it tells nothing."""


def sentences_of_passage(passage: Passage, *, every: bool = False) -> Iterator[CourseSentence]:
    """Yield what of a passage can be quoted as a sentence, in order; `every`: all that stands between two ends."""
    place = 0
    text = passage.text
    exercises = any(_EXERCISES.search(heading) for heading in passage.heading_path)
    for stop, whole in _stops(text):
        lead = _LEAD.match(text, place)
        start = min(lead.end() if lead else place, stop)
        said = text[start:stop].rstrip()
        quoted = said.rstrip(".。 \n")
        place = stop
        if every and not quoted.strip():
            continue
        if (
            not every
            and not SHORTEST_CHARS <= len(quoted) <= LONGEST_CHARS
            and not (_is_wide(quoted) and len(quoted) >= 8)
        ):
            continue
        if not every and (
            _LINE.search(quoted) or 2 * len(_LETTER.findall(quoted)) < len(quoted) or not _is_whole(quoted)
        ):
            continue
        yield CourseSentence(
            passage=passage,
            start=passage.start + start,
            end=passage.start + start + len(quoted),
            text=quoted,
            worked=is_worked(quoted),
            orders=bool(find_orders(passage.page, said)),
            ends=whole and not quoted.endswith(_QUESTION_MARKS),
            exercise=exercises
            or quoted.endswith(_QUESTION_MARKS)
            or bool(_TASK.match(quoted) or _ANNOUNCES.match(quoted)),
        )


def whole_passage(passage: Passage) -> CourseSentence:
    """Return a passage as one span, to be pointed at, not to be quoted."""
    return CourseSentence(
        passage=passage, start=passage.start, end=passage.end, text=passage.text, worked=True, orders=False, ends=False
    )


def is_worked(text: str) -> bool:
    """Return whether a text holds a worked calculation, code or a result."""
    return bool(_CODE.search(text) or _WORKED.search(text))


def _stops(text: str) -> Iterator[tuple[int, bool]]:
    """Yield where each sentence ends, and whether it ends by its own mark."""
    for hit in _END.finditer(text):
        if hit.group().startswith("\n"):
            yield hit.start(), False
        elif not _ABBREVIATION.search(text, max(0, hit.start() - 12), hit.end()):
            yield hit.end(), True
    yield len(text), False


def _is_whole(text: str) -> bool:
    """Return whether a text begins like a sentence and leaves no bracket or quotation open."""
    begins = text[:1].isalnum() or text[:1] in "“\"'«„(*_$`¿¡"
    return begins and all(text.count(first) == text.count(last) for first, last in _PAIRS)


def _is_wide(text: str) -> bool:
    return any("\u4e00" <= letter <= "\u9fff" for letter in text)
