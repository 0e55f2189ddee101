"""Phrase files: what the builtin tutor says, one TOML file a language."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources

from preceptor.errors import PromptError

PHRASE_LANGUAGES = ("en", "zh")
"""Languages the builtin tutor speaks; in others it says that it can only check numbers."""


@dataclass(frozen=True, kw_only=True)
class Phrases:
    """All sentences of one language: section → situation → variants."""

    language: str
    sections: dict[str, dict[str, tuple[str, ...]]]

    def variants(self, key: str) -> tuple[str, ...]:
        """Return the variants of "section.situation".

        Raises:
            PromptError: The file has no such entry.
        """
        section, _, name = key.partition(".")
        try:
            return self.sections[section][name]
        except KeyError as error:
            raise PromptError(f"phrases/{self.language}.toml has no {key!r}") from error


@cache
def load_phrases(language: str) -> Phrases:
    """Return a language's phrases; the part after "-" of a tag is ignored.

    Raises:
        PromptError: There is no file for this language.
    """
    code = language.split("-")[0].lower()
    if code not in PHRASE_LANGUAGES:
        raise PromptError(f"no phrases for {language!r}; there are {', '.join(PHRASE_LANGUAGES)}")
    text = resources.files(__package__).joinpath(f"{code}.toml").read_text(encoding="utf-8")
    raw = tomllib.loads(text)
    sections = {name: {key: tuple(lines) for key, lines in part.items()} for name, part in raw.items()}
    return Phrases(language=code, sections=sections)


@cache
def language_limit(language: str) -> str:
    """Return, in the learner's language where it is known, that only numbers can be checked in it."""
    text = resources.files(__package__).joinpath("limits.toml").read_text(encoding="utf-8")
    limits: dict[str, str] = tomllib.loads(text)
    return limits.get(language.split("-")[0].lower(), limits["other"])
