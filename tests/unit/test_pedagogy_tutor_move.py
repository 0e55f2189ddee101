"""The kind of move of a reply: plain cases of each kind, the file of weights, and what a fit may hold."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from preceptor.domain.dialogue import Turn
from preceptor.domain.problem import Problem
from preceptor.domain.tutor_evidence import TutorMove
from preceptor.maths.step_graph import build_step_graph
from preceptor.pedagogy.softmax_fit import fit_softmax, fit_wide_softmax
from preceptor.pedagogy.turn_context import TurnContext
from preceptor.pedagogy.tutor_move import classify_move, move_probabilities
from preceptor.pedagogy.tutor_move_features import move_features
from preceptor.pedagogy.tutor_move_head import dump_move_head, parse_move_head, shipped_move_head
from preceptor.pedagogy.tutor_move_manner import habit_features
from preceptor.pedagogy.tutor_move_shape import shape_of, tutor_words
from preceptor.pedagogy.tutor_move_space import MoveSpace
from preceptor.pedagogy.tutor_move_training import fit_move_head, read_labelled_moves

TEXT = "Nora fills 6 crates with 14 jars each and gives 20 jars away. How many jars are left?"
SOLUTION = "6 crates hold 6 * 14 = 84 jars.\nAfter giving 20 away, 84 - 20 = 64 jars are left."
PROBLEM = Problem(problem_id="jars", text=TEXT, solution=SOLUTION, answer="64")


def context(utterance: str, *history: tuple[str, str]) -> TurnContext:
    turns = tuple(Turn(learner=learner, tutor=tutor) for learner, tutor in history)
    graph = build_step_graph(TEXT, SOLUTION, "64", "en")
    return TurnContext(problem=PROBLEM, graph=graph, history=turns, utterance=utterance)


@pytest.mark.parametrize(
    ("reply", "utterance", "move"),
    [
        ("Hello Nora's friend, nice to meet you!", "", TutorMove.GENERIC),
        ("Well done!", "84 - 20 = 64, so 64 jars are left", TutorMove.GENERIC),
        ("Can you explain why you added those two numbers?", "6 + 14 = 20", TutorMove.PROBING),
        ("No, you need to multiply 6 by 14, which gives 84. Then you subtract 20.", "6 + 14 = 20", TutorMove.TELLING),
    ],
)
def test_plain_replies_of_each_kind_are_told_apart(reply: str, utterance: str, move: TutorMove) -> None:
    history = () if not utterance else (("", "Talk me through it."),)
    assert classify_move(reply, context(utterance, *history)) is move


def test_probabilities_are_a_distribution() -> None:
    chances = move_probabilities("How many jars does one crate hold?", context("6 + 14 = 20"))
    assert set(chances) == set(TutorMove)
    assert sum(chances.values()) == pytest.approx(1)


def test_the_file_of_weights_reads_back_and_refuses_a_row_of_another_length() -> None:
    head = shipped_move_head()
    assert parse_move_head(dump_move_head(head)).weights == head.weights
    raw = json.loads(dump_move_head(head))
    raw["weights"]["focus"].pop()
    with pytest.raises(ValueError, match="must have"):
        parse_move_head(json.dumps(raw))


def test_the_shipped_weights_read_exactly_the_features_that_are_computed() -> None:
    space = shipped_move_head().space
    facts = move_features("How many jars are left?", context("64", ("", "Hi, can you walk me through it?")))
    assert set(space.features) <= set(facts)
    assert set(space.grams) & set(facts)
    assert set(space.habits) & set(facts)


def test_a_shape_keeps_listed_words_and_says_of_others_only_where_they_come_from() -> None:
    shape = shape_of("How many zebras and jars make 84, 64 or 7 crates?", context("6 + 14 = 20 jars"))
    assert " ".join(shape) == "< how many @other and @problem make #step , #answer or #new @problem ? >"


def test_the_shipped_shapes_hold_no_word_off_our_list() -> None:
    space = shipped_move_head().space
    runs = [run.partition(" ")[2] for run in (*space.grams, *space.habits)]
    tokens = {token for run in runs for token in run.split()}
    marks = {token for token in tokens if not token[0].isalpha()}
    assert {mark for mark in marks if mark[0] in "@#"} <= {
        "@", "#", "@problem", "@learner", "@other", "#problem", "#answer", "#learner", "#earlier", "#step", "#new"
    }  # fmt: skip
    endings = ("", "s", "es", "ed", "d", "ing")
    assert all(any(word.removesuffix(end) in tutor_words() for end in endings) for word in tokens - marks)


def test_habits_are_the_mean_over_earlier_replies_and_none_before_the_tutor_spoke() -> None:
    assert habit_features(()) == {}
    turns = [Turn(learner="", tutor="Why is that?"), Turn(learner="6", tutor="Good!")]
    habits = habit_features(turns)
    assert habits["habit_asks_why"] == 0.5
    assert habits["habit_manner_exclaims"] == 0.5
    assert habits["habit why is that"] == 1


def test_what_the_tutor_said_before_moves_the_chances_of_a_reply() -> None:
    history = [("", "explain your reasoning"), ("20", "why do you add? explain how you know that")]
    facts = move_features("okay. then how many jars are left?", context("14 jars", *history))
    without = {name: value for name, value in facts.items() if not name.startswith("habit")}
    chances, bare = (shipped_move_head().probabilities(told) for told in (facts, without))
    assert sum(abs(chances[move] - bare[move]) for move in TutorMove) > 0.05


def test_a_feature_that_is_not_told_stands_at_its_mean() -> None:
    space = MoveSpace(
        features=("a", "b"), centre=(1.0, 2.0), scale=(2.0, 1.0), grams={"gram x": 2.0, "gram y": 1.0}, habits={},
        axes=((0.0, 1.0),), points=((0.0,), (2.0,)), width=4.0,
    )  # fmt: skip
    row = space.row({"a": 5.0, "gram x": 1.0})
    assert row.tolist() == pytest.approx([2.0, 0.0, 1.0, 0.0, 1.0, float(np.exp(-1))])
    assert space.rows([{"a": 5.0, "gram x": 1.0}])[0].tolist() == pytest.approx(row.tolist())
    with pytest.raises(ValueError, match="one a feature"):
        replace(space, axes=((1.0,),))
    with pytest.raises(ValueError, match="width must be above 0"):
        replace(space, width=0.0)


def test_the_wide_fit_finds_what_the_plain_one_finds() -> None:
    stream = np.random.RandomState(5)
    matrix, chosen = stream.standard_normal((30, 50)), stream.randint(0, 3, 30)
    penalty = np.concatenate([stream.uniform(0.5, 3, 50), [1e-3]])
    plain = fit_softmax(matrix, chosen, 3, penalty, most_steps=5000, least_change=1e-9)
    wide = fit_wide_softmax(matrix, chosen, 3, penalty, most_steps=5000, least_change=1e-9)
    assert np.abs(plain - wide).max() < 1e-5


def test_a_fit_on_one_half_names_what_it_saw_and_beats_always_saying_focus(data_dir: Path) -> None:
    rows = read_labelled_moves(data_dir / "mathdial" / "dialogues.jsonl")
    problems = sorted({row.problem for row in rows})
    seen = set(problems[::4])
    head = fit_move_head([row for row in rows if row.problem in seen])
    held_out = [row for row in rows if row.problem not in seen and row.dialogue_id not in head.fitted_on][:400]
    right = sum(classify_move(row.reply, row.context, head=head) is row.move for row in held_out)
    focus = sum(row.move is TutorMove.FOCUS for row in held_out)
    assert right > focus + 40
