"""A file's pages as lines and sentences with their place: headings, marked terms, prose. Nothing is judged here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from preceptor.concepts.concept_name import clean_name, fold_name
from preceptor.concepts.reader import Material, MaterialPage

LineKind = Literal["heading", "title", "prose", "entry"]
"""`title`: a line that is one marked phrase; `entry`: a list line that begins with a marked term and explains it."""

_HEADING = re.compile(r"^#{1,6}\s+(.+?)\s*#*$")
_UNDERLINE = re.compile(r"^([=\-~^\"+*])\1{2,}\s*$")
_SKIP = re.compile(r"^\s*(?:\[image|!\[|\||\.\. |:\w+:|```|\[code|</?\w+|=== |\?\?\? |!!! |author:|-{3,}\s*$)")
_ONLY_MARKED = re.compile(r"^(?:>\s*)?(\*\*|__|\*)([^*_]+)\1[:.]?$")
_ENTRY = re.compile(r"^(?:[-*•]\s+|\d+[.)]\s+)?(?:\*\*|:term:`)([^*`]{2,60})(?:\*\*|`)\s*(?:[:：—–]|\s-\s)\s*(\S.+)$")
_PLAIN_ENTRY = re.compile(r"^(?:[-*•]\s+)?([^:：.!?—]{2,50}?)\s*(?:[:：—]|\s[–-]\s)\s*(\S.+)$")
_GLOSSARY = re.compile(
    r"^(?:glossary|key terms?|key concepts|vocabulary|definitions|glosario|"
    r"terminos clave|vocabulario|glossaire|lexique|mots cles|"
    r"glossar|wichtige begriffe|fachbegriffe|مصطلحات|المصطلحات|قاموس المصطلحات|术语表|术语|关键词|名词解释)$"
)
_EXERCISES = re.compile(
    r"(?:exercise|practice|homework|review problem|self check|"
    r"ejercicio|practica|exercice|ubung|aufgaben|تمارين|习题|练习)"
)
MARKED = re.compile(
    r"(?<![*\w])\*\*([^*\n]{2,60})\*\*(?!\*)|:term:`([^`<]{2,60}?)(?:\s*<[^>`]*>)?`|<(?:b|strong|dfn)>([^<]{2,60})</"
)
EMPHASISED = re.compile(r"(?<![*\w])[*_]([^*_\n]{2,60})[*_](?![*\w])|<(?:i|em)>([^<]{2,60})</")
_SENTENCE_END = re.compile(r"(?<=[.!?؟])[\"”)]?\s+(?=[^\sa-z])|(?<=[。！？．；])|\n")


@dataclass(frozen=True, kw_only=True)
class Line:
    """One line of prose, heading or entry."""

    kind: LineKind
    text: str
    page: int
    place: int
    """Characters of the file before it."""
    term: str | None = None
    """Of an entry: what it explains."""
    exercise: bool = False
    """It stands among exercises: it uses concepts and introduces none."""


@dataclass(frozen=True, kw_only=True)
class Sentence:
    """One sentence with its marks."""

    text: str
    page: int
    place: int


def lines_of(material: Material) -> tuple[Line, ...]:
    """Return a file's lines in reading order; images, tables, directives and code are left out."""
    out: list[Line] = []
    place, heading = 0, ""
    for page in material.pages:
        for line in _page_lines(page, place, heading):
            if line.kind == "heading":
                heading = line.text
            out.append(line)
        place += len(page.text) + 1
    return tuple(out)


def sentences_of(line: Line) -> Iterator[Sentence]:
    """Yield the sentences of a line of prose or of an entry."""
    start = 0
    for end in [*(match.start() for match in _SENTENCE_END.finditer(line.text)), len(line.text)]:
        text = line.text[start:end].strip()
        if text:
            yield Sentence(text=text, page=line.page, place=line.place + start)
        start = end


def unmarked(text: str) -> str:
    """Return a text without emphasis, roles and link targets."""
    text = re.sub(r":\w{1,20}:`([^`<\n]{1,100}?)(?:\s{0,3}<[^>`]{0,100}>)?`", r"\1", text)
    text = re.sub(r"\[([^\]\[\n]{1,200})\]\([^()\n]{0,300}\)", r"\1", text)
    text = re.sub(r"<[^>]{1,40}>", "", text).replace("\\*", "∗")
    return " ".join(re.sub(r"\*\*|(?<![\w*])[*_](?=\w)|(?<=\w)[*_](?![\w*])|`", "", text).split()).replace("∗", "*")


def _page_lines(page: MaterialPage, place: int, heading: str) -> Iterator[Line]:
    given = {fold_name(name) for name in page.headings}
    rows = page.text.splitlines(keepends=True)
    glossary, exercise = _about(heading)
    paragraph: list[str] = []
    start = at = place
    for row, after in zip(rows, [*rows[1:], ""], strict=False):
        bare = row.strip()
        marked = _HEADING.match(bare)
        title = marked[1] if marked else bare if bare and _is_heading(bare, after.strip(), given) else None
        entry = _entry(bare, glossary) if title is None else None
        only = _ONLY_MARKED.match(bare) if title is None else None
        ends = title is not None or entry is not None or only is not None or not bare or _is_skipped(bare)
        if ends and paragraph:
            yield Line(kind="prose", text=" ".join(paragraph), page=page.page, place=start, exercise=exercise)
            paragraph = []
        if title is not None:
            glossary, exercise = _about(title)
            yield Line(kind="heading", text=clean_name(title), page=page.page, place=at)
        elif entry is not None:
            yield Line(kind="entry", text=entry[1], page=page.page, place=at, term=entry[0], exercise=exercise)
        elif only is not None:
            yield Line(kind="title", text=clean_name(only[2]), page=page.page, place=at, exercise=exercise)
        elif not ends:
            if not paragraph:
                start = at
            paragraph.append(re.sub(r"^>\s*", "", bare))
        at += len(row)
    if paragraph:
        yield Line(kind="prose", text=" ".join(paragraph), page=page.page, place=start, exercise=exercise)


def _is_heading(bare: str, after: str, given: set[str]) -> bool:
    if _UNDERLINE.match(bare):
        return False
    if _UNDERLINE.match(after) and len(after) >= len(bare) - 2:
        return True
    return bool(given) and len(bare) <= 120 and fold_name(bare) in given


def _is_skipped(bare: str) -> bool:
    return bool(_SKIP.match(bare) or _UNDERLINE.match(bare))


def _entry(bare: str, glossary: bool) -> tuple[str, str] | None:
    match = _ENTRY.match(bare) or (_PLAIN_ENTRY.match(bare) if glossary else None)
    return (clean_name(match[1]), match[2]) if match and len(match[2].split()) + len(match[2]) // 8 >= 3 else None


def _about(heading: str) -> tuple[bool, bool]:
    """Return (its entries are a glossary, its text is exercises)."""
    folded = fold_name(heading)
    return bool(_GLOSSARY.match(folded)), bool(_EXERCISES.search(folded))
