"""The concept map of the course notes as the second index of the retrieval benchmark."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Sequence
from pathlib import Path

from preceptor.concepts.builtin_reader import BuiltinConceptReader
from preceptor.concepts.course_material import course_materials
from preceptor.concepts.map_passages import MapPassages
from preceptor.concepts.subject_maps import open_subject_maps
from preceptor.course.library import open_library
from preceptor.course.passage_index import PassageIndex
from preceptor.course.question_set import CourseQuestion
from preceptor.course.retrieval_training import NOTES
from preceptor.domain.principal import LOCAL_OWNER
from preceptor.settings import Settings


def concept_rankings(folder: Path, questions: Sequence[CourseQuestion], index: PassageIndex) -> dict[str, list[int]]:
    """Return, by question, the rows that the concept map of the notes names, read by the builtin concept reader."""
    with tempfile.TemporaryDirectory() as home:
        settings = Settings(home=Path(home))
        with open_library(settings) as library, open_subject_maps(settings) as maps:
            library.create(LOCAL_OWNER, "notes", "Notes")
            library.add(LOCAL_OWNER, "notes", sorted((folder / NOTES).iterdir()))
            for material in course_materials(library.store, "notes", "en"):
                asyncio.run(maps.read(material, BuiltinConceptReader(), "builtin"))
            maps.rebuild("notes")
            second = MapPassages(maps, library.store)
            place = {
                (passage.document_name, passage.page, passage.start): row for row, passage in enumerate(index.passages)
            }
            key = {
                passage.passage_id: place[passage.document_name, passage.page, passage.start]
                for passage in library.store.passages("notes")
            }
            return {
                question.question_id: [key[one] for one in second.passage_ids("notes", question.question, limit=50)]
                for question in questions
            }
