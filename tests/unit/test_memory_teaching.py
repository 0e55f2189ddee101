"""Teaching the tutor: explicit forms in six languages, the exact concept or a short new name, never a question."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.memory_history import ANA, CELLS, History

from preceptor.domain.concept import ConceptMap
from preceptor.domain.scope import Scope
from preceptor.memory.recall import Recall
from preceptor.memory.record_answers import confirm_teaching
from preceptor.memory.teaching import TaughtNotes, may_teach, teaching_of
from preceptor.record.memory_kinds import TaughtBody
from preceptor.settings import MemorySettings


@pytest.mark.parametrize(
    ("text", "language", "concept"),
    [
        ("Remember that in our class we call the mitochondria the powerhouse of the cell.", "en", "Mitochondria"),
        ("Please note that cytoplasm means the filling", "en", "Cytoplasm"),
        ("In our class we say cytoplasm for the filling", "en", "Cytoplasm"),
        ("Merk dir, dass wir die Vakuole Speicher nennen", "de", "Vakuole"),
        ("Treat cytoplasm as the filling of the cell", "en", "Cytoplasm"),
        ("Recuerda que la vacuola es un depósito", "es", "vacuola"),
        ("Retiens que la vacuole est un réservoir", "fr", "vacuole"),
        ("Merk dir, dass die Vakuole ein Speicher ist", "de", "Vakuole"),
        ("تذكر أن الفجوة هي مخزن", "ar", "الفجوة"),
        ("记住液泡是仓库", "zh", "液泡"),
    ],
)
def test_explicit_forms_teach_and_the_concept_is_confirmed(text: str, language: str, concept: str) -> None:
    taught = teaching_of(text, CELLS, language)
    assert taught is not None
    assert taught.concept == concept
    assert taught.language == language
    assert taught.is_new == (concept not in {"Mitochondria", "Cytoplasm"})
    said = confirm_teaching(taught)
    assert concept in said
    assert taught.note in said


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Do you remember that we did the membrane?", "en"),
        ("Remember what we said about the membrane", "en"),
        ("What do you remember about me?", "en"),
        ("Remember that 3 + 4 = 7", "en"),
        ("note that she has 5 left", "en"),
        ("Don't forget that she gives some away", "en"),
        ("Please note that the membrane is thin", "en"),
        ("请注意，每袋有四个", "zh"),
        ("¿Recuerdas que vimos la membrana?", "es"),
        ("Erinnerst du dich, dass wir das hatten?", "de"),
        ("هل تتذكر أننا درسنا الغشاء؟", "ar"),
        ("你记得我们学过细胞膜吗？", "zh"),
        ("The membrane is around the cell.", "en"),
        ("", "en"),
    ],
)
def test_questions_work_and_plain_statements_teach_nothing(text: str, language: str) -> None:
    assert teaching_of(text, CELLS, language) is None


@pytest.mark.parametrize(
    ("text", "language", "concept"),
    [
        ("Remember that the cytoplasm is 80 percent water", "en", "Cytoplasm"),
        ("Note that mitochondria means 1 of the 3 parts", "en", "Mitochondria"),
        ("Remember that the vacuole is 90 percent water", "en", None),
    ],
)
def test_figures_teach_only_where_they_are_told_of_a_concept_of_the_map(
    text: str, language: str, concept: str | None
) -> None:
    taught = teaching_of(text, CELLS, language)
    assert (taught and taught.concept) == concept
    assert taught is None or (taught.is_new, any(char.isdigit() for char in taught.note)) == (False, True)


def test_a_note_without_a_nameable_subject_asks_for_its_name() -> None:
    text = "Remember that it is the same as this"
    assert may_teach(text, "en")
    taught = teaching_of(text, CELLS, "en")
    assert taught is not None
    assert taught.concept == ""
    assert "topic's name" in confirm_teaching(taught)


def test_a_note_is_laid_over_the_map_of_its_learner_alone(tmp_path: Path) -> None:
    history = History(tmp_path)
    history.july()
    assert "[taught: in our class" in history.ask("How do the mitochondria work?").text
    other = history.ask("what did I get wrong?", scope=Scope(learner_id="bert", subject_id="cells"))
    assert "[taught:" not in other.text


def test_a_second_note_and_a_new_map_are_seen_at_once(tmp_path: Path) -> None:
    history = History(tmp_path)
    recall = Recall(history.record.episodes, history.record.memory, None, MemorySettings())
    taught = TaughtNotes(recall, history.record.episodes)

    def notes(concepts: ConceptMap) -> dict[str, int]:
        return {one.name: len(one.notes) for one in taught.over(ANA, concepts).concepts if one.notes}

    assert taught.over(ANA, CELLS) is CELLS
    for n, note in enumerate(("we call it the skin", "we draw it green"), start=1):
        history.add(TaughtBody(note=note, utterance=f"Remember that {note}", concept="Membrane"), turn=n)
        assert notes(CELLS) == {"Membrane": n}
    smaller = replace(CELLS, concepts=CELLS.concepts[:1], edges=())
    assert [one.name for one in taught.over(ANA, smaller).concepts] == ["Membrane"]


def test_a_text_as_long_as_work_teaches_nothing() -> None:
    note = "Remember that the cytoplasm is the filling of the cell"
    assert teaching_of(note, CELLS, "en") is not None
    assert teaching_of(note + ", and more of it" * 30, CELLS, "en") is None


def test_an_erased_note_is_gone_from_the_map(tmp_path: Path) -> None:
    from preceptor.record.erasure_scope import ErasureScope

    history = History(tmp_path)
    note = history.july()[-1]
    assert "[taught:" in history.ask("How do the mitochondria work?").text
    history.record.log.erase("ana", ErasureScope(episode_ids=(note.episode_id,)))
    assert "[taught:" not in history.ask("How do the mitochondria work?").text
