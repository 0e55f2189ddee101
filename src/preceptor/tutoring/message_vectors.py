"""Makes the vector of a message while the message is being stored, where its turn will ask for it.

Whoever asks later finds it made, or waits for what is left; a turn that compares nothing makes none.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from preceptor.errors import PreceptorError
from preceptor.memory.block import compared_in
from preceptor.memory.record_questions import record_question
from preceptor.models.embedder import Embedder
from preceptor.pedagogy.intent import asks_question

logger = logging.getLogger("preceptor.tutoring")


class MessageVectors:
    """Begins vectors ahead of memory and course; safe to use from several threads."""

    def __init__(
        self,
        embedder: Callable[[], Embedder | None],
        *,
        shows_memory: bool,
        has_course: Callable[[str], bool],
    ) -> None:
        """Keep what decides whether a vector is needed; nothing is opened yet.

        Args:
            embedder: Gives the one that is shared with memory and course, and remembers what it made.
            shows_memory: The tutor is told of memory in every turn, not only when the record is asked.
            has_course: Whether a subject has files that a question is searched in.
        """
        self._embedder = embedder
        self._shows_memory = shows_memory
        self._has_course = has_course
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="message vectors")

    def begin(self, text: str, *, subject_id: str, language: str) -> None:
        """Have the vector of a message made in the background where its turn will compare it; returns at once.

        Args:
            text: The message as the turn will read it.
            subject_id: What the dialogue is about.
            language: Of the dialogue, BCP 47.
        """
        self._pool.submit(self._make, text, subject_id, language)

    def close(self) -> None:
        """Let go of what was not begun."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _make(self, text: str, subject_id: str, language: str) -> None:
        try:
            self._make_vector(text, subject_id, language)
        except PreceptorError as error:
            logger.info("a message's vector is made when it is asked for: %s", type(error).__name__)

    def _make_vector(self, text: str, subject_id: str, language: str) -> None:
        asked = record_question(text, language)
        likely = compared_in(text, asked, language) if self._shows_memory or asked is not None else None
        is_searched = asks_question(text) and self._has_course(subject_id)
        embedder = self._embedder() if likely is not None or is_searched else None
        if embedder is None:
            return
        if likely is not None:
            embedder.embed([text], language=likely)
        if is_searched:
            embedder.embed([text])
