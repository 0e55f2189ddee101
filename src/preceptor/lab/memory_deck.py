"""What made-up histories are made of: one subject a language, our own sentences, in `memory_decks/<language>.toml`."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import Literal

from pydantic import BaseModel, ConfigDict

LANGUAGES = ("en", "es", "fr", "de", "ar", "zh")


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)


class DeckConcept(_Part):
    """One concept: what the file says, what is asked, answered and claimed about it."""

    name: str
    definition: str
    builds_on: tuple[str, ...]
    """What is to be learnt first."""
    asks: tuple[str, ...]
    replies: tuple[str, ...]
    right: tuple[str, ...]
    wrong: tuple[str, ...]


class DeckQuestions(_Part):
    """Wordings of questions about the record, by kind; `{month}`, `{concept}`."""

    got_wrong: tuple[str, ...]
    got_wrong_month: tuple[str, ...]
    prerequisite: tuple[str, ...]
    explain: tuple[str, ...]
    month: tuple[str, ...]
    presuming: tuple[str, ...]
    """They claim that something was done in a month, whether it was or not."""
    changed_source: tuple[str, ...]
    last_week: tuple[str, ...]
    yesterday: tuple[str, ...]
    narration: tuple[str, ...]
    """What a tutor answers to a question about the record; never a memory itself."""
    taught: tuple[str, ...]


class Deck(_Part):
    """One subject."""

    language: str
    subject: str
    file: str
    months: tuple[str, ...]
    """Twelve names as they stand in `{month}`."""
    listen: tuple[str, ...]
    """What a learner says that is about nothing."""
    tutor_talk: tuple[str, ...]
    builds: tuple[str, ...]
    """How a file says that `{concept}` builds on `{prerequisite}`."""
    nicks: tuple[str, ...]
    questions: DeckQuestions
    """Wordings whose failures were read, and some mended."""
    held_out: DeckQuestions
    """Wordings whose failures are counted and were not read; the author of the rules knew the wordings."""
    concepts: tuple[DeckConcept, ...]


Wordings = Literal["questions", "held_out"]


@cache
def deck(language: str) -> Deck:
    """Return the subject of one of `LANGUAGES`."""
    file = resources.files(__package__).joinpath("memory_decks", f"{language}.toml")
    return Deck.model_validate(tomllib.loads(file.read_text(encoding="utf-8")))
