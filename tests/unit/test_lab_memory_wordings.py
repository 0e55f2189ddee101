"""The wordings of made-up questions are read as what they ask, in six languages; statements and tasks are not."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from preceptor.lab.memory_deck import LANGUAGES, deck
from preceptor.memory.phrase_table import is_about_us
from preceptor.memory.record_questions import record_question
from preceptor.memory.time_phrases import read_time

NOW = datetime(2026, 12, 15, 12, tzinfo=UTC)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_wording_of_mistakes_is_a_question_about_mistakes(language: str) -> None:
    words = deck(language).questions
    texts = [*words.got_wrong, *(text.format(month=deck(language).months[6]) for text in words.got_wrong_month)]
    assert [text for text in texts if getattr(record_question(text, language), "kind", None) != "got_wrong"] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_wording_of_a_month_is_a_question_about_that_month(language: str) -> None:
    for number, month in enumerate(deck(language).months, start=1):
        for wording in deck(language).questions.month:
            text = wording.format(month=month)
            window = read_time(text, language=language, now=NOW, time_zone="UTC").window
            assert window is not None, text
            assert window.first_day.month == number, text
            assert record_question(text, language) is not None, text


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Is that wrong?", "en"),
        ("Which of these answers is wrong?", "en"),
        ("I made mistakes with the fractions and then 3 + 4 = 7", "en"),
        ("What did the farmer do with the 12 eggs?", "en"),
        ("Was ist daran falsch?", "de"),
        ("Was kommt direkt vor dem Komma?", "de"),
        ("¿Está mal mi respuesta?", "es"),
        ("Ma réponse est fausse ?", "fr"),
        ("هل إجابتي صحيحة؟", "ar"),
        ("这样做不对吗？", "zh"),
        ("小明上周看了30页书，还剩多少页？", "zh"),
    ],
)
def test_what_is_about_the_task_at_hand_is_no_question_about_the_record(text: str, language: str) -> None:
    assert record_question(text, language) is None


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("¿No terminamos eso en marzo?", "es", True),
        ("La semana pasada Ana compró 300 gramos de arroz.", "es", False),
        ("Los últimos 3 días llovió y Pedro vendió 12 paraguas.", "es", False),
        ("ألم ننته من ذلك في مارس؟", "ar", True),
        ("في الأسبوع الماضي باع خالد 12 كتابًا.", "ar", False),
    ],
)
def test_verbs_without_a_pronoun_say_who_is_meant(text: str, language: str, expected: bool) -> None:
    assert is_about_us(text, language) is expected
