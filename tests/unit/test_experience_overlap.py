"""How much of a reply is copied from an experience."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from preceptor.experience.overlap import copy_overlap

TEXTS = ("Ask what each part counts before anything is added.", "Do not name the operation.")


def test_the_share_is_over_the_runs_of_the_reply() -> None:
    # 7 words, so 4 runs of four: "ask what each part" and "what each part counts" stand in the first text.
    found = copy_overlap("Ask what each part counts for you", TEXTS)
    assert found.share == pytest.approx(2 / 4)
    assert found.longest_run == 5


def test_case_and_punctuation_do_not_hide_a_copy() -> None:
    assert copy_overlap("ASK: what, each part-counts!", TEXTS).share == 1.0


def test_a_run_across_two_texts_is_no_copy() -> None:
    assert copy_overlap("anything is added do not name", TEXTS).share == 0.0


def test_a_reply_shorter_than_a_run_has_no_share() -> None:
    found = copy_overlap("each part", TEXTS)
    assert found.share is None
    assert found.longest_run == 2


def test_chinese_is_compared_by_character() -> None:
    assert copy_overlap("先看每个部分", ("先看每个部分表示什么",)).share == 1.0


def test_a_gram_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="gram must be 1 or more, got 0"):
        copy_overlap("a", TEXTS, gram=0)


@given(st.text(alphabet="ab .", max_size=30), st.lists(st.text(alphabet="ab .", max_size=30), max_size=3))
def test_share_and_run_agree(reply: str, texts: list[str]) -> None:
    found = copy_overlap(reply, texts)
    assert found.share is None or 0 <= found.share <= 1
    if found.share is not None:
        assert (found.longest_run >= 4) == (found.share > 0)


@given(st.text(max_size=60))
def test_a_text_copied_whole_has_share_one(text: str) -> None:
    assert copy_overlap(text, [text]).share in (None, 1.0)
