"""The concepts of word problems without any file, read from wording, units and steps: checks can be tied to them.

Names are English whatever the problem's language; `aliases` hold what the concept is called in the other five, so
that a learner's own words lead to it.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib import resources

from preceptor.concepts.canonical_key import canonical_key, concept_id_of
from preceptor.domain.claim import Operand
from preceptor.domain.concept import NAMED, BuildsOn, Concept, ConceptMap
from preceptor.domain.problem import Problem
from preceptor.maths.step_graph import StepNode, build_step_graph
from preceptor.maths.text_numbers import find_numbers
from preceptor.maths.units import find_unit

SOURCE = "builtin:problem wording"
LANGUAGES = ("en", "es", "fr", "de", "ar", "zh")
_OPERATORS = {"+": "addition", "-": "subtraction", "*": "multiplication", "/": "division", "^": "exponent"}
_TIME_CONSTANTS = frozenset({7, 12, 24, 30, 52, 60, 365, 3600})
_UNIT_CONSTANTS = frozenset({16, 36, 1000, 5280})
"""Without 10 and 100, which are far more often a place value or a percent."""
_TIME = (("time", 1),)


@dataclass(frozen=True, kw_only=True)
class MathsConcept:
    """One row of the table."""

    row: str
    names: dict[str, str]
    aliases: dict[str, tuple[str, ...]]
    gist: str
    builds_on: tuple[str, ...]
    cues: dict[str, re.Pattern[str]]
    general: bool
    """It only names an operation."""


def concepts_of_problem(problem: Problem) -> tuple[Concept, ...]:
    """Return a problem's concepts, the telling ones first, then its operations; empty where nothing is recognised.

    The worked solution is read too where the problem has one. The same problem always gives the same concepts.
    """
    found = set(_of_text(problem.text, problem.language))
    if problem.solution:
        graph = build_step_graph(problem.text, problem.solution, problem.answer, problem.language)
        for node in graph.nodes if graph else ():
            found |= _of_step(node, problem.language, with_text=False)
    return _concepts(found, problem.subject_id)


def concepts_of_step(node: StepNode, *, language: str = "en", subject_id: str = "maths") -> tuple[Concept, ...]:
    """Return the concepts that one step of a worked solution uses, the telling ones first.

    Args:
        node: A node of `build_step_graph`.
        language: Of the solution; its sentence is read for cues.
        subject_id: The subject whose concept ids are wanted.
    """
    return _concepts(_of_step(node, language, with_text=True), subject_id)


def problems_map(subject_id: str, problems: Iterable[Problem] = ()) -> ConceptMap:
    """Return the map of the concepts of these problems and of what those build on; of none: of the whole table."""
    wanted: set[str] = set()
    given = list(problems)
    ids = {_concept(row, subject_id).concept_id: name for name, row in maths_concepts().items()}
    for problem in given:
        wanted |= {ids[_moved(concept, subject_id)] for concept in concepts_of_problem(problem)}
    if not given:
        wanted = set(maths_concepts())
    stack = list(wanted)
    while stack:
        for below in maths_concepts()[stack.pop()].builds_on:
            if below not in wanted:
                wanted.add(below)
                stack.append(below)
    rows = [row for name, row in maths_concepts().items() if name in wanted]
    return ConceptMap(
        subject_id=subject_id,
        concepts=tuple(_concept(row, subject_id) for row in rows),
        edges=tuple(
            BuildsOn(
                concept_id=_concept(row, subject_id).concept_id,
                prerequisite_id=_concept(maths_concepts()[below], subject_id).concept_id,
                provenance=(SOURCE,),
            )
            for row in rows
            for below in row.builds_on
        ),
    )


@cache
def maths_concepts() -> dict[str, MathsConcept]:
    """Return the table, in the order of a textbook."""
    raw = tomllib.loads((resources.files(__package__) / "maths_concepts.toml").read_text(encoding="utf-8"))
    return {
        row: MathsConcept(
            row=row,
            names=given["names"],
            aliases={language: tuple(text.split("|")) for language, text in given.get("aliases", {}).items()},
            gist=given["gist"],
            builds_on=tuple(given.get("builds_on", ())),
            cues={language: re.compile(cue) for language, cue in given.get("cues", {}).items()},
            general=given.get("general", False),
        )
        for row, given in raw.items()
    }


def _moved(concept: Concept, subject_id: str) -> str:
    return concept_id_of(subject_id, concept.key)


def _of_text(text: str, language: str) -> set[str]:
    primary = language.split("-")[0].lower()
    lower = text.casefold()
    found = {
        name
        for name, row in maths_concepts().items()
        if (cue := row.cues.get(primary)) is not None and cue.search(lower)
    }
    numbers = find_numbers(text, language)
    found |= {"percent" for number in numbers if number.percent}
    found |= {"money" for number in numbers if number.money}
    found |= {"multiplicative_comparison" for number in numbers if number.kind == "multiplier"}
    found |= {"fraction" for number in numbers if number.fraction}
    found |= {"decimal" for number in numbers if number.places and not number.money and not number.percent}
    times = {
        unit.symbol
        for number in numbers
        if number.unit and (unit := find_unit(number.unit)) and unit.dimension == _TIME
    }
    if len(times) > 1:
        found.add("time_units")
    if "discount" in found or "tax" in found or "interest" in found:
        found |= {"percent"} if any(number.percent for number in numbers) else set()
    return found


def _of_step(node: StepNode, language: str, *, with_text: bool) -> set[str]:
    found = {_OPERATORS[sign] for sign in node.operators if sign in _OPERATORS}
    if len(found & {"addition", "subtraction"}) and len(found & {"multiplication", "division"}):
        found.add("order_of_operations")
    if node.equals is not None:
        found.add("linear_equation")
    for place, operand in enumerate(node.operands):
        found |= _of_operand(operand)
        if _is_constant(node, place) and found & {"multiplication", "division"}:
            value = operand.value
            if value in _TIME_CONSTANTS:
                found |= {"unit_conversion", "time_units"}
            elif value in _UNIT_CONSTANTS:
                found.add("unit_conversion")
    if found & {"time_units", "unit_conversion"} and not _converts(node):
        found -= {"time_units", "unit_conversion"}
    return found | (_of_text(node.text, language) if with_text else set())


def _of_operand(operand: Operand) -> set[str]:
    found = set()
    if operand.unit == "%":
        found.add("percent")
    elif operand.unit in {"$", "€", "£"}:
        found.add("money")
    return found


def _is_constant(node: StepNode, place: int) -> bool:
    """Return whether an operand is neither given by the problem nor another step's value."""
    return node.inputs[place] is None and node.givens[place] is None


def _converts(node: StepNode) -> bool:
    """Return whether a step has the shape of a conversion: one other number times or divided by a constant."""
    return len(node.operands) <= 3 and set(node.operators) <= {"*", "/"}


def _concepts(found: set[str], subject_id: str) -> tuple[Concept, ...]:
    rows = [row for name, row in maths_concepts().items() if name in found]
    rows.sort(key=lambda row: row.general)
    return tuple(_concept(row, subject_id) for row in rows)


def _concept(row: MathsConcept, subject_id: str) -> Concept:
    return replace(
        _template(row.row), subject_id=subject_id, concept_id=concept_id_of(subject_id, _template(row.row).key)
    )


@lru_cache(maxsize=256)
def _template(name: str) -> Concept:
    row = maths_concepts()[name]
    aliases = [
        alias for language in LANGUAGES for alias in (row.names.get(language, ""), *row.aliases.get(language, ()))
    ]
    key = canonical_key(row.names["en"])
    return Concept(
        concept_id=key,
        subject_id="maths",
        name=row.names["en"],
        key=key,
        language="en",
        layer="problem",
        readiness=NAMED,
        gist=row.gist,
        provenance=(SOURCE,),
        aliases=tuple(dict.fromkeys(alias for alias in aliases if alias and alias != row.names["en"])),
    )
