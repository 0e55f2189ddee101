"""Maps of an installation: files read once, gone files dropped, notes kept; drawing, passages and commands."""

from __future__ import annotations

import asyncio
import json
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from preceptor.cli.main import cli
from preceptor.concepts.builtin_reader import ENGINE, BuiltinConceptReader
from preceptor.concepts.calibration import MergeThreshold
from preceptor.concepts.concept_pages import concept_pages
from preceptor.concepts.drawing import draw_map, map_table, map_text, map_title
from preceptor.concepts.from_problems import maths_concepts
from preceptor.concepts.map_passages import passages_by_concept
from preceptor.concepts.reader import Material, MaterialPage
from preceptor.concepts.subject_maps import SubjectMaps
from preceptor.concepts.teaching_order import teaching_order
from preceptor.domain.concept import Concept, ConceptEvidence, ConceptMap
from preceptor.domain.passage import Passage
from preceptor.errors import InputError
from preceptor.stores.sql.concept_maps import SqlConceptMapStore
from preceptor.stores.sql.database import open_database

MEMBRANE = "The **cell membrane** is the layer that encloses a cell. The cell membrane lets water pass."
OSMOSIS = "**Osmosis** is the passing of water through the cell membrane. Osmosis lifts water."


@pytest.fixture
def maps(tmp_path: Path) -> Iterator[SubjectMaps]:
    database = open_database(home=tmp_path, url=None)
    yield SubjectMaps(SqlConceptMapStore(database))
    database.close()


def _read(maps: SubjectMaps, document_id: str, text: str, fingerprint: str = "f1") -> bool:
    material = Material(
        subject_id="biology",
        document_id=document_id,
        fingerprint=fingerprint,
        pages=(MaterialPage(page=1, text=text),),
    )
    return asyncio.run(maps.read(material, BuiltinConceptReader(), ENGINE)) is not None


def _names(found: ConceptMap) -> list[str]:
    return [one.name.casefold() for one in found.concepts]


def test_an_unchanged_file_is_not_read_again(maps: SubjectMaps) -> None:
    assert _read(maps, "d1", MEMBRANE)
    assert not _read(maps, "d1", MEMBRANE)
    assert _read(maps, "d1", OSMOSIS, fingerprint="f2")
    assert len(maps.store.readings("biology")) == 1


def test_edges_cross_files_and_a_file_that_left_takes_its_concepts_along(maps: SubjectMaps) -> None:
    _read(maps, "d1", MEMBRANE)
    _read(maps, "d2", OSMOSIS)
    both = maps.rebuild("biology").map
    assert _names(both) == ["cell membrane", "osmosis"]
    (edge,) = both.edges
    assert both.by_id[edge.concept_id].name.casefold() == "osmosis"
    assert maps.map("biology") == both
    left = maps.rebuild("biology", documents={"d2"}).map
    assert (_names(left), left.edges) == (["osmosis"], ())
    assert left.concepts[0].concept_id == edge.concept_id


def test_an_instructor_s_note_survives_building_again(maps: SubjectMaps) -> None:
    _read(maps, "d1", MEMBRANE)
    maps.rebuild("biology")
    maps.teach("biology", "cell membranes", "we call it the gate", language="en")
    assert maps.map("biology").concepts[0].readiness == 1.0
    again = maps.rebuild("biology").map
    assert [note.text for note in again.concepts[0].notes] == ["we call it the gate"]
    with pytest.raises(InputError):
        maps.teach("biology", "cell membranes", "", language="en")
    assert len(maps.store.notes("biology")) == 1


def test_maths_has_a_map_without_files_and_other_subjects_have_none(maps: SubjectMaps) -> None:
    assert len(maps.map("maths").concepts) == len(maths_concepts())
    assert maps.map("biology").concepts == ()


def test_the_drawing_is_valid_and_says_the_same_as_its_table(maps: SubjectMaps) -> None:
    held = maps.map("maths")
    svg, table = draw_map(held), map_table(held)
    root = ElementTree.fromstring(svg)
    texts = [node.text or "" for node in root.iter("{http://www.w3.org/2000/svg}text")]
    boxes = [node for node in root.iter() if node.tag.endswith("rect")]
    assert len(boxes) == len(held.concepts) + len(teaching_order(held).layers), "a box a concept, a band a layer"
    assert len([node for node in root.iter() if node.tag.endswith("path")]) == len(held.edges)
    assert any("percent" in text for text in texts)
    assert "http" not in svg.replace("http://www.w3.org/2000/svg", "")
    assert all(f">{one.name}</th>" in table for one in held.concepts)
    assert "not a learner's mastery" in map_text(held)


def test_boxes_lie_side_by_side_inside_the_drawing_and_every_line_ends_at_two_of_them(maps: SubjectMaps) -> None:
    held = maps.map("maths")
    root = ElementTree.fromstring(draw_map(held))
    _, _, width, height = map(int, root.attrib["viewBox"].split())
    rects = [node for node in root.iter() if node.tag.endswith("rect")]
    places = [tuple(int(node.attrib[name]) for name in ("x", "y", "width", "height")) for node in rects]
    bands, boxes = ([place for place in places if (place[3] == 44) is box] for box in (False, True))
    assert all(x >= 0 and y >= 0 and x + w <= width and y + h <= height for x, y, w, h in places)
    for x, y, w, h in boxes:
        assert sum(bx < x and by < y and x + w < bx + bw and y + h < by + bh for bx, by, bw, bh in bands) == 1
        assert not any((x, y) != (ox, oy) and abs(x - ox) < w and abs(y - oy) < h for ox, oy, _, _ in boxes)
    edges = {(x + w // 2, y) for x, y, w, _ in boxes} | {(x + w // 2, y + h) for x, y, w, h in boxes}
    for node in root.iter():
        if node.tag.endswith("path"):
            numbers = [int(number) for number in re.findall(r"-?\d+", node.attrib["d"])]
            assert {tuple(numbers[:2]), tuple(numbers[-2:])} <= edges


@pytest.mark.parametrize(("n", "said"), [(1, "1 concept in 1 layer,"), (2, "2 concepts in 1 layer,")])
def test_one_is_not_counted_as_many(n: int, said: str) -> None:
    concepts = tuple(
        Concept(concept_id=name, subject_id="s", name=name, key=name, language="en", readiness=0.6) for name in "ab"[:n]
    )
    assert map_title(ConceptMap(subject_id="s", concepts=concepts)).startswith(said)


def test_a_page_of_a_concept_on_many_pages_says_less_than_the_one_page_of_another() -> None:
    def node(name: str, pages: range) -> Concept:
        places = tuple(ConceptEvidence(document_id=name, page=page, fingerprint="f") for page in pages)
        return Concept(
            concept_id=name, subject_id="s", name=name, key=name, language="en", readiness=0.6, evidence=places
        )

    held = ConceptMap(subject_id="s", concepts=(node("queue", range(1, 12)), node("stack", range(7, 8))))
    found = concept_pages(held, "is a queue a stack?")
    assert (found[0].document_id, found[0].page, found[0].concept_ids) == ("stack", 7, ("stack",))
    assert found[0].score == pytest.approx(2 * found[1].score), "1 / (1 + 0.1 * 10) each"
    assert [one.page for one in found[1:]] == list(range(1, 12))
    assert len(concept_pages(held, "is a queue a stack?", limit=3)) == 3


def test_names_from_files_are_escaped_in_the_drawing(maps: SubjectMaps) -> None:
    _read(maps, "d1", MEMBRANE)
    taught = maps.rebuild("biology").map
    maps.teach("biology", "cell membrane", "<script>alert(1)</script>", language="en")
    assert "<script" not in draw_map(maps.map("biology")) + map_table(maps.map("biology"))
    assert "&#x27;" in map_table(taught)


def test_passages_that_name_a_concept_are_found_through_it(maps: SubjectMaps) -> None:
    _read(maps, "d1", MEMBRANE)
    held = maps.rebuild("biology").map
    texts = {"p1": "Leaves are green.", "p2": "Cell membranes are thin.", "p3": "More on cell membranes."}
    passages = [
        Passage(
            passage_id=name,
            subject_id="biology",
            document_id="d1",
            document_name="a.md",
            page=1,
            start=0,
            end=len(text),
            text=text,
            heading_path=("The cell membrane",) if name == "p3" else (),
        )
        for name, text in texts.items()
    ]
    (found,) = passages_by_concept(held, passages, "en").values()
    assert [passage_id for passage_id, _ in found] == ["p3", "p2"]


def test_commands_build_show_order_and_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRECEPTOR_HOME", str(tmp_path / "home"))
    file = tmp_path / "notes.md"
    file.write_text(f"# Cells\n\n{MEMBRANE}\n\n{OSMOSIS}\n", encoding="utf-8")
    run = CliRunner().invoke
    assert run(cli, ["course", "add", "biology", "--create", "--no-vectors", str(file)]).exit_code == 0
    built = run(cli, ["map", "build", "biology", "--json"])
    assert built.exit_code == 0, built.output
    numbers = json.loads(built.stdout)
    assert (numbers["read"], numbers["n_concepts"] >= 2, numbers["revision"]) == (1, True, 1)
    assert json.loads(run(cli, ["map", "build", "biology", "--json"]).stdout)["unchanged"] == 1
    svg = tmp_path / "map.svg"
    shown = run(cli, ["map", "show", "biology", "--svg", str(svg), "--json"])
    assert {one["name"].casefold() for one in json.loads(shown.stdout)["concepts"]} >= {"cell membrane", "osmosis"}
    assert svg.read_text(encoding="utf-8").startswith("<svg")
    lines = [json.loads(line) for line in run(cli, ["map", "order", "biology", "--json"]).stdout.splitlines()]
    layers = {line["name"].casefold(): line["layer"] for line in lines}
    assert layers["cell membrane"] < layers["osmosis"]
    assert run(cli, ["map", "check", "biology"]).exit_code == 0
    missing = run(cli, ["map", "show", "physics"])
    assert isinstance(missing.exception, InputError)


def test_calibrating_without_an_embedder_or_without_enough_names_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PRECEPTOR_HOME", str(tmp_path / "home"))
    result = CliRunner().invoke(cli, ["map", "calibrate"])
    assert isinstance(result.exception, InputError)
    assert "no embedder is installed" in str(result.exception)


def test_a_stored_threshold_is_used_for_its_embedder_only(maps: SubjectMaps) -> None:
    maps.put_threshold(MergeThreshold(value=0.91, embedder="m:1", origin="calibrated", measured={"pairs": 2000}))
    assert maps.store.threshold("m:1") is not None
    assert maps.threshold() is None  # without an embedder names are merged by key alone
