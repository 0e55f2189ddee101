"""Readers of dialogue formats: our own JSON lines, MathDial and Bridge, each to the domain's `Dialogue`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from preceptor.domain.dialogue import Dialogue, Turn
from preceptor.domain.problem import Problem
from preceptor.errors import InputError
from preceptor.record.json_lines import read_lines

FORMATS = ("jsonl", "mathdial", "bridge")
"""Names of the formats that can be read."""

UNKNOWN_PROBLEM = "The text of this problem is not known."
"""Stands for the problem of a dialogue that was recorded without one."""

_MOVE = re.compile(r"^\((?:focus|probing|telling|generic)\)\s*")
_MATHDIAL_LICENCE = "CC BY-SA 4.0"
_BRIDGE_LICENCE = "MIT"


def read_dialogues(path: str, form: str = "jsonl") -> Iterator[Dialogue]:
    """Yield the dialogues of a file, one a line; `-` reads standard input.

    Raises:
        InputError: The file cannot be read, or a line is not a dialogue of this format; the message names the
            line and the field.
    """
    yield from dialogues_of(read_lines(path), form=form, path=path)


def dialogues_of(records: Iterable[tuple[int, dict[str, Any]]], *, form: str, path: str = "-") -> Iterator[Dialogue]:
    """Yield one dialogue a record.

    Args:
        records: Pairs of a 1-based line number and the object on that line.
        form: One of `FORMATS`.
        path: Named in errors.

    A foreign data set may name several dialogues alike: the second one gets "-2" after its id, and so on.

    Raises:
        InputError: A record is not of this format; the message names the line and the field.
    """
    if form not in FORMATS:
        raise InputError(f"format must be one of {', '.join(FORMATS)}, got {form!r}")
    seen: Counter[str] = Counter()
    for number, record in records:
        try:
            name, make = _READERS[form](record)
            count = seen[name] + 1
            dialogue = make(name if count == 1 else f"{name}-{count}")
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise InputError(f"{path} line {number}: not a {form} dialogue ({_fault(error)})") from error
        seen[name] = count
        yield dialogue


def problem_of(dialogue: Dialogue) -> Problem:
    """Return the dialogue's problem, or one that says that its text is not known."""
    return dialogue.problem or Problem(problem_id=f"unknown-{dialogue.dialogue_id}", text=UNKNOWN_PROBLEM)


def join_turns(messages: Iterable[tuple[bool, str]]) -> tuple[Turn, ...]:
    """Return turns of one learner utterance and one reply, from (is_learner, text) in order.

    Messages of one speaker that follow each other become one, each on its own line. Where the tutor opens, the
    first `learner` is empty; where the learner speaks last, the last `tutor` is `None`.
    """
    turns: list[tuple[str, str | None]] = []
    for is_learner, text in messages:
        if is_learner:
            if turns and turns[-1][1] is None:
                turns[-1] = (f"{turns[-1][0]}\n{text}", None)
            else:
                turns.append((text, None))
        elif not turns:
            turns.append(("", text))
        else:
            learner, said = turns[-1]
            turns[-1] = (learner, text if said is None else f"{said}\n{text}")
    return tuple(Turn(learner=learner, tutor=tutor) for learner, tutor in turns)


_Reading = tuple[str, Callable[[str], Dialogue]]


def _mathdial(record: dict[str, Any]) -> _Reading:
    name = f"{record['qid']}-{record['scenario']}"

    def make(dialogue_id: str) -> Dialogue:
        solution, _, answer = str(record["ground_truth"]).strip().rpartition("\n")
        problem = Problem(
            problem_id=f"mathdial-{record['qid']}",
            text=record["question"].strip(),
            solution=solution.strip() or answer.strip(),
            answer=answer.strip() or None,
            source="MathDial",
            licence=_MATHDIAL_LICENCE,
        )
        messages: list[tuple[bool, str]] = []
        for message in record["conversation"].split("|EOM|"):
            speaker, _, text = message.partition(":")
            is_learner = speaker.strip() != "Teacher"
            text = text.strip()
            messages.append((is_learner, text if is_learner else _MOVE.sub("", text)))
        return Dialogue(
            dialogue_id=dialogue_id,
            problem=problem,
            turns=join_turns(messages),
            persona=record.get("student_profile"),
            source="MathDial",
            licence=_MATHDIAL_LICENCE,
        )

    return name, make


def _bridge(record: dict[str, Any]) -> _Reading:
    name = str(record["c_id"])

    def make(dialogue_id: str) -> Dialogue:
        messages = [(message["user"] == "student", str(message["text"]).strip()) for message in record["c_h"]]
        return Dialogue(
            dialogue_id=dialogue_id,
            problem=None,
            turns=join_turns(messages),
            source="Bridge",
            licence=_BRIDGE_LICENCE,
        )

    return name, make


def _json_line(record: dict[str, Any]) -> _Reading:
    name = _text(record, "dialogue_id")
    turns = record["turns"]
    if not isinstance(turns, list) or not turns:
        raise ValueError("turns must be a list with at least one turn")

    def make(dialogue_id: str) -> Dialogue:
        subject_id = record.get("subject_id") or "maths"
        return Dialogue(
            dialogue_id=dialogue_id,
            problem=_problem(record.get("problem"), dialogue_id, subject_id),
            turns=tuple(_turn(turn, place, len(turns)) for place, turn in enumerate(turns)),
            persona=_optional_text(record, "persona"),
            source=_optional_text(record, "source"),
            licence=_optional_text(record, "licence"),
            subject_id=subject_id,
        )

    return name, make


def _turn(turn: Any, place: int, count: int) -> Turn:
    if not isinstance(turn, dict):
        raise ValueError(f"turns[{place}] must be an object with learner and tutor")
    tutor = _optional_text(turn, "tutor")
    if tutor is None and place < count - 1:
        raise ValueError(f"turns[{place}].tutor must be text: only the last turn's may be null")
    return Turn(learner=_text(turn, "learner", empty=place == 0), tutor=tutor)


def _problem(record: Any, dialogue_id: str, subject_id: str) -> Problem | None:
    if record is None:
        return None
    if isinstance(record, str):
        record = {"text": record}
    if not isinstance(record, dict):
        raise ValueError("problem must be an object, a text or null")
    return Problem(
        problem_id=_optional_text(record, "problem_id") or f"of-{dialogue_id}",
        text=_text(record, "text"),
        solution=_optional_text(record, "solution"),
        answer=_optional_text(record, "answer"),
        language=_optional_text(record, "language") or "en",
        source=_optional_text(record, "source"),
        licence=_optional_text(record, "licence"),
        subject_id=subject_id,
    )


def _text(record: dict[str, Any], name: str, *, empty: bool = False) -> str:
    value = record[name]
    if not isinstance(value, str) or not (empty or value.strip()):
        raise ValueError(f"{name} must be {'text' if empty else 'non-empty text'}, got {value!r}")
    return value


def _optional_text(record: dict[str, Any], name: str) -> str | None:
    value = record.get(name)
    if value is None:
        return None
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise ValueError(f"{name} must be text or null, got {type(value).__name__}")
    return value


def _fault(error: Exception) -> str:
    return f"{error.args[0]} is missing" if isinstance(error, KeyError) else str(error)


_READERS: dict[str, Callable[[dict[str, Any]], _Reading]] = {
    "jsonl": _json_line,
    "mathdial": _mathdial,
    "bridge": _bridge,
}
