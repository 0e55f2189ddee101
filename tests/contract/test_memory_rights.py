"""A learner's rights on both databases: nothing foreign on any path, all of it shown, any of it forgotten."""

from __future__ import annotations

import inspect
import json
import random
import uuid
from collections.abc import Iterator
from datetime import timedelta

import pytest
from sqlalchemy import create_engine, select, text
from sqlalchemy.engine import make_url
from tests.contract.conftest import EmptyDatabase
from tests.contract.memory_world import ANA, BEN, START, World

from preceptor.domain.scope import Scope
from preceptor.errors import NotFoundError
from preceptor.memory.export import export_learner
from preceptor.memory.forgetting import erase_with_memory
from preceptor.memory.recall import Recall
from preceptor.memory.report import report
from preceptor.record.erasure_scope import ErasureScope
from preceptor.record.kinds import AnswerBody, new_episode
from preceptor.record.verification import verify
from preceptor.settings import MemorySettings
from preceptor.stores.beliefs import BeliefStore
from preceptor.stores.memory import MemoryStore
from preceptor.stores.nights import NightStore
from preceptor.stores.sql.database import Database
from preceptor.stores.sql.dialects import open_postgresql
from preceptor.stores.sql.episodes import SqlEpisodeStore
from preceptor.stores.sql.learner_rows import KEPT, learner_tables
from preceptor.stores.sql.memory import SqlMemoryStore
from preceptor.stores.sql.tables import METADATA

TOPICS = ("percent", "ratio", "average", "speed")
SCOPES = tuple(
    Scope(learner_id=learner, subject_id=subject) for learner in ("ana", "ben") for subject in ("maths", "m")
)


@pytest.fixture
def world(database: Database) -> World:
    return World(database)


def live(world: World, seed: int, days: int = 4) -> None:
    """Let every scope live some days: words, checks, denials and nights, in a random order."""
    source = random.Random(seed)
    for _ in range(days):
        for _ in range(12):
            scope = source.choice(SCOPES)
            mark = f"only{scope.learner_id}{scope.subject_id}"
            if source.random() < 0.5:
                world.say(
                    f"{mark} {source.choice(TOPICS)}", scope, dialogue_id=f"d{scope.learner_id}{scope.subject_id}"
                )
            else:
                concept = world.concept(source.choice(TOPICS)) if scope.subject_id == "maths" else mark
                world.quiz("", source.random() < 0.7, scope, item=mark, concept_ids=(concept,))
        for scope in SCOPES:
            world.beliefs.catch_up(scope)
            held = world.beliefs.current(scope)
            if held and source.random() < 0.3:
                world.beliefs.deny(
                    scope, source.choice(held).belief_id, note=f"only{scope.learner_id}{scope.subject_id}"
                )
        world.pass_time(days=1)
        world.nightly.run()


def owners(world: World) -> dict[str, Scope]:
    return {
        one.episode_id: Scope(learner_id=one.learner_id, subject_id=one.subject_id)
        for one in world.record.log.walk(None)
    }


def ids_of(value: object) -> set[str]:
    """Return every string inside a JSON-like value: ids among them."""
    if isinstance(value, str):
        return {value}
    if isinstance(value, dict):
        return set().union(*(ids_of(part) for part in value.values()))
    if isinstance(value, list | tuple):
        return set().union(*(ids_of(part) for part in value))
    return set()


def paths(world: World, scope: Scope) -> Iterator[tuple[str, set[str], str]]:
    """Yield (path, strings it gave, all its words) of everything that lists or recalls something of a scope."""
    recall = Recall(SqlEpisodeStore(world.database), SqlMemoryStore(world.database), None, MemorySettings())
    for query in ("", "percent ratio average", "onlyben onlybenmaths onlyanam", "what did I get wrong"):
        found = recall.recall(scope, query, now=world.clock(), time_zone="UTC", language="en", limit=50)
        words = " ".join(one.episode.summary or "" for one in found.episodes)
        yield f"recall {query!r}", {one.episode.episode_id for one in found.episodes}, words
    beliefs = world.beliefs
    rows = beliefs.rows(scope)
    yield "rows", {one for row in rows for one in (row.belief_id, *row.evidence_ids)}, str(rows)
    yield "current", {one for row in beliefs.shown(scope) for one in row.evidence_ids}, str(beliefs.current(scope))
    as_of = beliefs.as_of(scope, world.clock())
    yield "as_of", {one for row in as_of for one in row.evidence_ids}, str(as_of)
    for row in rows:
        chain = beliefs.chain(scope, row.belief_id)
        yield "chain", {one for link in chain for one in link.evidence_ids}, str(chain)
    cited = world.record.nights.to_verify(scope, limit=10_000)
    yield "to_verify", {one.episode_id for one in cited}, ""
    model = world.record.nights.self_model(scope)
    yield "self_model", ids_of(model), json.dumps(model)
    made = report(world.memory, scope)
    yield "report", ids_of(made), json.dumps(made)
    for note in world.record.log.list(scope.learner_id, subject_id=scope.subject_id, kinds=("consolidation",)):
        yield "consolidation", ids_of(note.body), json.dumps(note.body)


@pytest.mark.parametrize(
    "seed", [0, pytest.param(1, marks=pytest.mark.prove), pytest.param(2, marks=pytest.mark.prove)]
)
def test_no_path_ever_gives_anything_of_another_scope(world: World, seed: int) -> None:
    live(world, seed)
    owner = owners(world)
    foreign_beliefs = {row.belief_id: one for one in SCOPES for row in world.beliefs.rows(one)}
    seen = 0
    for scope in SCOPES:
        others = [f"only{one.learner_id}{one.subject_id}" for one in SCOPES if one != scope]
        for path, strings, words in paths(world, scope):
            for one in strings & owner.keys():
                assert owner[one] == scope, path
                seen += 1
            for one in strings & foreign_beliefs.keys():
                assert foreign_beliefs[one] == scope, path
            assert not any(f"{other} " in f"{words} " or f'{other}"' in words for other in others), path
        for belief_id, owning in foreign_beliefs.items():
            if owning != scope:
                with pytest.raises(NotFoundError):
                    world.beliefs.chain(scope, belief_id)
                with pytest.raises(NotFoundError):
                    world.beliefs.deny(scope, belief_id)
    assert seen > 100


def test_an_export_holds_everything_of_one_learner_and_nothing_of_another(world: World) -> None:
    live(world, 1)
    lines = list(export_learner(world.record, "ana"))
    owner = owners(world)
    assert {line["learner_id"] for line in lines} == {"ana"}
    exported = {str(line["episode_id"]) for line in lines if line["about"] == "episode"}
    assert exported == {one for one, scope in owner.items() if scope.learner_id == "ana"}
    assert "onlyben" not in json.dumps(lines)
    mine = [
        row.belief_id
        for subject in ("maths", "m")
        for row in world.beliefs.rows(Scope(learner_id="ana", subject_id=subject))
    ]
    assert [line["belief_id"] for line in lines if line["about"] == "belief"] != []
    assert {line["belief_id"] for line in lines if line["about"] == "belief"} == set(mine)


def test_every_table_that_names_a_learner_is_exported_and_emptied(world: World) -> None:
    named = {name for name, table in METADATA.tables.items() if "learner_id" in table.columns}
    assert {table.name for table in learner_tables()} == named
    assert {"belief", "memory_entry", "turn_draft", "consent", "course_unanswered", "memory_self_model"} <= named
    live(world, 2)
    before = len(list(export_learner(world.record, "ben")))
    erase_with_memory(world.memory, "ana", ErasureScope(whole_learner=True))
    with world.database.read() as connection:
        for table in learner_tables():
            left = connection.execute(select(table).where(table.c.learner_id == "ana")).all()
            assert bool(left) == (table.name in KEPT - {"access_log"}), table.name
    assert all(one.body is None for one in world.record.log.walk("ana") if one.kind != "erasure")
    assert len(list(export_learner(world.record, "ben"))) == before
    assert verify(world.record.episodes, world.record._key).intact
    world.nightly.run()
    assert world.beliefs.rows(ANA) == ()


def test_a_forgotten_episode_takes_note_belief_and_entry_with_it_and_the_rest_is_made_again(world: World) -> None:
    secret = world.quiz("percent", True, item="my cat Zibbelmann ate 5 percent of what?")
    kept = world.quiz("percent", True, item="What is 20 percent of 50?")
    world.pass_time(days=1)
    world.nightly.run()
    recall = Recall(world.record.episodes, world.record.memory, None, world.settings)
    asked = recall.recall(ANA, "Zibbelmann", now=world.clock(), time_zone="UTC", language="en")
    assert secret.episode_id in {one.episode.episode_id for one in asked.episodes}
    done = erase_with_memory(world.memory, "ana", ErasureScope(episode_ids=(secret.episode_id,)))
    assert done.episodes == 2  # the note of its day is one
    assert "Zibbelmann" not in json.dumps(list(export_learner(world.record, "ana")))
    assert world.beliefs.shown(ANA)[0].evidence_ids == (kept.episode_id,)
    notes = [one.body for one in world.record.log.list("ana", kinds=("consolidation",)) if one.body is not None]
    assert [note["counts"] for note in notes] == [{"quiz": 1}]
    asked = recall.recall(ANA, "Zibbelmann", now=world.clock(), time_zone="UTC", language="en")
    assert secret.episode_id not in {one.episode.episode_id for one in asked.episodes}


def test_a_forgotten_dialogue_leaves_no_headline_behind(world: World) -> None:
    world.say("my cat is Zibbelmann", dialogue_id="pets")
    world.say("seven", dialogue_id="sums")
    world.pass_time(days=1)
    world.nightly.run()
    erase_with_memory(world.memory, "ana", ErasureScope(dialogue_id="pets"))
    assert "Zibbelmann" not in json.dumps(list(export_learner(world.record, "ana")))
    notes = [one.body for one in world.record.log.list("ana", kinds=("consolidation",)) if one.body is not None]
    assert [note["headlines"] for note in notes] == [["seven"]]


@pytest.mark.parametrize("store", [MemoryStore, BeliefStore, NightStore])
def test_every_path_of_a_store_needs_a_scope(store: type) -> None:
    everyone = {"active_scopes", "fading_scopes"}  # the nightly loop's: they give scopes, never rows
    methods = [name for name in vars(store) if not name.startswith("_") and name not in everyone]
    assert methods
    for name in methods:
        parameters = list(inspect.signature(getattr(store, name)).parameters.values())
        assert parameters[1].name == "scope", name
        assert parameters[1].default is inspect.Parameter.empty, name


@pytest.mark.parametrize("empty_database", [pytest.param("postgresql", marks=pytest.mark.postgres)], indirect=True)
def test_a_transaction_that_names_its_learner_sees_and_writes_nobody_else_s_rows(empty_database: EmptyDatabase) -> None:
    world = World(Database(empty_database.engine))
    live(world, 5, days=2)
    plain = _as_plain_role(empty_database)
    try:
        guarded = {
            table.name for table in learner_tables() if table.name not in {"consent", "course_unanswered", "access_log"}
        } | {"payload", "episode_words"}
        for name in sorted(guarded):
            statement = text(f"SELECT COUNT(*) FROM {name}")
            with plain.read() as connection:
                everyone = connection.execute(statement).scalar_one()
            counts = []
            for learner_id in ("ana", "ben", "nobody"):
                with plain.read(learner_id) as connection:
                    counts.append(connection.execute(statement).scalar_one())
            assert counts[2] == 0, name
            assert counts[0] + counts[1] == everyone, name
        with plain.write("ben") as connection:
            assert connection.execute(text("DELETE FROM belief WHERE learner_id = 'ana'")).rowcount == 0
        as_ben = World(plain, clock=world.clock)
        assert as_ben.beliefs.rows(ANA) == world.beliefs.rows(ANA)
        assert as_ben.record.log.append(
            new_episode(AnswerBody(text="hello"), learner_id="ana", subject_id="maths")
        ).episode_id
        as_ben.pass_time(days=1)
        assert as_ben.nightly.run()
    finally:
        plain.close()


def _as_plain_role(made: EmptyDatabase) -> Database:
    """Return the same database opened by a role without special rights: policies bind it, not a superuser."""
    assert made.url is not None
    address = make_url(made.url)
    role = f"learner_{uuid.uuid4().hex}"
    schema = str(address.query["options"]).split("=", 1)[1]
    admin = create_engine(address.set(drivername="postgresql+psycopg"), isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        for statement in (
            f"CREATE ROLE {role} LOGIN PASSWORD 'plain' NOSUPERUSER",
            f"GRANT ALL ON SCHEMA {schema} TO {role}",
            f"GRANT ALL ON ALL TABLES IN SCHEMA {schema} TO {role}",
            f"GRANT ALL ON ALL SEQUENCES IN SCHEMA {schema} TO {role}",
        ):
            connection.execute(text(statement))
    admin.dispose()
    url = address.set(username=role, password="plain").render_as_string(hide_password=False)
    return Database(open_postgresql(url))


def test_the_foreign_test_itself_would_notice_a_leak(world: World) -> None:
    live(world, 3)
    ours = {one for one, scope in owners(world).items() if scope == ANA}
    theirs = {one for one, scope in owners(world).items() if scope == BEN}
    found = {one for _, strings, _ in paths(world, BEN) for one in strings}
    assert found & theirs
    assert not found & ours
    assert START + timedelta(days=4) == world.clock()
