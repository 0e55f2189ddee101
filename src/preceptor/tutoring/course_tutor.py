"""The builtin tutor on a course: sentences of the files, cited, as much as the route gives, and a question to think on.

Deterministic, no model. It says nothing of its own about the course's matter; every quotation was checked against the
stored passage before a word of it is sent.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from functools import partial

from preceptor.course.answer_phrases import phrase, place_of, spoken_language
from preceptor.course.extractive_answer import Nearness, best_sentences
from preceptor.course.question_kind import main_kind
from preceptor.course.retrieved import RetrievedPassage
from preceptor.course.sentences import CourseSentence, whole_passage
from preceptor.course.shown_text import shown_text
from preceptor.domain.frame import Frame, FrameKind
from preceptor.domain.grounding import Citation, Grounding
from preceptor.domain.passage import Passage
from preceptor.domain.reply import Move, Reply, Rung
from preceptor.domain.route import Route, Routed
from preceptor.pedagogy.intent import is_affirmation
from preceptor.pedagogy.tutor import TutorTurn
from preceptor.tutoring.course_reader import course_query
from preceptor.tutoring.grounding import StoredPassage, checked, cite, status_of
from preceptor.tutoring.routing import HELP

HIGHEST_TIER = Rung.NEXT_SUBSTEP
"""Highest help of a course reply: a worked parallel would be the files' own solution. (chosen)"""

SURE_FROM = 0.8
"""Probability that the course answers below which the reply says that it is not sure, and claims no place for it.
(chosen: of the questions above 0.5, one in five of our own set's tuning topics has no answer in the course)"""


@dataclass(frozen=True, kw_only=True)
class _Draft:
    """Parts of a reply with the citations in them, in order; numbers are put in once all are checked."""

    sentences: tuple[CourseSentence, ...]
    pointing: bool


def _closing(route: Route, turn: TutorTurn) -> str:
    """Return which question closes a reply that cites: on the conceptual route by the form of answer asked for."""
    key = HELP[route].question
    kind = main_kind(turn.context.utterance) if key == "reflect" else None
    return f"{key}_{kind}" if kind else key


class CourseTutor:
    """Answers one turn from the passages that were retrieved for it."""

    def __init__(
        self,
        *,
        passages: Sequence[RetrievedPassage],
        stored: StoredPassage,
        allowed: Callable[[str], bool],
        nearness: Nearness | None = None,
        chance: float | None = None,
        was_read: bool = True,
        aside: bool = False,
    ) -> None:
        """Take what is quoted from, and what a quotation is checked by.

        Args:
            passages: Retrieved for this turn, best first.
            stored: The passages as they are stored now.
            allowed: Whether the guard lets a sentence pass.
            nearness: Compares question and sentences by meaning; `None`: by words.
            chance: Calibrated probability that the course answers; `None`: not judged.
            was_read: The course was searched; `False`: its time was up, or it broke.
            aside: The dialogue is about a problem: the reply leads back to its step, and its question stays open.
        """
        self._passages = passages
        self._stored = stored
        self._allowed = allowed
        self._nearness = nearness
        self._sure = chance is None or chance >= SURE_FROM
        self._was_read = was_read
        self._aside = aside

    async def reply(self, turn: TutorTurn) -> AsyncIterator[str | Reply]:
        """Yield the reply in one piece, then whole: names of files have full stops inside."""
        whole = self.compose(turn)
        yield whole.text
        yield whole

    def compose(self, turn: TutorTurn) -> Reply:
        """Return the whole reply to one turn."""
        language = spoken_language(turn.context.language)
        routed = turn.routed or Routed(route=Route.DIRECT)
        parts: list[str] = []
        citations: tuple[Citation, ...] = ()
        removed = 0
        asked = bool(course_query(turn.context)) and not is_affirmation(turn.context.utterance)
        declines = asked and any(name in routed.cues for name in ("asks_for_work", "ask_answer"))
        if declines:
            parts.append(phrase(language, "no_trace" if routed.route is Route.TRACING else "no_solution"))
        draft = self._draft(turn, routed) if asked and turn.in_course else None
        if draft is not None:
            said, citations, removed = self._cited(draft, language)
            if citations and not self._sure:
                parts.append(phrase(language, "unsure"))
            parts += said
        if asked and not citations and not declines:
            parts.append(phrase(language, "not_in_course" if self._was_read else "not_read"))
            key = ""
        else:
            key = "back" if self._aside else _closing(routed.route, turn) if citations else "ask_more"
        if key:
            history = turn.context.history
            replies = [one.tutor for one in history if one.tutor]
            parts.append(phrase(language, key, said=replies, turn=len(history)))
        return self._reply(
            turn,
            routed,
            " ".join(parts),
            language,
            citations,
            removed,
            asked and bool(citations or (self._was_read and not declines)),
        )

    def _draft(self, turn: TutorTurn, routed: Routed) -> _Draft | None:
        """Return which sentences are shown; `None`: no passage has one that fits."""
        given = HELP[routed.route]
        pointing = given.tiered and routed.tier <= Rung.NUDGE and routed.route is not Route.VALIDATION
        limit = 1 if pointing else given.n_sentences + int(given.tiered and routed.tier >= Rung.NEXT_SUBSTEP)
        said = " ".join(" ".join(one.tutor.split()) for one in turn.context.history if one.tutor)
        sentences: tuple[CourseSentence, ...] = ()
        for fresh in (True, False):
            found = best_sentences(
                course_query(turn.context),
                self._passages,
                limit=limit,
                worked=given.worked and not routed.procedural,
                allowed=partial(self._may_say, said if fresh else ""),
                nearness=self._nearness,
            )
            sentences = sentences or tuple(one.sentence for one in found)
        if not sentences and self._passages:
            return _Draft(sentences=(whole_passage(self._passages[0].passage),), pointing=True)
        if turn.avoid:
            return _Draft(sentences=sentences[:1], pointing=True) if sentences else None
        return _Draft(sentences=sentences, pointing=pointing) if sentences else None

    def _may_say(self, said: str, sentence: str) -> bool:
        """Return whether the guard lets a sentence pass and it was not quoted before."""
        return " ".join(sentence.split()) not in said and self._allowed(sentence)

    def _cited(self, draft: _Draft, language: str) -> tuple[list[str], tuple[Citation, ...], int]:
        made = [
            cite(
                one.passage,
                start=one.start,
                end=one.end,
                marker=place,
                statement=shown_text(one.text, one.passage.document_name),
            )
            for place, one in enumerate(draft.sentences, start=1)
        ]
        kept, removed = checked(made, self._stored)
        by_id = {one.passage.passage_id: one.passage for one in draft.sentences}
        parts = []
        last: Passage | None = None
        for citation in kept:
            passage = by_id[citation.passage_id]
            same = last is not None and (last.document_id, last.page) == (passage.document_id, passage.page)
            key = "more" if same else "quote"
            if draft.pointing:
                key = "pointer" if self._sure else "nearest"
            place = place_of(passage, language)
            parts.append(phrase(language, key, place=place, quote=citation.statement, marker=citation.marker))
            last = passage
        return parts, kept, removed

    def _reply(
        self,
        turn: TutorTurn,
        routed: Routed,
        text: str,
        language: str,
        citations: tuple[Citation, ...],
        removed: int,
        stated: bool,
    ) -> Reply:
        pending = turn.context.history[-1].frame if self._aside and turn.context.history else None
        n = len(citations)
        status = status_of(n, n, in_course=turn.in_course and bool(citations)) if stated else "none_needed"
        return Reply(
            text=text,
            move=Move.ANSWER_QUESTION,
            rung=Rung(min(routed.tier, HIGHEST_TIER)) if citations else Rung.NONE,
            frame=pending or Frame(kind=FrameKind.OPEN),
            language=language,
            grounding=Grounding(status=status, citations=citations, removed=removed, n_statements=n, n_grounded=n),
        )
