"""Reasoning is kept out and placeholders come back, however a text is cut into pieces."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from preceptor.models.reasoning import OrphanReasoningError, ReasoningFilter, without_reasoning
from preceptor.models.redactor import StreamRestorer, Unredacted
from preceptor.safety.redaction import PersonalDataRedactor


class Braces:
    """Restores by plain replacement."""

    def redact(self, text: str) -> tuple[str, Mapping[str, str]]:
        raise NotImplementedError

    def restore(self, text: str, mapping: Mapping[str, str]) -> str:
        for placeholder, meant in mapping.items():
            text = text.replace(placeholder, meant)
        return text


def cut(text: str, places: list[int]) -> list[str]:
    edges = [0, *sorted({place % (len(text) + 1) for place in places}), len(text)]
    return [text[a:b] for a, b in zip(edges, edges[1:], strict=False)]


PLACES = st.lists(st.integers(0, 200), max_size=20)


@given(PLACES)
def test_placeholders_come_back_wherever_the_text_is_cut(places: list[int]) -> None:
    restorer = StreamRestorer(Braces(), {"[NAME_1]": "Ada", "[NAME_10]": "Grace", "[MAIL_1]": "a@b.org"})
    text = "[NAME_1] wrote to [MAIL_1] and [NAME_10]: [NAME_ is open, [[NAME_1]]"
    said = "".join(restorer.feed(piece) for piece in cut(text, places)) + restorer.finish()
    assert said == "Ada wrote to a@b.org and Grace: [NAME_ is open, [Ada]"


@given(PLACES)
def test_miswritten_placeholders_come_back_with_the_real_redactor(places: list[int]) -> None:
    redactor = PersonalDataRedactor(["Ada Okoro"])
    sent, mapping = redactor.redact("I am Ada, write to ada@school.org")
    assert "ada" not in sent.lower()
    restorer = StreamRestorer(redactor, mapping)
    text = "⟦NAME_1⟧, [NAME_1] or [[NAME_1]]: is [3, 4] at 〚EMAIL_1〛? [X"
    said = "".join(restorer.feed(piece) for piece in cut(text, places)) + restorer.finish()
    assert said == "Ada, Ada or Ada: is [3, 4] at ada@school.org? [X"


def test_nothing_is_held_back_where_nothing_was_replaced() -> None:
    assert StreamRestorer(Unredacted(), {}).feed("anything [") == "anything ["


@given(PLACES)
def test_reasoning_is_dropped_wherever_the_text_is_cut(places: list[int]) -> None:
    text = "<think>a < b, so 42</think>\n\nIs 3 < x? <thinking>more</thinking>Then what?"
    thinking = ReasoningFilter()
    said = "".join(thinking.feed(piece) for piece in cut(text, places)) + thinking.finish()
    assert said == "Is 3 < x? Then what?"


@given(PLACES)
def test_closing_tag_alone_is_noticed_wherever_the_text_is_cut(places: list[int]) -> None:
    def read() -> str:
        thinking = ReasoningFilter()
        return (
            "".join(thinking.feed(piece) for piece in cut("the answer is 42</think>Why?", places)) + thinking.finish()
        )

    with pytest.raises(OrphanReasoningError):
        read()


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("<think>x</think> yes", "yes"),
        ("x</think> yes", "yes"),
        ("<think>never closed", ""),
        ("<reasoning>x</reasoning>{}", "{}"),
        ("plain", "plain"),
        ("a <b> c", "a <b> c"),
    ],
)
def test_whole_answer_without_reasoning(text: str, answer: str) -> None:
    assert without_reasoning(text) == answer
