"""Expressions and equations inside a tutor's reply, with the exact value of each: "30 + 18", "6 times 8 = 48"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from preceptor.maths.leak_mentions import find_mentions

_WORD_SIGNS = (
    (re.compile(r"\b(?:multiplied by|times)\b|(?<=[\d)])\s?[xX]\s?(?=[\d($])", re.IGNORECASE), "*"),
    (re.compile(r"\bdivided by\b", re.IGNORECASE), "/"),
    (re.compile(r"\bplus\b|(?<=[\d)])\s?\+\s?", re.IGNORECASE), "+"),
    (re.compile(r"\bminus\b|(?<=\d)\s+take\s+away\s+(?=[$€£]?\d)", re.IGNORECASE), "-"),
    (re.compile(r"\b(?:is actually equal to|is equal to|equals?|makes|gives)\b", re.IGNORECASE), "="),
    (re.compile(r"(?<=[\d)%])\s(?:[a-z]+\s)?(?:is|are)(?:\sactually|\sjust)?\s(?=[$€£]?\d)", re.IGNORECASE), "="),
)
_LONG_DASH = re.compile(r"(?:(?<=\d)|(?<=\d\s))—(?=\s?\d)")
_NUMBER_OF = re.compile(
    r"\b(?:the )?(?P<name>sum|product|difference|quotient) (?:of|between) (?P<first>[^,.?!=]{1,24}?) (?:and|by) "
    r"(?P<second>[\w$.,-]{1,24})|\b(?P<verb>add(?:ing)?|subtract(?:ing)?|multiply(?:ing)?|divid(?:e|ing)) "
    r"(?P<a>[\w$.,-]{1,24}) "
    r"(?:and|to|by|from|with) (?P<b>[\w$.,-]{1,24})",
    re.IGNORECASE,
)
_EXPRESSION = re.compile(r"[-(\s$€£]*\d[\d.,]*(?:[\s%$€£()a-z]{0,14}?[-+*/^][\s$€£(]*\d[\d.,]*[)\s%]*)+")
_TOKEN = re.compile(r"\d[\d,]*(?:\.\d+)?|[-+*/^()]")
_RESULT = re.compile(r"\s*(?:[a-z]{1,14}\s)?\s*=\s*[$€£]?\s*(\d[\d,]*(?:\.\d+)?)")
_DEEPEST = 12


@dataclass(frozen=True, kw_only=True)
class Expression:
    """A computation written in a text."""

    value: Fraction
    operands: tuple[Fraction, ...]
    start: int
    end: int
    """Span in the text the expression was read from, end exclusive."""
    result: Fraction | None = None
    """The value after the "=" that follows; `None`: none is stated."""
    result_end: int = 0
    """End of that value in the text; `end` where none is stated."""


def find_expressions(text: str) -> Iterator[Expression]:
    """Yield the computations with at least two operands, in digits and signs or in words."""
    signed = _with_signs(text)
    for match in _EXPRESSION.finditer(signed):
        written = re.sub(r"[^\d.,()+*/^-]", " ", match.group())
        value = evaluate(written)
        if value is None:
            continue
        operands = tuple(Fraction(token.replace(",", "")) for token in _TOKEN.findall(written) if token[0].isdigit())
        end = match.start() + len(match.group().rstrip())
        result = _RESULT.match(signed, end)
        yield Expression(
            value=value,
            operands=operands,
            start=match.start() + len(match.group()) - len(match.group().lstrip()),
            end=end,
            result=Fraction(result.group(1).replace(",", "")) if result else None,
            result_end=result.end() if result else end,
        )
    yield from _named(text)


def _with_signs(text: str) -> str:
    """Write signs for their words, at the same length, and digits for number words."""
    for mention in reversed(find_mentions(text)):
        if mention.form == "words" and mention.value.denominator == 1:
            length = mention.end - mention.start
            digits = str(mention.value.numerator)
            if len(digits) <= length:
                text = text[: mention.start] + digits.ljust(length) + text[mention.end :]
    text = text.replace("×", "*").replace("÷", "/").replace("−", "-").replace("–", "-")
    text = _LONG_DASH.sub("-", text)
    for pattern, sign in _WORD_SIGNS:
        text = pattern.sub(lambda match, sign=sign: sign.center(len(match.group())), text)  # type: ignore[misc]
    return text


def _named(text: str) -> Iterator[Expression]:
    for match in _NUMBER_OF.finditer(text):
        first = find_mentions(match["first"] or match["a"] or "")
        second = find_mentions(match["second"] or match["b"] or "")
        name = (match["name"] or match["verb"]).lower()[:3]
        if not first or not second:
            continue
        a, b = first[0].value, second[0].value
        value = {
            "sum": a + b, "add": a + b, "dif": abs(a - b), "sub": abs(a - b), "pro": a * b, "mul": a * b
        }.get(name, a / b if b else None)  # fmt: skip
        if value is not None:
            yield Expression(value=value, operands=(a, b), start=match.start(), end=match.end(), result_end=match.end())


def evaluate(text: str) -> Fraction | None:
    """Return the exact value of digits, + - * / ^ and brackets; `None`: not one expression, or out of range."""
    tokens = _TOKEN.findall(text)
    if not tokens or len(tokens) > 40:
        return None
    try:
        value, rest = _sum(tokens, 0)
    except (ZeroDivisionError, ValueError, IndexError):
        return None
    return value if not rest else None


def _sum(tokens: list[str], depth: int) -> tuple[Fraction, list[str]]:
    value, rest = _product(tokens, depth)
    while rest and rest[0] in "+-":
        right, after = _product(rest[1:], depth)
        value, rest = (value + right if rest[0] == "+" else value - right), after
    return value, rest


def _product(tokens: list[str], depth: int) -> tuple[Fraction, list[str]]:
    value, rest = _atom(tokens, depth)
    while rest and rest[0] in "*/^(":
        if rest[0] == "(":
            right, after = _atom(rest, depth)
            value, rest = value * right, after
            continue
        right, after = _atom(rest[1:], depth)
        if rest[0] == "^":
            if right.denominator != 1 or not 0 <= right <= 12:
                raise ValueError("exponent out of range")
            value = value ** int(right)
        else:
            value = value * right if rest[0] == "*" else value / right
        rest = after
    return value, rest


def _atom(tokens: list[str], depth: int) -> tuple[Fraction, list[str]]:
    if depth > _DEEPEST:
        raise ValueError("too deep")
    if tokens[0] == "(":
        value, rest = _sum(tokens[1:], depth + 1)
        if rest[:1] != [")"]:
            raise ValueError("bracket left open")
        return value, rest[1:]
    if tokens[0] == "-":
        value, rest = _atom(tokens[1:], depth + 1)
        return -value, rest
    if not tokens[0][0].isdigit():
        raise ValueError(f"expected a number, got {tokens[0]!r}")
    return Fraction(tokens[0].replace(",", "").rstrip(".")), tokens[1:]
