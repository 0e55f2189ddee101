"""A dialogue as the templates show it: the words and the sanitised HTML of each turn, step and hint."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from jinja2 import Environment
from markupsafe import Markup

from preceptor.domain.observation import Mark
from preceptor.server.labels import (
    ARITHMETIC_ONLY,
    JUDGE_WORDS,
    MARK_SIGNS,
    MARK_WORDS,
    MODE_WORDS,
    RUNG_WORDS,
    UNREAD_WORDS,
    engine_words,
)
from preceptor.server.render import render_plain, render_reply
from preceptor.server.sources import ShownSource, grounding_words, memory_words, shown_sources
from preceptor.tutoring.events import RailStep
from preceptor.tutoring.sources import SourceView
from preceptor.tutoring.views import DialogueView, TurnView

TITLE_CHARS = 60


@dataclass(frozen=True, kw_only=True)
class ShownStep:
    """One line of the step rail."""

    text: str
    text_html: Markup
    mark: Mark
    sign: str
    mark_words: str
    judge_words: str
    read_as: str


@dataclass(frozen=True, kw_only=True)
class ShownTurn:
    """One turn of the conversation."""

    number: int
    """From 1; 0 is the tutor's opening."""
    learner: str
    learner_html: Markup
    mode_words: str
    reading: str
    read_as: str
    unread_words: str
    reply_html: Markup | None
    """`None` while the reply is being made."""
    engine_words: str
    rung_words: str
    language: str
    sources: tuple[ShownSource, ...] = ()
    """What the reply rests on, as chips."""
    grounding_words: str = ""
    """Said where the reply does not come from the course's files."""
    memory_words: str = ""
    """Said where the learner's record was not read."""


def shown_steps(steps: Sequence[RailStep]) -> list[ShownStep]:
    """Return rail lines with their words."""
    return [
        ShownStep(
            text=step.text,
            text_html=Markup(render_plain(step.text)),
            mark=step.mark,
            sign=MARK_SIGNS[step.mark],
            mark_words=MARK_WORDS[step.mark],
            judge_words=_judge_words(step),
            read_as=step.read_as,
        )
        for step in steps
    ]


def shown_turn(turn: TurnView, dialogue_id: str) -> ShownTurn:
    """Return one turn of a dialogue with its text rendered."""
    return ShownTurn(
        number=turn.turn,
        learner=turn.learner,
        learner_html=Markup(render_plain(turn.learner)),
        mode_words=_mode_words(turn),
        reading=turn.status,
        read_as=turn.read_as,
        unread_words=UNREAD_WORDS.get(turn.reason or "", ""),
        reply_html=None if turn.reply is None else Markup(render_reply(turn.reply)),
        engine_words=engine_words(turn.engine),
        rung_words=RUNG_WORDS[turn.rung] if turn.rung else "",
        language=turn.language,
        sources=shown_sources(turn.sources, dialogue_id, turn.turn),
        grounding_words=grounding_words(turn.grounding),
        memory_words=memory_words(turn.memory_read),
    )


def _judge_words(step: RailStep) -> str:
    if step.mark == "unsure" and step.judged_by == "arithmetic":
        return ARITHMETIC_ONLY
    return JUDGE_WORDS[step.judged_by]


def _mode_words(turn: TurnView) -> str:
    """Return which button was pressed, unless the message says so itself."""
    words = MODE_WORDS.get(turn.mode, "")
    return "" if words == turn.learner.strip(" .") else words


def shown_turns(dialogue: DialogueView) -> list[ShownTurn]:
    """Return a dialogue's turns, oldest first."""
    return [shown_turn(turn, dialogue.dialogue_id) for turn in dialogue.turns]


def all_steps(dialogue: DialogueView) -> list[ShownStep]:
    """Return every line of the learner's own work, oldest first."""
    return shown_steps([step for turn in dialogue.turns for step in turn.steps])


def title_of(text: str) -> str:
    """Return the beginning of a problem, for a title."""
    line = " ".join(text.split())
    return line if len(line) <= TITLE_CHARS else line[:TITLE_CHARS].rsplit(" ", 1)[0] + " …"


class TurnFragments:
    """Renders the pieces that a running turn adds to the page, from the same templates as the whole page."""

    def __init__(self, environment: Environment) -> None:
        self._environment = environment

    def turn(self, turn: ShownTurn) -> str:
        """Return one turn as a list item."""
        return self._environment.get_template("parts/turn.html").render(turn=turn)

    def steps(self, steps: Sequence[RailStep]) -> str:
        """Return rail lines as list items."""
        return self._environment.get_template("parts/steps.html").render(steps=shown_steps(steps))

    def reading(self, status: str, read_as: str, reason: str | None) -> str:
        """Return how the learner's message was read."""
        turn = {"reading": status, "read_as": read_as, "unread_words": UNREAD_WORDS.get(reason or "", "")}
        return self._environment.get_template("parts/reading.html").render(turn=turn)

    def engine(self, engine: str, rung: int) -> str:
        """Return who made the reply and which hint it gave."""
        turn = {"engine_words": engine_words(engine), "rung_words": RUNG_WORDS[rung] if rung else ""}
        return self._environment.get_template("parts/engine.html").render(turn=turn)

    def sources(
        self, sources: Sequence[SourceView], grounding: str, memory_read: str, *, dialogue_id: str, turn: int
    ) -> str:
        """Return what the reply rests on, as chips, and what it could not rest on."""
        shown = {
            "sources": shown_sources(sources, dialogue_id, turn),
            "grounding_words": grounding_words(grounding),
            "memory_words": memory_words(memory_read),
        }
        return self._environment.get_template("parts/sources.html").render(turn=shown)
