"""`preceptor memory`: what is remembered of a learner."""

from __future__ import annotations

import click

from preceptor.cli.memory_block import block, recall


@click.group()
def memory() -> None:
    """See what is remembered of a learner."""


memory.add_command(recall)
memory.add_command(block)
