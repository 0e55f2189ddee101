"""`preceptor map`: build the concept map of a subject, look at it, get its teaching order, check it."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from pathlib import Path

import click
from pydantic import TypeAdapter

from preceptor.cli.json_lines import write_json
from preceptor.concepts.builtin_reader import ENGINE, BuiltinConceptReader
from preceptor.concepts.calibration import measure_threshold
from preceptor.concepts.centrality import centrality
from preceptor.concepts.concept_name import refusal
from preceptor.concepts.course_material import course_materials
from preceptor.concepts.drawing import draw_map, map_table, map_text, map_title
from preceptor.concepts.llm_reader import open_llm_concept_reader
from preceptor.concepts.reader import ConceptReader, Material
from preceptor.concepts.readiness import readiness
from preceptor.concepts.subject_maps import PROBLEM_SUBJECT, SubjectMaps
from preceptor.concepts.teaching_order import teaching_order
from preceptor.domain.concept import EXPLAINED, ConceptMap
from preceptor.errors import InputError, ModelError
from preceptor.models.embedder import open_embedder
from preceptor.models.roles import role_settings
from preceptor.safety.redaction import PersonalDataRedactor
from preceptor.settings import Settings, load_settings
from preceptor.stores.sql.concept_maps import SqlConceptMapStore
from preceptor.stores.sql.courses import SqlCourseStore
from preceptor.stores.sql.database import open_database
from preceptor.stores.sql.problems import SqlProblemStore

_MAP = TypeAdapter(ConceptMap)
_MOST_PROBLEMS = 10_000


@click.group("map")
def concept_map() -> None:
    """Build and show the concept map of a subject."""


@concept_map.command("build")
@click.argument("subject_id")
@click.option("--language", default=None, help="Language of the course's files; without it, that of the settings.")
@click.option("--problems", is_flag=True, help="Also the concepts of the subject's problems in the bank.")
@click.option("--again", is_flag=True, help="Read every file again, also those that did not change.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def build(subject_id: str, language: str | None, problems: bool, again: bool, as_json: bool) -> None:
    """Read the files of course SUBJECT_ID and build its map from them and from what was taught.

    Files that did not change since they were read are not read again; files that left the course leave the map.
    The subject maths has a map without any file. Exits with 1 when there is nothing to build from.
    """
    settings = load_settings()
    database = open_database(home=settings.home, url=settings.store.url)
    try:
        courses = SqlCourseStore(database)
        maps = SubjectMaps(SqlConceptMapStore(database), open_embedder(settings))
        materials = list(course_materials(courses, subject_id, language or settings.language))
        bank = SqlProblemStore(database).find(limit=_MOST_PROBLEMS, subject_id=subject_id) if problems else []
        if not materials and not bank and subject_id != PROBLEM_SUBJECT:
            raise InputError(
                f"{subject_id!r} has no files and no problems to build a map from; see `preceptor course list`"
            )
        counts = asyncio.run(_read(maps, materials, settings, again))
        built = maps.rebuild(subject_id, documents={one.document_id for one in materials}, problems=bank)
        revision = maps.store.revision(subject_id)
    finally:
        database.close()
    if as_json:
        write_json(
            {
                "subject_id": subject_id,
                "revision": revision,
                **counts,
                **_numbers(built.map),
                "merged": len(built.merges),
            }
        )
        return
    click.echo(f"{counts['read']} files read, {counts['unchanged']} unchanged, {counts['failed']} failed")
    for merge in built.merges:
        if merge.reason == "embedding":
            click.echo(
                f"merged {merge.merged!r} into {merge.kept!r}: similarity {merge.similarity} >= {merge.threshold}"
            )
    click.echo(map_title(built.map))


@concept_map.command("show")
@click.argument("subject_id")
@click.option(
    "--svg", type=click.Path(dir_okay=False, path_type=Path), default=None, help="Also write the drawing here."
)
@click.option("--table", is_flag=True, help="Print the drawing's table as HTML instead of lines.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object, the whole map.")
def show(subject_id: str, svg: Path | None, table: bool, as_json: bool) -> None:
    """Show the map of SUBJECT_ID in layers, prerequisites first."""
    held = _load(subject_id)
    if svg is not None:
        try:
            svg.write_text(draw_map(held), encoding="utf-8")
        except OSError as error:
            raise InputError(f"{svg}: {error.strerror}") from error
    if as_json:
        write_json({**_MAP.dump_python(held, mode="json"), **_numbers(held)})
    else:
        click.echo(map_table(held) if table else map_text(held))


@concept_map.command("order")
@click.argument("subject_id")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a concept.")
def order(subject_id: str, as_json: bool) -> None:
    """Print the concepts of SUBJECT_ID in the order to teach them: prerequisites first, hubs first within a layer."""
    held = _load(subject_id)
    rank = centrality(held)
    for layer, ids in enumerate(teaching_order(held).layers, start=1):
        for one in (held.by_id[concept_id] for concept_id in ids):
            if as_json:
                write_json(
                    {
                        "layer": layer,
                        "concept_id": one.concept_id,
                        "name": one.name,
                        "centrality": round(rank[one.concept_id], 6),
                        "readiness": one.readiness,
                    }
                )
            else:
                click.echo(f"{layer:3}  {one.name}")


@concept_map.command("check")
@click.argument("subject_id")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a finding.")
def check(subject_id: str, as_json: bool) -> None:
    """Say what an instructor should look at in the map of SUBJECT_ID: circles, gaps, lonely concepts, odd names.

    Exits with 1 when a circle or a name that is no concept's is found.
    """
    held = _load(subject_id)
    findings = _findings(held)
    for kind, names, detail in findings:
        if as_json:
            write_json({"kind": kind, "concepts": names, "detail": detail})
        else:
            click.echo(f"{kind}: {', '.join(names)}: {detail}")
    if not as_json and not findings:
        click.echo("nothing to look at")
    wrong = [kind for kind, _, _ in findings if kind in {"circle", "name"}]
    if wrong:
        raise InputError(f"{len(wrong)} faults in the map of {subject_id!r}")


@concept_map.command("calibrate")
@click.option("--language", default="en", show_default=True, help="Language of the names to measure on.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def calibrate(language: str, as_json: bool) -> None:
    """Measure from which similarity on this installation's embedder may take two names for one concept, and store it.

    Measured on the names of every file that was read: those of one file stand for different concepts.
    """
    settings = load_settings()
    embedder = open_embedder(settings)
    if embedder is None:
        raise InputError(f"no embedder is installed; run `preceptor model fetch {settings.embedder.name}`")
    database = open_database(home=settings.home, url=settings.store.url)
    try:
        maps = SubjectMaps(SqlConceptMapStore(database), embedder)
        readings = [one for subject_id in maps.store.subjects() for one in maps.store.readings(subject_id)]
        groups = [[concept.name for concept in one.concepts] for one in readings if one.language == language]
        found = measure_threshold(groups, embedder, language=language, measured_on="the files of this installation")
        maps.put_threshold(found)
    finally:
        database.close()
    if as_json:
        write_json(asdict(found))
    else:
        click.echo(
            f"{found.embedder}: names are merged from {found.value} on ({found.measured['pairs']} pairs measured)"
        )


async def _read(maps: SubjectMaps, materials: list[Material], settings: Settings, again: bool) -> dict[str, int]:
    chosen = role_settings(settings, "concept_reader")
    reader: ConceptReader = BuiltinConceptReader()
    engine = ENGINE
    if chosen.engine == "llm":
        reader = open_llm_concept_reader(settings, PersonalDataRedactor())
        engine = f"{chosen.provider}/{chosen.model}"
    counts = {"read": 0, "unchanged": 0, "failed": 0}
    for material in materials:
        try:
            found = await maps.read(material, reader, "" if again else engine)
        except ModelError as error:
            counts["failed"] += 1
            click.echo(f"{material.document_id}: {error}", err=True)
            continue
        counts["read" if found else "unchanged"] += 1
        if found:
            click.echo(f"{material.document_id}: {len(found.concepts)} concepts ({found.engine})", err=True)
    return counts


def _load(subject_id: str) -> ConceptMap:
    settings = load_settings()
    database = open_database(home=settings.home, url=settings.store.url)
    try:
        held = SubjectMaps(SqlConceptMapStore(database)).map(subject_id)
    finally:
        database.close()
    if not held.concepts:
        raise InputError(f"{subject_id!r} has no map; build it with `preceptor map build {subject_id}`")
    return held


def _numbers(held: ConceptMap) -> dict[str, object]:
    found = readiness(held)
    return {
        "n_concepts": len(held.concepts),
        "n_edges": len(held.edges),
        "coverage": found.coverage,
        "material_readiness": found.material,
    }


def _findings(held: ConceptMap) -> list[tuple[str, list[str], str]]:
    out: list[tuple[str, list[str], str]] = []
    for cycle in teaching_order(held).cycles:
        out.append(("circle", [held.by_id[one].name for one in cycle], "they build on each other; remove one edge"))
    for one in held.concepts:
        reason = refusal(one.name, one.language)
        if reason is not None:
            out.append(("name", [one.name], reason))
    rank = centrality(held)
    gaps = [one for one in held.concepts if one.readiness < EXPLAINED]
    for one in sorted(gaps, key=lambda gap: -rank[gap.concept_id]):
        above = [held.by_id[edge.concept_id].name for edge in held.edges if edge.prerequisite_id == one.concept_id]
        if above:
            out.append(("gap", [one.name], f"no file explains it, and {', '.join(above[:4])} build on it"))
    tied = {end for edge in held.edges for end in (edge.concept_id, edge.prerequisite_id)}
    lonely = [one.name for one in held.concepts if one.concept_id not in tied]
    if lonely:
        out.append(("lonely", lonely, "nothing builds on them and they build on nothing"))
    return out
