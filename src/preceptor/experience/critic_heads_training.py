"""Fits the critic's heads on replies that human raters labelled. Needs nothing but numpy.

What makes a head hold for a tutor it has never seen: each training tutor has an intercept of its own, so that weights
say what is better inside one tutor's replies. The length of a reply is no feature: it mostly tells people from models.
The worth is fitted on pairs of replies to one learner moment, so it can only learn what is better there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from preceptor.experience.critic_evidence import LENGTHS, Evidence, gather_evidence
from preceptor.experience.critic_focus import FOCUS
from preceptor.experience.critic_heads import HEADS, Head, HeadTable, standardise
from preceptor.experience.critic_worth_training import WORTH_RIDGE, WORTH_TUTOR_RIDGE, fit_worth
from preceptor.experience.human_labels import LABELS, LabelledReply

RIDGE = 300.0
"""Penalty on the squared weights. (chosen on folds: 100 to 300 do not tell one from another, 30 is worse)"""
TUTOR_RIDGE = 3.0
"""Penalty on the training tutors' own intercepts."""
_PENALTIES = {
    "ridge": RIDGE,
    "tutor_ridge": TUTOR_RIDGE,
    "worth_ridge": WORTH_RIDGE,
    "worth_tutor_ridge": WORTH_TUTOR_RIDGE,
}
_NEWTON_STEPS = 10

Rows = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class TrainingReply:
    """A labelled reply with its evidence."""

    reply: LabelledReply
    evidence: Evidence


def with_evidence(replies: Sequence[LabelledReply]) -> list[TrainingReply]:
    """Return the replies with what can be computed about them."""
    return [TrainingReply(reply=reply, evidence=gather_evidence(reply.turn)) for reply in replies]


def fit_heads(rows: Sequence[TrainingReply], *, card: dict[str, object] | None = None) -> HeadTable:
    """Return heads fitted on exactly these replies.

    Args:
        rows: At least one reply of each label for each head that is to be fitted.
        card: Goes into the table as it is, with the number of replies added.

    Raises:
        ValueError: No rows.
    """
    if not rows:
        raise ValueError("need at least one labelled reply, got none")
    features = tuple(name for name in rows[0].evidence.values if name not in LENGTHS)
    matrix = np.array([[row.evidence.values[name] for name in features] for row in rows], dtype=np.float64)
    centre, scale = matrix.mean(axis=0), matrix.std(axis=0)
    scale = np.where(scale < 1e-6, 1.0, scale)
    matrix = standardise(matrix, centre, scale)
    weighed = np.array([not name.startswith(FOCUS) for name in features])
    heads = {}
    for name in HEADS:
        place = np.array([at for at, row in enumerate(rows) if name in row.reply.labels], dtype=np.intp)
        if not place.size:
            continue
        grades = np.array([LABELS.index(rows[at].reply.labels[name]) for at in place], dtype=np.float64)
        tutors = np.array([rows[at].reply.tutor for at in place])
        heads[name] = _fit_head(matrix[place], grades, tutors, weighed)
    return HeadTable(
        features=features,
        centre=tuple(round(float(value), 5) for value in centre),
        scale=tuple(round(float(value), 5) for value in scale),
        heads=heads,
        worth=fit_worth(matrix, [row.reply for row in rows]),
        card={**(card or {}), "rows": len(rows), **_PENALTIES},
        fitted_on=frozenset(row.reply.reply_id for row in rows),
    )


def _fit_head(matrix: Rows, grades: Rows, tutors: NDArray[np.str_], weighed: NDArray[np.bool_]) -> Head:
    own = (tutors[:, None] == np.unique(tutors)[None]).astype(np.float64)
    halves = []
    for level in (1, 2):
        found, intercept = _newton(matrix[:, weighed], own, (grades >= level).astype(np.float64))
        weights = np.zeros(matrix.shape[1])
        weights[weighed] = found
        halves.append((*(round(float(weight), 4) for weight in weights), round(intercept, 4)))
    counts = np.bincount(grades.astype(np.intp), minlength=3) + 1.0
    no, some, yes = (float(share) for share in counts / counts.sum())
    return Head(some=halves[0], yes=halves[1], prior=(round(no, 4), round(some, 4), round(yes, 4)))


def _newton(matrix: Rows, own: Rows, there: Rows) -> tuple[Rows, float]:
    """Return the weights of the features and the common intercept."""
    width = matrix.shape[1]
    rows = np.column_stack([matrix, own, np.ones(len(matrix))])
    penalty = np.concatenate([np.full(width, RIDGE), np.full(own.shape[1], TUTOR_RIDGE), [1e-3]])
    weights = np.zeros(rows.shape[1])
    for _ in range(_NEWTON_STEPS):
        chance = 1 / (1 + np.exp(-np.clip(rows @ weights, -30, 30)))
        gradient = rows.T @ (there - chance) - penalty * weights
        curvature = (rows * (chance * (1 - chance) + 1e-9)[:, None]).T @ rows + np.diag(penalty)
        step = np.linalg.solve(curvature, gradient)
        weights = weights + step
        if float(np.abs(step).max()) < 1e-4:
            break
    return weights[:width], float(weights[-1])
