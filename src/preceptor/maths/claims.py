"""Claims in free text: values, checked equations, solved unknowns, roundings, and what was taken back.

Every chain a = b = c is checked link by link. Nothing here knows a problem or a reference.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

from preceptor.domain.claim import Claim, Operand
from preceptor.maths.chains import Chain, LinkKind, Side, read_chains
from preceptor.maths.claim_readings import best_reading, is_rounding
from preceptor.maths.clean_text import CleanText, clean
from preceptor.maths.expression import Expression, Leaf, evaluate, linear_form, rounds_to, solve_linear
from preceptor.maths.expression_tokens import tokens_of
from preceptor.maths.stance import Stance, read_stance
from preceptor.maths.units import convert, find_unit

MAX_TEXT = 4_000
"""Characters of an utterance that are read."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ReadClaim:
    """A claim together with the trees it was read from."""

    claim: Claim
    expression: Expression | None = None
    """The computed side; `None` for a bare value."""
    equals: Expression | None = None
    """The other side of an equation in an unknown."""
    order: int = 0
    """Index of its chain in the text."""


@dataclass(slots=True)
class _Known:
    """Values of unknowns found so far in one text."""

    solved: dict[str, Fraction] = field(default_factory=dict)


def read_claims(text: str, language: str = "en") -> tuple[Claim, ...]:
    """Return every value, equation and expression that a text states, in reading order.

    Args:
        text: What a learner or tutor wrote; at most its first 4,000 characters are read.
        language: Tag; chooses number words, the decimal mark and the cue words for corrections and hedges.

    A question is no claim, unless it is nothing but an equation or number ("12?"), which is a hedged one. A claim
    that the same text takes back has `withdrawn` set, so the last one without it counts.
    """
    return tuple(read.claim for read in read_claims_with_trees(text, language))


def read_claims_with_trees(
    text: str,
    language: str = "en",
    *,
    unknowns: frozenset[str] = frozenset(),
    solved: Mapping[str, Fraction] | None = None,
) -> tuple[ReadClaim, ...]:
    """Return what `read_claims` returns, each with the expression it was read from.

    Args:
        text: As `read_claims`.
        language: As `read_claims`.
        unknowns: Letters that earlier text uses as unknowns, see `expression_tokens.unknowns_of`.
        solved: Values that earlier text found for unknowns; an equation that gives another value is false.
    """
    cleaned = clean(text[:MAX_TEXT])
    tokens = tokens_of(cleaned, language, unknowns)
    stance = read_stance(cleaned.text, language)
    known = _Known(solved=dict(solved or {}))
    claims: list[ReadClaim] = []
    for order, chain in enumerate(read_chains(tokens)):
        start, end = chain.sides[0].expression.start, chain.sides[-1].expression.end
        if stance.is_question(start) and not stance.is_bare_question(start):
            if len(chain.sides) == 1:
                continue
        if len(chain.sides) == 1 and not chain.sides[0].expression.operands:
            continue
        for read in _chain_claims(chain, cleaned.text, known):
            hedged = stance.is_hedged(start) or stance.is_question(end)
            claims.append(replace(read, claim=replace(read.claim, hedged=hedged), order=order))
    return tuple(_placed(read, cleaned) for read in _withdraw(claims, stance))


def _placed(read: ReadClaim, cleaned: CleanText) -> ReadClaim:
    """Move a claim's span from the cleaned text to the original."""
    if isinstance(cleaned.offsets, range):
        return read
    start, end = cleaned.span(read.claim.start, read.claim.end)
    return replace(read, claim=replace(read.claim, start=start, end=end))


def _withdraw(claims: list[ReadClaim], stance: Stance) -> Iterable[ReadClaim]:
    spans = [(read.claim.start, read.claim.end) for read in claims]
    taken_back = stance.withdrawn(spans)
    for place, read in enumerate(claims):
        yield replace(read, claim=replace(read.claim, withdrawn=True)) if place in taken_back else read


def _chain_claims(chain: Chain, text: str, known: _Known) -> Iterable[ReadClaim]:
    if len(chain.sides) == 1:
        yield _single(chain.sides[0].expression, text, chain.label, known)
        return
    for place, link in enumerate(chain.links):
        left, right = chain.sides[place], chain.sides[place + 1]
        last = place + 1 == len(chain.links)
        yield from _link_claims(left, right, link, text, known, last=last)


def _single(expression: Expression, text: str, label: str | None, known: _Known) -> ReadClaim:
    """Return a bare value, or an expression left without a result."""
    if expression.compound or expression.unknowns:
        computed = evaluate(expression, unknowns=known.solved)
        unknown = next(iter(sorted(expression.unknowns)), None)
        claim = _claim(
            expression, text, expression.start, expression.end, computed=computed, value=None, unknown=unknown
        )
        return ReadClaim(claim=claim, expression=expression)
    operand = expression.operands[0]
    value = evaluate(expression)
    claim = Claim(
        start=expression.start,
        end=expression.end,
        text=text[expression.start : expression.end],
        value=value,
        unit=operand.unit,
        noun=operand.noun or label,
    )
    return ReadClaim(claim=claim)


def _claim(
    expression: Expression,
    text: str,
    start: int,
    end: int,
    *,
    computed: Fraction | None,
    value: Fraction | None,
    result: Operand | None = None,
    unknown: str | None = None,
    rounded: bool = False,
) -> Claim:
    return Claim(
        start=start,
        end=end,
        text=text[start:end],
        operands=expression.operands,
        operators=expression.operators,
        computed=computed,
        value=value,
        unit=result.unit if result else None,
        noun=result.noun if result else None,
        unknown=unknown,
        rounded=rounded,
    )


def _link_claims(
    left: Side, right: Side, link: LinkKind, text: str, known: _Known, *, last: bool
) -> Iterable[ReadClaim]:
    first, second = left.expression, right.expression
    free = (first.unknowns | second.unknowns) - known.solved.keys()
    if first.unknowns or second.unknowns:
        if free or not (first.compound and second.compound):
            yield from _equation(first, second, text, known, last=last)
            return
    if not first.compound and not second.compound:
        yield _bare_link(first, second, link, text)
    elif not first.compound:
        yield from _reversed(first, second, text, known, last=last)
    else:
        yield _checked(first, second, link, text, known)


def _checked(first: Expression, second: Expression, link: LinkKind, text: str, known: _Known) -> ReadClaim:
    """Return the claim "first gives second", the first being compound."""
    stated = evaluate(second, unknowns=known.solved)
    computed = evaluate(first, unknowns=known.solved)
    result = _result(second)
    end = second.end
    if stated is not None and computed is not None and second.compound and stated != computed:
        running = second.operands[0]
        if running.value == computed:
            stated, result, end = computed, running, second.end
    rounded = False
    if stated is not None and computed is not None and stated != computed:
        if _RATE.search(text, first.start, first.end) and any(o.unit == "min" for o in first.operands):
            computed = computed / 60 if computed == stated * 60 else computed
        computed = best_reading(first, second, stated, computed)
        rounded = is_rounding(computed, stated, second, link, text)
    claim = _claim(first, text, first.start, end, computed=computed, value=stated, result=result, rounded=rounded)
    return ReadClaim(claim=claim, expression=first)


def _result(expression: Expression) -> Operand | None:
    if len(expression.operands) == 1:
        return expression.operands[0]
    return (
        Operand(value=Fraction(0), text="", unit=_shared(o.unit for o in expression.operands))
        if expression.operands
        else None
    )


def _shared(values: Iterable[str | None]) -> str | None:
    found = set(values)
    return found.pop() if len(found) == 1 else None


_RATE = re.compile(r"(?:/|\bper |\ban )\s?h(?:our|r)?\b", re.IGNORECASE)
"""A rate per hour, which may be meant to be taken over minutes."""


def _bare_link(first: Expression, second: Expression, link: LinkKind, text: str) -> ReadClaim:
    """Return a conversion, a rounding, a fraction as a decimal, or the last value of "name 1 = 24"."""
    exact, stated = evaluate(first), evaluate(second)
    result = second.operands[0]
    start, end = first.start, second.end
    computed: Fraction | None = None
    rounded = False
    if exact is not None and stated is not None:
        source = find_unit(first.operands[0].unit) if first.operands[0].unit else None
        target = find_unit(result.unit) if result.unit else None
        clock = ":" in first.operands[0].text or ":" in result.text
        if source and target and source.symbol != target.symbol and not clock:
            computed = convert(exact, source, target)
        elif link in {"about", "up", "down"}:
            computed, rounded = exact, is_rounding(exact, stated, second, link, text)
        elif " of " in text[first.start : second.start]:
            computed = None
        elif exact.denominator != 1 and (first.percents or second.percents or "/" in first.operands[0].text):
            computed, rounded = exact, is_rounding(exact, stated, second, link, text)
            computed = stated if exact == stated * 100 or stated == exact * 100 else computed
        elif exact == stated:
            computed = None
    expression = first if computed is not None else second
    operands = first.operands if computed is not None else ()
    claim = Claim(
        start=start,
        end=end,
        text=text[start:end],
        operands=operands,
        computed=computed,
        value=stated,
        unit=result.unit,
        noun=result.noun,
        rounded=rounded and computed != stated,
    )
    return ReadClaim(claim=claim, expression=expression if computed is not None else None)


def _reversed(first: Expression, second: Expression, text: str, known: _Known, *, last: bool) -> Iterable[ReadClaim]:
    """Return "24 = 48 / 2"; in the middle of a chain the following link checks the expression."""
    if not last:
        return
    computed, stated = evaluate(second, unknowns=known.solved), evaluate(first)
    rounded = False
    if computed is not None and stated is not None and computed != stated:
        computed = best_reading(second, first, stated, computed)
        rounded = is_rounding(computed, stated, first, "equal", text)
    claim = _claim(
        second,
        text,
        first.start,
        second.end,
        computed=computed,
        value=stated,
        result=first.operands[0],
        rounded=rounded,
    )
    yield ReadClaim(claim=claim, expression=second)


def _equation(first: Expression, second: Expression, text: str, known: _Known, *, last: bool) -> Iterable[ReadClaim]:
    """Return an equation in an unknown with its solution, or the expression an unknown is set to."""
    lone = next((side for side in (first, second) if not side.compound and side.unknowns), None)
    other = second if lone is first else first
    left, right = linear_form(first), linear_form(second)
    solved = solve_linear(left, right) if left and right else None
    if solved is None:
        left = linear_form(first, unknowns=known.solved) or left
        right = linear_form(second, unknowns=known.solved) or right
        solved = solve_linear(left, right) if left and right else None
    if solved and not solved[1] and first.unknowns and second.unknowns:
        solved = None
    name = solved[0] if solved else next(iter(sorted(first.unknowns | second.unknowns)), None)
    value = solved[1] if solved else None
    before = known.solved.get(name) if name else None
    computed: Fraction | None = None
    rounded = False
    expression = other if lone is not None else (first if first.compound else second)
    if solved and solved[0] not in known.solved:
        known.solved[solved[0]] = solved[1]
    if lone is not None and other.compound and not other.unknowns:
        computed, value = value, None
        if not last:
            return
    elif before is not None and value is not None:
        places = max(other.places, default=0)
        computed, rounded = before, lone is not None and rounds_to(before, value, places)
    result = other.operands[0] if lone is not None and len(other.operands) == 1 else None
    claim = _claim(
        expression,
        text,
        first.start,
        second.end,
        computed=computed,
        value=value,
        result=result,
        unknown=name,
        rounded=rounded,
    )
    if isinstance(expression.tree, Leaf):
        claim = replace(claim, operands=())
    yield ReadClaim(claim=claim, expression=expression, equals=second if expression is first else first)
