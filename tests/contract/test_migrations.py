"""Migrations on an empty and on a filled database."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sqlalchemy import Connection, inspect, text

from preceptor.errors import MigrationError
from preceptor.record.episode_log import EpisodeLog
from preceptor.record.kinds import AnswerBody, new_episode
from preceptor.record.record_key import RecordKey
from preceptor.record.verification import verify
from preceptor.stores.sql.database import Database
from preceptor.stores.sql.episodes import SqlEpisodeStore
from preceptor.stores.sql.migrate import migrate
from preceptor.stores.sql.migrations import MIGRATIONS
from preceptor.stores.sql.tables import METADATA

if TYPE_CHECKING:
    from tests.contract.conftest import EmptyDatabase


def _tables(database: Database) -> set[str]:
    return set(inspect(database.engine).get_table_names())


def test_an_empty_database_gets_every_table_with_the_columns_that_statements_name(database: Database) -> None:
    for table in METADATA.tables.values():
        made = [column["name"] for column in inspect(database.engine).get_columns(table.name)]
        assert made == [column.name for column in table.columns]


def test_every_migration_is_recorded_once(database: Database) -> None:
    assert migrate(database.write) == 0
    with database.read() as connection:
        rows = connection.execute(text("SELECT number, name FROM schema_migration ORDER BY number")).all()
    assert [tuple(row) for row in rows] == [
        (number, migration.__name__) for number, migration in enumerate(MIGRATIONS, start=1)
    ]


def test_a_filled_database_keeps_its_rows_through_a_migration(database: Database) -> None:
    with database.write() as connection:
        connection.execute(text("INSERT INTO record_fact (name, value) VALUES ('colour', 'green')"))

    def add_a_column(connection: Connection) -> None:
        connection.execute(text("ALTER TABLE record_fact ADD COLUMN note TEXT"))

    add_a_column.__name__ = f"m{len(MIGRATIONS) + 1:03d}_add_note"
    assert migrate(database.write, [*MIGRATIONS, add_a_column]) == 1
    with database.read() as connection:
        assert tuple(connection.execute(text("SELECT name, value, note FROM record_fact")).one()) == (
            "colour",
            "green",
            None,
        )


def test_a_database_filled_at_the_first_step_keeps_its_chain_through_all_later_ones(
    empty_database: EmptyDatabase,
) -> None:
    database = Database(empty_database.engine, migrations=MIGRATIONS[:1])
    store, key = SqlEpisodeStore(database), RecordKey(bytes(32))
    for words in ("one", "two"):
        new = new_episode(AnswerBody(text=words), learner_id="ana", subject_id="maths", dialogue_id="d1", turn=0)
        EpisodeLog(store, key).append(new)
    assert migrate(database.write) == len(MIGRATIONS) - 1
    assert [episode.summary for episode in EpisodeLog(store, key).list("ana")] == ["one", "two"]
    assert verify(store, key).intact


def test_a_migration_that_fails_leaves_nothing_behind(database: Database) -> None:
    before = _tables(database)

    def fail(connection: Connection) -> None:
        connection.execute(text("CREATE TABLE half_done (n INTEGER)"))
        connection.execute(text("INSERT INTO half_done (n) VALUES (1)"))
        connection.execute(text("SELECT no_such_column FROM half_done"))

    fail.__name__ = f"m{len(MIGRATIONS) + 1:03d}_fail"
    with pytest.raises(MigrationError, match=f"m{len(MIGRATIONS) + 1:03d}_fail failed and was rolled back"):
        migrate(database.write, [*MIGRATIONS, fail])
    assert _tables(database) == before
    assert migrate(database.write) == 0


def test_a_database_newer_than_the_program_is_refused(database: Database) -> None:
    with database.write() as connection:
        connection.execute(text("INSERT INTO schema_migration (number, name) VALUES (99, 'm099_from_the_future')"))
    with pytest.raises(MigrationError, match=f"schema 99, this program knows {len(MIGRATIONS)}"):
        Database(database.engine)


def test_a_migration_out_of_order_is_refused(database: Database) -> None:
    def m099_too_early(connection: Connection) -> None:
        connection.execute(text("CREATE TABLE too_early (n INTEGER)"))

    with pytest.raises(MigrationError, match=f"expected m{len(MIGRATIONS) + 1:03d}_"):
        migrate(database.write, [*MIGRATIONS, m099_too_early])
    assert "too_early" not in _tables(database)
