"""The page's words for what is remembered: about the work, never about the person, and never surer than it is."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from preceptor.domain.belief import BeliefReason, Claim, EvidenceVerdict
from preceptor.memory.calibration import Calibration
from preceptor.tutoring.memory_views import BeliefStep, BeliefView, LineKind, MonthView, RecordLine

CLAIM_WORDS: Mapping[Claim, str] = {
    "understands": "is going well",
    "struggles": "is worth another look",
    "unsettled": "no clear picture",
}
CLAIM_SIGNS: Mapping[Claim, str] = {"understands": "✓", "struggles": "↻", "unsettled": "·"}
VERDICT_SIGNS: Mapping[EvidenceVerdict, str] = {
    "right": "✓",
    "wrong": "✗",
    "denied_understands": "✎",
    "denied_struggles": "✎",
}
VERDICT_WORDS: Mapping[EvidenceVerdict, str] = {
    "right": "right",
    "wrong": "look again",
    "denied_understands": "you said: not true",
    "denied_struggles": "you said: not true",
}
LINE_SIGNS: Mapping[LineKind, str] = {
    "problem": "❖",
    "question": "?",
    "said": "✎",
    "check": "·",
    "quiz": "·",
    "taught": "★",
    "denial": "✎",
    "file": "▤",
    "tutor": "▸",
    "note": "◷",
    "other": "·",
}
LINE_WORDS: Mapping[LineKind, str] = {
    "problem": "a problem begun",
    "question": "you asked",
    "said": "you wrote",
    "check": "a step of yours",
    "quiz": "a quiz item",
    "taught": "you taught your tutor",
    "denial": "you said this is not true",
    "file": "a course file",
    "tutor": "your tutor replied",
    "note": "the day in numbers",
    "other": "on record",
}
_REASON_WORDS: Mapping[BeliefReason, str] = {
    "check": "a step was checked",
    "not_true": "you said that this is not true",
    "decay": "nothing was checked for a long time, so your tutor is less sure",
    "rederived": "thought over again from everything on record",
}
STATUS_WORDS = {
    "holds": "the cited file still says the same",
    "changed": "the cited file has changed or is gone",
    "unverifiable": "no file is cited, so there is nothing to look up",
}
RANKING_WORDS = (
    "The order says what your tutor is surer of than of something else. It is no mark, and it says nothing about you "
    "as a person."
)
"""Said while confidence is only a ranking (U9)."""
CALIBRATED_WORDS = (
    "“About 70 in 100” means: of a hundred such guesses about a next step, your tutor expects seventy to come true. So "
    "far its guesses were off by {off:.0f} in 100 in the mean. It says nothing about you as a person."
)


def sureness_words(calibration: Calibration) -> str:
    """Return how the tutor's confidence is to be read (U9)."""
    if not calibration.calibrated or calibration.ece is None:
        return RANKING_WORDS
    return CALIBRATED_WORDS.format(off=calibration.ece * 100)


def day_words(day: date) -> str:
    """Return "12 July 2026"."""
    return f"{day.day} {day:%B %Y}"


def month_words(day: date) -> str:
    """Return "July 2026"."""
    return f"{day:%B %Y}"


def iso_day_words(text: str) -> str:
    """Return an ISO date as `day_words`; what is none stays as it is."""
    try:
        return day_words(date.fromisoformat(text))
    except ValueError:
        return text


def confidence_words(belief: BeliefView, *, calibrated: bool) -> str:
    """Return how sure the tutor is: a number only where it is calibrated, "" where the order must say it."""
    return f"about {belief.confidence * 100:.0f} in 100" if calibrated else ""


def evidence_words(belief: BeliefView) -> str:
    """Return what a belief rests on: "3 right, 1 to look at again"."""
    parts = [f"{belief.n_right} right"] if belief.n_right else []
    if belief.n_wrong:
        parts.append(f"{belief.n_wrong} to look at again")
    return ", ".join(parts)


def step_words(step: BeliefStep) -> str:
    """Return one step of how a belief came about."""
    if step.reason == "check" and step.verdict in {"right", "wrong"}:
        n = "a step" if step.count == 1 else f"{step.count} steps"
        cause = f"{n} came out right" if step.verdict == "right" else f"{n} did not come out right"
    else:
        cause = _REASON_WORDS[step.reason]
    return f"{cause} → {CLAIM_WORDS[step.claim]}"


def line_words(line: RecordLine) -> str:
    """Return what kind of thing a line is, with how a check came out."""
    if line.verdict is not None:
        return f"{LINE_WORDS[line.kind]}: {VERDICT_WORDS[line.verdict]}"
    return LINE_WORDS[line.kind]


def line_sign(line: RecordLine) -> str:
    """Return the mark of a line."""
    return VERDICT_SIGNS[line.verdict] if line.verdict is not None else LINE_SIGNS[line.kind]


def month_line(month: MonthView) -> str:
    """Return what there is of a month in numbers; an empty one says so and describes nothing (U5)."""
    if month.is_empty:
        return "No record of anything."
    parts = [
        _counted(month.problems, "problem", "problems"),
        _counted(month.questions, "question", "questions"),
        _counted(month.messages, "message", "messages"),
        _checks(month),
        _counted(month.taught, "thing you taught", "things you taught"),
        _counted(month.other, "other entry", "other entries"),
    ]
    return f"{_counted(month.days, 'day', 'days')}: " + ", ".join(part for part in parts if part)


def where(line: RecordLine) -> str:
    """Return the address of a line's turn in its conversation; empty where it has none."""
    if line.dialogue_id is None:
        return ""
    return f"/learn/{line.dialogue_id}" + (f"#turn-{line.turn}" if line.turn else "")


def subject_words(subject_id: str) -> str:
    """Return a subject's name for a reader."""
    return subject_id.replace("-", " ").replace("_", " ").capitalize()


def _checks(month: MonthView) -> str:
    n = month.right + month.wrong
    if not n:
        return ""
    again = f" and {month.wrong} to look at again" if month.wrong else ""
    return f"{_counted(n, 'step checked', 'steps checked')} ({month.right} right{again})"


def _counted(n: int, one: str, many: str) -> str:
    return "" if not n else f"1 {one}" if n == 1 else f"{n} {many}"
