"""What a learner is doing in one turn, and what kind of question they ask, if any. Cues: `intent_cues.toml`."""

from __future__ import annotations

import re

from preceptor.domain.learner_state import Intent
from preceptor.pedagogy.intent_cues import cue

_WORDS = re.compile(r"[^\W\d_]+")

_ORDER: tuple[tuple[Intent, str], ...] = (
    (Intent.ASK_ANSWER, "ask_answer"),
    (Intent.REQUEST_HINT, "lost request_hint"),
    (Intent.ASK_CONCEPT, "ask_concept"),
    (Intent.ASK_EXPLANATION, "ask_explanation"),
)
"""Intents that a question may have, first wins, each with its signals in the rule table."""


def read_intent(utterance: str, *, has_claim: bool, bare_guess: bool) -> Intent:
    """Return what the learner is doing.

    Args:
        utterance: The learner's words.
        has_claim: A value or a calculation was read: then only open cues of another intent outweigh working on it.
        bare_guess: The turn is a bare answer with no work shown, after another that was not right.
    """
    text = utterance.replace("’", "'")
    if cue("ask_answer").search(text):
        return Intent.ASK_ANSWER
    if has_claim:
        if bare_guess or cue("guessing").search(text):
            return Intent.GUESSING
        if cue("confirm_claim").search(text):
            return Intent.CONFIRM_UNDERSTANDING
        return Intent.DEBUGGING
    for intent, signals in _ORDER:
        if cue(signals).search(text):
            return intent
    if is_affirmation(text):
        return Intent.CONFIRM_UNDERSTANDING
    if cue("off_topic").search(text):
        return Intent.OFF_TOPIC
    if cue("confirm").search(text):
        return Intent.CONFIRM_UNDERSTANDING
    if cue("guessing").search(text):
        return Intent.GUESSING
    return Intent.DEBUGGING


_AFFIRMATION = re.compile(
    r"\W*(?:h+m+\W+)?(?>(?:i (?:see|get (?:it|that|this|you)|do|did|am)"
    r"|see (?:you|ya)(?: later| soon| tomorrow| next time)?"
    r"|what you mean|(?:good|fair|great) (?:point|idea|one)|(?:a )?nice one|thank you|will do|makes? sense|of course"
    r"|all right|so much|a lot|my bad|no (?:problem|worries)|never ?mind|fair enough|it is|good ?night|take care"
    r"|have a (?:nice|good|great) (?:day|one|evening|weekend)|de acuerdo|hasta luego|au revoir"
    r"|yes|yea|yeah|yep|yup|ya|es|ok|okay|k|kk|oki|sure|right|correct|true|alright|fine|good|great"
    r"|cool|nice|thanks?|you|oh|ah|i|see|got|it|done|understood|understand|now|that|is"
    r"|for|the|your|help|helps|helped|helpful|helping|me|very|much|ready|sounds"
    r"|clear|exactly|agreed|agree|too|welcome|perfect|awesome|gotcha|fair|then|lol|haha+|thx|ty|cheers"
    r"|appreciate|really|so|(?:good)?bye+|later"
    r"|sí|si|vale|claro|gracias|adiós|oui|d'accord|merci|bien|ja|klar|gut|danke|stimmt|richtig|genau|tschüss"
    r"|نعم|حسنا|حسناً|شكرا|شكراً|تمام|صحيح|مع السلامة)(?![^\W\d_])\W*"
    r"|(?:好的|好|是的|是|对的|对|嗯|谢谢|明白|懂了|知道了|了|再见)\W*)++",
    re.IGNORECASE,
)
"""Each piece is taken once and for all, so that a long text cannot be taken apart in ever new ways."""
_DENIAL = re.compile(
    r"\W*(?:no|nope|nah|not really|not yet|i (?:do not|don'?t|have not|haven'?t|did not|didn'?t)(?: think so)?"
    r"|no i have not|no i (?:do not|don'?t|did not|didn'?t)|non|nein|لا|不|不是|没有)\W*",
    re.IGNORECASE,
)


def is_lost(utterance: str) -> bool:
    """Whether the learner says that they do not know how to go on, and little else."""
    return bool(cue("lost").search(utterance.strip().replace("’", "'")))


def is_not_following(utterance: str) -> bool:
    """Whether the learner says that they do not follow, or asks what the tutor meant, and little else."""
    return bool(cue("not_following").search(utterance.strip().replace("’", "'")))


def is_affirmation(utterance: str) -> bool:
    """Whether the utterance agrees, thanks, takes leave or reports and says no more: no evidence of anything."""
    return bool(_AFFIRMATION.fullmatch(utterance.strip()))


def is_denial(utterance: str) -> bool:
    """Whether the utterance says no and nothing else."""
    return bool(_DENIAL.fullmatch(utterance.strip()))


def asks_question(utterance: str) -> bool:
    """Whether the learner asks something of their own; a value with a question mark is a guess, not a question."""
    text = utterance.strip().replace("’", "'")
    if any(cue(signals).search(text) for _, signals in _ORDER):
        return True
    if not text.rstrip().endswith(("?", "？", "؟")):
        return False
    return len(_WORDS.findall(text)) >= 2 and not re.search(r"\d\W*$", text)
