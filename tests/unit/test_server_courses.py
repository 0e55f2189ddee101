"""Course pages and uploads over HTTP: who may see and send what, what a file cannot do, what becomes of citations."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import anyio
import pytest
from fastapi.testclient import TestClient
from starlette.types import Message
from tests.unit.course_files import encrypted_pdf, packed, repacked, word_document

from preceptor.course.open_courses import OpenCourses
from preceptor.course.retrieval import CourseRetrieval
from preceptor.domain.course import CoursePage, Heading
from preceptor.domain.principal import LOCAL_OWNER
from preceptor.server.app import create_app
from preceptor.server.course_desk import asked_in_vain, course_id_of
from preceptor.server.course_labels import place_words, size_words
from preceptor.server.course_text import WINDOW_CHARS, shown_text
from preceptor.settings import CourseSettings, ServerSettings, Settings
from preceptor.stores.courses import UnansweredQuestion
from preceptor.stores.sql.concept_maps import SqlConceptMapStore
from preceptor.stores.sql.courses import SqlCourseStore
from preceptor.stores.sql.database import open_database
from preceptor.testing.scripted_session import STARTED_AT, ScriptedSession, ScriptedTurn
from preceptor.tutoring.sources import SourceView

BASE = "http://127.0.0.1:8000"
QUOTE = "A queue keeps the order"
NOTES = f"# Queues\n\nA **queue** is a list. {QUOTE} of its nodes. <b onclick='x()'>bold</b> & more.\n"
HERE = "/courses/search"
WAIT_S = 90.0
MAX_BYTES = 60_000


@pytest.fixture(scope="module")
def courses(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenCourses]:
    home = tmp_path_factory.mktemp("home")
    database = open_database(home=home, url=None)
    store = SqlCourseStore(database)
    search = CourseRetrieval(store)
    opened = OpenCourses(store, SqlConceptMapStore(database), Settings(home=home), search=search, embedder=lambda: None)
    opened.library.create(LOCAL_OWNER, "search", "Search <i>&</i> planning")
    opened.library.add_upload(LOCAL_OWNER, "search", "queues.md", NOTES.encode())
    yield opened
    opened.close()
    database.close()


@contextmanager
def client_of(courses: OpenCourses | None, *, instructor: bool = True, **changes: Any) -> Iterator[TestClient]:
    session = ScriptedSession(script=[changes.pop("turn", ScriptedTurn())], course_files=courses)
    settings = Settings(course=CourseSettings(max_file_bytes=MAX_BYTES), server=ServerSettings(**changes))
    app = create_app(session, settings)  # type: ignore[arg-type]
    client = TestClient(app, base_url=BASE, client=("127.0.0.1", 50_000), follow_redirects=False)
    if instructor:
        client.cookies.set("preceptor_view", "instructor")
    yield client
    if app.state.uploads is not None:
        app.state.uploads.close()


@pytest.fixture
def client(courses: OpenCourses) -> Iterator[TestClient]:
    with client_of(courses) as client:
        yield client


@pytest.fixture
def learner(courses: OpenCourses) -> Iterator[TestClient]:
    with client_of(courses, instructor=False) as client:
        yield client


def sent(client: TestClient, name: str, content: bytes, *, kind: str = "application/pdf", api: bool = True) -> Any:
    return client.post(f"{'/api' if api else ''}{HERE}/files", files=[("files", (name, content, kind))])


def finished(client: TestClient) -> str:
    app: Any = client.app
    assert app.state.uploads.wait_idle(WAIT_S)
    return client.get(f"{HERE}/uploads").text


def document_of(courses: OpenCourses, name: str = "queues.md") -> str:
    return f"{HERE}/documents/{courses.library.find('search', name).document_id}"


def test_a_file_sent_by_a_plain_form_is_stored_and_its_text_can_be_read(
    client: TestClient, courses: OpenCourses
) -> None:
    answer = sent(client, "stacks.txt", b"A stack is emptied where it was filled.", kind="text/plain", api=False)
    assert (answer.status_code, answer.headers["location"]) == (303, f"{HERE}#uploads")
    assert "stacks.txt" in finished(client)
    assert "emptied where it was filled" in client.get(f"{document_of(courses, 'stacks.txt')}/pages/1").text


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("../../../etc/cron.d/notes.md", b"x", "leaves the course"),
        ("/etc/notes.md", b"x", "leaves the course"),
        ("..\\notes.md", b"x", "characters that file names may not hold"),
        ("CON.md", b"x", "names a device"),
        ("run.exe", b"MZ", ".exe is not read"),
        ("page.svg", b"<svg onload='x()'/>", ".svg is not read"),
        ("notes.docm", b"PK", "macros"),
        ("empty.md", b"", "is empty"),
        ("long.md", b"x" * (MAX_BYTES + 1), f"at most {MAX_BYTES}"),
    ],
)
def test_a_hostile_upload_gives_one_clear_line_at_once(
    client: TestClient, courses: OpenCourses, name: str, content: bytes, why: str
) -> None:
    before = courses.store.revision("search")
    answer = sent(client, name, content)
    message = answer.json()["error"]["message"]
    assert answer.status_code == 422
    assert why in message
    assert "\n" not in message
    assert courses.store.revision("search") == before


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("locked.pdf", encrypted_pdf()),
        ("cut.pdf", b"%PDF-1.7\n1 0 obj\n<</Type/Cat"),
        ("html.pdf", b"<html><script>alert(1)</script></html>"),
        ("broken.docx", b"PK\x03\x04 not a package"),
        (
            "entities.docx",
            repacked(
                packed(word_document()),
                {"word/document.xml": b'<!DOCTYPE x [<!ENTITY a "b">]><w:document xmlns:w="w">&a;</w:document>'},
            ),
        ),
    ],
    ids=["locked", "cut", "html", "broken", "entities"],
)
def test_a_file_that_is_not_what_it_says_is_refused_with_one_line_whatever_its_mime_type(
    client: TestClient, courses: OpenCourses, name: str, content: bytes
) -> None:
    assert sent(client, name, content, kind="text/markdown").status_code == 202
    shown = finished(client)
    assert shown.count(name) == 1
    assert "not stored" in shown
    assert name not in {one.name for one in courses.store.documents("search")}


def test_the_file_name_is_text_on_every_page(client: TestClient, courses: OpenCourses) -> None:
    name = "<img src=x onerror=alert(1)>.md"
    message = sent(client, name, b"x").json()["error"]["message"]
    assert "characters that file names may not hold" in message
    assert "<img" not in finished(client)
    courses.library.add_upload(LOCAL_OWNER, "search", "a&amp'b.md", b"# T\n\nx y z")
    assert "a&amp;amp&#39;b.md" in client.get(HERE).text
    courses.library.remove(LOCAL_OWNER, "search", "a&amp'b.md")


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/courses"),
        ("POST", f"{HERE}/files"),
        ("POST", f"/api{HERE}/files"),
        ("GET", f"{HERE}/uploads"),
        ("POST", f"{HERE}/uploads/clear"),
        ("GET", f"{HERE}/map"),
        ("POST", f"{HERE}/map"),
        ("GET", "DOCUMENT"),
        ("POST", "DOCUMENT/official"),
        ("POST", "DOCUMENT/remove"),
    ],
)
def test_what_is_the_instructors_is_closed_to_learners(
    learner: TestClient, courses: OpenCourses, method: str, path: str
) -> None:
    before = courses.store.revision("search")
    answer = learner.request(method, path.replace("DOCUMENT", document_of(courses)))
    assert answer.status_code == 403
    assert courses.store.revision("search") == before


def test_a_learner_sees_the_files_and_their_text_and_nothing_of_the_desk(
    learner: TestClient, courses: OpenCourses
) -> None:
    page = learner.get(HERE).text
    assert "queues.md" in page
    assert "Search &lt;i&gt;&amp;&lt;/i&gt; planning" in page
    for word in ("Add files", "official", "Asked, and nothing found", "Most cited", "Concept map", "score"):
        assert word not in page
    assert learner.get(f"{document_of(courses)}/pages/1").status_code == 200


def test_a_token_reader_is_no_instructor_and_a_stranger_is_nobody(courses: OpenCourses) -> None:
    with client_of(courses, access_token="sixteen characters") as client:
        client.post("/login", content="token=sixteen+characters", headers={"Content-Type": FORM})
        client.cookies.set("preceptor_view", "instructor")
        assert client.get(f"{HERE}/map").status_code == 403
        assert client.get(HERE).status_code == 200


FORM = "application/x-www-form-urlencoded"


def test_the_body_of_an_upload_is_not_read_before_it_is_known_who_sends_it(courses: OpenCourses) -> None:
    answered: list[int] = []

    async def receive() -> Message:
        raise AssertionError("the body was read")

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            answered.append(message["status"])

    scope = {
        "type": "http",
        "method": "POST",
        "path": f"/api{HERE}/files",
        "raw_path": f"/api{HERE}/files".encode(),
        "query_string": b"",
        "headers": [(b"host", b"127.0.0.1:8000"), (b"content-type", b"multipart/form-data; boundary=b")],
        "client": ("127.0.0.1", 50_000),
        "server": ("127.0.0.1", 8000),
        "scheme": "http",
    }
    with client_of(courses, instructor=False) as client:
        anyio.run(client.app, scope, receive, send)
    assert answered == [403]


def test_only_the_upload_addresses_take_long_bodies(client: TestClient) -> None:
    long = b"x" * 70_000
    assert client.post("/courses", content=b"title=" + long, headers={"Content-Type": FORM}).status_code == 413
    assert client.post(f"/api{HERE}/files", content=b"x" * (MAX_BYTES + 110_000)).status_code == 413
    assert sent(client, "fits.md", b"y" * MAX_BYTES).status_code == 202
    finished(client)


@pytest.mark.parametrize(
    ("body", "kind"),
    [(b"", FORM), (b"files=x", FORM), (b"--b\r\nnonsense", "multipart/form-data; boundary=b"), (b"{}", "text/plain")],
)
def test_a_body_without_a_file_is_refused_in_words(client: TestClient, body: bytes, kind: str) -> None:
    answer = client.post(f"/api{HERE}/files", content=body, headers={"Content-Type": kind})
    assert answer.status_code in (400, 422)
    assert "message" in answer.json()["error"]


def test_a_write_from_another_site_is_refused(client: TestClient) -> None:
    answer = client.post(
        f"/api{HERE}/files", files=[("files", ("a.md", b"x", ""))], headers={"Origin": "http://evil.example"}
    )
    assert answer.status_code == 403


def test_a_newer_version_takes_the_name_of_the_old_one_and_must_be_of_its_kind(
    client: TestClient, courses: OpenCourses
) -> None:
    document_id = courses.library.find("search", "queues.md").document_id
    other = client.post(f"{HERE}/files", data={"replaces": document_id}, files=[("files", ("new.pdf", b"%PDF", ""))])
    assert other.status_code == 303
    assert "only a file of the same kind" in finished(client)
    client.post(
        f"{HERE}/files", data={"replaces": document_id}, files=[("files", ("v2.md", NOTES.encode() + b"\nNew", ""))]
    )
    finished(client)
    assert courses.store.page("search", document_id, 1).text.rstrip().endswith("New")
    assert "v2.md" not in {one.name for one in courses.store.documents("search")}


def test_the_official_mark_and_removing_are_writes(client: TestClient, courses: OpenCourses) -> None:
    courses.library.add_upload(LOCAL_OWNER, "search", "gone.md", b"# Gone\n\nSoon.")
    address = document_of(courses, "gone.md")
    assert client.get(f"{address}/official").status_code == 405
    form = {"Content-Type": FORM}
    assert client.post(f"{address}/official", content="official=yes", headers=form).status_code == 303
    assert courses.library.find("search", "gone.md").official
    client.post(f"{address}/official", content="official=no", headers=form)
    assert not courses.library.find("search", "gone.md").official
    assert client.post(f"{address}/remove").headers["location"] == HERE
    finished(client)
    assert client.get(address).status_code == 404


def test_a_course_is_made_from_its_name_and_a_second_one_of_the_name_is_refused(client: TestClient) -> None:
    headers = {"Content-Type": FORM}
    made = client.post("/courses", content="title=Op%C3%A9ra+%26+Ballet", headers=headers)
    assert made.headers["location"] == "/courses/opera-ballet"
    again = client.post("/courses", content="title=Opera+Ballet", headers=headers)
    assert again.status_code == 422
    assert "is there already" in again.text
    assert 'value="Opera Ballet"' in again.text
    assert "expected 1 to 64" in client.post("/courses", content="title=%E4%B8%AD", headers=headers).text


def test_the_search_box_finds_a_place_and_marks_it(learner: TestClient) -> None:
    page = learner.get(f"{HERE}?q=what+keeps+the+order").text
    (address, *_) = re.findall(r'href="(/courses/search/documents/[^"]+)"', page)
    marked = learner.get(address.replace("&amp;", "&").removesuffix("#quoted")).text
    assert '<mark id="quoted"' in marked
    assert QUOTE in marked
    assert "&lt;b onclick=" in marked


def test_unknown_courses_documents_and_pages_are_not_here(client: TestClient, courses: OpenCourses) -> None:
    for path in ("/courses/none", f"{HERE}/documents/none/pages/1", f"{document_of(courses)}/pages/9", f"{HERE}/x"):
        assert client.get(path).status_code == 404
    with client_of(None) as without:
        assert without.get("/courses").status_code == 404


def cited(**changes: Any) -> SourceView:
    start = NOTES.index(QUOTE)
    values = {"kind": "course", "marker": 1, "title": "queues.md", "page": 1, "start": start, "quote": QUOTE}
    return SourceView(**{**values, "end": start + len(QUOTE), **changes})


@pytest.mark.parametrize(
    ("changes", "marked", "note"),
    [
        ({}, True, ""),
        ({"start": 0, "end": len(QUOTE)}, True, ""),
        ({"quote": "A queue is a tree", "start": 0, "end": 17}, False, "has changed since"),
        ({"page": 7}, False, "no longer in the course"),
    ],
    ids=["holds", "moved", "changed", "gone"],
)
def test_a_chip_opens_its_page_and_says_when_it_no_longer_says_so(
    courses: OpenCourses, changes: dict[str, Any], marked: bool, note: str
) -> None:
    document_id = courses.library.find("search", "queues.md").document_id
    turn = ScriptedTurn(sources=(cited(document_id=document_id, **changes),), grounding="grounded")
    with client_of(courses, instructor=False, turn=turn) as client:
        dialogue = client.post("/api/dialogues", json={"subject_id": "search"}).json()["dialogue_id"]
        with client:
            client.post(f"/api/dialogues/{dialogue}/turns", json={"utterance": "what keeps the order?"})
            events = client.get(f"/api/dialogues/{dialogue}/turns/1/events").text
        address = f"/learn/{dialogue}/turns/1/sources/1"
        assert address in events
        assert address in client.get(f"/learn/{dialogue}").text
        for page in (client.get(address), client.get(f"{address}?part=yes")):
            assert page.status_code == 200
            assert ('<mark id="quoted"' in page.text) is marked
            assert note in page.text
        assert client.get(f"/learn/{dialogue}/turns/1/sources/2").status_code == 404


def test_questions_without_an_answer_are_counted_without_names_and_numbers() -> None:
    asked = [
        UnansweredQuestion(subject_id="search", learner_id=who, dialogue_id="d", question=question, asked_at=STARTED_AT)
        for who, question in (("ada", "When is the exam?"), ("bob", "when is  the exam"), ("ada", "Mail me: a@b.org"))
    ]
    found = asked_in_vain(asked)
    assert [(one.n_times, one.question) for one in found][0] == (2, "When is the exam?")
    assert "a@b.org" not in found[1].question


def test_a_long_page_is_shown_in_parts_that_together_are_the_page() -> None:
    text = "".join(f"line {number}\n" for number in range(4000))
    page = CoursePage(page=1, text=text, fingerprint="f")
    begin: int | None = 0
    parts = []
    while begin is not None:
        part = shown_text(page, begin=begin)
        parts.append(str(part.html))
        begin = part.after
    assert "".join(parts) == text
    assert max(map(len, parts)) < 2 * WINDOW_CHARS
    start = text.index("line 3000")
    shown = shown_text(page, start=start, end=start + 9)
    assert '<mark id="quoted" tabindex="-1">line 3000</mark>' in shown.html
    assert shown.before is not None
    assert shown.after is not None


def test_headings_and_a_span_across_them_are_both_set_off() -> None:
    page = CoursePage(
        page=1, text="Head\n\nBody <x>", fingerprint="f", headings=(Heading(start=0, end=4, level=1, text="Head"),)
    )
    assert shown_text(page, start=2, end=10).html == (
        '<strong class="course-heading">He</strong>'
        '<mark id="quoted" tabindex="-1"><strong class="course-heading">ad</strong></mark>'
        "<mark>\n\nBody</mark> &lt;x&gt;"
    )
    assert not shown_text(page, start=5, end=99).marked


@pytest.mark.parametrize(
    ("name", "page", "words"),
    [
        ("Unit 3.pdf", 12, "Unit 3, p. 12"),
        ("slides.PPTX", 2, "slides, p. 2"),
        ("a/notes.md", 1, "notes"),
        ("x", 1, "x"),
    ],
)
def test_a_chip_says_where_in_the_course_it_leads(name: str, page: int, words: str) -> None:
    assert place_words(name, page) == words


def test_small_words() -> None:
    assert (size_words(12), size_words(3400), size_words(1_500_000), size_words(100_000_000)) == (
        "12 bytes",
        "3 kB",
        "1.5 MB",
        "100 MB",
    )
    assert course_id_of("  Search & Planning! ") == "search-planning"
