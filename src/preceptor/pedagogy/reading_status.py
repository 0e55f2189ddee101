"""How much of an utterance was understood, and why not more, in codes that a page can put in words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from preceptor.domain.claim import ClauseKind
from preceptor.domain.frame import Frame, FrameKind
from preceptor.domain.learner_state import Intent
from preceptor.domain.observation import JudgedClaim, Reading, ReadingStatus
from preceptor.pedagogy.claim_wording import holds_only
from preceptor.pedagogy.intent import asks_question, is_affirmation, is_denial, is_lost, read_intent

_SHOWN = 3
_OWN_SCRIPT = {"ar": "ARABIC", "zh": "CJK"}
_LANGUAGES = frozenset({"en", "es", "fr", "de", "ar", "zh"})


def read_status(
    text: str,
    *,
    claims: Sequence[JudgedClaim],
    quoted: bool,
    clauses: tuple[ClauseKind, ...],
    frame: Frame,
    intent: Intent | None,
    language: str,
) -> Reading:
    """Return how an utterance was read.

    Args:
        text: The utterance.
        claims: What the learner claims, judged.
        quoted: Quantities of the problem were repeated.
        clauses: Kinds of its clauses.
        frame: The pending question.
        intent: What the learner is doing; `None`: worked out from the words.
        language: Language of the session.

    Reasons: `no_number`, `expression_incomplete`, `agreement_only`, `quotation`, `operation_in_words`, `language`,
    `empty`.
    """
    standing = [judged for judged in claims if not judged.claim.withdrawn]
    if standing:
        shown = "; ".join(dict.fromkeys(judged.read_as for judged in standing if judged.read_as))
        shown = "; ".join(shown.split("; ")[-_SHOWN:])
        complete = any(judged.claim.value is not None for judged in standing)
        return Reading(
            status=ReadingStatus.READ if complete else ReadingStatus.PARTLY,
            read_as=shown,
            reason=None if complete else "expression_incomplete",
            clauses=clauses,
        )
    status, shown, reason = _without_claims(text, quoted, clauses, frame, intent, language)
    return Reading(status=status, read_as=shown, reason=reason, clauses=clauses)


def _without_claims(
    text: str, quoted: bool, clauses: tuple[ClauseKind, ...], frame: Frame, intent: Intent | None, language: str
) -> tuple[ReadingStatus, str, str | None]:
    plain = text.strip()
    if not re.search(r"\w", plain):
        return ReadingStatus.UNREAD, "", "empty"
    chosen = chosen_option(plain, frame)
    if chosen is not None:
        return ReadingStatus.READ, chosen if holds_only(chosen, plain, language) else plain, None
    if is_affirmation(plain) or is_denial(plain):
        if frame.kind is FrameKind.YES_NO:
            return ReadingStatus.READ, "yes" if is_affirmation(plain) else "no", None
        return ReadingStatus.PARTLY, "", "agreement_only"
    intent = intent or read_intent(plain, has_claim=False, bare_guess=False)
    talks = {Intent.ASK_ANSWER, Intent.REQUEST_HINT, Intent.ASK_CONCEPT, Intent.ASK_EXPLANATION, Intent.OFF_TOPIC}
    if intent in talks or asks_question(plain) or is_lost(plain):
        return ReadingStatus.READ, "", None
    if ClauseKind.AFFECT in clauses:
        return ReadingStatus.PARTLY, "", "no_number"
    if quoted or ClauseKind.QUOTATION in clauses:
        return ReadingStatus.PARTLY, "", "quotation"
    if ClauseKind.OPERATION in clauses:
        return ReadingStatus.PARTLY, "", "operation_in_words"
    if _other_language(plain, language):
        return ReadingStatus.UNREAD, "", "language"
    return ReadingStatus.UNREAD, "", "no_number"


def chosen_option(text: str, frame: Frame) -> str | None:
    """Return the option that an utterance picks out of a choice; `None`: none, or more than one."""
    if frame.kind is not FrameKind.CHOICE or not frame.options:
        return None
    lower = text.casefold()
    named = [option for option in frame.options if re.search(rf"(?<!\w){re.escape(option.casefold())}(?!\w)", lower)]
    if len(named) == 1:
        return named[0]
    letter = re.fullmatch(r"\W*(?:option |answer )?([a-h])\W*", lower)
    if letter and ord(letter.group(1)) - ord("a") < len(frame.options) and not named:
        return frame.options[ord(letter.group(1)) - ord("a")]
    first = re.fullmatch(r"\W*(?:the )?(first|second|third)(?: one)?\W*", lower)
    place = ("first", "second", "third").index(first.group(1)) if first else -1
    return frame.options[place] if 0 <= place < len(frame.options) else None


def _other_language(text: str, language: str) -> bool:
    """Whether most letters are of another script than the session's language, or the language has no rules."""
    if language[:2].lower() not in _LANGUAGES:
        return True
    letters = [char for char in text if char.isalpha()]
    if not letters:
        return False
    script = _OWN_SCRIPT.get(language[:2].lower(), "LATIN")
    own = sum(1 for char in letters if unicodedata.name(char, "").startswith(script))
    return own < len(letters) / 2
