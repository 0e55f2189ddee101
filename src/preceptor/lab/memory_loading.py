"""Histories in a store of their own: written with the product's log, map, course and beliefs, with their own dates."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from zoneinfo import ZoneInfo

from preceptor.concepts.routing import exact
from preceptor.course.ingestion import document_id, passage_words
from preceptor.course.passages import cut_pages
from preceptor.domain.claim import Claim
from preceptor.domain.concept import ConceptMap, ConceptReading, ReadConcept
from preceptor.domain.course import Course, CoursePage
from preceptor.domain.episode import Evidence, NewEpisode
from preceptor.domain.observation import JudgedClaim
from preceptor.domain.passage import Document
from preceptor.domain.reply import Move, Reply
from preceptor.domain.scope import Scope
from preceptor.lab.memory_histories import CitedPage, Entry, History
from preceptor.memory.learner_memory import LearnerMemory
from preceptor.memory.recall import Recall
from preceptor.record.body import Body
from preceptor.record.kinds import AnswerBody, CheckBody, QuestionBody, TurnRecordBody, new_episode
from preceptor.record.memory_kinds import FileBody, QuizBody, TaughtBody
from preceptor.record.record import Record
from preceptor.record.record_key import RecordKey
from preceptor.settings import MemorySettings
from preceptor.stores.courses import DocumentContent
from preceptor.stores.memory import MemoryStore
from preceptor.stores.sql.database import open_database
from preceptor.stores.sql.memory import SqlMemoryStore

KEY = RecordKey(b"memory benchmark, not a secret!!")
"""An isolated store holds nothing worth a secret."""
_MAP_ALONE = "map"
"""The document of concepts that name none."""


@dataclass
class _Clock:
    now: datetime = datetime(2000, 1, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


@dataclass(frozen=True, kw_only=True)
class Loaded:
    """An isolated store with histories in it."""

    record: Record
    memory: LearnerMemory
    recall: Recall
    memory_rows: MemoryStore
    histories: tuple[History, ...]


@contextmanager
def loaded(histories: Sequence[History], settings: MemorySettings) -> Iterator[Loaded]:
    """Write histories into a new store that is gone afterwards.

    Episodes keep their ids and times; they are recorded, dialogue by dialogue, when they happened. Then the product
    derives what it derives: the map from the concepts, beliefs from the checks, verification of citations, the word
    index. There is no embedder: words and concepts find everything, in every language alike.

    Raises:
        InputError: An episode cannot be stored as it is.
    """
    with tempfile.TemporaryDirectory(prefix="preceptor-lab-") as folder:
        database = open_database(home=Path(folder), url=None)
        clock = _Clock()
        with Record(database, KEY, clock) as record:
            memory = LearnerMemory(record, settings)
            for history in histories:
                _load(history, record, memory, clock)
            rows = SqlMemoryStore(database)
            recall = Recall(record.episodes, rows, None, settings)
            for history in histories:
                recall.indexer.catch_up(scope_of(history))
            yield Loaded(record=record, memory=memory, recall=recall, memory_rows=rows, histories=tuple(histories))


def scope_of(history: History) -> Scope:
    """Return whose a history is."""
    return Scope(learner_id=history.learner, subject_id=history.subject)


def _load(history: History, record: Record, memory: LearnerMemory, clock: _Clock) -> None:
    if history.episodes:
        clock.now = history.episodes[0].at
    if history.subject not in {course.subject_id for course in record.courses.courses()}:
        _put_course(history, record, memory, clock.now)
    concepts = memory.maps.map(history.subject)
    zone = ZoneInfo(history.time_zone)
    turns: dict[str, int] = {}
    for _, group in groupby(history.episodes, key=lambda one: _dialogue(one, zone)):
        entries = list(group)
        clock.now = entries[-1].at
        record.log.append_many([_episode(entry, history, concepts, turns, zone) for entry in entries])
    scope = scope_of(history)
    memory.beliefs.catch_up(scope)
    memory.verifier.verify(scope, limit=max(1, len(history.episodes)), now=clock.now)


def _put_course(history: History, record: Record, memory: LearnerMemory, now: datetime) -> None:
    record.courses.create(Course(subject_id=history.subject, title=history.subject, created_at=now))
    for one in history.documents:
        document = Document(
            document_id=document_id(history.subject, one.name),
            subject_id=history.subject,
            name=one.name,
            media_type="text/plain",
            fingerprint="/".join(one.fingerprints),
            n_pages=len(one.pages),
            added_at=now,
        )
        pages = [
            CoursePage(page=number, text=text, fingerprint=fingerprint)
            for number, (text, fingerprint) in enumerate(zip(one.pages, one.fingerprints, strict=True), start=1)
        ]
        passages = cut_pages(document, pages)
        words = {passage.passage_id: passage_words(passage) for passage in passages}
        record.courses.put_document(DocumentContent(document=document, pages=pages, passages=passages, words=words))
    names = dict.fromkeys(concept.document or _MAP_ALONE for concept in history.concepts)
    for name in names:
        record.concept_maps.put_reading(_reading(history, name))
    if history.concepts:
        memory.maps.rebuild(history.subject)


def _reading(history: History, document: str) -> ConceptReading:
    inside = [one for one in history.concepts if (one.document or _MAP_ALONE) == document]
    named = dict.fromkeys(name for one in inside for name in one.builds_on)
    beside = [name for name in named if name not in {one.name for one in inside}]
    read = [
        ReadConcept(
            name=one.name,
            gist=one.definition,
            definition=one.definition,
            explained=one.definition is not None,
            builds_on=one.builds_on,
            pages=(one.page,),
        )
        for one in inside
    ]
    return ConceptReading(
        subject_id=history.subject,
        document_id=document_id(history.subject, document),
        fingerprint=document,
        language=history.language,
        engine="imported",
        concepts=(*(ReadConcept(name=name) for name in beside), *read),
    )


def _dialogue(entry: Entry, zone: ZoneInfo) -> str:
    return entry.dialogue or f"day-{entry.at.astimezone(zone).date().isoformat()}"


def _episode(entry: Entry, history: History, concepts: ConceptMap, turns: dict[str, int], zone: ZoneInfo) -> NewEpisode:
    dialogue = f"{history.learner}/{history.subject}/{_dialogue(entry, zone)}"
    # A turn is what the learner says with the reply to it: the learner's own words begin the next one.
    if dialogue not in turns:
        turns[dialogue] = 0
    elif entry.kind in {"question", "answer"}:
        turns[dialogue] += 1
    language = entry.language or history.language
    cited = (_evidence(entry.document, history),) if entry.document is not None else ()
    return new_episode(
        _body(entry, language),
        learner_id=history.learner,
        subject_id=history.subject,
        dialogue_id=None if entry.kind == "file" else dialogue[:200],
        turn=None if entry.kind == "file" else turns[dialogue],
        language=language,
        time_zone=history.time_zone,
        episode_id=entry.episode_id,
        occurred_at=entry.at,
        concept_ids=tuple(_concept_id(name, concepts, language) for name in entry.concepts),
        evidence=cited,
    )


def _evidence(cited: CitedPage, history: History) -> Evidence:
    return Evidence(
        document_id=document_id(history.subject, cited.name), page=cited.page, fingerprint=cited.fingerprint
    )


def _concept_id(name: str, concepts: ConceptMap, language: str) -> str:
    found = exact(name, concepts, language)
    return found.concept_id if found is not None else name


def _body(entry: Entry, language: str) -> Body:
    text = entry.text
    match entry.kind:
        case "question":
            return QuestionBody(text=text, reply_language=language)
        case "answer":
            return AnswerBody(text=text)
        case "reply":
            return TurnRecordBody(reply=Reply(text=text, move=Move.FREE, language=language, engine="imported"))
        case "check":
            claim = Claim(start=0, end=len(text), text=text)
            return CheckBody(
                judged=JudgedClaim(claim=claim, mark=entry.verdict or "unsure", judged_by="tutor", read_as=text),
                engine="imported",
            )
        case "quiz":
            return QuizBody(item=text, answer="", verdict=entry.verdict, topic=", ".join(entry.concepts))
        case "taught":
            return TaughtBody(note=text, utterance=text, concept=", ".join(entry.concepts) or text[:40])
        case "file":
            assert entry.document is not None
            return FileBody(name=entry.document.name, change=entry.change)
