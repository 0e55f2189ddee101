"""Uploads on their way into a course: refused at once or later with one line, stored in order, map and index after."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.unit.course_retrieval_doubles import HashEmbedder

from preceptor.course.ingestion import FileReport
from preceptor.course.open_courses import OpenCourses
from preceptor.course.retrieval import CourseRetrieval
from preceptor.course.upload_queue import UploadQueue
from preceptor.domain.principal import LOCAL_OWNER, Principal
from preceptor.errors import BusyError, InputError, NotFoundError
from preceptor.models.embedder import Embedder
from preceptor.settings import Settings
from preceptor.stores.sql.concept_maps import SqlConceptMapStore
from preceptor.stores.sql.courses import SqlCourseStore
from preceptor.stores.sql.database import open_database

LEARNER = Principal(learner_id="local", roles=frozenset({"learner"}))
NOTES = b"# Queues\n\nA **queue** is a list that is emptied where it began. A queue keeps the order.\n"
WAIT_S = 90.0


@contextmanager
def opened(home: Path, embedder: Embedder | None = None) -> Iterator[OpenCourses]:
    settings = Settings(home=home)
    database = open_database(home=home, url=None)
    store = SqlCourseStore(database)
    search = CourseRetrieval(store, embedder=embedder)
    courses = OpenCourses(store, SqlConceptMapStore(database), settings, search=search, embedder=lambda: embedder)
    yield courses
    courses.close()
    database.close()


@pytest.fixture(scope="module")
def courses(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenCourses]:
    with opened(tmp_path_factory.mktemp("home")) as courses:
        courses.library.create(LOCAL_OWNER, "search", "Search")
        yield courses


@pytest.fixture
def queue(courses: OpenCourses) -> Iterator[UploadQueue]:
    made = UploadQueue(courses, max_file_bytes=10_000)
    yield made
    made.close()


def test_an_uploaded_file_is_stored_found_and_mapped_without_waiting_for_it(
    queue: UploadQueue, courses: OpenCourses
) -> None:
    upload = queue.put(LOCAL_OWNER, "search", "queues.md", NOTES)
    assert upload.state in ("waiting", "reading")
    assert queue.wait_idle(WAIT_S)
    (known,) = queue.list("search")
    assert (known.state, known.report and known.report.status) == ("stored", "added")
    assert queue.work("search") == "idle"
    assert courses.search.search("search", "what does a queue keep").passages
    assert "Queue" in {one.name.capitalize() for one in courses.maps.map("search").concepts}


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("../../etc/passwd.md", NOTES, "leaves the course"),
        ("C:\\notes.md", NOTES, "characters that file names may not hold"),
        ("a\x00b.md", NOTES, "characters that file names may not hold"),
        ("", NOTES, "expected 1 to 240"),
        ("notes.exe", NOTES, ".exe is not read"),
        ("notes.docm", NOTES, "macros"),
        ("empty.md", b"", "is empty"),
        ("long.md", b"x" * 10_001, "at most 10000"),
    ],
)
def test_what_can_be_refused_at_once_is_refused_in_one_line(
    queue: UploadQueue, name: str, content: bytes, why: str
) -> None:
    with pytest.raises(InputError) as caught:
        queue.put(LOCAL_OWNER, "search", name, content)
    assert why in str(caught.value)
    assert "\n" not in str(caught.value)
    assert queue.list("search")[0].state == "refused"


def test_a_damaged_file_is_refused_after_it_was_read_and_the_next_one_is_stored(queue: UploadQueue) -> None:
    queue.put(LOCAL_OWNER, "search", "broken.pdf", b"%PDF-1.7 nothing more")
    queue.put(LOCAL_OWNER, "search", "good.txt", b"Stacks are emptied where they were filled.")
    assert queue.wait_idle(WAIT_S)
    good, broken = queue.list("search")
    assert (broken.state, good.state) == ("refused", "stored")
    assert broken.detail
    assert "\n" not in broken.detail
    assert not broken.detail.startswith("broken.pdf")


def test_a_learner_may_not_upload_and_an_unknown_course_takes_nothing(queue: UploadQueue) -> None:
    with pytest.raises(InputError, match="instructor"):
        queue.put(LEARNER, "search", "a.md", NOTES)
    with pytest.raises(NotFoundError):
        queue.put(LOCAL_OWNER, "cooking", "a.md", NOTES)


def test_no_more_waits_in_memory_than_two_largest_files(
    queue: UploadQueue, courses: OpenCourses, monkeypatch: pytest.MonkeyPatch
) -> None:
    go = threading.Event()

    def slow(principal: Principal, subject_id: str, name: str, content: bytes) -> FileReport:
        go.wait(WAIT_S)
        return FileReport(name=name, status="unchanged")

    monkeypatch.setattr(courses.library, "add_upload", slow)
    queue.put(LOCAL_OWNER, "search", "first.md", b"x")
    while queue.list("search")[0].state != "reading":
        pass
    for number in range(2):
        queue.put(LOCAL_OWNER, "search", f"{number}.md", b"x" * 10_000)
    with pytest.raises(BusyError, match="waiting"):
        queue.put(LOCAL_OWNER, "search", "third.md", b"x")
    assert queue.work("search") == "reading"
    go.set()
    assert queue.wait_idle(WAIT_S)
    assert [one.state for one in queue.list("search")] == ["refused", "stored", "stored", "stored"]
    queue.clear("search")
    assert queue.list("search") == []


def test_a_course_is_being_read_also_where_no_more_files_wait(
    queue: UploadQueue, courses: OpenCourses, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, go = threading.Event(), threading.Event()

    def slow(principal: Principal, subject_id: str, name: str, content: bytes) -> FileReport:
        begun.set()
        go.wait(WAIT_S)
        return FileReport(name=name, status="added")

    monkeypatch.setattr(courses.library, "add_upload", slow)
    queue.put(LOCAL_OWNER, "search", "first.md", b"x")
    assert begun.wait(WAIT_S)
    assert (queue.work("search"), queue.work("cooking")) == ("reading", "idle")
    assert not queue.wait_idle(0.0)
    go.set()
    assert queue.wait_idle(WAIT_S)


def test_a_mistake_of_the_program_says_so_and_the_next_file_is_read(
    queue: UploadQueue, courses: OpenCourses, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> FileReport:
        raise ZeroDivisionError

    monkeypatch.setattr(threading, "excepthook", lambda _: None)
    with monkeypatch.context() as patched:
        patched.setattr(courses.library, "add_upload", broken)
        queue.put(LOCAL_OWNER, "search", "one.md", NOTES)
        assert queue.wait_idle(WAIT_S)
    assert "mistake of this program" in queue.list("search")[0].detail
    queue.put(LOCAL_OWNER, "search", "two.md", NOTES)
    assert queue.wait_idle(WAIT_S)
    assert queue.list("search")[0].state == "stored"


def test_passages_get_their_vectors_in_the_background_once_it_is_started(tmp_path: Path) -> None:
    with opened(tmp_path, HashEmbedder()) as courses:
        courses.library.create(LOCAL_OWNER, "notes", "")
        courses.library.add_upload(LOCAL_OWNER, "notes", "a.md", NOTES)
        assert courses.store.without_vectors("hash", 10)
        courses.start()
        deadline = time.monotonic() + WAIT_S
        while courses.store.without_vectors("hash", 10):
            assert time.monotonic() < deadline
            time.sleep(0.01)


def test_a_file_that_leaves_takes_its_concepts_along(courses: OpenCourses) -> None:
    courses.library.create(LOCAL_OWNER, "leaving", "")
    courses.library.add_upload(LOCAL_OWNER, "leaving", "a.md", NOTES)
    courses.renew("leaving")
    assert courses.maps.map("leaving").concepts
    courses.library.remove(LOCAL_OWNER, "leaving", "a.md")
    courses.renew("leaving")
    assert courses.maps.map("leaving").concepts == ()
