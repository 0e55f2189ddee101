"""A process that is killed while it adds files leaves whole files only; two that add at once lose none."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from preceptor.course.extraction import ExtractedDocument, ExtractedPage
from preceptor.course.ingestion import document_id, prepare
from preceptor.domain.course import Course
from preceptor.domain.passage import Document
from preceptor.errors import NotFoundError
from preceptor.record.episode_log import utc_now
from preceptor.stores.courses import DocumentContent
from preceptor.stores.sql import course_documents, dialects
from preceptor.stores.sql.courses import SqlCourseStore
from preceptor.stores.sql.database import open_database

N_FILES = 15


def content(name: str, version: int = 0) -> DocumentContent:
    """A file of 20 pages, 40 passages."""
    pages = tuple(
        ExtractedPage(text=" ".join(f"Sentence {n} of page {page}, version {version} of {name}." for n in range(14)))
        for page in range(20)
    )
    document = Document(
        document_id=document_id("search", name),
        subject_id="search",
        name=name,
        media_type="text/plain",
        fingerprint=f"{name} {version}",
        n_pages=20,
        added_at=utc_now(),
    )
    return prepare(document, ExtractedDocument(pages=pages))


def store_in(home: Path) -> SqlCourseStore:
    return SqlCourseStore(open_database(home=home, url=None))


def add_files(home: Path, prefix: str, hang_in: str) -> None:
    """The child: add files and say so; with `hang_in`, stop for good inside the transaction of that one."""
    store = store_in(home)
    if hang_in:
        write = dialects.add_words

        def hang(*given: Any, **named: Any) -> None:
            write(*given, **named)
            sys.stdout.write("inside\n")
            sys.stdout.flush()
            time.sleep(600)

        vars(course_documents)["add_words"] = hang
        store.put_document(content(hang_in, version=1))
    for number in range(N_FILES):
        store.put_document(content(f"{prefix}{number}.txt"))
        sys.stdout.write(f"{number}\n")
        sys.stdout.flush()


def start(home: Path, prefix: str, hang_in: str = "") -> subprocess.Popen[str]:
    called = f"add_files(Path({str(home)!r}), {prefix!r}, {hang_in!r})"
    code = f"from pathlib import Path; from tests.contract.test_course_kill import add_files; {called}"
    root = Path(__file__).parents[2]
    return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=root)


def whole_files(store: SqlCourseStore) -> set[str]:
    """Return the names of stored files, each looked through: pages, passages and words are all there."""
    found = set()
    passages = store.passages("search")
    for document in store.documents("search"):
        wanted = content(document.name, int(document.fingerprint.split()[1]))
        here = [one for one in passages if one.document_id == document.document_id]
        assert here == list(wanted.passages)
        assert [store.page("search", document.document_id, page.page) for page in wanted.pages] == list(wanted.pages)
        found.add(document.name)
    positions = {one.document_id for one in passages}
    assert positions == {document_id("search", name) for name in found}
    n_found = len(store.search_words("search", ["sentenc"], 100_000))
    assert n_found == len(passages)
    return found


@pytest.fixture
def home(tmp_path: Path) -> Path:
    store_in(tmp_path).create(Course(subject_id="search", title="Search", created_at=utc_now()))
    return tmp_path


def test_a_kill_inside_the_transaction_leaves_the_old_version_whole(home: Path) -> None:
    store = store_in(home)
    store.put_document(content("a.txt"))
    before = store.passages("search")
    for name in ("a.txt", "new.txt"):
        child = start(home, "x", hang_in=name)
        assert child.stdout is not None
        assert child.stdout.readline() == "inside\n"
        child.kill()
        child.communicate()
    assert store.passages("search") == before
    assert whole_files(store) == {"a.txt"}
    with pytest.raises(NotFoundError):
        store.document("search", document_id("search", "new.txt"))
    store.put_document(content("new.txt"))
    assert whole_files(store) == {"a.txt", "new.txt"}


def test_kills_at_any_moment_lose_no_file_that_was_acknowledged(home: Path) -> None:
    store, moments = store_in(home), random.Random(7)
    for round_number in range(3):
        child = start(home, f"r{round_number}-")
        assert child.stdout is not None
        acknowledged = [child.stdout.readline().strip()]
        time.sleep(moments.uniform(0.0, 0.3))
        child.kill()
        acknowledged += child.communicate()[0].split()
        assert {f"r{round_number}-{n}.txt" for n in acknowledged if n} <= whole_files(store)


def test_two_processes_add_to_one_course_at_once(home: Path) -> None:
    children = [start(home, "a"), start(home, "b"), start(home, "a")]
    for child in children:
        child.communicate(timeout=120)
        assert child.returncode == 0
    assert whole_files(store_in(home)) == {f"{prefix}{n}.txt" for prefix in "ab" for n in range(N_FILES)}
