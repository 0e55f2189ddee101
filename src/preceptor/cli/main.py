"""The command line: `preceptor <noun> <verb>`. Nouns are imported only when they are called."""

from __future__ import annotations

import importlib
import sys

import click

from preceptor import __version__
from preceptor.errors import PreceptorError

NOUNS: dict[str, tuple[str, str]] = {
    "serve": ("preceptor.cli.serve:serve", "Start the tutor in the browser."),
    "chat": ("preceptor.cli.chat:chat", "Talk to the tutor in the terminal."),
    "observe": ("preceptor.cli.observe:observe", "Read the learner turns of dialogues."),
    "reply": ("preceptor.cli.reply:reply", "Make the tutor's next reply to each dialogue."),
    "problem": ("preceptor.cli.problem:problem", "Import, list and show problems."),
    "course": ("preceptor.cli.course:course", "Make courses of files, and look into them."),
    "map": ("preceptor.cli.map:concept_map", "Build and show the concept map of a subject."),
    "answer": ("preceptor.cli.answer:answer", "Check an answer against a reference."),
    "solution": ("preceptor.cli.solution:solution", "Find the first wrong step of a solution."),
    "trace": ("preceptor.cli.trace:trace", "Check a learner's trace of a search algorithm."),
    "leak": ("preceptor.cli.leak:leak", "Check whether a reply gives the answer away."),
    "critique": ("preceptor.cli.critique:critique", "Score the replies of dialogues on the rubric."),
    "mentor": ("preceptor.cli.mentor:mentor", "Give a better reply for each turn of dialogues."),
    "heads": ("preceptor.cli.heads:heads", "Train and show the small heads of the builtin critic."),
    "experience": ("preceptor.cli.experience:experience", "Keep the repository of teaching experience."),
    "consent": ("preceptor.cli.consent:consent", "Say whether dialogues may teach the tutor."),
    "memory": ("preceptor.cli.memory:memory", "See what is remembered of a learner."),
    "log": ("preceptor.cli.log:log", "Verify, export, checkpoint and erase the episode log."),
    "lab": ("preceptor.cli.lab:lab", "Measure the tutor on data of your own."),
    "model": ("preceptor.cli.model:model", "List and fetch models."),
    "config": ("preceptor.cli.config:config", "Show the settings."),
    "doctor": ("preceptor.cli.doctor:doctor", "Say what works on this machine and what is missing."),
}
"""Noun → (module:command, one line of help)."""


class LazyGroup(click.Group):
    """A group whose commands are imported when called, so that `--help` stays fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the nouns in the order of the table."""
        return list(NOUNS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one noun's command."""
        if cmd_name not in NOUNS:
            return None
        module, attribute = NOUNS[cmd_name][0].split(":")
        command = getattr(importlib.import_module(module), attribute)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the table of nouns without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(noun, line) for noun, (_, line) in NOUNS.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="preceptor")
def cli() -> None:
    """A self-hosted tutor: it asks the next good question instead of giving the answer."""


def main() -> None:
    """Run the command line: exit 0 done, 1 the input was refused, 2 usage."""
    try:
        cli()
    except PreceptorError as error:
        click.echo(f"preceptor: {error}", err=True)
        sys.exit(1)
