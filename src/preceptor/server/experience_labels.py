"""The instructor's words for experience: tags, states, strategies, decisions, and why a hint was what it was."""

from __future__ import annotations

from enum import StrEnum

from preceptor.domain.experience import Experience, ExperienceStatus
from preceptor.domain.learner_state import Emotion, ErrorType, Intent, LearnerState, StruggleStatus
from preceptor.experience.retrieval import Nothing
from preceptor.tutoring.experience_desk import Origin
from preceptor.tutoring.hint_reason import FoundExperience, HintReason

TAG_KINDS: tuple[tuple[str, str, type[StrEnum]], ...] = (
    ("error_type", "Kind of mistake", ErrorType),
    ("struggle_status", "Struggle", StruggleStatus),
    ("emotion", "Emotion", Emotion),
    ("intent", "Intent", Intent),
)
"""(name in the address, words, tags) of each filter, the two that decide most first."""

STATUS_WORDS: dict[ExperienceStatus, str] = {
    "active": "active",
    "disabled": "disabled",
    "superseded": "replaced by a merged one",
}
STATUS_SIGNS: dict[ExperienceStatus, str] = {"active": "●", "disabled": "○", "superseded": "↷"}

ORIGIN_WORDS: dict[Origin, str] = {
    "builtin": "made by rules",
    "llm": "made by a model",
    "simulated": "simulated learners",
    "learners": "real learners",
}

OUTCOME_WORDS = {
    "inserted": "let in",
    "duplicate": "a duplicate, not stored again",
    "merged": "merged",
    "rejected": "rejected",
    "disabled": "disabled",
    "enabled": "enabled again",
}

NOTHING_WORDS: dict[Nothing, str] = {
    "": "",
    "no_difficulty": "no difficulty was named to search with",
    "cannot_be_compared": "this sentence cannot be compared by what compares the entries",
    "no_candidates": "no entry is for a state like this",
    "below_threshold": "nothing was similar enough",
}

PART_WORDS = {
    "chosen": "followed",
    "in_prompt": "told to the model",
    "same_move": "its move was due anyway",
    "not_followed": "not followed",
    "": "not used",
}
"""What a reply made of an experience, by `ExperienceRole.part`."""

FUNNEL_WORDS = {
    "turns_seen": "turns with a reply",
    "not_meaningful": "not about the problem",
    "unread": "not read",
    "no_difficulty": "no difficulty named",
    "unscored": "not scored",
    "dropped_direct": "below the gate, not worth revising",
    "dropped_no_revision": "below the gate, no revision found",
    "dropped_after_rounds": "below the gate after every revision",
    "nothing_to_learn": "nothing to learn",
    "rejected": "rejected: not abstract enough",
    "duplicate": "known already",
    "merged": "merged with an entry",
    "inserted": "new entries",
}
"""Every bucket a turn can end in, in order; after the first they sum to it."""


def tag_words(tag: str) -> str:
    """Return a tag in words: "Concept_Error" becomes "concept error"."""
    return "no kind of mistake known" if tag == ErrorType.NOT_APPLICABLE.value else tag.replace("_", " ").lower()


def state_words(state: LearnerState) -> str:
    """Return the four tags in one short line, those that say nothing left out."""
    tags = (state.error_type.value, state.struggle_status.value, state.emotion.value, state.intent.value)
    return ", ".join(tag.replace("_", " ").lower() for tag in tags if tag != "N/A")


def strategy_words(strategy: str) -> str:
    """Return a strategy in words."""
    return "in its own words" if strategy == "other" else strategy.replace("_", " ")


def origin_words(entry: Experience) -> str:
    """Return who made an entry, and of whose dialogues."""
    by = "rules (builtin)" if entry.provenance.made_by == "builtin" else "a language model"
    return f"made by {by} from {'simulated' if entry.provenance.simulated else 'real'} learners"


def engines_words(entry: Experience) -> str:
    """Return which engine or model played each role."""
    engines = dict(entry.provenance.engines)
    if not engines:
        return "rules (builtin)" if entry.provenance.made_by == "builtin" else "a language model"
    if set(engines.values()) == {"builtin"}:
        return f"rules (builtin) in every role: {', '.join(engines)}"
    return ", ".join(f"{role} {engine}" for role, engine in engines.items())


def reason_words(reason: HintReason) -> str:
    """Return why no experience stands behind a reply; "" where one was found."""
    if reason.found:
        return ""
    if reason.read == "none":
        known = {key: words for key, words in NOTHING_WORDS.items() if key}
        return next((words for key, words in known.items() if key == reason.nothing_because), reason.nothing_because)
    if reason.read == "off":
        return f"experience is not read: {reason.nothing_because or 'switched off'}"
    if reason.read == "dropped":
        return "the search took too long and was left out"
    if reason.read == "failed":
        return "the search failed"
    return "none was looked for in this turn"


def part_words(found: FoundExperience) -> str:
    """Return what the reply made of an experience, with the reason where it was not followed."""
    words = PART_WORDS.get(found.part, found.part)
    if found.part == "chosen" and found.reason:
        return f"{words}: {strategy_words(found.reason)}"
    return f"{words} ({found.reason})" if found.part == "not_followed" and found.reason else words


def is_followed(found: FoundExperience) -> bool:
    """Whether the reply is another one because of it."""
    return found.part in ("chosen", "in_prompt")
