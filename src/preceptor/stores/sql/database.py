"""One database: its engine, its write lock and its two kinds of transaction."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from threading import RLock

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from preceptor.errors import DuplicateError, StoreError
from preceptor.stores.sql.dialects import name_learner, open_postgresql, open_sqlite
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
    def write(self, learner_id: str | None = None) -> Iterator[Connection]:
        """Open a transaction that may write; it commits at the end and rolls back on any exception.

        Args:
            learner_id: On PostgreSQL, nobody else's rows can be seen or written in it; `None`: everyone's.

        Raises:
            DuplicateError: A row with this key exists.
            StoreError: The database cannot be reached, is locked by another process, or refused.
        """
        with _store_errors("write to"), self._lock or nullcontext(), self.engine.connect() as connection:
            with connection.execution_options(preceptor_mode="write").begin():
                if learner_id is not None:
                    name_learner(connection, learner_id)
                yield connection

    @contextmanager
    def read(self, learner_id: str | None = None) -> Iterator[Connection]:
        """Open a transaction that only reads: one snapshot throughout.

        Args:
            learner_id: As in `write`.

        Raises:
            StoreError: The database cannot be reached or read.
        """
        options = {"preceptor_mode": "read"} if self._lock else {"isolation_level": "REPEATABLE READ"}
        with _store_errors("read"), self.engine.connect() as connection:
            with connection.execution_options(**options).begin():
                if learner_id is not None:
                    name_learner(connection, learner_id)
                yield connection

    @contextmanager
    def maintain(self) -> Iterator[Connection]:
        """Open a connection outside any transaction, for commands that bring their own.

        Raises:
            StoreError: The database cannot be reached, or is in use in a way that forbids the command.
        """
        # SQLAlchemy's AUTOCOMMIT would leave SQLite's driver in its own transaction handling afterwards.
        options = {"preceptor_mode": "maintain"} if self._lock else {"isolation_level": "AUTOCOMMIT"}
        with _store_errors("maintain"), self._lock or nullcontext(), self.engine.connect() as connection:
            yield connection.execution_options(**options)

    def close(self) -> None:
        """Close every pooled connection."""
        self.engine.dispose()


@contextmanager
def _store_errors(deed: str) -> Iterator[None]:
    """Turn the driver's errors into ours. Their text names tables and keys; parameters are hidden from it."""
    try:
        yield
    except IntegrityError as error:
        raise DuplicateError(f"the database refused the row: {error.orig}") from error
    except DBAPIError as error:
        raise StoreError(f"cannot {deed} the database: {error.orig}") from error
    except PoolTimeoutError as error:
        raise StoreError(f"cannot {deed} the database: every connection is in use") from error


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
