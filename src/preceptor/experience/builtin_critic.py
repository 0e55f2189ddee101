"""The builtin critic: computed evidence and small linear heads, mapped to the rubric; no model, no author.

The mapping from the raters' questions to the five dimensions, and how its cut points were calibrated, is written in
docs/design/critic.md.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from preceptor.domain.learner_state import StruggleStatus
from preceptor.domain.rubric import TOP, Critique, RubricScores, Score, apply_caps
from preceptor.experience.critic import ReviewedTurn
from preceptor.experience.critic_evidence import Evidence, gather_evidence
from preceptor.experience.critic_flags import (
    addresses_step,
    find_flags,
    guide_answers,
    guide_preference,
    is_dismissed,
)
from preceptor.experience.critic_heads import Answer, HeadTable, expected, shipped_heads
from preceptor.experience.critic_move import adaptation

STEP_BONUS = 0.15
"""What asking about the very step that went off adds to attribution and focus. (chosen)"""

WORTH_SHARE = 0.6
"""Share of the worth in each quality; the rest is what the dimension's own heads say. (chosen on halves)"""
STEEPNESS = 2.0
"""Factor on a worth's log odds: spreads the worths of real replies over (0.1, 0.9). (chosen)"""

TAKEN_UP = 0.7
"""Least quality of a reply that takes up a right step and asks on. (chosen)"""
SOUND = 0.5
"""Least quality of a reply that confirms the right answer and ends there. (chosen)"""

_TROUBLE = (StruggleStatus.REPEATED_ERROR, StruggleStatus.PERSISTENT_CONFUSION, StruggleStatus.REGRESSION)


@dataclass(frozen=True, kw_only=True)
class CutPoints:
    """From where on a quality in [0, 1] earns 1, 2, 3 and 4; calibrated as docs/design/critic.md says."""

    scaffolding: tuple[float, float, float, float] = (0.15, 0.32, 0.48, 0.61)
    attribution: tuple[float, float, float, float] = (0.15, 0.30, 0.45, 0.57)
    teaching_focus: tuple[float, float, float, float] = (0.15, 0.30, 0.45, 0.57)


class BuiltinCritic:
    """Scores replies by evidence and heads; one instance serves any number of turns."""

    def __init__(self, *, heads: HeadTable | None = None, cuts: CutPoints | None = None) -> None:
        """Use the shipped heads and cut points unless others are given."""
        self._heads = heads or shipped_heads()
        self._cuts = cuts or CutPoints()

    async def critique(self, turn: ReviewedTurn) -> Critique:
        """Return the scores of `turn.reply`."""
        return self.critique_now(turn)

    def critique_now(self, turn: ReviewedTurn) -> Critique:
        """Return the scores of `turn.reply`, without awaiting anything."""
        return self.score(turn, gather_evidence(turn))

    def answers(self, evidence: Evidence) -> dict[str, Answer]:
        """Return what raters would answer, as probabilities of No, To some extent and Yes per question."""
        return guide_answers(self._heads.answer(evidence), evidence)

    def worth(self, evidence: Evidence) -> float:
        """Return how good a reply is beside others to the same moment, (0, 1); an average one has 0.5."""
        return 1 / (1 + math.exp(-STEEPNESS * guide_preference(self._heads.preference(evidence), evidence)))

    def score(self, turn: ReviewedTurn, evidence: Evidence) -> Critique:
        """Return the scores of a reply whose evidence is known."""
        answers = {name: expected(answer) for name, answer in self.answers(evidence).items()}
        worth = self.worth(evidence)
        qualities = _qualities(answers, worth, evidence)
        flags = find_flags(evidence)
        scores = RubricScores(
            scaffolding=_scaffolded(_grade(qualities["scaffolding"], self._cuts.scaffolding), evidence),
            attribution=_grade(qualities["attribution"], self._cuts.attribution),
            empathy=_empathy(evidence),
            teaching_focus=_grade(qualities["teaching_focus"], self._cuts.teaching_focus),
            strategy_adaptation=_adapted(turn),
        )
        seen = [f"{flag.value}: {why}" for flag, why in flags.items()]
        if is_dismissed(evidence):
            seen.append("dismissed: no help at this moment")
        return Critique(
            scores=apply_caps(scores, flags),
            flags=frozenset(flags),
            order=round(worth, 6),
            evidence=tuple(seen),
        )


def _qualities(answers: Mapping[str, float], worth: float, evidence: Evidence) -> dict[str, float]:
    """Return scaffolding, attribution and focus as qualities in [0, 1]."""
    coherence = answers.get("coherence", answers["location"])
    qualities = {
        "scaffolding": (answers["guidance"] + answers["actionability"]) / 2,
        "attribution": (answers["identification"] + answers["location"]) / 2,
        "teaching_focus": (answers["location"] + answers["guidance"] + coherence) / 3,
    }
    qualities = {name: (1 - WORTH_SHARE) * value + WORTH_SHARE * worth for name, value in qualities.items()}
    if addresses_step(evidence) and not is_dismissed(evidence):
        qualities["attribution"] = min(1.0, qualities["attribution"] + STEP_BONUS)
        qualities["teaching_focus"] = min(1.0, qualities["teaching_focus"] + STEP_BONUS)
    return _after_right_turn(qualities, evidence)


def _after_right_turn(qualities: Mapping[str, float], evidence: Evidence) -> dict[str, float]:
    """Return the qualities where the learner was right: there is no mistake to name, so the heads' silence is no fault.

    A reply that takes up the right step and asks for something about the matter is as good as it gets; one that only
    approves is sound once all is done, but teaches nothing, and before that is worth what the heads say.
    """
    right = evidence["learner_right"] > 0 or evidence["learner_solved"] > 0
    if not right or is_dismissed(evidence) or evidence["names_mistake"] > 0:
        return dict(qualities)
    if evidence["points"] > 0 and evidence["has_question"] > 0 and evidence["mostly_foreign"] == 0:
        return {name: max(value, TAKEN_UP) for name, value in qualities.items()}
    if evidence["learner_solved"] > 0 and evidence["affirms"] > 0:
        return {name: max(value, SOUND) for name, value in qualities.items()}
    return dict(qualities)


def _grade(quality: float, cuts: Sequence[float]) -> Score:
    return Score.of(sum(quality >= cut for cut in cuts), f"quality {quality:.2f}")


def _scaffolded(score: Score, evidence: Evidence) -> Score:
    """Return the score, at most 3 where the reply leaves the learner nothing to do: the key inference is theirs."""
    asks = max(evidence["asks_any"], evidence["invites"], evidence["imperative_later"], evidence["asks_recheck"]) > 0
    return Score.of(3, "asks nothing of the learner") if score.value == TOP and not asks else score


def _empathy(evidence: Evidence) -> Score:
    """Return empathy: shown affect times acknowledgement, and tone."""
    if evidence["harsh"] > 0:
        return Score.of(0 if evidence["learner_frustrated"] or evidence["learner_confused"] else 1, "harsh")
    acknowledges = evidence["acknowledges"] > 0
    partial = max(evidence["credits_part"], evidence["credits_effort"]) > 0
    soft = max(evidence["lets"], evidence["softens"], evidence["invites"], evidence["says_we"]) > 0
    if evidence["learner_frustrated"] > 0:
        return Score.of(4 if acknowledges else 3 if partial else 2 if soft else 1, "the learner is frustrated")
    if evidence["learner_confused"] > 0:
        return Score.of(4 if acknowledges else 3 if partial or soft else 2, "the learner is confused")
    taken_up = max(evidence["learner_topics"], evidence["learner_numbers"], evidence["points"]) > 0
    if taken_up and (acknowledges or partial or evidence["affirms"] > 0 or evidence["i_see"] > 0):
        return Score.of(4, "takes up what the learner did")
    blunt = evidence["names_mistake"] > 0 and not soft and evidence["has_question"] == 0
    return Score.of(2 if blunt else 3, "blunt" if blunt else "neutral")


def _adapted(turn: ReviewedTurn) -> Score:
    """Return strategy adaptation: N/A unless the trouble went on after an earlier reply."""
    earlier = [entry.tutor for entry in turn.context.history if entry.tutor and entry.learner.strip()]
    observation = turn.observation
    if not earlier or not (observation.repeats > 0 or observation.state.struggle_status in _TROUBLE):
        return Score.not_applicable("no earlier reply after which the trouble went on")
    last_move = turn.previous_moves[-1] if turn.previous_moves else None
    return Score.of(adaptation(turn.reply, earlier[-1], last_move), "compared with the reply before")
