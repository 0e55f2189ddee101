"""The memory of an installation as one thing: beliefs, nights, verification and the learner's rights over them."""

from __future__ import annotations

from preceptor.concepts.subject_maps import SubjectMaps
from preceptor.memory.beliefs import Beliefs
from preceptor.memory.nightly import Nightly
from preceptor.memory.verification import Verifier
from preceptor.record.record import Record
from preceptor.settings import MemorySettings


class LearnerMemory:
    """What is derived from the log of each learner's subject. It holds no rows of its own and needs no closing."""

    def __init__(self, record: Record, settings: MemorySettings, maps: SubjectMaps | None = None) -> None:
        """Open memory over a record.

        Args:
            record: Stays the caller's to close.
            settings: Today's rules.
            maps: Where maps come from; `None`: the record's own, without an embedder, which names need not.
        """
        self.record = record
        self.settings = settings
        self.maps = maps if maps is not None else SubjectMaps(record.concept_maps)
        self.verifier = Verifier(record.nights)
        self.beliefs = Beliefs(record.log, record.episodes, record.beliefs, self.maps.map, settings, record.clock)
        self.nightly = Nightly(
            record.log,
            record.episodes,
            self.beliefs,
            record.beliefs,
            record.nights,
            self.maps.map,
            settings,
            record.clock,
        )
