"""What may be a concept's name: our own list in six languages, and the two utterances the seed names."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from preceptor.concepts.concept_name import MAX_CHARS, clean_name, is_utterance, refusal

REFUSED = [
    ("Introduction", "en"),
    ("Chapter 3", "en"),
    ("Exercises", "en"),
    ("3.2 Exercises", "en"),
    ("The Exercises", "en"),
    ("Common Misconceptions", "en"),
    ("Figure 4: a plant cell", "en"),
    ("Section II", "en"),
    ("Appendix B", "en"),
    ("Solve Equations with Brackets", "en"),
    ("What is a cell?", "en"),
    ("We call this the numerator", "en"),
    ("the total is 5", "en"),
    ("x = 3", "en"),
    ("this graph", "en"),
    ("ask me the questions", "en"),
    ("Capítulo 2", "es"),
    ("Introducción", "es"),
    ("Ejercicios", "es"),
    ("Tabla 1", "es"),
    ("La célula es la unidad de la vida", "es"),
    ("Chapitre 4", "fr"),
    ("Résumé", "fr"),
    ("Table des matières", "fr"),
    ("Exercices", "fr"),
    ("Kapitel 7", "de"),
    ("Übungsaufgaben", "de"),
    ("Einführung", "de"),
    ("Abbildung 3", "de"),
    ("Die Zelle ist die kleinste Einheit des Lebens", "de"),
    ("الفصل 3", "ar"),
    ("الفصل الثالث", "ar"),
    ("المقدمة", "ar"),
    ("تمارين", "ar"),
    ("الشكل 2", "ar"),
    ("第三章", "zh"),
    ("第3章", "zh"),
    ("习题", "zh"),
    ("图 3", "zh"),
    ("本章小结", "zh"),
    ("如何计算百分数", "zh"),
    ("的函数", "zh"),
    ("函数的", "zh"),
]
ACCEPTED = [
    ("photosynthesis", "en"),
    ("Linear equation", "en"),
    ("Dijkstra's algorithm", "en"),
    ("A* search", "en"),
    ("order of operations", "en"),
    ("part of speech", "en"),
    ("completing the square", "en"),
    ("one-step equation", "en"),
    ("ecuación lineal", "es"),
    ("interés simple", "es"),
    ("théorème de Pythagore", "fr"),
    ("fraction irréductible", "fr"),
    ("Dreisatz", "de"),
    ("Satz des Pythagoras", "de"),
    ("größter gemeinsamer Teiler", "de"),
    ("النسبة المئوية", "ar"),
    ("معادلة خطية", "ar"),
    ("最短路", "zh"),
    ("广度优先搜索", "zh"),
    ("不等式", "zh"),
    ("中位数", "zh"),
]


@pytest.mark.parametrize(("name", "language"), REFUSED)
def test_furniture_captions_and_sentences_are_refused(name: str, language: str) -> None:
    assert refusal(name, language) is not None


@pytest.mark.parametrize(("name", "language"), ACCEPTED)
def test_names_of_concepts_pass(name: str, language: str) -> None:
    assert refusal(name, language) is None


@pytest.mark.parametrize(
    ("said", "language"),
    [
        ("ask me the questions", "en"),
        ("bueno ahora explicame todos los pasos", "es"),
        ("bueno ahora explícame todos los pasos", "en"),
        ("explain it to me", "en"),
        ("what is a cell", "en"),
        ("kannst du das erklären", "de"),
        ("je ne comprends pas", "fr"),
        ("اشرح لي الدرس", "ar"),
        ("我不懂这个", "zh"),
    ],
)
def test_utterances_are_told_from_topics(said: str, language: str) -> None:
    assert is_utterance(said, language)


@pytest.mark.parametrize(
    ("topic", "language"),
    [*ACCEPTED, ("unit conversion", "en"), ("area of a triangle", "en"), ("Brüche", "de"), ("كسور", "ar")],
)
def test_names_are_no_utterances(topic: str, language: str) -> None:
    assert not is_utterance(topic, language)


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("**Osmosis**:", "Osmosis"),
        ("2.1 Cell membrane", "Cell membrane"),
        ("## Loops", "Loops"),
        ("*A* search*", "A* search"),
        ("“mean”", "mean"),
    ],
)
def test_marks_and_numbers_are_cleaned_off(raw: str, clean: str) -> None:
    assert clean_name(raw) == clean


@given(st.text(max_size=200))
def test_any_text_gets_a_verdict_and_a_long_one_is_refused(text: str) -> None:
    assert (refusal(text) is not None) or len(text) <= MAX_CHARS
