"""The record's front door: opened once at the entry point, passed down, closed at the end."""

from __future__ import annotations

from types import TracebackType

from preceptor.errors import SettingsError
from preceptor.record.checkpoint import make_checkpoint, read_checkpoint
from preceptor.record.episode_log import Clock, EpisodeLog, utc_now
from preceptor.record.problem_bank import add_samples
from preceptor.record.record_key import RecordKey, open_key
from preceptor.record.safety_queue import SafetyQueue
from preceptor.record.verification import Verification, verify
from preceptor.settings import Settings
from preceptor.stores.beliefs import BeliefStore
from preceptor.stores.concept_maps import ConceptMapStore
from preceptor.stores.consents import ConsentStore
from preceptor.stores.courses import CourseStore
from preceptor.stores.distilled_turns import DistilledTurnStore
from preceptor.stores.experiences import ExperienceStore
from preceptor.stores.learner_rows import LearnerRows
from preceptor.stores.memory import MemoryStore
from preceptor.stores.nights import NightStore
from preceptor.stores.protocols import AccessLog, EpisodeStore, ProblemStore, TurnDraftStore
from preceptor.stores.sql.access_log import SqlAccessLog
from preceptor.stores.sql.beliefs import SqlBeliefStore
from preceptor.stores.sql.concept_maps import SqlConceptMapStore
from preceptor.stores.sql.consents import SqlConsentStore
from preceptor.stores.sql.courses import SqlCourseStore
from preceptor.stores.sql.database import Database, open_database
from preceptor.stores.sql.distilled_turns import SqlDistilledTurnStore
from preceptor.stores.sql.episodes import SqlEpisodeStore
from preceptor.stores.sql.experiences import SqlExperienceStore
from preceptor.stores.sql.learner_rows import SqlLearnerRows
from preceptor.stores.sql.memory import SqlMemoryStore
from preceptor.stores.sql.nights import SqlNightStore
from preceptor.stores.sql.problems import SqlProblemStore
from preceptor.stores.sql.turn_drafts import SqlTurnDraftStore

_KEY_FACT = "key_fingerprint"


class Record:
    """Everything one installation keeps. Safe to use from several threads; use it with `with`, or `close` it."""

    log: EpisodeLog
    problems: ProblemStore
    drafts: TurnDraftStore
    accesses: AccessLog
    safety_queue: SafetyQueue

    def __init__(self, database: Database, key: RecordKey, clock: Clock = utc_now) -> None:
        """Take over an open database."""
        self._database = database
        self._key = key
        self.clock = clock
        self.episodes: EpisodeStore = SqlEpisodeStore(database)
        self.log = EpisodeLog(self.episodes, key, clock)
        self.problems = SqlProblemStore(database)
        self.drafts = SqlTurnDraftStore(database)
        self.accesses = SqlAccessLog(database)
        self.experiences: ExperienceStore = SqlExperienceStore(database)
        self.courses: CourseStore = SqlCourseStore(database)
        self.consents: ConsentStore = SqlConsentStore(database)
        self.distilled: DistilledTurnStore = SqlDistilledTurnStore(database)
        self.beliefs: BeliefStore = SqlBeliefStore(database)
        self.nights: NightStore = SqlNightStore(database)
        self.memory: MemoryStore = SqlMemoryStore(database)
        self.concept_maps: ConceptMapStore = SqlConceptMapStore(database)
        self.learner_rows: LearnerRows = SqlLearnerRows(database)
        self.safety_queue = SafetyQueue(self.episodes, self.log, self.accesses, clock)

    def verify(self, checkpoint: str | None = None) -> Verification:
        """Recompute every chain, and compare it with an exported checkpoint's text if one is given.

        Raises:
            InputError: The text is not a checkpoint of this record.
            ChainError: The checkpoint was changed after it was signed.
        """
        return verify(self.episodes, self._key, read_checkpoint(checkpoint, self._key) if checkpoint else ())

    def checkpoint(self) -> dict[str, object]:
        """Return the signed heads of every chain, to be kept outside."""
        return make_checkpoint(self.episodes.heads(None), self._key, self.clock())

    def source_link(self, dialogue_id: str) -> str:
        """Return what an experience names as its source in place of a dialogue of the log."""
        return self._key.source_link(dialogue_id)

    def close(self) -> None:
        """Close the database."""
        self._database.close()

    def __enter__(self) -> Record:
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the database."""
        self.close()


def open_record(settings: Settings, clock: Clock = utc_now) -> Record:
    """Open the record of this installation; make database, key and sample problems on the first start.

    Raises:
        UnsafePathError: The home folder lies on a network file system.
        SettingsError: The key is missing, can be read by others or belongs to another record.
        MigrationError: The database is newer than this program.
        StoreError: The database cannot be reached.
    """
    database = open_database(home=settings.home, url=settings.store.url)
    try:
        facts = SqlEpisodeStore(database)
        written_with = facts.fact(_KEY_FACT)
        key = open_key(settings.home / "key", may_create=written_with is None)
        if written_with is None:
            facts.set_fact(_KEY_FACT, key.fingerprint)
        elif written_with != key.fingerprint:
            raise SettingsError(
                f"{settings.home / 'key'} is key {key.fingerprint}, the record was written with {written_with}: "
                "put the right key back from your backup"
            )
        record = Record(database, key, clock)
        if record.episodes.scrub_is_owed():
            record.episodes.scrub()
        add_samples(record.problems)
    except BaseException:
        database.close()
        raise
    return record
