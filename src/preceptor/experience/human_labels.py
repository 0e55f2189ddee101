"""Replies that human raters labelled (MRBench), read for training and measuring the critic's heads.

The tutor's name is kept for holding tutors out; it is not part of what the critic sees.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from preceptor.domain.dialogue import Turn
from preceptor.domain.problem import Problem
from preceptor.errors import InputError
from preceptor.experience.critic import ReviewedTurn
from preceptor.maths.step_graph import build_step_graph
from preceptor.pedagogy.builtin_observer import BuiltinObserver
from preceptor.pedagogy.dialogue_formats import UNKNOWN_PROBLEM, join_turns
from preceptor.pedagogy.turn_context import TurnContext

LABELS = ("No", "To some extent", "Yes")
"""The raters' answers, worst first; never merged."""

HUMAN_TUTORS = frozenset({"Expert", "Novice"})

_FIELDS = {
    "Mistake_Identification": "identification",
    "Mistake_Location": "location",
    "Providing_Guidance": "guidance",
    "Actionability": "actionability",
    "Coherence": "coherence",
    "Tutor_Tone": "tone",
}
_TONES = {"Offensive": "No", "Neutral": "To some extent", "Encouraging": "Yes"}


@dataclass(frozen=True, kw_only=True)
class LabelledReply:
    """One reply with what the raters said of it."""

    reply_id: str
    """Line, conversation and tutor: a conversation may occur twice."""
    moment: str
    """The learner moment that this and other replies answer."""
    group: str
    """The problem: the unit of folds and of resampling."""
    tutor: str
    turn: ReviewedTurn
    labels: Mapping[str, str]
    """Head → one of `LABELS`; coherence and tone only where the older release has them."""


def read_labelled_replies(folder: Path) -> list[LabelledReply]:
    """Return the replies of `mrbench/v3_dev.jsonl` under a data folder, with the older release's extra labels.

    Reference solutions are not in that file: they are looked up by the problem's text in the older release, MathDial
    and GSM8K, where these lie beside it.

    Raises:
        InputError: The file is missing.
    """
    path = folder / "mrbench" / "v3_dev.jsonl"
    if not path.is_file():
        raise InputError(f"{folder}: expected mrbench/v3_dev.jsonl in it")
    groups, older, solutions = _groups(folder), _older_labels(folder), _solutions(folder)
    observer = BuiltinObserver()
    replies: list[LabelledReply] = []
    for number, row in enumerate(_lines(path), start=1):
        history = str(row["conversation_history"])
        context = _context(history, solutions)
        observation = observer.observe_now(context)
        conversation = str(row["conversation_id"])
        for tutor, one in row["tutor_responses"].items():
            labels = {**older.get((_key(history), tutor), {}), **_labels(one["annotation"])}
            turn = ReviewedTurn(context=context, observation=observation, reply=str(one["response"]))
            replies.append(
                LabelledReply(
                    reply_id=f"{number}/{conversation}/{tutor}",
                    moment=str(number),
                    group=groups.get(conversation, _key(context.problem.text + history[:200])),
                    tutor=str(tutor),
                    turn=turn,
                    labels=labels,
                )
            )
    return replies


def digest_labels(folder: Path) -> str:
    """Return the SHA-256 of the file the heads are fitted on."""
    return hashlib.sha256((folder / "mrbench" / "v3_dev.jsonl").read_bytes()).hexdigest()


def fold_of(group: str, folds: int) -> int:
    """Return a problem group's fold: by hash, so that it never depends on the other rows."""
    return int(hashlib.sha256(group.encode()).hexdigest(), 16) % folds


def _labels(annotation: Mapping[str, str]) -> dict[str, str]:
    named = {_FIELDS[name]: str(value) for name, value in annotation.items() if name in _FIELDS}
    return {name: _TONES.get(value, value) for name, value in named.items()}


def _context(text: str, solutions: Mapping[str, tuple[str, str | None]]) -> TurnContext:
    """Return the turn to be answered: the history's last learner utterance."""
    messages = []
    for part in re.split(r"\n\s*(?=(?:Tutor|Student):)", text.replace("\u00a0", " ")):
        speaker, _, said = part.strip().partition(":")
        messages.append((speaker == "Student", said.strip()))
    turns = join_turns(messages)
    asked = re.search(r"The question is:\s*(.*)", turns[0].tutor or "", re.DOTALL)
    if asked:
        turns = (Turn(learner=turns[0].learner, tutor=(turns[0].tutor or "")[: asked.start()].strip()), *turns[1:])
    problem_text = asked.group(1).strip() if asked else UNKNOWN_PROBLEM
    solution, answer = solutions.get(_key(problem_text), (None, None)) if asked else (None, None)
    problem = Problem(problem_id=_key(text)[:12], text=problem_text, solution=solution, answer=answer)
    graph = build_step_graph(problem_text, solution, answer) if solution else None
    return TurnContext(problem=problem, graph=graph, history=turns[:-1], utterance=turns[-1].learner)


def _key(text: str) -> str:
    return hashlib.sha256(re.sub(r"\W+", " ", text.replace("\u00a0", " ")).strip().lower().encode()).hexdigest()


def _groups(folder: Path) -> dict[str, str]:
    table = folder / "mrbench" / "problem_groups.tsv"
    if not table.is_file():
        return {}
    with table.open(encoding="utf-8") as stream:
        return {row["conversation_id"]: row["problem_group"] for row in csv.DictReader(stream, delimiter="\t")}


def _older_labels(folder: Path) -> dict[tuple[str, str], dict[str, str]]:
    return {
        (_key(str(row["conversation_history"])), tutor): _labels(one["annotation"])
        for row in _lines(folder / "mrbench" / "v2.jsonl")
        for tutor, one in row["anno_llm_responses"].items()
    }


def _solutions(folder: Path) -> dict[str, tuple[str, str | None]]:
    """Return key of a problem's text → its worked solution and answer."""
    known: dict[str, tuple[str, str | None]] = {}
    for name in ("train.jsonl.gz", "test.jsonl"):
        for row in _lines(folder / "gsm8k" / name):
            known[_key(str(row["question"]))] = (str(row["answer"]), None)
    for row in _lines(folder / "mathdial" / "dialogues.jsonl"):
        known.setdefault(_key(str(row["question"])), _split(str(row["ground_truth"])))
    for row in _lines(folder / "mrbench" / "v2.jsonl"):
        asked = re.search(
            r"The question is:\s*(.*?)(?=\n\s*(?:Student|Tutor):|$)", str(row["conversation_history"]), re.DOTALL
        )
        solution = str(row["Ground_Truth_Solution"])
        if asked and solution not in {"Not Available", "None", ""}:
            known.setdefault(_key(asked.group(1)), _split(solution))
    return known


def _split(solution: str) -> tuple[str, str | None]:
    """Return the steps and the answer of a solution whose last line is the answer."""
    steps, _, answer = solution.strip().rpartition("\n")
    return (steps, answer.strip()) if steps.strip() else (answer, None)


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    if not path.is_file():
        return
    opened = gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8")
    with opened as stream:
        for line in stream:
            if line.strip():
                yield json.loads(line)


@dataclass(frozen=True, kw_only=True)
class ExpertPair:
    """A novice's real reply and what an expert teacher would have said instead, to the same learner."""

    pair_id: str
    group: str
    """The conversation."""
    novice: ReviewedTurn
    expert: ReviewedTurn


def read_expert_pairs(path: Path) -> list[ExpertPair]:
    """Return the pairs of a Bridge file whose two replies differ; a reply's messages are joined.

    Raises:
        InputError: The file is missing.
    """
    if not path.is_file():
        raise InputError(f"{path}: no such file")
    observer = BuiltinObserver()
    pairs: list[ExpertPair] = []
    for number, row in enumerate(_lines(path), start=1):
        turns = join_turns((message["user"] == "student", str(message["text"]).strip()) for message in row["c_h"])
        if not turns or turns[-1].tutor is not None:
            continue
        problem = Problem(problem_id=f"bridge-{number}", text=UNKNOWN_PROBLEM)
        context = TurnContext(problem=problem, graph=None, history=turns[:-1], utterance=turns[-1].learner)
        observation = observer.observe_now(context)
        novice, expert = (
            ReviewedTurn(context=context, observation=observation, reply=_joined(row[name])) for name in ("c_r", "c_r_")
        )
        if novice.reply and expert.reply and novice.reply != expert.reply:
            conversation = str(row["c_id"]).split("_")[0]
            pairs.append(ExpertPair(pair_id=str(number), group=conversation, novice=novice, expert=expert))
    return pairs


def _joined(messages: list[dict[str, Any]]) -> str:
    return " ".join(str(message["text"]).strip() for message in messages if message["user"] == "tutor")
