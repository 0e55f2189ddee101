"""Reads one quantity: "3 1/2 km", "$1,200", "12元", "50%", "2x+3", "about 12", "1 h 30 min", "12 apples"."""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from fractions import Fraction

from preceptor.maths.answer_reading import Quantity
from preceptor.maths.expression_grammar import Num, Percent, UnreadError, parse
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
_COMPOUND_PART = re.compile(
    r"(\d[\d,.]*(?: \d+/\d+)?(?:/\d+)?)\s*([^\d\s,+-][^\d,+-]*?)(?:\s*,\s*|\s+(?:and|y|und|et)\s+|\s*)(?=\d|$)"
)
_MAX_UNIT_WORDS = 5


class QuantityReader:
    """Reads single quantities under one locale; `names` are letters the reference uses as variables."""

    def __init__(self, *, locale: str = "en", names: AbstractSet[str] = frozenset()) -> None:
        self.locale, self.names = locale, names

    def quantity(self, text: str) -> Quantity:
        """Read "3 1/2 km", "$1,200", "12元", "50%", "2x+3", "about 12", "1 h 30 min", "12 apples".

        Raises:
            UnreadError: It is no single quantity.
        """
        text = text.strip().strip(",")
        approximate = _APPROXIMATE.match(text)
        if approximate:
            inner = self.quantity(text[approximate.end() :])
            return replaced(inner, approximate=True)
        money = _MONEY_FIRST.fullmatch(text)
        if money:
            text = f"{money[1] or money[3]}{money[4]} {money[2]}{money[5]}"
        rate = self._rate_per_count(text)
        if rate is not None:
            return rate
        compound = self.compound(text)
        if compound is not None:
            return compound
        failure: UnreadError | None = None
        split = self._with_unit(text)
        if split is not None:
            return split
        try:
            return self.bare(text)
        except UnreadError as error:
            failure = error
        noun = self._with_noun(text)
        if noun is not None:
            return noun
        raise failure

    def bare(self, text: str) -> Quantity:
        """Read an expression without a unit.

        Raises:
            UnreadError: It is not in the grammar.
        """
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
            quantity = self.bare(text)
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
                if unit is None or (rest and (len(head) < 3 or not noun_like(rest))):
                    continue
                if len(head) == 1 and head in self.names:
                    continue
                number = self._number(text[:cut].strip())
                if number is not None and not number.percent:
                    return replaced(number, unit=unit, noun=rest or None)
        return None

    def _with_noun(self, text: str) -> Quantity | None:
        for cut in self._cuts(text)[:3]:
            suffix = text[cut:].strip()
            if not noun_like(suffix):
                continue
            number = self._number(text[:cut].strip())
            if number is not None:
                return replaced(number, noun=suffix)
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
        return plain_quantity(value / count, unit=unit)

    def compound(self, text: str) -> Quantity | None:
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
        return plain_quantity(total, unit=first, text=text)


def replaced(quantity: Quantity, **changes: object) -> Quantity:
    """Return a quantity with some fields changed."""
    fields = {name: getattr(quantity, name) for name in Quantity.__dataclass_fields__}
    return Quantity(**{**fields, **changes})


def plain_quantity(value: Fraction, *, unit: Unit | None, text: str = "") -> Quantity:
    """Return a plain number, with a unit or without."""
    node = Num(value=value, decimal=value.denominator != 1)
    return Quantity(node=node, exact=rational(value), text=text or str(value), unit=unit)


def same_quantity(left: Quantity, right: Quantity) -> bool:
    """Return whether two quantities say the same value."""
    if left.exact is None or right.exact is None:
        return left.text == right.text
    one = in_unit(left, right)
    return one is not None and one.equals(right.exact) and left.percent == right.percent


def in_unit(quantity: Quantity, target: Quantity) -> Exact | None:
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


def noun_like(text: str) -> bool:
    """Return whether a text may be the counted thing, and holds no word that would change the number."""
    text = text.strip(" .")
    if not _NOUN.fullmatch(text):
        return False
    words = text.casefold().split()
    if any(word in _NOT_NOUNS for word in words) or any(word in NUMBER_WORDS["en"] for word in words):
        return False
    return not re.search(r"[或和不没左右以]", text)
