"""Reads a language's two files of signs and compiles them: words, spellings, shields, task words, signs.

`signs/<language>.toml` holds expressions, `signs/<language>_slots.toml` sequences of word groups. Both are matched
against a folded text (`folding.py`): no accents, no apostrophes, no punctuation, a line feed between sentences.
`<name>` stands for the alternation `name` under `[words]`. Where a file says `bounded`, a pattern starts and ends
at the edge of a word.

In a slots file a word group is a row of alternatives between spaces (`_` is a space inside one, `*` any ending), and
a pattern is a row of slots: a word, a `<group>`, `(one|other)`, `~` for up to three words between, `~~` for up to
eight, `?` after a group or bracket that may be absent, `!` before what must not follow, `$` for the end of a sentence.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from typing import Any

LANGUAGES = ("en", "es", "fr", "de", "ar", "zh")
"""The languages whose signs are known."""

_MACRO = re.compile(r"<([a-z_]+)>")
_SCRIPT = {"ar": re.compile(r"[\u0621-\u064a]"), "zh": re.compile(r"[\u3400-\u9fff]")}
_BRACKETED = re.compile(r"\(\?:(.*)\)")
_LITERAL = re.compile(r"(?:[a-z0-9](?![?*{]))*")
"""What an alternative surely begins with."""
_LATIN = re.compile(r"[a-z]")
_WORD_GAPS = {"~": r"(?: [^ \n#]+){0,3}?", "~~": r"(?: [^ \n#]+){0,8}?"}
_CHARACTER_GAPS = {"~": r"[^\n#]{0,5}?", "~~": r"[^\n#]{0,14}?"}
"""Gaps of a slots file where the language sets no spaces."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Row:
    """One pattern, compiled when a text first has one of its keys."""

    source: str
    keys: frozenset[str]
    """The beginnings of words one of which the text must have; empty where no such words are known."""

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The compiled pattern."""
        return re.compile(self.source)


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
    unless: re.Pattern[str] | None
    """Does not count in a sentence that has this: a game, a story."""
    rows: tuple[Row, ...]


@dataclass(frozen=True, kw_only=True)
class LanguageSigns:
    """All rules of one language."""

    language: str
    shields: re.Pattern[str] | None
    """Phrases that only look like a sign; they are blanked before the signs are looked for."""
    task: re.Pattern[str]
    """Words that show that a sentence speaks of the task."""
    spellings: dict[str, str]
    """Short and wrong spellings and what they stand for: "abt" is "about"."""
    signs: tuple[Sign, ...]

    @cached_property
    def _rows_of_key(self) -> dict[str, list[Row]]:
        found: dict[str, list[Row]] = {}
        for row in (row for sign in self.signs for row in sign.rows):
            for key in row.keys or {""}:
                found.setdefault(key, []).append(row)
        return found

    def rows_worth_a_search(self, text: str) -> set[Row]:
        """Return the rows one of whose keys begins a word of the text, and the rows without keys."""
        beginnings = {word[:length] for word in set(text.split()) for length in range(1, len(word) + 1)} | {""}
        return {row for key in self._rows_of_key.keys() & beginnings for row in self._rows_of_key[key]}


def may_read(language: str, text: str) -> bool:
    """Return whether a folded text has letters of a language's script."""
    return bool(_SCRIPT.get(language, _LATIN).search(text))


@cache
def load_signs(language: str) -> LanguageSigns:
    """Return the compiled rules of one of LANGUAGES.

    Raises:
        KeyError: A pattern names a word group that the file does not define.
    """
    raw, slots = _read(language), _read(f"{language}_slots")
    bounded: bool = raw["bounded"]
    words = {name: "(?:" + "|".join(alternatives) + ")" for name, alternatives in raw["words"].items()}
    groups = {name: _group(row, bounded=bounded) for name, row in slots["words"].items()}

    def compiled(patterns: list[str]) -> re.Pattern[str]:
        return _compile([_expand(one, words) for one in patterns], bounded=bounded)

    def rows(patterns: list[str]) -> tuple[Row, ...]:
        return tuple(
            Row(
                source=_bound(_expand(_sequence(one, bounded=bounded), groups), bounded=bounded),
                keys=_keys(one, groups) if bounded and language != "ar" else frozenset(),
            )
            for one in patterns
        )

    def row(patterns: list[str]) -> tuple[Row, ...]:
        return (Row(source=compiled(patterns).pattern, keys=frozenset()),)

    signs = [_sign(one, row) for one in raw["sign"]] + [_sign(one, rows) for one in slots["sign"]]
    shields = [_expand(one, words) for one in raw["shields"]]
    shields += [_expand(_sequence(one, bounded=bounded), groups) for one in slots["shields"]]
    return LanguageSigns(
        language=language,
        shields=_compile(shields, bounded=bounded) if shields else None,
        task=compiled(raw["task"]),
        spellings={wrong: right for right, row in slots.get("spellings", {}).items() for wrong in row.split()},
        signs=tuple(signs),
    )


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads((resources.files(__package__) / "signs" / f"{name}.toml").read_text(encoding="utf-8"))


def _sign(row: dict[str, Any], rows: Callable[[list[str]], tuple[Row, ...]]) -> Sign:
    return Sign(
        kind=row["kind"],
        category=row["category"],
        severity=row["severity"],
        soft=row.get("soft", False),
        not_if_problem=re.compile(row["not_if_problem"]) if "not_if_problem" in row else None,
        unless=rows(row["unless"])[0].pattern if "unless" in row else None,
        rows=rows(row["patterns"]),
    )


def _bound(body: str, *, bounded: bool) -> str:
    return rf"(?<![^\W_])(?:{body})(?![^\W_])" if bounded else f"(?:{body})"


def _compile(bodies: list[str], *, bounded: bool) -> re.Pattern[str]:
    return re.compile(_bound("|".join(bodies), bounded=bounded))


def _keys(pattern: str, groups: dict[str, str]) -> frozenset[str]:
    """Return the beginnings of the words of the slot that says most about the text; empty where none can be told."""
    best: frozenset[str] = frozenset()
    for slot in pattern.split():
        if slot in _WORD_GAPS or slot == "$" or slot.startswith("!") or slot.endswith((")?", ">?")):
            continue
        alternatives = _alternatives(_expand(_slot(slot, bounded=True), groups))
        found = frozenset(_LITERAL.match(one).group() for one in alternatives)  # type: ignore[union-attr]
        if "" not in found and min(map(len, found)) >= min(map(len, best), default=0):
            best = found
    return best


def _alternatives(source: str) -> list[str]:
    """Return the top alternatives of an expression, brackets around all of it taken off."""
    found, depth, part = [], 0, ""
    for char in source:
        depth += (char == "(") - (char == ")")
        if char == "|" and depth == 0:
            found.append(part)
            part = ""
        else:
            part += char
    found.append(part)
    if len(found) == 1 and (inner := _BRACKETED.fullmatch(source)) and _is_one_bracket(source):
        return _alternatives(inner.group(1))
    return [deep for one in found for deep in (_alternatives(one) if one != source else [one])]


def _is_one_bracket(source: str) -> bool:
    depth = 0
    for place, char in enumerate(source):
        depth += (char == "(") - (char == ")")
        if depth == 0:
            return place == len(source) - 1
    return False


def _group(row: str, *, bounded: bool) -> str:
    return "(?:" + "|".join(_slot(one, bounded=bounded) for one in row.split()) + ")"


def _slot(slot: str, *, bounded: bool) -> str:
    """Return one slot or alternative as an expression: `*` is any ending, `_` a space, a bracket never captures."""
    slot = re.sub(r"\((?!\?)", "(?:", slot)
    return re.sub(r"(?<!\\w)(?<![\d)\]])\*", r"\\w*" if bounded else "", slot).replace("_", " ")


def _sequence(pattern: str, *, bounded: bool) -> str:
    """Return a row of slots as an expression; word groups are still named in it."""
    gaps, space = (_WORD_GAPS, " ") if bounded else (_CHARACTER_GAPS, "")
    edge = r"(?![^\W_])" if bounded else ""
    out, gap, due = "", "", ""
    for slot in pattern.split():
        if slot in gaps:
            gap = gaps[slot]
            continue
        if slot == "$":
            out += r"(?=\n|$)"
        elif slot.startswith("!"):
            out += f"(?!{gap}{due}{_slot(slot[1:], bounded=bounded)}{edge})"
        elif slot.endswith((")?", ">?")):
            body = _slot(slot[:-1], bounded=bounded)
            out += f"(?:{gap}{due}{body})?" if due or not bounded else f"(?:{body} )?"
        else:
            out += gap + due + _slot(slot, bounded=bounded)
            due = space
        gap = ""
    return out


def _expand(pattern: str, words: dict[str, str]) -> str:
    while _MACRO.search(pattern):
        pattern = _MACRO.sub(lambda found: words[found.group(1)], pattern)
    return pattern
