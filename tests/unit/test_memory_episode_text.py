"""What of an episode is recalled, what may support a belief, what was decided."""

from __future__ import annotations

from datetime import UTC, date, datetime
from fractions import Fraction
from typing import Any

import pytest

from preceptor.domain.claim import Claim
from preceptor.domain.episode import Episode
from preceptor.domain.observation import JudgedClaim
from preceptor.domain.problem import Problem
from preceptor.memory.episode_text import episode_text, is_evidence, verdict_of
from preceptor.record.kinds import AnswerBody, Body, CheckBody, QuestionBody, SafetyFlagBody, new_episode
from preceptor.record.memory_kinds import ConsolidationBody, FileBody, QuizBody, TaughtBody

AT = datetime(2026, 7, 12, tzinfo=UTC)


def _episode(body: Body, **fields: Any) -> Episode:
    new = new_episode(body, learner_id="ana", subject_id="maths", **fields)
    return Episode(
        episode_id="e",
        learner_id="ana",
        subject_id="maths",
        sequence=1,
        kind=new.kind,
        kind_version=1,
        actor=new.actor,
        provenance=new.provenance,
        language="en",
        time_zone="UTC",
        occurred_at=AT,
        recorded_at=AT,
        commitment="",
        previous_hash="",
        chain_hash="",
        salience=new.salience,
        summary=new.summary,
        body=new.body,
    )


def test_a_problem_is_found_by_its_text_and_never_by_its_solution() -> None:
    problem = Problem(problem_id="p", text="How long is the fence?", solution="add up to ninety", answer="ninety")
    text = episode_text(_episode(QuestionBody(problem=problem)))
    assert text == "How long is the fence?"


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (AnswerBody(text="it is 7"), "it is 7"),
        (QuizBody(item="3/4 + 1/8?", answer="7/8", verdict="right", topic="fractions"), "3/4 + 1/8? 7/8 fractions"),
        (
            TaughtBody(note="a bundle is ten", utterance="Remember …", concept="Place value"),
            "a bundle is ten Place value",
        ),
        (FileBody(name="week 3.pdf"), "week 3.pdf"),
        (ConsolidationBody(day=date(2026, 7, 12), counts={"check": 2}, topics=("area",), headlines=("h",)), "area h"),
        (SafetyFlagBody(category="abuse"), None),
        (AnswerBody(text="  "), None),
    ],
)
def test_the_words_of_each_kind(body: Body, text: str | None) -> None:
    assert episode_text(_episode(body)) == text


def test_an_unknown_kind_is_found_by_its_summary_and_an_erased_one_not_at_all() -> None:
    known = _episode(AnswerBody(text="it is 7"))
    assert episode_text(Episode(**{**vars(known), "kind": "poem", "summary": "a poem"})) == "a poem"
    assert episode_text(Episode(**{**vars(known), "body": None, "summary": None})) is None


def test_recalled_text_and_notes_about_notes_are_no_evidence() -> None:
    assert is_evidence(_episode(AnswerBody(text="it is 7")))
    assert not is_evidence(_episode(AnswerBody(text="it is 7"), provenance="recalled"))
    assert not is_evidence(_episode(ConsolidationBody(day=date(2026, 7, 12), counts={})))
    assert episode_text(_episode(AnswerBody(text="it is 7"), provenance="recalled")) is None


def test_a_check_is_found_by_what_was_written_and_by_how_it_was_read_and_an_unsure_one_has_no_verdict() -> None:
    claim = Claim(start=0, end=5, text="3+4=8", value=Fraction(8))
    read = _episode(CheckBody(judged=JudgedClaim(claim=claim, mark="wrong", read_as="3 + 4 = 8")))
    assert (episode_text(read), verdict_of(read)) == ("3+4=8 3 + 4 = 8", "wrong")
    plain = _episode(CheckBody(judged=JudgedClaim(claim=claim, mark="unsure", read_as="3+4=8")))
    assert (episode_text(plain), verdict_of(plain)) == ("3+4=8", None)


def test_a_verdict_is_only_what_was_decided() -> None:
    assert verdict_of(_episode(QuizBody(item="i", answer="a", verdict="wrong"))) == "wrong"
    assert verdict_of(_episode(QuizBody(item="i", answer="a", verdict=None))) is None
    assert verdict_of(_episode(AnswerBody(text="right"))) is None
