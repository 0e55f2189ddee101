"""The nightly loop on both databases: once a night, the same whenever it is run, and a belief fades once in 45 days."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta

import pytest
from sqlalchemy import select
from tests.contract.memory_world import ANA, BEN, START, World

from preceptor.course.extraction import ExtractedDocument, ExtractedPage
from preceptor.course.ingestion import prepare
from preceptor.domain.course import Course
from preceptor.domain.episode import Evidence
from preceptor.domain.passage import Document
from preceptor.errors import StoreError
from preceptor.memory.calibration import RANKING_ONLY
from preceptor.record.erasure_scope import ErasureScope
from preceptor.record.memory_kinds import TaughtBody
from preceptor.stores.sql.database import Database
from preceptor.stores.sql.tables import METADATA


@pytest.fixture
def world(database: Database) -> World:
    return World(database)


def tables(world: World) -> dict[str, list[tuple[object, ...]]]:
    """Return every row of memory's own tables, but for numbers the database gives out."""
    found = {}
    with world.database.read() as connection:
        for name in ("belief", "memory_night", "memory_self_model", "memory_verification", "episode"):
            table = METADATA.tables[name]
            hidden = {"position", "commitment", "previous_hash", "chain_hash"}
            columns = [column for column in table.columns if column.name not in hidden]
            found[name] = sorted((tuple(row) for row in connection.execute(select(*columns))), key=str)
    return found


def test_sixty_nights_over_sixty_days_fade_an_untouched_belief_exactly_once(world: World) -> None:
    world.check_percent(True, 4)
    for day in range(60):
        world.pass_time(days=1)
        if day % 2:
            world.quiz("ratio", True)  # the learner is active, on something else
        world.nightly.run()
    rows = [one for one in world.beliefs.rows(ANA) if one.concept_id == world.concept("percent")]
    assert [(one.reason, one.confidence) for one in rows[3:]] == [("check", 0.75), ("decay", 0.6375)]
    assert rows[-1].valid_from == START + timedelta(days=45)
    assert rows[-1].to_confirm
    assert rows[-1].evidence == rows[3].evidence


def test_a_belief_fades_once_too_where_the_learner_never_comes_back(world: World) -> None:
    world.check_percent(True, 4)
    for _ in range(60):
        world.pass_time(days=1)
        world.nightly.run()
    assert world.believed() == [("percent", "understands", 0.6375)]


def test_nights_that_were_missed_change_nothing_about_what_is_believed(world: World) -> None:
    world.check_percent(True, 4)
    world.pass_time(days=100)
    world.nightly.run()
    rows = world.beliefs.rows(ANA)[3:]
    assert [(one.valid_from - START).days for one in rows] == [0, 45, 90]
    assert world.believed() == [("percent", "understands", round(0.75 * 0.85 * 0.85, 6))]


def test_a_belief_that_faded_below_even_is_no_belief_and_a_new_check_brings_it_back(world: World) -> None:
    world.check_percent(True)
    world.pass_time(days=91)
    world.nightly.run()
    assert world.believed() == []
    world.check_percent(True)
    assert world.believed() == [("percent", "understands", round(4 / 6, 6))]


def test_a_night_run_twice_changes_nothing(world: World) -> None:
    world.check_percent(True, 3)
    for _ in range(70):
        world.say("I added the two sides")
    world.pass_time(days=1)
    assert len(world.nightly.run()) == 1
    before = tables(world)
    assert world.nightly.run() == []
    world.pass_time(hours=3)
    assert world.nightly.run() == []
    assert tables(world) == before


def test_a_scope_whose_night_was_run_is_not_run_again_even_where_the_learner_travels_west(world: World) -> None:
    world.say("late in the evening", time_zone="Pacific/Auckland")  # 23:00 on 2 March
    world.pass_time(hours=3)
    first = world.nightly.run_scope(ANA)
    assert first is not None
    assert first.through_day == date(2026, 3, 2)
    assert world.nightly.run_scope(ANA) is None
    world.say("early in the morning", time_zone="Pacific/Honolulu")  # 3:00 on 2 March
    assert world.nightly.run_scope(ANA) is None
    last = world.record.nights.last(ANA)
    assert last is not None
    assert last.through_day == date(2026, 3, 2)
    assert len(world.record.log.list("ana", kinds=("consolidation",))) == 1


def test_a_night_that_broke_off_after_the_fading_is_due_again(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.check_percent(True, 4)
    world.pass_time(days=1)
    world.nightly.run()
    world.pass_time(days=45)

    def breaks(*given: object) -> None:
        raise StoreError("the disk is full")

    with monkeypatch.context() as broken:
        broken.setattr(world.record.nights, "end", breaks)
        with pytest.raises(StoreError):
            world.nightly.run()
    assert [report.scope for report in world.nightly.run()] == [ANA]
    assert [one.reason for one in world.beliefs.rows(ANA)] == ["check"] * 4 + ["decay"]
    assert world.nightly.run() == []


def test_a_run_that_is_stopped_goes_on_with_the_next_scope_another_time(world: World) -> None:
    for scope in (ANA, BEN):
        world.say("seven", scope)
    world.pass_time(days=1)
    asked: list[bool] = []

    def after_one() -> bool:
        asked.append(True)
        return len(asked) > 1

    assert [report.scope for report in world.nightly.run(stop=after_one)] == [ANA]
    assert world.nightly.run(stop=lambda: True) == []
    assert [report.scope for report in world.nightly.run()] == [BEN]


def test_a_day_that_has_its_note_gets_no_second_one_for_what_is_imported_later(world: World) -> None:
    world.say("seven")
    world.pass_time(days=1)
    world.nightly.run()
    world.say("eight", occurred_at=START + timedelta(minutes=5))
    world.pass_time(days=1)
    (report,) = world.nightly.run()
    assert report.consolidated == ()
    (note,) = world.record.log.list("ana", kinds=("consolidation",))
    assert note.body is not None
    assert note.body["counts"] == {"answer": 1}


def test_the_self_model_of_a_night_holds_what_is_believed_then_and_no_row_before_it(world: World) -> None:
    world.check_percent(True, 2)
    world.check_percent(False, 4)
    world.pass_time(days=1)
    world.nightly.run()
    model = world.record.nights.self_model(ANA)
    assert model is not None
    beliefs = model["beliefs"]
    assert isinstance(beliefs, list)
    assert [(one["concept"], one["claim"], one["superseded_by"]) for one in beliefs] == [("percent", "struggles", None)]


def test_a_day_is_compressed_into_one_note_of_counts_topics_and_headlines(world: World) -> None:
    for n in range(7):
        world.quiz("percent", n % 2 == 0, item=f"What is {n} percent of 50?")
    world.add(TaughtBody(note="a bundle is ten", utterance="Remember that a bundle is ten.", concept="bundle"))
    world.say("what did I get wrong?")
    world.pass_time(days=1)
    (report,) = world.nightly.run()
    assert report.consolidated == (START.date(),)
    (note,) = world.record.log.list("ana", kinds=("consolidation",))
    body = note.body
    assert body is not None
    assert body["counts"] == {"answer": 1, "quiz": 7, "taught": 1}
    assert (body["checks_right"], body["checks_wrong"]) == (4, 3)
    assert body["topics"] == ["percent", "bundle"]
    headlines = body["headlines"]
    assert isinstance(headlines, list)
    assert headlines[0] == "a bundle is ten"
    assert len(headlines) == 5
    assert "what did I get wrong?" not in headlines
    assert note.occurred_at.date() == START.date()  # inside the day it tells of


def test_a_quiet_day_gets_no_note_and_notes_are_never_summed_up_again(world: World) -> None:
    world.quiz("percent")
    for _ in range(5):
        world.pass_time(days=1)
        world.nightly.run()
    assert len(world.record.log.list("ana", kinds=("consolidation",))) == 1


def test_the_day_is_the_learner_s_own(world: World) -> None:
    world.say("late on Monday", time_zone="Pacific/Auckland", occurred_at=START - timedelta(hours=23, minutes=30))
    world.say("early on Tuesday", time_zone="Pacific/Auckland", occurred_at=START - timedelta(hours=22))
    world.pass_time(days=2)
    (report,) = world.nightly.run()
    assert report.consolidated == (date(2026, 3, 1), date(2026, 3, 2))
    notes = world.record.log.list("ana", kinds=("consolidation",))
    assert [one.body["counts"] for one in notes if one.body] == [{"answer": 1}, {"answer": 1}]


def test_today_waits_for_its_night(world: World) -> None:
    world.say("hello")
    (report,) = world.nightly.run()
    assert report.consolidated == ()
    world.say("and again")
    world.pass_time(days=1)
    (report,) = world.nightly.run()
    (note,) = world.record.log.list("ana", kinds=("consolidation",))
    assert note.body is not None
    assert note.body["counts"] == {"answer": 2}


def test_the_note_of_a_day_is_written_anew_without_what_was_erased(world: World) -> None:
    secret, kept = world.say("my cat is called Zibbelmann"), world.say("I like fractions")
    world.pass_time(days=1)
    world.nightly.run()
    (note,) = world.record.log.list("ana", kinds=("consolidation",))
    world.record.log.erase("ana", ErasureScope(episode_ids=(secret.episode_id, note.episode_id)))
    world.nightly.consolidate(ANA, [START.date()], world.record.log.list("ana", subject_id="maths"))
    notes = [one for one in world.record.log.list("ana", kinds=("consolidation",)) if one.body is not None]
    assert [one.body["episode_ids"] for one in notes if one.body] == [[kept.episode_id]]


def test_checks_that_no_turn_updated_are_taken_up_at_night(world: World) -> None:
    world.quiz("percent")
    world.quiz("percent", scope=BEN)
    world.pass_time(days=1)
    assert [report.beliefs_added for report in world.nightly.run()] == [1, 1]
    assert world.believed(BEN) == [("percent", "understands", 0.6)]


def test_confidence_is_a_ranking_until_five_checks_had_a_prediction(world: World) -> None:
    for n in range(6):
        world.check_percent(n != 3)
        world.pass_time(minutes=1)
        found = world.nightly.calibration(ANA)
        assert found.n == n  # the first check had no belief before it, so no prediction
        assert found.calibrated == (n >= 5)
        assert found.limits == (() if n >= 5 else (RANKING_ONLY,))
    # Predicted before each: 3/5, 4/6, 5/7, 5/8, 6/9 against right, right, wrong, right, right.
    curve = {bucket.low: (bucket.n, bucket.share_right) for bucket in found.buckets if bucket.n}
    assert curve == {0.6: (5, 0.8)}
    predicted = [3 / 5, 4 / 6, 5 / 7, 5 / 8, 6 / 9]
    assert found.ece == pytest.approx(abs(sum(predicted) / 5 - 0.8), abs=1e-6)


def test_a_check_that_a_belief_already_knows_does_not_predict_itself(world: World) -> None:
    for _ in range(4):
        world.quiz("percent")
    world.beliefs.catch_up(ANA)
    assert world.nightly.calibration(ANA).n == 0


def test_the_self_model_says_what_is_believed_and_how_far_to_trust_it(world: World) -> None:
    world.check_percent(True, 2)
    world.pass_time(days=1)
    world.nightly.run()
    model = world.record.nights.self_model(ANA)
    assert model is not None
    assert model["limits"] == [RANKING_ONLY]
    assert model["checks"] == {
        "on_record": 2,
        "tied": 2,
        "words": "2 checks are on record, 2 of them count for a concept in the map",
    }
    working = model["working_set"]
    assert isinstance(working, list)
    assert len(working) == 20
    assert working[0]["name"] == "percent"
    assert world.record.nights.self_model(BEN) is None


def _add_file(world: World, text: str) -> tuple[str, str]:
    document = Document(
        document_id="doc", subject_id="maths", name="a.txt", media_type="text/plain", fingerprint=text, n_pages=1,
        added_at=world.clock(),
    )  # fmt: skip
    content = prepare(document, ExtractedDocument(pages=(ExtractedPage(text=text),)))
    world.record.courses.put_document(content)
    return document.document_id, content.pages[0].fingerprint


def test_citations_hold_change_or_cite_nothing_and_never_checked_ones_come_first(world: World) -> None:
    world.record.courses.create(Course(subject_id="maths", title="Maths", created_at=world.clock()))
    document_id, fingerprint = _add_file(world, "A percent is a share of a hundred.")
    evidence = Evidence(document_id=document_id, page=1, fingerprint=fingerprint)
    cited = world.say("a percent is a share", evidence=(evidence,))
    spoken = world.say("no file")
    gone = world.say("old", evidence=(Evidence(document_id="never there", page=1, fingerprint="f"),))
    verify = world.memory.verifier.verify
    assert verify(ANA, limit=2, now=world.clock()) == {"holds": 1, "unverifiable": 1}
    _add_file(world, "Something else now.")
    world.pass_time(days=1)
    assert verify(ANA, limit=2, now=world.clock()) == {"changed": 2}
    found = world.memory.verifier.look_up(ANA, [cited, spoken, gone], now=world.clock())
    assert [(one.status, one.note) for one in found] == [
        ("changed", "replaced"),
        ("unverifiable", ""),
        ("changed", "removed"),
    ]
    notes = world.memory.verifier.notes(ANA, [cited, spoken, gone], now=world.clock())
    assert set(notes) == {cited.episode_id, gone.episode_id}
    assert world.record.nights.verification_counts(ANA) == {"changed": 2, "unverifiable": 1}
    assert world.record.nights.verification_counts(BEN) == {}


def test_two_processes_that_run_one_night_at_once_leave_it_run_once(world: World) -> None:
    for scope in (ANA, BEN):
        world.check_percent(True, 3, scope)
    world.pass_time(days=46)
    others = [World(world.database, clock=world.clock) for _ in range(3)]
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda one: one.nightly.run(), others))
    world.nightly.run()  # what met another process is made up by the next run
    for scope in (ANA, BEN):
        notes = world.record.log.list(scope.learner_id, kinds=("consolidation",))
        assert len(notes) == 1
        assert [one.reason for one in world.beliefs.rows(scope)] == ["check", "check", "check", "decay"]
        assert len([one for one in world.beliefs.rows(scope) if one.superseded_by is None]) == 1
    assert world.nightly.run() == []
