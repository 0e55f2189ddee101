"""Whole replies of the builtin engines on the sample problems: what the learner wrote is what is answered."""

from __future__ import annotations

import asyncio
import json
import re
from importlib import resources

import pytest

from preceptor.domain.dialogue import Turn
from preceptor.domain.problem import Problem
from preceptor.domain.reply import Move, Reply, Rung
from preceptor.pedagogy.builtin_observer import BuiltinObserver
from preceptor.pedagogy.builtin_tutor import BuiltinTutor
from preceptor.pedagogy.phrases.loader import load_phrases
from preceptor.pedagogy.speaker import normal_form
from preceptor.pedagogy.turn_context import TurnContext
from preceptor.pedagogy.tutor import TutorTurn
from preceptor.pedagogy.wording import sentences_of
from preceptor.settings import Settings
from preceptor.tutoring.engines import open_turn_maker
from preceptor.tutoring.stored_dialogue import graph_of
from preceptor.tutoring.turn import TurnTrace


def samples() -> dict[str, Problem]:
    text = resources.files("preceptor.record").joinpath("sample_problems.jsonl").read_text(encoding="utf-8")
    rows = [json.loads(line) for line in text.splitlines()]
    fields = ("problem_id", "text", "solution", "answer", "language")
    return {
        row["problem_id"].removeprefix("sample-"): Problem(**{key: row[key] for key in fields if key in row})
        for row in rows
    }


SAMPLES = samples()


class Talk:
    """A dialogue of the builtin engines, guarded as the product guards it."""

    def __init__(self, name: str) -> None:
        self.problem = SAMPLES[name]
        self.graph = graph_of(self.problem)
        self.maker = open_turn_maker(Settings())
        self.moves: list[tuple[Move, int | None]] = []
        self.rungs: dict[int, Rung] = {}
        opening = self.context("", ())
        observation = BuiltinObserver().observe_now(opening)
        first = BuiltinTutor().compose(TutorTurn(context=opening, observation=observation))
        self.history = [Turn(learner="", tutor=first.text, frame=first.frame)]

    def context(self, utterance: str, history: tuple[Turn, ...]) -> TurnContext:
        return TurnContext(
            problem=self.problem,
            graph=self.graph,
            history=history,
            utterance=utterance,
            language=self.problem.language,
        )

    def say(self, *lines: str) -> Reply:
        """Say lines in turn; return the last reply."""
        for line in lines:
            trace = TurnTrace()
            asyncio.run(self._turn(self.context(line, tuple(self.history)), trace))
            assert trace.reply is not None
            reply = trace.reply
            node = -1 if reply.node is None else reply.node
            self.rungs[node] = max(self.rungs.get(node, Rung.NONE), reply.rung)
            self.moves.append((reply.move, reply.node))
            self.history.append(Turn(learner=line, tutor=reply.text, frame=reply.frame))
        return reply

    async def _turn(self, context: TurnContext, trace: TurnTrace) -> None:
        async for _ in self.maker.run(context, trace, rungs=self.rungs, earlier_moves=tuple(self.moves)):
            pass


@pytest.mark.parametrize(
    "line",
    [
        "72 - 5 = 66",
        "72 — 5 = 66",
        "72 - 5 -> 66",
        "72-5 i think 66",
        "It is 66 (72 - 5)",
        "72 take away 5 is 66",
        "I subtracted 5 from 72 and got 66",
        "3*24=72\n72-5=66",
        "The answer is 72 - 5 = 66.",
    ],
)
@pytest.mark.parametrize("before", [(), ("3 * 24 = 72",)])
def test_a_calculation_that_is_written_is_never_asked_for(line: str, before: tuple[str, ...]) -> None:
    reply = Talk("lunch-sandwiches").say(*before, line)
    assert reply.move is Move.ISOLATE_COMPUTATION
    assert "72 - 5" in reply.text.replace("−", "-")
    asked = {normal_form(one.format(claim="66")) for one in load_phrases("en").variants("ask.apart")}
    assert asked.isdisjoint(normal_form(one) for one in sentences_of(reply.text))


@pytest.mark.parametrize(
    ("name", "before", "line", "calculation"),
    [
        ("juice-mix", (), "2 + 5 = 6", "2 + 5"),
        ("pool-tiles", (), "600 / 50 = 6", "600 ÷ 50"),
        ("jacket-sale", ("80 * 25 / 100 = 20",), "80 - 20 = 54", "80 - 20"),
        ("savings-growth", (), "210 + 10.5 = 222", "210 + 10.5"),
    ],
)
def test_a_false_calculation_without_a_mark_is_worked_out_again(
    name: str, before: tuple[str, ...], line: str, calculation: str
) -> None:
    """Its value is a step's elsewhere, or may be rounded: no verdict, but no question what it counts either."""
    reply = Talk(name).say(*before, line)
    assert reply.move is Move.ISOLATE_COMPUTATION
    assert calculation in reply.text
    assert not re.search(r"\bcount|\bword\b", reply.text)


def test_quantities_of_two_units_are_not_taken_for_a_slip() -> None:
    assert Talk("ribbon-bows").say("4 m - 280 cm = 120 cm").move is not Move.ISOLATE_COMPUTATION


@pytest.mark.parametrize("line", ["i dont get it", "I still don't get it", "what do you mean by that?", "huh?"])
def test_who_does_not_follow_gets_more_help_and_no_word_about_the_text(line: str) -> None:
    talk = Talk("juice-mix")
    first = talk.say("idk")
    reply = talk.say(line)
    assert reply.rung > first.rung
    said = {normal_form(one) for one in load_phrases("en").variants("say.not_in_text")}
    assert said.isdisjoint(normal_form(one) for one in sentences_of(reply.text))


@pytest.mark.parametrize("line", ["I don't get why we add them, 2 + 5 = 7", "I get it now", "what does ratio mean?"])
def test_other_words_are_not_taken_for_not_following(line: str) -> None:
    talk = Talk("juice-mix")
    talk.say("idk")
    assert talk.say(line).rung is Rung.NONE


def test_comfort_is_not_said_every_time() -> None:
    talk = Talk("bus-seats")
    comfort = {normal_form(one) for one in load_phrases("en").variants("ack.confused")}
    met = [
        not comfort.isdisjoint(normal_form(one) for one in sentences_of(talk.say("i dont know").text)) for _ in range(4)
    ]
    assert met == [True, False, True, False]


def test_nobody_is_asked_for_the_way_to_what_is_found() -> None:
    reply = Talk("jacket-sale").say("80 - 20 = 60")
    assert "25%" not in reply.text
    assert "How many dollars does Omar pay?" in reply.text


def test_who_has_written_nothing_is_not_asked_about_their_line() -> None:
    talk = Talk("bus-seats")
    said = [talk.say("idk").text for _ in range(3)]
    assert not any("your line" in text for text in said)


def test_a_step_is_asked_for_with_its_thing() -> None:
    assert "4 metres are how many centimetres?" in (Talk("ribbon-bows").history[0].tutor or "")
    assert "one part is how many litres?" in Talk("juice-mix").say("2 + 5 = 7").text
