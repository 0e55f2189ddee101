"""Reads a whole text as mathematics: one quantity, a set, pair or list, an equation, an interval, a ratio, a time."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction

from preceptor.maths.answer_quantity import QuantityReader, in_unit, noun_like, plain_quantity, replaced, same_quantity
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
)
from preceptor.maths.expression_grammar import UnreadError

_ORDINAL = re.compile(r"(\d{1,6})(?:st|nd|rd|th)(?:\s+([^\W\d_].*))?")
_REMAINDER = re.compile(r"(\d{1,20})\s*(?:remainder|rem\.?|r|R|余|(?:\.\.\.|…){1,2})\s*(\d{1,20})")
_CLOCK = re.compile(r"(\d{1,2}):([0-5]\d)(?:\s*([ap])\.?m\.?)?", re.IGNORECASE)
_OR = re.compile(
    r"\s*(?:(?:,\s*|\s+)(?:or|and|oder|und|ou|et)\s+|(?<=[\w)%])\s+[oy]\s+(?=[\w(-])(?![oy] [-+=])"
    r"|或者?|和|或是|、|;|,)\s*",
    re.IGNORECASE,
)
_MAX_ITEMS = 20
_QUESTION_COMMA = "did you mean {0}.{1} or {0} and {1}?"
_COMMA_INSIDE = {
    "en": re.compile(r"(?<![\d.,])(?:\d{1,3}(?:,\d{3})+|\d{1,2}(?:,\d{2})+,\d{3}|\d{1,3}(?:\.\d{3})+,\d+)(?!\d|,\d)"),
    "de": re.compile(r"(?<![\d.,])[\d.]*\d,\d+(?![\d,])"),
}
"""Commas that belong to one number."""


class MathematicsReader(QuantityReader):
    """Reads a text that is mathematics as a whole, in any of the shapes an answer may have."""

    def mathematics(self, text: str) -> Reading:
        """Read a whole text as one mathematical answer.

        Raises:
            UnreadError: It is none.
        """
        shapes: tuple[Callable[[str], Reading | None], ...] = (
            self._special,
            self._collection,
            self._relation,
            self._ratio,
        )
        for shape in shapes:
            reading = shape(text)
            if reading is not None:
                return reading
        return self.quantity(text)

    def _special(self, text: str) -> Reading | None:
        if match := _REMAINDER.fullmatch(text):
            return Items(kind="remainder", items=(self.quantity(match[1]), self.quantity(match[2])))
        if match := re.fullmatch(r"([^()]*\S)\s+\(([^()]+)\)", text):
            return self._said_twice(match[1], match[2])
        if match := re.fullmatch(r"(-?\d+(?:\.\d+)?)\s*([CF])", text):
            degrees, product = self.quantity(f"{match[1]} °{match[2]}"), self.quantity(f"{match[1]}{match[2]}")
            return Ambiguous(options=(degrees, product), question=f"did you mean degrees, °{match[2]}?")
        if match := re.fullmatch(r"(?:(.+?)\s*)?±\s*(.+)", text):
            return self._plus_minus(match[1] or "", match[2])
        if match := re.fullmatch(r"(\d{1,2})\s*([ap])\.?m\.?", text, re.IGNORECASE):
            return Clock(first=int(match[1]), second=0, half="am" if match[2].lower() == "a" else "pm")
        if match := _ORDINAL.fullmatch(text):
            place = plain_quantity(Fraction(match[1]), unit=None)
            return replaced(place, ordinal=True, noun=match[2])
        if match := re.fullmatch(r"(.*\d)\s*!", text):
            return self._exclamation(match[1])
        return self._two_ways(text)

    def _two_ways(self, text: str) -> Reading | None:
        """Read what may mean two things: 3-1/2, 3,5, a date, 4 10/3, 3 4."""
        if match := re.fullmatch(r"(\d+)-(\d+)/(\d+)(.*)", text):
            return self._hyphen(text, match)
        if match := re.fullmatch(r"(\d+),(\d{1,2}|\d{4,})", text):
            if self.locale == "en":
                pair = Items(kind="list", items=(self.quantity(match[1]), self.quantity(match[2])))
                number = plain_quantity(Fraction(f"{match[1]}.{match[2]}"), unit=None)
                return Ambiguous(options=(pair, number), question=_QUESTION_COMMA.format(match[1], match[2]))
        if re.fullmatch(r"\d{1,4}/\d{1,4}/\d{1,4}", text) or re.fullmatch(r"\d{1,4}-\d{1,2}-\d{1,4}", text):
            question = "is that a date, or a division?" if "/" in text else "is that a date, or a subtraction?"
            return Ambiguous(options=(self.quantity(text),), question=question)
        if match := re.fullmatch(r"(\d+) (\d+)/(\d+)", text):
            return self._improper(match)
        if re.fullmatch(r"\d{1,20}(?: \d{1,20}){2,19}", text) and not re.fullmatch(r"\d{1,3}(?: \d{3})+", text):
            return Items(kind="list", items=tuple(self.quantity(part) for part in text.split()))
        if match := re.fullmatch(r"(\d{1,20}) (\d{1,20})", text):
            return self._two_numbers(match)
        return None

    def _said_twice(self, outside: str, inside: str) -> Reading | None:
        """Read "12 (twelve)" as one answer; another bracket after a space stays a product."""
        try:
            one, other = self.quantity(outside), self.quantity(inside)
        except UnreadError:
            return None
        return one if same_quantity(one, other) else None

    def _exclamation(self, text: str) -> Reading:
        number = self.quantity(text)
        value = None if number.exact is None else number.exact.as_fraction()
        options: list[Reading] = [number]
        if value is not None and value.denominator == 1 and 3 <= value <= 20:
            product = 1
            for factor in range(2, int(value) + 1):
                product *= factor
            options.append(plain_quantity(Fraction(product), unit=None))
        return Ambiguous(options=tuple(options), question=f"did you mean {text}, or {text} factorial?")

    def _hyphen(self, text: str, match: re.Match[str]) -> Reading:
        whole, above, below = (int(match[place]) for place in (1, 2, 3))
        difference = self.quantity(text)
        if not 0 < above < below:
            return difference
        mixed = self.quantity(f"{whole} {above}/{below}{match[4]}")
        return Ambiguous(
            options=(mixed, difference),
            question=f"did you mean {whole} {above}/{below}, or {whole} minus {above}/{below}?",
        )

    def _improper(self, match: re.Match[str]) -> Reading | None:
        whole, above, below = match[1], match[2], match[3]
        if int(below) == 0 or 0 < int(above) < int(below) or re.fullmatch(r"\d{1,3}", whole) and len(above) == 3:
            return None
        options = (self.quantity(f"{whole}+{above}/{below}"), self.quantity(f"{whole}*{above}/{below}"))
        return Ambiguous(
            options=options,
            question=f"did you mean {whole} + {above}/{below}, or two answers, {whole} and {above}/{below}?",
        )

    def _two_numbers(self, match: re.Match[str]) -> Reading | None:
        left, right = match[1], match[2]
        if len(right) == 3 and len(left) <= 3:
            return None
        options: list[Reading] = [Items(kind="list", items=(self.quantity(left), self.quantity(right)))]
        if int(right):
            options.append(self.quantity(f"{left}/{right}"))
        options.append(self.quantity(left + right))
        question = f"I could not read that as a number: did you mean {left}/{right} or {left} and {right}?"
        return Ambiguous(options=tuple(options), question=question)

    def _plus_minus(self, before: str, after: str) -> Reading:
        name = ""
        if match := re.fullmatch(r"([A-Za-z])\s*=\s*(.*)", before):
            name, before = match[1] + " = ", match[2]
        both = [self.mathematics(f"{name}{before or '0'} {sign} ({after})") for sign in "+-"]
        items = tuple(item for item in both if isinstance(item, Quantity))
        if len(items) < 2:
            raise UnreadError("I could not read what stands around the ± sign.")
        return Items(kind="set", items=items)

    def _collection(self, text: str) -> Reading | None:
        for opener, closer in (("{", "}"), ("⟦", "⟧")):
            if text.startswith(opener) and text.endswith(closer):
                return self._items("set", text[1:-1])
        named = re.fullmatch(r"\(?\s*([A-Za-z])\s*,\s*([A-Za-z])\s*\)?\s*=\s*(\(.*\))", text)
        if named:
            text = named[3]
        bracket = re.fullmatch(r"([(\[])(.*)([)\]])", text)
        if bracket and len(parts := _split_top(bracket[2], locale=self.locale)) > 1 and _balanced(bracket[2]):
            if bracket[1] + bracket[3] in {"[)", "(]"}:
                return self._interval(parts, closed=(bracket[1] == "[", bracket[3] == "]"))
            if len(parts) == 2 and any("inf" in part or "∞" in part for part in parts):
                return self._interval(parts, closed=(bracket[1] == "[", bracket[3] == "]"))
            return self._items("pair", bracket[2], brackets=bracket[1] + bracket[3])
        if text.startswith(("either ", "Either ")):
            text = text[7:]
        if (compound := self.compound(text)) is not None:
            return compound
        if len(parts := _split_top(text, or_words=True, locale=self.locale)) > 1:
            return self._list(text, parts)
        return None

    def _items(self, kind: str, inside: str, *, brackets: str = "") -> Reading:
        parts = _split_top(inside, locale=self.locale)
        if len(parts) > _MAX_ITEMS:
            raise UnreadError("There are more parts in it than I read.")
        items = tuple(self._item(part) for part in parts)
        return Items(kind="set", items=items) if kind == "set" else Items(kind="pair", items=items, brackets=brackets)

    def _item(self, text: str) -> Quantity:
        reading = self._relation(text)
        if isinstance(reading, Quantity):
            return reading
        if reading is not None:
            raise UnreadError("I could not read one part of it as a number.")
        return self.quantity(text)

    def _list(self, text: str, parts: list[str]) -> Reading:
        if len(parts) > _MAX_ITEMS:
            raise UnreadError("There are more parts in it than I read.")
        items = tuple(self._item(part) for part in parts)
        if all(item.name for item in items) and len({item.name for item in items}) == len(items) > 1:
            ordered = sorted(items, key=lambda item: item.name or "")
            return Items(kind="pair", items=tuple(replaced(item, name=None) for item in ordered))
        if len(items) > 1 and all(re.search(r"\d.*=", part) for part in parts):
            left = results([(item, operands(part)) for item, part in zip(items, parts, strict=True)])
            if len(left) == 1:
                return left[0]
            raise UnreadError("There is more than one result in it. Which one is your answer?")
        if re.search(r"\b(?:or|oder|ou|o)\b|或|还是", text, re.IGNORECASE):
            return Several(items=items)
        return Items(kind="list", items=items)

    def _interval(self, parts: list[str], *, closed: tuple[bool, bool]) -> Reading:
        if len(parts) != 2:
            raise UnreadError("An interval has two ends.")
        ends = [
            None if re.fullmatch(r"[-+]?\s*(?:inf|infinity|∞)", part.strip()) else self.quantity(part) for part in parts
        ]
        return Interval(low=ends[0], high=ends[1], low_closed=closed[0], high_closed=closed[1])

    def _relation(self, text: str) -> Reading | None:
        pieces = [piece.strip() for piece in re.split(r"(<=|>=|=<|=>|!=|==|[<>=≈])", text)]
        if len(pieces) < 3:
            return None
        signs = pieces[1::2]
        sides = pieces[0::2]
        if any(sign in {"<", ">", "<=", ">=", "=<", "=>"} for sign in signs):
            return self._inequality(sides, signs)
        if "!=" in signs:
            return NoAnswer(reason="That says what it is not.")
        if sides[0] == "" and len(sides) == 2:
            return replaced(self.quantity(sides[1]), approximate="≈" in signs)
        if any(not side for side in sides) or len(sides) > 8:
            raise UnreadError("One side of the equals sign is empty.")
        return self._chain(text, sides, approximate="≈" in signs)

    def _chain(self, text: str, sides: list[str], *, approximate: bool) -> Reading:
        """Read "x = 3", "3*4 = 12", "y = 2x+3", "2x - y = 0"."""
        left, right = sides[0], sides[-1]
        if len(sides) == 2 and not _is_name(left) and _is_name(right):
            left, right = right, left
        label = _label(left)
        if label and len(sides) == 2:
            value = self.mathematics(right) if not re.search(r"[<>=]", right) else None
            if isinstance(value, Quantity):
                one_letter = label if len(label) == 1 else None
                if one_letter and value.exact is not None and one_letter in value.exact.names:
                    return self._equation(text, left, right)
                return replaced(value, name=one_letter, approximate=value.approximate or approximate)
            if isinstance(value, Items | Several):
                return value
            raise UnreadError("I could not read what stands after the equals sign.")
        if len(sides) > 2 and _is_name(left):
            return replaced(_sure(self._chain(text, sides[1:], approximate=approximate)), name=left)
        quantities = [self.quantity(side) for side in sides]
        if any(quantity.exact is None or quantity.exact.names for quantity in quantities):
            return self._equation(text, sides[0], sides[-1]) if len(sides) == 2 else self._no_chain()
        return self._numeric_chain(quantities, approximate=approximate)

    def _no_chain(self) -> Reading:
        raise UnreadError("There is more than one equals sign in it.")

    def _numeric_chain(self, quantities: list[Quantity], *, approximate: bool) -> Reading:
        """A chain of numbers says its last one, if it holds."""
        last = quantities[-1]
        for quantity in quantities[:-1]:
            one, other = in_unit(quantity, last), last
            if one is None or other.exact is None or not one.equals(other.exact):
                if approximate:
                    return replaced(last, approximate=True)
                return Ambiguous(
                    options=(last,), question="the two sides of your equation are not the same. Which is it?"
                )
        return last

    def _equation(self, text: str, left: str, right: str) -> Reading:
        names = self.names | frozenset(letter for letter in re.findall(r"[A-Za-z]", text) if letter in "xyzabcmnpqt")
        sides = [QuantityReader(locale=self.locale, names=names).bare(side) for side in (left, right)]
        if sides[0].exact is None or sides[1].exact is None:
            raise UnreadError("I could not read that equation.")
        difference = sides[0].exact.minus(sides[1].exact)
        if not difference.names:
            return NoAnswer(reason="That is true of every number, so it gives no value.")
        return Equation(difference=difference, text=text)

    def _inequality(self, sides: list[str], signs: list[str]) -> Reading:
        signs = [{"=<": "<=", "=>": ">="}.get(sign, sign) for sign in signs]
        if len({sign[0] for sign in signs}) != 1 or len(sides) not in (2, 3):
            raise UnreadError("I could not read that inequality.")
        if signs[0][0] == ">":
            sides, signs = sides[::-1], [sign.replace(">", "<") for sign in signs[::-1]]
        closed = [sign == "<=" for sign in signs]
        if len(sides) == 3 and _is_name(sides[1]):
            low, high = self.quantity(sides[0]), self.quantity(sides[2])
            return Interval(low=low, high=high, low_closed=closed[0], high_closed=closed[1], name=sides[1])
        if len(sides) == 2 and _is_name(sides[0]):
            return Interval(
                low=None, high=self.quantity(sides[1]), low_closed=False, high_closed=closed[0], name=sides[0]
            )
        if len(sides) == 2 and _is_name(sides[1]):
            return Interval(
                low=self.quantity(sides[0]), high=None, low_closed=closed[0], high_closed=False, name=sides[1]
            )
        if len(sides) == 2 and not sides[0]:
            return NoAnswer(reason="That gives a bound, not a value.")
        raise UnreadError("I could not read that inequality.")

    def _ratio(self, text: str) -> Reading | None:
        if match := re.fullmatch(_CLOCK, text):
            half = {"a": "am", "p": "pm", "": None}[(match[3] or "").lower()]
            clock = Clock(first=int(match[1]), second=int(match[2]), half=half)  # type: ignore[arg-type]
            if half:
                return clock
            ratio = Items(kind="ratio", items=(self.quantity(match[1]), self.quantity(match[2])))
            return Ambiguous(options=(clock, ratio), question="is that a time, or a ratio?")
        pieces = text.split(":") if ":" in text else re.split(r"(?<=\d)\s+to\s+(?=\d)|(?<=\d)\s*比\s*(?=\d)", text)
        if 2 <= len(pieces) <= 4 and all(piece.strip() for piece in pieces):
            if not _is_label(pieces[0]):
                return Items(kind="ratio", items=tuple(self.quantity(piece) for piece in pieces))
            return self.mathematics(":".join(pieces[1:]).strip())
        return None


def results(found: list[tuple[Quantity, frozenset[Fraction]]]) -> list[Quantity]:
    """Drop each value that stands as an operand in a later equation."""
    kept: list[Quantity] = []
    for place, (quantity, _) in enumerate(found):
        value = None if quantity.exact is None else quantity.exact.as_fraction()
        later = [operands for _, operands in found[place + 1 :]]
        if value is None or not any(value in operands for operands in later):
            kept.append(quantity)
    return kept


def operands(run: str) -> frozenset[Fraction]:
    """Return the numbers on the left of an equation, and of an expression."""
    left = run.rpartition("=")[0] or (run if re.search(r"\d\s*[-+*/]\s*\d", run) else "")
    return frozenset(Fraction(number) for number in re.findall(r"\d{1,40}(?:\.\d{1,20})?", left.replace(",", "")))


def _sure(reading: Reading) -> Quantity:
    if not isinstance(reading, Quantity):
        raise UnreadError("I could not read that equation.")
    return reading


def _is_name(text: str) -> bool:
    return bool(re.fullmatch(r"[A-Za-z]", text))


def _label(text: str) -> str:
    """Return the name before an equals sign: x, "f(x)", "total", "answer"; empty if it is no name."""
    if _is_name(text):
        return text
    if re.fullmatch(r"[a-zA-Z]\([a-z]\)|[A-Za-z]_?\d", text):
        return "value"
    return "value" if _is_label(text) else ""


def _is_label(text: str) -> bool:
    return bool(re.fullmatch(r"\s*[^\W\d_]{3,}(?:\s+[^\W\d_]+){0,3}\s*", text)) and noun_like(text)


def _balanced(text: str) -> bool:
    depth = 0
    for char in text:
        depth += (char in "([{") - (char in ")]}")
        if depth < 0:
            return False
    return depth == 0


def _split_top(text: str, *, or_words: bool = False, locale: str = "en") -> list[str]:
    """Split at commas outside brackets, not inside 1,000; with `or_words` at "or" and "and" too."""
    masked, depth = [], 0
    for char in text:
        depth += (char in "([{⟦") - (char in ")]}⟧")
        masked.append("\x00" if depth > 0 and char not in "([{⟦" else char)
    inside = _COMMA_INSIDE["de" if locale == "de" else "en"]
    shown = inside.sub(lambda match: match[0].replace(",", "\x00"), "".join(masked))
    if not or_words:
        shown_pattern = re.compile(r"[,;]")
    else:
        shown_pattern = _OR
    parts, done = [], 0
    for match in shown_pattern.finditer(shown):
        parts.append(text[done : match.start()].strip())
        done = match.end()
    parts.append(text[done:].strip())
    return [part for part in parts if part] if or_words else parts
