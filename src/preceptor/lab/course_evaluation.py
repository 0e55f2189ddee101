"""Asks a course a set of questions through the live turn and keeps what was searched, said and cited."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from preceptor.course.answer_phrases import phrase
from preceptor.course.question_set import CourseQuestion
from preceptor.domain.passage import Passage
from preceptor.errors import InputError, ModelError, SettingsError
from preceptor.lab.course_measures import AnswerRow, holds_span, touches
from preceptor.models.embedder import Embedder
from preceptor.pedagogy.turn_context import TurnContext
from preceptor.record.record import Record
from preceptor.settings import CourseRetrievalSettings, Settings
from preceptor.tutoring.course_dialogue import course_problem
from preceptor.tutoring.engines import open_courses, open_turn_maker
from preceptor.tutoring.turn import TurnMaker, TurnTrace


class EvaluationQuestion(CourseQuestion):
    """A question of a set, with reference answers where there are any."""

    references: tuple[str, ...] = ()
    """Answers that count as right; without any, the span stands in for one."""

    @property
    def answers(self) -> tuple[str, ...]:
        """What an answer is held against; empty: nothing."""
        return self.references or ((self.quote,) if self.quote else ())


def read_evaluation_questions(path: Path) -> list[EvaluationQuestion]:
    """Return the questions of a file.

    Raises:
        InputError: It cannot be read, holds none, a line is no question, or an id stands twice.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: {error}") from error
    found: dict[str, EvaluationQuestion] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            question = EvaluationQuestion.model_validate_json(line)
        except ValidationError as error:
            item = error.errors()[0]
            where = ".".join(str(part) for part in item["loc"])
            raise InputError(f"{path}, line {number}: {where}: {item['msg']}") from error
        if question.question_id in found:
            raise InputError(f"{path}, line {number}: question_id {question.question_id!r} stands twice")
        found[question.question_id] = question
    if not found:
        raise InputError(f"{path}: no question in it; expected one JSON object a line")
    return list(found.values())


@dataclass(frozen=True, kw_only=True)
class Variant:
    """One configuration under its name."""

    name: str
    settings: Settings


_TUTOR = "tutor"
READ_CAP_S = 60.0
"""How long a search is awaited, in place of the live turn's cap: what is measured is the answer, not this machine's
load. (chosen)"""


def variant(text: str, settings: Settings) -> Variant:
    """Return the settings with what a text changes: "profile=kite stages_off=mmr,rerank top=5 tutor=builtin".

    Args:
        text: Space-separated key=value: any field of `course_retrieval`, or `tutor` for the engine of that role.
            "default" or empty changes nothing.
        settings: What is changed; itself stays as it is.

    Raises:
        InputError: A part is no key=value, a key is unknown, or a value is not allowed.
    """
    changed: dict[str, object] = {}
    tutor = settings.roles.tutor
    for part in text.split() if text.strip() not in {"", "default"} else ():
        key, equals, value = part.partition("=")
        if not equals:
            raise InputError(f"configuration {text!r}: expected key=value, got {part!r}")
        if key == _TUTOR:
            if value not in {"builtin", "llm"}:
                raise InputError(f"configuration {text!r}: tutor must be builtin or llm, got {value!r}")
            tutor = tutor.model_copy(update={"engine": value})
        elif key in CourseRetrievalSettings.model_fields:
            changed[key] = tuple(one for one in value.split(",") if one) if key == "stages_off" else value
        else:
            known = ", ".join((*CourseRetrievalSettings.model_fields, _TUTOR))
            raise InputError(f"configuration {text!r}: no setting {key!r}; expected one of {known}")
    try:
        retrieval = CourseRetrievalSettings.model_validate({**settings.course_retrieval.model_dump(), **changed})
    except ValidationError as error:
        item = error.errors()[0]
        where = ".".join(str(one) for one in item["loc"])
        raise InputError(f"configuration {text!r}: {where}: {item['msg']}, got {item['input']!r:.60}") from error
    roles = settings.roles.model_copy(update={"tutor": tutor})
    made = settings.model_copy(update={"course_retrieval": retrieval, "roles": roles})
    return Variant(name=text.strip() or "default", settings=made)


async def ask_all(
    questions: Sequence[EvaluationQuestion],
    subject_id: str,
    settings: Settings,
    record: Record,
    embedder: Callable[[], Embedder | None],
    *,
    progress: Callable[[int], None] | None = None,
) -> tuple[AnswerRow, ...]:
    """Return what each question gets, asked alone as the first of a conversation; nothing of it is kept.

    Raises:
        NotFoundError: There is no such course.
        SettingsError: The tutor is bound to `llm` without provider or model, or no stage finds passages.
    """
    limits = settings.tutoring.model_copy(update={"course_cap_s": READ_CAP_S})
    settings = settings.model_copy(update={"tutoring": limits})
    problem = course_problem(
        record.courses, subject_id, None, language=settings.language, limit=settings.server.max_utterance_chars
    )
    live = open_courses(settings, record, embedder)
    try:
        live.courses.prepare(subject_id)
    except ValueError as error:
        raise SettingsError(f"course_retrieval: {error}") from error
    maker = open_turn_maker(settings, course=live.reader, course_turns=live.turns)
    every = record.courses.passages(subject_id)
    rows = []
    for number, question in enumerate(questions, start=1):
        turn = TurnContext(
            problem=problem, graph=None, history=(), utterance=question.question, language=settings.language
        )
        rows.append(await _asked(maker, turn, question, every))
        if progress is not None:
            progress(number)
    return tuple(rows)


async def _asked(
    maker: TurnMaker, turn: TurnContext, question: EvaluationQuestion, every: Sequence[Passage]
) -> AnswerRow:
    trace, failure = TurnTrace(), None
    try:
        async for _ in maker.run(turn, trace):
            pass
    except ModelError as error:
        failure = str(error)
    if trace.reply is None and failure is None:
        failure = "no reply was made"
    read = trace.reads.get("course")
    if failure is None and (read is None or read.status in {"dropped", "failed", "absent"}):
        failure = f"the course was not read: {read.status if read else 'absent'} {read.detail if read else ''}".strip()
    found = read.found if read is not None else None
    passages = tuple(one.passage for one in found.passages) if found is not None else ()
    grounding = trace.reply.grounding if trace.reply is not None else None
    citations = grounding.citations if grounding is not None else ()
    in_course = _holds(every, question) if question.answerable else None
    return AnswerRow(
        question_id=question.question_id,
        topic=question.topic,
        question=question.question,
        answerable=question.answerable,
        references=question.answers,
        passages=passages,
        reply=trace.reply.text if trace.reply is not None else "",
        engine=trace.reply.engine if trace.reply is not None else "",
        route=str(trace.plan.routed.route) if trace.plan is not None else None,
        status=grounding.status if grounding is not None else None,
        unsure=trace.reply is not None and phrase(turn.language, "unsure") in trace.reply.text,
        citations=citations,
        removed=grounding.removed if grounding is not None else 0,
        n_statements=grounding.n_statements if grounding is not None else 0,
        n_grounded=grounding.n_grounded if grounding is not None else 0,
        stages_off=dict(found.stages_off) if found is not None else {},
        search_ms=found.timings_ms.get("total") if found is not None else None,
        span_in_course=in_course,
        span_found=_holds(passages, question) if in_course and failure is None else None,
        right_citations=sum(touches(one, question.document, question.quote) for one in citations)
        if in_course and failure is None
        else None,
        failure=failure,
    )


def _holds(passages: Sequence[Passage], question: EvaluationQuestion) -> bool:
    return any(holds_span(one, question.document, question.quote) for one in passages)
