"""The chain finds every change at the right link, whatever was written and whatever was changed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from preceptor.domain.episode import Evidence, NewEpisode
from preceptor.errors import ChainError, InputError
from preceptor.record.canonical import canonical_json, envelope_bytes
from preceptor.record.chain import link_maker, payload_text
from preceptor.record.checkpoint import make_checkpoint, read_checkpoint
from preceptor.record.record_key import RecordKey
from preceptor.record.verification import Break, Verification, verify
from preceptor.stores.protocols import ChainHead, ChainKey, ChainReading, EpisodeStore, Links, SealedEpisode

unhurried = settings(deadline=None)
"""The machine may be busy."""
KEY = RecordKey(bytes(range(32)))
OTHER_KEY = RecordKey(bytes(32))
NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
CHAIN = ("ana", "maths")


@dataclass
class ListedChains:
    """An episode store that is a list, so that a test can change it as an attacker would."""

    links: list[SealedEpisode] = field(default_factory=list)
    heads_by_chain: dict[ChainKey, ChainHead] = field(default_factory=dict)

    def append(self, chains: Iterable[ChainKey], link: Callable[[Mapping[ChainKey, ChainHead]], Links]) -> Links:
        made = link({chain: self.heads_by_chain[chain] for chain in chains if chain in self.heads_by_chain})
        self.links += made.episodes
        self.heads_by_chain |= {(head.learner_id, head.subject_id): head for head in made.heads}
        return made

    @contextmanager
    def open_chain(self, chain: ChainKey) -> Iterator[ChainReading]:
        own = [one for one in self.links if (one.envelope.learner_id, one.envelope.subject_id) == chain]
        own.sort(key=lambda one: one.envelope.sequence)
        yield ChainReading(head=self.heads_by_chain.get(chain), links=iter(own))

    def heads(self, learner_id: str | None) -> list[ChainHead]:
        return [self.heads_by_chain[chain] for chain in sorted(self.heads_by_chain)]

    def chains(self) -> list[ChainKey]:
        return sorted(
            self.heads_by_chain.keys() | {(one.envelope.learner_id, one.envelope.subject_id) for one in self.links}
        )

    def verified(self, against: Iterable[ChainHead] = ()) -> Verification:
        return verify(cast(EpisodeStore, self), KEY, against)

    def first_break(self, against: Iterable[ChainHead] = ()) -> Break:
        (found,) = self.verified(against).breaks
        return found


def _new(words: str, subject_id: str = "maths", **fields: Any) -> NewEpisode:
    return NewEpisode(
        learner_id="ana",
        subject_id=subject_id,
        kind="note",
        actor="learner",
        provenance="learner",
        summary=words,
        body={"text": words},
        **fields,
    )


def _written(words: Iterable[str]) -> ListedChains:
    store = ListedChains()
    for text in words:
        new = _new(text)
        store.append([CHAIN], link_maker(KEY, [(new, payload_text(new))], NOON))
    return store


words_of_people = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=40)
texts = st.lists(words_of_people, min_size=2, max_size=6)
ENVELOPE_CHANGES: dict[str, Any] = {
    "episode_id": "another",
    "kind": "question",
    "kind_version": 2,
    "actor": "tutor",
    "provenance": "imported",
    "language": "fr",
    "time_zone": "Asia/Tokyo",
    "occurred_at": NOON.replace(minute=1),
    "recorded_at": NOON.replace(microsecond=1),
    "dialogue_id": "d9",
    "turn": 0,
    "parent_id": "p",
    "salience": 0.5,
    "concept_ids": ("c",),
    "evidence": (Evidence(document_id="d", page=1, fingerprint="f"),),
    "commitment": "0" * 64,
    "chain_hash": "0" * 64,
}


@unhurried
@given(texts)
def test_what_was_written_verifies(words: list[str]) -> None:
    result = _written(words).verified()
    assert (result.intact, result.episodes, result.chains) == (True, len(words), 1)


@pytest.mark.parametrize("name", ENVELOPE_CHANGES)
@settings(max_examples=20, deadline=None)
@given(words=texts, data=st.data())
def test_an_edited_field_is_found_at_its_link(name: str, words: list[str], data: st.DataObject) -> None:
    store = _written(words)
    at = data.draw(st.integers(0, len(words) - 1))
    envelope = replace(store.links[at].envelope, **{name: ENVELOPE_CHANGES[name]})
    store.links[at] = replace(store.links[at], envelope=envelope)
    assert (store.first_break().sequence, store.first_break().kind) == (at + 1, "edited")


@unhurried
@given(words=texts, data=st.data())
def test_a_field_edited_with_its_hash_made_anew_under_another_key_is_found(
    words: list[str], data: st.DataObject
) -> None:
    store = _written(words)
    at = data.draw(st.integers(0, len(words) - 1))
    envelope = replace(store.links[at].envelope, actor="tutor")
    forged = replace(envelope, chain_hash=OTHER_KEY.link(envelope.previous_hash, envelope_bytes(envelope)))
    store.links[at] = replace(store.links[at], envelope=forged)
    assert store.first_break().sequence == at + 1


@unhurried
@given(words=texts, data=st.data())
def test_an_edited_text_is_found_at_its_link(words: list[str], data: st.DataObject) -> None:
    store = _written(words)
    at = data.draw(st.integers(0, len(words) - 1))
    changed = canonical_json({"body": {"text": words[at] + "!"}, "summary": words[at]})
    store.links[at] = replace(store.links[at], payload=changed)
    assert (store.first_break().sequence, store.first_break().kind) == (at + 1, "payload_edited")


@unhurried
@given(words=texts, data=st.data())
def test_a_deleted_link_is_found_at_its_place(words: list[str], data: st.DataObject) -> None:
    store = _written(words)
    at = data.draw(st.integers(0, len(words) - 2))
    del store.links[at]
    assert (store.first_break().sequence, store.first_break().kind) == (at + 1, "deleted")


@unhurried
@given(words=texts, data=st.data())
def test_a_deleted_link_whose_gap_was_closed_is_found_at_its_place(words: list[str], data: st.DataObject) -> None:
    store = _written(words)
    at = data.draw(st.integers(0, len(words) - 2))
    del store.links[at]
    for later in range(at, len(store.links)):
        _renumber(store, later, later + 1)
    assert store.first_break().sequence == at + 1


@unhurried
@given(words=texts, data=st.data())
def test_two_links_that_changed_places_are_found_at_the_first(words: list[str], data: st.DataObject) -> None:
    store = _written(words)
    first, second = sorted(data.draw(st.permutations(range(len(words))))[:2])
    _renumber(store, first, second + 1)
    _renumber(store, second, first + 1)
    assert (store.first_break().sequence, store.first_break().kind) == (first + 1, "moved")


@unhurried
@given(words=texts, data=st.data())
def test_an_inserted_copy_is_found_where_it_stands(words: list[str], data: st.DataObject) -> None:
    store = _written(words)
    at = data.draw(st.integers(0, len(words) - 1))
    copy = store.links[at]
    for later in range(at, len(words)):
        _renumber(store, later, later + 2)
    store.links.append(copy)
    assert store.first_break().sequence in (at + 1, at + 2)


@unhurried
@given(words=texts, data=st.data())
def test_a_second_link_of_one_number_is_found_there(words: list[str], data: st.DataObject) -> None:
    store = _written(words)
    at = data.draw(st.integers(0, len(words) - 1))
    store.links.append(store.links[at])
    assert (store.first_break().sequence, store.first_break().kind) == (at + 1, "inserted")


@unhurried
@given(words=texts, data=st.data())
def test_a_cut_tail_is_found_at_the_first_link_that_is_gone(words: list[str], data: st.DataObject) -> None:
    store = _written(words)
    left = data.draw(st.integers(0, len(words) - 1))
    del store.links[left:]
    assert (store.first_break().sequence, store.first_break().kind) == (left + 1, "cut_tail")


@unhurried
@given(words=texts, data=st.data())
def test_a_tail_cut_together_with_an_edited_head_is_found(words: list[str], data: st.DataObject) -> None:
    store = _written(words)
    left = data.draw(st.integers(1, len(words) - 1))
    del store.links[left:]
    last = store.links[-1].envelope
    head = replace(store.heads_by_chain[CHAIN], sequence=last.sequence, chain_hash=last.chain_hash)
    store.heads_by_chain[CHAIN] = head
    assert (store.first_break().sequence, store.first_break().kind) == (left, "head")


@unhurried
@given(words=texts, data=st.data())
def test_a_roll_back_of_log_and_head_together_is_found_against_a_checkpoint(
    words: list[str], data: st.DataObject
) -> None:
    earlier = data.draw(st.integers(1, len(words) - 1))
    store = _written(words[:earlier])
    old_links, old_heads = list(store.links), dict(store.heads_by_chain)
    for text in words[earlier:]:
        new = _new(text)
        store.append([CHAIN], link_maker(KEY, [(new, payload_text(new))], NOON))
    checkpoint = json.dumps(make_checkpoint(store.heads(None), KEY, NOON))
    store.links, store.heads_by_chain = old_links, old_heads
    assert store.verified().intact, "without the checkpoint nothing shows"
    found = store.first_break(read_checkpoint(checkpoint, KEY))
    assert (found.sequence, found.kind) == (earlier + 1, "rolled_back")


@unhurried
@given(words=texts)
def test_a_history_written_again_after_a_roll_back_is_found(words: list[str]) -> None:
    store = _written(words)
    anchors = store.heads(None)
    assert _written([*words, "later"]).first_break(anchors).kind == "rolled_back"


def test_a_whole_chain_that_is_gone_is_found_against_a_checkpoint() -> None:
    store = _written(["one", "two"])
    found = ListedChains().first_break(store.heads(None))
    assert (found.learner_id, found.subject_id, found.sequence, found.kind) == (*CHAIN, 1, "rolled_back")


def test_a_checkpoint_still_holds_after_more_was_written() -> None:
    store = _written(["one", "two"])
    anchors = read_checkpoint(json.dumps(make_checkpoint(store.heads(None), KEY, NOON)), KEY)
    new = _new("three")
    store.append([CHAIN], link_maker(KEY, [(new, payload_text(new))], NOON))
    assert store.verified(anchors).intact


def test_an_edited_checkpoint_is_refused() -> None:
    text = json.dumps(make_checkpoint(_written(["one", "two"]).heads(None), KEY, NOON))
    with pytest.raises(ChainError, match="signature"):
        read_checkpoint(text.replace('"sequence": 2', '"sequence": 1'), KEY)
    with pytest.raises(InputError, match="of the record with key"):
        read_checkpoint(text, OTHER_KEY)
    with pytest.raises(InputError, match="not a checkpoint"):
        read_checkpoint("{}", KEY)


def test_only_the_broken_chain_is_named() -> None:
    store = _written(["one", "two"])
    new = _new("three", subject_id="physics")
    store.append([("ana", "physics")], link_maker(KEY, [(new, payload_text(new))], NOON))
    store.links[1] = replace(store.links[1], payload="{}")
    result = store.verified()
    assert (result.chains, [found.subject_id for found in result.breaks]) == (2, ["maths"])


def test_the_same_text_commits_differently_each_time() -> None:
    one, two = _written(["same", "same"]).links
    assert one.envelope.commitment != two.envelope.commitment


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | words_of_people,
    lambda inner: st.lists(inner) | st.dictionaries(words_of_people, inner),
    max_leaves=8,
)


@unhurried
@given(json_values)
def test_canonical_text_does_not_change_when_read_and_written_again(value: Any) -> None:
    text = canonical_json(value)
    assert canonical_json(json.loads(text)) == text


def test_an_envelope_is_attested_as_canonical_json_of_its_fields() -> None:
    envelope = _written(["one"]).links[0].envelope
    text = envelope_bytes(envelope).decode()
    assert text == canonical_json(json.loads(text))
    attested = set(json.loads(text))
    assert attested == {item for item in vars(envelope)} - {"summary", "body", "previous_hash", "chain_hash"}


def _renumber(store: ListedChains, at: int, sequence: int) -> None:
    store.links[at] = replace(store.links[at], envelope=replace(store.links[at].envelope, sequence=sequence))
