"""The concept reader played by a language model: one pass over a file, and every name and edge checked here."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from preceptor.concepts.canonical_key import canonical_key
from preceptor.concepts.concept_name import clean_name, refusal
from preceptor.concepts.reader import MAX_CONCEPTS, Material
from preceptor.domain.concept import ConceptReading, ReadConcept, RefusedName
from preceptor.models.language_model import LanguageModel
from preceptor.models.opening import open_model
from preceptor.models.redactor import Redactor
from preceptor.prompts.loader import load_prompt
from preceptor.settings import Settings

MAX_MATERIAL_CHARS = 60_000
"""Longest text sent in the one pass; of a longer file each page keeps its beginning. (chosen: about 15,000 tokens)"""
LEAST_PAGE_CHARS = 200


class ConceptOutput(BaseModel):
    """One concept of the file."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    gist: Annotated[str, Field(max_length=300)]
    """One sentence: the main thing about it."""
    definition: Annotated[str, Field(max_length=500)]
    """Short, in the file's own terms; empty if the file names it and does not explain it."""
    name: Annotated[str, Field(max_length=80)]
    """One to five words."""
    pages: Annotated[list[int], Field(max_length=50)]
    """Pages that explain it."""
    builds_on: Annotated[list[str], Field(max_length=12)]
    """Names from this same list that come before it."""
    assumes: Annotated[list[str], Field(max_length=3)]
    """Ideas the file takes for known and explains nowhere."""


class ConceptReaderOutput(BaseModel):
    """What the concept reader model answers."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    concepts: Annotated[list[ConceptOutput], Field(max_length=60)]
    """In the order the file introduces them."""


class LlmConceptReader:
    """A concept reader that asks a language model once a file."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model
        self._prompt = load_prompt("concept_reader")

    async def read(self, material: Material) -> ConceptReading:
        """See `ConceptReader.read`."""
        prompt = self._prompt.render({"language": material.language, "material": material_text(material)})
        answer = await self._model.structured(prompt, ConceptReaderOutput)
        return checked_reading(material, answer.output, self._model.engine)


def checked_reading(material: Material, said: ConceptReaderOutput, engine: str) -> ConceptReading:
    """Return what a model said without the names that are no concepts, foreign edges and pages the file lacks."""
    pages = {page.page for page in material.pages}
    kept: dict[str, ConceptOutput] = {}
    refused: dict[str, str] = {}
    for one in said.concepts:
        name = clean_name(one.name)
        key, reason = canonical_key(name, material.language), refusal(name, material.language)
        if key in kept:
            reason = "named twice"
        elif not reason and len(kept) == MAX_CONCEPTS:
            reason = f"more than {MAX_CONCEPTS} concepts"
        if reason or not key:
            refused.setdefault(one.name, reason or "holds no word")
        else:
            kept[key] = one
    names = {key: clean_name(one.name) for key, one in kept.items()}
    concepts = tuple(_read_concept(key, one, names, pages, material.language) for key, one in kept.items())
    return ConceptReading(
        subject_id=material.subject_id,
        document_id=material.document_id,
        fingerprint=material.fingerprint,
        language=material.language,
        engine=engine,
        concepts=concepts,
        page_fingerprints={page.page: page.fingerprint for page in material.pages},
        refused=tuple(RefusedName(name=name, reason=reason) for name, reason in refused.items()),
    )


def material_text(material: Material, limit: int = MAX_MATERIAL_CHARS) -> str:
    """Return the pages as one text, each under its number, within a limit: longer pages lose their ends."""
    marks = [f"[page {page.page}]" for page in material.pages]
    texts = [re.sub(r"\n{3,}", "\n\n", page.text.strip()) for page in material.pages]
    room = limit - sum(len(mark) + 2 for mark in marks)
    share = max(LEAST_PAGE_CHARS, room // max(1, len(texts)))
    spare = sum(max(0, share - len(text)) for text in texts)
    long = sum(len(text) > share for text in texts)
    share += spare // long if long else 0
    return "\n".join(f"{mark}\n{text[:share]}" for mark, text in zip(marks, texts, strict=True))[:limit]


def _read_concept(key: str, one: ConceptOutput, names: dict[str, str], pages: set[int], language: str) -> ReadConcept:
    others = [canonical_key(clean_name(name), language) for name in one.builds_on]
    assumed = [clean_name(name) for name in one.assumes]
    return ReadConcept(
        name=names[key],
        gist=one.gist.strip() or None,
        definition=one.definition.strip() or None,
        builds_on=tuple(dict.fromkeys(names[other] for other in others if other in names and other != key)),
        assumes=tuple(
            name for name in assumed if refusal(name, language) is None and canonical_key(name, language) not in names
        ),
        pages=tuple(sorted({page for page in one.pages if page in pages})),
    )


def open_llm_concept_reader(settings: Settings, redactor: Redactor | None = None) -> LlmConceptReader:
    """Return the reader on the model that the settings bind to the role.

    Raises:
        SettingsError: The role has no provider or no model, or the provider has no row.
    """
    return LlmConceptReader(open_model(settings, "concept_reader", redactor))
