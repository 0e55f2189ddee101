"""Bringing a schema up to date: each numbered step in one transaction with the row that records it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

from sqlalchemy import Connection, text
from sqlalchemy.exc import SQLAlchemyError

from preceptor.errors import MigrationError
from preceptor.stores.sql.dialects import lock_schema
from preceptor.stores.sql.migrations import MIGRATIONS

Migration = Callable[[Connection], None]


def migrate(
    begin_write: Callable[[], AbstractContextManager[Connection]], migrations: Sequence[Migration] = MIGRATIONS
) -> int:
    """Apply the migrations that the database lacks; return how many were applied.

    Args:
        begin_write: Opens one write transaction.
        migrations: Functions named `m001_…`, in order and without gaps; the n-th has number n.

    Raises:
        MigrationError: The database is newer than the list, or a step failed. A failed step leaves nothing behind,
            and the steps before it stay.
    """
    applied = 0
    while True:
        with begin_write() as connection:
            lock_schema(connection)
            version = _schema_version(connection)
            if version > len(migrations):
                raise MigrationError(
                    f"the database has schema {version}, this program knows {len(migrations)}: "
                    "install the newer Preceptor that wrote it, or restore an older copy"
                )
            if version == len(migrations):
                return applied
            _apply(connection, version + 1, migrations[version])
            applied += 1


def _apply(connection: Connection, number: int, migration: Migration) -> None:
    name = migration.__name__
    if not name.startswith(f"m{number:03d}_"):
        raise MigrationError(f"migration {number} is named {name!r}, expected m{number:03d}_…")
    try:
        migration(connection)
        connection.execute(
            text("INSERT INTO schema_migration (number, name) VALUES (:number, :name)"),
            {"number": number, "name": name},
        )
    except SQLAlchemyError as error:
        raise MigrationError(f"{name} failed and was rolled back: {error}") from error


def _schema_version(connection: Connection) -> int:
    connection.execute(
        text("CREATE TABLE IF NOT EXISTS schema_migration (number INTEGER PRIMARY KEY, name TEXT NOT NULL)")
    )
    return int(connection.execute(text("SELECT COALESCE(MAX(number), 0) FROM schema_migration")).scalar_one())
