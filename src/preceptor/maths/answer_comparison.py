"""Compares two readings under an item's policy: equal, not equal, or cannot be told."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from preceptor.domain.problem import AnswerPolicy
from preceptor.maths.answer_form import is_mixed, is_proper, is_reduced
from preceptor.maths.answer_reading import (
    Ambiguous,
    Clock,
    Equation,
    Interval,
    Items,
    NoAnswer,
    Quantity,
    Reading,
    Several,
    Unread,
    Words,
    describe,
    fraction_bar,
    literal,
)
from preceptor.maths.answer_sentence import YES_NO
from preceptor.maths.expression_grammar import Mixed, Num
from preceptor.maths.expression_value import Exact, float_value, names_of, scaled, surely_different
from preceptor.maths.proportion import multiplied, proportional, proportional_rows
from preceptor.maths.symbolic import SymbolicChecker

Verdict = Literal["equal", "not_equal", "unread"]


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """A verdict and why, in words for a learner; empty where there is nothing to add."""

    verdict: Verdict
    reason: str = ""


_EQUAL = Comparison(verdict="equal")
_DIFFERENT = Comparison(verdict="not_equal")


def _unread(reason: str) -> Comparison:
    return Comparison(verdict="unread", reason=reason)


def _refused(reason: str) -> Comparison:
    return Comparison(verdict="not_equal", reason=reason)


class Comparer:
    """Compares under one policy; `symbolic` is asked last, and only believed where it says equal."""

    def __init__(self, policy: AnswerPolicy, symbolic: SymbolicChecker | None) -> None:
        self.policy, self.symbolic = policy, symbolic

    def compare(self, reference: Reading, answer: Reading) -> Comparison:
        """Return the verdict on an answer's reading."""
        if isinstance(answer, Unread):
            return _unread(answer.reason)
        if isinstance(answer, NoAnswer):
            return _refused(answer.reason)
        if isinstance(answer, Ambiguous) or isinstance(reference, Ambiguous):
            return self._ambiguous(reference, answer)
        if isinstance(reference, Unread | NoAnswer):
            return _unread("I cannot read the reference answer, so I cannot compare.")
        match reference, answer:
            case Quantity(), Quantity():
                return self.quantities(reference, answer)
            case Words(), _:
                return self._words(reference, answer)
            case _, Words(text=text):
                return _refused("") if text in YES_NO else _unread("I found no number in it. Please give one.")
            case (Interval(), _) | (_, Interval()):
                return self._ranges(reference, answer)
            case Equation(), Equation():
                return _EQUAL if proportional(reference.difference, answer.difference) else _DIFFERENT
            case (Clock(), _) | (_, Clock()):
                return self._times(reference, answer)
        return self._collections(reference, answer)

    def _ranges(self, reference: Reading, answer: Reading) -> Comparison:
        match reference, answer:
            case Interval(), Interval():
                return self._intervals(reference, answer)
            case Interval(), Items(kind="pair", items=items) if len(items) == 2:
                return self._intervals(reference, _as_interval(answer))
            case Items(kind="pair", items=items), Interval() if len(items) == 2:
                return self._intervals(_as_interval(reference), answer)
        return _DIFFERENT

    def _times(self, reference: Reading, answer: Reading) -> Comparison:
        if isinstance(reference, Clock) and isinstance(answer, Clock):
            return _EQUAL if _minutes(reference) == _minutes(answer) else _DIFFERENT
        if isinstance(answer, Clock) and answer.half is None:
            return self._duration(reference, answer)
        return _DIFFERENT

    def _ambiguous(self, reference: Reading, answer: Reading) -> Comparison:
        """Equal if each reading is, not equal if none is; else the learner is asked which one is meant."""
        if type(reference) is type(answer) and describe(reference) == describe(answer):
            return _EQUAL
        references, answers = self._settled(reference, answer), self._settled(answer, reference)
        verdicts = [[self.compare(one, other) for one in references] for other in answers]
        matched = [any(item.verdict == "equal" for item in row) for row in verdicts]
        clear = len(answers) > 1 or not isinstance(answer, Ambiguous) or answers != answer.options
        if all(matched) and clear:
            return _EQUAL
        if any(matched):
            question = answer.question if isinstance(answer, Ambiguous) else ""
            return _unread(question[:1].upper() + question[1:])
        flat = [item for row in verdicts for item in row]
        return next((item for item in flat if item.verdict == "unread"), flat[0])

    def _settled(self, reading: Reading, other: Reading) -> tuple[Reading, ...]:
        """Drop the readings that the item's policy, or the other side, rules out."""
        if not isinstance(reading, Ambiguous):
            return (reading,)
        timed = isinstance(other, Clock) or (
            isinstance(other, Quantity) and other.unit is not None and other.unit.dimension == (("time", 1),)
        )
        likely = [
            option
            for option in reading.options
            if (timed and isinstance(option, Clock))
            or (isinstance(other, Items) and isinstance(option, Items) and _alike(option, other))
        ]
        if likely:
            return tuple(likely)
        if self.policy.form == "mixed":
            mixed = [option for option in reading.options if isinstance(option, Quantity) and is_mixed(option)]
            if len(mixed) == 1:
                return (mixed[0],)
        return reading.options

    # One value

    def quantities(self, reference: Quantity, answer: Quantity) -> Comparison:
        """Compare two single values: names, units, percent, value, then the form the item wants."""
        if reference.name and answer.name and reference.name.lower() != answer.name.lower():
            return _unread(f"The question asks for {reference.name}. What is {reference.name}?")
        units = self._units(reference, answer)
        if units is not None:
            return units
        factor = Fraction(1)
        if reference.unit is not None and answer.unit is not None:
            factor = answer.unit.factor / reference.unit.factor
        outcome = self._values(reference, answer, factor)
        if outcome.verdict != "equal":
            return outcome
        if answer.approximate and not reference.approximate and self.policy.tolerance == 0:
            return _unread("You wrote that as an estimate. Is it exactly that?")
        if answer.ordinal and not reference.ordinal:
            return _unread("That names a place in a row. Do you mean the number?")
        if reference.noun and answer.noun and not (answer.unit or reference.unit) and _other_noun(reference, answer):
            return _unread(f"The value is one I can compare, but the question asks for {reference.noun}.")
        return self._rules(reference, answer)

    def _units(self, reference: Quantity, answer: Quantity) -> Comparison | None:
        if reference.unit is None or answer.unit is None:
            return None
        if reference.unit.dimension != answer.unit.dimension:
            return _refused(f"{answer.unit.symbol} and the unit asked for measure different things.")
        return None

    def _values(self, reference: Quantity, answer: Quantity, factor: Fraction) -> Comparison:
        as_fraction = self.policy.percent_as == "fraction"
        if reference.exact is None or answer.exact is None:
            if reference.unit or answer.unit or reference.percent != answer.percent:
                return _unread("I can only compare this without a unit.")
            return self._inexact(reference, answer)
        left = scaled(reference.exact, Fraction(1, 100)) if reference.percent and as_fraction else reference.exact
        right = scaled(answer.exact, factor)
        right = scaled(right, Fraction(1, 100)) if answer.percent and as_fraction else right
        tolerance = self.policy.tolerance / 100 if reference.percent and as_fraction else self.policy.tolerance
        if left.equals(right):
            return _EQUAL
        gap = left.minus(right)
        if tolerance and not gap.names and abs(_approximation(gap)) <= float(tolerance) * (1 + 1e-12):
            value = gap.as_fraction()
            if value is None or abs(value) <= tolerance:
                return _EQUAL
        return self._near(left, right, reference, answer)

    def _near(self, left: Exact, right: Exact, reference: Quantity, answer: Quantity) -> Comparison:
        """Not equal, with a hint where only the writing is off."""
        if reference.percent and not answer.percent and reference.exact and answer.exact:
            if reference.exact.equals(answer.exact):
                return _refused("Is that a percentage? Then write the % sign.")
        if not left.names and not right.names and not self.policy.tolerance:
            exact, given = _approximation(left), _approximation(right)
            if exact and abs(exact - given) <= 0.005 * abs(exact) and isinstance(literal(answer.node), Num):
                return _refused("That is close, but it is rounded. The exact value is asked for.")
        return _DIFFERENT

    def _inexact(self, reference: Quantity, answer: Quantity) -> Comparison:
        if reference.node == answer.node:
            return _EQUAL
        if surely_different(reference.node, answer.node):
            if self.policy.tolerance and not (names_of(reference.node) | names_of(answer.node)) - {"pi", "e"}:
                left, right = float_value(reference.node, {}), float_value(answer.node, {})
                if left is not None and right is not None and abs(left - right) <= float(self.policy.tolerance):
                    return _EQUAL
            return _DIFFERENT
        if self.symbolic is not None and self.symbolic.equal(reference.node, answer.node):
            return _EQUAL
        return _unread("I could not check whether that is the same. Please write it in another form.")

    def _rules(self, reference: Quantity, answer: Quantity) -> Comparison:
        """Apply what the item asks for beyond the value; the reason says that the value is right."""
        if self.policy.units == "required" and reference.unit is not None and answer.unit is None:
            return _refused("The number is right. Please add the unit.")
        if self.policy.units == "forbidden" and answer.unit is not None:
            return _refused("The value is right. Please write it without a unit.")
        node = literal(answer.node)
        whole = isinstance(node, Num) and not node.decimal
        if self.policy.form == "reduced" and not (whole or is_reduced(answer)):
            return _refused("The value is right. Please write it as a fraction in lowest terms.")
        if self.policy.form == "mixed" and not (whole or isinstance(node, Mixed) or is_proper(answer)):
            return _refused("The value is right. Please write it as a mixed number.")
        if self.policy.form == "decimal" and not isinstance(node, Num):
            return _refused("The value is right. Please write it as a decimal number.")
        return _EQUAL

    # Several values

    def _collections(self, reference: Reading, answer: Reading) -> Comparison:
        match reference, answer:
            case Quantity(), Items(kind="set", items=(one,)):
                return self.quantities(reference, one)
            case Items(kind="set", items=(one,)), Quantity():
                return self.quantities(one, answer)
            case Items(kind="ratio", items=items), Quantity() if len(items) == 2:
                return self._ratio_value(items, answer)
            case Quantity(), Items(kind="ratio", items=items) if len(items) == 2:
                return self._ratio_value(items, reference)
            case Items(), Items():
                return self._items(reference, answer)
            case Items(items=items), Several(items=others) if reference.kind in {"set", "list"}:
                return self._unordered(items, others)
            case Several(items=items), Items(items=others) | Several(items=others):
                return self._unordered(items, others)
            case _, Several():
                return _refused("That gives more than one answer. Please choose one.")
            case Quantity(), Equation():
                line = _as_equation(reference)
                if line is None:
                    return _refused("That is an equation, not its solution.")
                return _EQUAL if proportional(line, answer.difference) else _DIFFERENT
            case Equation(), Quantity() if answer.name and (line := _as_equation(answer)) is not None:
                return _EQUAL if proportional(reference.difference, line) else _DIFFERENT
            case Equation(), Quantity():
                return _unread("An equation is asked for. Please write it with both sides.")
        return _DIFFERENT

    def _items(self, reference: Items, answer: Items) -> Comparison:
        kinds = {reference.kind, answer.kind}
        if kinds == {"ratio"}:
            return self._ratios(reference.items, answer.items)
        if "ratio" in kinds or ("remainder" in kinds and len(kinds) > 1):
            return _DIFFERENT
        if kinds <= {"set", "list"}:
            return self._unordered(reference.items, answer.items)
        if kinds == {"set", "pair"}:
            outcome = self._unordered(reference.items, answer.items)
            if outcome.verdict != "equal":
                return outcome
            return _unread("Is that a set like {1, 2} or a pair like (1, 2)?")
        return self._ordered(reference.items, answer.items)

    def _ordered(self, references: tuple[Quantity, ...], answers: tuple[Quantity, ...]) -> Comparison:
        if len(references) != len(answers):
            return _DIFFERENT
        outcomes = [self.quantities(one, other) for one, other in zip(references, answers, strict=True)]
        return next((item for item in outcomes if item.verdict != "equal"), _EQUAL)

    def _unordered(self, references: tuple[Quantity, ...], answers: tuple[Quantity, ...]) -> Comparison:
        """Each value must be matched on the other side; repeats do not count."""
        worst = _EQUAL
        for rows, columns, turned in ((references, answers, False), (answers, references, True)):
            for row in rows:
                outcomes = [self.quantities(*((other, row) if turned else (row, other))) for other in columns]
                if not any(item.verdict == "equal" for item in outcomes):
                    unclear = next((item for item in outcomes if item.verdict == "unread"), None)
                    if unclear is None:
                        return _DIFFERENT
                    worst = unclear
        return worst

    def _ratios(self, references: tuple[Quantity, ...], answers: tuple[Quantity, ...]) -> Comparison:
        if len(references) != len(answers):
            return _DIFFERENT
        left = [item.exact for item in references]
        right = [item.exact for item in answers]
        if self.policy.form == "reduced" and any(
            not one.equals(other)
            for one, other in zip(left, right, strict=True)
            if one is not None and other is not None
        ):
            return _refused("Please write the ratio in lowest terms.") if proportional_rows(left, right) else _DIFFERENT
        return _EQUAL if proportional_rows(left, right) else _DIFFERENT

    def _ratio_value(self, items: tuple[Quantity, ...], value: Quantity) -> Comparison:
        if value.exact is None or items[0].exact is None or items[1].exact is None or value.unit or value.percent:
            return _DIFFERENT
        if not fraction_bar(value.node):
            return _DIFFERENT
        product_ = multiplied(value.exact, items[1].exact)
        return _EQUAL if product_.equals(items[0].exact) else _DIFFERENT

    # The rest

    def _words(self, reference: Words, answer: Reading) -> Comparison:
        if not isinstance(answer, Words):
            return _DIFFERENT if reference.text in YES_NO else _unread("A word is asked for.")
        if _bare_word(reference.text) == _bare_word(answer.text):
            return _EQUAL
        if reference.text in YES_NO and answer.text in YES_NO:
            return _DIFFERENT
        return _unread("I can only compare this word by word, and it is not the same.")

    def _intervals(self, reference: Interval, answer: Interval) -> Comparison:
        if reference.name and answer.name and reference.name != answer.name:
            return _unread(f"The question asks for {reference.name}.")
        if (reference.low_closed, reference.high_closed) != (answer.low_closed, answer.high_closed):
            return _DIFFERENT
        for one, other in ((reference.low, answer.low), (reference.high, answer.high)):
            if (one is None) != (other is None):
                return _DIFFERENT
            if one is not None and other is not None and self.quantities(one, other).verdict != "equal":
                return _DIFFERENT
        return _EQUAL

    def _duration(self, reference: Reading, answer: Clock) -> Comparison:
        """Read 1:30 beside a reference in hours as h:mm, beside one in seconds as m:ss; beside minutes it is open."""
        if not isinstance(reference, Quantity) or reference.unit is None or reference.exact is None:
            return _DIFFERENT
        if reference.unit.dimension != (("time", 1),):
            return _DIFFERENT
        seconds = scaled(reference.exact, reference.unit.factor).as_fraction()
        small = Fraction(answer.first * 60 + answer.second)
        readings = {"h": {small * 60}, "s": {small}, "min": {small, small * 60}}.get(
            reference.unit.symbol, {small * 60}
        )
        if seconds not in readings:
            return _DIFFERENT
        if len(readings) > 1:
            return _unread("Did you mean hours and minutes, or minutes and seconds?")
        return _EQUAL


def _approximation(value: Exact) -> float:
    """Return a number's value near enough; roots and pi are evaluated."""

    def total(terms: dict[tuple[int, tuple[tuple[str, int], ...]], Fraction]) -> float:
        result = 0.0
        for (root, powers), part in terms.items():
            letters = 1.0
            for _, exponent in powers:
                letters *= 3.141592653589793**exponent
            result += float(part) * float(root) ** 0.5 * letters
        return result

    try:
        return total(value.above) / total(value.below)
    except (OverflowError, ZeroDivisionError):
        return float("inf")


def _bare_word(text: str) -> str:
    """Drop articles and "it is" before a word answer."""
    return re.sub(r"^(?:(?:it is|its|it's|the|an?)\s+)+", "", text)


def _alike(left: Items, right: Items) -> bool:
    """Return whether two rows of values may be the same kind of answer."""
    rows = {"set", "pair", "list"}
    return left.kind == right.kind or (left.kind in rows and right.kind in rows)


def _as_interval(pair: Items) -> Interval:
    closed = pair.brackets == "[]"
    return Interval(low=pair.items[0], high=pair.items[1], low_closed=closed, high_closed=closed)


def _as_equation(quantity: Quantity) -> Exact | None:
    """Return y - (2x + 3) for "y = 2x + 3"; `None`: it has no name, or is solved."""
    if quantity.name is None or quantity.exact is None or not quantity.exact.names or quantity.unit is not None:
        return None
    letter = Exact(above={(1, ((quantity.name, 1),)): Fraction(1)}, below={(1, ()): Fraction(1)})
    return letter.minus(quantity.exact)


def _minutes(clock: Clock) -> int:
    hour = clock.first
    if clock.half is not None:
        hour = hour % 12 + (12 if clock.half == "pm" else 0)
    return hour * 60 + clock.second


def _other_noun(reference: Quantity, answer: Quantity) -> bool:
    """Return whether two counted things share no word, plural s apart; in Chinese, no character."""
    left, right = (
        {word.rstrip("s") for word in re.findall(r"[\u4e00-\u9fff]|[^\W\d_]+", (noun or "").casefold())}
        for noun in (reference.noun, answer.noun)
    )
    return not left & right
