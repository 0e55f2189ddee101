"""What a block takes in where not everything fits or counts, and how each line says it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from tests.unit.memory_history import ANA, CELLS, JULY, NOW, History, belief

from preceptor.domain.concept import ConceptNote
from preceptor.domain.episode import Evidence
from preceptor.memory.block_concepts import ConceptLines
from preceptor.memory.block_items import EpisodeItem
from preceptor.memory.block_lines import day_label, episode_line, time_lines
from preceptor.memory.time_phrases import TimeWindow
from preceptor.record.kinds import AnswerBody, new_episode
from preceptor.record.memory_kinds import ConsolidationBody, FileBody, QuizBody
from preceptor.settings import MemorySettings
from preceptor.stores.memory import Verification


def missed(n: int = 0) -> QuizBody:
    return QuizBody(item=f"Where is energy released in case {n}?", answer="outside", verdict="wrong")


# -- what is taken in ---------------------------------------------------------------------------------------


def test_a_files_arrival_and_a_nights_note_make_no_session(tmp_path: Path) -> None:
    history = History(tmp_path)
    history.add(FileBody(name="membranes.pdf"))
    history.add(ConsolidationBody(day=JULY.date(), counts={"answer": 1}, headlines=("the membrane",)))
    block = history.ask("what did we do in July?")
    assert (block.window_is_empty, block.episodes) == (True, ())
    assert history.ask("How does the membrane work?").episodes == ()


def test_beliefs_on_what_is_asked_about_come_before_surer_ones_and_none_without_a_concept(tmp_path: Path) -> None:
    beliefs = (belief("ribosome", confidence=0.95), belief("membrane", confidence=0.9), belief("cytoplasm"))
    history = History(tmp_path, *beliefs)
    assert [one.concept for one in history.ask("How does the cytoplasm work?").beliefs] == ["Cytoplasm", "Membrane"]
    assert [one.concept for one in history.ask("how am I doing?").beliefs] == ["Membrane", "Cytoplasm"]


@pytest.mark.parametrize("places", [3, 6])
def test_what_was_missed_twice_alike_is_told_once_and_the_rest_is_filled_with_other_work(
    tmp_path: Path, places: int
) -> None:
    history = History(tmp_path, block_record_episodes=places)
    history.add(AnswerBody(text="The nucleus keeps the plan"), turn=1)
    for turn, n in ((2, 0), (3, 0), (4, 1)):
        history.add(missed(n), JULY + timedelta(days=turn), turn=turn)
    items = history.ask("what did I get wrong?").episodes
    assert [(one.kind, one.count) for one in items] == [("answer", 1), ("quiz", 2), ("quiz", 1)]


@pytest.mark.parametrize(("question", "most"), [("what did I get wrong?", 3), ("Where is energy released?", 2)])
def test_a_question_about_the_record_has_more_places_than_another(tmp_path: Path, question: str, most: int) -> None:
    history = History(tmp_path, block_record_episodes=3, block_episodes=2)
    for n in range(6):
        history.add(missed(n), turn=n)
    assert len(history.ask(question).episodes) == most


def test_before_a_month_is_called_empty_the_whole_record_was_looked_at(tmp_path: Path) -> None:
    history = History(tmp_path)
    new = [
        new_episode(AnswerBody(text=f"word{n}"), learner_id=ANA.learner_id, subject_id=ANA.subject_id, occurred_at=NOW)
        for n in range(230)
    ]
    history.record.log.append_many(new)
    kept = history.add(AnswerBody(text="I counted 4 membranes"))
    block = history.ask("how many membranes did we count in July?")
    assert (block.window_is_empty, block.episode_ids, block.unindexed) == (False, (kept.episode_id,), 0)


def test_checks_that_fit_no_concept_are_not_told_of_beside_a_month(tmp_path: Path) -> None:
    history = History(tmp_path)
    history.july()
    assert "CHECKS: 4 checks are on record" in history.ask("what did I get wrong?").text
    assert "CHECKS:" not in history.ask("what did I get wrong in July?").text


def test_a_memory_whose_file_holds_carries_no_note_and_stands_on_its_learners_day(tmp_path: Path) -> None:
    history = History(tmp_path)
    late = datetime(2026, 7, 12, 22, 30, tzinfo=UTC)
    evidence = (Evidence(document_id="book", page=1, fingerprint="f"),)
    cited = history.add(AnswerBody(text="The membrane is thin"), late, evidence=evidence)
    history.ask("membrane")
    checked = Verification(episode_id=cited.episode_id, status="holds", note="", checked_at=NOW)
    history.record.memory.set_verification(ANA, checked)
    text = history.ask("membrane", zone="Europe/Berlin").text
    assert "- 13 Jul · the student wrote: The membrane is thin\n" in text
    assert "- 12 Jul · the student wrote: The membrane is thin\n" in history.ask("membrane").text


# -- the map ------------------------------------------------------------------------------------------------


def test_a_small_map_shows_the_concept_asked_about_and_what_it_builds_on() -> None:
    lines = ConceptLines(MemorySettings(block_map_lines=2)).lines(CELLS, ("mitochondria",))
    assert [line.split(":")[0] for line in lines] == ["- Mitochondria", "- Cytoplasm"]


def test_what_was_taught_is_shown_before_a_hub_and_never_cut() -> None:
    note = "in our class we call it the powerhouse"
    long = "It is a part of the cell, as the book says on many pages. " * 20
    concepts = tuple(
        replace(one, notes=(ConceptNote(text=note),), gist=long) if one.concept_id == "mitochondria" else one
        for one in CELLS.concepts
    )
    lines = ConceptLines(MemorySettings(block_map_lines=1, block_line_tokens=40))
    (line,) = lines.lines(replace(CELLS, concepts=concepts), ())
    assert line.startswith("- Mitochondria: It is a part of the cell")
    assert line.endswith(f"[taught: {note}] (builds on: Cytoplasm)")
    assert len(line) < 250


# -- lines --------------------------------------------------------------------------------------------------


def item(**fields: object) -> EpisodeItem:
    made = EpisodeItem(
        episode_id="e", kind="check", on=date(2026, 7, 12), form="check", text="3 + 4 = 8", verdict=None, count=1,
        stale=False, language="en",
    )  # fmt: skip
    return replace(made, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("one", "line"),
    [
        (item(), "- 12 Jul · check: 3 + 4 = 8: not decided"),
        (item(verdict="wrong", count=2), "- 12 Jul · check: 3 + 4 = 8: wrong (and 1 more time like it)"),
        (item(verdict="right", count=4), "- 12 Jul · check: 3 + 4 = 8: right (and 3 more times like it)"),
        (item(kind="quiz", form="quiz"), "- 12 Jul · quiz: 3 + 4 = 8"),
        (item(on=date(2025, 12, 31), verdict="right"), "- 31 Dec 2025 · check: 3 + 4 = 8: right"),
    ],
)
def test_a_memory_in_one_line(one: EpisodeItem, line: str) -> None:
    assert episode_line(one, today=date(2026, 9, 20), most_tokens=55) == line


def test_the_year_is_told_where_it_is_not_this_one() -> None:
    assert day_label(date(2026, 1, 1), date(2026, 12, 31)) == "1 Jan"
    assert day_label(date(2025, 12, 31), date(2026, 1, 1)) == "31 Dec 2025"


def test_a_time_with_work_but_nothing_of_the_kind_is_told_apart_from_an_empty_one() -> None:
    window = TimeWindow(first_day=date(2026, 7, 1), last_day=date(2026, 7, 31), time_zone="UTC")
    counts = {"question": 1, "right": 2}
    told = time_lines(window, empty=False, nothing_of_the_kind=True, unread="", counts=counts)
    assert told == [
        "TIME ASKED ABOUT: July 2026; on record then: 1 problem, 2 checks right.",
        "Nothing of the kind that was asked for is on record for that time: say so.",
    ]
    assert time_lines(window, empty=False, nothing_of_the_kind=False, unread="", counts=counts) == told[:1]
    (empty,) = time_lines(window, empty=True, nothing_of_the_kind=True, unread="", counts={})
    assert empty.startswith("TIME ASKED ABOUT: July 2026. I have no record of July 2026")
