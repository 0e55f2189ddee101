"""What the readers find in a file: marked terms, definitions in six languages, edges in the right direction."""

from __future__ import annotations

import asyncio

import pytest

from preceptor.concepts.builtin_reader import heading_names, read_concepts
from preceptor.concepts.canonical_key import canonical_key
from preceptor.concepts.definitions import definitions_in
from preceptor.concepts.llm_reader import LlmConceptReader, material_text
from preceptor.concepts.reader import MAX_CONCEPTS, Material, MaterialPage
from preceptor.domain.concept import ConceptReading
from preceptor.testing.scripted_model import ScriptedModel

CHAPTER = """# Cells

## Introduction

Every plant is built of cells. This chapter looks inside a cell.

## The cell membrane

The **cell membrane** is the thin layer that encloses a cell. A cell membrane lets water pass.

## Osmosis

**Osmosis** is the passing of water through the cell membrane. In plants osmosis lifts water.
The pressure that this gives is called **turgor pressure**. Turgor pressure keeps a leaf stiff.

Figure 3: A cell membrane under the microscope.

## Exercises

Explain **wilting**. Why does wilting happen? Does wilting hurt?
"""


def _material(text: str, language: str = "en") -> Material:
    return Material(
        subject_id="biology",
        document_id="d1",
        language=language,
        pages=(MaterialPage(page=4, text=text, fingerprint="p4"),),
    )


def _named(reading: ConceptReading) -> dict[str, tuple[str, ...]]:
    return {one.name.casefold(): tuple(name.casefold() for name in one.builds_on) for one in reading.concepts}


def test_concepts_come_without_furniture_in_the_order_of_the_file() -> None:
    found = read_concepts(_material(CHAPTER))
    names = list(_named(found))
    assert [name for name in names if name != "cells"] == ["cell membrane", "osmosis", "turgor pressure"]
    assert {one.name for one in found.refused} >= {"Introduction", "Exercises"} or "Introduction" not in names
    assert all(one.pages == (4,) for one in found.concepts)
    assert (found.engine, found.page_fingerprints) == ("builtin", {4: "p4"})


def test_a_concept_builds_on_what_its_definition_uses_and_never_the_other_way_round() -> None:
    edges = _named(read_concepts(_material(CHAPTER)))
    assert "cell membrane" in edges["osmosis"]
    assert "osmosis" not in edges["cell membrane"]


def test_a_longer_name_builds_on_the_name_inside_it() -> None:
    text = (
        "A **weighted graph** is a graph whose edges carry numbers. A weighted graph has costs.\n\n"
        "A **graph** is a set of vertices with edges. The graph may be empty, and a graph may be large."
    )
    edges = _named(read_concepts(_material(text)))
    assert edges == {"weighted graph": ("graph",), "graph": ()}


def test_two_definitions_that_use_each_other_give_one_edge_to_the_earlier() -> None:
    text = (
        "A **sum** is what an addition gives. The sum grows.\n\n"
        "An **addition** is the making of a sum. Each addition has terms."
    )
    edges = _named(read_concepts(_material(text)))
    assert edges == {"sum": (), "addition": ("sum",)}


@pytest.mark.parametrize(
    ("language", "sentence", "name"),
    [
        ("en", "A number that multiplies a variable is called a coefficient.", "coefficient"),
        ("en", "A ratio is a comparison of two amounts.", "ratio"),
        ("en", "We call this line the axis of symmetry.", "axis of symmetry"),
        ("es", "El número que multiplica a la variable se llama coeficiente.", "coeficiente"),
        ("es", "Una razón es una comparación de dos cantidades.", "razón"),
        ("fr", "On appelle coefficient le nombre qui multiplie la variable.", "coefficient"),
        ("fr", "Une fraction est une part d'un tout.", "fraction"),
        ("de", "Die Zahl vor der Variablen heißt Koeffizient.", "Koeffizient"),
        ("de", "Unter einem Bruch versteht man einen Teil eines Ganzen.", "Bruch"),
        ("ar", "الكسر هو جزء من الكل.", "الكسر"),
        ("ar", "العدد الذي فوق الخط يسمى البسط.", "البسط"),
        ("zh", "分数是指把整体平均分后的若干份。", "分数"),
        ("zh", "分数线上面的数叫做分子。", "分子"),
    ],
)
def test_definitions_are_found_in_six_languages(language: str, sentence: str, name: str) -> None:
    keys = {canonical_key(one.name, language) for one in definitions_in(sentence, language)}
    assert canonical_key(name, language) in keys


def test_a_question_defines_nothing() -> None:
    assert definitions_in("What is the thing called a ratio?", "en") == ()


def test_a_glossary_gives_its_entries() -> None:
    text = (
        "# Glossary\n\n- osmosis: the passing of water through a membrane\n- turgor: the pressure inside a plant cell\n"
    )
    assert list(_named(read_concepts(_material(text)))) == ["osmosis", "turgor"]


def test_headings_lose_their_order_to_the_reader() -> None:
    assert heading_names("2.3 Solve Simple Interest Applications", "en") == ("Simple Interest",)
    assert heading_names("Use Discount and Sales Tax", "en") == ("Discount", "Sales Tax")


def test_at_most_the_bound_is_given() -> None:
    names = [f"term{chr(97 + i // 26)}{chr(97 + i % 26)}x" for i in range(60)]
    text = "\n\n".join(f"A **{name}** is a part. We use {name}." for name in names)
    assert len(read_concepts(_material(text)).concepts) == MAX_CONCEPTS


def test_empty_and_odd_files_give_no_concepts() -> None:
    for text in ("", "\n\n\n", "| a | b |\n|---|---|", "***", "# \n", "x" * 5000):
        assert read_concepts(_material(text)).concepts == ()


def _said(name: str, *, builds_on: list[str] | None = None, pages: list[int] | None = None) -> dict[str, object]:
    return {
        "gist": f"{name} is one thing.",
        "definition": f"{name}: one thing.",
        "name": name,
        "pages": pages or [4],
        "builds_on": builds_on or [],
        "assumes": ["Chapter 2", "surface tension"],
    }


def test_a_model_s_reading_is_checked_name_by_name() -> None:
    said = [
        _said("Introduction"),
        _said("cell membrane", pages=[4, 9]),
        _said("Osmosis", builds_on=["Cell membranes", "gravity", "osmosis"]),
        _said("osmosis"),
    ]
    model = ScriptedModel([{"concepts": said}])
    reading = asyncio.run(LlmConceptReader(model).read(_material(CHAPTER)))
    assert [(one.name, one.builds_on, one.pages) for one in reading.concepts] == [
        ("cell membrane", (), (4,)),
        ("Osmosis", ("cell membrane",), (4,)),
    ]
    assert {one.reason for one in reading.refused} == {"is a section title", "named twice"}
    assert reading.concepts[0].assumes == ("surface tension",)
    assert reading.engine == "scripted/model"
    assert len(model.prompts) == 1
    assert "[page 4]" in model.prompts[0].user


def test_of_a_model_s_reading_no_more_concepts_are_kept_than_a_reading_may_give() -> None:
    names = [
        f"{one}{other} method" for one in ("Bisection", "Newton", "Secant", "Gauss", "Euler") for other in "abcdef"
    ]
    said = [_said(name) for name in (*names[:25], names[0], names[25])]
    model = ScriptedModel([{"concepts": said}])
    reading = asyncio.run(LlmConceptReader(model).read(_material(CHAPTER)))
    assert [one.name for one in reading.concepts] == names[:24]
    assert {one.name: one.reason for one in reading.refused} == {
        names[24]: "more than 24 concepts", names[0]: "named twice", names[25]: "more than 24 concepts",
    }  # fmt: skip


def test_what_short_pages_leave_over_goes_to_long_ones() -> None:
    pages = tuple(MaterialPage(page=n, text="x" * (9_000 if n == 2 else 100)) for n in range(1, 6))
    text = material_text(Material(subject_id="s", document_id="d", pages=pages), limit=5_000)
    assert 4_900 < len(text) <= 5_000
    assert text.count("x") > 4_800


def test_a_long_file_is_sent_within_the_limit_with_every_page() -> None:
    pages = tuple(MaterialPage(page=n, text=("long " * 2000) if n % 2 else "short page") for n in range(1, 41))
    text = material_text(Material(subject_id="s", document_id="d", pages=pages), limit=20_000)
    assert len(text) <= 20_000
    assert all(f"[page {n}]" in text for n in range(1, 41))


def test_a_section_of_its_own_explains_a_concept_but_founds_no_edge() -> None:
    text = (
        "# Plants\n\n## Leaf veins\n\nLook at the leaf veins of an oak under the light. "
        "Leaf veins bring water, and leaf veins part again and again.\n\n"
        "## Stomata\n\nNear the leaf veins you see stomata. Many stomata close at night. Stomata open at dawn, "
        "and stomata close in the heat. The stomata, stomata, stomata."
    )
    by_name = {one.name.casefold(): one for one in read_concepts(_material(text)).concepts}
    stomata = by_name["stomata"]
    assert (stomata.definition, stomata.explained, stomata.builds_on) == (None, True, ())


@pytest.mark.parametrize("text", ["[" * 20_000, "** " * 20_000, "`:term:`" * 5_000, "is called a " * 5_000])
def test_hostile_marks_are_read_in_passing(text: str) -> None:
    assert read_concepts(_material(text)).concepts == ()
