"""Reads a language's file of signs and compiles it: words, shields, task words, signs.

A pattern is matched against a folded text (`folding.py`): no accents, no apostrophes, no punctuation, a line feed
between sentences. `<name>` stands for the alternation `name` under `[words]`. Where a file says `bounded`, a
pattern starts and ends at the edge of a word.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib import resources

LANGUAGES = ("en", "es", "fr", "de", "ar", "zh")
"""The languages whose signs are known."""

_MACRO = re.compile(r"<([a-z_]+)>")
_SCRIPT = {"ar": re.compile(r"[\u0621-\u064a]"), "zh": re.compile(r"[\u3400-\u9fff]")}
_LATIN = re.compile(r"[a-z]")


@dataclass(frozen=True, kw_only=True)
class Sign:
    """One group of patterns with the same meaning."""

    kind: str
    category: str
    severity: int
    """1 to 3."""
    soft: bool
    """Does not count in a sentence that speaks of the task ("I am useless at fractions")."""
    not_if_problem: re.Pattern[str] | None
    """Does not count where the problem's text has this: "kms" beside kilometres."""
    pattern: re.Pattern[str]


@dataclass(frozen=True, kw_only=True)
class LanguageSigns:
    """All rules of one language."""

    language: str
    shields: re.Pattern[str] | None
    """Phrases that only look like a sign; they are blanked before the signs are looked for."""
    task: re.Pattern[str]
    """Words that show that a sentence speaks of the task."""
    signs: tuple[Sign, ...]

    def may_read(self, text: str) -> bool:
        """Return whether a folded text has letters of this language's script."""
        return bool(_SCRIPT.get(self.language, _LATIN).search(text))


@cache
def load_signs(language: str) -> LanguageSigns:
    """Return the compiled rules of one of LANGUAGES.

    Raises:
        KeyError: A pattern names a word group that the file does not define.
    """
    raw = tomllib.loads((resources.files(__package__) / "signs" / f"{language}.toml").read_text(encoding="utf-8"))
    words = {name: "(?:" + "|".join(alternatives) + ")" for name, alternatives in raw["words"].items()}

    def compiled(patterns: list[str]) -> re.Pattern[str]:
        body = "|".join(_expand(one, words) for one in patterns)
        return re.compile(rf"(?<![^\W_])(?:{body})(?![^\W_])" if raw["bounded"] else f"(?:{body})")

    signs = tuple(
        Sign(
            kind=row["kind"],
            category=row["category"],
            severity=row["severity"],
            soft=row.get("soft", False),
            not_if_problem=re.compile(row["not_if_problem"]) if "not_if_problem" in row else None,
            pattern=compiled(row["patterns"]),
        )
        for row in raw["sign"]
    )
    shields = compiled(raw["shields"]) if raw["shields"] else None
    return LanguageSigns(language=language, shields=shields, task=compiled(raw["task"]), signs=signs)


def _expand(pattern: str, words: dict[str, str]) -> str:
    while _MACRO.search(pattern):
        pattern = _MACRO.sub(lambda found: words[found.group(1)], pattern)
    return pattern
