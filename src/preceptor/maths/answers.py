"""Is an answer the same as the reference? Equal, not equal, or unread, with what was read in one canonical writing.

The own bounded reader decides nearly everything exactly; what has no exact value goes, rewritten from its tree,
to a symbolic checker in another process, which is believed only where it says equal. `docs/design/answers.md`
says what each policy decides.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from preceptor.domain.problem import AnswerPolicy
from preceptor.maths.answer_comparison import Comparer, Comparison, Verdict
from preceptor.maths.answer_reader import Reader
from preceptor.maths.answer_reading import (
    Ambiguous,
    Equation,
    Items,
    Quantity,
    Reading,
    Several,
    describe,
)
from preceptor.maths.expression_grammar import UnreadError
from preceptor.maths.expression_value import names_of
from preceptor.maths.symbolic import SymbolicChecker

_CHOICE = re.compile(
    r"(?:(?:the |my )?(?:final )?(?:answer|ans|option|choice)\s*(?:is|:)?|it is|it's|i (?:choose|pick|think))?"
    r"\s*[\"'(]?([A-H])[\"')]?[.):!]*",
    re.IGNORECASE,
)
REFERENCE_NAMES = frozenset("xyzab")
"""Letters that may stand side by side as a product in a reference; an answer may use the reference's own letters."""


@dataclass(frozen=True, kw_only=True)
class AnswerVerdict:
    """The verdict on one answer, and how both sides were read."""

    verdict: Verdict
    answer_read_as: str
    """Canonical writing: "3 1/2 km", "{1, 2}"; empty where nothing was read."""
    reference_read_as: str
    reason: str
    """Why, in words for a learner; empty where there is nothing to add. It never holds the reference's value."""


def check_answer(
    reference: str, answer: str, policy: AnswerPolicy | None = None, *, symbolic: SymbolicChecker | None = None
) -> AnswerVerdict:
    """Compare a learner's answer with the reference.

    Args:
        reference: As its author wrote it.
        answer: As the learner wrote it; any text, hostile or not.
        policy: What the item accepts; `None`: the defaults.
        symbolic: Asked about functions and roots that have no exact value here; `None`: those stay unread
            unless floats tell them apart. Without it a call takes milliseconds.

    Never raises on any text, never executes it, and runs on any thread.
    """
    policy = policy or AnswerPolicy()
    wanted = Reader(locale=policy.locale, names=REFERENCE_NAMES).read(reference)
    if isinstance(wanted, Ambiguous) and isinstance(wanted.options[0], Items) and wanted.options[0].kind == "list":
        wanted = wanted.options[0]
    choice = _choice(reference, answer)
    if choice is not None:
        return choice
    given = Reader(locale=policy.locale, names=_names(wanted)).read(answer)
    outcome = _compare(policy, symbolic, wanted, given)
    return AnswerVerdict(
        verdict=outcome.verdict,
        answer_read_as=describe(given),
        reference_read_as=describe(wanted),
        reason=outcome.reason,
    )


def read_answer(text: str, policy: AnswerPolicy | None = None) -> str:
    """Return the canonical writing of an answer on its own, empty if it cannot be read."""
    return describe(Reader(locale=(policy or AnswerPolicy()).locale).read(text))


def _compare(policy: AnswerPolicy, symbolic: SymbolicChecker | None, wanted: Reading, given: Reading) -> Comparison:
    try:
        return Comparer(policy, symbolic).compare(wanted, given)
    except UnreadError as error:
        return Comparison(verdict="unread", reason=str(error))


def _choice(reference: str, answer: str) -> AnswerVerdict | None:
    """Compare the letters of a multiple choice: reference "B", answer "b)" or "(B)"."""
    wanted = reference.strip()
    if len(wanted.strip("().")) != 1 or not "A" <= wanted.strip("().") <= "H":
        return None
    match = _CHOICE.fullmatch(answer.strip()[:80])
    given = match[1].upper() if match else ""
    if len(given) != 1 or not "A" <= given <= "H":
        return None
    letter = wanted.strip("().")
    return AnswerVerdict(
        verdict="equal" if given == letter else "not_equal", answer_read_as=given, reference_read_as=letter, reason=""
    )


def _names(reading: Reading) -> frozenset[str]:
    """Return the letters a reference uses as variables."""
    match reading:
        case Quantity(node=node, name=name):
            return (names_of(node) | ({name} if name else set())) - {"pi", "inf"}
        case Items(items=items) | Several(items=items):
            return frozenset().union(*(_names(item) for item in items))
        case Equation(difference=difference):
            return difference.names
        case Ambiguous(options=options):
            return frozenset().union(*(_names(option) for option in options))
    return frozenset()
