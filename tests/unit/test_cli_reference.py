"""Every command has help, and the written reference is the commands' own."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from preceptor.cli.main import NOUNS, cli
from preceptor.cli.reference import reference, walk

COMMANDS = [
    (path, command)
    for noun in NOUNS
    for path, command in walk(
        f"preceptor {noun}", cli.get_command(click.Context(cli), noun) or click.Command("missing")
    )
]


@pytest.mark.parametrize(("path", "command"), COMMANDS, ids=[path for path, _ in COMMANDS])
def test_a_command_and_each_of_its_options_has_help(path: str, command: click.Command) -> None:
    assert command.help, f"{path} has no help"
    silent = [one.name for one in command.params if isinstance(one, click.Option) and not one.help]
    assert not silent, f"{path}: no help for {silent}"


def test_the_written_reference_is_up_to_date() -> None:
    page = Path(__file__).parents[2] / "docs" / "cli.md"
    assert page.read_text(encoding="utf-8") == reference(), "run `make docs`"
