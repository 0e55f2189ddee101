"""The builtin tutor's sentences keep the rules they are written under."""

from __future__ import annotations

import re
import string

import pytest

from preceptor.errors import PromptError
from preceptor.pedagogy.phrases.loader import PHRASE_LANGUAGES, load_phrases
from preceptor.pedagogy.wording import inside_a_sentence

NUMBER_WORDS = re.compile(
    r"\b(zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|hundred|thousand|half|third"
    r"|quarter|twice|double|dozen|once|second|single)\b",
    re.IGNORECASE,
)
KNOWN_SLOTS = {
    *("wanted", "wanted_noun", "goal", "quote", "about", "operands", "value", "reference", "claim", "expr", "line"),
    *("foreign", "value_about", "first", "example", "example_noun", "options", "story", "givens", "a", "b", "c"),
}
LINES = [
    (language, f"{section}.{name}", line)
    for language in PHRASE_LANGUAGES
    for section, part in load_phrases(language).sections.items()
    for name, lines in part.items()
    for line in lines
]


@pytest.mark.parametrize(("language", "key", "line"), LINES)
def test_a_line_has_no_number_of_its_own_and_only_known_slots(language: str, key: str, line: str) -> None:
    slots = {name for _, name, _, _ in string.Formatter().parse(line) if name}
    bare = re.sub(r"\{[^}]*\}", "", line)
    assert slots <= KNOWN_SLOTS
    assert not re.search(r"[0-9０-９一二三四五六七八九十百千万两半]", bare), line
    assert not NUMBER_WORDS.search(bare), line


@pytest.mark.parametrize("language", PHRASE_LANGUAGES)
def test_no_line_says_wrong_or_praises_the_person(language: str) -> None:
    text = "\n".join(line for code, _, line in LINES if code == language)
    assert not re.search(r"\bwrong\b|great job|you are (so )?(smart|clever)|awesome|真棒|太聪明|错", text, re.I)


def test_both_languages_cover_the_same_situations() -> None:
    english, chinese = (
        {f"{section}.{name}" for section, part in load_phrases(code).sections.items() for name in part}
        for code in ("en", "zh")
    )
    assert english == chinese


def test_a_language_without_phrases_is_refused_by_name() -> None:
    with pytest.raises(PromptError, match="'sw'"):
        load_phrases("sw")


@pytest.mark.parametrize(
    ("question", "inside"),
    [
        ("Mira fills how many shelves?", "Mira fills how many shelves?"),
        ("There were how many cookies?", "there were how many cookies?"),
        ("How many tins?", "how many tins?"),
    ],
)
def test_a_question_after_a_colon_keeps_a_name_as_it_is(question: str, inside: str) -> None:
    assert inside_a_sentence(question) == inside
