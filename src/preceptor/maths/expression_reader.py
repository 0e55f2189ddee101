"""Reads expressions out of tokens: signs, words for operations, units between numbers, "half of", "3 more than".

A recursive descent with one token of choice and bounded look-ahead; anything it cannot read is left where it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from preceptor.domain.claim import Operand
from preceptor.maths.expression import MAX_DEPTH, MAX_LENGTH, Binary, Expression, Leaf, Negative, Tree, Unknown
from preceptor.maths.expression_tokens import END, Token
from preceptor.maths.text_numbers import TextNumber

BREAK_WORDS: frozenset[str] = frozenset(
    """
    so then therefore because since if is are was were be and or but which when while after before gives give gave
    gets get got makes make made leaves leave left equals equal he she they we you i it has have had that who than
    thus hence this there would will can could should not find need needs y et und es son sont ist
    """.split()
)
"""Words that never stand between a number and the sign after it."""

PREFIXES: dict[str, str] = {
    **dict.fromkeys(("add", "adding", "added", "sum"), "+"),
    **dict.fromkeys(("subtract", "subtracting", "subtracted", "deduct", "deducting"), "from"),
    **dict.fromkeys(("difference",), "-"),
    **dict.fromkeys(("multiply", "multiplying", "product"), "*"),
    **dict.fromkeys(("divide", "dividing", "quotient"), "/"),
}
_JOINS = {
    "+": {"and", "to", ",", "with", "plus"},
    "from": {"from"},
    "-": {"and"},
    "*": {"by", "and", "with"},
    "/": {"by", "and"},
}
_DETERMINERS = frozenset(
    """
    the his her their its our my your those these that this all remaining total original initial other same whole full
    first previous number amount of price cost value los las el la les des du die der das
    """.split()
)
_COUNTED = frozenset("amounts numbers values quantities totals results sums costs prices things parts figures".split())
"""What "these two" may count instead of being an operand."""
_UNIT_WORDS_BEFORE_SIGN = 6


class ExpressionReader:
    """Reads expressions from one list of tokens; positions are indices into that list."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens = tokens
        self._operands: list[Operand] = []
        self._percents: set[int] = set()
        self._places: list[int] = []
        self._operators: list[str] = []
        self._limit = 0
        self._budget = 8 * len(tokens) + 200

    def at(self, place: int) -> Token:
        """Return the token at a position, or END."""
        return self.tokens[place] if 0 <= place < len(self.tokens) else END

    def read(self, place: int) -> tuple[Expression, int] | None:
        """Return the longest expression that starts at a position, and the position after it; `None`: none does."""
        self._operands, self._percents, self._places, self._operators = [], set(), [], []
        first = self.at(place)
        if first.kind == "end":
            return None
        self._limit = first.start + MAX_LENGTH
        prefix = first.kind == "word" and PREFIXES.get(first.text.casefold())
        parsed = self._prefixed(place, prefix) if prefix else self._sum(place, 0)
        if parsed is None:
            return None
        tree, after = parsed
        start, end = first.start, self.at(after - 1).end
        return (
            Expression(
                tree=tree,
                operands=tuple(self._operands),
                operators=tuple(self._operators),
                start=start,
                end=end,
                percents=frozenset(self._percents),
                places=tuple(self._places),
            ),
            after,
        )

    def _mark(self) -> tuple[int, int]:
        return len(self._operands), len(self._operators)

    def _restore(self, mark: tuple[int, int]) -> None:
        del self._operands[mark[0] :], self._places[mark[0] :], self._operators[mark[1] :]
        self._percents = {index for index in self._percents if index < mark[0]}

    def _sum(self, place: int, depth: int) -> tuple[Tree, int] | None:
        parsed = self._product(place, depth)
        while parsed is not None:
            left, after = parsed
            sign = self.at(after)
            if sign.kind != "sign" or sign.text not in "+-" or self._is_hyphen(after):
                break
            mark = self._mark()
            self._operators.append(sign.text)
            right = self._product(after + 1, depth)
            if right is None:
                self._restore(mark)
                break
            parsed = Binary(mark[1], left, right[0]), right[1]
        return parsed

    def _is_hyphen(self, place: int) -> bool:
        sign, before, after = self.at(place), self.at(place - 1), self.at(place + 1)
        if sign.text != "-" or after.kind != "word":
            return False
        return sign.end == after.start or before.kind == "word" and after.kind == "word"

    def _product(self, place: int, depth: int) -> tuple[Tree, int] | None:
        parsed = self._power(place, depth)
        while parsed is not None:
            left, after = parsed
            sign, skip = self._product_sign(after, left)
            if not sign:
                break
            mark = self._mark()
            self._operators.append(sign)
            right = self._power(after + skip, depth)
            if right is None:
                self._restore(mark)
                break
            parsed = Binary(mark[1], left, right[0]), right[1]
        return parsed

    def _product_sign(self, place: int, left: Tree) -> tuple[str, int]:
        """Return the sign of a product at a position and how many tokens it takes; "": there is none."""
        token, before = self.at(place), self.at(place - 1)
        lower = token.text.casefold()
        if token.kind == "sign" and token.text in "*/":
            skip = 1
            while self.at(place + skip).text.casefold() in {"the", "those", "these", "by"} and skip < 3:
                skip += 1
            return token.text, skip
        if (
            token.kind == "open"
            and token.text in "(["
            and token.start == before.end
            and before.kind in {"number", "close"}
        ):
            return "*", 0
        if token.kind == "unknown" and token.start == before.end and before.kind in {"number", "close", "unknown"}:
            return "*", 0
        if lower in {"of", "的", "de", "von"} and isinstance(left, Leaf) and self._is_part(left):
            return self._of(place)
        if lower == "times" and self.at(place + 1).text.casefold() == "as":
            return self._as_many(place + 1)
        if lower == "times":
            skip = self._skip_determiners(place + 1)
            return ("*", skip - place) if self.at(skip).kind in {"number", "open"} else ("", 0)
        return "", 0

    def _is_part(self, leaf: Leaf) -> bool:
        operand = self._operands[leaf.index]
        return leaf.index in self._percents or 0 < operand.value < 1 or operand.value.denominator != 1

    def _of(self, place: int) -> tuple[str, int]:
        """Read "of", "of the", "of the remaining" before a number."""
        skip = self._skip_determiners(place + 1)
        token = self.at(skip)
        return ("*", skip - place) if token.kind in {"number", "open", "unknown"} else ("", 0)

    def _skip_determiners(self, place: int) -> int:
        for count in range(4):
            token = self.at(place + count)
            if token.text.casefold() not in _DETERMINERS and token.text != "$":
                return place + count
        return place

    def _as_many(self, place: int) -> tuple[str, int]:
        """Read "as many apples as 15" after a multiple; the position is that of the first "as"."""
        for count in range(1, 7):
            token = self.at(place + count)
            if token.text.casefold() == "as":
                skip = self._skip_determiners(place + count + 1)
                return ("*", skip - place + 1) if self.at(skip).kind in {"number", "open"} else ("", 0)
            if token.kind != "word":
                break
        return "", 0

    def _power(self, place: int, depth: int) -> tuple[Tree, int] | None:
        parsed = self._unary(place, depth)
        if parsed is None:
            return None
        base, after = parsed
        token = self.at(after)
        if token.text == "^":
            mark = self._mark()
            self._operators.append("^")
            right = self._unary(after + 1, depth + 1)
            if right is None:
                self._restore(mark)
                return parsed
            return Binary(mark[1], base, right[0]), right[1]
        if token.kind == "word" and token.text.casefold() in {"squared", "cubed"} and isinstance(base, Leaf | Unknown):
            exponent = Fraction(2 if token.text.casefold() == "squared" else 3)
            self._operators.append("^")
            index = self._add(Operand(value=exponent, text=token.text), 0)
            return Binary(len(self._operators) - 1, base, Leaf(index)), after + 1
        return parsed

    def _unary(self, place: int, depth: int) -> tuple[Tree, int] | None:
        token = self.at(place)
        self._budget -= 1
        if depth > MAX_DEPTH or token.start > self._limit or self._budget < 0:
            return None
        if token.kind == "sign" and token.text in "+-":
            after = self.at(place + 1)
            if after.kind not in {"number", "open", "unknown"} or after.start != token.end:
                return None
            inner = self._unary(place + 1, depth + 1)
            if inner is None or token.text == "+":
                return inner
            return Negative(inner[0]), inner[1]
        if token.kind == "number":
            return self._number(place, depth)
        if token.kind == "unknown":
            return Unknown(token.text), place + 1
        if token.kind == "open":
            inner = self._sum(place + 1, depth + 1)
            if inner is None or self.at(inner[1]).kind != "close":
                return None
            return inner[0], self._skip_units(inner[1] + 1)
        return None

    def _add(self, operand: Operand, places: int) -> int:
        self._operands.append(operand)
        self._places.append(places)
        return len(self._operands) - 1

    def _number(self, place: int, depth: int) -> tuple[Tree, int] | None:
        number = self.at(place).number
        assert number is not None
        if number.kind == "multiplier":
            return self._multiple(place, number, depth)
        index = self._add(_operand(number), number.places)
        if number.percent:
            self._percents.add(index)
        leaf = Leaf(index)
        return self._compared(place + 1, leaf, depth) or (leaf, self._skip_units(place + 1))

    def _multiple(self, place: int, number: TextNumber, depth: int) -> tuple[Tree, int] | None:
        """Read "twice 15", "double the 15 boxes", "twice as many pens as 15"."""
        mark = self._mark()
        index = self._add(_operand(number), 0)
        self._operators.append("*")
        after = place + 1
        if self.at(after).text.casefold() == "as":
            sign, skip = self._as_many(after)
            after = after + skip - 1 if sign else -1
        else:
            after = self._skip_determiners(after)
        right = self._power(after, depth + 1) if after > 0 and self.at(after).kind in {"number", "open"} else None
        if right is None:
            self._restore(mark)
            return None
        return Binary(mark[1], Leaf(index), right[0]), right[1]

    def _compared(self, place: int, leaf: Leaf, depth: int) -> tuple[Tree, int] | None:
        """Read "3 more than 15", "3 fewer pens than twice 15" after its first number."""
        sign = ""
        for count in range(6):
            token = self.at(place + count)
            lower = token.text.casefold()
            if token.kind != "word":
                return None
            if lower in {"more", "less", "fewer", "greater", "older", "younger"} and not sign:
                sign = "-" if lower in {"less", "fewer", "younger"} else "+"
            elif lower == "than" and sign:
                after = self._skip_determiners(place + count + 1)
                if self.at(after).kind not in {"number", "open", "unknown"}:
                    return None
                mark = self._mark()
                self._operators.append(sign)
                right = self._product(after, depth + 1)
                if right is None or self.at(right[1]).text.casefold() in {"as", "of"}:
                    self._restore(mark)
                    return None
                return Binary(mark[1], right[0], leaf), right[1]
            elif lower in BREAK_WORDS:
                return None
        return None

    def _skip_units(self, place: int) -> int:
        """Return the position after units and nouns, where a sign, an equals or a parenthesis follows; else stay."""
        after = place
        while after - place <= _UNIT_WORDS_BEFORE_SIGN:
            token = self.at(after)
            if token.kind == "word" and token.text.casefold() in BREAK_WORDS:
                return place
            if token.kind == "word" and (token.text.casefold() != "times" or self.at(after + 1).kind == "word"):
                if token.text.casefold() in {"squared", "cubed"} and after == place:
                    return place
                after += 1
            elif token.text == "/" and self.at(after + 1).kind == "word":
                after += 2
            elif token.text in {"$", "%"} or (token.text == "-" and self._is_hyphen(after)):
                after += 1
            elif token.kind == "open" and self.at(after + 1).kind == "word" and self.at(after + 2).kind == "close":
                after += 3
            elif token.kind in {"sign", "equal", "about", "close"}:
                return after if self._leads_on(after) else place
            else:
                return place
        return place

    def _leads_on(self, place: int) -> bool:
        token, after = self.at(place), self.at(place + 1)
        if token.kind in {"equal", "about", "close"}:
            return True
        return after.kind in {"number", "open", "unknown"} or (after.kind == "sign" and after.text in "+-")

    def _prefixed(self, place: int, operation: str) -> tuple[Tree, int] | None:
        """Read "add 5 and 3", "subtract 5 from 20", "the product of 4 and 6", "add 5 + 3"."""
        first = self._next_number(place + 1)
        if first is None:
            return None
        left = self._sum(first, 1)
        if left is None:
            return None
        tree, after = left
        joined = False
        while True:
            second = self._after_join(after, _JOINS[operation])
            if second is None:
                break
            mark = self._mark()
            self._operators.append("-" if operation == "from" else operation)
            right = self._sum(second, 1)
            if right is None:
                self._restore(mark)
                break
            tree = Binary(mark[1], right[0], tree) if operation == "from" else Binary(mark[1], tree, right[0])
            after, joined = right[1], True
            if operation != "+":
                break
        return (tree, after) if joined or self._operators else None

    def _next_number(self, place: int) -> int | None:
        for count in range(6):
            token = self.at(place + count)
            if token.kind in {"number", "open"}:
                counts = token.number is not None and token.number.is_word
                return None if counts and self.at(place + count + 1).text.casefold() in _COUNTED else place + count
            if token.kind != "word" or token.text.casefold() in BREAK_WORDS or token.text.casefold() == "to":
                return None
        return None

    def _after_join(self, place: int, joins: set[str]) -> int | None:
        """Return the position of the number after "and", "to", "by", with nouns before and articles after it."""
        for count in range(4):
            token = self.at(place + count)
            lower = token.text.casefold()
            if lower in joins:
                after = place + count + 1
                while self.at(after).text.casefold() in {"the", "a", "his", "her", "their", "those", "and", "another"}:
                    after += 1
                return after if self.at(after).kind in {"number", "open"} else None
            if token.kind != "word" or lower in BREAK_WORDS:
                return None
        return None


def _operand(number: TextNumber) -> Operand:
    unit = "h" if number.kind == "time" else number.unit
    return Operand(value=number.value, text=number.text, unit=unit, noun=number.noun)
