"""`preceptor answer check`: is an answer the same as the reference, and how were both read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Literal

import click
from pydantic import BaseModel, ConfigDict, ValidationError

from preceptor.cli.json_lines import read_lines, write_json
from preceptor.domain.problem import AnswerPolicy
from preceptor.errors import InputError
from preceptor.maths.answers import AnswerVerdict, check_answer
from preceptor.maths.symbolic import ProcessSymbolicChecker, SymbolicChecker


class PolicyInput(BaseModel):
    """What an item accepts, as JSON."""

    model_config = ConfigDict(extra="forbid", strict=True)

    form: Literal["any", "reduced", "mixed", "decimal"] = "any"
    units: Literal["required", "optional", "forbidden"] = "optional"
    tolerance: str | int | float = 0
    locale: Literal["en", "de"] = "en"
    percent_as: Literal["fraction", "number"] = "fraction"


class AnswerInput(BaseModel):
    """One line of input."""

    model_config = ConfigDict(extra="ignore", strict=True)

    reference: str | int | float
    answer: str | int | float
    policy: PolicyInput | None = None


@click.group()
def answer() -> None:
    """Check an answer against a reference."""


@answer.command()
@click.argument("file", required=False, metavar="[FILE|-]")
@click.option("--reference", metavar="R", help="The reference answer.")
@click.option("--answer", "given", metavar="A", help="The learner's answer.")
@click.option("--form", type=click.Choice(["any", "reduced", "mixed", "decimal"]), help="Form the item asks for.")
@click.option("--units", type=click.Choice(["required", "optional", "forbidden"]), help="Whether a unit is asked for.")
@click.option("--tolerance", metavar="T", help="Largest accepted difference, in the reference's unit: 0.01 or 1/3.")
@click.option("--locale", type=click.Choice(["en", "de"]), help="en: 1,000.5; de: 1.000,5.")
@click.option("--percent-as", type=click.Choice(["fraction", "number"]), help="50% is 0.5, or the same as 50.")
@click.option("--policy", "policy_json", metavar="JSON", help="The whole policy as one JSON object.")
@click.option("--symbolic/--no-symbolic", default=True, help="Ask the symbolic checker where nothing else decides.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON: one object, or one line per input line.")
def check(
    file: str | None,
    reference: str | None,
    given: str | None,
    policy_json: str | None,
    symbolic: bool,
    as_json: bool,
    **rules: str | None,
) -> None:
    """Compare one answer, or each line {"reference", "answer", "policy"?} of FILE or stdin."""
    if file is None and (reference is None or given is None):
        raise click.UsageError("give --reference and --answer, or a file of JSON lines, or -")
    if file is not None and (reference is not None or given is not None):
        raise click.UsageError("give either a file or --reference and --answer")
    policy = _policy(policy_json, rules)
    with _checker(symbolic) as checker:
        if file is None:
            assert reference is not None
            assert given is not None
            _show(check_answer(reference, given, policy, symbolic=checker), as_json=as_json)
            return
        for number, line in read_lines(file):
            try:
                row = AnswerInput.model_validate(line)
            except ValidationError as error:
                raise InputError(f"{file} line {number}: {_first(error)}") from error
            own = policy if row.policy is None else _to_policy(row.policy)
            _show(check_answer(str(row.reference), str(row.answer), own, symbolic=checker), as_json=as_json)


@contextmanager
def _checker(wanted: bool) -> Iterator[SymbolicChecker | None]:
    if not wanted:
        yield None
        return
    with ProcessSymbolicChecker() as checker:
        yield checker


def _policy(policy_json: str | None, rules: dict[str, str | None]) -> AnswerPolicy:
    try:
        whole = json.loads(policy_json) if policy_json else {}
    except json.JSONDecodeError as error:
        raise InputError(f"--policy: not JSON ({error.msg})") from error
    if not isinstance(whole, dict):
        raise InputError(f"--policy: expected a JSON object, got {type(whole).__name__}")
    try:
        return _to_policy(PolicyInput.model_validate({**whole, **{k: v for k, v in rules.items() if v is not None}}))
    except ValidationError as error:
        raise InputError(f"--policy: {_first(error)}") from error


def _to_policy(rules: PolicyInput) -> AnswerPolicy:
    text = str(rules.tolerance)
    try:
        if len(text) > 40 or "e" in text.lower() and abs(int(text.lower().partition("e")[2])) > 40:
            raise ValueError
        tolerance = Fraction(text)
        return AnswerPolicy(
            form=rules.form, units=rules.units, tolerance=tolerance, locale=rules.locale, percent_as=rules.percent_as
        )
    except (ValueError, ZeroDivisionError) as error:
        raise InputError(f"tolerance: expected a number of 0 or more like 0.01 or 1/3, got {text[:40]!r}") from error


def _first(error: ValidationError) -> str:
    item = error.errors()[0]
    return f"{'.'.join(str(part) for part in item['loc'])}: {item['msg']}"


def _show(verdict: AnswerVerdict, *, as_json: bool) -> None:
    if as_json:
        write_json(
            {
                "verdict": verdict.verdict,
                "answer_read_as": verdict.answer_read_as,
                "reference_read_as": verdict.reference_read_as,
                "reason": verdict.reason,
            }
        )
        return
    read = verdict.answer_read_as or "nothing"
    click.echo(
        f"{verdict.verdict.replace('_', ' ')}: read as {read}" + (f". {verdict.reason}" if verdict.reason else "")
    )
