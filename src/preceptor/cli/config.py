"""`preceptor config`: every setting, its value and where its default comes from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import click
from pydantic import BaseModel, SecretStr

from preceptor.cli.json_lines import write_json
from preceptor.settings import load_settings

MASK = "********"
_ORIGIN = re.compile(r"\b(seed|chosen|calibrated)\b")
_IN_BRACKETS = re.compile(r"\(([^()]*\b(?:seed|chosen|calibrated)\b[^()]*)\)")
_URL_PASSWORD = re.compile(r"(?<=://)([^/@:\s]*):[^/@\s]+@")


@dataclass(frozen=True, kw_only=True)
class SettingRow:
    """One setting, as shown."""

    name: str
    """Its place in the TOML file: "tutoring.memory_cap_s"."""
    value: object
    default: object
    origins: tuple[str, ...]
    """Of "seed", "chosen", "calibrated": where the default comes from; empty where it is no judgement."""
    about: str


@click.group(help="Show the settings.")
def config() -> None:
    """Hold the verbs."""


@config.command(help="Print every setting with its value and where its default comes from; secrets are masked.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def show(as_json: bool) -> None:
    """Print the settings of this run."""
    for row in setting_rows(load_settings()):
        if as_json:
            write_json(asdict(row))
            continue
        mark = "" if row.value == row.default else f"   (default {_written(row.default)})"
        click.echo(f"{row.name} = {_written(row.value)}{mark}")
        if row.about:
            click.secho(f"    {row.about}", dim=True)


def setting_rows(section: BaseModel, prefix: str = "", default: BaseModel | None = None) -> Iterator[SettingRow]:
    """Yield every setting of a tree, in the order of its declaration.

    Args:
        section: The tree.
        prefix: Where it stands in the whole, with a dot at the end.
        default: The tree as it is when nothing is set; `None`: its fields' own defaults.
    """
    for name, field in type(section).model_fields.items():
        value = getattr(section, name)
        unset = getattr(default, name) if default is not None else field.get_default(call_default_factory=True)
        if isinstance(value, BaseModel):
            yield from setting_rows(value, f"{prefix}{name}.", unset)
        elif isinstance(value, dict):
            for key, row in value.items():
                yield from setting_rows(row, f"{prefix}{name}.{key}.")
        else:
            about = " ".join((field.description or "").split())
            yield SettingRow(
                name=prefix + name, value=_shown(value), default=_shown(unset), origins=_origins(about), about=about
            )


def _origins(about: str) -> tuple[str, ...]:
    found = [origin for part in _IN_BRACKETS.findall(about) for origin in _ORIGIN.findall(part)]
    return tuple(dict.fromkeys(found))


def _shown(value: object) -> object:
    if isinstance(value, SecretStr):
        return MASK if value.get_secret_value() else ""
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, str):
        return _URL_PASSWORD.sub(rf"\1:{MASK}@", value)
    return value


def _written(value: object) -> str:
    if value is None:
        return "not set"
    return str(value).lower() if isinstance(value, bool) else f'"{value}"' if isinstance(value, str) else str(value)
