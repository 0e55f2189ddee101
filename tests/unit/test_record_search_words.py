"""The words that find an episode."""

from __future__ import annotations

import pytest

from preceptor.record.search_words import search_words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The café, the CAFÉ!", ("the", "cafe")),
        ("3.5 km + ½", ("3", "5", "km", "1", "2")),
        ("Straße", ("strasse",)),
        ("苹果有3个", ("苹果", "果有", "3", "个")),
        ("مُثَلَّث", ("مثلث",)),
        ("it's", ("it", "s")),
        ("snake_case", ("snake", "case")),
        ("… — !?", ()),
        ("", ()),
    ],
)
def test_words_lose_case_and_accents_and_unspaced_scripts_are_cut_in_pairs(text: str, words: tuple[str, ...]) -> None:
    assert search_words(text) == words
