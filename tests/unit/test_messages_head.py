"""The heads that read a message: what they were fitted on, what they may not do, how they do on lines never seen."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from benchmarks.message_course_lines import course_lines
from benchmarks.message_reading import (
    LABELS,
    NAMES,
    digest_lines,
    folds_of,
    learner_turns,
    read_lines,
    reading,
    said,
    training_lines,
)

from preceptor.domain.route import Route
from preceptor.memory.record_questions import LEARNED_CHARS, learned_question, record_question
from preceptor.messages.features import LONGEST_READ, N_BUCKETS, message_row
from preceptor.messages.head import HeadName, MessageHead, dump_head, parse_head, shipped_head
from preceptor.messages.tokens import fold, tokens_of
from preceptor.messages.training import LabelledLine, fit_message_head
from preceptor.messages.word_classes import classes_in, languages_of
from preceptor.safety.message_screen import learned_sign, screen_message
from preceptor.tutoring.learned_route import OPEN, learned_route, may_be_traced
from preceptor.tutoring.routing import route_of


def part(name: HeadName, wanted: str) -> list[dict[str, str]]:
    return [line for line in read_lines(name) if line["part"] == wanted]


def kinds(text: str) -> list[str]:
    return classes_in(tokens_of(fold(text)))


@pytest.mark.parametrize("name", NAMES)
def test_the_shipped_head_was_fitted_on_the_present_lines_and_on_none_of_part_fresh(name: HeadName) -> None:
    lines = training_lines(name)
    head = shipped_head(name)
    assert (head.card["lines_sha256"], head.card["rows"]) == (digest_lines(lines), len(lines))
    fitted = {said(line.text) for line in lines}
    assert sum(said(line["text"]) in fitted for other in NAMES for line in part(other, "fresh")) == 0


@pytest.mark.parametrize("name", NAMES)
def test_a_fold_is_not_among_the_lines_it_is_scored_by(name: HeadName) -> None:
    folds = folds_of(part(name, "tune"))
    assert sum(map(len, folds)) == len(part(name, "tune"))
    for left_out in folds:
        texts = {said(line["text"]) for line in left_out}
        assert texts.isdisjoint(said(line.text) for line in training_lines(name, left_out))


@pytest.mark.parametrize("name", NAMES)
def test_the_lines_cover_six_languages_and_every_label(name: HeadName) -> None:
    for wanted in ("tune", "fresh"):
        counts = Counter((line["label"], line["language"]) for line in part(name, wanted))
        assert {label for label, _ in counts} == set(LABELS[name])
        assert len(counts) == 6 * len(LABELS[name])


@pytest.mark.parametrize(
    ("name", "least", "most_false"),
    [("routes", 252, 0), ("record", 177, 17), ("safety", 100, 13)],
)
def test_lines_that_nothing_was_fitted_on_are_read_as_they_once_were(
    name: HeadName, least: int, most_false: int
) -> None:
    """Once more: 262 of 330 routes; 180 of 224 questions, 14 of 120 false; 105 of 120 signs, 10 of 130 false."""
    tell = reading(name, shipped_head(name))
    told = [(line["label"], tell(line)) for line in part(name, "fresh")]
    if name == "routes":
        assert sum(label == other for label, other in told) >= least
    else:
        assert sum(label != "none" and other != "none" for label, other in told) >= least
        assert sum(label == "none" and other != "none" for label, other in told) <= most_false


def test_no_head_is_fitted_on_course_questions_that_are_held_out() -> None:
    held_out = {said(line["text"]) for line in course_lines("held_out")}
    assert len(held_out) > 500
    for name in NAMES:
        assert held_out.isdisjoint(said(line.text) for line in training_lines(name))


def test_questions_of_courses_that_no_head_was_fitted_on_are_seldom_stopped_and_mostly_explained() -> None:
    """Measured: 7 of 546 stopped, four of them by a rule; 79 read as a route that withholds, one as tracing."""
    texts = [line["text"] for line in course_lines("held_out")]
    routes = [route_of(text).route for text in texts]
    assert sum(screen_message(text).stops_tutoring for text in texts) <= 8
    assert sum(route not in OPEN for route in routes) <= 90
    assert routes.count(Route.TRACING) <= 2


def test_a_thing_that_does_not_exist_is_no_sign_and_a_person_who_does_not_is() -> None:
    assert not screen_message("i made the file and it still does not exist. is that cached too?").stops_tutoring
    assert screen_message("everyone acts like i do not exist").stops_tutoring


def test_a_head_takes_nothing_for_a_trace_that_has_no_word_or_value_of_one() -> None:
    for text in ("which chord comes after G?", "Is vitamin C an acid?", "why is the flame green?"):
        assert not may_be_traced(text), text
    for text in ("expand B, then the queue is [C, D]", "führ Dijkstra mit Start A durch", "OPEN: S(0) A(2)"):
        assert may_be_traced(text), text


@pytest.mark.data
def test_no_learner_turn_is_stopped_or_read_as_a_question_about_the_record(data_dir: Path) -> None:
    turns = learner_turns(data_dir)
    assert len(turns) > 3000
    assert sum(screen_message(text).stops_tutoring for text in turns) <= 1
    assert sum(record_question(text, "en") is not None for text in turns) <= 1


def test_the_head_never_loosens_what_the_rules_withhold() -> None:
    for ruled in Route:
        for line in part("routes", "tune"):
            told = learned_route(line["text"], ruled)
            assert told is ruled if ruled not in OPEN else told is not None
            assert not (ruled is Route.CONCEPTUAL and told is Route.DIRECT)


def test_a_statement_after_a_reply_is_no_open_route() -> None:
    told = {learned_route(line["text"], None, answers=True) for line in part("routes", "tune")}
    assert told.isdisjoint(OPEN)


def test_a_text_without_words_is_left_to_the_rules() -> None:
    assert learned_route(" ... ?", None) is None
    assert learned_question("12 + 30 = 42", "en") is None
    assert learned_sign("12 / 4 = 3") is None


def test_a_long_text_is_no_question_about_the_record() -> None:
    asked = "which of my exercises went wrong on tuesday"
    assert learned_question(asked, "en") is not None
    assert learned_question(f"{asked} {'and so on ' * LEARNED_CHARS}", "en") is None


def test_a_learned_sign_is_mild_and_is_found_late_in_a_long_message() -> None:
    text = "the train goes 60 km in an hour. " * 13 + "nobody sits with me and they move away when i come"
    found = screen_message(text)
    assert (found.kind, found.severity, found.category) == ("distress", 1, "possible_bullying")
    assert 0 < found.evidence_start < found.evidence_end == len(text)


def test_a_problem_that_reads_like_a_sign_makes_no_sign_of_words_about_it() -> None:
    text = "they pour milk over her head and call her names every day"
    assert screen_message(text).stops_tutoring
    assert not screen_message(text, problem_text=f"{text}. How often in a week?").stops_tutoring


def test_words_of_one_kind_are_told_in_six_languages_and_a_word_only_in_its_own() -> None:
    for text in ("my mistakes", "mis errores", "mes erreurs", "meine Fehler", "أخطائي", "我的错误"):
        assert {"MY", "MISTAKE"} <= set(kinds(text)), text
    assert "DIE" in kinds("i want to die")
    assert "DIE" not in kinds("was ist die Antwort")
    assert languages_of(tokens_of("was ist die antwort")) == ("any", "de")


def test_arabic_words_are_found_behind_article_and_joined_letters() -> None:
    assert "SESSION" in kinds("والدرس")
    assert "PAST" in kinds("بالأسبوع")


def test_a_row_holds_buckets_and_values_above_0_and_no_more_of_a_long_text() -> None:
    row = message_row("why is my loop endless?")
    assert row.columns.shape == row.values.shape
    assert row.columns.min() >= 0
    assert row.columns.max() < N_BUCKETS
    assert row.values.min() > 0
    assert message_row("ab " * 2000).columns.size == message_row(("ab " * 2000)[:LONGEST_READ]).columns.size


def test_chances_sum_to_1_and_a_fit_tells_its_own_lines_apart() -> None:
    texts = {"fruit": ("red apple", "green pear"), "thing": ("fast car", "slow bus")}
    lines = [LabelledLine(text=text, label=label) for label, row in texts.items() for text in row]
    head = fit_message_head(lines, ("fruit", "thing"), card={"what": "a test"})
    for line in lines:
        chances = head.chances(line.text)
        assert sum(chances.values()) == pytest.approx(1)
        assert max(chances, key=lambda label: chances[label]) == line.label
    assert head.card["rows"] == 4
    with pytest.raises(ValueError, match="labels among"):
        fit_message_head(lines, ("fruit",))


def test_a_head_reads_back_within_a_127th_and_refuses_weights_that_do_not_fit() -> None:
    weights = np.linspace(-1, 2, (N_BUCKETS + 1) * 2, dtype=np.float32).reshape(-1, 2)
    head = MessageHead(labels=("a", "b"), weights=weights)
    read = parse_head(dump_head(head))
    assert read.labels == head.labels
    assert float(np.abs(read.weights - weights).max()) <= 2 / 127 / 2 + 1e-6
    with pytest.raises(ValueError, match="3 labels"):
        parse_head(dump_head(head).replace('"a",', '"a",\n"c",'))
    with pytest.raises(ValueError, match="shape"):
        MessageHead(labels=("a",), weights=weights)


def test_reading_a_message_takes_less_than_two_milliseconds() -> None:
    texts = [line["text"] for line in part("routes", "tune")]
    head = shipped_head("routes")
    head.chances(texts[0])
    began = time.process_time()
    for text in texts:
        head.chances(text)
    assert (time.process_time() - began) / len(texts) < 0.002
