"""`preceptor doctor`: what works on this machine, what is missing, and where text goes."""

from __future__ import annotations

import importlib.util
import os
import sqlite3
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

import click

from preceptor.cli.json_lines import write_json
from preceptor.errors import (
    ConsentError,
    ModelError,
    PreceptorError,
    SettingsError,
    StoreError,
    UnsafePathError,
)
from preceptor.experience.repository_words import LEXICAL
from preceptor.models.catalogue import CATALOGUE
from preceptor.models.destination import destination, require_consent
from preceptor.models.embedder import open_embedder
from preceptor.models.fetch import is_fetched
from preceptor.models.local import gguf_path
from preceptor.models.roles import MODEL_ONLY, ROLES, Role, role_provider, role_settings
from preceptor.settings import Settings, load_settings
from preceptor.stores.sql.experience_peek import peek_embedders
from preceptor.stores.sql.file_systems import require_local_file_system

State = Literal["ok", "absent", "broken"]
PYTHON_WANTED = (3, 11)
_EXTRAS = {"anthropic": "anthropic", "google": "google.genai", "local": "xllamacpp", "postgres": "psycopg"}
_MARKS = {"ok": "ok     ", "absent": "absent ", "broken": "BROKEN "}


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One thing that was looked at."""

    name: str
    state: State
    """`absent`: not there, and nothing needs it; `broken`: something needs it."""
    detail: str


@click.command(
    help="Say what works on this machine, what is missing, and where text goes. Exits 1 if anything is broken."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def doctor(as_json: bool) -> None:
    """Look at everything and print it."""
    found = list(findings(load_settings()))
    broken = any(one.state == "broken" for one in found)
    if as_json:
        write_json({"ok": not broken, "findings": [asdict(one) for one in found]})
    else:
        for one in found:
            click.echo(f"{_MARKS[one.state]} {one.name}: {one.detail}")
    if broken:
        sys.exit(1)


def findings(settings: Settings) -> Iterator[Finding]:
    """Yield everything that was looked at; nothing is changed, sent or loaded but the embedder."""
    yield _python()
    yield _full_text_search()
    yield _home(settings.home)
    yield _database(settings)
    yield _embedder(settings)
    yield _experience(settings)
    yield from _ggufs(settings)
    for extra, module in _EXTRAS.items():
        there = _importable(module)
        detail = "installed" if there else f"not installed: pip install 'preceptor[{extra}]'"
        yield Finding(name=f"extra {extra}", state="ok" if there else "absent", detail=detail)
    yield from _providers(settings)
    for role in ROLES:
        yield _role(settings, role)


def _python() -> Finding:
    version = ".".join(map(str, sys.version_info[:3]))
    good = sys.version_info >= PYTHON_WANTED
    return Finding(
        name="python", state="ok" if good else "broken", detail=version if good else f"{version}, 3.11 needed"
    )


def _full_text_search() -> Finding:
    name = "sqlite full-text search"
    try:
        with sqlite3.connect(":memory:") as database:
            database.execute("CREATE VIRTUAL TABLE words USING fts5(text)")
        database.close()
    except sqlite3.OperationalError as error:
        return Finding(name=name, state="broken", detail=f"SQLite {sqlite3.sqlite_version}: {error}")
    return Finding(name=name, state="ok", detail=f"SQLite {sqlite3.sqlite_version} with FTS5")


def _home(home: Path) -> Finding:
    place = home
    while not place.exists():
        place = place.parent
    if not os.access(place, os.W_OK):
        return Finding(name="home folder", state="broken", detail=f"{home} cannot be written to")
    return Finding(name="home folder", state="ok", detail=f"{home}{'' if home.exists() else ' (will be made)'}")


def _database(settings: Settings) -> Finding:
    if settings.store.url:
        there = _importable("psycopg")
        detail = "PostgreSQL" if there else "PostgreSQL needs the extra postgres: pip install 'preceptor[postgres]'"
        return Finding(name="database", state="ok" if there else "broken", detail=detail)
    try:
        require_local_file_system(settings.home)
    except UnsafePathError as error:
        return Finding(name="database", state="broken", detail=str(error))
    return Finding(name="database", state="ok", detail="SQLite, on a file system of this machine")


def _embedder(settings: Settings) -> Finding:
    name = settings.embedder.name
    try:
        embedder = open_embedder(settings)
    except (ModelError, SettingsError) as error:
        return Finding(name="embedder", state="broken", detail=str(error))
    if embedder is None:
        how = f"preceptor model fetch {name}" if name in CATALOGUE else f"put model.onnx and tokenizer.json into {name}"
        return Finding(name="embedder", state="absent", detail=f"everything is found by its words; {how}")
    languages = ", ".join(embedder.languages)
    return Finding(name="embedder", state="ok", detail=f"{name}, for {languages}; other text is found by its words")


def _experience(settings: Settings) -> Finding:
    """Look at whether the repository of experience can be read in a turn."""
    name = "experience"
    if not settings.experience.enabled:
        return Finding(name=name, state="absent", detail="switched off in the settings (experience.enabled)")
    if settings.store.url:
        return Finding(name=name, state="ok", detail="in PostgreSQL; `preceptor experience stats` looks at it")
    try:
        held = peek_embedders(settings.home / "preceptor.sqlite3")
        embedder = open_embedder(settings)
    except StoreError as error:
        return Finding(name=name, state="broken", detail=str(error))
    except (ModelError, SettingsError):
        return Finding(name=name, state="absent", detail="not read, because the embedder is broken")
    now = embedder.fingerprint if embedder else LEXICAL
    if not held:
        return Finding(name=name, state="absent", detail="the repository is empty; turns run without experience")
    others = ", ".join(f"{n} entries of {one}" for one, n in sorted(held.items()) if one != now)
    if others:
        detail = f"not read in turns: it holds {others}, but {now} is in use; run `preceptor experience reembed`"
        return Finding(name=name, state="broken", detail=detail)
    return Finding(name=name, state="ok", detail=f"{sum(held.values())} entries, compared by {now}")


def _ggufs(settings: Settings) -> Iterator[Finding]:
    for known in CATALOGUE.values():
        if known.kind == "gguf":
            there = is_fetched(settings.home, known)
            detail = "fetched" if there else f"preceptor model fetch {known.name}"
            yield Finding(name=f"model {known.name}", state="ok" if there else "absent", detail=detail)


def _providers(settings: Settings) -> Iterator[Finding]:
    for name, provider in settings.providers.items():
        detail = f"{provider.kind}; what is sent to it {destination(name, provider)}"
        try:
            require_consent(name, provider)
        except ConsentError:
            detail += "; the owner has not agreed to that, so nothing is sent"
        yield Finding(name=f"provider {name}", state="ok", detail=detail)


def _role(settings: Settings, role: Role) -> Finding:
    """Look at whether a role could be played, without calling anyone."""
    if role_settings(settings, role).engine == "builtin" and role in MODEL_ONLY:
        return Finding(name=f"role {role}", state="absent", detail="only a language model can play it; none is set")
    if role_settings(settings, role).engine == "builtin":
        return Finding(name=f"role {role}", state="ok", detail="builtin; nothing leaves this machine")
    try:
        name, provider, model = role_provider(settings, role)
        require_consent(name, provider)
        if provider.kind == "local":
            gguf_path(settings.home, model)
        needed = {"anthropic": "anthropic", "google": "google", "local": "local"}.get(provider.kind)
        if needed and not _importable(_EXTRAS[needed]):
            raise SettingsError(f"needs the extra {needed}: pip install 'preceptor[{needed}]'")
    except PreceptorError as error:
        return Finding(name=f"role {role}", state="broken", detail=str(error))
    return Finding(name=f"role {role}", state="ok", detail=f"{name}/{model}; {destination(name, provider)}")


def _importable(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:
        return False
