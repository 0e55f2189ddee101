"""`preceptor memory`: what is remembered of a learner, and the learner's rights over it."""

from __future__ import annotations

import click

from preceptor.cli.memory_beliefs import deny_belief, rederive_beliefs, show_beliefs, show_report
from preceptor.cli.memory_block import block, recall
from preceptor.cli.memory_nights import run_nightly, verify_citations
from preceptor.cli.memory_rights import export_memory, forget_memory


@click.group()
def memory() -> None:
    """See what is remembered of a learner, check it and take it back."""


for _command in (
    recall,
    block,
    show_beliefs,
    deny_belief,
    rederive_beliefs,
    show_report,
    verify_citations,
    run_nightly,
    export_memory,
    forget_memory,
):
    memory.add_command(_command)
