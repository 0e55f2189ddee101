"""Reading problems from the files others publish: one reader per format, each line to one `Problem`.

Ids are stable: importing the same file twice gives the same ids.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from preceptor.domain.problem import AnswerPolicy, Problem
from preceptor.errors import InputError

ProblemFormat = Literal["gsm8k", "math23k", "ape210k", "jsonl"]
PROBLEM_FORMATS: tuple[ProblemFormat, ...] = ("gsm8k", "math23k", "ape210k", "jsonl")

_FINAL_ANSWER = re.compile(r"^[ \t]*####[ \t]*(.*?)[ \t]*$", re.MULTILINE)


class _Gsm8kLine(BaseModel):
    """OpenAI's grade-school maths: the last line of `answer` is `#### N`."""

    question: str = Field(min_length=1)
    answer: str


class _EquationLine(BaseModel):
    """Math23K and APE210K: `equation` is `x=…`, `ans` the number."""

    id: str | int
    original_text: str = Field(min_length=1)
    equation: str
    ans: str | int | float


class _OwnLine(BaseModel):
    """Our own JSON lines: the `problem` object of the dialogue exchange format."""

    model_config = ConfigDict(extra="forbid")

    problem_id: str = Field(min_length=1, max_length=200)
    text: str
    solution: str | None = None
    answer: str | None = None
    language: str = "en"
    source: str | None = None
    licence: str | None = None
    subject_id: str = "maths"
    policy: AnswerPolicy = AnswerPolicy()


def parse_problem(line: Mapping[str, Any], form: ProblemFormat) -> Problem:
    """Return the problem of one line.

    Args:
        line: The JSON object.
        form: Which format the file is in.

    Raises:
        InputError: A field is missing or not what the format says; the message names it.
    """
    try:
        return _READERS[form](line)
    except ValidationError as error:
        first = error.errors(include_input=False, include_context=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise InputError(f"{where}: {first['msg']}") from error
    except ValueError as error:
        raise InputError(str(error)) from error


def _read_gsm8k(line: Mapping[str, Any]) -> Problem:
    row = _Gsm8kLine.model_validate(line)
    marks = list(_FINAL_ANSWER.finditer(row.answer))
    if not marks or not marks[-1].group(1):
        raise InputError("answer: expected a last line '#### N'")
    return Problem(
        problem_id=f"gsm8k-{_digest(row.question)}",
        text=row.question.strip(),
        solution=row.answer[: marks[-1].start()].strip() or None,
        answer=marks[-1].group(1).replace(",", ""),
        language="en",
        source="GSM8K",
        licence="MIT",
    )


def _digest(text: str) -> str:
    """Return an id that stays the same wherever in whichever file the text stands; GSM8K gives none."""
    return hashlib.sha256(" ".join(text.split()).encode()).hexdigest()[:12]


def _equation_reader(prefix: str, source: str) -> Callable[[Mapping[str, Any]], Problem]:
    def read(line: Mapping[str, Any]) -> Problem:
        row = _EquationLine.model_validate(line)
        answer = str(row.ans).strip()
        if not answer:
            raise InputError("ans: expected a number")
        return Problem(
            problem_id=f"{prefix}-{row.id}",
            text=row.original_text.strip(),
            solution=row.equation.strip() or None,
            answer=answer,
            language="zh",
            source=source,
            licence="MIT",
        )

    return read


def _read_own(line: Mapping[str, Any]) -> Problem:
    row = _OwnLine.model_validate(line)
    return Problem(**{name: getattr(row, name) for name in _OwnLine.model_fields})


_READERS: dict[ProblemFormat, Callable[[Mapping[str, Any]], Problem]] = {
    "gsm8k": _read_gsm8k,
    "math23k": _equation_reader("math23k", "Math23K"),
    "ape210k": _equation_reader("ape210k", "APE210K"),
    "jsonl": _read_own,
}
