"""The block: layout, order by question, honesty about time, and never over its budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.memory_history import ANA, JULY, NOW, History, belief

from preceptor.domain.episode import Evidence
from preceptor.domain.reply import Move, Reply
from preceptor.domain.scope import Scope
from preceptor.domain.token_estimate import estimate_tokens
from preceptor.memory.block_assessment import BRIDGE, assessment_section
from preceptor.memory.block_layout import Layout, write
from preceptor.memory.block_lines import CLOSING, HOW_TO_USE, OPENING
from preceptor.models.embedder import Vector
from preceptor.record.kinds import AnswerBody, TurnRecordBody
from preceptor.settings import TutoringSettings
from preceptor.stores.memory import Verification
from preceptor.tutoring.context_budget import fit

BERT = Scope(learner_id="bert", subject_id="cells")


class CountingEmbedder:
    """An embedder for English that counts what it is asked."""

    fingerprint = "counting"
    languages = ("en",)
    dimensions = 3

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str], *, language: str | None = None) -> list[Vector | None]:
        self.asked += texts
        return [np.ones(3, dtype=np.float32) / 3**0.5 for _ in texts]


def places(text: str, *parts: str) -> list[int]:
    found = [text.find(part) for part in parts]
    assert -1 not in found, (parts, text)
    return found


def test_a_question_about_the_record_has_beliefs_and_work_first_and_the_map_last(tmp_path: Path) -> None:
    history = History(tmp_path, belief("cytoplasm"))
    history.july()
    text = history.ask("what did I get wrong so far?").text
    order = places(
        text,
        OPENING,
        "THE STUDENT IS ASKING ABOUT THEIR OWN RECORD.",
        "WHAT YOU CURRENTLY BELIEVE ABOUT THIS STUDENT (from their checks",
        "- understands Cytoplasm (0.72)",
        "EARLIER WORK WITH THIS STUDENT (oldest first):",
        "- 12 Jul · you were asked: Can we go over the cytoplasm again?",
        "- 12 Jul · quiz: Where is energy released?: in the membrane: wrong",
        "- 12 Jul · quiz: What is around the cell?: a membrane: right (and 2 more times like it)",
        "- 18 Sep · the student taught you: in our class we call the mitochondria",
        "SUBJECT MAP (3 concepts;",
        HOW_TO_USE,
        CLOSING,
    )
    assert order == sorted(order)
    assert "Never claim a memory that is not listed here" in text
    assert "say when it happened" in text


def test_an_ordinary_question_has_the_map_first_with_what_was_taught(tmp_path: Path) -> None:
    history = History(tmp_path, belief("cytoplasm"))
    history.july()
    text = history.ask("How do the mitochondria work?").text
    order = places(
        text,
        "SUBJECT MAP (3 concepts;",
        "- Mitochondria: Mitochondria is a part of the cell. [taught: in our class",
        "(builds on: Cytoplasm)",
        "WHAT YOU CURRENTLY BELIEVE",
        "EARLIER WORK",
    )
    assert order == sorted(order)
    assert "THEIR OWN RECORD" not in text


def test_an_empty_month_is_said_to_be_one_and_the_months_year_is_named(tmp_path: Path) -> None:
    history = History(tmp_path)
    history.july()
    block = history.ask("what did we do in May?")
    assert "I have no record of May 2026: say so, and describe no session" in block.text
    assert block.window_is_empty
    assert not block.episodes


def test_only_the_asked_month_is_told_in_the_learners_time_zone(tmp_path: Path) -> None:
    history = History(tmp_path)
    history.july()
    late = history.add(AnswerBody(text="late at night"), datetime(2026, 7, 31, 22, 30, tzinfo=UTC), dialogue_id="d3")
    assert late.episode_id in history.ask("what did we do in July?").episode_ids
    assert late.episode_id not in history.ask("what did we do in July?", zone="Europe/Berlin").episode_ids
    assert late.episode_id in history.ask("what did we do in August?", zone="Europe/Berlin").episode_ids


def test_a_time_that_cannot_be_read_is_said_aloud(tmp_path: Path) -> None:
    history = History(tmp_path)
    history.july()
    block = history.ask("what did we do the other day?")
    assert block.unread_time == "the other day"
    assert "“the other day” could not be read as a date, so no time filter was used: say so." in block.text


def test_checks_that_fit_no_concept_are_counted_not_denied(tmp_path: Path) -> None:
    history = History(tmp_path)
    history.july()
    text = history.ask("how am I doing?").text
    assert "CHECKS: 4 checks are on record, but none could be tied to a concept in the map yet." in text


def test_a_memory_whose_file_changed_says_so(tmp_path: Path) -> None:
    history = History(tmp_path)
    reply = Reply(text="The membrane is thin, says the book.", move=Move.FREE)
    told = history.add(TurnRecordBody(reply=reply), evidence=(Evidence(document_id="book", page=1, fingerprint="old"),))
    history.ask("membrane")
    checked = Verification(episode_id=told.episode_id, status="changed", note="replaced", checked_at=NOW)
    history.record.memory.set_verification(ANA, checked)
    assert "[note: the file this cited has been replaced or removed since]" in history.ask("membrane").text


def test_with_nothing_on_record_an_ordinary_turn_is_told_nothing(tmp_path: Path) -> None:
    history = History(tmp_path)
    assert history.ask("7 * 12 = 84").text == ""
    assert history.ask("the mitochondria make energy").text == ""


def test_the_going_dialogue_is_left_out_of_ordinary_questions_only(tmp_path: Path) -> None:
    history = History(tmp_path)
    history.july()

    def ids(question: str) -> tuple[str, ...]:
        built = history.builder.build(ANA, question, now=NOW, time_zone="UTC", language="en", dialogue_id="d1")
        return built.episode_ids

    assert len(ids("the cytoplasm and the membrane")) == 1
    assert len(ids("what did I get wrong?")) > 1


def test_a_window_that_only_the_going_dialogue_fills_is_not_called_empty(tmp_path: Path) -> None:
    history = History(tmp_path)
    history.july()
    question = "how many membranes did we count in July?"
    block = history.builder.build(ANA, question, now=NOW, time_zone="UTC", language="en", dialogue_id="d1")
    assert not block.window_is_empty
    assert "no record of" not in block.text


def test_nothing_of_another_learner_is_told(tmp_path: Path) -> None:
    history = History(tmp_path, belief("cytoplasm"))
    history.july()
    foreign = history.add(AnswerBody(text="the cytoplasm is blue"), scope=BERT)
    for question in ("cytoplasm", "what did I get wrong?", "what did we do in July?", "how am I doing?", ""):
        assert foreign.episode_id not in history.ask(question).episode_ids
        block = history.ask(question, scope=BERT)
        assert set(block.episode_ids) <= {foreign.episode_id}
        assert not block.beliefs


def test_one_question_is_embedded_once_and_the_block_is_the_same_twice(tmp_path: Path) -> None:
    embedder = CountingEmbedder()
    history = History(tmp_path, belief("cytoplasm"), embedder=embedder)
    history.july()
    first = history.ask("How do the mitochondria work?")
    assert embedder.asked == ["How do the mitochondria work?"]
    assert history.ask("How do the mitochondria work?").text == first.text


def test_a_question_about_the_record_alone_is_not_embedded(tmp_path: Path) -> None:
    embedder = CountingEmbedder()
    history = History(tmp_path, embedder=embedder)
    history.july()
    history.ask("what did I get wrong?")
    assert embedder.asked == []


LINE = st.text(alphabet="ab c界", min_size=1, max_size=60).map(lambda text: f"- {text}")


@given(
    budget=st.integers(0, 900),
    beliefs=st.lists(LINE, max_size=6),
    episodes=st.lists(LINE, max_size=8),
    concepts=st.lists(LINE, max_size=6),
    asks=st.booleans(),
)
def test_a_block_never_passes_its_budget_and_the_prompt_cuts_nothing_of_it(
    budget: int, beliefs: list[str], episodes: list[str], concepts: list[str], asks: bool
) -> None:
    layout = Layout(
        is_record_question=asks,
        told=(),
        beliefs=tuple(beliefs),
        episodes=tuple(episodes),
        episode_order=tuple((JULY + timedelta(days=-place), place) for place in range(len(episodes))),
        map_header="SUBJECT MAP",
        map_lines=tuple(concepts),
    )
    written = write(layout, budget)
    assert written.tokens <= budget
    kept = fit(memory=written.text, course="", experience="", settings=TutoringSettings(memory_tokens=budget))
    assert kept.memory == written.text
    if written.text:
        assert all(episodes[place] in written.text for place in written.episodes)


def _two_memories(*, beliefs: tuple[str, ...] = ()) -> Layout:
    return Layout(
        is_record_question=True,
        told=(),
        beliefs=beliefs,
        episodes=(
            "- 12 Jul · quiz: What is around the cell?: a membrane: right",
            "- 13 Jul · the student wrote: hello",
        ),
        episode_order=((JULY, 1), (JULY + timedelta(days=1), 2)),
        map_header="",
        map_lines=(),
    )


def test_what_fills_the_budget_to_the_last_token_is_all_told_and_with_one_less_the_last_line_goes() -> None:
    whole = write(_two_memories(), 10_000)
    assert whole.episodes == (0, 1)
    assert write(_two_memories(), whole.tokens) == whole
    assert write(_two_memories(), whole.tokens - 1).episodes == (0,)


def test_a_section_of_which_no_line_fits_costs_no_header() -> None:
    whole = write(_two_memories(), 10_000)
    told = write(_two_memories(beliefs=("- understands " + "very long words " * 400,)), whole.tokens)
    assert (told.beliefs, told.episodes, told.text) == ((), (0, 1), whole.text)


def test_a_line_that_fits_only_without_its_header_is_left_out() -> None:
    frame = write(replace(_two_memories(), episodes=(), episode_order=()), 10_000)
    alone = replace(_two_memories(), episodes=("- hello",), episode_order=((JULY, 1),))
    with_header = write(alone, 10_000)
    line = estimate_tokens("- hello\n")
    assert write(alone, frame.tokens + line) == frame
    assert write(alone, with_header.tokens).episodes == (0,)


def test_a_small_budget_keeps_beliefs_before_episodes(tmp_path: Path) -> None:
    history = History(tmp_path, belief("cytoplasm"), belief("membrane", "struggles"), budget=240)
    history.july()
    block = history.ask("what did I get wrong?")
    assert block.tokens <= 240
    assert len(block.beliefs) == 2
    assert len(block.episodes) < 5


@pytest.mark.parametrize(
    "section",
    [
        "ASSESSMENT RESULTS:\nNO QUIZ ATTEMPTS recorded.",
        "## Quiz results\n\nNone yet",
        "Assessment results:\n- No tests taken so far.\n- The student has not attempted any quizzes yet.",
    ],
)
def test_an_assessment_section_that_only_says_nothing_is_dropped_beside_a_block(tmp_path: Path, section: str) -> None:
    history = History(tmp_path)
    empty = history.ask("hello")
    assert assessment_section(section, empty) == section
    history.july()
    assert assessment_section(section, history.ask("what did I get wrong?")) == ""


def test_an_assessment_section_of_which_one_sentence_says_something_stays(tmp_path: Path) -> None:
    history = History(tmp_path)
    history.july()
    section = "No quizzes taken yet.\nThe oral test went well: 9 of 10."
    assert assessment_section(section, history.ask("what did I get wrong?")) == f"{BRIDGE}\n{section}"


def test_an_assessment_section_with_results_stays_behind_a_bridge(tmp_path: Path) -> None:
    history = History(tmp_path)
    history.july()
    section = "ASSESSMENT RESULTS:\nQuiz 1: 7 of 10. No attempts at quiz 2."
    assert assessment_section(section, history.ask("what did I get wrong?")) == f"{BRIDGE}\n{section}"
