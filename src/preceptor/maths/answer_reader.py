"""Reads one answer: the whole text as mathematics first, then as a sentence that holds exactly one answer."""

from __future__ import annotations

import re
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from fractions import Fraction

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
)
from preceptor.maths.answer_sentence import Sentence, is_no_answer, split_sentence
from preceptor.maths.answer_text import plain_text, spoken_to_signs
from preceptor.maths.expression_grammar import LimitError, Num, Percent, UnreadError, parse
from preceptor.maths.expression_value import Exact, NotExactError, exact_value, rational, scaled
from preceptor.maths.numerals import NUMBER_WORDS
from preceptor.maths.units import Unit, convert, find_unit, power

_CURRENCY = r"(?:US\$|[$€£¥₹₽]|(?:USD|EUR|GBP|CNY|RMB|Rs\.?)(?=\s*[\d.-]))"
_MONEY_FIRST = re.compile(rf"([-+]?)\s*({_CURRENCY})\s*([-+]?)\s*(\d[\d,.' ]*\d|\d|\.\d+)(.*)")
_LETTER_START = re.compile(r"(?<![^\W\d_])[^\W\d_]|[°$€£¥¢₹₽]|(?<=[^\u4e00-\u9fff])[\u4e00-\u9fff]|/(?=\s*[^\W\d_])")
_PER_COUNT = re.compile(r"(.+?)\s*(?:per|/|each|every)\s*(\d+(?:\.\d+)?)\s*([^\W\d_].*)")
_NOUN = re.compile(r"[^\W\d_]+(?:[ '-][^\W\d_]+){0,6}")
_NOT_NOUNS = frozenset(
    "or and not less more than times over divided plus minus squared cubed root remainder r per percent hundred "
    "thousand million to th st nd rd power equals is isn't is't no if but between either neither nor half quarter "
    "ish maybe perhaps right think i because since so total altogether each exactly ok please sure anything too "
    "third plusminus dozen at o y oder und ou et 或 和 不 nicht pas e x X".split()
)
_APPROXIMATE = re.compile(
    r"(?:≈|~|about|approximately|approx\.?|around|roughly|nearly|almost|ca\.|circa|etwa|ungefähr|environ|"
    r"aproximadamente|casi|unos|大约|约|大概)\s*(?=[\d$.-])",
    re.IGNORECASE,
)
_ORDINAL = re.compile(r"(\d{1,6})(?:st|nd|rd|th)(?:\s+([^\W\d_].*))?")
_REMAINDER = re.compile(r"(\d{1,20})\s*(?:remainder|rem\.?|r|R|余|(?:\.\.\.|…){1,2})\s*(\d{1,20})")
_CLOCK = re.compile(r"(\d{1,2}):([0-5]\d)(?:\s*([ap])\.?m\.?)?", re.IGNORECASE)
_COMPOUND_PART = re.compile(
    r"(\d[\d,.]*(?: \d+/\d+)?(?:/\d+)?)\s*([^\d\s,+-][^\d,+-]*?)(?:\s*,\s*|\s+(?:and|y|und|et)\s+|\s*)(?=\d|$)"
)
_OR = re.compile(
    r"\s*(?:(?:,\s*|\s+)(?:or|and|oder|und|ou|et)\s+|(?<=[\w)%])\s+[oy]\s+(?=[\w(-])(?![oy] [-+=])"
    r"|或者?|和|或是|、|;|,)\s*",
    re.IGNORECASE,
)
_MAX_ITEMS = 20
_MAX_UNIT_WORDS = 5
_MAX_CANDIDATES = 12
_QUESTION_COMMA = "did you mean {0}.{1} or {0} and {1}?"


class Reader:
    """Reads answers under one locale; `names` are letters the reference uses as variables."""

    def __init__(self, *, locale: str = "en", names: AbstractSet[str] = frozenset()) -> None:
        self.locale, self.names = locale, names

    def read(self, text: str) -> Reading:
        """Return what a text says; English number words are tried first.

        It never raises, and takes a few milliseconds at most.
        """
        try:
            plain = plain_text(text)
            if is_no_answer(plain):
                return NoAnswer(reason="There is no answer in it.")
            return self._read_plain(plain)
        except UnreadError as error:
            return Unread(reason=str(error))
        except RecursionError:
            return Unread(reason="That is nested too deep for me.")

    def _read_plain(self, plain: str) -> Reading:
        bold = re.fullmatch(r"(\*\*|__)([^*_]+)\1", plain)
        plain = bold[2] if bold else plain
        trimmed = plain.strip().rstrip(".;,。!！?？ ") if not re.search(r"\d!\s*$", plain) else plain
        trimmed = trimmed.strip('"“”').strip("'") or plain
        failure: UnreadError | None = None
        tried: set[str] = set()
        for language in ("en", "es", "fr", "de", "ar"):
            written = spoken_to_signs(trimmed, language)
            if written in tried:
                continue
            tried.add(written)
            try:
                return self.mathematics(written)
            except LimitError as error:
                return Unread(reason=str(error))
            except UnreadError as error:
                failure = failure or error
        return self._sentence(plain, failure or UnreadError("I could not read that as a number."))

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

    # One quantity

    def quantity(self, text: str) -> Quantity:
        """Read "3 1/2 km", "$1,200", "12元", "50%", "2x+3", "about 12", "1 h 30 min", "12 apples".

        Raises:
            UnreadError: It is no single quantity.
        """
        text = text.strip().strip(",")
        approximate = _APPROXIMATE.match(text)
        if approximate:
            inner = self.quantity(text[approximate.end() :])
            return _replace(inner, approximate=True)
        money = _MONEY_FIRST.fullmatch(text)
        if money:
            text = f"{money[1] or money[3]}{money[4]} {money[2]}{money[5]}"
        rate = self._rate_per_count(text)
        if rate is not None:
            return rate
        compound = self._compound(text)
        if compound is not None:
            return compound
        failure: UnreadError | None = None
        split = self._with_unit(text)
        if split is not None:
            return split
        try:
            return self._bare(text)
        except UnreadError as error:
            failure = error
        noun = self._with_noun(text)
        if noun is not None:
            return noun
        raise failure

    def _bare(self, text: str) -> Quantity:
        node = parse(text, locale=self.locale, names=self.names)
        percent = isinstance(node, Percent)
        shown = node.arg if isinstance(node, Percent) else node
        try:
            exact = exact_value(shown)
        except NotExactError:
            exact = None
        return Quantity(node=shown, exact=exact, text=text.removesuffix("%"), percent=percent)

    def _number(self, text: str) -> Quantity | None:
        """Read an expression without variables, else `None`."""
        try:
            quantity = self._bare(text)
        except UnreadError:
            return None
        return None if quantity.exact is None or quantity.exact.names else quantity

    def _cuts(self, text: str) -> list[int]:
        return [match.start() for match in _LETTER_START.finditer(text) if match.start() > 0][:10]

    def _with_unit(self, text: str) -> Quantity | None:
        for cut in self._cuts(text):
            suffix = text[cut:].strip()
            words = suffix.split()
            for length in range(min(len(words), _MAX_UNIT_WORDS), 0, -1):
                head = " ".join(words[:length])
                unit = find_unit(_single_currency(head))
                rest = " ".join(words[length:])
                if unit is None or (rest and (len(head) < 3 or not _noun_like(rest))):
                    continue
                if len(head) == 1 and head in self.names:
                    continue
                number = self._number(text[:cut].strip())
                if number is not None and not number.percent:
                    return _replace(number, unit=unit, noun=rest or None)
        return None

    def _with_noun(self, text: str) -> Quantity | None:
        for cut in self._cuts(text)[:3]:
            suffix = text[cut:].strip()
            if not _noun_like(suffix):
                continue
            number = self._number(text[:cut].strip())
            if number is not None:
                return _replace(number, noun=suffix)
        return None

    def _rate_per_count(self, text: str) -> Quantity | None:
        """Read "60 miles per 2 hours" as 30 miles per hour."""
        match = _PER_COUNT.fullmatch(text)
        if not match or not re.search(r"[^\W\d_]", match[3]) or match[3] in self.names:
            return None
        below = find_unit(match[3])
        count = Fraction(match[2])
        if (
            below is None
            or count == 0
            or ("/" in text[match.end(1) : match.start(2)] and match[1].strip()[-1:].isdigit())
        ):
            return None
        above = self.quantity(match[1])
        if above.exact is None or above.exact.as_fraction() is None or above.percent:
            return None
        unit = find_unit(f"{above.unit.symbol}/{below.symbol}") if above.unit else _per(below)
        value = above.exact.as_fraction()
        assert value is not None
        return _plain_quantity(value / count, unit=unit)

    def _compound(self, text: str) -> Quantity | None:
        """Read "1 h 30 min", "5 feet 6 inches", 3元5角: parts of one measure, each smaller than the one before."""
        parts = _COMPOUND_PART.findall(text)
        if not 2 <= len(parts) <= 4 or sum(len(number) for number, _ in parts) < 2:
            return None
        if re.sub(r"[\s,]|\band\b", "", _COMPOUND_PART.sub("", text)):
            return None
        names = [re.sub(r"\s*(?:,|\band|\by|\bund|\bet)$", "", name.strip()) for _, name in parts]
        names = ["分钟" if name == "分" and "时" in names[0] else name for name in names]
        units = [find_unit(name) for name in names]
        numbers = [self._number(number) for number, _ in parts]
        total, first = Fraction(0), units[0]
        previous: Unit | None = None
        for unit, number in zip(units, numbers, strict=True):
            value = None if number is None or number.exact is None else number.exact.as_fraction()
            if unit is None or first is None or value is None:
                return None
            part = convert(value, unit, first)
            if part is None or (previous is not None and value * unit.factor >= previous.factor):
                return None
            total, previous = total + part, unit
        return _plain_quantity(total, unit=first, text=text)

    # Several quantities

    def _special(self, text: str) -> Reading | None:
        if match := _REMAINDER.fullmatch(text):
            return Items(kind="remainder", items=(self.quantity(match[1]), self.quantity(match[2])))
        if match := re.fullmatch(r"([^()]*\S)\s+\(([^()]+)\)", text):
            return self._said_twice(match[1], match[2])
        if match := re.fullmatch(r"(-?\d+(?:\.\d+)?)\s*([CF])", text):
            degrees, product = self.quantity(f"{match[1]} °{match[2]}"), self.quantity(f"{match[1]}{match[2]}")
            return Ambiguous(options=(degrees, product), question=f"did you mean degrees, °{match[2]}?")
        if match := _ORDINAL.fullmatch(text):
            place = _plain_quantity(Fraction(match[1]), unit=None)
            return _replace(place, ordinal=True, noun=match[2])
        if match := re.fullmatch(r"(.*\d)\s*!", text):
            return self._exclamation(match[1])
        if match := re.fullmatch(r"(\d+)-(\d+)/(\d+)(.*)", text):
            return self._hyphen(text, match)
        if match := re.fullmatch(r"(\d+),(\d{1,2}|\d{4,})", text):
            if self.locale == "en":
                pair = Items(kind="list", items=(self.quantity(match[1]), self.quantity(match[2])))
                number = _plain_quantity(Fraction(f"{match[1]}.{match[2]}"), unit=None)
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
        if match := re.fullmatch(r"(?:(.+?)\s*)?±\s*(.+)", text):
            return self._plus_minus(match[1] or "", match[2])
        return None

    def _said_twice(self, outside: str, inside: str) -> Reading | None:
        """Read "12 (twelve)" as one answer; another bracket after a space stays a product."""
        try:
            one, other = self.quantity(outside), self.quantity(inside)
        except UnreadError:
            return None
        return one if _same(one, other) else None

    def _exclamation(self, text: str) -> Reading:
        number = self.quantity(text)
        value = None if number.exact is None else number.exact.as_fraction()
        options: list[Reading] = [number]
        if value is not None and value.denominator == 1 and 3 <= value <= 20:
            product = 1
            for factor in range(2, int(value) + 1):
                product *= factor
            options.append(_plain_quantity(Fraction(product), unit=None))
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
        if (compound := self._compound(text)) is not None:
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
            return Items(kind="pair", items=tuple(_replace(item, name=None) for item in ordered))
        if len(items) > 1 and all(re.search(r"\d.*=", part) for part in parts):
            left = _results([(item, _operands(part)) for item, part in zip(items, parts, strict=True)])
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

    # Equations, inequalities, ratios

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
            return _replace(self.quantity(sides[1]), approximate="≈" in signs)
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
                return _replace(value, name=one_letter, approximate=value.approximate or approximate)
            if isinstance(value, Items | Several):
                return value
            raise UnreadError("I could not read what stands after the equals sign.")
        if len(sides) > 2 and _is_name(left):
            return _replace(_sure(self._chain(text, sides[1:], approximate=approximate)), name=left)
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
            one, other = _in_unit(quantity, last), last
            if one is None or other.exact is None or not one.equals(other.exact):
                if approximate:
                    return _replace(last, approximate=True)
                return Ambiguous(
                    options=(last,), question="the two sides of your equation are not the same. Which is it?"
                )
        return last

    def _equation(self, text: str, left: str, right: str) -> Reading:
        names = self.names | frozenset(letter for letter in re.findall(r"[A-Za-z]", text) if letter in "xyzabcmnpqt")
        sides = [Reader(locale=self.locale, names=names)._bare(side) for side in (left, right)]
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

    # Sentences

    def _sentence(self, plain: str, failure: UnreadError) -> Reading:
        sentence = split_sentence(plain)
        if sentence is None:
            return Unread(reason=str(failure))
        return self._read_sentence(sentence, plain, failure)

    def _read_sentence(self, sentence: Sentence, plain: str, failure: UnreadError) -> Reading:
        asserted = self._candidates(sentence.asserted, sentence.language)
        denied = self._candidates(sentence.denied, sentence.language)
        if sentence.final and len(final := self._candidates(sentence.final, sentence.language)) == 1:
            if not sentence.hedged:
                return final[0]
        distinct: list[Quantity] = []
        for candidate in asserted:
            if not any(_same(candidate, other) for other in distinct):
                distinct.append(candidate)
        if len(distinct) == 1 and not (sentence.hedged and len(asserted) > 1):
            return distinct[0]
        if len(distinct) > 1 and sentence.hedged:
            return Several(items=tuple(distinct))
        if len(distinct) > 1:
            shown = ", ".join(dict.fromkeys(item.text.strip() for item in distinct))
            return Unread(reason=f"I found more than one number: {shown}. Which one is your answer?")
        if denied:
            return NoAnswer(reason="That says what the answer is not, and not what it is.")
        words = re.sub(r"[^\w\s'-]", "", plain).strip().casefold()
        if words and not re.search(r"\d", words) and len(words.split()) <= 6 and not re.search(r"[_\\]", plain):
            return Words(text=words)
        return Unread(reason=str(failure))

    def _candidates(self, clauses: tuple[str, ...], language: str) -> list[Quantity]:
        """Return the values stated in these clauses; a result that a later equation goes on with is not one."""
        found: list[tuple[Quantity, frozenset[Fraction]]] = []
        for clause in clauses:
            text = spoken_to_signs(clause, language, sentence=True)
            for run in _math_runs(text):
                if len(found) > _MAX_CANDIDATES:
                    break
                try:
                    values = _values(self.mathematics(run))
                except UnreadError:
                    continue
                found += [(value, _operands(run)) for value in values]
        return _results(found)


def _results(found: list[tuple[Quantity, frozenset[Fraction]]]) -> list[Quantity]:
    """Drop each value that stands as an operand in a later equation."""
    kept: list[Quantity] = []
    for place, (quantity, _) in enumerate(found):
        value = None if quantity.exact is None else quantity.exact.as_fraction()
        later = [operands for _, operands in found[place + 1 :]]
        if value is None or not any(value in operands for operands in later):
            kept.append(quantity)
    return kept


_RUN = re.compile(
    r"(?:[A-Za-z]\s*=\s*)?(?:US\$|[$€£¥₹])?[-+]?(?:US\$|[$€£¥₹])?\s?(?:\d|\.\d|\(|sqrt)"
    r"(?:[\d.,/*^()+%=:$€£¥₹°'-]|\s(?=[\d+*/^=()$%-])|sqrt|pi|π|\b[xX]\b(?=\s*\d))*"
)
_AFTER = re.compile(r"\s*([^\W\d_]+\.?(?:\s*/\s*[^\W\d_]+|\s+(?:per|an?)\s+[^\W\d_]+|\s+[^\W\d_]+)?)")


def _math_runs(text: str) -> list[str]:
    """Return the stretches of a clause that look like mathematics, each with the unit or noun after it."""
    runs: list[str] = []
    for match in _RUN.finditer(text):
        run = match[0].strip().rstrip(".,:=+*/(-")
        before, behind = text[: match.start()], text[match.end() :]
        glued = bool(re.search(r"[A-Za-z_]$", before)) and not match[0][0].isspace()
        glued |= bool(re.match(r"[A-Za-z_]+\d", behind)) and not match[0][-1].isspace()
        glued |= bool(re.search(r"[-+*/^=(]\s*$", match[0]) and re.match(r"\s*[A-Za-z]", behind))
        if not re.search(r"\d", run) or glued:
            continue
        after = _AFTER.match(text, match.end()) if match[0].rstrip() == run or match[0][-1:].isspace() else None
        words = after[1].split() if after else []
        unit = next((" ".join(words[:size]) for size in (3, 2, 1) if find_unit(" ".join(words[:size]))), "")
        if unit and len(unit) > 2 or (unit and unit not in {"in", "a", "s", "d"}):
            run = f"{run} {unit}"
        runs.append(run)
    return runs


def _values(reading: Reading) -> list[Quantity]:
    match reading:
        case Quantity():
            return [reading]
        case Items(items=items) | Several(items=items):
            return list(items)
        case Ambiguous(options=options):
            return [value for option in options for value in _values(option)]
    return []


def _replace(quantity: Quantity, **changes: object) -> Quantity:
    fields = {name: getattr(quantity, name) for name in Quantity.__dataclass_fields__}
    return Quantity(**{**fields, **changes})


def _plain_quantity(value: Fraction, *, unit: Unit | None, text: str = "") -> Quantity:
    node = Num(value=value, decimal=value.denominator != 1)
    return Quantity(node=node, exact=rational(value), text=text or str(value), unit=unit)


def _sure(reading: Reading) -> Quantity:
    if not isinstance(reading, Quantity):
        raise UnreadError("I could not read that equation.")
    return reading


def _operands(run: str) -> frozenset[Fraction]:
    """Return the numbers on the left of an equation, and of an expression."""
    left = run.rpartition("=")[0] or (run if re.search(r"\d\s*[-+*/]\s*\d", run) else "")
    return frozenset(Fraction(number) for number in re.findall(r"\d{1,40}(?:\.\d{1,20})?", left.replace(",", "")))


def _same(left: Quantity, right: Quantity) -> bool:
    if left.exact is None or right.exact is None:
        return left.text == right.text
    one = _in_unit(left, right)
    return one is not None and one.equals(right.exact) and left.percent == right.percent


def _in_unit(quantity: Quantity, target: Quantity) -> Exact | None:
    """Return a quantity's value in another's unit; a bare number takes that unit as its own."""
    if quantity.exact is None or quantity.unit is None or target.unit is None:
        return quantity.exact
    if quantity.unit.dimension != target.unit.dimension:
        return None
    return scaled(quantity.exact, quantity.unit.factor / target.unit.factor)


def _per(unit: Unit) -> Unit:
    return power(unit, -1)


def _single_currency(text: str) -> str:
    """Drop a currency's name after its sign: "$ dollars"."""
    words = text.split()
    if len(words) == 2 and words[0] in {"$", "€", "£", "¥", "₹"}:
        left, right = find_unit(words[0]), find_unit(words[1])
        if left is not None and right is not None and left.dimension == right.dimension:
            return words[0]
    return text


def _noun_like(text: str) -> bool:
    """Return whether a text may be the counted thing, and holds no word that would change the number."""
    text = text.strip(" .")
    if not _NOUN.fullmatch(text):
        return False
    words = text.casefold().split()
    if any(word in _NOT_NOUNS for word in words) or any(word in NUMBER_WORDS["en"] for word in words):
        return False
    return not re.search(r"[或和不没左右以]", text)


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
    return bool(re.fullmatch(r"\s*[^\W\d_]{3,}(?:\s+[^\W\d_]+){0,3}\s*", text)) and _noun_like(text)


def _balanced(text: str) -> bool:
    depth = 0
    for char in text:
        depth += (char in "([{") - (char in ")]}")
        if depth < 0:
            return False
    return depth == 0


_COMMA_INSIDE = {
    "en": re.compile(r"(?<![\d.,])(?:\d{1,3}(?:,\d{3})+|\d{1,2}(?:,\d{2})+,\d{3}|\d{1,3}(?:\.\d{3})+,\d+)(?!\d|,\d)"),
    "de": re.compile(r"(?<![\d.,])[\d.]*\d,\d+(?![\d,])"),
}
"""Commas that belong to one number."""


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
