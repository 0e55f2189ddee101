"""Ten thousand changed logs: is each found, and at the link where it was changed?

One chain is written by the product, then its rows are changed behind the product's back, in every way a row can be, and
the product verifies. Some changes leave a log that was true once: only a checkpoint kept elsewhere shows those.
"""

from __future__ import annotations

import random
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from preceptor.domain.episode import Evidence, NewEpisode
from preceptor.lab.memory_loading import KEY
from preceptor.record.episode_log import EpisodeLog
from preceptor.record.kinds import AnswerBody, new_episode
from preceptor.record.record import Record
from preceptor.record.record_key import RecordKey
from preceptor.record.verification import verify
from preceptor.stores.protocols import ChainHead
from preceptor.stores.sql.database import open_database

LINKS = 20
"""Links of the chain. (chosen: what is found at a link does not depend on how many follow)"""
_CHAIN = ("learner", "subject")
_FORGER = RecordKey(b"whoever rewrites has another key")
_TABLES = ("episode", "payload", "chain_head")
_Row = dict[str, Any]
_TEXT_FIELDS = (
    "kind", "actor", "provenance", "language", "time_zone", "occurred_at", "recorded_at", "dialogue_id", "parent_id",
    "concept_ids", "evidence", "commitment", "previous_hash", "chain_hash",
)  # fmt: skip


@dataclass(frozen=True)
class _State:
    """The rows of a log."""

    episode: tuple[_Row, ...]
    payload: tuple[_Row, ...]
    chain_head: tuple[_Row, ...]


@dataclass(frozen=True, kw_only=True)
class _Change:
    state: _State
    link: int
    """Where it must show."""
    needs_checkpoint: bool = False


@dataclass(frozen=True, kw_only=True)
class TamperingResult:
    """All changes of one way."""

    way: str
    n: int
    at_the_link: int
    """Found where they were made."""
    elsewhere: int
    unseen: int
    needs_checkpoint: bool
    """Without a checkpoint none of them is seen: the log was true once."""
    unseen_without: int
    """How many are not seen without the checkpoint."""
    example: str = ""
    """Of one that was not found at its link."""


def tamper(*, seed: int, count: int) -> tuple[TamperingResult, ...]:
    """Change the log so many times and verify each; results by way.

    Args:
        seed: Of links, fields and values.
        count: In all; ways take turns.
    """
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="preceptor-lab-") as folder:
        database = open_database(home=Path(folder), url=None)
        with (
            Record(database, KEY, lambda: datetime(2026, 5, 4, tzinfo=UTC)) as record,
            closing(sqlite3.connect(Path(folder) / "preceptor.sqlite3")) as rows,
        ):
            rows.row_factory = sqlite3.Row
            rows.execute("PRAGMA synchronous=OFF")
            rows.execute("PRAGMA foreign_keys=OFF")
            bench = _Bench(record, rows, rng)
            tallies: dict[str, Counter[str]] = {}
            examples: dict[str, str] = {}
            ways = tuple(_WAYS.items())
            for number in range(count):
                way, make = ways[number % len(ways)]
                change = make(bench)
                outcome, got = bench.outcome(change)
                tally = tallies.setdefault(way, Counter())
                tally[outcome] += 1
                tally["n"] += 1
                tally["needs"] |= change.needs_checkpoint
                if change.needs_checkpoint:
                    tally["unseen_without"] += bench.seen(change.state, ()) is None
                if outcome != "at":
                    examples.setdefault(way, f"changed at link {change.link}, found: {got}")
    return tuple(
        TamperingResult(
            way=way,
            n=tally["n"],
            at_the_link=tally["at"],
            elsewhere=tally["elsewhere"],
            unseen=tally["unseen"],
            needs_checkpoint=bool(tally["needs"]),
            unseen_without=tally["unseen_without"],
            example=examples.get(way, ""),
        )
        for way, tally in tallies.items()
    )


class _Bench:
    """One chain, its earlier states and two that were never true."""

    def __init__(self, record: Record, rows: sqlite3.Connection, rng: random.Random) -> None:
        self.rng = rng
        self._record = record
        self._rows = rows
        log = EpisodeLog(record.episodes, KEY, record.clock)
        self.earlier: list[_State] = [self._read()]
        for number in range(LINKS):
            log.append(_episode(number, "as it was"))
            self.earlier.append(self._read())
        self.genuine = self.earlier[-1]
        self.anchor = tuple(record.episodes.heads(None))
        self.forged = [self._continued(at, _FORGER, LINKS - at) for at in range(LINKS)]
        self.branched = [self._continued(at, KEY, LINKS + 1 - at) for at in range(0, LINKS, 3)]

    def link(self, first: int = 1, last: int = LINKS) -> int:
        """Return one of the links, from 1."""
        return self.rng.randint(first, last)

    def outcome(self, change: _Change) -> tuple[str, str]:
        """Write a change, verify it, and say whether it was found at its link."""
        found = self.seen(change.state, self.anchor if change.needs_checkpoint else ())
        if found is None:
            return "unseen", "nothing"
        return ("at" if found[0] == change.link else "elsewhere"), f"{found[1]} at {found[0]}"

    def seen(self, state: _State, anchor: Sequence[ChainHead]) -> tuple[int, str] | None:
        """Return (link, kind of break) of the chain; `None`: it verifies."""
        self._write(state)
        verified = verify(self._record.episodes, KEY, anchor)
        for found in verified.breaks:
            if (found.learner_id, found.subject_id) == _CHAIN:
                return found.sequence, found.kind
        return None

    def _continued(self, at: int, key: RecordKey, count: int) -> _State:
        """Return the log rolled back to a link and gone on from there, by whoever has this key."""
        self._write(self.earlier[at])
        with self._rows:
            self._rows.execute("DELETE FROM episode_words")
        log = EpisodeLog(self._record.episodes, key, self._record.clock)
        for number in range(count):
            log.append(_episode(at + number, "told otherwise"))
        return self._read()

    def _read(self) -> _State:
        return _State(*(tuple(dict(row) for row in self._rows.execute(f"SELECT * FROM {name}")) for name in _TABLES))

    def _write(self, state: _State) -> None:
        with self._rows:
            for name in _TABLES:
                self._rows.execute(f"DELETE FROM {name}")
                for row in getattr(state, name):
                    places = ", ".join(f":{column}" for column in row)
                    self._rows.execute(f"INSERT INTO {name} ({', '.join(row)}) VALUES ({places})", row)


def _episode(number: int, text: str) -> NewEpisode:
    at = datetime(2026, 5, 4, 8, tzinfo=UTC) + timedelta(minutes=number)
    return new_episode(
        AnswerBody(text=f"{text}, line {number}"),
        learner_id=_CHAIN[0],
        subject_id=_CHAIN[1],
        dialogue_id="d1",
        turn=number,
        occurred_at=at,
        concept_ids=("c1", "c2"),
        evidence=(Evidence(document_id="file", page=number + 1, fingerprint="f1"),),
    )


def _edited(state: _State, link: int, values: Mapping[str, object]) -> _State:
    rows = tuple({**row, **values} if row["sequence"] == link else row for row in state.episode)
    return replace(state, episode=rows)


def _id(state: _State, link: int) -> object:
    return next(row["episode_id"] for row in state.episode if row["sequence"] == link)


def _payload(state: _State, link: int, values: Mapping[str, object] | None) -> _State:
    wanted = _id(state, link)
    changed = [
        row if row["episode_id"] != wanted else None if values is None else {**row, **values} for row in state.payload
    ]
    return replace(state, payload=tuple(row for row in changed if row is not None))


def _text_field(bench: _Bench) -> _Change:
    link, name = bench.link(), bench.rng.choice(_TEXT_FIELDS)
    old = str(bench.genuine.episode[link - 1][name] or "")
    place = bench.rng.randrange(len(old) + 1)
    new = f"{old[:place]}{bench.rng.choice('0aZ ')}{old[place + bench.rng.randrange(2) :]}"
    return _Change(state=_edited(bench.genuine, link, {name: new if new != old else f"{old}x"}), link=link)


def _number_field(bench: _Bench) -> _Change:
    link = bench.link()
    values = bench.rng.choice(({"turn": 99}, {"salience": 0.99}, {"kind_version": 2}, {"salience": None}))
    old = bench.genuine.episode[link - 1]
    if all(old[name] == value for name, value in values.items()):
        values = {"turn": 98}
    return _Change(state=_edited(bench.genuine, link, values), link=link)


def _moved_away(bench: _Bench) -> _Change:
    link = bench.link()
    name = bench.rng.choice(("learner_id", "subject_id"))
    return _Change(state=_edited(bench.genuine, link, {name: "another"}), link=link)


def _text_edited(bench: _Bench) -> _Change:
    link = bench.link()
    old = next(row for row in bench.genuine.payload if row["episode_id"] == _id(bench.genuine, link))["content"]
    place = bench.rng.randrange(len(old))
    new = old[:place] + bench.rng.choice("xyz") + old[place:]
    return _Change(state=_payload(bench.genuine, link, {"content": new}), link=link)


def _nonce_edited(bench: _Bench) -> _Change:
    link = bench.link()
    return _Change(state=_payload(bench.genuine, link, {"nonce": bench.rng.randbytes(32)}), link=link)


def _text_deleted(bench: _Bench) -> _Change:
    link = bench.link()
    return _Change(state=_payload(bench.genuine, link, None), link=link)


def _texts_swapped(bench: _Bench) -> _Change:
    first = bench.link(1, LINKS - 1)
    second = bench.link(first + 1)
    ids = {_id(bench.genuine, first): _id(bench.genuine, second), _id(bench.genuine, second): _id(bench.genuine, first)}
    rows = tuple({**row, "episode_id": ids.get(row["episode_id"], row["episode_id"])} for row in bench.genuine.payload)
    return _Change(state=replace(bench.genuine, payload=rows), link=first)


def _deleted(bench: _Bench) -> _Change:
    first = bench.link()
    last = min(LINKS, first + bench.rng.randrange(3))
    rows = tuple(row for row in bench.genuine.episode if not first <= row["sequence"] <= last)
    return _Change(state=replace(bench.genuine, episode=rows), link=first)


def _places_swapped(bench: _Bench) -> _Change:
    first = bench.link(1, LINKS - 1)
    second = bench.link(first + 1)
    places = {first: second, second: first}
    rows = tuple({**row, "sequence": places.get(row["sequence"], row["sequence"])} for row in bench.genuine.episode)
    return _Change(state=replace(bench.genuine, episode=rows), link=first)


def _rewritten(bench: _Bench) -> _Change:
    at = bench.rng.randrange(LINKS)
    return _Change(state=bench.forged[at], link=at + 1)


def _rewritten_with_the_old_head(bench: _Bench) -> _Change:
    at = bench.rng.randrange(LINKS)
    return _Change(state=replace(bench.forged[at], chain_head=bench.genuine.chain_head), link=at + 1)


def _added(bench: _Bench) -> _Change:
    """A link of another key behind the last one; the head is left, since only the key can seal another."""
    extra = dict(bench.forged[bench.rng.randrange(LINKS)].episode[-1])
    extra |= {"sequence": LINKS + 1, "position": 10_000, "episode_id": f"added-{bench.rng.random()}"}
    return _Change(state=replace(bench.genuine, episode=(*bench.genuine.episode, extra)), link=LINKS + 1)


def _tail_cut(bench: _Bench) -> _Change:
    last = bench.link(0, LINKS - 1)
    return _Change(state=replace(bench.earlier[last], chain_head=bench.genuine.chain_head), link=last + 1)


def _head_deleted(bench: _Bench) -> _Change:
    return _Change(state=replace(bench.genuine, chain_head=()), link=LINKS)


def _head_edited(bench: _Bench) -> _Change:
    (head,) = bench.genuine.chain_head
    values = bench.rng.choice(
        (
            {"sequence": bench.link(1, LINKS - 1)},
            {"chain_hash": f"{bench.rng.randrange(2**256):064x}"},
            {"seal": "0" * 64},
        )
    )
    return _Change(state=replace(bench.genuine, chain_head=({**head, **values},)), link=LINKS)


def _rolled_back(bench: _Bench) -> _Change:
    last = bench.link(0, LINKS - 1)
    return _Change(state=bench.earlier[last], link=last + 1, needs_checkpoint=True)


def _gone_on_after_rolling_back(bench: _Bench) -> _Change:
    """The program itself went on from an old copy: only where the checkpoint saw another link can that show."""
    return _Change(state=bench.rng.choice(bench.branched), link=LINKS, needs_checkpoint=True)


_WAYS: Mapping[str, Callable[[_Bench], _Change]] = {
    "a field of text": _text_field,
    "a field of numbers": _number_field,
    "a link moved to another learner or subject": _moved_away,
    "a text edited": _text_edited,
    "a nonce edited": _nonce_edited,
    "a text deleted": _text_deleted,
    "two texts swapped": _texts_swapped,
    "links deleted": _deleted,
    "two links swapped": _places_swapped,
    "everything from a link on rewritten": _rewritten,
    "everything from a link on rewritten, the head left": _rewritten_with_the_old_head,
    "a link added": _added,
    "the end cut off": _tail_cut,
    "the head deleted": _head_deleted,
    "the head edited": _head_edited,
    "rolled back with its head": _rolled_back,
    "rolled back and gone on": _gone_on_after_rolling_back,
}
