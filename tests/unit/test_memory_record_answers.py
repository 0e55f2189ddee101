"""Builtin answers about the record: in the learner's language, from the block's items, and honest without any."""

from __future__ import annotations

import re
import string
import tomllib
from dataclasses import replace
from datetime import timedelta
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.memory_history import JULY, NOW, History, belief

from preceptor.domain.problem import Problem
from preceptor.memory.block import MemoryBlock
from preceptor.memory.block_items import BeliefItem, EpisodeItem, Form
from preceptor.memory.record_answers import answer_record
from preceptor.memory.record_phrases import record_phrases
from preceptor.memory.record_questions import RecordQuestion
from preceptor.memory.time_phrases import TimeWindow
from preceptor.record.kinds import AnswerBody, QuestionBody
from preceptor.record.memory_kinds import QuizBody

LANGUAGES = ("en", "es", "fr", "de", "ar", "zh")


def test_every_language_has_every_sentence_with_the_same_places() -> None:
    file = resources.files("preceptor.memory").joinpath("record_answers.toml")
    tables = tomllib.loads(file.read_text(encoding="utf-8"))
    assert set(tables) == set(LANGUAGES)

    def fields(value: str | list[str]) -> set[str]:
        return {name for _, name, _, _ in string.Formatter().parse(value) if name} if isinstance(value, str) else set()

    english = {key: fields(value) for key, value in tables["en"].items()}
    for language in LANGUAGES:
        assert {key: fields(value) for key, value in tables[language].items()} == english, language
        assert len(tables[language]["months"]) == 12


@pytest.mark.parametrize(
    ("question", "language", "parts"),
    [
        ("what did we do in July?", "en", ("in July 2026", "12 July 2026", "Name the parts of the cell.")),
        ("¿qué hicimos en julio?", "es", ("en julio de 2026", "12 de julio de 2026", "un problema")),
        ("qu'est-ce qu'on a fait en juillet ?", "fr", ("en juillet 2026", "12 juillet 2026", "un problème")),
        ("Was haben wir im Juli gemacht?", "de", ("im Juli 2026", "12. Juli 2026", "eine Aufgabe")),
        ("ماذا درسنا في يوليو؟", "ar", ("في يوليو 2026", "12 يوليو 2026", "مسألة")),
        ("我们7月学了什么？", "zh", ("2026年7月", "2026年7月12日", "一道题")),
    ],
)
def test_july_in_six_languages(tmp_path: Path, question: str, language: str, parts: tuple[str, ...]) -> None:
    history = History(tmp_path)
    history.july()
    answer = answer_record(history.ask(question, language="en"))
    assert answer.language == language
    assert answer.found == "answered"
    for part in parts:
        assert part in answer.text


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("what did we do in May?", "I have no record of anything in May 2026."),
        ("¿qué hicimos en mayo?", "No tengo nada registrado en mayo de 2026."),
        ("qu'est-ce qu'on a fait en mai ?", "Je n'ai rien noté en mai 2026."),
        ("Was haben wir im Mai gemacht?", "Ich habe im Mai 2026 nichts aufgezeichnet."),
        ("ماذا درسنا في مايو؟", "ليس لدي أي سجل في مايو 2026."),
        ("我们5月学了什么？", "2026年5月我没有任何记录。"),
    ],
)
def test_an_empty_month_in_six_languages(tmp_path: Path, question: str, said: str) -> None:
    history = History(tmp_path)
    history.july()
    answer = answer_record(history.ask(question, language="en"))
    assert (answer.text, answer.found, answer.episode_ids) == (said, "nothing", ())


def test_what_was_wrong_holds_nothing_that_was_right(tmp_path: Path) -> None:
    history = History(tmp_path)
    history.july()
    answer = answer_record(history.ask("what did I get wrong?"))
    assert "in the membrane”: not right" in answer.text
    assert "What is around the cell?" not in answer.text


def test_a_month_with_work_but_no_mistake_is_not_a_month_without_record(tmp_path: Path) -> None:
    history = History(tmp_path)
    history.july()
    answer = answer_record(history.ask("what did I get wrong in September?"))
    assert answer.text == "I have nothing on record that you got wrong in September 2026."


def test_how_am_i_doing_tells_beliefs_as_a_ranking(tmp_path: Path) -> None:
    history = History(tmp_path, belief("cytoplasm"), belief("membrane", "struggles", 0.64))
    history.july()
    text = answer_record(history.ask("how am I doing?")).text
    assert "only say what I am surer of" in text
    assert "you understand Cytoplasm (0.72)" in text
    assert "you find Membrane hard (0.64)" in text


def test_checks_without_a_concept_are_told_as_such(tmp_path: Path) -> None:
    history = History(tmp_path)
    history.july()
    assert "Checks on record: 4; none could be tied to a topic" in answer_record(history.ask("how am I doing?")).text


def test_being_remembered_is_answered_with_the_record_where_nothing_was_taught(tmp_path: Path) -> None:
    history = History(tmp_path)
    history.add(QuestionBody(problem=Problem(problem_id="p", text="Name the parts of the cell.")))
    text = answer_record(history.ask("do you remember me?")).text
    assert text.startswith("You have taught me nothing so far")
    assert "Name the parts of the cell." in text


def test_words_that_nothing_matches_are_said_to_match_nothing(tmp_path: Path) -> None:
    history = History(tmp_path)
    history.july()
    assert answer_record(history.ask("when did we learn about volcanoes?")).text == (
        "I find nothing on record with these words."
    )


def test_what_may_not_be_said_now_is_counted_and_left_out(tmp_path: Path) -> None:
    history = History(tmp_path)
    history.july()
    answer = answer_record(history.ask("what did I get wrong?"), may_say=lambda text: "membrane" not in text)
    assert answer.text == "Left out here, because it belongs to the problem you are working on: 1."
    assert answer.episode_ids == ()


@pytest.mark.parametrize("with_other_work", [False, True])
def test_what_was_only_talked_about_answers_a_question_about_it_and_other_work_does_not(
    tmp_path: Path, with_other_work: bool
) -> None:
    history = History(tmp_path)
    if with_other_work:
        history.add(QuizBody(item="Where is energy released?", answer="outside", verdict="wrong"), JULY)
    history.add(AnswerBody(text="The nucleus keeps the plan of the cell"), JULY + timedelta(days=1), dialogue_id="d2")
    answer = answer_record(history.ask("what did we do in July about the nucleus?"))
    assert answer.text.splitlines()[1:] == ["- 13 July 2026: you wrote: “The nucleus keeps the plan of the cell”"]
    assert "nothing on record" not in answer.text
    assert answer.found == "answered"


def test_of_many_memories_that_fit_alike_the_latest_six_are_told_oldest_first(tmp_path: Path) -> None:
    history = History(tmp_path)
    for day in range(9):
        text = f"Name part number {day} of the cell."
        history.add(QuestionBody(problem=Problem(problem_id=f"p{day}", text=text)), JULY + timedelta(days=day))
    answer = answer_record(history.ask("what did we do in July?"))
    assert re.findall(r"part number (\d)", answer.text) == ["3", "4", "5", "6", "7", "8"]


def test_of_eight_memories_the_best_fit_is_told_with_the_latest_five_of_the_rest() -> None:
    episodes = tuple(
        EpisodeItem(
            episode_id=str(day), kind="answer", on=(JULY + timedelta(days=day)).date(), form="the student wrote",
            text=f"the membrane, part {day}", verdict=None, count=1, stale=False, language="en",
        )
        for day in range(8)
    )  # fmt: skip
    block = MemoryBlock(
        text="x", tokens=1, episodes=episodes, similarities=(0.9, *(0.5,) * 7), today=NOW.date(), counts={"answer": 8},
        record_question=RecordQuestion(kind="when", language="en", phrase="", span=(0, 0)),
        asked_about=True, matched=True,
    )  # fmt: skip
    assert answer_record(block).episode_ids == ("0", "3", "4", "5", "6", "7")


def _block(kind: str, *items: EpisodeItem, **fields: Any) -> MemoryBlock:
    made = MemoryBlock(
        text="x", tokens=1, episodes=items, similarities=(0.5,) * len(items), today=NOW.date(),
        record_question=RecordQuestion(kind=kind, language="en", phrase="", span=(0, 0)),  # type: ignore[arg-type]
        matched=True,
    )  # fmt: skip
    return replace(made, **fields)


def _quiz(**fields: Any) -> EpisodeItem:
    made = EpisodeItem(
        episode_id="q", kind="quiz", on=JULY.date(), form="quiz", text="3 + 4: 8", verdict="wrong", count=1,
        stale=False, language="en",
    )  # fmt: skip
    return replace(made, **fields)


def test_repeats_and_a_changed_file_stand_in_brackets_behind_the_quotation() -> None:
    answer = answer_record(_block("got_wrong", _quiz(count=3, stale=True)))
    line = "- 12 July 2026: “3 + 4: 8”: not right (and 2 more like it; the file it cited has changed since)"
    assert answer.text == f"On record as not right:\n{line}"
    assert answer.found == "answered"


def test_what_was_done_is_counted_at_the_end_where_nothing_in_particular_was_asked_about() -> None:
    counts = {"question": 2, "wrong": 1, "answer": 9}
    whole = answer_record(_block("what_done", _quiz(), counts=counts))
    assert whole.text.endswith("not right\n\nCounted on record: problems 2, not right 1.")
    assert "Counted" not in answer_record(_block("what_done", _quiz(), counts=counts, asked_about=True)).text
    assert "Counted" not in answer_record(_block("got_wrong", _quiz(), counts=counts)).text


@pytest.mark.parametrize("kind", ["got_wrong", "how_am_i_doing"])
def test_a_time_that_could_not_be_read_is_said_first_and_makes_the_answer_partial(kind: str) -> None:
    answer = answer_record(_block(kind, _quiz(), unread_time="the other day", counts={"wrong": 1}))
    assert answer.text.startswith("I could not read “the other day” as a date")
    assert answer.found == "partial"
    assert answer_record(_block(kind, _quiz(), counts={"wrong": 1})).found == "answered"


def test_an_impression_tells_six_beliefs_at_most_or_the_counts_or_that_there_is_nothing() -> None:
    beliefs = tuple(
        BeliefItem(
            belief_id=f"b{n}", concept=f"concept {chr(97 + n)}", claim="understands", confidence=0.9 - n / 100,
            to_confirm=False, evidence_ids=(),
        )
        for n in range(8)
    )  # fmt: skip
    told = answer_record(_block("how_am_i_doing", beliefs=beliefs)).text.splitlines()
    assert [line.split("(")[0] for line in told[1:]] == [f"- you understand concept {name} " for name in "abcdef"]
    assert answer_record(_block("how_am_i_doing", counts={"right": 2})).text == "Counted on record: right 2."
    empty = answer_record(_block("how_am_i_doing"))
    assert (empty.text, empty.found) == ("I have nothing on record yet.", "nothing")


def test_words_that_nothing_matches_are_followed_by_the_latest_only_where_there_is_one_to_tell() -> None:
    asked = {"asked_about": True, "matched": False}
    told = answer_record(_block("got_wrong", _quiz(), **asked))
    assert told.text.splitlines()[:2] == ["I find nothing on record with these words.", "The latest on record:"]
    withheld = answer_record(_block("got_wrong", _quiz(), **asked), may_say=lambda text: False)
    assert "The latest" not in withheld.text
    assert (told.found, withheld.found) == ("nothing", "nothing")


FORMS: tuple[tuple[str, Form], ...] = (
    ("question", "problem"), ("answer", "the student wrote"), ("turn_record", "you answered"), ("check", "check"),
    ("quiz", "quiz"), ("taught", "the student taught you"),
)  # fmt: skip
ITEMS = st.lists(
    st.tuples(
        st.sampled_from(FORMS),
        st.integers(0, 60),
        st.text(alphabet="abc de", min_size=1, max_size=20),
        st.sampled_from(("right", "wrong", None)),
        st.integers(1, 4),
    ),
    max_size=10,
)


@given(
    items=ITEMS,
    language=st.sampled_from(LANGUAGES),
    kind=st.sampled_from(("what_done", "got_wrong", "got_right", "when", "what_taught", "how_am_i_doing")),
    with_window=st.booleans(),
    matched=st.booleans(),
)
def test_no_date_count_or_quotation_stands_in_an_answer_that_is_not_in_the_block(
    items: list[tuple[tuple[str, Form], int, str, str | None, int]],
    language: str,
    kind: str,
    with_window: bool,
    matched: bool,
) -> None:
    window = TimeWindow(first_day=JULY.date().replace(day=1), last_day=JULY.date().replace(day=31), time_zone="UTC")
    episodes = tuple(
        EpisodeItem(
            episode_id=str(place), kind=form[0], on=(JULY + timedelta(days=days)).date(), form=form[1], text=text,
            verdict="right" if verdict == "right" else "wrong" if verdict == "wrong" else None, count=count,
            stale=False, language="en",
        )
        for place, (form, days, text, verdict, count) in enumerate(items)
    )  # fmt: skip
    counts = {"question": 3} if items else {}
    block = MemoryBlock(
        text="x", tokens=1, episodes=episodes, similarities=(0.5,) * len(episodes), today=NOW.date(), counts=counts,
        record_question=RecordQuestion(kind=kind, language=language, phrase="", span=(0, 0)),  # type: ignore[arg-type]
        window=window if with_window else None, window_is_empty=with_window and not items,
        asked_about=not matched, matched=matched,
    )  # fmt: skip
    answer = answer_record(block)
    say = record_phrases(language)
    text = answer.text
    told = {one.episode_id: one for one in episodes}
    for episode_id in answer.episode_ids:
        one = told[episode_id]
        assert one.text.strip() in " ".join(text.split()) or " ".join(one.text.split()) in text
        text = text.replace(say.day(one.on), "", 1)
    if with_window:
        text = text.replace(say.when(window), "")
    numbers = {int(found) for found in re.findall(r"\d+", text)}
    assert numbers <= {one.count - 1 for one in episodes} | set(counts.values())
