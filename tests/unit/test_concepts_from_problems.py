"""Concepts of word problems: read from wording, units and steps, without any file."""

from __future__ import annotations

import pytest

from preceptor.concepts.building import build_map
from preceptor.concepts.canonical_key import canonical_key
from preceptor.concepts.from_problems import (
    LANGUAGES,
    concepts_of_problem,
    concepts_of_step,
    maths_concepts,
    problems_map,
)
from preceptor.concepts.routing import route
from preceptor.concepts.teaching_order import teaching_order
from preceptor.domain.concept import ConceptReading, ReadConcept
from preceptor.domain.problem import Problem
from preceptor.maths.step_graph import build_step_graph


def _names(text: str, solution: str | None = None, language: str = "en") -> set[str]:
    problem = Problem(problem_id="p", text=text, solution=solution, language=language)
    return {one.name for one in concepts_of_problem(problem)}


@pytest.mark.parametrize(
    ("language", "text", "name"),
    [
        ("en", "Mia has three times as many shells as Leo, who has 4. How many has Mia?", "multiplicative comparison"),
        ("en", "Tom has 5 more stamps than Ann. Ann has 9. How many has Tom?", "comparison by difference"),
        ("en", "A coat costs $80 and is sold at 25% off. What is the sale price?", "discount"),
        ("en", "A train travels 120 miles at 60 miles per hour. How long does it take?", "speed"),
        ("en", "What is the average of 4, 8 and 9?", "average"),
        ("en", "A garden is 6 feet by 4 feet. What is its area?", "area"),
        ("en", "Sam ate 2/3 of the 12 plums. How many did he eat?", "fraction of an amount"),
        ("en", "12 pears are shared equally among 4 children. How many does each get?", "equal sharing"),
        ("en", "Kim had 9 pens and gave 4 away. How many are left?", "remaining amount"),
        ("es", "¿Cuál es el promedio de 4 y 8?", "average"),
        ("fr", "Quelle est la moyenne de 4 et 8 ?", "average"),
        ("de", "Wie groß ist der Umfang eines Rechtecks mit 3 cm und 4 cm?", "perimeter"),
        ("ar", "ما متوسط الأعداد 4 و 8؟", "average"),
        ("zh", "小明有4个球，小红的球是小明的3倍，小红有几个球？", "multiplicative comparison"),
    ],
)
def test_wording_shows_the_concept(language: str, text: str, name: str) -> None:
    assert name in _names(text, language=language)


def test_how_many_more_than_asks_for_a_difference_not_for_a_rest() -> None:
    assert "remaining amount" not in _names("Ann has 9 and Tom has 5. How many more has Ann than Tom?")


def test_steps_show_operations_percent_and_conversion() -> None:
    text = "Eva reads 2 hours a day. How many minutes does she read in 3 days?"
    solution = "She reads 2*60=<<2*60=120>>120 minutes a day.\nThat is 120*3=<<120*3=360>>360 minutes.\n#### 360"
    graph = build_step_graph(text, solution, None)
    assert graph is not None
    first, second = ({one.name for one in concepts_of_step(node)} for node in graph.nodes)
    assert {"unit conversion", "units of time", "multiplication"} <= first
    assert "unit conversion" not in second
    assert "unit conversion" in _names(text, solution)


@pytest.mark.parametrize(
    ("step", "converts"),
    [
        ("5*1000=<<5*1000=5000>>5000", True),
        ("72/36=<<72/36=2>>2", True),
        ("5*100=<<5*100=500>>500", False),
        ("5+1000=<<5+1000=1005>>1005", False),
    ],
)
def test_a_number_of_no_problem_that_turns_units_is_a_conversion(step: str, converts: bool) -> None:
    text = "A road is 5 km long, a rope 72 inches, a stick 2 more. How far is it?"
    assert ("unit conversion" in _names(text, f"{step} of it.\n")) is converts


def test_a_given_sixty_is_no_conversion() -> None:
    text = "A box holds 60 nails. How many nails do 3 boxes hold?"
    solution = "3*60=<<3*60=180>>180 nails.\n#### 180"
    assert "unit conversion" not in _names(text, solution)


def test_telling_concepts_come_before_bare_operations() -> None:
    text = "A coat costs $80 and is sold at 25% off. What is the sale price?"
    solution = "80*25/100=<<80*25/100=20>>20 off.\n80-20=<<80-20=60>>60.\n#### 60"
    found = [one.name for one in concepts_of_problem(Problem(problem_id="p", text=text, solution=solution))]
    general = [found.index(name) for name in ("subtraction", "multiplication", "division")]
    assert min(general) > found.index("discount")


def test_the_table_is_whole_acyclic_and_named_in_six_languages() -> None:
    rows = maths_concepts()
    assert all(set(row.names) == set(LANGUAGES) for row in rows.values())
    assert all(below in rows for row in rows.values() for below in row.builds_on)
    whole = problems_map("maths")
    assert teaching_order(whole).cycles == ()
    assert len({canonical_key(row.names["en"]) for row in rows.values()}) == len(rows)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_name_leads_to_its_own_concept_in_every_language(language: str) -> None:
    whole = problems_map("maths")
    for row in maths_concepts().values():
        hits = route(row.names[language], whole, language)
        assert hits, row.names[language]
        assert hits[0].name == row.names["en"], (row.names[language], hits)


def test_the_map_of_problems_holds_what_their_concepts_build_on() -> None:
    problem = Problem(problem_id="p", text="What is the average of 4, 8 and 9?", subject_id="maths")
    found = problems_map("maths", [problem])
    assert {"average", "addition", "division", "multiplication", "subtraction"} == {one.name for one in found.concepts}


def test_a_concept_of_a_file_and_of_problems_is_one_node() -> None:
    read = ReadConcept(name="Averages", definition="An average is.", pages=(2,))
    reading = ConceptReading(
        subject_id="maths", document_id="d", fingerprint="f", language="en", engine="builtin", concepts=(read,)
    )
    built = build_map("maths", [reading], problems=problems_map("maths")).map
    (node,) = [one for one in built.concepts if one.key == "average"]
    assert (node.readiness, node.evidence[0].page, "promedio" in node.aliases) == (0.6, 2, True)
    assert len(built.concepts) == len(maths_concepts())
