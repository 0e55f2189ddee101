"""Review sheets out and in: blind, each reviewer in an order of their own; who made what stands in a key apart."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict, ValidationError, field_validator

from preceptor.errors import InputError

Answer = Literal["yes", "no", "n/a"]
ANSWERS: tuple[Answer, ...] = get_args(Answer)
DIMENSIONS = ("identifying", "acknowledging", "scaffolding", "guidance", "naturalness", "encouraging")
"""Does the feedback: find the mistake; take up what is right; build on the learner's own step; say what to do next;
read like a teacher; keep the learner going. (seed: KITE's six)"""
SheetFormat = Literal["csv", "jsonl"]
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet would run: a cell that begins so gets an apostrophe."""


@dataclass(frozen=True, kw_only=True)
class ReviewItem:
    """What is to be judged: a work, what was said to it, and the work after."""

    item_id: str
    origin: str
    """Which run it comes from; reviewers do not see it."""
    first: str
    feedback: str
    second: str


class SheetKey(BaseModel):
    """Which line of which sheet is about which item; kept from reviewers."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    sheet_id: str
    reviewer: str
    item_id: str
    origin: str


class Review(BaseModel):
    """One line of a sheet that came back; the texts are not read again."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    sheet_id: str
    identifying: Answer | None = None
    acknowledging: Answer | None = None
    scaffolding: Answer | None = None
    guidance: Answer | None = None
    naturalness: Answer | None = None
    encouraging: Answer | None = None

    @field_validator(*DIMENSIONS, mode="before")
    @classmethod
    def _as_typed(cls, value: object) -> object:
        """Take "Yes", " no " and "NA" as what they mean; empty is unanswered."""
        if not isinstance(value, str):
            return value
        said = value.strip().lower()
        return {"": None, "na": "n/a", "y": "yes", "n": "no"}.get(said, said)

    def answer(self, dimension: str) -> Answer | None:
        """Return the answer on one of DIMENSIONS; `None`: left empty."""
        found: Answer | None = getattr(self, dimension)
        return found


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """One reviewer's lines in their order."""

    reviewer: str
    rows: tuple[dict[str, str], ...]
    keys: tuple[SheetKey, ...]


def make_sheet(items: Sequence[ReviewItem], reviewer: str, *, seed: int) -> Sheet:
    """Return a reviewer's sheet: ids that say nothing, in an order drawn for this reviewer.

    Raises:
        InputError: Two items have one id.
    """
    if len({item.item_id for item in items}) != len(items):
        raise InputError("items of a review must have different ids; expected each run under a name of its own")
    order = list(items)
    random.Random(f"{seed}|{reviewer}").shuffle(order)
    rows, keys = [], []
    for item in order:
        sheet_id = hashlib.sha256(f"{seed}|{reviewer}|{item.item_id}".encode()).hexdigest()[:10]
        texts = {"first_work": item.first, "feedback": item.feedback, "second_work": item.second}
        rows.append({"sheet_id": sheet_id, **texts, **dict.fromkeys(DIMENSIONS, "")})
        keys.append(SheetKey(sheet_id=sheet_id, reviewer=reviewer, item_id=item.item_id, origin=item.origin))
    return Sheet(reviewer=reviewer, rows=tuple(rows), keys=tuple(keys))


def sheet_text(sheet: Sheet, form: SheetFormat) -> str:
    """Return a sheet as CSV with a head, or as JSON lines."""
    if form == "jsonl":
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in sheet.rows)
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow(["sheet_id", "first_work", "feedback", "second_work", *DIMENSIONS])
    for row in sheet.rows:
        writer.writerow([f"'{cell}" if cell.startswith(_FORMULA) else cell for cell in row.values()])
    return written.getvalue()


def key_text(sheets: Iterable[Sheet]) -> str:
    """Return the key of all sheets as JSON lines."""
    return "".join(key.model_dump_json() + "\n" for sheet in sheets for key in sheet.keys)


def read_key(file: Path) -> list[SheetKey]:
    """Return a key.

    Raises:
        InputError: It cannot be read, or a line is no key; the message names the line.
    """
    found = []
    for number, line in enumerate(_text(file).splitlines(), start=1):
        try:
            found.append(SheetKey.model_validate_json(line))
        except ValidationError as error:
            raise InputError(f"{file}, line {number}: {error.errors()[0]['msg']}") from error
    return found


def read_sheet(file: Path, keys: Sequence[SheetKey]) -> list[Review]:
    """Return the answers of a sheet, CSV by its name, else JSON lines.

    Raises:
        InputError: It cannot be read, an answer is none of ANSWERS, a line is not in the key or stands twice.
    """
    known = {key.sheet_id for key in keys}
    found: dict[str, Review] = {}
    for number, row in _rows(file):
        try:
            review = Review.model_validate(row)
        except ValidationError as error:
            item = error.errors()[0]
            field = ".".join(str(part) for part in item["loc"])
            given = item["input"]
            raise InputError(
                f"{file}, row {number}: {field}: expected one of {', '.join(ANSWERS)}, got {given!r:.60}"
            ) from error
        if review.sheet_id not in known:
            raise InputError(f"{file}, row {number}: sheet_id {review.sheet_id!r:.60} is not in the key")
        if review.sheet_id in found:
            raise InputError(f"{file}, row {number}: sheet_id {review.sheet_id!r} stands twice")
        found[review.sheet_id] = review
    return list(found.values())


def _rows(file: Path) -> list[tuple[int, object]]:
    text = _text(file)
    if file.suffix.lower() == ".csv":
        start = text.partition("\n")[0]
        dialect = ";" if start.count(";") > start.count(",") else ","
        return list(enumerate(csv.DictReader(io.StringIO(text), delimiter=dialect), start=1))
    rows: list[tuple[int, object]] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if line.strip():
            try:
                rows.append((number, json.loads(line)))
            except json.JSONDecodeError as error:
                raise InputError(f"{file}, line {number}: not JSON ({error.msg})") from error
    return rows


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{file}: {error}") from error
