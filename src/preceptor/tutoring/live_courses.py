"""The courses of a running program: searched from memory, got ready in the background, never in a learner's way."""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence

from preceptor.course.concept_index import ConceptIndex
from preceptor.course.retrieval import WORD_FOLDER, CourseRetrieval
from preceptor.course.retrieval_profile import PROFILES
from preceptor.course.retrieved import RetrievedPassages
from preceptor.domain.passage import Passage
from preceptor.errors import MissingExtraError, ModelError, NotFoundError, PreceptorError, SettingsError
from preceptor.models.embedder import Embedder, Vector
from preceptor.settings import Settings
from preceptor.stores.courses import CourseStore

SENTENCES_KEPT = 4000
"""Sentences whose vectors stay in memory, the latest used. (chosen: 6 MB)"""
_STOP_S = 5.0
"""Longest wait for the background at the end. (chosen: as for scores)"""
_LOG = logging.getLogger(__name__)


class LiveCourses:
    """Finds passages for learners; safe to use from several threads."""

    def __init__(
        self,
        settings: Settings,
        store: CourseStore,
        *,
        embedder: Callable[[], Embedder | None],
        concepts: ConceptIndex | None = None,
    ) -> None:
        """Read nothing yet.

        Args:
            settings: How passages are found.
            store: Where courses lie.
            embedder: Gives the one that is shared with experience and memory.
            concepts: The concept map as second index; asked only where the profile has that stage on.
        """
        self.store = store
        self._settings = settings
        self._embedder = embedder
        self._concepts = None if "concepts" in PROFILES[settings.course_retrieval.profile].off else concepts
        self._lock = threading.Lock()
        self._retrieval: CourseRetrieval | None = None
        self._vectors: OrderedDict[str, Vector | None] = OrderedDict()
        self._thread: threading.Thread | None = None
        self._stopping = threading.Event()

    def has(self, subject_id: str) -> bool:
        """Return whether a subject is a course with files."""
        return self.store.revision(subject_id) > 0

    def search(self, subject_id: str, query: str, *, language: str | None = None) -> RetrievedPassages:
        """Return what a course holds on a query.

        Raises:
            NotFoundError: There is no such course.
            InputError: The query is empty.
            ModelError: The settings name a reranker that cannot be read.
        """
        return self._open().search(subject_id, query, language=language)

    def stored(self, passage_id: str) -> Passage | None:
        """Return a passage as it is stored now; `None`: there is none of this id any more."""
        try:
            return self.store.passage(passage_id)
        except NotFoundError:
            return None

    def nearness(self, question: str, sentences: Sequence[str]) -> list[float] | None:
        """Return cosines of a question to sentences; `None`: no embedder speaks their language."""
        embedder = self._shared()
        if embedder is None:
            return None
        asked, *held = self._sentence_vectors(embedder, (question, *sentences))
        if asked is None or any(one is None for one in held):
            return None
        return [float(asked @ one) for one in held if one is not None]

    def _sentence_vectors(self, embedder: Embedder, texts: Sequence[str]) -> list[Vector | None]:
        with self._lock:
            new = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        made = dict(zip(new, embedder.embed(new), strict=True)) if new else {}
        with self._lock:
            self._vectors.update(made)
            found = [self._vectors.get(text) if text not in made else made[text] for text in texts]
            for text in texts:
                self._vectors.move_to_end(text)
            while len(self._vectors) > SENTENCES_KEPT:
                self._vectors.popitem(last=False)
        return found

    def prepare(self, subject_id: str) -> None:
        """Read a course into memory, with the vectors of its words."""
        self._open().prepare(subject_id)

    def start(self) -> None:
        """Get every course ready in the background, where there is one."""
        self._thread = threading.Thread(target=self._prepare_all, name="courses", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop getting courses ready."""
        self._stopping.set()
        if self._thread is not None:
            self._thread.join(_STOP_S)

    def _open(self) -> CourseRetrieval:
        with self._lock:
            if self._retrieval is None:
                self._retrieval = CourseRetrieval(
                    self.store,
                    embedder=self._shared(),
                    settings=self._settings.course_retrieval,
                    concepts=self._concepts,
                    word_folder=self._settings.home / WORD_FOLDER,
                )
            return self._retrieval

    def _shared(self) -> Embedder | None:
        try:
            return self._embedder()
        except (SettingsError, ModelError, MissingExtraError) as error:
            _LOG.warning("courses are searched by words alone: %s", error)
            return None

    def _prepare_all(self) -> None:
        try:
            for course in self.store.courses():
                if self._stopping.is_set():
                    return
                self.prepare(course.subject_id)
        except PreceptorError as error:
            _LOG.warning("a course could not be made ready: %s", type(error).__name__)
