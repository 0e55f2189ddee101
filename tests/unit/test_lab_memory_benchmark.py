"""The memory benchmark's own honesty: truth, edge direction, scorers that can fail, probes and changed logs."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import anyio
import pytest

from preceptor.errors import ModelError
from preceptor.lab.memory_answers import LlmAnswerer, run_answers, score_answer
from preceptor.lab.memory_benchmark import run_benchmark, table
from preceptor.lab.memory_designs import DesignName, Designs, Shown
from preceptor.lab.memory_generator import Made, generate
from preceptor.lab.memory_histories import Entry, History, MapConcept, Question, question_fault
from preceptor.lab.memory_loading import loaded, scope_of
from preceptor.lab.memory_probes import probe, probes
from preceptor.lab.memory_question_maker import QuestionMaker, make_questions
from preceptor.lab.memory_replies import ReplyCheck
from preceptor.lab.memory_scoring import Scorer, shows_edge
from preceptor.lab.memory_tampering import tamper
from preceptor.memory.record_answers import answer_record
from preceptor.settings import Settings
from preceptor.testing.scripted_model import ScriptedModel

AT = datetime(2026, 7, 10, 9, tzinfo=UTC)
SMALL = History(
    learner="ana",
    subject="cells",
    time_zone="America/Bogota",
    episodes=(
        Entry(episode_id="e1", kind="question", text="Why do raisins swell?", at=AT, concepts=("Osmosis",)),
        Entry(episode_id="e2", kind="reply", text="It swells.", at=AT + timedelta(minutes=1), concepts=("Osmosis",)),
        Entry(
            episode_id="e3", kind="check", text="Salt moves.", at=AT + timedelta(minutes=2), verdict="wrong",
            concepts=("Osmosis",),
        ),
        Entry(episode_id="e4", kind="answer", text="What did we do in May?", at=AT + timedelta(days=1), narration=True),
        Entry(
            episode_id="e5", kind="reply", text="In May we did osmosis.", at=AT + timedelta(days=1, seconds=9),
            narration=True,
        ),
    ),
    concepts=(
        MapConcept(name="Osmosis", definition="Water moves.", builds_on=("Membrane",)),
        MapConcept(name="Membrane", definition="A skin."),
    ),
)  # fmt: skip
MADE = Made(history=SMALL, asked_at=datetime(2026, 8, 20, 12, tzinfo=UTC))
NOTHING = Shown(
    memory="", passages=(), episode_ids=frozenset(), collapsed={}, stale_ids=frozenset(), no_record=False, tokens=0,
    wall_ms=0, cpu_ms=0,
)  # fmt: skip


def _maker() -> QuestionMaker:
    return QuestionMaker(MADE, random.Random(1))


def test_what_to_revise_before_a_concept_is_what_it_builds_on() -> None:
    question = _maker().prerequisite("Osmosis", "What should I revise before osmosis?")
    assert question.required == (("edge:Osmosis->Membrane",),)
    assert question_fault(question, SMALL) is None


def test_an_edge_the_wrong_way_round_does_not_count() -> None:
    right = replace(NOTHING, memory="- Osmosis: Water moves. (builds on: Membrane)")
    wrong = replace(NOTHING, memory="- Membrane: A skin. (builds on: Osmosis)\n- Osmosis: Water moves.")
    assert shows_edge(right, "Osmosis", "Membrane")
    assert not shows_edge(wrong, "Osmosis", "Membrane")


def test_the_product_s_own_block_shows_edges_in_the_right_direction() -> None:
    question = _maker().prerequisite("Osmosis", "What should I revise before osmosis?")
    with loaded([SMALL], Settings().memory) as store:
        shown = Designs(store, Settings()).show("full", question)
    assert shows_edge(shown, "Osmosis", "Membrane")
    assert not shows_edge(shown, "Membrane", "Osmosis")


@pytest.mark.parametrize(
    ("shown", "faults"),
    [
        (NOTHING, ("missing",)),
        (replace(NOTHING, episode_ids=frozenset({"e1"})), ()),
        (replace(NOTHING, episode_ids=frozenset({"e1", "e5"})), ("narration",)),
        (replace(NOTHING, episode_ids=frozenset({"e1", "other"})), ("foreign",)),
        (replace(NOTHING, episode_ids=frozenset({"e1"}), no_record=True), ("said_wrongly",)),
    ],
)
def test_each_fault_of_an_active_month_is_seen(shown: Shown, faults: tuple[str, ...]) -> None:
    maker = _maker()
    question = maker.about("active_month", "What did we do in July?", maker.window((2026, 7)))
    assert Scorer([SMALL]).score(question, shown, "full").faults == faults


@pytest.mark.parametrize("design", ["window", "window_filled"])
def test_a_window_is_forgiven_what_is_old_or_narrated_and_nothing_foreign(design: DesignName) -> None:
    maker = _maker()
    question = maker.about("active_month", "What did we do in July?", maker.window((2026, 7)))
    shown = replace(NOTHING, episode_ids=frozenset({"e1", "e5"}))
    forgiven = Scorer([SMALL]).score(question, shown, design)
    assert (forgiven.faults, forgiven.n_false) == ((), 1)
    foreign = Scorer([SMALL]).score(question, replace(shown, episode_ids=shown.episode_ids | {"other"}), design)
    assert (foreign.faults, foreign.n_false) == (("foreign",), 2)


def test_an_empty_month_needs_that_it_is_said_and_nothing_told() -> None:
    maker, scorer = _maker(), Scorer([SMALL])
    question = maker.about("empty_month", "What did we do in May?", maker.window((2026, 5)))
    assert question.says_no_record
    assert scorer.score(question, NOTHING, "full").faults == ("not_said",)
    assert scorer.score(question, replace(NOTHING, no_record=True), "full").passed
    told = replace(NOTHING, no_record=True, episode_ids=frozenset({"e1"}))
    assert scorer.score(question, told, "full").faults == ("outside",)


def test_a_changed_file_must_carry_its_note() -> None:
    question = Question.model_validate(
        {
            "question_id": "q", "learner": "ana", "subject": "cells", "kind": "changed_source", "text": "?",
            "language": "en", "asked_at": MADE.asked_at, "required_ids": ["e2"], "stale_ids": ["e2"],
        }
    )  # fmt: skip
    shown = replace(NOTHING, episode_ids=frozenset({"e2"}))
    assert Scorer([SMALL]).score(question, shown, "full").faults == ("no_note",)
    assert Scorer([SMALL]).score(question, replace(shown, stale_ids=frozenset({"e2"})), "full").passed


def test_a_reply_that_names_what_is_not_on_record_is_caught() -> None:
    maker = _maker()
    question = maker.about("active_month", "What did we do in July?", maker.window((2026, 7)))
    with loaded([SMALL], Settings().memory) as store:
        block = Designs(store, Settings()).show("full", question).block
    assert block is not None
    answer, check = answer_record(block), ReplyCheck(SMALL)
    assert check.faults(question, block, answer) == ()
    for added, fault in (
        (" Also on 3 March.", "number 3"),
        (" Also in March.", "month March"),
        (" And ribosomes.", "topic ribosome"),
    ):
        assert fault in check.faults(question, block, replace(answer, text=answer.text + added))
    assert "id e9" in check.faults(question, block, replace(answer, episode_ids=("e9",)))


def test_loading_keeps_dates_and_scopes_apart() -> None:
    other = SMALL.model_copy(update={"learner": "ben", "episodes": SMALL.episodes[:0]})
    with loaded([SMALL, other], Settings().memory) as store:
        kept = store.record.log.list("ana", subject_id="cells")
        assert [(one.episode_id, one.occurred_at) for one in kept] == [
            (one.episode_id, one.at) for one in SMALL.episodes
        ]
        assert store.record.verify().intact
        question = _maker().ask("active_month", "What did we do in July?", _maker().window((2026, 7)))
        shown = Designs(store, Settings()).show("full", question.model_copy(update={"learner": "ben"}))
        assert shown.episode_ids == frozenset()
        assert scope_of(other).learner_id == "ben"


def test_generated_histories_hold_what_the_benchmark_needs() -> None:
    made = generate(seed=5, n_histories=48)
    questions = make_questions(made, seed=5)
    histories = {one.history.key: one.history for one in made}
    assert len(histories) == 48
    assert len({one.history.learner for one in made}) < 48
    assert {one.history.language for one in made} == {"en", "es", "fr", "de", "ar", "zh"}
    assert len({one.history.time_zone for one in made}) == 10
    assert [fault for one in questions if (fault := question_fault(one, histories[one.key]))] == []
    counts = Counter(one.kind for one in questions)
    assert len(questions) >= 420
    assert min(counts.values()) >= 20
    for one in made:
        assert sum(entry.verdict is not None for entry in one.history.episodes) >= 5
    assert all(QuestionMaker(one, random.Random(0)).empty_months() for one in made[:6])
    assert made[:3] == generate(seed=5, n_histories=3)
    assert make_questions(made[:3], seed=5) == make_questions(made[:3], seed=5)


def test_a_small_run_tells_designs_apart_and_does_not_flip() -> None:
    made = generate(seed=8, n_histories=2)
    histories = [one.history for one in made]
    report = run_benchmark(histories, make_questions(made, seed=8)[:12], Settings())
    full, plain = report.design("full"), report.design("retrieval")
    assert full.required_found is not None
    assert full.required_found >= 0.95
    assert full.pass_rate.point > plain.pass_rate.point
    assert full.n_false == 0
    assert [one.flips for one in report.designs] == [0] * 5
    assert max(one.tokens_most for one in report.designs) <= report.total_tokens
    assert "McNemar" in table(report)


def test_probes_find_no_false_memory_and_would_see_one() -> None:
    made = generate(seed=9, n_histories=2)
    histories = [one.history for one in made]
    asked = probes(made, seed=9, count=12)
    with loaded(histories, Settings().memory) as store:
        designs = Designs(store, Settings())
        assert [one.false for one in probe(designs, histories, asked) if one.false] == []
        moved = [
            one.model_copy(update={"text": "What did I get wrong so far?", "language": "en"})
            for one in asked
            if one.says_no_record
        ]
        assert any(one.false for one in probe(designs, histories, moved))


def test_changed_logs_are_found_at_their_link() -> None:
    for way in tamper(seed=3, count=34):
        assert (way.at_the_link, way.elsewhere, way.unseen) == (2, 0, 0), way
        assert way.unseen_without == (2 if way.needs_checkpoint else 0)


@pytest.mark.prove
def test_ten_thousand_changed_logs_are_found_at_their_link() -> None:
    results = tamper(seed=4, count=10_000)
    assert sum(way.at_the_link for way in results) == 10_000


def test_answers_are_scored_by_topics() -> None:
    maker = _maker()
    july = maker.about("active_month", "What did we do in July?", maker.window((2026, 7)))
    may = maker.about("empty_month", "What did we do in May?", maker.window((2026, 5)))
    assert score_answer(july, SMALL, "In July we looked at osmosis.") == ((), ())
    assert score_answer(july, SMALL, "In July we looked at cats.") == (("Osmosis",), ())
    assert score_answer(may, SMALL, "I have no record of May.") == ((), ())
    assert score_answer(may, SMALL, "In May we looked at the membrane.") == ((), ("Membrane",))


def test_a_model_is_shown_the_design_s_text_and_its_failure_is_unscored() -> None:
    maker = _maker()
    july = maker.about("active_month", "What did we do in July?", maker.window((2026, 7)))
    model = ScriptedModel([{"answer": "In July: osmosis."}, ModelError("out of reach")])

    async def run() -> None:
        found = await run_answers([SMALL], [july], Settings(), LlmAnswerer(model), designs=("full", "retrieval"))
        assert [(one.design, one.passed) for one in found] == [("full", True), ("retrieval", None)]
        assert found[1].unscored_because == "out of reach"

    anyio.run(run)
    assert "Salt moves." in str(model.prompts[0])
    assert "Salt moves." not in str(model.prompts[1])
