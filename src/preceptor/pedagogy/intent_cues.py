"""The one rule table of what a learner's words signal: `intent_cues.toml`, read once, six languages."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources

LONGEST_READ = 4000
"""Characters of an utterance in which routes are looked for. (chosen: the longest message)"""


@cache
def cue(signal: str) -> re.Pattern[str]:
    """Return what a signal is found by; several signals joined by a blank: any of them.

    Raises:
        KeyError: The table has no such signal.
    """
    table = _table()
    lines = [line for name in signal.split() for lines in table[name].values() for line in lines]
    return re.compile("|".join(f"(?:{line})" for line in lines), re.IGNORECASE)


def signals_in(utterance: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return those of the named signals that fire, in the order given."""
    text = utterance[:LONGEST_READ].replace("’", "'")
    return tuple(name for name in names if cue(name).search(text))


@cache
def _table() -> Mapping[str, Mapping[str, list[str]]]:
    text = (resources.files(__package__) / "intent_cues.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)
