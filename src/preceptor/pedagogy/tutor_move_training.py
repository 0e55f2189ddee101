"""Fitting the head that tells a reply's kind of move, on MathDial's teachers: `preceptor heads train --kind moves`."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from preceptor.domain.tutor_evidence import TutorMove
from preceptor.errors import InputError
from preceptor.maths.step_graph import build_step_graph
from preceptor.pedagogy.dialogue_formats import problem_of, read_dialogues
from preceptor.pedagogy.softmax_fit import fit_softmax
from preceptor.pedagogy.turn_context import TurnContext
from preceptor.pedagogy.tutor_move_features import move_features
from preceptor.pedagogy.tutor_move_head import MoveHead, gram_row, standardise
from preceptor.pedagogy.tutor_move_shape import GRAM

RIDGE = 200.0
"""Penalty on the squared weights of standardised features. (30 to 600 do not tell one from another on folds)"""
RIDGE_OF_GRAMS = 1.0
"""The same for runs of a reply's shape."""
LEAST_REPLIES = 15
"""Replies that must have a run for it to count. (8 and 15 on folds: .590, .582 alone; the same with the features)"""
_STEPS = 150
_TAG = re.compile(r"^\((focus|probing|telling|generic)\)")
_CARD: Mapping[str, object] = {
    "what": "multinomial logistic regression over computed features of a reply; weights: features, then intercept",
    "fitted_on": "MathDial, moves that teachers chose while they wrote (Macina et al., Findings of EMNLP 2023)",
    "licence": "CC BY-SA 4.0; these weights are under CC BY-SA 4.0 too",
    "contains": "numbers under names of our own; no word of any learner or tutor",
    "limits": "English; grade-school word problems; each label is one teacher's own",
}


@dataclass(frozen=True, kw_only=True)
class LabelledMove:
    """A teacher's reply with the move that teacher chose."""

    dialogue_id: str
    problem: str
    """Text of the problem: the group of a fold."""
    reply: str
    context: TurnContext
    move: TutorMove


def read_labelled_moves(path: Path) -> list[LabelledMove]:
    """Return the labelled replies of a MathDial file; replies that join messages of several moves are left out.

    Raises:
        InputError: The file is missing or is not MathDial's.
    """
    if not path.is_file():
        raise InputError(f"{path}: no such file")
    with path.open(encoding="utf-8") as stream:
        records = [json.loads(line) for line in stream if line.strip()]
    found: list[LabelledMove] = []
    for record, dialogue in zip(records, read_dialogues(str(path), "mathdial"), strict=True):
        problem = problem_of(dialogue)
        graph = (
            build_step_graph(problem.text, problem.solution, problem.answer, problem.language)
            if problem.solution
            else None
        )
        moves = iter(_moves(record["conversation"]))
        for place, turn in enumerate(dialogue.turns):
            if turn.tutor is None:
                continue
            move = next(moves)
            context = TurnContext(problem=problem, graph=graph, history=dialogue.turns[:place], utterance=turn.learner)
            if move is not None:
                found.append(
                    LabelledMove(
                        dialogue_id=dialogue.dialogue_id,
                        problem=problem.text,
                        reply=turn.tutor,
                        context=context,
                        move=move,
                    )
                )
    return found


def _moves(conversation: str) -> list[TutorMove | None]:
    """Return the move of each reply; `None` where several messages follow each other or none is named."""
    moves: list[TutorMove | None] = []
    before = ""
    for message in conversation.split("|EOM|"):
        speaker, _, said = message.partition(": ")
        if speaker == "Teacher":
            tag = _TAG.match(said)
            if before == speaker:
                moves[-1] = None
            else:
                moves.append(TutorMove(tag.group(1)) if tag else None)
        before = speaker
    return moves


def fit_move_head(rows: Sequence[LabelledMove], *, card: Mapping[str, object] | None = None) -> MoveHead:
    """Return the head fitted on exactly these replies.

    Raises:
        ValueError: No rows.
    """
    if not rows:
        raise ValueError("need at least one labelled reply, got none")
    facts = [move_features(row.reply, row.context) for row in rows]
    features = tuple(name for name in facts[0] if not name.startswith(GRAM))
    seen = Counter(name for fact in facts for name in fact if name.startswith(GRAM))
    grams = tuple(sorted(name for name, count in seen.items() if count >= LEAST_REPLIES))
    places = {name: place for place, name in enumerate(grams)}
    matrix = np.array([[fact[name] for name in features] for fact in facts], dtype=np.float64)
    moves = tuple(TutorMove)
    chosen = np.array([moves.index(row.move) for row in rows], dtype=np.intp)
    centre, scale = matrix.mean(axis=0), matrix.std(axis=0)
    scale = np.where(scale < 1e-6, 1.0, scale)
    rows_of = np.column_stack([standardise(matrix, centre, scale), [gram_row(fact, places) for fact in facts]])
    penalty = np.concatenate([np.full(len(features), RIDGE), np.full(len(grams), RIDGE_OF_GRAMS), [1e-3]])
    table = fit_softmax(rows_of, chosen, len(moves), penalty, most_steps=_STEPS, least_change=1e-4)
    return MoveHead(
        features=features,
        centre=tuple(round(float(value), 5) for value in centre),
        scale=tuple(round(float(value), 5) for value in scale),
        grams=grams,
        weights={move: tuple(round(float(w), 4) for w in row) for move, row in zip(moves, table.T, strict=True)},
        card={**_CARD, **(card or {}), "rows": len(rows), "ridge": RIDGE},
        fitted_on=frozenset(row.dialogue_id for row in rows),
    )


def digest_moves(path: Path) -> str:
    """Return the SHA-256 of the file that the head is fitted on."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
