"""One database: its engine, its write lock and its two kinds of transaction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from threading import RLock

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import IntegrityError, OperationalError

from preceptor.errors import DuplicateError, StoreError
from preceptor.stores.sql.dialects import open_postgresql, open_sqlite
from preceptor.stores.sql.migrate import Migration, migrate
from preceptor.stores.sql.migrations import MIGRATIONS


class Database:
    """A migrated database of either kind."""

    def __init__(self, engine: Engine, migrations: Sequence[Migration] = MIGRATIONS) -> None:
        """Take over an engine and bring its schema up to date.

        Raises:
            MigrationError: The schema is newer than this program, or a migration failed.
        """
        self.engine = engine
        # SQLite has one writer; waiting here is fair and costs no busy polling.
        self._lock = RLock() if engine.dialect.name == "sqlite" else None
        migrate(self.write, migrations)

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """Open a transaction that may write; it commits at the end and rolls back on any exception.

        Raises:
            DuplicateError: A row with this key exists.
            StoreError: The database is locked by another process, or refused.
        """
        with self._lock or nullcontext(), self.engine.connect() as connection:
            connection = connection.execution_options(preceptor_mode="write")
            try:
                with connection.begin():
                    yield connection
            except IntegrityError as error:
                raise DuplicateError(f"the database refused the row: {error.orig}") from error
            except OperationalError as error:
                raise StoreError(f"the database could not write: {error.orig}") from error

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Open a transaction that only reads: one snapshot throughout."""
        with self.engine.connect() as connection:
            if self._lock is None:
                connection = connection.execution_options(isolation_level="REPEATABLE READ")
            try:
                with connection.begin():
                    yield connection
            except OperationalError as error:
                raise StoreError(f"the database could not read: {error.orig}") from error

    @contextmanager
    def maintain(self) -> Iterator[Connection]:
        """Open a connection outside any transaction, for commands that bring their own."""
        with self._lock or nullcontext(), self.engine.connect() as connection:
            # SQLAlchemy's AUTOCOMMIT would leave SQLite's driver in its own transaction handling afterwards.
            options = {"preceptor_mode": "maintain"} if self._lock else {"isolation_level": "AUTOCOMMIT"}
            try:
                yield connection.execution_options(**options)
            except OperationalError as error:
                raise StoreError(f"the database could not be maintained: {error.orig}") from error

    def close(self) -> None:
        """Close every pooled connection."""
        self.engine.dispose()


def open_database(*, home: Path, url: str | None) -> Database:
    """Open the database of an installation: PostgreSQL at `url`, else SQLite in the home folder.

    Raises:
        UnsafePathError: The home folder lies on a network file system.
        MigrationError: The schema is newer than this program.
        StoreError: The server cannot be reached.
    """
    engine = open_postgresql(url) if url else open_sqlite(home / "preceptor.sqlite3")
    try:
        return Database(engine)
    except BaseException:
        engine.dispose()
        raise
