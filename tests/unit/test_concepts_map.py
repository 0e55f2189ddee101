"""Building the map: merging, assumed prerequisites, centrality, coverage, order, teaching, routing and pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from preceptor.concepts.building import build_map
from preceptor.concepts.calibration import MergeThreshold, default_threshold, measure_threshold
from preceptor.concepts.canonical_key import canonical_key
from preceptor.concepts.centrality import DAMPING, centrality
from preceptor.concepts.concept_pages import concept_pages
from preceptor.concepts.readiness import concept_readiness, map_header, map_line, readiness
from preceptor.concepts.routing import exact, route, topic_concept
from preceptor.concepts.teaching import read_teaching, short_name, teach
from preceptor.concepts.teaching_order import teaching_order
from preceptor.concepts.vectors import ConceptVectors, embed_concepts
from preceptor.domain.concept import BuildsOn, Concept, ConceptMap, ConceptReading, ReadConcept
from preceptor.errors import InputError
from preceptor.models.embedder import Vector


def _reading(document_id: str, *concepts: ReadConcept, language: str = "en", subject_id: str = "s") -> ConceptReading:
    return ConceptReading(
        subject_id=subject_id,
        document_id=document_id,
        fingerprint="f",
        language=language,
        engine="builtin",
        concepts=concepts,
    )


def _read(name: str, *, on: tuple[str, ...] = (), assumes: tuple[str, ...] = (), page: int = 1) -> ReadConcept:
    return ReadConcept(
        name=name, definition=f"{name} is.", gist=f"{name} is.", builds_on=on, assumes=assumes, pages=(page,)
    )


def _graph(names: str, *edges: str) -> ConceptMap:
    """A map of one-letter concepts; "ba" says that b builds on a."""
    return ConceptMap(
        subject_id="s",
        concepts=tuple(
            Concept(concept_id=name, subject_id="s", name=name, key=name, language="en", readiness=0.6)
            for name in names
        ),
        edges=tuple(BuildsOn(concept_id=edge[0], prerequisite_id=edge[1]) for edge in edges),
    )


class _FakeEmbedder:
    """Vectors by table; speaks English only."""

    fingerprint = "fake:1"
    languages: tuple[str, ...] = ("en",)
    dimensions = 2

    def __init__(self, angles: dict[str, float]) -> None:
        self._angles = angles

    def embed(self, texts: Sequence[str], *, language: str | None = None) -> list[Vector | None]:
        if language not in (None, "en"):
            return [None] * len(texts)
        angles = [self._angles.get(text) for text in texts]
        return [None if a is None else np.array([np.cos(a), np.sin(a)], np.float32) for a in angles]


def test_a_second_file_adds_itself_to_the_node_of_the_first() -> None:
    built = build_map("s", [_reading("d1", _read("Osmosis", page=3)), _reading("d2", _read("osmosis", page=7))])
    (node,) = built.map.concepts
    assert [(one.document_id, one.page) for one in node.evidence] == [("d1", 3), ("d2", 7)]
    assert (node.name, node.aliases, node.provenance) == ("Osmosis", ("osmosis",), ("builtin:d1", "builtin:d2"))


def test_near_names_are_merged_at_the_threshold_and_logged() -> None:
    embedder = _FakeEmbedder({"mean": 0.0, "arithmetic average": 0.5, "median": 1.5})
    threshold = MergeThreshold(value=0.86, embedder="fake:1")
    readings = [
        _reading("d1", _read("mean"), _read("median")),
        _reading("d2", _read("arithmetic average", on=("mean",))),
    ]
    built = build_map("s", readings, embedder=embedder, threshold=threshold)
    assert [one.name for one in built.map.concepts] == ["mean", "median"]
    (merge,) = built.merges
    assert (merge.kept, merge.merged, merge.threshold, merge.embedder) == ("mean", "arithmetic average", 0.86, "fake:1")
    assert merge.similarity == pytest.approx(np.cos(0.5), abs=1e-3)
    assert built.map.edges == ()


def test_without_a_threshold_an_embedder_merges_nothing() -> None:
    embedder = _FakeEmbedder({"mean": 0.0, "average": 0.0})
    built = build_map("s", [_reading("d1", _read("mean"), _read("average"))], embedder=embedder)
    assert (len(built.map.concepts), built.merges) == (2, ())


def test_a_later_file_founds_only_what_no_earlier_file_explains() -> None:
    later = _reading("d2", _read("heap"), _read("greedy", on=("heap",)))
    explained, named = _reading("d1", _read("greedy")), _reading("d1", ReadConcept(name="greedy", pages=(1,)))
    assert build_map("s", [explained, later]).map.edges == ()
    assert len(build_map("s", [named, later]).map.edges) == 1
    assert len(build_map("s", [later, explained]).map.edges) == 1


def test_names_in_a_language_the_embedder_does_not_speak_are_merged_by_key_alone() -> None:
    embedder = _FakeEmbedder({"Mittelwert": 0.0, "Durchschnitt": 0.0})
    readings = [_reading("d1", _read("Mittelwert"), _read("Durchschnitt"), language="de")]
    built = build_map("s", readings, embedder=embedder, threshold=MergeThreshold(value=0.5, embedder="fake:1"))
    assert (len(built.map.concepts), built.merges) == (2, ())


def test_names_that_differ_in_the_word_that_matters_are_never_merged_by_vector() -> None:
    embedder = _FakeEmbedder(
        dict.fromkeys(["percent increase", "percent decrease", "percent", "interest rate", "rate of interest"], 0.0)
    )
    names = ("percent increase", "percent decrease", "interest rate", "rate of interest")
    built = build_map(
        "s",
        [_reading("d1", *map(_read, names))],
        embedder=embedder,
        threshold=MergeThreshold(value=0.9, embedder="fake:1"),
    )
    assert [one.name for one in built.map.concepts if "percent" in one.name] == ["percent increase", "percent decrease"]


def test_a_name_that_drew_one_in_is_not_drawn_in_itself() -> None:
    """The chain mean, average, midpoint is no single concept although each is near the next."""
    embedder = _FakeEmbedder({"mean": 0.0, "average": 0.4, "midpoint": 0.5})
    threshold = MergeThreshold(value=float(np.cos(0.45)), embedder="fake:1")
    names = ("mean", "average", "midpoint")
    built = build_map("s", [_reading("d1", *map(_read, names))], embedder=embedder, threshold=threshold)
    assert [(one.name, one.aliases) for one in built.map.concepts] == [("mean", ()), ("average", ("midpoint",))]
    assert [(one.kept, one.merged) for one in built.merges] == [("average", "midpoint")]


def test_a_threshold_is_the_percentile_of_names_known_to_differ() -> None:
    angles = {f"n{i}": 0.01 * i for i in range(60)}
    found = measure_threshold([[*angles, "unread"]], _FakeEmbedder(angles), language="en", measured_on="ours")
    table = [np.cos(0.01 * (i - j)) for i in range(60) for j in range(i)]
    assert found.value == pytest.approx(np.percentile(table, 99.9), abs=1e-3)
    assert (found.origin, found.measured["pairs"]) == ("calibrated", 1770)
    with pytest.raises(InputError, match="expected 1000"):
        measure_threshold([["n1", "n2"]], _FakeEmbedder(angles), language="en", measured_on="few")
    assert default_threshold("unknown:1").value == 0.86


def test_an_assumed_prerequisite_needs_two_witnesses() -> None:
    once = build_map("s", [_reading("d1", _read("a-star", assumes=("priority queue",)), _read("queue"))]).map
    assert [one.name for one in once.concepts] == ["a-star", "queue"]
    assert once.concepts[0].assumes == ("priority queue",)
    twice = build_map(
        "s",
        [
            _reading("d1", _read("uniform cost", assumes=("priority queue",))),
            _reading("d2", _read("greedy", assumes=("Priority queues",))),
        ],
    ).map
    node = exact("priority queue", twice, "en")
    assert node is not None
    assert (node.layer, node.readiness, node.definition) == ("assumed", 0.35, None)
    assert {(twice.by_id[edge.concept_id].name, edge.prerequisite_id) for edge in twice.edges} == {
        ("uniform cost", node.concept_id),
        ("greedy", node.concept_id),
    }
    assert all(not one.assumes for one in twice.concepts)


def test_one_off_assumptions_never_blow_up_the_map() -> None:
    concepts = [
        _read(f"concept{chr(97 + i)}", assumes=(f"thing{chr(97 + i)}", f"other{chr(97 + i)}")) for i in range(11)
    ]
    assert len(build_map("s", [_reading("d1", *concepts)]).map.concepts) == 11


def test_an_assumption_that_another_file_explains_becomes_an_edge() -> None:
    built = build_map("s", [_reading("d1", _read("greedy", assumes=("queue",))), _reading("d2", _read("Queues"))]).map
    (edge,) = built.edges
    assert (built.by_id[edge.concept_id].name, built.by_id[edge.prerequisite_id].name) == ("greedy", "Queues")


def test_subjects_are_never_mixed() -> None:
    with pytest.raises(InputError, match="cannot hold"):
        build_map("s", [_reading("d1", _read("x"), subject_id="t")])


def test_centrality_solves_the_pagerank_equations() -> None:
    found = centrality(_graph("abcd", "ba", "ca", "db", "dc"))
    # From hand-written equations: a is fed by b and c wholly, b and c by half of d each, a's rank goes to all alike.
    flow = np.array([[0.25, 1, 1, 0], [0.25, 0, 0, 0.5], [0.25, 0, 0, 0.5], [0.25, 0, 0, 0]])
    expected = np.linalg.solve(np.eye(4) - DAMPING * flow, np.full(4, (1 - DAMPING) / 4))
    assert [found[name] for name in "abcd"] == pytest.approx(expected.tolist(), abs=1e-9)
    assert max(found, key=found.__getitem__) == "a"


@st.composite
def _maps(draw: st.DrawFn) -> ConceptMap:
    names = "abcdefgh"[: draw(st.integers(0, 8))]
    pairs = [f"{one}{other}" for one in names for other in names if one != other]
    return _graph(names, *draw(st.lists(st.sampled_from(pairs), unique=True, max_size=20) if pairs else st.just([])))


@given(_maps())
def test_centrality_sums_to_one_and_the_order_holds_every_concept_once(concepts: ConceptMap) -> None:
    if concepts.concepts:
        assert sum(centrality(concepts).values()) == pytest.approx(1)
    order = teaching_order(concepts)
    place = {one: layer for layer, ids in enumerate(order.layers) for one in ids}
    assert sorted(place) == sorted(one.concept_id for one in concepts.concepts)
    together = {frozenset((one, other)) for cycle in order.cycles for one in cycle for other in cycle}
    for edge in concepts.edges:
        if frozenset((edge.concept_id, edge.prerequisite_id)) not in together:
            assert place[edge.prerequisite_id] < place[edge.concept_id]


def test_prerequisites_come_first_hubs_lead_their_layer_and_cycles_are_named() -> None:
    order = teaching_order(_graph("xabcd", "ca", "da", "db"))
    assert order.layers == (("a", "b", "x"), ("c", "d"))
    circle = teaching_order(_graph("abcd", "ab", "bc", "ca", "da"))
    assert circle.cycles == (("a", "b", "c"),)
    assert circle.layers == (("a", "c", "b"), ("d",)) or sorted(circle.layers[0]) == ["a", "b", "c"]
    assert circle.layers[1] == ("d",)


def test_coverage_and_confirmed_share_are_kept_apart() -> None:
    nodes = (
        Concept(concept_id="a", subject_id="s", name="a", key="a", language="en", readiness=0.35),
        Concept(concept_id="b", subject_id="s", name="b", key="b", language="en", readiness=0.6),
    )
    held = ConceptMap(subject_id="s", concepts=nodes)
    before, after = readiness(held), readiness(held, {"a"})
    assert (before.coverage, before.material, before.confirmed) == pytest.approx((0.5, 0.475, 0.0))
    assert (after.coverage, after.material, after.confirmed) == pytest.approx((0.5, 0.475, 0.5))
    assert [concept_readiness(one, confirmed=True) for one in nodes] == [0.85, 0.85]
    assert map_header(held) == (
        "SUBJECT MAP (2 concepts; the files explain 50% of it, this is about the material, NOT the learner's mastery):"
    )
    assert readiness(ConceptMap(subject_id="s")).coverage is None


BIOLOGY = build_map(
    "biology",
    [
        _reading(
            "d1",
            _read("Cell membrane", page=1),
            _read("Mitochondria", on=("Cell membrane",), page=2),
            _read("Osmosis", on=("Cell membrane",), page=3),
            subject_id="biology",
        )
    ],
).map


def test_a_taught_note_goes_to_the_concept_it_names() -> None:
    said = read_teaching("Remember that in our class we call the mitochondria the powerhouse of the cell", "en")
    assert said is not None
    taught = teach(BIOLOGY, said.concept_name, said.note, episode_id="e7")
    node = taught.map.by_id[taught.concept_id]
    assert (node.name, node.readiness, taught.minted) == ("Mitochondria", 1.0, False)
    assert map_line(taught.map, node.concept_id) == (
        "- Mitochondria: Mitochondria is. [taught: in our class we call the mitochondria the powerhouse of the cell] "
        "(builds on: Cell membrane)"
    )
    assert BIOLOGY.by_id[taught.concept_id].notes == ()
    (first,) = [one for one in BIOLOGY.concepts if one.name == "Cell membrane"]
    assert map_line(BIOLOGY, first.concept_id) == "- Cell membrane: Cell membrane is."


def test_a_note_about_something_new_mints_a_short_name_never_the_sentence() -> None:
    said = read_teaching("remember that golden rice is a plant we grew in the school garden last summer", "en")
    assert said is not None
    taught = teach(BIOLOGY, said.concept_name, said.note)
    node = taught.map.by_id[taught.concept_id]
    assert (node.name, node.layer, taught.minted) == ("golden rice", "taught", True)
    assert len(short_name("the very long and winding name of a thing that goes on and on", "en").split()) <= 4


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Do you remember that cells divide?", "en"),
        ("remember what we did in July", "en"),
        ("what is osmosis?", "en"),
        ("I remember that one", "en"),
        ("¿recuerdas que es la célula?", "es"),
        ("Remember me", "en"),
    ],
)
def test_questions_and_talk_never_teach(text: str, language: str) -> None:
    assert read_teaching(text, language) is None


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("treat the unknown as a box", "en"),
        ("recuerda que la célula es la unidad de la vida", "es"),
        ("Rappelle-toi que la cellule est une unité", "fr"),
        ("Merk dir, dass die Zelle die Einheit ist", "de"),
        ("تذكر أن الخلية هي وحدة الحياة", "ar"),
        ("记住，细胞是生命的单位", "zh"),
    ],
)
def test_explicit_forms_teach_in_six_languages(text: str, language: str) -> None:
    said = read_teaching(text, language)
    assert said is not None
    taught = teach(ConceptMap(subject_id="s"), said.concept_name, said.note, language=language)
    assert len(taught.map.concepts[0].name.split()) <= 4


def test_routing_finds_names_as_whole_words_in_any_form() -> None:
    hits = route("How do the cell membranes and Osmosis go together?", BIOLOGY, "en")
    assert [(hit.name, hit.how) for hit in hits] == [("Cell membrane", "name"), ("Osmosis", "name")]
    text = "How do the cell membranes go?"
    (hit,) = route(text, BIOLOGY, "en")
    assert text[hit.start : hit.end] == "cell membranes"
    assert route("The osmosistic membraneous thing", BIOLOGY, "en") == ()
    assert route("osmosis", BIOLOGY, "en")[0].how == "exact"


def _named(*names: tuple[str, str, tuple[str, ...]]) -> ConceptMap:
    """A map of (name, language, aliases); the name is the id."""
    return ConceptMap(
        subject_id="s",
        concepts=tuple(
            Concept(
                concept_id=name, subject_id="s", name=name, key=canonical_key(name, language), language=language,
                readiness=0.6, aliases=aliases,
            )
            for name, language, aliases in names
        ),
    )  # fmt: skip


def test_hits_come_surest_first_then_longest_then_in_the_text_s_order() -> None:
    concepts = _named(("heap", "en", ()), ("node", "en", ()), ("binary tree", "en", ()), ("stack", "en", ("pile",)))
    hits = route("a pile, a node, a heap and a binary tree, one more heap", concepts, "en")
    assert [(hit.name, hit.how, hit.start) for hit in hits] == [
        ("binary tree", "name", 29), ("node", "name", 10), ("heap", "name", 18), ("stack", "alias", 2),
    ]  # fmt: skip


def test_a_longer_name_in_another_language_hides_the_name_inside_it() -> None:
    """English folds "vertices" to "vertex"; only the French folding leaves the longer name as it is written."""
    concepts = _named(("vertex", "en", ()), ("vertices opposés", "fr", ()))
    hits = route("what are vertices opposés?", concepts, "en")
    assert [hit.name for hit in hits] == ["vertices opposés"]
    apart = route("vertices opposés and one more vertex", concepts, "en")
    assert {hit.name for hit in apart} == {"vertices opposés", "vertex"}


def test_one_word_may_be_two_concepts_of_two_languages() -> None:
    concepts = _named(("vertex", "en", ()), ("vertice", "fr", ()))
    assert {hit.name for hit in route("two vertices here", concepts, "en")} == {"vertex", "vertice"}


def test_vectors_are_asked_only_without_a_name_and_only_in_their_language() -> None:
    first = BIOLOGY.concepts[0]
    vectors = ConceptVectors(
        embedder="fake:1", languages=("en",), concept_ids=(first.concept_id,), matrix=np.array([[1.0, 0.0]], np.float32)
    )
    near = np.array([0.9, 0.435], np.float32)
    assert [hit.how for hit in route("the skin around it", BIOLOGY, "en", near, vectors=vectors)] == ["vector"]
    assert route("die Haut darum", BIOLOGY, "de", near, vectors=vectors) == ()
    assert [hit.name for hit in route("osmosis", BIOLOGY, "en", near, vectors=vectors)] == ["Osmosis"]


def test_vectors_are_those_of_name_and_gist_and_of_nothing_the_embedder_cannot_read() -> None:
    concepts = replace(_graph("abc"), concepts=tuple(replace(one, gist="g" if one.name == "a" else None)
                       for one in (*_named(("d", "de", ())).concepts, *_graph("abc").concepts)))  # fmt: skip
    made = embed_concepts(concepts, _FakeEmbedder({"a: g": 0.0, "b": np.pi / 2, "d": 0.0}))
    assert made.concept_ids == ("a", "b"), "d is German, and c is not known"
    assert made.matrix == pytest.approx(np.eye(2), abs=1e-6)
    none = embed_concepts(ConceptMap(subject_id="s"), _FakeEmbedder({}))
    assert (none.concept_ids, none.matrix.shape) == ((), (0, 2))


def test_an_utterance_is_tied_to_a_concept_only_by_the_evaluation_s_words() -> None:
    assert topic_concept("ask me the questions", BIOLOGY, "en") is None
    assert topic_concept("bueno ahora explicame todos los pasos", BIOLOGY, "es") is None
    found = topic_concept("ask me the questions", BIOLOGY, "en", evaluation="Right: osmosis moves water.")
    assert found is not None
    assert found.name == "Osmosis"
    direct = topic_concept("mitochondrion", BIOLOGY, "en")
    assert direct is not None
    assert direct.name == "Mitochondria"


def test_pages_of_what_a_question_names_come_before_those_it_builds_on() -> None:
    found = concept_pages(BIOLOGY, "explain osmosis to me")
    assert [(one.document_id, one.page) for one in found] == [("d1", 3), ("d1", 1)]
    assert concept_pages(BIOLOGY, "the French Revolution") == ()
