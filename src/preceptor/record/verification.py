"""Recomputing every chain: where the first link breaks, and how.

This is tamper evidence, not tamper proofing: it tells that the record was changed, it cannot prevent it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from preceptor.domain.episode import Episode
from preceptor.errors import StoreError
from preceptor.record.canonical import envelope_bytes, head_bytes
from preceptor.record.chain import GENESIS
from preceptor.record.episode_log import opened
from preceptor.record.kinds import ErasureBody, body_of
from preceptor.record.record_key import RecordKey
from preceptor.stores.protocols import ChainHead, ChainKey, EpisodeStore, SealedEpisode

BreakKind = Literal[
    "edited", "moved", "deleted", "inserted", "cut_tail", "payload_edited", "payload_missing", "head", "rolled_back"
]


@dataclass(frozen=True, kw_only=True)
class Break:
    """The first place where one chain is not what was written."""

    learner_id: str
    subject_id: str
    sequence: int
    """The link at which it shows, from 1."""
    kind: BreakKind
    reason: str


@dataclass(frozen=True, kw_only=True)
class Verification:
    """The outcome for every chain."""

    chains: int
    episodes: int
    erased: int
    """Episodes whose payload was erased on record; they count as intact."""
    breaks: tuple[Break, ...]
    """At most one per chain, the first; by learner and subject."""

    @property
    def intact(self) -> bool:
        """Whether every chain is what was written."""
        return not self.breaks


def verify(store: EpisodeStore, key: RecordKey, against: Iterable[ChainHead] = ()) -> Verification:
    """Recompute every chain.

    Args:
        store: The log.
        key: The key it was written with.
        against: Heads of a checkpoint, signature checked; each must still be a link of its chain.
    """
    anchors: dict[ChainKey, ChainHead] = {(head.learner_id, head.subject_id): head for head in against}
    chains = sorted({*store.chains(), *anchors})
    walks = []
    for chain in chains:
        with store.open_chain(chain) as reading:
            walk = _ChainWalk(chain, key, reading.head, anchors.get(chain))
            walk.run(reading.links)
        walks.append(walk)
    return Verification(
        chains=len(chains),
        episodes=sum(walk.episodes for walk in walks),
        erased=sum(walk.erased for walk in walks),
        breaks=tuple(walk.found for walk in walks if walk.found is not None),
    )


class _ChainWalk:
    """One chain, link by link, up to the first break."""

    def __init__(self, chain: ChainKey, key: RecordKey, head: ChainHead | None, anchor: ChainHead | None) -> None:
        self.chain = chain
        self.key = key
        self.head = head
        self.anchor = anchor
        self.episodes = 0
        self.erased = 0
        self.found: Break | None = None
        self._missing: list[int] = []
        self._erased_ranges: list[tuple[int, int]] = []

    def run(self, links: Iterator[SealedEpisode]) -> None:
        expected, previous_hash = 1, GENESIS
        try:
            for sealed in links:
                self._check_link(sealed, expected, previous_hash)
                if self.found:
                    return
                self.episodes += 1
                previous_hash = sealed.envelope.chain_hash
                expected += 1
        except (StoreError, ValueError):
            self._break(expected, "edited", "it holds something that no program of ours writes")
            return
        self._check_payloads()
        self._check_head(expected - 1, previous_hash)
        self._check_anchor(expected - 1)

    def _break(self, sequence: int, kind: BreakKind, reason: str) -> None:
        if self.found is None or sequence < self.found.sequence:
            learner_id, subject_id = self.chain
            self.found = Break(
                learner_id=learner_id, subject_id=subject_id, sequence=sequence, kind=kind, reason=reason
            )

    def _check_link(self, sealed: SealedEpisode, expected: int, previous_hash: str) -> None:
        envelope = sealed.envelope
        if envelope.sequence > expected:
            self._break(expected, "deleted", f"link {expected} is missing; the next one is {envelope.sequence}")
        elif envelope.sequence < expected:
            self._break(envelope.sequence, "inserted", f"a second link {envelope.sequence} stands in the chain")
        elif self._link_hash(envelope, previous_hash) != envelope.chain_hash:
            follows = envelope.previous_hash == previous_hash
            kind: BreakKind = "edited" if follows else "moved"
            reason = (
                "its fields are not those that were written"
                if follows
                else "it does not follow the link before it: links were moved, replaced or inserted here"
            )
            self._break(expected, kind, reason)
        elif envelope.previous_hash != previous_hash:
            self._break(expected, "edited", "its previous_hash is not the hash of the link before it")
        elif self.anchor and self.anchor.sequence == expected and self.anchor.chain_hash != envelope.chain_hash:
            self._break(expected, "rolled_back", "another link stood here when the checkpoint was made")
        else:
            self._check_payload(sealed)

    def _link_hash(self, envelope: Episode, previous_hash: str) -> str:
        return self.key.link(previous_hash, envelope_bytes(envelope))

    def _check_payload(self, sealed: SealedEpisode) -> None:
        envelope = sealed.envelope
        if sealed.payload is None or sealed.nonce is None:
            self._missing.append(envelope.sequence)
        elif self.key.commit(sealed.nonce, sealed.payload) != envelope.commitment:
            self._break(envelope.sequence, "payload_edited", "its text is not the text that was committed to")
        elif envelope.kind == ErasureBody.kind:
            body = body_of(opened(sealed), ErasureBody)
            self._erased_ranges += body.sequences if body else ()

    def _check_payloads(self) -> None:
        for sequence in self._missing:
            if any(first <= sequence <= last for first, last in self._erased_ranges):
                self.erased += 1
            else:
                self._break(sequence, "payload_missing", "its text is gone, and no erasure of it is on record")

    def _check_head(self, last: int, last_hash: str) -> None:
        head = self.head
        if head is None:
            if last:
                self._break(last, "head", "the chain's head is missing")
        elif head.seal != self.key.seal_head(head_bytes(head)):
            self._break(max(last, 1), "head", "the chain's head was not written by this record")
        elif head.sequence > last:
            self._break(last + 1, "cut_tail", f"the chain ends at {last}, its head says {head.sequence}")
        elif head.sequence < last:
            self._break(head.sequence + 1, "inserted", f"the chain goes on to {last}, its head says {head.sequence}")
        elif head.chain_hash != last_hash:
            self._break(last, "head", "the chain's head holds another hash than its last link")

    def _check_anchor(self, last: int) -> None:
        if self.anchor and self.anchor.sequence > last:
            self._break(
                last + 1, "rolled_back", f"the chain ends at {last}, the checkpoint saw it at {self.anchor.sequence}"
            )
