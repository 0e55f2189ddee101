"""Citations: a span that is there, an invented one, a changed file, a passage nobody used."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from preceptor.domain.grounding import Citation
from preceptor.domain.passage import Passage
from preceptor.tutoring.grounding import MarkerCheck, checked, cite, find_support, holds, status_of

TEXT = "A queue is first in, first out. A stack gives back what was put on it last. Both hold 12 items in our labs."


def passage(text: str = TEXT, passage_id: str = "p1", start: int = 40) -> Passage:
    return Passage(
        passage_id=passage_id, subject_id="notes", document_id="d1", document_name="lists.md", page=2, start=start,
        end=start + len(text), text=text, page_fingerprint="f" * 64,
    )  # fmt: skip


def stored(*held: Passage) -> dict[str, Passage]:
    return {one.passage_id: one for one in held}


def check(*held: Passage, now: dict[str, Passage] | None = None) -> MarkerCheck:
    return MarkerCheck(passages=held, stored=(stored(*held) if now is None else now).get)


@given(st.integers(0, len(TEXT) - 1), st.integers(1, len(TEXT)))
def test_a_citation_of_any_span_holds_and_one_character_off_does_not(start: int, length: int) -> None:
    held = passage()
    end = min(start + length, len(TEXT))
    made = cite(held, start=40 + start, end=40 + end, marker=1, statement="")
    assert made.quote == TEXT[start:end]
    assert holds(made, stored(held).get)
    assert not holds(replace(made, quote=made.quote + "x"), stored(held).get)
    assert not holds(replace(made, page=3), stored(held).get)
    assert not holds(made, stored(passage(text="~" * len(TEXT))).get)


@pytest.mark.parametrize("now", [{}, stored(passage(text=TEXT.replace("last", "first")))])
def test_a_citation_of_what_was_removed_or_changed_is_taken_out_and_counted(now: dict[str, Passage]) -> None:
    held = passage()
    good = cite(held, start=40, end=70, marker=1, statement="")
    changed = cite(held, start=72, end=40 + TEXT.index(" Both"), marker=2, statement="")
    kept, removed = checked((good, changed), now.get)
    assert removed == 2 - len(kept)
    assert [one.marker for one in kept] == list(range(1, len(kept) + 1))
    assert changed.quote not in [one.quote for one in kept]


def test_a_models_marker_that_holds_gets_the_span_that_holds_it_up() -> None:
    made = check(passage("Nothing to see here at all in this one.", "p0"), passage())
    said = made.sentence("A stack gives back what was put on last. [2]")
    assert said == "A stack gives back what was put on last [1]."
    (citation,) = made.citations
    assert (citation.document_id, citation.page, citation.passage_id) == ("d1", 2, "p1")
    assert citation.quote == "A stack gives back what was put on it last"
    assert made.grounding(in_course=True).status == "grounded"


@pytest.mark.parametrize(
    "sentence",
    [
        "Stacks were invented by Turing during the war [1].",
        "A queue is first in, first out [7].",
        "The course says “a queue is last in, last out” [1].",
        "A queue holds 13 items in our labs, first in, first out [1].",
        "A queue is first in, first out [0].",
    ],
)
def test_a_models_marker_that_fails_is_removed_and_counted(sentence: str) -> None:
    made = check(passage())
    assert "[" not in made.sentence(sentence)
    grounding = made.grounding(in_course=True)
    assert (grounding.removed, grounding.citations, grounding.status) == (1, (), "mostly_ungrounded")


def test_a_passage_that_is_not_cited_is_no_source() -> None:
    made = check(passage(), passage("A heap is a tree in an array.", "p2"))
    made.sentence("A queue is first in, first out [1].")
    assert [one.passage_id for one in made.citations] == ["p1"]


def test_the_same_span_keeps_its_number() -> None:
    made = check(passage())
    made.sentence("A queue is first in, first out [1].")
    assert made.sentence("So a queue is first in and first out [1].").endswith("[1].")
    assert len(made.citations) == 1


def test_a_question_is_no_statement() -> None:
    made = check(passage())
    assert (
        made.sentence("What is first in, first out in your own day?") == "What is first in, first out in your own day?"
    )
    assert made.grounding(in_course=True).status == "none_needed"


def test_a_quotation_must_stand_in_the_passage_letter_by_letter() -> None:
    assert find_support("It says “a queue is first in, first out”.", passage()) == (40, 70)
    assert find_support("It says “a queue is in first, out first”.", passage()) is None
    assert find_support("It says “.,;:!? .,;:!?” of queues, first in, first out.", passage()) is None


@pytest.mark.parametrize(
    ("n_statements", "n_grounded", "in_course", "status"),
    [
        (2, 1, True, "grounded"),
        (3, 1, True, "mostly_ungrounded"),
        (0, 0, True, "none_needed"),
        (2, 0, False, "not_in_course"),
    ],  # fmt: skip
)
def test_status(n_statements: int, n_grounded: int, in_course: bool, status: str) -> None:
    assert status_of(n_statements, n_grounded, in_course=in_course) == status


@pytest.mark.parametrize(
    ("statement", "span"),
    [
        ("First queues, then ropes, then wagons.", (40, 70)),
        ("First queues, then ropes, then wagons, then ladders.", None),
    ],
)
def test_a_span_that_holds_exactly_half_of_the_words_holds_a_statement_up(
    statement: str, span: tuple[int, int] | None
) -> None:
    """Half is `SUPPORT`: queue and first of four words, then of five."""
    assert find_support(statement, passage()) == span


def test_no_citation_is_an_empty_quotation() -> None:
    empty = Citation(
        marker=1, passage_id="p1", document_id="d1", document_name="lists.md", page=2, page_fingerprint="f", start=40,
        end=40, quote="",
    )  # fmt: skip
    assert not holds(empty, stored(passage()).get)
