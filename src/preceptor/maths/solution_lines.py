"""Reads a worked solution line by line into statements: one computed value each, with its expression.

Understands GSM8K's marks `<<48/2=24>>` and its last line `#### 24`, plain prose, and one equation for everything.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from fractions import Fraction

from preceptor.domain.claim import Operand
from preceptor.maths.claims import ReadClaim, read_claims_with_trees
from preceptor.maths.clean_text import clean
from preceptor.maths.expression import Binary, Expression, Leaf, Negative, Tree, Unknown, evaluate
from preceptor.maths.expression_reader import ExpressionReader
from preceptor.maths.expression_tokens import tokens_of, unknowns_of

_MARK = re.compile(r"<<([^<>]{1,200})>>")
_FINAL = re.compile(r"^\s*####\s*(.+?)\s*$")
_BARE_LINE = re.compile(r"^\W{0,3}[-+]?[\d.,/ ]+\W{0,3}$")
_MIXED = re.compile(r"(?<![\d.)])(\d{1,9})\(\(?(\d{1,9})\)?/\(?(\d{1,9})\)?\)")
_RATIO = re.compile(r"(?<=[\d)]):(?=[\d(])")
"""In a formula without words 1(1/5) is a mixed number, and a colon divides."""
_SENTENCE_END = re.compile(r"(?<=[.!?。！？])\s+|\n")
MAX_SOLUTION = 20_000
MAX_STATEMENTS = 80


@dataclass(frozen=True, kw_only=True)
class Statement:
    """One computed value of a worked solution."""

    line: int
    text: str
    operands: tuple[Operand, ...]
    operators: tuple[str, ...]
    value: Fraction
    unit: str | None = None
    noun: str | None = None
    consistent: bool = True
    expression: Expression | None = None
    equals: Expression | None = None


@dataclass(frozen=True, kw_only=True)
class ReadSolution:
    """The statements of a worked solution, in order."""

    statements: tuple[Statement, ...]
    answer: Fraction | None
    """Value of its last line, where that is nothing but a number or follows `####`."""
    bare_values: frozenset[Fraction]
    """Values it states without computing them, its last line apart."""


def read_answer(text: str, language: str = "en") -> Fraction | None:
    """Return the number of a final answer as its author wrote it ("24", "$1,200", "(3/5)", "1((4)/(15))", "20%").

    Of several numbers the last one counts; `None`: there is none.
    """
    mixed = re.fullmatch(r"\s*(\d+)\s*\(\s*\(?(\d+)\)?\s*/\s*\(?(\d+)\)?\s*\)\s*", text)
    if mixed and int(mixed[3]):
        return int(mixed[1]) + Fraction(int(mixed[2]), int(mixed[3]))
    reader = ExpressionReader(tokens_of(clean(text[:400]), language))
    found: Fraction | None = None
    place = 0
    while place < len(reader.tokens):
        read = reader.read(place)
        if read is None or read[0].unknowns:
            place += 1
            continue
        found, place = evaluate(read[0]), read[1]
    return found


def read_solution(solution: str, language: str = "en") -> ReadSolution:
    """Return the statements of a worked solution; at most its first 20,000 characters and 80 statements."""
    if _is_formula(solution[:400]):
        solution = _RATIO.sub("/", _MIXED.sub(r"(\1+\2/\3)", solution[:MAX_SOLUTION]))
    lines = solution[:MAX_SOLUTION].split("\n")
    unknowns = unknowns_of(clean(solution[:MAX_SOLUTION]).text)
    statements: list[Statement] = []
    bare: set[Fraction] = set()
    answer: Fraction | None = None
    last = max((place for place, line in enumerate(lines) if line.strip()), default=-1)
    for place, line in enumerate(lines):
        final = _FINAL.match(line)
        if final or (place == last and place > 0 and _BARE_LINE.match(line)):
            answer = read_answer(final.group(1) if final else line, language)
            continue
        found, values = _read_line(line, place, language, unknowns)
        statements += found
        bare |= values
    if len(statements) == 1 and len(statements[0].operators) > 1 and _is_formula(solution):
        statements = _split(statements[0])
    return ReadSolution(statements=tuple(statements[:MAX_STATEMENTS]), answer=answer, bare_values=frozenset(bare))


def _is_formula(solution: str) -> bool:
    return len(re.findall(r"[^\W\d_]{2,}", solution)) <= 2


def _read_line(line: str, place: int, language: str, unknowns: frozenset[str]) -> tuple[list[Statement], set[Fraction]]:
    marks: list[tuple[int, str]] = []
    prose, end = "", 0
    for match in _MARK.finditer(line):
        prose += line[end : match.start()]
        marks.append((len(prose), match.group(1)))
        end = match.end()
    prose += line[end:]
    claims = read_claims_with_trees(prose, language, unknowns=unknowns)
    found = [(read.claim.start, statement) for read in claims if (statement := _statement(read, place, prose))]
    found = _without_repeats(found, claims)
    used: set[int] = set()
    for offset, mark in marks:
        statement = _marked(mark, offset, place, prose, language)
        if statement is None:
            continue
        twin = next((i for i, (_, other) in enumerate(found) if other.value == statement.value and i not in used), None)
        broken = next((i for i, (_, other) in enumerate(found) if not other.consistent and i not in used), None)
        if twin is not None and (found[twin][1].consistent or not statement.consistent):
            used.add(twin)
        elif statement.consistent and (twin is not None or broken is not None):
            place_of = twin if twin is not None else broken
            assert place_of is not None
            used.add(place_of)
            found[place_of] = (found[place_of][0], replace(statement, text=found[place_of][1].text))
        else:
            used.add(len(found))
            found.append((offset, statement))
    found.sort(key=lambda item: item[0])
    bare = {read.claim.value for read in claims if read.expression is None and read.claim.value is not None}
    return [statement for _, statement in found], bare


def _without_repeats(found: list[tuple[int, Statement]], claims: tuple[ReadClaim, ...]) -> list[tuple[int, Statement]]:
    """Keep of one chain a = b = c the first statement of each value: the others rewrite it."""
    order_of = {read.claim.start: read.order for read in claims}
    kept: list[tuple[int, Statement]] = []
    seen: set[tuple[int, Fraction]] = set()
    for start, statement in found:
        key = (order_of.get(start, -1), statement.value)
        if key not in seen or not statement.consistent:
            kept.append((start, statement))
        seen.add(key)
    return kept


def _sentence_at(prose: str, place: int) -> str:
    start = max((match.end() for match in _SENTENCE_END.finditer(prose) if match.end() <= place), default=0)
    end = next((match.start() for match in _SENTENCE_END.finditer(prose) if match.start() > place), len(prose))
    return prose[start:end].strip()


def _statement(read: ReadClaim, line: int, prose: str) -> Statement | None:
    claim, expression = read.claim, read.expression
    if expression is None or claim.withdrawn:
        return None
    if claim.unknown is not None and claim.operators == () and claim.computed is not None:
        return None
    value = claim.value if claim.value is not None else claim.computed
    converts = bool(claim.operands) and claim.unit is not None and claim.unit != claim.operands[0].unit
    if value is None or not (expression.compound or read.equals is not None or converts):
        return None
    if claim.value is None and value < 0:
        return None
    equation = (
        claim.unknown is not None and read.equals is not None and bool(expression.unknowns | read.equals.unknowns)
    )
    operands, operators = claim.operands, claim.operators
    equals: Expression | None = None
    if equation and read.equals is not None:
        lone = not expression.unknowns
        if not lone:
            equals = read.equals
            operands, operators = expression.operands + equals.operands, expression.operators + equals.operators
        else:
            operands = expression.operands
        if not operators:
            return None
    return Statement(
        line=line,
        text=_sentence_at(prose, claim.start),
        operands=operands,
        operators=operators,
        value=value,
        unit=claim.unit,
        noun=claim.noun,
        consistent=claim.true is not False,
        expression=expression,
        equals=equals,
    )


def _marked(mark: str, offset: int, line: int, prose: str, language: str) -> Statement | None:
    """Read a calculation mark that the prose does not repeat."""
    claims = [read for read in read_claims_with_trees(mark, language) if read.expression and read.claim.operators]
    if not claims:
        return None
    statement = _statement(claims[0], line, mark)
    if statement is None:
        return None
    return replace(statement, text=_sentence_at(prose, offset))


def _split(whole: Statement) -> list[Statement]:
    """Cut one formula into a statement per operation, inner ones first."""
    expression = whole.expression
    if expression is None or expression.unknowns or whole.equals is not None:
        return [whole]
    statements: list[Statement] = []

    def walk(tree: Tree) -> Operand | None:
        if isinstance(tree, Leaf):
            return expression.operands[tree.index]
        if isinstance(tree, Unknown):
            return None
        if isinstance(tree, Negative):
            inner = walk(tree.inner)
            return None if inner is None else Operand(value=-inner.value, text=f"-{inner.text}")
        left, right = walk(tree.left), walk(tree.right)
        if left is None or right is None:
            return None
        step = _operation(expression.operators[tree.operator], left, right, whole)
        if step is None:
            return None
        statements.append(step)
        return Operand(value=step.value, text=str(step.value))

    return statements if walk(expression.tree) is not None else [whole]


def _operation(sign: str, left: Operand, right: Operand, whole: Statement) -> Statement | None:
    expression = Expression(
        tree=Binary(0, Leaf(0), Leaf(1)), operands=(left, right), operators=(sign,), start=0, end=0, places=(0, 0)
    )
    value = evaluate(expression)
    if value is None:
        return None
    return Statement(
        line=whole.line,
        text=whole.text,
        operands=(left, right),
        operators=(sign,),
        value=value,
        expression=expression,
    )
