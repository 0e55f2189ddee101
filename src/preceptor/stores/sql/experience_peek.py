"""A look at the repository of experience that opens nothing for writing and migrates nothing: for `doctor`."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from sqlalchemy import func, select
from sqlalchemy.dialects import sqlite

from preceptor.errors import StoreError
from preceptor.stores.sql.tables import EXPERIENCE


def peek_embedders(file: Path) -> Mapping[str, int]:
    """Return how many active entries each embedder's fingerprint has in a SQLite database.

    Args:
        file: The database; one that is not there, or is older than the repository, has no entries.

    Raises:
        StoreError: The file is there and cannot be read.
    """
    if not file.is_file():
        return {}
    active = EXPERIENCE.c.status == "active"
    chosen = select(EXPERIENCE.c.embedder, func.count()).where(active).group_by(EXPERIENCE.c.embedder)
    statement = str(chosen.compile(dialect=sqlite.dialect(), compile_kwargs={"literal_binds": True}))
    try:
        with closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)) as connection:
            known = connection.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (EXPERIENCE.name,)).fetchone()
            return {str(name): int(n) for name, n in connection.execute(statement)} if known else {}
    except sqlite3.Error as error:
        raise StoreError(f"{file}: {error}") from error
