"""How near sentences are to a question: cosines where all can be compared, and no sentence is embedded twice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from tests.unit.course_folder import SUBJECT, add_course

from preceptor.models.embedder import Embedder, Vector
from preceptor.record.record import Record, open_record
from preceptor.settings import Settings
from preceptor.tutoring.live_courses import LiveCourses

ANGLES = {"asked": 0.0, "near": np.pi / 3, "far": np.pi / 2}


class AngleEmbedder:
    """Gives a direction to the texts it knows, and remembers what it was asked."""

    fingerprint, languages, dimensions = "angles", ("en",), 2

    def __init__(self) -> None:
        self.asked: list[str] = []

    def embed(self, texts: Sequence[str], *, language: str | None = None) -> list[Vector | None]:
        self.asked += texts
        angles = [ANGLES.get(text) for text in texts]
        return [None if a is None else np.array([np.cos(a), np.sin(a)], np.float32) for a in angles]


@pytest.fixture
def record(tmp_path: Path) -> Iterator[Record]:
    with open_record(Settings(home=tmp_path)) as opened:
        add_course(opened.courses)
        yield opened


def courses(record: Record, embedder: Embedder | None) -> LiveCourses:
    return LiveCourses(Settings(), record.courses, embedder=lambda: embedder)


def test_nearness_is_the_cosine_in_the_order_of_the_sentences(record: Record) -> None:
    held = courses(record, AngleEmbedder())
    assert held.nearness("asked", ["far", "near", "asked"]) == pytest.approx([0.0, 0.5, 1.0], abs=1e-6)
    assert held.nearness("asked", []) == []


@pytest.mark.parametrize(("question", "sentence"), [("unread", "near"), ("asked", "unread")])
def test_nothing_is_compared_with_what_has_no_vector(record: Record, question: str, sentence: str) -> None:
    assert courses(record, AngleEmbedder()).nearness(question, ["near", sentence]) is None
    assert courses(record, None).nearness("asked", ["near"]) is None


def test_a_sentence_is_embedded_once_while_it_is_among_the_latest_used(
    record: Record, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("preceptor.tutoring.live_courses.SENTENCES_KEPT", 2)
    embedder = AngleEmbedder()
    held = courses(record, embedder)
    for question, sentence in (("asked", "near"), ("near", "asked"), ("asked", "far"), ("asked", "near")):
        assert held.nearness(question, [sentence]) is not None
    assert embedder.asked == ["asked", "near", "far", "near"], "near had to go for far, not asked"


def test_a_course_is_there_once_it_has_files_and_a_passage_while_it_is_stored(record: Record) -> None:
    held = courses(record, None)
    assert (held.has(SUBJECT), held.has("cooking")) == (True, False)
    (passage, *_) = record.courses.passages(SUBJECT)
    assert held.stored(passage.passage_id) == passage
    assert held.stored("no such passage") is None
