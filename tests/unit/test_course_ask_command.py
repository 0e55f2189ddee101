"""`preceptor course ask` and `preceptor chat --course`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.unit.course_folder import SUBJECT, add_course

from preceptor.cli.main import cli
from preceptor.domain.principal import LOCAL_OWNER
from preceptor.record.record import open_record
from preceptor.settings import CourseRetrievalSettings, Settings
from preceptor.tutoring.live_courses import LiveCourses


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PRECEPTOR_HOME", str(tmp_path))
    monkeypatch.setenv("PRECEPTOR_COURSE_RETRIEVAL__ANSWERABLE_FROM", "0.3")
    with open_record(Settings(home=tmp_path)) as record:
        add_course(record.courses)
    return tmp_path


def test_ask_prints_reply_route_citations_and_search_and_keeps_nothing(home: Path) -> None:
    done = CliRunner().invoke(cli, ["course", "ask", SUBJECT, "What is a queue?", "--json"])
    assert done.exit_code == 0, done.output
    answer = json.loads(done.stdout)
    assert "first in, first out" in answer["reply"]
    assert answer["route"]["route"] == "direct"
    cited = answer["grounding"]["citations"][0]
    assert (cited["document_name"], cited["page"], cited["quote"]) == (
        "search.md", 1, "A queue is a line that is first in, first out",
    )  # fmt: skip
    assert answer["search"]["found"][0]["passage_id"] == cited["passage_id"]
    with open_record(Settings(home=home)) as record:
        assert record.log.list(LOCAL_OWNER.learner_id) == ()


def test_an_unknown_course_is_one_clear_line(home: Path) -> None:
    done = CliRunner().invoke(cli, ["course", "ask", "nowhere", "What is a queue?"])
    assert done.exit_code != 0
    assert not done.stdout


@pytest.mark.parametrize("question", ["", "   "])
def test_an_empty_question_is_refused_by_name(home: Path, question: str) -> None:
    done = CliRunner().invoke(cli, ["course", "ask", SUBJECT, question])
    assert done.exit_code != 0
    assert not done.stdout
    assert "QUESTION must hold at least one word" in str(done.exception)


def test_chat_about_a_course_shows_sources(home: Path) -> None:
    done = CliRunner().invoke(cli, ["chat", "--course", SUBJECT], input="What is a queue?\n/quit\n")
    assert done.exit_code == 0, done.output
    assert "Let us talk about Algorithms" in done.stdout
    assert "[1] search.md: A queue is a line" in done.stderr


class Named:
    """A second index that counts how often it is asked."""

    def __init__(self) -> None:
        self.asked = 0

    def passage_ids(self, subject_id: str, query: str, *, limit: int) -> tuple[str, ...]:
        self.asked += 1
        return ()


@pytest.mark.parametrize(("profile", "asked"), [("default", 0), ("two_indexes", 1)])
def test_the_concept_map_is_asked_only_in_the_profile_that_wants_it(
    home: Path, monkeypatch: pytest.MonkeyPatch, profile: str, asked: int
) -> None:
    monkeypatch.delenv("PRECEPTOR_COURSE_RETRIEVAL__ANSWERABLE_FROM")
    settings = Settings(home=home, course_retrieval=CourseRetrievalSettings.model_validate({"profile": profile}))
    index = Named()
    with open_record(settings) as record:
        LiveCourses(settings, record.courses, embedder=lambda: None, concepts=index).search(SUBJECT, "queue")
    assert index.asked == asked
