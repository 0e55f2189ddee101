"""One key for every spelling: case, accents, scripts, articles and plurals; laws over any text."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from preceptor.concepts.canonical_key import canonical_key, concept_id_of, key_spans, key_words


@pytest.mark.parametrize(
    ("language", "spellings"),
    [
        ("en", ["Linear equation", "the linear equations", "LINEAR  EQUATIONS", "linear-equation"]),
        ("en", ["Dijkstra's algorithm", "Dijkstra’s Algorithms"]),
        ("en", ["vertex", "vertices", "Vertexes"]),
        ("en", ["matrix", "matrices"]),
        ("en", ["A* search", "A\\* searches", "A-star search"]),
        ("es", ["ecuación lineal", "Ecuaciones lineales", "la ecuacion lineal"]),
        ("es", ["raíz", "las raíces"]),
        ("es", ["suma", "las sumas", "Suma"]),
        ("fr", ["équation linéaire", "Les équations linéaires", "l'équation linéaire"]),
        ("fr", ["cheval", "chevaux"]),
        ("de", ["Gleichung", "die Gleichungen"]),
        ("de", ["Bruch", "Brüche", "der Bruch"]),
        ("ar", ["النسبة المئوية", "النِّسْبَة المِئَوِيَّة", "نسبة مئوية", "النســبة المئوية"]),
        ("ar", ["المعادلات", "معادلة", "المعادلة"]),
        ("zh", ["最短路", "最短 路"]),
        ("zh", ["ＡＢ树", "ab树"]),
    ],
)
def test_spellings_of_one_concept_share_a_key(language: str, spellings: list[str]) -> None:
    assert len({canonical_key(one, language) for one in spellings}) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [("A* search", "search"), ("percent increase", "percent decrease"), ("node", "mode"), ("mean", "median")],
)
def test_different_concepts_keep_different_keys(one: str, other: str) -> None:
    assert canonical_key(one) != canonical_key(other)


def test_a_short_arabic_word_keeps_its_last_letter() -> None:
    assert canonical_key("فقه", "ar") == "فقه"
    assert canonical_key("نسبة", "ar") == canonical_key("النسبة", "ar") != "نسبة"


@given(
    st.text(alphabet=st.characters(codec="utf-8"), max_size=40), st.sampled_from(["en", "es", "fr", "de", "ar", "zh"])
)
def test_case_and_composition_never_change_a_key_and_spans_lie_in_the_text(text: str, language: str) -> None:
    assert key_words(unicodedata.normalize("NFD", text), language) == key_words(
        unicodedata.normalize("NFC", text), language
    )
    assert all(0 <= start < end <= len(text) for _, start, end in key_spans(text, language))


def test_ids_follow_from_subject_and_key() -> None:
    assert concept_id_of("biology", "cell") == concept_id_of("biology", "cell")
    assert concept_id_of("biology", "cell") != concept_id_of("prison studies", "cell")
