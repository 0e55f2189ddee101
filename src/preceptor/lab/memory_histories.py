"""Histories of learners and questions about them, as files: anyone's histories run, not only those we made.

`docs/formats.md` describes both files. Everything is checked when it is read; a fault names file, line and field.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Literal, TypeVar

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from preceptor.errors import InputError
from preceptor.memory.time_phrases import zone_of
from preceptor.record.json_lines import read_lines

EntryKind = Literal["question", "answer", "reply", "check", "quiz", "taught", "file"]
"""question, answer: the learner's; reply: the tutor's; file: one that came, was replaced or removed."""
QuestionKind = Literal[
    "got_wrong", "prerequisite", "explain", "active_month", "empty_month", "changed_source", "last_week"
]
KINDS: tuple[QuestionKind, ...] = (
    "got_wrong", "prerequisite", "explain", "active_month", "empty_month", "changed_source", "last_week",
)  # fmt: skip
"""The six kinds of the seed's benchmark (its sixth is not in the extracted text; here: a changed source), and a
second sort of active window."""
_EDGE = re.compile(r"edge:(?P<concept>.+)->(?P<prerequisite>.+)")


class _Row(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


RowT = TypeVar("RowT", bound=_Row)


class CitedPage(_Row):
    """Where a reply comes from, as the file was then."""

    name: str = Field(min_length=1)
    page: int = Field(default=1, ge=1)
    fingerprint: str = Field(min_length=1)
    """Of the page at that moment; another one than the document's own means that it changed since."""


class Entry(_Row):
    """One episode of a history."""

    episode_id: str = Field(min_length=1, max_length=200)
    kind: EntryKind
    text: str = Field(min_length=1)
    at: AwareDatetime
    concepts: tuple[str, ...] = ()
    """Names; those of the history's map are tied to it."""
    verdict: Literal["right", "wrong"] | None = None
    """Of a check or quiz item."""
    document: CitedPage | None = None
    language: str | None = None
    """`None`: the history's."""
    dialogue: str | None = None
    """Episodes of one dialogue follow each other; `None`: one dialogue a day."""
    change: Literal["added", "replaced", "removed"] = "added"
    """Of a file."""
    narration: bool = False
    """It asks or tells what is on record: a memory of it would be a memory of remembering. Memory is not told this."""

    @model_validator(mode="after")
    def _verdict_fits(self) -> Entry:
        if self.verdict is not None and self.kind not in {"check", "quiz"}:
            raise ValueError(f"a {self.kind} has no verdict; only check and quiz have")
        if self.kind == "file" and self.document is None:
            raise ValueError("a file needs document with name and fingerprint")
        return self


class MapConcept(_Row):
    """A concept of the subject's map."""

    name: str = Field(min_length=1)
    definition: str | None = None
    builds_on: tuple[str, ...] = ()
    """Names of concepts that are to be learnt FIRST."""
    document: str | None = None
    """Name of the document that explains it."""
    page: int = Field(default=1, ge=1)


class CourseDocument(_Row):
    """A file of the subject as it is now; one that was removed is not here."""

    name: str = Field(min_length=1)
    pages: tuple[str, ...] = Field(min_length=1)
    """The text of each page."""
    fingerprints: tuple[str, ...]
    """One a page."""

    @model_validator(mode="after")
    def _one_each(self) -> CourseDocument:
        if len(self.pages) != len(self.fingerprints):
            raise ValueError(f"{len(self.pages)} pages need as many fingerprints, got {len(self.fingerprints)}")
        return self


class History(_Row):
    """One learner's subject."""

    learner: str = Field(min_length=1, max_length=200)
    subject: str = Field(min_length=1, max_length=200)
    time_zone: str
    language: str = "en"
    episodes: tuple[Entry, ...]
    concepts: tuple[MapConcept, ...] = ()
    documents: tuple[CourseDocument, ...] = ()

    @field_validator("time_zone")
    @classmethod
    def _known_zone(cls, value: str) -> str:
        try:
            zone_of(value)
        except InputError as error:
            raise ValueError(str(error)) from error
        return value

    @model_validator(mode="after")
    def _is_whole(self) -> History:
        names = {concept.name for concept in self.concepts}
        for concept in self.concepts:
            missing = [name for name in concept.builds_on if name not in names]
            if missing:
                raise ValueError(f"concept {concept.name!r} builds on {missing[0]!r}, which the history does not list")
        ids = [entry.episode_id for entry in self.episodes]
        doubled = [one for one in ids if ids.count(one) > 1] if len(set(ids)) < len(ids) else []
        if doubled:
            raise ValueError(f"episode_id {doubled[0]!r} stands twice")
        if any(later.at < earlier.at for earlier, later in zip(self.episodes, self.episodes[1:], strict=False)):
            raise ValueError("episodes must stand in the order of their times")
        return self

    @property
    def key(self) -> tuple[str, str]:
        """(learner, subject)."""
        return self.learner, self.subject


class ForbiddenWindow(_Row):
    """When nothing may come from: what lies before `before`, and what lies at or after `from`."""

    before: AwareDatetime | None = None
    from_: AwareDatetime | None = Field(default=None, alias="from")

    @model_validator(mode="after")
    def _in_order(self) -> ForbiddenWindow:
        if self.before is not None and self.from_ is not None and self.from_ <= self.before:
            raise ValueError("`from` must lie after `before`: what is allowed lies between them")
        return self

    def holds(self, at: datetime) -> bool:
        """Whether a moment is forbidden."""
        return (self.before is not None and at < self.before) or (self.from_ is not None and at >= self.from_)


class Question(_Row):
    """A question about one history, with what the record holds for it."""

    question_id: str = Field(min_length=1)
    learner: str
    subject: str
    kind: QuestionKind
    text: str = Field(min_length=1)
    language: str
    asked_at: AwareDatetime
    required_ids: tuple[str | tuple[str, ...], ...] = ()
    """Each must be shown; of a list any one will do (repeats, several turns on one topic). An episode_id, or
    `edge:A->B`: that A builds on B, or `concept:A`: what the map says of A."""
    forbidden_window: ForbiddenWindow = ForbiddenWindow()
    says_no_record: bool = False
    """There is nothing: that must be said."""
    stale_ids: tuple[str, ...] = ()
    """Episodes that must carry the note that their file changed."""

    @property
    def key(self) -> tuple[str, str]:
        """(learner, subject)."""
        return self.learner, self.subject

    @property
    def required(self) -> tuple[tuple[str, ...], ...]:
        """Each requirement as its alternatives."""
        return tuple((one,) if isinstance(one, str) else one for one in self.required_ids)


def read_histories(path: str) -> tuple[History, ...]:
    """Read `histories.jsonl`.

    Raises:
        InputError: A line is not a history, or two have the same learner and subject.
    """
    found: dict[tuple[str, str], History] = {}
    for number, value in read_lines(path):
        history = _parsed(History, value, path, number)
        if history.key in found:
            raise InputError(f"{path} line {number}: {history.learner}/{history.subject} stands twice")
        found[history.key] = history
    if not found:
        raise InputError(f"{path} holds no history")
    return tuple(found.values())


def read_questions(path: str, histories: Sequence[History]) -> tuple[Question, ...]:
    """Read `questions.jsonl`.

    Raises:
        InputError: A line is not a question, has an id twice, or asks for a history, episode or concept that is not
            there.
    """
    by_key = {history.key: history for history in histories}
    found: dict[str, Question] = {}
    for number, value in read_lines(path):
        question = _parsed(Question, value, path, number)
        fault = question_fault(question, by_key.get(question.key))
        if question.question_id in found:
            fault = f"question_id {question.question_id!r} stands twice"
        if fault:
            raise InputError(f"{path} line {number}: {fault}")
        found[question.question_id] = question
    if not found:
        raise InputError(f"{path} holds no question")
    return tuple(found.values())


def question_fault(question: Question, history: History | None) -> str | None:
    """Return what a question asks for that its history cannot give; `None`: it can."""
    if history is None:
        return f"there is no history of {question.learner}/{question.subject}"
    times = {entry.episode_id: entry.at for entry in history.episodes}
    concepts = {concept.name: concept for concept in history.concepts}
    for wanted in (*(one for group in question.required for one in group), *question.stale_ids):
        edge = edge_of(wanted)
        if edge is not None:
            if edge[0] not in concepts or edge[1] not in concepts[edge[0]].builds_on:
                return f"{wanted!r}: the history has no such edge; edge:A->B means that A builds on B"
        elif wanted.startswith("concept:"):
            if wanted.removeprefix("concept:") not in concepts:
                return f"{wanted!r}: the history's map has no such concept"
        elif wanted not in times:
            return f"required {wanted!r} is no episode of {question.learner}/{question.subject}"
        elif question.forbidden_window.holds(times[wanted]):
            return f"required {wanted!r} lies in the forbidden window"
        elif times[wanted] > question.asked_at:
            return f"required {wanted!r} lies after the question"
    if question.says_no_record and question.required_ids:
        return "says_no_record with required_ids: either there is something or there is not"
    return None


def edge_of(wanted: str) -> tuple[str, str] | None:
    """Return (concept, prerequisite) of `edge:A->B`; `None` for any other id."""
    match = _EDGE.fullmatch(wanted)
    return (match["concept"], match["prerequisite"]) if match else None


def _parsed(model: type[RowT], value: object, path: str, number: int) -> RowT:
    try:
        return model.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_input=False, include_context=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise InputError(f"{path} line {number}: {where + ': ' if where else ''}{first['msg']}") from None
