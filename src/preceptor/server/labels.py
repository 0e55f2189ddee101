"""The page's words for marks, judges, rungs and languages: never a colour alone, never a label of the person."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from preceptor.domain.observation import Mark
from preceptor.pedagogy.phrases.loader import PHRASE_LANGUAGES

MARK_SIGNS: dict[Mark, str] = {"right": "✓", "wrong": "✗", "unsure": "?"}
MARK_WORDS: dict[Mark, str] = {"right": "right", "wrong": "look again", "unsure": "can't tell yet"}

JUDGE_WORDS: dict[Literal["arithmetic", "reference", "tutor"], str] = {
    "arithmetic": "checked by arithmetic",
    "reference": "by the worked solution",
    "tutor": "tutor's view",
}

ARITHMETIC_ONLY = "checked by arithmetic only"
"""Said beside a "?": the sum may hold, but nothing says that it is a step of this problem."""

RUNG_WORDS = ("no hint yet", "a nudge", "where to look", "the next small step", "a similar one worked out")
"""Index is the rung."""

MODE_WORDS = {"check_step": "check my step", "stuck": "I'm stuck"}
"""Said beside the learner's message; an ordinary message needs no word."""

NOTICE_WORDS = {
    "no_reference": "No worked solution is known for this one. I check your numbers, units and sums and ask about your "
    "plan, but I cannot say whether the final answer is right, and I cannot guard it.",
    "tutors_own_reference": "No worked solution came with this one, so the tutor made its own. It checks your steps by "
    "that, and it may be mistaken.",
    "reference_inconsistent": "The worked solution of this one contradicts itself, so I check only your arithmetic.",
}
"""What a learner should know about a problem, by the session's key."""

FAILURE_WORDS = {
    "": "something went wrong while the reply was made.",
    "ModelTimeoutError": "the model took too long.",
    "ModelCutError": "the model stopped in the middle of a sentence.",
    "ModelOutputError": "the model's answer could not be used.",
    "ModelError": "the model could not be reached.",
    "ConsentError": "the owner has not yet agreed to send text to this model.",
}
"""Why a reply broke off, by the name of the error; "" for every other."""

UNREAD_WORDS = {
    "no_number": "I found no number or calculation in it",
    "expression_incomplete": "a calculation in it is not finished",
    "language": "I do not read this language yet",
}
"""Why something was not read, by the reading's reason."""

LANGUAGES: dict[str, str] = {
    "en": "English",
    "es": "Español",
    "fr": "Français",
    "de": "Deutsch",
    "ar": "العربية",
    "zh": "中文",
}
"""Reply languages offered, each in its own name."""

LANGUAGE_LIMIT: dict[str, str] = {
    "": "I can check your numbers, but I only speak English and Chinese.",
    "es": "Puedo comprobar tus números, pero solo hablo inglés y chino.",
    "fr": "Je peux vérifier tes nombres, mais je ne parle qu'anglais et chinois.",
    "de": "Ich kann deine Zahlen prüfen, aber ich spreche nur Englisch und Chinesisch.",
    "ar": "أستطيع أن أتحقق من أعدادك، لكنني لا أتكلم إلا الإنجليزية والصينية.",
}
"""What a learner is told who chose a language without phrases; "" for every other language."""


@dataclass(frozen=True, kw_only=True)
class RailItem:
    """One place in the rail; `address` is `None` for a place that is not built yet."""

    name: str
    address: str | None
    sign: str


_LEARN = RailItem(name="Learn", address="/learn", sign="✎")
_PRIVACY = RailItem(name="Privacy", address="/privacy", sign="◐")
_COURSES = RailItem(name="Courses", address="/courses", sign="▤")
_MEMORY = RailItem(name="What my tutor remembers", address="/memory", sign="◷")
LEARNER_PLACES = (_LEARN, _MEMORY, _COURSES, _PRIVACY)
INSTRUCTOR_PLACES = (
    _LEARN,
    RailItem(name="Flagged turns", address="/flagged", sign="⚑"),
    RailItem(name="Practise", address=None, sign="↻"),
    _MEMORY,
    _COURSES,
    RailItem(name="Experience", address="/experience", sign="❋"),
    RailItem(name="Lab", address=None, sign="⚗"),
    _PRIVACY,
)
"""The instructor is told what is coming; a learner sees only what is there."""


def engine_words(engine: str) -> str:
    """Return who made a reply, in words: "builtin engine", or the model's name."""
    return "builtin engine" if engine == "builtin" else engine


def language_limit(language: str) -> str:
    """Return, in that language, that the builtin tutor does not speak it; "" where it does."""
    code = language.split("-")[0].lower()
    return "" if code in PHRASE_LANGUAGES else LANGUAGE_LIMIT.get(code, LANGUAGE_LIMIT[""])
