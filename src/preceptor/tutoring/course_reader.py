"""The live turn's read of course knowledge: from an utterance to passages, or to why there are none."""

from __future__ import annotations

import asyncio
import re
import time

from preceptor.course.retrieved import RetrievedPassages
from preceptor.course.terms import text_terms
from preceptor.domain.passage import Passage
from preceptor.pedagogy.intent import asks_question, is_affirmation
from preceptor.pedagogy.turn_context import TurnContext
from preceptor.safety.untrusted import defuse
from preceptor.tutoring.course_dialogue import is_about_course
from preceptor.tutoring.live_courses import LiveCourses
from preceptor.tutoring.reads import ABSENT, Read

SHORT_TERMS = 3
"""An utterance with fewer words of content is read together with what the learner said before. (chosen)"""
REFERRING_TERMS = 6
"""The same where it points back with a pronoun: with more words it says by itself what it is about. (chosen)"""
REFERRING_WORDS = 9
"""The same for languages whose small words are not left out. (chosen)"""
_BEGINS_AS_QUESTION = re.compile(
    r"\W*(?:(?:and|so|but|ok|okay|hi|hello|hey|please|sorry|um|y|et|und)[\s,]+)*"
    r"(?:(?:who|what|whats|what's|when|where|which|why|how|is|are|was|were|can|could|do|does|did|should"
    r"|would|will|has|have)\b"
    r"|(?:qué|quién|cuándo|dónde|cuál|cuáles|cómo|cuánt[oa]s?|por qué|qui|que|quand|où|quel(?:le)?s?|comment|combien"
    r"|pourquoi)\b"
    r"|(?:wer|was|wann|wo|welche[rsnm]?|wie|warum|wieso|weshalb|wozu)\b|(?:من|ما|ماذا|متى|أين|كيف|لماذا|هل|كم)\b)"
    r"|.*(?:什么|为什么|怎么|怎样|如何|哪|谁|多少|吗)",
    re.IGNORECASE,
)
_POINTS_BACK = re.compile(
    r"\b(?:it|its|they|them|these|those)\b"
    r"|\b(?:this|that)\b(?=\s*(?:\W*$|is|are|was|does|do|mean|work|happen|hold|help))",
    re.IGNORECASE,
)
_POINTS_BACK_ELSEWHERE = re.compile(
    r"\b(?:eso|esto|ello|ellos|ellas|cela|ça|ceci|ils|elles|davon|damit|dafür|daran)\b"
    r"|\b(?:das|dies)\b(?=\W*$|\s+(?:ist|so)\b)|(?:هذا|ذلك|هذه|تلك)\W*$|它|这个|那个",
    re.IGNORECASE,
)


class CourseReader:
    """`TurnReader` on the courses of an installation."""

    def __init__(self, courses: LiveCourses) -> None:
        """Take the courses."""
        self._courses = courses

    async def read(self, turn: TurnContext) -> Read:
        """Return the passages for an utterance; `ABSENT` where the subject has no course.

        Whoever stops waiting is let go at once: the search runs on in its thread.

        Raises:
            StoreError: The database cannot be read.
        """
        reading = asyncio.ensure_future(asyncio.to_thread(self._read, turn))
        reading.add_done_callback(_taken)
        return await asyncio.shield(reading)

    def _read(self, turn: TurnContext) -> Read:
        started = time.perf_counter()
        subject_id = turn.problem.subject_id
        if not self._courses.has(subject_id):
            return ABSENT
        query = course_query(turn)
        if not query:
            return Read(status="none", detail="nothing was asked", duration_ms=_since(started))
        found = self._courses.search(subject_id, query, language=None)
        shown = found.passages if found.in_course else ()
        return Read(
            status="read" if shown else "none",
            text=passages_text(found) if shown else "",
            ids=tuple(one.passage.passage_id for one in shown),
            similarities=tuple(one.score for one in shown),
            found=found,
            detail="" if shown else "the course's files do not answer it",
            duration_ms=_since(started),
        )


def course_query(turn: TurnContext) -> str:
    """Return what a course is asked: the utterance, after the learner's last words where it says too little alone.

    Nothing is asked by agreement, nor by a line of work on a problem: a calculation has no answer in files.
    """
    said = turn.utterance.strip()
    if not said or is_affirmation(said):
        return ""
    if not is_about_course(turn.problem) and not asks_question(said):
        return ""
    asks = asks_question(said) or bool(_BEGINS_AS_QUESTION.match(said))
    earlier = next((one.learner for one in reversed(turn.history) if text_terms(one.learner)), "")
    short = len(set(text_terms(said))) < _enough_terms(said)
    if earlier and (short or not asks):
        return f"{earlier}\n{said}"
    return said if text_terms(said) else ""


def _enough_terms(said: str) -> int:
    """Return from how many words of content an utterance says by itself what it is about; a question from one."""
    if _POINTS_BACK_ELSEWHERE.search(said):
        return REFERRING_WORDS
    if _POINTS_BACK.search(said):
        return REFERRING_TERMS
    return 1 if _BEGINS_AS_QUESTION.match(said) else SHORT_TERMS


def passages_text(found: RetrievedPassages) -> str:
    """Return passages for a prompt, one a line, numbered from 1; nothing in them can close a tag."""
    lines = []
    for place, one in enumerate(found.passages, start=1):
        passage = one.passage
        where = " › ".join((f"{passage.document_name}, page {passage.page}", *passage.heading_path))
        official = " (official)" if passage.official else ""
        lines.append(f"[{place}] {_one_line(where)}{official}: {_one_line(passage.text)}")
    return "\n".join(lines)


def shown_passages(read: Read, text: str) -> tuple[Passage, ...]:
    """Return the passages of a read that are left in a prompt's text after it was cut to its share."""
    if read.found is None or not text:
        return ()
    return tuple(one.passage for one in read.found.passages[: len(text.splitlines())])


def _one_line(text: str) -> str:
    """Return a text on one line; brackets around numbers become round, so that a file cannot set a marker."""
    flat = " ".join(defuse(text).split())
    return flat.replace("[", "(").replace("]", ")")


def _taken(reading: asyncio.Future[Read]) -> None:
    """Take up the error of a read that nobody waits for any more."""
    if not reading.cancelled():
        reading.exception()


def _since(started: float) -> float:
    return (time.perf_counter() - started) * 1000
