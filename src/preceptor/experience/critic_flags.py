"""Faults that are read from the evidence, not learnt: the rubric's four flags, and two rules that guide the heads."""

from __future__ import annotations

import math
from collections.abc import Mapping

from preceptor.domain.rubric import Flag
from preceptor.experience.critic_evidence import Evidence
from preceptor.experience.critic_heads import Answer

DISMISSED_WEIGHT = 0.88
"""Share of a dismissed reply's probability that goes to No. (chosen)"""
POINTED_BONUS = math.exp(0.7)
"""Factor on Yes for a pointed question without a correction: experts name a mistake by asking. (chosen)"""
DISMISSED_COST = 2.0
"""Log odds that a dismissed reply loses against others to the same moment. (chosen: as good as certain)"""
POINTED_GAIN = 0.3
"""Log odds that a pointed question without a correction gains. (chosen on halves)"""
FOREIGN_TOPICS = math.log(2)
"""Logarithm of 1 + foreign topic words from which on a reply is about something else."""
_TAUGHT = ("identification", "location", "guidance", "actionability", "coherence")


def is_dismissed(evidence: Evidence) -> bool:
    """Whether a reply cannot be help at this moment, with high precision.

    It approves what is wrong and asks nothing; or goes on into a script of other speakers; or moves on to another
    task; or is about things that are in nobody's text.
    """
    return (
        evidence["approves_wrong"] > 0
        or evidence["broken_text"] > 0
        or (evidence["moves_on_alone"] > 0 and evidence["has_question"] == 0)
        or is_foreign(evidence)
    )


def is_foreign(evidence: Evidence) -> bool:
    """Whether a reply is mostly about things that neither problem nor dialogue names, and takes up nothing of them."""
    asks_on = evidence["question_topics"] > 0 or evidence.has("has_question", "learner_numbers")
    return (
        evidence.has("foreign_uncorrected", "problem_known")
        and evidence["foreign_topics"] >= FOREIGN_TOPICS
        and evidence["learner_topics"] == 0
        and not asks_on
    )


def addresses_step(evidence: Evidence) -> bool:
    """Whether a reply asks about the step that went off: by its quantities, its words or the learner's wrong value."""
    about = evidence["names_step_operands"] >= 0.5 or evidence["names_wrong_value"] > 0
    return evidence.has("step_known", "asks_any") and (about or evidence["log_shares_step_words"] > 0)


def points_without_correcting(evidence: Evidence) -> bool:
    """Whether a reply asks a question about the matter without any word of correction."""
    return (
        evidence.has("points", "has_question")
        and evidence["corrects_any"] == 0
        and evidence["mostly_foreign"] == 0
        and evidence["moves_on"] == 0
        and evidence["broken_text"] == 0
    )


def guide_answers(answers: Mapping[str, Answer], evidence: Evidence) -> dict[str, Answer]:
    """Return the heads' answers after the two rules; tone is left alone."""
    dismissed, pointed = is_dismissed(evidence), points_without_correcting(evidence)
    guided = dict(answers)
    for name in _TAUGHT:
        if name not in guided:
            continue
        no, some, yes = guided[name]
        if dismissed:
            keep = 1 - DISMISSED_WEIGHT
            guided[name] = (keep * no + DISMISSED_WEIGHT, keep * some, keep * yes)
        elif pointed:
            total = no + some + POINTED_BONUS * yes
            guided[name] = (no / total, some / total, POINTED_BONUS * yes / total)
    return guided


def guide_preference(preference: float, evidence: Evidence) -> float:
    """Return a worth, in log odds, after the two rules."""
    if is_dismissed(evidence):
        return preference - DISMISSED_COST
    return preference + POINTED_GAIN if points_without_correcting(evidence) else preference


def find_flags(evidence: Evidence) -> dict[Flag, str]:
    """Return the flags of a reply, each with what was seen."""
    found: dict[Flag, str] = {}
    for flag, seen in (
        (Flag.ANSWER_GIVEN, _answer_given(evidence)),
        (Flag.PSEUDO_SCAFFOLDING, _pseudo_scaffolding(evidence)),
        (Flag.FAKE_EMPATHY, _fake_empathy(evidence)),
        (Flag.MISDIAGNOSIS, _misdiagnosis(evidence)),
    ):
        if seen:
            found[flag] = seen
    return found


def _answer_given(evidence: Evidence) -> str:
    if evidence["learner_solved"] > 0:
        return ""
    if evidence["leaks_answer"] > 0:
        return "states the final answer"
    return "answers the question on the table" if evidence["reveals"] > 0 else ""


def _pseudo_scaffolding(evidence: Evidence) -> str:
    if evidence["answers_own_question"] > 0:
        return "asks and then answers itself"
    if evidence["leaks_step"] > 0:
        return "computes the learner's next step"
    if evidence["asks_tag"] > 0 and evidence["new_numbers"] > 0 and evidence["equations"] > 0:
        return "computes, and asks only for agreement"
    return ""


def _fake_empathy(evidence: Evidence) -> str:
    warm = max(evidence["praises"], evidence["approves"], evidence["credits_effort"], evidence["cheers"]) > 0
    empty = evidence["points"] == 0 and evidence["no_known_topic"] > 0 and evidence["no_number"] > 0
    if warm and evidence["learner_solved"] == 0 and (empty or evidence["approves_wrong"] > 0):
        return "praise or comfort without anything of this turn in it"
    return ""


def _misdiagnosis(evidence: Evidence) -> str:
    if evidence["approves_wrong"] > 0 or (evidence.has("calls_right_flatly", "learner_wrong")):
        return "approves what is wrong"
    if evidence["false_equation"] > 0 or evidence.has("reveals_falsely", "about_answer"):
        return "states something false"
    if evidence["learner_solved"] > 0 and evidence["names_mistake"] > 0 and evidence["affirms"] == 0:
        return "sees a mistake in a right answer"
    if evidence["faults_other_step"] > 0:
        return "faults a step that is not the one that went off"
    return "is about something else" if is_foreign(evidence) else ""
