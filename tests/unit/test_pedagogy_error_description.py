"""A mistake in abstract words: kind, place in the learner's work, kinds of quantity; nothing of the problem."""

from __future__ import annotations

import pytest
from tests.unit.planted_replies import MOMENTS, PROBLEMS, reviewed

from preceptor.experience.abstract_sentence import join_difficulty
from preceptor.experience.abstract_text import find_faults, surroundings_of
from preceptor.pedagogy.error_description import describe_error
from preceptor.pedagogy.quantity_kinds import _KINDS, quantity_kinds


def test_every_kind_is_named_in_words_that_may_be_stored() -> None:
    for name, _ in _KINDS:
        assert not find_faults(f"The learner slipped, working with {name}.")


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("20 % of the price", ("a percentage", "a cost")),
        ("each box holds twice as many", ("a multiple", "a rate", "a comparison")),
        ("he has 3 apples", ()),
        ("3/4 of an hour", ("a fraction", "time")),
        ("so x = 4", ("an unknown",)),
    ],
)
def test_kinds_of_quantity(text: str, kinds: tuple[str, ...]) -> None:
    assert quantity_kinds(text) == kinds
    assert quantity_kinds(text, "de") == ()


@pytest.mark.parametrize(
    ("line", "place"),
    [("two and two is five", "at the first step"), ("so six", "between the first and the last step"), ("done", "last")],
)
def test_place_of_the_line_in_the_work(line: str, place: str) -> None:
    said = "two and two is five\nso six\ndone\n 7"
    assert place in describe_error((), None, slipped=True, wrong=True, line=line, said=said)
    assert "step" not in describe_error((), None, slipped=True, wrong=True, line=line, said=line)


def test_nothing_is_said_where_nothing_is_wrong() -> None:
    assert describe_error((), None, slipped=False, wrong=False, line="x", said="x y", problem="each") == ""


@pytest.mark.parametrize("moment", MOMENTS)
def test_sentence_of_a_planted_moment_carries_nothing_of_its_problem(moment: str) -> None:
    turn = reviewed(moment, "x")
    sentence = join_difficulty(turn.observation.error_detail, turn.observation.struggle_reason)
    around = surroundings_of(PROBLEMS[MOMENTS[moment].problem], [turn.context.utterance])
    assert not sentence or not find_faults(sentence, around)
