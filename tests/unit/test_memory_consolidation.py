"""One day as one note: what is counted, which topics, and which headlines."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

from preceptor.domain.episode import Episode
from preceptor.domain.problem import Problem
from preceptor.memory.consolidation import consolidate, end_of_day, local_day, zone_or_utc
from preceptor.record.kinds import AnswerBody, Body, QuestionBody, SafetyFlagBody, new_episode
from preceptor.record.memory_kinds import ConsolidationBody, QuizBody, TaughtBody

MONDAY = date(2026, 3, 2)
NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


def day_of(*bodies: Body | tuple[Body, dict[str, Any]]) -> list[Episode]:
    """Return one day's episodes in this order; a body may come with fields of its own."""
    found = []
    for place, given in enumerate(bodies, start=1):
        body, fields = given if isinstance(given, tuple) else (given, {})
        new = new_episode(body, learner_id="ana", subject_id="maths", **fields)
        episode = Episode(
            episode_id=f"e{place}", learner_id="ana", subject_id="maths", sequence=place, kind=new.kind,
            kind_version=1, actor=new.actor, provenance=new.provenance, language=new.language,
            time_zone=new.time_zone, occurred_at=NOON, recorded_at=NOON, commitment="", previous_hash="",
            chain_hash="", salience=new.salience, summary=new.summary, body=new.body,
        )  # fmt: skip
        found.append(episode)
    return found


def note(*bodies: Body | tuple[Body, dict[str, Any]], names: dict[str, list[str]] | None = None) -> ConsolidationBody:
    made = consolidate(MONDAY, day_of(*bodies), names or {})
    assert made is not None
    return made


def test_the_most_salient_come_first_then_the_earliest_each_wording_once_and_five_at_most() -> None:
    quiz = QuizBody(item="3/4 + 1/8?", answer="4/12", verdict="wrong")
    words = ("I like fractions", "i LIKE fractions", "seven", "eight", "nine", "ten", "eleven")
    made = note(*(AnswerBody(text=one) for one in words), quiz)
    assert made.headlines[1:] == ("I like fractions", "seven", "eight", "nine")
    assert "3/4 + 1/8?" in made.headlines[0]
    assert made.episode_ids == ("e8", "e1", "e3", "e4", "e5")
    assert made.counts == {"answer": 7, "quiz": 1}


def test_a_question_about_the_record_is_counted_and_no_headline_but_a_problem_that_asks_like_one_is() -> None:
    problem = Problem(problem_id="p", text="What did I get wrong?")
    made = note(AnswerBody(text="what did I get wrong?"), AnswerBody(text="seven"), QuestionBody(problem=problem))
    assert made.counts == {"answer": 2, "question": 1}
    assert made.episode_ids == ("e2", "e3")


def test_what_was_recalled_what_only_the_instructor_sees_and_other_notes_do_not_count() -> None:
    left_out: tuple[Any, ...] = (
        (AnswerBody(text="as recalled"), {"provenance": "recalled"}),
        SafetyFlagBody(category="abuse"),
        ConsolidationBody(day=MONDAY, counts={"answer": 3}),
    )
    assert consolidate(MONDAY, day_of(*left_out), {}) is None
    made = note(*left_out, AnswerBody(text="seven"))
    assert (made.counts, made.headlines) == ({"answer": 1}, ("seven",))


def test_topics_are_the_most_frequent_eight_and_verdicts_are_told_apart() -> None:
    items = [QuizBody(item=f"item {n}", answer="4", verdict="right" if n % 3 else "wrong") for n in range(10)]
    names = {f"e{place}": [f"topic {place:02d}", "the common one"] for place in range(1, 11)}
    made = note(*items, TaughtBody(note="a", utterance="Remember a", concept="a"), names=names)
    assert made.topics == ("the common one", *(f"topic {place:02d}" for place in range(1, 8)))
    assert (made.checks_right, made.checks_wrong) == (6, 4)


def test_a_day_is_of_the_learners_zone_and_ends_inside_itself_and_an_unknown_zone_counts_as_utc() -> None:
    auckland = zone_or_utc("Pacific/Auckland")
    (late,) = day_of((AnswerBody(text="late"), {"time_zone": "Pacific/Auckland"}))
    assert local_day(late) == date(2026, 3, 3)
    assert end_of_day(MONDAY, auckland) == datetime(2026, 3, 2, 10, 59, 59, 999999, tzinfo=UTC)
    assert end_of_day(MONDAY, zone_or_utc("Mars/Olympus")) == datetime(2026, 3, 2, 23, 59, 59, 999999, tzinfo=UTC)
