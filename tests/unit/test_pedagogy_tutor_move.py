"""The kind of move of a reply: plain cases of each kind, the file of weights, and what a fit may hold."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from preceptor.domain.dialogue import Turn
from preceptor.domain.problem import Problem
from preceptor.domain.tutor_evidence import TutorMove
from preceptor.maths.step_graph import build_step_graph
from preceptor.pedagogy.turn_context import TurnContext
from preceptor.pedagogy.tutor_move import classify_move, move_probabilities
from preceptor.pedagogy.tutor_move_features import move_features
from preceptor.pedagogy.tutor_move_head import dump_move_head, parse_move_head, shipped_move_head
from preceptor.pedagogy.tutor_move_shape import shape_of, tutor_words
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
    head = shipped_move_head()
    assert set(head.features) <= set(move_features("Well done!", context("64")))
    assert any(gram in move_features("How many jars are left?", context("64")) for gram in head.grams)


def test_a_shape_keeps_listed_words_and_says_of_others_only_where_they_come_from() -> None:
    shape = shape_of("How many zebras and jars make 84, 64 or 7 crates?", context("6 + 14 = 20 jars"))
    assert " ".join(shape) == "< how many @other and @problem make #step , #answer or #new @problem ? >"


def test_the_shipped_shapes_hold_no_word_off_our_list() -> None:
    tokens = {token for gram in shipped_move_head().grams for token in gram.removeprefix("gram ").split()}
    marks = {token for token in tokens if not token[0].isalpha()}
    assert {mark for mark in marks if mark[0] in "@#"} <= {
        "@problem", "@learner", "@other", "#problem", "#answer", "#learner", "#earlier", "#step", "#new"
    }  # fmt: skip
    endings = ("", "s", "es", "ed", "d", "ing")
    assert all(any(word.removesuffix(end) in tutor_words() for end in endings) for word in tokens - marks)


def test_a_fit_on_one_half_names_what_it_saw_and_beats_always_saying_focus(data_dir: Path) -> None:
    rows = read_labelled_moves(data_dir / "mathdial" / "dialogues.jsonl")
    problems = sorted({row.problem for row in rows})
    seen = set(problems[::4])
    head = fit_move_head([row for row in rows if row.problem in seen])
    held_out = [row for row in rows if row.problem not in seen and row.dialogue_id not in head.fitted_on][:400]
    right = sum(classify_move(row.reply, row.context, head=head) is row.move for row in held_out)
    focus = sum(row.move is TutorMove.FOCUS for row in held_out)
    assert right > focus + 40
