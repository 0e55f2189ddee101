"""`preceptor course evaluate` and `compare`: measures by hand on a small course, paired by question."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.unit.course_folder import SUBJECT, add_course

from preceptor.cli.main import cli
from preceptor.domain.grounding import Citation
from preceptor.errors import InputError, StoreError
from preceptor.lab.course_evaluation import read_evaluation_questions, variant
from preceptor.lab.course_measures import AnswerRow, compare_measures, is_document, judge_free, touches
from preceptor.record.record import open_record
from preceptor.settings import Settings

QUEUE = "A queue is a line that is first in, first out."
QUESTIONS: list[dict[str, str | None]] = [
    {"question_id": "q1", "topic": "search", "question": "What is a queue?", "document": "search.md", "quote": QUEUE},
    {"question_id": "q2", "topic": "loops", "question": "Why does my loop never stop?", "document": "loops.md",
     "quote": "A loop that never changes its condition never stops."},
    {"question_id": "q3", "topic": "other", "question": "Who won the football game in Madrid?", "document": None,
     "quote": None},
    {"question_id": "q4", "topic": "other", "question": "What is a stack?", "document": "gone.md",
     "quote": "This file is not in the course."},
]  # fmt: skip


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PRECEPTOR_HOME", str(tmp_path))
    monkeypatch.setenv("PRECEPTOR_COURSE_RETRIEVAL__ANSWERABLE_FROM", "0.3")
    with open_record(Settings(home=tmp_path)) as record:
        add_course(record.courses)
    lines = [json.dumps({**row, "part": "held_out"}) for row in QUESTIONS]
    (tmp_path / "questions.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return tmp_path


def test_evaluate_scores_what_it_can_and_counts_what_it_cannot(home: Path) -> None:
    called = ["course", "evaluate", SUBJECT, str(home / "questions.jsonl"), "--rows", "--json"]
    done = CliRunner().invoke(cli, called)
    assert done.exit_code == 0, done.output
    report = json.loads(done.stdout)
    assert (report["questions"], report["answerable"], report["span_not_in_course"]) == (4, 3, 1)
    rows = {row["question_id"]: row for row in report["rows"]}
    assert rows["q1"]["span_found"] is True
    assert rows["q1"]["right_citations"] == 1
    assert rows["q3"]["status"] == "not_in_course"
    assert rows["q4"]["span_found"] is None
    assert report["measures"]["span_recall"]["interval"]["n"] == 2
    assert report["measures"]["span_recall"]["interval"]["point"] == 1.0
    assert report["measures"]["refused_rightly"]["interval"]["point"] == 1.0
    with open_record(Settings(home=home)) as record:
        assert record.log.list("local") == ()


def test_compare_pairs_by_question_and_counts_what_differs(home: Path) -> None:
    called = ["course", "compare", SUBJECT, str(home / "questions.jsonl"), "--second", "top=1 stages_off=dense,rerank"]
    done = CliRunner().invoke(cli, [*called, "--rows", "--json"])
    assert done.exit_code == 0, done.output
    report = json.loads(done.stdout)
    assert report["second"]["configuration"] == "top=1 stages_off=dense,rerank"
    assert report["measures"]["span_recall"]["mcnemar"]["p_value"] == 1.0
    assert report["differ"]["passages"] == len(report["rows"]) == 1
    one = report["rows"][0]
    assert (len(one["first"]["passages"]), len(one["second"]["passages"])) == (2, 1)
    same = CliRunner().invoke(cli, [*called[:-1], "default"])
    assert "passages differ on 0 of 4; answers differ on 0 of 4; citations differ on 0 of 4" in same.stdout


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("profile", "expected key=value"),
        ("colour=red", "no setting 'colour'; expected one of profile"),
        ("profile=best", "profile: Input should be"),
        ("tutor=oracle", "builtin or llm"),
    ],
)
def test_a_wrong_configuration_is_named(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        variant(text, Settings())


def test_a_configuration_changes_only_itself() -> None:
    settings = Settings()
    made = variant("profile=kite stages_off=mmr,boost top=3 tutor=llm", settings).settings
    assert made.course_retrieval.stages_off == ("mmr", "boost")
    assert (made.course_retrieval.profile, made.course_retrieval.top, made.roles.tutor.engine) == ("kite", 3, "llm")
    assert settings == Settings()


@pytest.mark.parametrize(
    ("lines", "message"),
    [("", "no question"), ('{"question_id": 1}', "line 1"), ("same", "stands twice")],
)
def test_a_wrong_file_is_named(tmp_path: Path, lines: str, message: str) -> None:
    row = json.dumps({**QUESTIONS[0], "part": "tune"})
    file = tmp_path / "q.jsonl"
    file.write_text(f"{row}\n{row}" if lines == "same" else lines, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        read_evaluation_questions(file)


def citation(quote: str, document: str = "notes/search.md") -> Citation:
    return Citation(
        marker=1, passage_id="p", document_id="d", document_name=document, page=1, page_fingerprint="0", start=0,
        end=len(quote), quote=quote,
    )  # fmt: skip


def row(
    name: str, *, topic: str = "t", right: int | None = None, cited: int = 0, found: bool | None = None
) -> AnswerRow:
    return AnswerRow(
        question_id=name, topic=topic, question="?", answerable=True, references=(), passages=(), reply="", engine="x",
        route=None, status="grounded", unsure=False,
        citations=(citation("a b c"),) * cited, removed=0, n_statements=2, n_grounded=1,
        stages_off={}, search_ms=None, span_in_course=found is not None, span_found=found, right_citations=right,
    )  # fmt: skip


def test_a_citation_is_about_a_span_in_the_same_file_with_half_its_words() -> None:
    assert touches(citation("queue is a line that is first in"), "search.md", QUEUE)
    assert touches(citation(f"Well. {QUEUE} So."), "search.md", QUEUE)
    assert not touches(citation(QUEUE, "loops.md"), "search.md", QUEUE)
    assert not touches(citation("Stacks turn the order around"), "search.md", QUEUE)
    assert not touches(citation(QUEUE), None, None)
    assert is_document("notes/search.md", "search.md")
    assert not is_document("research.md", "search.md")


def test_precision_is_over_citations_and_recall_over_questions() -> None:
    rows = [
        row("1", right=1, cited=2, found=True),
        row("2", right=0, cited=1, found=True),
        row("3", right=0, found=False),
        row("4"),
    ]
    points = {one.name: one.interval.point if one.interval else None for one in judge_free(rows, seed=1)}
    assert points["citation_precision"] == pytest.approx(0.25)
    assert points["citation_recall"] == pytest.approx(1 / 3)
    assert points["span_recall"] == pytest.approx(2 / 3)
    assert points["refused_rightly"] is None
    assert points["grounded_statements"] == pytest.approx(0.5)


def test_a_warning_counts_beside_a_refusal() -> None:
    rows = [
        replace(row("1"), answerable=False, status="not_in_course"),
        replace(row("2"), answerable=False, unsure=True),
        replace(row("3"), answerable=False),
        row("4", found=True),
        replace(row("5", found=True), unsure=True),
    ]
    points = {one.name: one.interval.point if one.interval else None for one in judge_free(rows, seed=1)}
    assert points["refused_rightly"] == pytest.approx(1 / 3)
    assert points["warned_rightly"] == pytest.approx(2 / 3)
    assert (points["refused_wrongly"], points["warned_wrongly"]) == (0.0, 0.5)


def test_only_questions_scored_under_both_are_compared() -> None:
    first = [row("1", found=True), row("2", found=False), row("3", found=False)]
    second = [row("1", found=True), row("2", found=True), row("3")]
    compared = compare_measures(judge_free(first, seed=1), judge_free(second, seed=1), first, seed=1)[0]
    assert (compared.first, compared.second) == (0.5, 1.0)
    assert compared.difference is not None
    assert (compared.difference.point, compared.difference.n) == (0.5, 2)
    assert compared.mcnemar is not None
    assert (compared.mcnemar.only_first, compared.mcnemar.only_second) == (0, 1)


def test_a_search_that_broke_is_unscored_not_a_miss(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise StoreError("the disk is gone")

    monkeypatch.setattr("preceptor.tutoring.live_courses.LiveCourses.search", broken)
    done = CliRunner().invoke(cli, ["course", "evaluate", SUBJECT, str(home / "questions.jsonl"), "--json"])
    assert done.exit_code == 0, done.output
    report = json.loads(done.stdout)
    assert report["unscored_by_reason"] == {"the course was not read: failed StoreError": 4}
    assert {name: one["interval"] for name, one in report["measures"].items()} == dict.fromkeys(report["measures"])
