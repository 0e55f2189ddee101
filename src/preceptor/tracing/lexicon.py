"""Words of a trace, and the tokens of a learner's line."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib import resources
from typing import Literal

MARKERS = ("open", "closed", "visited", "expand", "add", "update", "path", "cost", "stop", "fail", "start", "ignore")
"""Kinds of words that open a segment of a line."""
TokenKind = Literal["node", "num", "inf", "label", "parent", "op", "left", "right", "sep", "arrow", "word"]

_PLACE = r"(?:\b(?:to|in|into|from|of|onto|on|off|out of|aus|in die|zur|de|en|a|从|到)\s+(?:the\s+|la\s+|der\s+)?)"
_NOT_RUNS = {
    "BFS",
    "DFS",
    "UCS",
    "OPEN",
    "CLOSED",
    "GOAL",
    "START",
    "END",
    "ADD",
    "POP",
    "STOP",
    "PATH",
    "NODE",
    "STEP",
}
NUMBER = r"\d+(?:\.\d+)?(?:/\d+)?"
"""A number as people write it: 7, 3.5, 7/2. See `read_number`."""
MOST_DIGITS = 60
"""Longest number that is read, characters. (chosen: as in the numbers of a text)"""


@dataclass(frozen=True, kw_only=True)
class Token:
    """One piece of a line."""

    kind: TokenKind
    text: str
    value: Fraction | None = None
    end: int = 0


@cache
def words() -> dict[str, tuple[str, ...]]:
    """Return kind → words, lower case."""
    raw = tomllib.loads(resources.files(__package__).joinpath("words.toml").read_text(encoding="utf-8"))
    return {kind: tuple(one.casefold() for one in listed) for kind, listed in raw.items()}


@cache
def _marker_pattern() -> re.Pattern[str]:
    rows = sorted(((word, kind) for kind in MARKERS for word in words()[kind]), key=lambda row: -len(row[0]))
    place = "|".join(re.escape(word) for word in sorted(words()["open"] + words()["closed"], key=len, reverse=True))
    parts = [rf"(?P<noise>{_PLACE}(?:{place})\b(?!\s*[:=]))"]
    for kind in MARKERS:
        listed = "|".join(_bounded(word) for word, its in rows if its == kind)
        parts.append(f"(?P<{kind}>{listed})")
    return re.compile("|".join(parts), re.IGNORECASE)


def _bounded(word: str) -> str:
    """Return a word's pattern; Chinese words have no boundaries."""
    if re.search(r"[\u3400-\u9fff]", word):
        return re.escape(word)
    return rf"(?<![\w*]){re.escape(word)}(?!\w)"


@dataclass(frozen=True, kw_only=True)
class Segment:
    """A marker and the text up to the next one."""

    marker: str
    """One of `MARKERS`; empty before the first."""
    word: str
    text: str


def segments(line: str, names: frozenset[str]) -> list[Segment]:
    """Return a line cut at its marker words; names of nodes are never markers."""
    cuts: list[tuple[int, int, str, str]] = []
    for hit in _marker_pattern().finditer(line):
        kind = hit.lastgroup or ""
        if hit.group() in names:
            continue
        cuts.append((hit.start(), hit.end(), kind, hit.group().casefold()))
    if not cuts:
        return [Segment(marker="", word="", text=line)]
    found = [Segment(marker="", word="", text=line[: cuts[0][0]])]
    for i, (_, end, kind, word) in enumerate(cuts):
        text = line[end : cuts[i + 1][0] if i + 1 < len(cuts) else len(line)]
        if kind == "noise":
            last = found[-1]
            found[-1] = Segment(marker=last.marker, word=last.word, text=f"{last.text} {text}")
        else:
            found.append(Segment(marker=kind, word=word, text=text))
    return found


class Tokenizer:
    """Cuts text into tokens, knowing the names of a problem's nodes."""

    def __init__(self, names: Iterable[str]) -> None:
        """Prepare for these names; lower case is accepted where no two names differ only by it."""
        self.names = frozenset(names)
        folded: dict[str, str] = {}
        for name in self.names:
            folded[name.casefold()] = "" if name.casefold() in folded else name
        self._folded = {low: name for low, name in folded.items() if name}
        self.single = all(len(name) == 1 for name in self.names)
        alternatives = "|".join(self._name(name) for name in sorted(self.names, key=len, reverse=True))
        node = rf"(?P<node>(?<![\w*])(?:{alternatives})(?!\*))"
        lower = r"[fgh]" if {"f", "g", "h"}.isdisjoint(self.names) else r"(?!)"
        upper = "".join(letter for letter in "FGH" if letter not in self.names)
        letter = f"(?-i:{lower}{f'|[{upper}]' if upper else ''})"
        self._pattern = re.compile(
            r"(?P<skip>(?<!\w)g\s*\+\s*h(?!\w))|"
            rf"(?P<label>(?<![\w]){letter}(?:\s*\(\s*(?:{alternatives}|n)\s*\)|_(?:{alternatives}))?\s*(?=[=:]|\s\d))|"
            rf"(?P<cost>(?<!\w)(?:cost|dist|distance|kosten|coste|priority)\s*(?:of|=|:)?\s*(?=\d))|"
            rf"(?P<parent>(?<!\w)(?:parent|predecessor|pred|via|from|came from|von|desde|"
            r"padre)\b\s*[:=]?|←|<-+(?!>)|父节点)|"
            rf"{node}|(?P<num>(?<![\d.])-?{NUMBER})|(?P<inf>∞|\binf(?:inity)?\b)|"
            r"(?P<arrow>-+>|=>|→|⇒|➔)|"
            r"(?P<left>[(\[{<])|(?P<right>[)\]}>])|"
            r"(?P<sep>[,;|、，；]|\band\b|\bund\b|\by\b|\bthen\b|和)|(?P<op>[+=:：]|[-–—](?=\s*\S))|(?P<word>[^\W\d_]+\*?|\S)",
            re.IGNORECASE,
        )

    @staticmethod
    def _name(name: str) -> str:
        if name.startswith("("):
            return re.escape(name).replace(",", r"\s*,\s*").replace(r"\(", r"\(\s*", 1).replace(r"\)", r"\s*\)")
        return re.escape(name) + (r"(?!\w)" if name[-1].isdigit() else r"(?![^\W\d_])")

    def node(self, text: str) -> str | None:
        """Return the node of that name, lower case allowed; `None`: there is none."""
        text = re.sub(r"\s+", "", text)
        return text if text in self.names else self._folded.get(text.casefold())

    def tokens(self, text: str, *, exact: bool = False) -> list[Token]:
        """Return the tokens of a text.

        Args:
            text: Any text.
            exact: A lower-case letter is a node only where the problem writes it so: in prose, "a" is a word.
        """
        found: list[Token] = []
        for hit in self._pattern.finditer(text):
            kind, said = hit.lastgroup or "word", hit.group()
            if kind == "skip":
                continue
            if kind == "node" and exact and len(said) == 1 and said not in self.names:
                kind = "word"
            if kind == "word":
                found += self._run(said, hit.end())
            elif kind == "node":
                found.append(Token(kind="node", text=self.node(said) or said, end=hit.end()))
            elif kind in {"label", "cost"}:
                label = said.strip()[0].lower() if kind == "label" else "f" if said.lower().startswith("prio") else "g"
                inside = re.search(r"[(_]\s*(.+?)\s*\)?\s*$", said) if kind == "label" else None
                node = self.node(inside.group(1)) if inside else None
                if node:
                    found.append(Token(kind="node", text=node, end=hit.end()))
                found.append(Token(kind="label", text=label, end=hit.end()))
            elif kind == "num":
                found.append(Token(kind="num", text=said, value=read_number(said), end=hit.end()))
            else:
                found.append(Token(kind=kind, text=said, end=hit.end()))  # type: ignore[arg-type]
        return found

    def _run(self, said: str, end: int) -> list[Token]:
        """Return letters written together as nodes (SABG), or a word."""
        if self.single and len(said) > 1 and said.upper() not in _NOT_RUNS and all(one in self.names for one in said):
            return [Token(kind="node", text=one, end=end) for one in said]
        return [Token(kind="word", text=said, end=end)]


def read_number(text: str) -> Fraction | None:
    """Return the value of what `NUMBER` found, with or without a sign; `None`: it divides by 0, or is too long."""
    above, _, below = text.partition("/")
    if len(text) > MOST_DIGITS or (below and not int(below)):
        return None
    return Fraction(above) / int(below or 1)
