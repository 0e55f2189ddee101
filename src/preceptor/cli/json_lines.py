"""Writing results, for every command; reading is `record.json_lines`."""

from __future__ import annotations

import json

import click

from preceptor.record.json_lines import read_lines

__all__ = ["read_lines", "write_json"]


def write_json(value: object) -> None:
    """Write one JSON object as one line on stdout."""
    click.echo(json.dumps(value, ensure_ascii=False))
