"""Fitting the head that tells a reply's kind of move, on MathDial's teachers: `preceptor heads train --kind moves`."""

from __future__ import annotations

import hashlib
import json
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from preceptor.domain.tutor_evidence import TutorMove
from preceptor.errors import InputError
from preceptor.maths.step_graph import build_step_graph
from preceptor.pedagogy.dialogue_formats import problem_of, read_dialogues
from preceptor.pedagogy.softmax_fit import fit_wide_softmax
from preceptor.pedagogy.turn_context import TurnContext
from preceptor.pedagogy.tutor_move_features import move_features
from preceptor.pedagogy.tutor_move_head import MoveHead
from preceptor.pedagogy.tutor_move_manner import HABIT
from preceptor.pedagogy.tutor_move_shape import GRAM
from preceptor.pedagogy.tutor_move_space import MoveSpace, Rows, nearness

RIDGE = 300.0
"""Penalty on the squared weights of standardised features. (30 to 600 do not tell one from another on folds)"""
RIDGE_OF_GRAMS = 0.4
"""The same for runs of a reply's shape."""
RIDGE_OF_HABITS = 0.8
"""The same for runs of the tutor's earlier replies."""
RIDGE_OF_NEARNESS = 0.25
"""The same for nearness to kinds of reply."""
LEAST_REPLIES = 5
"""Replies that must have a run for it to count. (5 and 15 on folds: .640, .634)"""
LEAST_HABITS = 15
"""Replies before which the tutor must have used a run for it to count."""
AXES = 40
"""Main axes of the features. (20, 40, 100 and all on folds: .646, .658, .654, .651)"""
POINTS = 400
"""Kinds of reply. (150 and 400 on folds: .652, .660)"""
_STREAM = 20250606
_LEAST_SQUARE = 1e-4
"""Added to how near points are to themselves, so that two that coincide do not divide by 0."""
_STEPS = 150
_TAG = re.compile(r"^\((focus|probing|telling|generic)\)")
_CARD: Mapping[str, object] = {
    "what": "multinomial logistic regression over computed features of a reply and of the tutor's earlier ones, runs "
    "of their shapes, and nearness to points; weights in that order, the intercept last",
    "fitted_on": "MathDial, moves that teachers chose while they wrote (Macina et al., Findings of EMNLP 2023)",
    "licence": "CC BY-SA 4.0; these weights are under CC BY-SA 4.0 too",
    "contains": "numbers under names of our own and words of our own list; each point is 40 numbers that sum up one "
    "reply's features; no other word of any learner or tutor",
    "limits": "English; grade-school word problems; each label is one teacher's own, and knowing the teacher's habits "
    "is a part of how well it does: less on tutors it was not fitted on",
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
    moves = tuple(TutorMove)
    chosen = np.array([moves.index(row.move) for row in rows], dtype=np.intp)
    space = _space_of(facts)
    matrix = space.rows(facts)
    evened = _evened(space)
    matrix[:, -len(evened) :] = matrix[:, -len(evened) :] @ evened
    penalty = np.repeat(
        [RIDGE, RIDGE_OF_GRAMS, RIDGE_OF_HABITS, RIDGE_OF_NEARNESS, 1e-3],
        [len(space.features), len(space.grams), len(space.habits), len(space.points), 1],
    )
    table = fit_wide_softmax(matrix, chosen, len(moves), penalty, most_steps=_STEPS, least_change=1e-4)
    table[-len(evened) - 1 : -1] = evened @ table[-len(evened) - 1 : -1]
    return MoveHead(
        space=space,
        weights={move: tuple(round(float(w), 4) for w in row) for move, row in zip(moves, table.T, strict=True)},
        card={**_CARD, **(card or {}), "rows": len(rows), "ridge": RIDGE},
        fitted_on=frozenset(row.dialogue_id for row in rows),
    )


def _space_of(facts: Sequence[Mapping[str, float]]) -> MoveSpace:
    """Return the columns that these replies give: every feature, frequent runs, and points drawn among the replies."""
    counts = Counter(name for fact in facts for name in fact)
    features = tuple(dict.fromkeys(name for fact in facts for name in fact if not name.startswith((GRAM, HABIT))))
    told = [np.array([fact[name] for fact in facts if name in fact]) for name in features]
    spread = [float(values.std()) for values in told]
    flat = MoveSpace(
        features=features,
        centre=tuple(round(float(values.mean()), 5) for values in told),
        scale=tuple(round(one, 5) if one >= 1e-4 else 1.0 for one in spread),
        grams=_frequent(counts, GRAM, LEAST_REPLIES, len(facts)),
        habits=_frequent(counts, HABIT, LEAST_HABITS, len(facts)),
        axes=(),
        points=(),
        width=1.0,
    )
    standard = flat.standard(facts)
    axes = np.round(np.linalg.svd(standard, full_matrices=False)[2][:AXES], 4)
    places = standard @ axes.T
    # RandomState, since its stream is frozen across numpy's versions, a Generator's is not
    drawn = np.random.RandomState(_STREAM).choice(len(facts), min(POINTS, len(facts)), replace=False)
    return replace(
        flat,
        axes=tuple(map(tuple, axes.tolist())),
        points=tuple(map(tuple, np.round(places[drawn], 2).tolist())),
        width=round(float(places.var(axis=0).sum()), 3) or 1.0,
    )


def _frequent(counts: Mapping[str, int], kind: str, least: int, n_replies: int) -> dict[str, float]:
    """Return the runs that enough replies have, with their inverse document frequency."""
    names = sorted(name for name, n in counts.items() if name.startswith(kind) and n >= least)
    return {name: round(1 + math.log(n_replies / counts[name]), 2) for name in names}


def _evened(space: MoveSpace) -> Rows:
    """Return what makes nearness to the points into columns whose inner products are the nearness of two replies."""
    points = np.array(space.points)
    squares, turned = np.linalg.eigh(nearness(points, points, space.width))
    found: Rows = turned / np.sqrt(np.maximum(squares, 0.0) + _LEAST_SQUARE) @ turned.T
    return found


def digest_moves(path: Path) -> str:
    """Return the SHA-256 of the file that the head is fitted on."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
