"""What a tutor answers from what a design showed it: by the builtin record answers, or by any language model.

Scored by strings, with the concepts' names: every topic that the record requires must be named, and none that it does
not hold. A right answer in other words is not seen as one; that is the price of a scorer that needs no judge.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Protocol
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ConfigDict, Field

from preceptor.errors import ModelError
from preceptor.lab.memory_designs import DesignName, Designs, Shown
from preceptor.lab.memory_histories import Entry, History, Question, edge_of
from preceptor.lab.memory_loading import loaded
from preceptor.memory.record_answers import answer_record
from preceptor.models.language_model import LanguageModel
from preceptor.prompts.loader import load_prompt
from preceptor.settings import Settings


class Answerer(Protocol):
    """Answers a question from what a design showed."""

    @property
    def engine(self) -> str:
        """Its name, for records."""
        ...

    async def answer(self, question: Question, history: History, shown: Shown) -> str | None:
        """Return the answer; `None`: this engine does not answer such a question.

        Raises:
            ModelError: The model failed.
        """
        ...


class BuiltinAnswerer:
    """The builtin tutor: questions about the record, from the block."""

    engine = "builtin"

    async def answer(self, question: Question, history: History, shown: Shown) -> str | None:
        """Return what the learner is told; `None`: it is no question about the record, or the design has no block."""
        block = shown.block
        return answer_record(block).text if block is not None and block.record_question is not None else None


class AnswerOutput(BaseModel):
    """What the tutor's model answers."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    answer: Annotated[str, Field(max_length=4000)]
    """The answer to the learner."""


class LlmAnswerer:
    """A language model that is shown the design's text and nothing else."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model
        self._prompt = load_prompt("memory_answer")

    @property
    def engine(self) -> str:
        """Provider and model."""
        return self._model.engine

    async def answer(self, question: Question, history: History, shown: Shown) -> str | None:
        """Return the model's answer."""
        today = question.asked_at.astimezone(ZoneInfo(history.time_zone)).date()
        prompt = self._prompt.render(
            {
                "today": today.isoformat(),
                "memory": shown.memory,
                "passages": "\n\n".join(shown.passages),
                "question": question.text,
            }
        )
        return (await self._model.structured(prompt, AnswerOutput)).output.answer


@dataclass(frozen=True, kw_only=True)
class AnswerScored:
    """One answer."""

    question_id: str
    kind: str
    cluster: str
    design: DesignName
    passed: bool | None
    """`None`: unscored, see `unscored_because`."""
    missing: tuple[str, ...] = ()
    """Topics the record requires and the answer does not name."""
    false: tuple[str, ...] = ()
    """Topics it names that the record does not hold for this question."""
    unscored_because: str = ""
    text: str = ""


def score_answer(question: Question, history: History, text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return (missing, false): names of concepts, as the history writes them.

    A required episode counts as told by the name of its concept or by its own words. May be named: what the question
    names, the concepts and words of every episode that may be told, and everything where the map or a file is asked.
    """
    said, entries = text.casefold(), {entry.episode_id: entry for entry in history.episodes}
    missing: list[str] = []
    for group in question.required:
        names = [name for one in group for name in _names(one, entries)]
        if names and not any(name.casefold() in said for name in names):
            missing.append(names[0])
    if question.kind in {"prerequisite", "explain"}:
        return tuple(missing), ()
    may = [one for one in history.episodes if not question.forbidden_window.holds(one.at) and not one.narration]
    held = {name for entry in may for name in entry.concepts}
    words = " \0 ".join([question.text, *(entry.text for entry in may)]).casefold()
    false = [
        concept.name
        for concept in history.concepts
        if concept.name not in held and concept.name.casefold() in said and concept.name.casefold() not in words
    ]
    return tuple(dict.fromkeys(missing)), tuple(false)


async def run_answers(
    histories: Sequence[History],
    questions: Sequence[Question],
    settings: Settings,
    answerer: Answerer,
    *,
    designs: Sequence[DesignName],
) -> tuple[AnswerScored, ...]:
    """Show every question to every design, let it be answered, and score; a model's failure is unscored."""
    by_key = {history.key: history for history in histories}
    scored: list[AnswerScored] = []
    with loaded(histories, settings.memory) as store:
        shower = Designs(store, settings)
        for design in designs:
            for question in questions:
                history = by_key[question.key]
                scored.append(await _answered(answerer, question, history, shower.show(design, question), design))
    return tuple(scored)


async def _answered(
    answerer: Answerer, question: Question, history: History, shown: Shown, design: DesignName
) -> AnswerScored:
    why, text = "this engine does not answer it", None
    try:
        text = await answerer.answer(question, history, shown)
    except ModelError as error:
        why = str(error)
    missing, false = score_answer(question, history, text) if text is not None else ((), ())
    return AnswerScored(
        question_id=question.question_id,
        kind=question.kind,
        cluster=question.learner,
        design=design,
        passed=None if text is None else not missing and not false,
        missing=missing,
        false=false,
        unscored_because=why if text is None else "",
        text=text or "",
    )


def answers_table(scored: Sequence[AnswerScored], engine: str) -> str:
    """Return one row a design: passed of scored, unscored, and how many answers name what is not on record."""
    lines = [f"answers by {engine}, scored by the names of topics"]
    for design in dict.fromkeys(one.design for one in scored):
        own = [one for one in scored if one.design == design]
        judged = [one for one in own if one.passed is not None]
        passed = sum(bool(one.passed) for one in judged)
        share = f" ({passed / len(judged):.1%})" if judged else ""
        lines.append(
            f"{design:<14} {passed} of {len(judged)}{share}, {len(own) - len(judged)} unscored, "
            f"{sum(bool(one.false) for one in judged)} name what is not on record"
        )
    return "\n".join(lines)


def _names(wanted: str, entries: Mapping[str, Entry]) -> tuple[str, ...]:
    """Return what names a requirement in an answer."""
    edge = edge_of(wanted)
    if edge is not None:
        return (edge[1],)
    if wanted.startswith("concept:"):
        return (wanted.removeprefix("concept:"),)
    return (*entries[wanted].concepts, entries[wanted].text)
