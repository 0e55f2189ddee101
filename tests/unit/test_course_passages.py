"""Passages are spans of their page, respect its sections, and keep their ids where nothing changed."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from preceptor.course.passages import LARGEST_OVERLAP, SMALLEST_REST, cut_page, cut_pages
from preceptor.domain.course import CoursePage, Heading
from preceptor.domain.passage import PASSAGE_CHARS, Document, Passage

DOCUMENT = Document(
    document_id="d1",
    subject_id="search",
    name="notes.md",
    media_type="text/markdown",
    fingerprint="f",
    n_pages=1,
    added_at=datetime(2026, 3, 1, tzinfo=UTC),
)
SENTENCES = [f"Sentence number {n} says a little about the frontier of a search." for n in range(60)]


def page_of(parts: Sequence[str | tuple[int, str]], number: int = 1) -> CoursePage:
    """A page of paragraphs and (level, heading) pairs."""
    text, headings = "", []
    for part in parts:
        text += "\n\n" if text else ""
        if isinstance(part, tuple):
            headings.append(Heading(start=len(text), end=len(text) + len(part[1]), level=part[0], text=part[1]))
            text += part[1]
        else:
            text += part
    fingerprint = hashlib.sha256(text.encode()).hexdigest()
    return CoursePage(page=number, text=text, fingerprint=fingerprint, headings=tuple(headings))


def cut(*pages: CoursePage) -> list[Passage]:
    return cut_pages(DOCUMENT, pages)


WORD = st.text(st.sampled_from("abcdeé树。.!? \n-:"), min_size=1, max_size=400).filter(str.strip)
PART = st.one_of(WORD, st.tuples(st.integers(1, 3), st.from_regex(r"[A-Za-z][A-Za-z ]{0,30}[a-z]", fullmatch=True)))


@given(st.lists(st.lists(PART, max_size=12), min_size=1, max_size=3))
def test_a_passage_is_its_span_of_the_page_and_every_character_is_in_one(
    parts: list[list[str | tuple[int, str]]],
) -> None:
    pages = [page_of(some, number) for number, some in enumerate(parts, start=1)]
    found = cut(*pages)
    for page in pages:
        here = [one for one in found if one.page == page.page]
        covered = set[int]()
        for one in here:
            assert page.text[one.start : one.end] == one.text == one.text.strip() != ""
            assert len(one.text) <= PASSAGE_CHARS + SMALLEST_REST
            covered.update(range(one.start, one.end))
        assert all(char.isspace() or place in covered for place, char in enumerate(page.text))
    assert len({one.passage_id for one in found}) == len(found)


@given(st.lists(st.lists(PART, max_size=8), min_size=1, max_size=3))
def test_cutting_is_deterministic_and_progresses(parts: list[list[str | tuple[int, str]]]) -> None:
    pages = [page_of(some, number) for number, some in enumerate(parts, start=1)]
    found = cut(*pages)
    assert found == cut(*pages)
    places = [(one.page, one.start, one.end) for one in found]
    assert places == sorted(places)
    for before, after in zip(places, places[1:], strict=False):
        assert before[0] != after[0] or (before[1] < after[1] and before[2] < after[2])


def test_long_prose_is_cut_at_sentences_with_an_overlap() -> None:
    found = cut(page_of([" ".join(SENTENCES)]))
    assert len(found) > 8
    for one in found:
        assert one.text.startswith("Sentence number")
        assert one.text.endswith(".")
        assert PASSAGE_CHARS / 2 < len(one.text) <= PASSAGE_CHARS + SMALLEST_REST
    for before, after in zip(found, found[1:], strict=False):
        assert 0 < before.end - after.start <= LARGEST_OVERLAP


@pytest.mark.parametrize(
    ("n", "passages"), [(PASSAGE_CHARS + SMALLEST_REST, 1), (PASSAGE_CHARS + SMALLEST_REST + 1, 2)]
)
def test_a_small_rest_joins_the_passage_before_it(n: int, passages: int) -> None:
    assert len(cut(page_of(["x" * n]))) == passages


def test_a_passage_ends_with_its_paragraph_where_that_is_long_enough() -> None:
    long, short = (" ".join(SENTENCES[:n]) for n in (6, 2))
    assert 2 * PASSAGE_CHARS / 3 < len(long) < PASSAGE_CHARS - 60
    assert cut(page_of([long, " ".join(SENTENCES[6:20])]))[0].text == long
    assert cut(page_of([short, " ".join(SENTENCES[2:20])]))[0].text.startswith(f"{short}\n\n{SENTENCES[2]}")


def test_a_section_ends_a_passage_and_gives_it_its_path() -> None:
    found = cut(
        page_of([(1, "Search"), (2, "Queues"), "A queue is short.", (2, "Stacks"), "A stack too.", (1, "Sets"), "End."])
    )
    assert [(one.text, one.heading_path) for one in found] == [
        ("Search\n\nQueues\n\nA queue is short.", ("Search", "Queues")),
        ("Stacks\n\nA stack too.", ("Search", "Stacks")),
        ("Sets\n\nEnd.", ("Sets",)),
    ]


def test_a_section_goes_on_over_pages() -> None:
    found = cut(page_of([(1, "Search"), "First."]), page_of(["Second.", (2, "Queues"), "Third."], 2))
    assert [(one.page, one.heading_path) for one in found] == [
        (1, ("Search",)),
        (2, ("Search",)),
        (2, ("Search", "Queues")),
    ]


def test_an_abbreviation_ends_no_sentence() -> None:
    text = " ".join(["The frontier, e.g. a queue of Dr. Smith, cf. Fig. 2, holds every open node of the graph."] * 12)
    assert all(one.text.endswith("graph.") for one in cut(page_of([text])))


def test_a_label_stays_with_what_it_announces() -> None:
    pair = [
        "*Problem:*",
        "Find the shortest way from the first node to the last one, and say why.",
        "*Solution:*",
        "It goes through the middle node, as its cost is the least of all that lead there.",
    ]
    found = cut(page_of(pair * 8))
    assert not [one.text[-12:] for one in found if one.text.endswith(":*")]


def test_chinese_is_cut_at_its_own_full_stops() -> None:
    text = "广度优先搜索总是先扩展最早加入队列的节点，因此它能找到边数最少的路径。" * 40
    found = cut(page_of([text]))
    assert len(found) > 2
    assert all(one.text.endswith("。") for one in found)


def test_text_without_any_end_is_cut_all_the_same() -> None:
    found = cut(page_of(["x" * 2000]))
    assert [len(one.text) for one in found][:2] == [PASSAGE_CHARS] * 2
    assert found[-1].end == 2000


def test_a_changed_section_changes_only_its_own_passages() -> None:
    sections: list[list[str | tuple[int, str]]] = [
        [(1, f"Part {n}"), " ".join(SENTENCES[5 * n : 5 * n + 12])] for n in range(5)
    ]
    before = {one.passage_id for one in cut(page_of([part for section in sections for part in section]))}
    sections[2][1] = "Something else stands here."
    after = {one.passage_id: one for one in cut(page_of([part for section in sections for part in section]))}
    assert [one.text for key, one in after.items() if key not in before] == ["Part 2\n\nSomething else stands here."]


def test_a_page_put_before_others_changes_none_of_their_ids() -> None:
    one, two = page_of(["A queue is here."], 1), page_of(["A queue is here."], 2)
    first, second = cut(one, two)
    assert first.passage_id != second.passage_id
    shifted = cut(page_of(["New."], 1), page_of(["A queue is here."], 2), page_of(["A queue is here."], 3))
    assert [part.passage_id for part in shifted[1:]] == [first.passage_id, second.passage_id]


def test_a_title_that_repeats_counts_once_in_the_path() -> None:
    spans, _ = cut_page(page_of([(1, "Search"), (2, "Search"), "Text."]))
    assert [span.heading_path for span in spans] == [("Search",)]
