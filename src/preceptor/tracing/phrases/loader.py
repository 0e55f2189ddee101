"""Sentences about a trace, one TOML file a language."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources

from preceptor.errors import PromptError

TRACE_LANGUAGES = ("en", "zh")
"""Languages in which traces are talked about; in others it is English."""


@cache
def load_trace_phrases(language: str) -> dict[str, dict[str, str]]:
    """Return section → situation → sentence; English where there is no file for the language."""
    code = language.split("-")[0].lower()
    code = code if code in TRACE_LANGUAGES else "en"
    text = resources.files(__package__).joinpath(f"{code}.toml").read_text(encoding="utf-8")
    raw: dict[str, dict[str, str]] = tomllib.loads(text)
    return raw


def trace_phrase(language: str, section: str, name: str) -> str:
    """Return one sentence.

    Raises:
        PromptError: The file has no such entry.
    """
    try:
        return load_trace_phrases(language)[section][name]
    except KeyError as error:
        raise PromptError(f"tracing/phrases: {language}: no {section}.{name}") from error
