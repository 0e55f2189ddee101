"""`preceptor course search`: what a course has to say on a question, with what each stage gave each passage."""

from __future__ import annotations

import click
from pydantic import TypeAdapter

from preceptor.cli.json_lines import write_json
from preceptor.concepts.map_passages import MapPassages
from preceptor.concepts.subject_maps import SubjectMaps, open_subject_maps
from preceptor.course.library import CourseLibrary, open_library
from preceptor.course.retrieval import WORD_FOLDER, CourseRetrieval
from preceptor.course.retrieved import RetrievedPassage, RetrievedPassages
from preceptor.domain.passage import page_label
from preceptor.models.embedder import Embedder, open_embedder
from preceptor.settings import Settings, load_settings

_FOUND = TypeAdapter(RetrievedPassages)
_SHOWN_CHARS = 240


@click.command("search")
@click.argument("subject_id")
@click.argument("query")
@click.option("--language", default=None, help="The query's language, a BCP 47 tag; else the embedder judges the text.")
@click.option("--top", type=click.IntRange(1, 50), default=None, help="Passages shown, at most.")
@click.option(
    "--profile", type=click.Choice(["default", "kite", "two_indexes"]), default=None, help="Numbers of the stages."
)
@click.option(
    "--off",
    multiple=True,
    type=click.Choice(["dense", "words", "mmr", "concepts", "rerank", "late", "boost"]),
    help="Leave a stage out; may be given several times.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object with every stage's scores and times.")
def search_course(
    subject_id: str,
    query: str,
    language: str | None,
    top: int | None,
    profile: str | None,
    off: tuple[str, ...],
    as_json: bool,
) -> None:
    """Search a course for QUERY, in a learner's words, and say whether the course holds the answer."""
    settings = load_settings()
    embedder = open_embedder(settings)
    chosen = {"top": top, "profile": profile, "stages_off": off or None}
    given = {name: value for name, value in chosen.items() if value is not None}
    wanted = settings.model_copy(
        update={"course_retrieval": type(settings.course_retrieval)(**{**dict(settings.course_retrieval), **given})}
    )
    with open_library(settings, embedder=embedder) as library, open_subject_maps(settings) as maps:
        retrieval = open_retrieval(library, maps, wanted, embedder)
        retrieval.prepare(subject_id)
        found = retrieval.search(subject_id, query, language=language)
    if as_json:
        write_json(_FOUND.dump_python(found, mode="json"))
    else:
        _print(found)


def open_retrieval(
    library: CourseLibrary, maps: SubjectMaps, settings: Settings, embedder: Embedder | None
) -> CourseRetrieval:
    """Return the search over a library's courses, with their maps as the second index."""
    return CourseRetrieval(
        library.store,
        embedder=embedder,
        settings=settings.course_retrieval,
        concepts=MapPassages(maps, library.store, language=settings.language),
        word_folder=settings.home / WORD_FOLDER,
    )


def _print(found: RetrievedPassages) -> None:
    for one in found.passages:
        click.echo(_line(one))
    chance = "cannot be judged" if found.answerable is None else f"{found.answerable:.0%}"
    verdict = "in the course" if found.in_course else "probably not in the course"
    click.echo(f"the course answers: {chance} ({verdict}); {found.n_searched} passages searched", err=True)
    for stage, why in found.stages_off.items():
        click.echo(f"{stage} off: {why}", err=True)


def _line(one: RetrievedPassage) -> str:
    passage = one.passage
    place = " › ".join((page_label(passage.document_name, passage.page), *passage.heading_path))
    text = " ".join(passage.text.split())
    shown = text if len(text) <= _SHOWN_CHARS else text[: _SHOWN_CHARS - 1] + "…"
    mark = " (official)" if passage.official else ""
    return f"{one.rank}. {one.score:.2f} {place}{mark}\n   {shown}"
