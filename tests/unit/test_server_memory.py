"""The page's words and drawings about memory: no number before it may be one, no label of a person."""

from __future__ import annotations

from datetime import UTC, date, datetime
from xml.etree import ElementTree

import pytest

from preceptor.concepts.from_problems import problems_map
from preceptor.memory.calibration import Calibration, CalibrationBucket, Prediction, calibrate
from preceptor.server import memory_labels as labels
from preceptor.server.calibration_chart import calibration_svg
from preceptor.server.learner_map import learner_map_svg, learner_map_table
from preceptor.server.render import render_reply
from preceptor.server.sources import memory_words, shown_sources
from preceptor.settings import MemorySettings
from preceptor.tutoring.memory_views import BeliefStep, BeliefView, LearnerMap, MonthView, RecordLine
from preceptor.tutoring.sources import SourceView


def _predictions(n: int) -> list[Prediction]:
    return [Prediction(episode_id=str(i), mastery=0.1 + 0.8 * (i % 2), right=i % 2 == 1) for i in range(n)]


def _belief(concept_id: str) -> BeliefView:
    return BeliefView(
        belief_id="b",
        concept_id=concept_id,
        concept="x",
        claim="struggles",
        confidence=0.71,
        rank=2,
        to_confirm=False,
        since=date(2026, 5, 4),
        last=(),
        n_right=0,
        n_wrong=3,
        steps=(),
    )


@pytest.mark.parametrize("n", [0, 4, 5, 40])
def test_confidence_is_a_number_only_once_calibrated(n: int) -> None:
    calibration = calibrate(_predictions(n), MemorySettings())
    words = labels.confidence_words(_belief("c"), calibrated=calibration.calibrated)
    assert words == ("about 71 in 100" if n >= 5 else "")
    said = labels.sureness_words(calibration)
    assert ("off by 10 in 100" in said) == (n >= 5)
    assert ("The order says" in said) == (n < 5)


@pytest.mark.parametrize("n", [0, 1, 12])
def test_the_curve_has_a_dot_for_every_bucket_with_a_check(n: int) -> None:
    calibration = calibrate(_predictions(n), MemorySettings())
    root = ElementTree.fromstring(calibration_svg(calibration))
    dots = [one for one in root.iter("circle")]
    assert len(dots) == sum(bucket.n > 0 for bucket in calibration.buckets)
    for dot in dots:
        assert 0 <= float(dot.get("cx", "")) <= float(root.get("width", ""))


def test_a_tutor_that_is_as_sure_as_right_has_its_dot_on_the_dashed_line_and_a_surer_one_below_it() -> None:
    def bucket(predicted: float, right: float) -> CalibrationBucket:
        return CalibrationBucket(low=0.0, high=1.0, n=1, mean_predicted=predicted, share_right=right)

    even, sure, doubting = bucket(0.25, 0.25), bucket(0.75, 0.5), bucket(0.5, 0.75)
    drawn = Calibration(n=3, buckets=(even, sure, doubting), ece=0.1, calibrated=True)
    root = ElementTree.fromstring(calibration_svg(drawn))
    line = next(one for one in root.iter("line") if one.get("class") == "even")
    x1, y1, x2, y2 = (float(line.get(name, "")) for name in ("x1", "y1", "x2", "y2"))
    dots = [(float(one.get("cx", "")), float(one.get("cy", ""))) for one in root.iter("circle")]
    below = [y - (y1 + (x - x1) * (y2 - y1) / (x2 - x1)) for x, y in dots]
    assert below[0] == pytest.approx(0, abs=0.1)
    assert below[1] > 10
    assert below[2] < -10
    assert all(0 <= y <= float(root.get("height", "")) for _, y in dots)


def test_no_word_of_the_page_is_a_label_of_a_person() -> None:
    said = " ".join([*labels.CLAIM_WORDS.values(), *labels.VERDICT_WORDS.values(), *labels.LINE_WORDS.values()]).lower()
    for word in ("struggl", "weak", "fail", "confus", "error", "wrong", "poor", "bad"):
        assert word not in said


def test_an_empty_month_describes_nothing() -> None:
    assert labels.month_line(MonthView(first_day=date(2026, 8, 1))) == "No record of anything."
    one = MonthView(first_day=date(2026, 7, 1), days=1, problems=1, messages=2, right=1, wrong=1)
    assert labels.month_line(one) == "1 day: 1 problem, 2 messages, 2 steps checked (1 right and 1 to look at again)"


def test_the_map_keeps_the_two_numbers_apart_and_its_table_says_both() -> None:
    concepts = problems_map("maths")
    first = concepts.concepts[0]
    held = LearnerMap(
        concepts=concepts, n_whole=len(concepts.concepts), beliefs={first.concept_id: _belief(first.concept_id)}
    )
    svg = learner_map_svg(held)
    ElementTree.fromstring(svg)
    assert svg.count("↻ another look") == 1
    ranked, numbered = (learner_map_table(held, calibrated=calibrated) for calibrated in (False, True))
    assert ranked.count("place 2 of surest first") == 1
    assert "0.71" not in ranked
    assert "about 71 in 100" in numbered
    assert f"({first.readiness:.2f})" in ranked


def test_a_memory_chip_says_its_day_and_opens_the_moment() -> None:
    source = SourceView(kind="memory", title="12 * 4 = 46", episode_id="e7", on="2026-07-12")
    (chip,) = shown_sources([source], "d1", 3)
    assert (chip.words, chip.address) == ("12 July 2026", "/memory/episodes/e7")


@pytest.mark.parametrize(
    ("status", "said"),
    [("dropped", True), ("failed", True), ("read", False), ("none", False), ("off", False), ("", False)],
)
def test_only_a_read_that_did_not_come_is_said(status: str, said: bool) -> None:
    assert bool(memory_words(status)) == said


def test_how_a_belief_came_about_is_told_in_words() -> None:
    step = BeliefStep(on=date(2026, 7, 12), claim="struggles", reason="check", verdict="wrong", count=3)
    assert labels.step_words(step) == "3 steps did not come out right → is worth another look"
    for reason in ("not_true", "decay", "rederived"):
        told = labels.step_words(BeliefStep(on=date(2026, 7, 12), claim="unsettled", reason=reason, verdict=None))
        assert told.endswith("→ no clear picture")


def test_a_line_leads_to_its_turn() -> None:
    at = datetime(2026, 7, 12, 8, 1, tzinfo=UTC)
    line = RecordLine(
        episode_id="e", subject_id="maths", kind="check", on=at.date(), at=at, words="1+1", dialogue_id="d", turn=2
    )
    assert labels.where(line) == "/learn/d#turn-2"
    assert labels.where(RecordLine(episode_id="e", subject_id="m", kind="file", on=at.date(), at=at, words="f")) == ""


def test_a_date_at_the_beginning_of_a_line_is_no_list() -> None:
    assert "<ol" not in render_reply("- 14. September 2026: eine Aufgabe")
    assert "14. September 2026: eine Aufgabe</li>" in render_reply("- 14. September 2026: eine Aufgabe")
    assert "<ol" in render_reply("3. Add the 2020 apples")
