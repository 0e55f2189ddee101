"""The episode log's tables on either database."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from typing import Any, TypeVar

from sqlalchemy import Connection, Row, Select, delete, func, insert, select, text, tuple_, union
from sqlalchemy.sql.elements import ColumnElement

from preceptor.domain.episode import Episode, Evidence
from preceptor.errors import StoreError
from preceptor.stores.instants import instant_from, instant_text
from preceptor.stores.protocols import (
    ChainHead,
    ChainKey,
    ChainReading,
    DialogueSpan,
    EpisodeQuery,
    Links,
    SealedEpisode,
)
from preceptor.stores.sql.database import Database
from preceptor.stores.sql.derived import forget_derived
from preceptor.stores.sql.dialects import add_words, as_json, find_words, forget_deleted, read_json, remove_words
from preceptor.stores.sql.tables import CHAIN_HEAD, EPISODE, PAYLOAD, RECORD_FACT, TURN_DRAFT

_SCRUB_OWED = "scrub_owed"
_BATCH = 500
"""Ids in one statement, below SQLite's and PostgreSQL's limits on parameters."""

_Item = TypeVar("_Item")
Link = Callable[[Mapping[ChainKey, ChainHead]], Links]


class SqlEpisodeStore:
    """`EpisodeStore` on SQLite and PostgreSQL."""

    def __init__(self, database: Database) -> None:
        """Keep the database; nothing is read yet."""
        self._database = database

    def append(self, chains: Iterable[ChainKey], link: Link) -> Links:
        """See `EpisodeStore.append`."""
        with self._database.write() as connection:
            return _append(connection, chains, link)

    def find(self, query: EpisodeQuery) -> list[SealedEpisode]:
        """See `EpisodeStore.find`."""
        with self._database.read(query.learner_id) as connection:
            if query.episode_ids is None:
                return [_sealed(row) for row in connection.execute(_query(query))]
            found = []
            for ids in _batches(query.episode_ids):
                found += list(connection.execute(_query(query).where(EPISODE.c.episode_id.in_(ids))))
            found.sort(key=lambda row: int(row.position), reverse=query.newest_first)
            return [_sealed(row) for row in found[: query.limit]]

    @contextmanager
    def open_chain(self, chain: ChainKey) -> Iterator[ChainReading]:
        """See `EpisodeStore.open_chain`."""
        learner_id, subject_id = chain
        chosen = _with_payload().where(EPISODE.c.learner_id == learner_id, EPISODE.c.subject_id == subject_id)
        head = select(CHAIN_HEAD).where(CHAIN_HEAD.c.learner_id == learner_id, CHAIN_HEAD.c.subject_id == subject_id)
        with self._database.read(learner_id) as connection:
            row = connection.execute(head).first()
            found = None if row is None else ChainHead(**row._mapping)
            ordered = chosen.order_by(EPISODE.c.sequence, EPISODE.c.position)
            with closing(_stream(connection, ordered)) as links:
                yield ChainReading(head=found, links=links)

    def walk_all(self, learner_id: str | None) -> Iterator[SealedEpisode]:
        """See `EpisodeStore.walk_all`."""
        chosen = _with_payload()
        if learner_id is not None:
            chosen = chosen.where(EPISODE.c.learner_id == learner_id)
        with self._database.read(learner_id) as connection:
            yield from _stream(connection, chosen.order_by(EPISODE.c.position))

    def heads(self, learner_id: str | None) -> list[ChainHead]:
        """See `EpisodeStore.heads`."""
        chosen = select(CHAIN_HEAD).order_by(CHAIN_HEAD.c.learner_id, CHAIN_HEAD.c.subject_id)
        if learner_id is not None:
            chosen = chosen.where(CHAIN_HEAD.c.learner_id == learner_id)
        with self._database.read(learner_id) as connection:
            return [ChainHead(**row._mapping) for row in connection.execute(chosen)]

    def chains(self) -> list[ChainKey]:
        """See `EpisodeStore.chains`."""
        both = union(
            select(CHAIN_HEAD.c.learner_id, CHAIN_HEAD.c.subject_id), select(EPISODE.c.learner_id, EPISODE.c.subject_id)
        )
        with self._database.read() as connection:
            return sorted((row[0], row[1]) for row in connection.execute(both))

    def dialogues(self, learner_id: str, *, limit: int) -> list[DialogueSpan]:
        """See `EpisodeStore.dialogues`."""
        chosen = (
            select(
                EPISODE.c.dialogue_id,
                func.min(EPISODE.c.subject_id).label("subject_id"),
                func.min(EPISODE.c.recorded_at).label("started_at"),
                func.max(EPISODE.c.recorded_at).label("last_activity_at"),
                func.max(EPISODE.c.turn).label("last_turn"),
            )
            .where(EPISODE.c.learner_id == learner_id, EPISODE.c.dialogue_id.is_not(None))
            .group_by(EPISODE.c.dialogue_id)
            .order_by(func.max(EPISODE.c.position).desc())
            .limit(limit)
        )
        with self._database.read(learner_id) as connection:
            return [
                DialogueSpan(
                    dialogue_id=row.dialogue_id,
                    subject_id=row.subject_id,
                    started_at=instant_from(row.started_at),
                    last_activity_at=instant_from(row.last_activity_at),
                    last_turn=row.last_turn,
                )
                for row in connection.execute(chosen)
            ]

    def latest_of_kind(self, kind: str, *, limit: int) -> list[SealedEpisode]:
        """See `EpisodeStore.latest_of_kind`."""
        chosen = _with_payload().where(EPISODE.c.kind == kind).order_by(EPISODE.c.position.desc()).limit(limit)
        with self._database.read() as connection:
            return [_sealed(row) for row in connection.execute(chosen)]

    def search(self, learner_id: str, words: Sequence[str], *, limit: int) -> list[str]:
        """See `EpisodeStore.search`."""
        with self._database.read(learner_id) as connection:
            positions = find_words(connection, _scope(learner_id), words, limit)
            chosen = select(EPISODE.c.position, EPISODE.c.episode_id).where(EPISODE.c.position.in_(positions))
            ids = {row.position: str(row.episode_id) for row in connection.execute(chosen)}
            return [ids[position] for position in positions]

    def erase(
        self,
        chains: Iterable[ChainKey],
        episode_ids: Sequence[str],
        link: Link,
        *,
        learner_id: str,
        dialogue_ids: Sequence[str],
    ) -> Links:
        """See `EpisodeStore.erase`."""
        with self._database.write() as connection:
            for ids in _batches(episode_ids):
                own = select(EPISODE.c.episode_id, EPISODE.c.position).where(
                    EPISODE.c.learner_id == learner_id, EPISODE.c.episode_id.in_(ids)
                )
                rows = connection.execute(own).all()
                connection.execute(delete(PAYLOAD).where(PAYLOAD.c.episode_id.in_([row.episode_id for row in rows])))
                remove_words(connection, [row.position for row in rows])
            forget_derived(connection, learner_id, episode_ids)
            for ids in _batches(dialogue_ids):
                connection.execute(
                    delete(TURN_DRAFT).where(TURN_DRAFT.c.learner_id == learner_id, TURN_DRAFT.c.dialogue_id.in_(ids))
                )
            _set_fact(connection, _SCRUB_OWED, "1")
            return _append(connection, chains, link)

    def scrub(self) -> bool:
        """See `EpisodeStore.scrub`."""
        with self._database.maintain() as connection:
            done = forget_deleted(connection)
        if done:
            with self._database.write() as connection:
                connection.execute(delete(RECORD_FACT).where(RECORD_FACT.c.name == _SCRUB_OWED))
        return done

    def scrub_is_owed(self) -> bool:
        """See `EpisodeStore.scrub_is_owed`."""
        return self.fact(_SCRUB_OWED) is not None

    def fact(self, name: str) -> str | None:
        """Return a named fact about this record, such as the key's fingerprint; `None` if not set."""
        with self._database.read() as connection:
            value = connection.execute(select(RECORD_FACT.c.value).where(RECORD_FACT.c.name == name)).scalar()
            return None if value is None else str(value)

    def set_fact(self, name: str, value: str) -> None:
        """Store or replace a named fact about this record."""
        with self._database.write() as connection:
            _set_fact(connection, name, value)


def _append(connection: Connection, chains: Iterable[ChainKey], link: Link) -> Links:
    links = link(_locked_heads(connection, chains))
    if not links.episodes:
        return links
    connection.execute(insert(EPISODE), [_row(sealed.envelope) for sealed in links.episodes])
    payloads = [
        {"episode_id": sealed.envelope.episode_id, "nonce": sealed.nonce, "content": sealed.payload}
        for sealed in links.episodes
        if sealed.payload is not None
    ]
    if payloads:
        connection.execute(insert(PAYLOAD), payloads)
    _index(connection, links.episodes)
    if links.settled_turns:
        names = ("learner_id", "dialogue_id", "turn")
        connection.execute(_DROP_DRAFT, [dict(zip(names, turn, strict=True)) for turn in links.settled_turns])
    changed = connection.execute(_MOVE_HEAD, [dict(vars(head)) for head in links.heads])
    if changed.rowcount != len(links.heads):
        raise StoreError(f"{len(links.heads) - changed.rowcount} chain heads vanished during an append")
    return links


_DROP_DRAFT = text(
    "DELETE FROM turn_draft WHERE learner_id = :learner_id AND dialogue_id = :dialogue_id AND turn = :turn"
)
_MOVE_HEAD = text(
    "UPDATE chain_head SET sequence = :sequence, chain_hash = :chain_hash, seal = :seal "
    "WHERE learner_id = :learner_id AND subject_id = :subject_id"
)
_FIRST_HEAD = text(
    "INSERT INTO chain_head (learner_id, subject_id, sequence, chain_hash, seal) "
    "VALUES (:learner_id, :subject_id, 0, '', '') ON CONFLICT DO NOTHING"
)
"""The row is also the lock that two first appends compete for."""


def _locked_heads(connection: Connection, chains: Iterable[ChainKey]) -> dict[ChainKey, ChainHead]:
    """Return the heads, locked until the transaction ends; in one order, so that no two appends block each other."""
    heads: dict[ChainKey, ChainHead] = {}
    for keys in _batches(sorted(set(chains))):
        rows = _lock_rows(connection, keys)
        missing = sorted(set(keys) - rows.keys())
        if missing:
            connection.execute(
                _FIRST_HEAD,
                [{"learner_id": learner_id, "subject_id": subject_id} for learner_id, subject_id in missing],
            )
            rows |= _lock_rows(connection, missing)
        heads |= {key: head for key, head in rows.items() if head.sequence}
    return heads


def _lock_rows(connection: Connection, keys: Sequence[ChainKey]) -> dict[ChainKey, ChainHead]:
    both = tuple_(CHAIN_HEAD.c.learner_id, CHAIN_HEAD.c.subject_id)
    chosen = select(CHAIN_HEAD).where(both.in_(keys)).order_by(CHAIN_HEAD.c.learner_id, CHAIN_HEAD.c.subject_id)
    return {
        (row.learner_id, row.subject_id): ChainHead(**row._mapping)
        for row in connection.execute(chosen.with_for_update())
    }


def _index(connection: Connection, episodes: Sequence[SealedEpisode]) -> None:
    worded = {sealed.envelope.episode_id: sealed for sealed in episodes if sealed.search_words}
    rows: list[tuple[int, str, tuple[str, ...]]] = []
    for ids in _batches(list(worded)):
        chosen = select(EPISODE.c.position, EPISODE.c.episode_id).where(EPISODE.c.episode_id.in_(ids))
        for row in connection.execute(chosen):
            sealed = worded[row.episode_id]
            rows.append((row.position, _scope(sealed.envelope.learner_id), sealed.search_words))
    add_words(connection, rows)


def _scope(learner_id: str) -> str:
    """Return one token that stands for a learner in the word index, whatever characters the id has."""
    return "l" + hashlib.sha256(learner_id.encode()).hexdigest()[:32]


def _set_fact(connection: Connection, name: str, value: str) -> None:
    connection.execute(delete(RECORD_FACT).where(RECORD_FACT.c.name == name))
    connection.execute(insert(RECORD_FACT).values(name=name, value=value))


def _batches(items: Sequence[_Item]) -> Iterator[Sequence[_Item]]:
    for start in range(0, len(items), _BATCH):
        yield items[start : start + _BATCH]


def _stream(connection: Connection, statement: Select[Any]) -> Generator[SealedEpisode, None, None]:
    with connection.execute(statement, execution_options={"yield_per": 1000}) as rows:
        for row in rows:
            try:
                sealed = _sealed(row)
            except (ValueError, TypeError) as error:
                raise StoreError(f"episode row {row.position} cannot be read: it was changed from outside") from error
            yield sealed


def _with_payload() -> Select[Any]:
    joined = EPISODE.outerjoin(PAYLOAD, EPISODE.c.episode_id == PAYLOAD.c.episode_id)
    return select(EPISODE, PAYLOAD.c.nonce, PAYLOAD.c.content).select_from(joined)


def _query(query: EpisodeQuery) -> Select[Any]:
    learner: ColumnElement[str] = EPISODE.c.learner_id
    subject: ColumnElement[str] = EPISODE.c.subject_id
    if query.episode_ids is not None:  # else SQLite reads the learner's whole chain instead of looking the ids up
        learner, subject = learner.concat(""), subject.concat("")
    chosen = _with_payload().where(learner == query.learner_id)
    if query.subject_id is not None:
        chosen = chosen.where(subject == query.subject_id)
    if query.dialogue_id is not None:
        chosen = chosen.where(EPISODE.c.dialogue_id == query.dialogue_id)
    if query.turn is not None:
        chosen = chosen.where(EPISODE.c.turn == query.turn)
    if query.kinds is not None:
        chosen = chosen.where(EPISODE.c.kind.in_(query.kinds))
    if query.after_sequence is not None:
        chosen = chosen.where(EPISODE.c.sequence > query.after_sequence)
    chosen = chosen.order_by(EPISODE.c.position.desc() if query.newest_first else EPISODE.c.position)
    return chosen.limit(query.limit)


def _row(envelope: Episode) -> dict[str, object]:
    return {
        "episode_id": envelope.episode_id,
        "learner_id": envelope.learner_id,
        "subject_id": envelope.subject_id,
        "sequence": envelope.sequence,
        "kind": envelope.kind,
        "kind_version": envelope.kind_version,
        "actor": envelope.actor,
        "provenance": envelope.provenance,
        "language": envelope.language,
        "time_zone": envelope.time_zone,
        "occurred_at": instant_text(envelope.occurred_at),
        "recorded_at": instant_text(envelope.recorded_at),
        "dialogue_id": envelope.dialogue_id,
        "turn": envelope.turn,
        "parent_id": envelope.parent_id,
        "salience": envelope.salience,
        "concept_ids": as_json(list(envelope.concept_ids)),
        "evidence": as_json([[item.document_id, item.page, item.fingerprint] for item in envelope.evidence]),
        "commitment": envelope.commitment,
        "previous_hash": envelope.previous_hash,
        "chain_hash": envelope.chain_hash,
    }


def _sealed(row: Row[Any]) -> SealedEpisode:
    # By position, in the order of `tables.EPISODE`: by name it takes twice as long, and verification reads every row.
    (
        _position,
        episode_id,
        learner_id,
        subject_id,
        sequence,
        kind,
        kind_version,
        actor,
        provenance,
        language,
        time_zone,
        occurred_at,
        recorded_at,
        dialogue_id,
        turn,
        parent_id,
        salience,
        concept_ids,
        evidence,
        commitment,
        previous_hash,
        chain_hash,
        nonce,
        content,
    ) = tuple(row)
    envelope = Episode(
        episode_id=episode_id,
        learner_id=learner_id,
        subject_id=subject_id,
        sequence=sequence,
        kind=kind,
        kind_version=kind_version,
        actor=actor,
        provenance=provenance,
        language=language,
        time_zone=time_zone,
        occurred_at=instant_from(occurred_at),
        recorded_at=instant_from(recorded_at),
        dialogue_id=dialogue_id,
        turn=turn,
        parent_id=parent_id,
        salience=salience,
        concept_ids=() if concept_ids == "[]" else tuple(read_json(concept_ids)),
        evidence=() if evidence == "[]" else _evidence(evidence),
        commitment=commitment,
        previous_hash=previous_hash,
        chain_hash=chain_hash,
    )
    return SealedEpisode(envelope=envelope, nonce=None if nonce is None else bytes(nonce), payload=content)


def _evidence(text: str) -> tuple[Evidence, ...]:
    return tuple(
        Evidence(document_id=document_id, page=page, fingerprint=fingerprint)
        for document_id, page, fingerprint in read_json(text)
    )
