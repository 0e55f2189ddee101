"""A model's reply with its citations checked before a sentence of it goes on."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from dataclasses import replace

from preceptor.course.answer_phrases import phrase
from preceptor.course.sentences import is_worked
from preceptor.domain.reply import Reply
from preceptor.errors import ModelOutputError
from preceptor.pedagogy.tutor import Tutor, TutorTurn
from preceptor.tutoring.grounding import MarkerCheck, StoredPassage

_END = re.compile(r"[.!?…]+[\"'”’»)\]]*(?:\s*\[\d{1,3}\])*(?=\s)|[。！？]+[”’」）]*(?:\s*\[\d{1,3}\])*|\n+")


class GroundedTutor:
    """Lets another tutor speak, sentence by sentence: markers that do not hold are taken out and counted."""

    def __init__(self, inner: Tutor, *, stored: StoredPassage, explains: bool) -> None:
        """Take the tutor.

        Args:
            inner: Writes numbers in brackets behind what it takes from a passage.
            stored: The passages as they are stored now.
            explains: It answers from the course: then the reply says so where it does not rest on it, and on
                procedural routes worked calculations and code are left out.
        """
        self._inner = inner
        self._stored = stored
        self._explains = explains

    async def reply(self, turn: TutorTurn) -> AsyncIterator[str | Reply]:
        """Yield checked sentences, then the whole with its grounding.

        Raises:
            ModelError: The inner tutor failed, or nothing of its reply may be sent.
        """
        check = MarkerCheck(passages=turn.passages, stored=self._stored)
        sent: list[str] = []
        waiting = ""
        left_out = 0
        language = turn.context.language
        if self._explains and not turn.in_course:
            sent.append(phrase(language, "model_not_in_course"))
            yield sent[-1] + " "
        async for part in self._inner.reply(turn):
            if isinstance(part, str):
                waiting += part
                *finished, waiting = _split(waiting)
            else:
                finished, waiting = [waiting] if waiting.strip() else [], ""
            for sentence in finished:
                if self._explains and turn.routed and turn.routed.procedural and is_worked(sentence):
                    left_out += 1
                    continue
                sent.append((await asyncio.to_thread(check.sentence, sentence)).strip())
                yield sent[-1] + " "
            if isinstance(part, Reply):
                if not sent:
                    raise ModelOutputError("nothing of the reply could be sent: it was all worked solution")
                grounding = check.grounding(in_course=turn.in_course or not self._explains)
                if self._explains and grounding.status == "mostly_ungrounded":
                    sent.append(phrase(language, "mostly_ungrounded"))
                    yield sent[-1]
                notes = (*part.notes, f"left out as worked: {left_out}") if left_out else part.notes
                yield replace(part, text=" ".join(sent), grounding=grounding, notes=notes)


def _split(text: str) -> list[str]:
    """Split into finished sentences, each with the markers behind it, and the rest, which comes last."""
    parts: list[str] = []
    place = 0
    for end in _END.finditer(text):
        sentence = text[place : end.end()].strip()
        if sentence:
            parts.append(sentence)
        place = end.end()
    return [*parts, text[place:]]
