"""Searching a course: the store's passages in memory, the stages over them, and whether the course answers at all.

An index is kept a subject and made anew when the course's revision says that it changed.
"""

from __future__ import annotations

import dataclasses
import threading
import time
from collections import OrderedDict
from pathlib import Path

import numpy as np

from preceptor.course.answerability import Answerability
from preceptor.course.concept_index import ConceptIndex
from preceptor.course.late_answerability import LateAnswerability
from preceptor.course.late_interaction import LateNearness, PassageTokens
from preceptor.course.passage_index import PassageIndex, PassageIndexer
from preceptor.course.pipeline import Found, Ranked, StageClock, find_candidates, rank
from preceptor.course.reranker import Reranker
from preceptor.course.reranking_builtin import BuiltinReranker
from preceptor.course.reranking_onnx import OnnxReranker
from preceptor.course.retrieval_profile import PROFILES, RetrievalProfile
from preceptor.course.retrieved import RetrievedPassage, RetrievedPassages
from preceptor.course.word_meanings import WordMeanings
from preceptor.domain.passage import Passage
from preceptor.errors import InputError
from preceptor.models.embedder import Embedder, Vector
from preceptor.models.token_embedder import TokenEmbedder
from preceptor.settings import CourseRetrievalSettings
from preceptor.stores.courses import CourseStore

CONCEPT_TOP = 50
"""Passages taken from the second index. (chosen: as many as from each of the first)"""
COURSES_KEPT = 8
"""Courses whose index stays in memory, the latest searched. (chosen: 20,000 passages take about 60 MB)"""
LONGEST_QUERY = 4000
"""Characters of a query that are read. (chosen: the longest learner message)"""

WORD_FOLDER = "word_vectors"
"""Under the home folder: vectors of the courses' words."""


class CourseRetrieval:
    """Finds passages of a course for a learner's words; safe to use from several threads."""

    def __init__(
        self,
        store: CourseStore,
        *,
        embedder: Embedder | None = None,
        settings: CourseRetrievalSettings | None = None,
        concepts: ConceptIndex | None = None,
        word_folder: Path | None = None,
    ) -> None:
        """Keep the store; nothing is read before the first search.

        Args:
            store: Where courses lie.
            embedder: Must be the one that wrote the passages' vectors; `None`: words only.
            settings: `None`: the defaults.
            concepts: The second index; `None`: there is none.
            word_folder: Where vectors of the courses' words are kept between runs; `None`: they are made anew.

        Raises:
            ModelError: The settings name a reranker that cannot be read.
        """
        settings = settings or CourseRetrievalSettings()
        self._store, self._embedder, self._concepts = store, embedder, concepts
        self._answerable_from = settings.answerable_from
        self._profile = _profile(settings)
        self._reranker: Reranker = (
            OnnxReranker(settings.reranker_folder) if settings.reranker_folder else BuiltinReranker()
        )
        self._answerability = LateAnswerability(Answerability())
        self._reads_pairs = settings.reranker_folder is not None
        self._tokens = (
            PassageTokens(store, embedder)
            if settings.late_interaction and isinstance(embedder, TokenEmbedder)
            else None
        )
        self._meanings = WordMeanings(embedder, folder=word_folder) if embedder is not None else None
        self._kept: OrderedDict[str, tuple[PassageIndexer, PassageIndex]] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def reranker(self) -> str:
        """Name of the reranker."""
        return self._reranker.name

    def prepare(self, subject_id: str) -> int:
        """Read a course into memory and make the vectors of its words; return how many words were new.

        The first time this takes about a second for each 1,000 words; searches go on without word vectors meanwhile.
        """
        self._index(subject_id)
        with self._lock:
            indexer, index = self._kept[subject_id]
        learnt = indexer.learn_meanings()
        if index.meanings is None and self._meanings is not None:
            self._index(subject_id, anew=True)
        return learnt

    def forget(self, subject_id: str) -> None:
        """Drop what is kept in memory of a course."""
        with self._lock:
            self._kept.pop(subject_id, None)

    def search(
        self, subject_id: str, query: str, *, language: str | None = None, query_vector: Vector | None = None
    ) -> RetrievedPassages:
        """Return the passages of one course that best answer a query, and how likely the course answers it.

        Args:
            subject_id: The required scope: nothing of another course is looked at.
            query: In the learner's words.
            language: Of the query where it is known; one the embedder does not speak is searched by words.
            query_vector: By the same embedder, where the caller has it already.

        Raises:
            NotFoundError: There is no such course.
            InputError: The query is empty.
        """
        query = query.strip()[:LONGEST_QUERY]
        if not query:
            raise InputError("a course is searched with at least one word, got an empty query")
        clock, off = StageClock(), dict[str, str]()
        with clock.stage("load"):
            index = self._index(subject_id)
        off.update(self._off(index))
        if query_vector is None and "dense" not in off:
            with clock.stage("embed"):
                query_vector = self._embed(query, language, off)
        began = time.perf_counter()
        embedded = clock.timings_ms.get("embed", 0.0)
        with clock.stage("concept_map"):
            concept_rows = [] if "concepts" in off else self._concept_rows(index, subject_id, query)
        found = find_candidates(
            index,
            query,
            None if "dense" in off else query_vector,
            self._profile,
            concept_rows=concept_rows,
            meanings=self._meanings,
            clock=clock,
        )
        late = None if "late" in off else self._late(index, found, language, off, clock)
        ranked = rank(index, found, self._reranker, self._profile, late=late, clock=clock)
        with clock.stage("answerability"):
            chance = self._answerability.probability(index, ranked)
        words_ms = clock.timings_ms.get("embed", 0.0) - embedded
        clock.timings_ms["total"] = (time.perf_counter() - began) * 1000 - words_ms
        return RetrievedPassages(
            subject_id=subject_id,
            query=query,
            profile=self._profile.name,
            passages=_passages(index, ranked),
            answerable=chance,
            in_course=chance is not None and chance >= self._answerable_from,
            revision=index.revision,
            n_searched=len(index.passages),
            unknown_words=tuple(term.word for term in found.candidates.terms if not term.numbers),
            stages_off=off,
            timings_ms={name: round(value, 3) for name, value in clock.timings_ms.items()},
        )

    def _off(self, index: PassageIndex) -> dict[str, str]:
        off: dict[str, str] = {stage: "switched off" for stage in self._profile.off}
        if self._embedder is None:
            off.setdefault("dense", "no embedder")
        elif index.vectors is None:
            off.setdefault("dense", "the course has no vectors yet")
        if self._concepts is None:
            off.setdefault("concepts", "no concept map")
        if "rerank" in off:
            off.setdefault("boost", "nothing reranks")
            off.setdefault("late", "nothing reranks")
        if self._reads_pairs:
            off.setdefault("late", "a cross-encoder reads question and passage together")
        if self._tokens is None:
            off.setdefault("late", "no embedder" if self._embedder is None else "the embedder gives no token vectors")
        if "dense" in off:
            off.setdefault("meaning", "dense is off")
        elif index.meanings is None:
            off["meaning"] = "the course's words have no vectors yet"
        return off

    def _embed(self, query: str, language: str | None, off: dict[str, str]) -> Vector | None:
        vector = self._embedder.embed([query], language=language)[0] if self._embedder else None
        if vector is None:
            off["dense"] = "the embedder does not speak the query's language"
            off["meaning"] = "dense is off"
        return vector

    def _late(
        self, index: PassageIndex, found: Found, language: str | None, off: dict[str, str], clock: StageClock
    ) -> LateNearness | None:
        if self._tokens is None or not len(found.candidates.rows):
            return None
        with clock.stage("embed"):
            asked = self._tokens.question(found.candidates.query, language=language)
        if asked is None:
            off["late"] = "the embedder does not speak the query's language"
            return None
        with clock.stage("tokens"):
            late = self._tokens.compare(asked, [index.passages[row].passage_id for row in found.candidates.rows])
        if late is None:
            off["late"] = "not every candidate has token vectors yet"
        return late

    def _concept_rows(self, index: PassageIndex, subject_id: str, query: str) -> list[int]:
        if self._concepts is None:
            return []
        named = self._concepts.passage_ids(subject_id, query, limit=CONCEPT_TOP)
        return [index.row_of[passage_id] for passage_id in named if passage_id in index.row_of]

    def _index(self, subject_id: str, *, anew: bool = False) -> PassageIndex:
        revision = self._store.revision(subject_id)
        with self._lock:
            kept = self._kept.get(subject_id)
            if kept is not None and kept[1].revision == revision and not anew:
                self._kept.move_to_end(subject_id)
                return kept[1]
            self._store.course(subject_id)
            indexer = kept[0] if kept is not None else PassageIndexer(self._meanings)
            passages = self._store.passages(subject_id)
            index = indexer.build(passages, self._vectors(subject_id, passages), revision=revision)
            self._kept[subject_id] = (indexer, index)
            self._kept.move_to_end(subject_id)
            while len(self._kept) > COURSES_KEPT:
                self._kept.popitem(last=False)
        return index

    def _vectors(self, subject_id: str, passages: list[Passage]) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
        """Return one row a passage; zeros where it has no vector, or none that fits the passages just read."""
        dimensions = self._embedder.dimensions if self._embedder else 1
        rows = np.zeros((len(passages), dimensions), dtype=np.float32)
        if self._embedder is None:
            return rows
        stored = self._store.vectors(subject_id, self._embedder.fingerprint)
        made = np.frombuffer(stored.vectors, dtype="<f2").reshape(-1, dimensions)
        place = {passage.passage_id: row for row, passage in enumerate(passages)}
        known = [(place[one], row) for row, one in enumerate(stored.passage_ids) if one in place]
        if known:
            to, out_of = np.array(known).T
            rows[to] = made[out_of]
        return rows


def _profile(settings: CourseRetrievalSettings) -> RetrievalProfile:
    named = PROFILES[settings.profile]
    on = frozenset({"late"}) if settings.late_interaction else frozenset()
    try:
        return dataclasses.replace(named, top=settings.top, off=(named.off - on) | frozenset(settings.stages_off))
    except ValueError as error:
        raise InputError(f"course_retrieval.stages_off: {error}") from error


def _passages(index: PassageIndex, ranked: Ranked) -> tuple[RetrievedPassage, ...]:
    return tuple(
        RetrievedPassage(passage=index.passages[row], rank=place, score=float(score), stages=stages)
        for place, (row, score, stages) in enumerate(
            zip(ranked.rows.tolist(), ranked.scores, ranked.stages, strict=True), start=1
        )
    )
