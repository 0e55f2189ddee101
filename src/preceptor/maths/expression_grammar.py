"""A bounded recursive-descent grammar for school expressions: text to a tree, with nothing evaluated.

Numbers, mixed numbers, + - * / ^, implied products, percent signs, brackets, a closed list of functions and
one-letter names. Whatever lies outside is refused, by length, depth, size or name; no text is ever executed.
"""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from fractions import Fraction

from preceptor.maths.numerals import read_decimal

MAX_CHARS = 400
MAX_DEPTH = 20
MAX_DIGITS = 60
MAX_EXPONENT = 40

FUNCTIONS = frozenset(
    "sqrt root sin cos tan cot sec csc arcsin arccos arctan ln log exp abs".split(),
)
"""Every name that may take an argument. `root(a, n)` is the n-th root of a."""
CONSTANTS = frozenset({"pi", "π", "inf", "∞"})


class UnreadError(ValueError):
    """A text is not in the grammar; the message says why, in words for a learner. Never leaves `maths`."""


class LimitError(UnreadError):
    """A text goes over a limit of length, depth or size; nothing in it is read."""


@dataclass(frozen=True, kw_only=True)
class Num:
    """A number literal."""

    value: Fraction
    decimal: bool
    """Written with a decimal mark or an exponent."""


@dataclass(frozen=True, kw_only=True)
class Mixed:
    """A mixed number: whole + above/below, the fraction proper."""

    whole: int
    above: int
    below: int


@dataclass(frozen=True, kw_only=True)
class Name:
    """A variable of one letter, or a constant."""

    name: str


@dataclass(frozen=True, kw_only=True)
class Neg:
    """A leading minus."""

    arg: Node


@dataclass(frozen=True, kw_only=True)
class Binary:
    """Two operands and one of + - * / ^."""

    op: str
    left: Node
    right: Node


@dataclass(frozen=True, kw_only=True)
class Call:
    """A function of the closed list."""

    function: str
    args: tuple[Node, ...]


@dataclass(frozen=True, kw_only=True)
class Percent:
    """Its argument, in hundredths."""

    arg: Node


Node = Num | Mixed | Name | Neg | Binary | Call | Percent


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    spaced: bool
    """White space stands before it."""
    value: Fraction | None = None
    decimal: bool = False


_NUMBER = {
    "en": re.compile(
        r"(?:\d{1,3}(?:,\d{3})+(?!\d)|\d{1,2}(?:,\d{2})+,\d{3}(?!\d)|\d{1,3}(?:[ '\u202f]\d{3})+(?![\d/])|\d+)"
        r"(?:\.\d+)?|\.\d+"
    ),
    "de": re.compile(r"(?:\d{1,3}(?:\.\d{3})+(?!\d)|\d{1,3}(?:[ '\u202f]\d{3})+(?![\d/])|\d+)(?:,\d+)?|,\d+"),
}
_EITHER = r"\d{1,3}(?:\.\d{3})+,\d+|\d{1,3}(?:,\d{3})+\.\d+|\d{1,3}(?:\.\d{3}){2,}(?!\d)"
_OTHER = {
    "en": re.compile(_EITHER),
    "de": re.compile(_EITHER + r"|\d+\.(?:\d{1,2}|\d{4,})(?![\d.,])|\d{4,}\.\d+(?![\d.,])"),
}
"""Writings that only one convention allows, tried first under each."""
_EXPONENT = re.compile(r"[eE]([+-]?\d+)(?![\d.A-Za-z])")
_WORD = re.compile(r"[A-Za-zπ∞]+")
_TIMES_X = re.compile(r"(?<=[\d)])\s*[xX]\s*(?=[\d.])")
_TIMES_X_BRACKET = re.compile(r"(?<=[\d)])\s*[xX]\s*(?=\()")
_PROPER = 3


def tokenize(text: str, *, locale: str, names: AbstractSet[str]) -> list[_Token]:
    """Cut a clean text into tokens.

    Raises:
        UnreadError: A character or name is not in the grammar, or a number is too long.
    """
    text = _TIMES_X.sub("*", text)
    if "x" not in names:
        text = _TIMES_X_BRACKET.sub("*", text)
    text = text.replace("**", "^")
    tokens: list[_Token] = []
    place, spaced = 0, False
    while place < len(text):
        char = text[place]
        if char.isspace():
            place, spaced = place + 1, True
            continue
        match = _OTHER[locale].match(text, place) or _NUMBER[locale].match(text, place)
        if match:
            token, place = _number(text, match, locale, spaced)
            tokens.append(token)
        elif match := _WORD.match(text, place):
            tokens += _names(match[0], names, spaced)
            place = match.end()
        elif char in "+-*/^()[],%|":
            tokens.append(_Token(char, char, spaced))
            place += 1
        else:
            raise UnreadError(f"I do not know the sign {char!r} in an answer.")
        spaced = False
    return tokens


def _number(text: str, match: re.Match[str], locale: str, spaced: bool) -> tuple[_Token, int]:
    value = read_decimal(match[0], locale)
    if value is None:
        raise LimitError(f"A number may have at most {MAX_DIGITS} digits.")
    end, written = match.end(), match[0]
    marks = re.sub(r"[\d '\u202f]", "", written)
    decimal = marks.endswith("." if locale == "en" else ",") and marks.count(marks[-1:]) == 1
    decimal = decimal or len(set(marks)) == 2
    exponent = _EXPONENT.match(text, end)
    if exponent:
        if len(exponent[1]) > 4 or abs(int(exponent[1])) > MAX_EXPONENT:
            raise LimitError(f"An exponent may be at most {MAX_EXPONENT}.")
        value, end, decimal = value * Fraction(10) ** int(exponent[1]), exponent.end(), True
    return _Token("num", written, spaced, value, decimal), end


def _names(word: str, names: AbstractSet[str], spaced: bool) -> list[_Token]:
    """Read a run of letters: a function, a constant, or single-letter names side by side."""
    lowered = word.lower()
    if lowered in FUNCTIONS:
        return [_Token("func", lowered, spaced)]
    if lowered in CONSTANTS:
        return [_Token("name", "pi" if lowered == "π" else lowered.replace("∞", "inf"), spaced)]
    for function in ("sqrt", "pi", "π"):
        if len(word) > len(function) and lowered.startswith(function):
            return _names(word[: len(function)], names, spaced) + _names(word[len(function) :], names, False)
        if len(word) > len(function) and lowered.endswith(function):
            return _names(word[: -len(function)], names, spaced) + _names(function, names, False)
    if len(word) == 1 or (len(word) <= 4 and all(letter in names for letter in word)):
        return [_Token("name", letter, spaced and place == 0) for place, letter in enumerate(word)]
    raise UnreadError(f"I do not know {word!r} as a number, a unit or a function.")


def parse(text: str, *, locale: str = "en", names: AbstractSet[str] = frozenset()) -> Node:
    """Return the tree of one expression.

    Args:
        text: Clean (see `answer_text`), without units.
        locale: `en` or `de`, for numbers.
        names: Letters that may stand side by side as a product ("xy"); single letters are always read.

    Raises:
        UnreadError: It is not in the grammar, or over a limit (400 characters, depth 20, exponent literal 40).
    """
    if len(text) > MAX_CHARS * 2:
        raise LimitError(f"An answer may have at most {MAX_CHARS} characters.")
    parser = _Parser(tokenize(text, locale=locale, names=names))
    node = parser.expression(0)
    if parser.place < len(parser.tokens):
        raise UnreadError(parser.complaint())
    return node


class _Parser:
    def __init__(self, tokens: list[_Token]) -> None:
        self.tokens, self.place = tokens, 0

    def peek(self, offset: int = 0) -> str:
        place = self.place + offset
        return self.tokens[place].kind if place < len(self.tokens) else ""

    def complaint(self) -> str:
        token = self.tokens[self.place] if self.place < len(self.tokens) else None
        if token is None:
            return "I could not read that as a number: something is missing at the end."
        before = self.tokens[self.place - 1] if self.place else None
        if token.kind == "num" and before is not None and before.kind == "num":
            left, right = before.text, token.text
            return f"I could not read that as a number: did you mean {left}/{right} or {left} and {right}?"
        return f"I could not read that as a number, from {token.text!r} on."

    def expression(self, depth: int) -> Node:
        if depth > MAX_DEPTH:
            raise LimitError(f"Brackets and signs may be nested at most {MAX_DEPTH} deep.")
        node = self.term(depth)
        while self.peek() in {"+", "-"}:
            op = self.peek()
            self.place += 1
            node = Binary(op=op, left=node, right=self.term(depth))
        return node

    def term(self, depth: int) -> Node:
        node = self.factor(depth)
        while True:
            kind = self.peek()
            if kind in {"*", "/"}:
                self.place += 1
                node = Binary(op=kind, left=node, right=self.factor(depth))
            elif kind in {"(", "name", "func"} or (kind == "[" and self.peek(-1) != "["):
                node = Binary(op="*", left=node, right=self.power(depth))
            else:
                return node

    def factor(self, depth: int) -> Node:
        if depth > MAX_DEPTH:
            raise LimitError(f"Brackets and signs may be nested at most {MAX_DEPTH} deep.")
        if self.peek() in {"+", "-"}:
            negative = self.peek() == "-"
            self.place += 1
            arg = self.factor(depth + 1)
            return Neg(arg=arg) if negative else arg
        return self.power(depth)

    def power(self, depth: int) -> Node:
        if depth > MAX_DEPTH:
            raise LimitError(f"Brackets and signs may be nested at most {MAX_DEPTH} deep.")
        base = self.atom(depth)
        if self.peek() == "^":
            self.place += 1
            negative = self.peek() == "-"
            if self.peek() in {"+", "-"}:
                self.place += 1
            exponent = self.power(depth + 1)
            base = Binary(op="^", left=base, right=Neg(arg=exponent) if negative else exponent)
        while self.peek() == "%":
            self.place += 1
            base = Percent(arg=base)
        return base

    def atom(self, depth: int) -> Node:
        kind = self.peek()
        if not kind:
            raise UnreadError(self.complaint())
        token = self.tokens[self.place]
        self.place += 1
        if kind == "num":
            return self.number(token)
        if kind == "name":
            return Name(name=token.text)
        if kind in {"(", "["}:
            node = self.expression(depth + 1)
            self.close({"(": ")", "[": "]"}[kind])
            return node
        if kind == "|":
            node = self.expression(depth + 1)
            self.close("|")
            return Call(function="abs", args=(node,))
        if kind == "func":
            return self.call(token.text, depth)
        self.place -= 1
        raise UnreadError(self.complaint())

    def close(self, kind: str) -> None:
        if self.peek() != kind:
            raise UnreadError("I could not read that as a number: a bracket is open.")
        self.place += 1

    def call(self, function: str, depth: int) -> Node:
        if self.peek() == "(":
            self.place += 1
            args = [self.expression(depth + 1)]
            while self.peek() == "," and len(args) < 2:
                self.place += 1
                args.append(self.expression(depth + 1))
            self.close(")")
            if len(args) != (2 if function == "root" else 1):
                raise UnreadError(f"{function} takes another number of arguments.")
            return Call(function=function, args=tuple(args))
        if function == "root":
            raise UnreadError("I could not read that root.")
        return Call(function=function, args=(self.power(depth + 1),))

    def number(self, token: _Token) -> Node:
        """Read a literal, and "2 1/2" as one number where the fraction is proper."""
        assert token.value is not None
        following = self.tokens[self.place : self.place + _PROPER]
        if [item.kind for item in following] == ["num", "/", "num"] and following[0].spaced:
            parts = [token.value, following[0].value, following[2].value]
            literals = (token.text, following[0].text, following[2].text)
            if all(text.replace(",", "").isdigit() for text in literals) and all(part is not None for part in parts):
                whole, above, below = (int(part) for part in parts if part is not None)
                if not 0 < above < below:
                    raise UnreadError(
                        f"In {literals[0]} {literals[1]}/{literals[2]} the fraction is not smaller than 1: "
                        f"did you mean {literals[0]} + {literals[1]}/{literals[2]}, or two answers?"
                    )
                self.place += _PROPER
                return Mixed(whole=whole, above=above, below=below)
        return Num(value=token.value, decimal=token.decimal)
