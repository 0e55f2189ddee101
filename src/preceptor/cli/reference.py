"""The command reference, made from the commands themselves: `python -m preceptor.cli.reference`."""

from __future__ import annotations

from collections.abc import Iterator

import click

from preceptor.cli.main import NOUNS, cli

HEAD = """# Commands

Made from the commands themselves by `make docs`; a test fails when it is stale. `--json` prints one object
(JSON lines for lists) on stdout, prose and progress go to stderr. Exit 0: done; 1: the input was refused, and the
message says which value and what was expected; 2: usage.
"""


def reference() -> str:
    """Return the reference of every command as Markdown."""
    context = click.Context(cli, info_name="preceptor")
    parts = [HEAD]
    for noun in NOUNS:
        command = cli.get_command(context, noun)
        assert command is not None
        parts += [_section(path, one) for path, one in walk(f"preceptor {noun}", command)]
    return "\n".join(parts)


def walk(path: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    """Yield a command and all below it, each with the words that call it."""
    yield path, command
    if isinstance(command, click.Group):
        for name in sorted(command.commands):
            yield from walk(f"{path} {name}", command.commands[name])


def _section(path: str, command: click.Command) -> str:
    lines = [f"## {path}", "", (command.help or "").strip(), ""]
    usage = " ".join(command.collect_usage_pieces(click.Context(command, info_name=path)))
    lines += [f"`{path} {usage}`", ""]
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            names = ", ".join(f"`{name}`" for name in parameter.opts)
            lines.append(f"- {names}: {(parameter.help or '').strip()}")
    return "\n".join(lines).rstrip() + "\n"


if __name__ == "__main__":
    click.echo(reference(), nl=False)
