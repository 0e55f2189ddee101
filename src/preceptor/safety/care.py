"""What the tutor says in place of teaching when a sign of danger was found; fixed words, never made by a model."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import Any

from preceptor.safety.screen import ScreeningKind


def care_reply(language: str, *, contact_text: str = "", kind: ScreeningKind = "distress", seed: int = 0) -> str:
    """Return the calm reply that stops tutoring for this turn and points to a person.

    Args:
        language: BCP 47 tag; one without words of its own gets English.
        contact_text: Whom the owner names; empty: a neutral sentence, never an invented number.
        kind: `distress`, `abuse` or `danger_to_others`; anything else is answered as distress.
        seed: Chooses among the wordings; the same seed gives the same words.
    """
    words = _words(language)
    wordings = words.get(kind) if kind in {"abuse", "danger_to_others"} else None
    said = _choose(wordings or words["distress"], seed)
    contact = " ".join(contact_text.split())
    person = words["contact"].replace("{contact}", contact) if contact else words["person"]
    return said.replace("{person}", person)


def back_to_task_reply(language: str, *, seed: int = 0) -> str:
    """Return the one sentence that answers insults, hate and sexual content."""
    return _choose(_words(language)["back_to_task"], seed)


def _choose(wordings: list[str], seed: int) -> str:
    return wordings[seed % len(wordings)]


def _words(language: str) -> dict[str, Any]:
    all_words = _load()
    words: dict[str, Any] = all_words.get(language.split("-")[0].lower(), all_words["en"])
    return words


@cache
def _load() -> dict[str, Any]:
    return tomllib.loads((resources.files(__package__) / "care.toml").read_text(encoding="utf-8"))
