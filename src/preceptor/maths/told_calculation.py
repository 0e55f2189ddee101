"""Calculations told in words: "I multiplied 6 by the 4 boxes, which gave me 24", "then I added 3 to get 27".

Works on the claims that `maths.claims` found: joins the numbers that a verb ties together and the result that is
said further on. A calculation whose first number is left out ("then I added 3") is joined with the last result
only where it comes out as stated; otherwise nothing is assumed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from preceptor.domain.claim import Claim, Operand
from preceptor.maths.claims import ReadClaim
from preceptor.maths.expression import Binary, Expression, Leaf, Negative, Tree, evaluate, rounds_to

_VERB = re.compile(
    r"\b(?:(?P<mul>multipl(?:y|ied|ying|ies)|times(?:ed|ing)?)|(?P<div>divid(?:e|ed|ing|es)|split(?:ting)?)"
    r"|(?P<sub>subtract(?:ed|ing|s)?|deduct(?:ed|ing|s)?|t(?:ake|ook|aking) away|minus(?:ed)?|remov(?:e|ed|ing))"
    r"|(?P<add>add(?:ed|ing|s)?|combin(?:e|ed|ing)))\b(?P<rest>[^.!?\n;=]{0,45})$",
    re.IGNORECASE,
)
_OPERATOR = {"mul": "*", "div": "/", "sub": "-", "add": "+"}
_JOIN = {
    "*": re.compile(r"\b(?:by|with|and|times)\b", re.IGNORECASE),
    "/": re.compile(r"\b(?:by|into|between|among)\b", re.IGNORECASE),
    "-": re.compile(r"\bfrom\b", re.IGNORECASE),
    "+": re.compile(r"\b(?:to|and|with|plus)\b", re.IGNORECASE),
}
_RESULT = re.compile(
    r"(?:\b(?:which|that|this|it)(?:'s|\s+(?:then |would |will |also |have |has )?(?:was|is|be|gave|gives|give|made"
    r"|makes"
    r"|make|came to|comes to|equals|equaled|equalled|left|leaves|brought|brings|meant|means|resulted in))"
    r"|\b(?:to get|to make|getting|giving|gives|leaving|resulting in|and got|and get|i got|we get|we got|i get"
    r"|for a total of"
    r"|equals|equalled|so (?:that's|that is|it's|it is))|=)(?P<gap>[^.!?\n;=\d]{0,60})$",
    re.IGNORECASE,
)
_NEXT_SENTENCE = re.compile(
    r"[.!]\s+(?:so,? |then,? )?(?:that|this|it)\s+(?:gave|gives|made|makes|was|is|came to|comes to|left|leaves"
    r"|brought)\b"
    r"[^.!?\n;=\d]{0,60}$",
    re.IGNORECASE,
)
_ELIDED = re.compile(
    r"^(?:\s*(?:it|that|this|the (?:result|total|answer|sum)|them)?\s*(?:by|with)?\s*(?:the|another|a|those|these|her"
    r"|his|their|an additional|the remaining)?\s*[$€£]?)$",
    re.IGNORECASE,
)
_BREAK = re.compile(
    r"\b(?:was|is|were|are|so|which|that's|gives?|gave|get|got|getting|makes?|made|find|know|calculate|then|because"
    r"|since)\b",
    re.IGNORECASE,
)
_MAX_BETWEEN = 140


def join_told(claims: Sequence[ReadClaim], text: str) -> list[ReadClaim]:
    """Return the claims with told calculations joined: operands with operands, then results with calculations."""
    joined = _join_operands([read for read in claims if not _inside_word(read, text)], text)
    return _join_results(joined, text)


def _inside_word(read: ReadClaim, text: str) -> bool:
    """Whether a claim begins in the middle of a word: the "2(8)" of "log2(8)"."""
    start = read.claim.start
    return start > 0 and text[start].isdigit() and text[start - 1].isascii() and text[start - 1].isalpha()


def _join_operands(claims: list[ReadClaim], text: str) -> list[ReadClaim]:
    """Join "multiplied A … by B"."""
    result: list[ReadClaim] = []
    place = 0
    while place < len(claims):
        first = claims[place]
        merged = first
        while place + 1 < len(claims):
            second = claims[place + 1]
            verb = _verb_before(text, merged.claim.start)
            if verb is None or not (_is_side(merged) and _is_side(second)):
                break
            between = text[merged.claim.end : second.claim.start]
            if len(between) > 60 or re.search(r"[.!?;\n=]", between) or _RESULT.search(between):
                break
            if (
                _BREAK.search(between)
                or not _JOIN[verb].search(between)
                or (verb == "+" and merged is not first and "," in between)
            ):
                break
            merged = _merge(merged, second, verb, text)
            place += 1
            if verb != "+":
                break
        result.append(merged)
        place += 1
    return result


def _verb_before(text: str, start: int) -> str | None:
    match = _VERB.search(text[max(0, start - 70) : start])
    if match is None or re.search(r"\d", match["rest"]) or len(match["rest"].split()) > 8:
        return None
    name = next(name for name in _OPERATOR if match[name])
    if re.search(r"\b(?:by|from|to)\b", match["rest"]):
        return None
    return _OPERATOR[name]


def _is_side(read: ReadClaim) -> bool:
    """Whether a claim can be one side of a calculation: a bare value, or an expression without result."""
    claim = read.claim
    if claim.unknown or claim.withdrawn:
        return False
    return claim.value is None and read.expression is not None or (claim.value is not None and claim.computed is None)


def _merge(first: ReadClaim, second: ReadClaim, verb: str, text: str) -> ReadClaim:
    left, right = _expression(first), _expression(second)
    if verb == "-":
        left, right = right, left
    expression = _binary(left, verb, right)
    claim = Claim(
        start=first.claim.start,
        end=second.claim.end,
        text=text[first.claim.start : second.claim.end],
        operands=expression.operands,
        operators=expression.operators,
        computed=evaluate(expression),
        hedged=first.claim.hedged or second.claim.hedged,
    )
    return ReadClaim(claim=claim, expression=expression, order=first.order)


def _expression(read: ReadClaim) -> Expression:
    if read.expression is not None and read.claim.computed is not None:
        return read.expression
    claim = read.claim
    assert claim.value is not None
    operand = Operand(value=claim.value, text=claim.text, unit=claim.unit, noun=claim.noun)
    return Expression(
        tree=Leaf(0),
        operands=(operand,),
        operators=(),
        start=claim.start,
        end=claim.end,
        percents=frozenset({0}) if "%" in claim.text or "percent" in claim.text else frozenset(),
    )


def _binary(left: Expression, operator: str, right: Expression) -> Expression:
    shift, moved = len(left.operands), len(left.operators) + 1
    tree = Binary(len(left.operators), left.tree, _shifted(right.tree, shift, moved))
    return Expression(
        tree=tree,
        operands=left.operands + right.operands,
        operators=(*left.operators, operator, *right.operators),
        start=min(left.start, right.start),
        end=max(left.end, right.end),
        percents=left.percents | {index + shift for index in right.percents},
    )


def _shifted(tree: Tree, operands: int, operators: int) -> Tree:
    if isinstance(tree, Leaf):
        return Leaf(tree.index + operands)
    if isinstance(tree, Negative):
        return Negative(_shifted(tree.inner, operands, operators))
    if isinstance(tree, Binary):
        left, right = _shifted(tree.left, operands, operators), _shifted(tree.right, operands, operators)
        return Binary(tree.operator + operators, left, right)
    return tree


def _join_results(claims: list[ReadClaim], text: str) -> list[ReadClaim]:
    """Join a calculation with the value that is said to come out of it."""
    result: list[ReadClaim] = []
    last: Claim | None = None
    place = 0
    while place < len(claims):
        read = claims[place]
        following = claims[place + 1] if place + 1 < len(claims) else None
        told = _told(read, following, last, text) if following is not None else None
        if told is not None:
            read, place = told, place + 1
        result.append(read)
        if read.claim.value is not None and not read.claim.withdrawn:
            last = read.claim
        place += 1
    return result


def _told(read: ReadClaim, following: ReadClaim, last: Claim | None, text: str) -> ReadClaim | None:
    value = following.claim.value
    if value is None or following.claim.computed is not None or following.claim.unknown or following.claim.withdrawn:
        return None
    if following.claim.text.isalpha() and value <= 10:
        return None
    between = text[read.claim.end : following.claim.start]
    if len(between) > _MAX_BETWEEN or not (_RESULT.search(between) and not re.search(r"[.!?]\s", between)):
        if len(between) > _MAX_BETWEEN or not _NEXT_SENTENCE.search(between) or between.count(". ") > 1:
            return None
    expression = read.expression if read.claim.value is None else _elided(read, last, text, value)
    if expression is None or read.claim.unknown:
        return None
    computed = evaluate(expression)
    if computed is None or (computed != value and re.search(r"\b(?:means?|when|if|and|but|has|have)\b", between)):
        return None
    claim = replace(
        following.claim,
        start=read.claim.start,
        text=text[read.claim.start : following.claim.end],
        operands=expression.operands,
        operators=expression.operators,
        computed=computed,
        rounded=computed != value and rounds_to(computed, value, 2 if value.denominator != 1 else 0),
        hedged=read.claim.hedged or following.claim.hedged,
    )
    return ReadClaim(claim=claim, expression=expression, order=read.order)


def _elided(read: ReadClaim, last: Claim | None, text: str, stated: Fraction) -> Expression | None:
    """Read "then I added 3" with the last result before it; only where that gives the stated value."""
    if last is None or last.value is None or not _is_side(read):
        return None
    match = _VERB.search(text[max(0, read.claim.start - 70) : read.claim.start])
    if match is None or re.search(r"\d", match["rest"]):
        return None
    operator = _OPERATOR[next(name for name in _OPERATOR if match[name])]
    before = _expression(ReadClaim(claim=replace(last, computed=None, operands=(), operators=())))
    expression = _binary(before, operator, _expression(read))
    return expression if evaluate(expression) == stated else None
