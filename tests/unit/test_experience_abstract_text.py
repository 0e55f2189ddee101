"""What an abstract text must be free of, on sentences of our own and on the shared dialogues."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from preceptor.domain.problem import Problem
from preceptor.experience.abstract_text import (
    NOWHERE,
    dialogue_surroundings,
    find_faults,
    generality,
    surroundings_of,
)
from preceptor.pedagogy.dialogue_formats import read_dialogues

PROBLEM = Problem(
    problem_id="p",
    text="Marta fills 7 crates with lemons. Each crate holds two dozen lemons and Omar eats five. How many are left?",
    solution="7*24=168\n168-5=163",
    answer="163",
)
LEARNER = ["I just took seven away because the picnic basket was nearly empty again", "so Zelda has more"]
AROUND = surroundings_of(PROBLEM, LEARNER)


@pytest.mark.parametrize(
    "text",
    [
        "The learner multiplies where the situation compares two quantities.",
        "used another operation where the situation takes away",
        "Half of the parts are counted twice.",
        "Ask what each quantity counts before any calculation.",
        "One of the parts was left out of the total.",
        "Let the learner try a smaller case first; then return to the question.",
        "[name the quantity] is known. What does it tell us about the whole?",
        "Tutor and learner agree on the first step. Then the unit is checked.",
        "I see how you thought about it.",
    ],
)
def test_a_problem_agnostic_text_passes(text: str) -> None:
    assert find_faults(text, AROUND) == ()


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        ("takes 7 away from the total", "digit", "7"),
        ("uses the ½ of the whole", "digit", "½"),
        ("multiplies by ٣ instead", "digit", "٣"),
        ("writes total = part + part", "symbol", "="),
        ("forgets the $ sign", "symbol", "$"),
        ("counts seven too many", "number_word", "seven"),
        ("takes five quantities away", "number_word", "five"),
        ("adds two lemons to the total", "number_word", "two"),
        ("reads a dozen as ten parts", "number_word", "ten"),
        ("solves for x before reading", "variable", "x"),
        ("gives the quantity n a name", "variable", "n"),
        ("Marta is taken for the whole", "name", "Marta"),
        ("the part that marta keeps is ignored", "name", "marta"),
        ("the learner asks Gregor for help", "name", "Gregor"),
        ("The learner asks zelda for help", "name", "zelda"),
        ("counts the lemons as parts", "thing", "lemons"),
        ("counts one lemon as a part", "thing", "lemon"),
        ("does not know what a crate is", "thing", "crate"),
        ("took it away because the picnic basket was nearly empty", "learner_words", ""),
        ("took away, picnic baskets nearly emptied", "learner_words", ""),
        ("学生加错了数量", "language", "学生加错了数量"),
        ("", "language", ""),
    ],
)
def test_what_belongs_to_the_problem_or_the_learner_is_refused_by_name(text: str, kind: str, words: str) -> None:
    faults = find_faults(text, AROUND)
    assert any(fault.kind == kind and words in fault.words for fault in faults), faults


def test_five_words_of_the_learner_pass_and_six_do_not() -> None:
    around = surroundings_of(None, ["it is not what we said it would be for all of them"])
    assert find_faults("it is not what we", around) == ()
    assert [fault.kind for fault in find_faults("it is not what we said", around)] == ["learner_words"]


def test_three_content_words_of_the_learner_pass_and_four_do_not() -> None:
    around = surroundings_of(None, ["I divided the total and multiplied by every part"])
    assert find_faults("divides totals, multiplying", around) == ()
    assert [fault.kind for fault in find_faults("divides totals, multiplying every", around)] == ["learner_words"]


def test_up_to_three_quantities_may_be_counted_and_four_may_not() -> None:
    assert find_faults("compares three quantities", AROUND) == ()
    assert [fault.kind for fault in find_faults("compares four quantities", AROUND)] == ["number_word"]


def test_a_word_that_is_also_written_small_is_no_name() -> None:
    assert find_faults("the rose is counted", surroundings_of(None, ["Rose has one rose"])) == ()
    assert [fault.kind for fault in find_faults("the rose is counted", surroundings_of(None, ["Rose has one"]))] == [
        "name"
    ]


def test_a_text_of_which_a_part_is_in_other_letters_cannot_be_judged() -> None:
    assert [fault.kind for fault in find_faults("The learner 学生学生 adds the parts")] == ["language"]


def test_a_fault_says_what_and_why() -> None:
    said = [str(fault) for fault in find_faults("counts the lemons", AROUND)]
    assert said == ["a thing of the problem: 'lemons'"]


@given(st.text(max_size=200))
def test_any_text_is_judged_and_digits_never_pass(text: str) -> None:
    faults = find_faults(text, AROUND)
    if any(char.isdecimal() for char in text):
        assert faults


def test_the_more_general_of_two_texts_has_more_listed_words() -> None:
    assert generality("compares the parts with the whole") == 1.0
    assert generality("compares the parts with the zebra") == pytest.approx(5 / 6)
    assert generality("") == 0.0


@pytest.mark.data
@pytest.mark.parametrize(
    ("file", "form", "least"), [("mathdial/dialogues.jsonl", "mathdial", 1000), ("bridge/bridge.jsonl", "bridge", 30)]
)
def test_no_sentence_copied_from_a_shared_dialogue_passes(data_dir: Path, file: str, form: str, least: int) -> None:
    """Every learner sentence of six words or more is refused in its own dialogue."""
    passed: list[str] = []
    n = 0
    for dialogue in read_dialogues(str(data_dir / file), form):
        around = dialogue_surroundings(dialogue)
        for turn in dialogue.turns:
            for sentence in re.split(r"(?<=[.!?])\s+|\n", turn.learner):
                if len(re.findall(r"[^\W_]+", sentence)) >= 6:
                    n += 1
                    passed += [] if find_faults(sentence, around) else [f"{dialogue.dialogue_id}: {sentence}"]
    assert n > least
    assert passed == []


def test_without_any_surroundings_the_plain_rules_still_hold() -> None:
    assert find_faults("the lemons are parts", NOWHERE) == ()
    assert [fault.kind for fault in find_faults("Omar adds 3", NOWHERE)] == ["digit"]
    assert [fault.kind for fault in find_faults("then Omar adds", NOWHERE)] == ["name"]
