"""The nightly loop: what is worked through once a night for each learner and subject, without a model.

Each step gives the same rows whenever and however often it is run, and that the night ended is written last: a night
that was killed is run again and ends as if it had not been.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from preceptor.domain.episode import Episode
from preceptor.domain.scope import Scope
from preceptor.errors import DuplicateError
from preceptor.memory.beliefs import Beliefs
from preceptor.memory.calibration import Calibration, calibrate, predictions
from preceptor.memory.checks import CheckReader, MapOf
from preceptor.memory.consolidation import NEVER_COUNTED, consolidate, end_of_day, local_day, note_id, zone_or_utc
from preceptor.memory.self_model import compose
from preceptor.memory.verification import Verifier, count_statuses
from preceptor.record.episode_log import EpisodeLog, opened
from preceptor.record.kinds import new_episode
from preceptor.settings import MemorySettings
from preceptor.stores.beliefs import BeliefStore
from preceptor.stores.instants import instant_text
from preceptor.stores.memory import VerificationStatus
from preceptor.stores.nights import Night, NightStore
from preceptor.stores.protocols import EpisodeQuery, EpisodeStore


@dataclass(frozen=True, kw_only=True)
class NightReport:
    """What one night did for one learner's subject."""

    scope: Scope
    through_day: date
    consolidated: tuple[date, ...]
    """Days that got their note; a quiet day gets none."""
    beliefs_added: int
    """Rows from checks that no turn had updated yet."""
    beliefs_faded: int
    """Rows that time added."""
    verified: Mapping[VerificationStatus, int]
    """Citations looked up, by status."""


class Nightly:
    """Runs nights. Any number of processes may run the same one."""

    def __init__(
        self,
        log: EpisodeLog,
        episodes: EpisodeStore,
        beliefs: Beliefs,
        belief_store: BeliefStore,
        nights: NightStore,
        map_of: MapOf,
        settings: MemorySettings,
        clock: Callable[[], datetime],
    ) -> None:
        """Keep what a night reads and writes, and the clock that says which night it is."""
        self._log = log
        self._episodes = episodes
        self._beliefs = beliefs
        self._belief_store = belief_store
        self._nights = nights
        self._map_of = map_of
        self._settings = settings
        self._clock = clock
        self._reader = CheckReader(episodes, map_of)
        self._verifier = Verifier(nights)

    def run(self, *, stop: Callable[[], bool] = lambda: False) -> list[NightReport]:
        """Run the night that this is, for every scope that is due; return what was done for each.

        Due is a scope with something new since its last night, and one with a belief that time has changed. For each
        scope there is one night a day of the learner's; a second run of the same finds nothing to do.

        Args:
            stop: Asked between scopes; `True` ends the run, which is taken up by the next.
        """
        before = instant_text(self._clock() - timedelta(days=self._settings.decay_days))
        due = sorted({*self._nights.active_scopes(), *self._belief_store.fading_scopes(before)})
        reports = []
        for scope in due:
            if stop():
                break
            try:
                report = self.run_scope(scope)
            except DuplicateError:  # another process ends this night at the same moment
                continue
            if report is not None:
                reports.append(report)
        return reports

    def run_scope(self, scope: Scope) -> NightReport | None:
        """Run this night for one scope; `None`: it was run already, or the scope has no episodes."""
        now = self._clock()
        newest = self._find(scope, newest_first=True, limit=1)
        if not newest:
            return None
        yesterday = now.astimezone(zone_or_utc(newest[0].time_zone)).date() - timedelta(days=1)
        last = self._nights.last(scope)
        if last is not None and last.through_day >= yesterday:
            return None
        self._nights.begin(scope, yesterday)
        since = last.sequence if last is not None else 0
        episodes = self._find(scope, after_sequence=since)
        added = self._beliefs.catch_up(scope, after_sequence=since)
        days = sorted({local_day(one) for one in episodes})
        consolidated = self.consolidate(scope, [day for day in days if day <= yesterday], episodes)
        faded = self._beliefs.fade(scope, now)
        found = self._verifier.batch(scope, limit=self._settings.verify_batch, now=now)
        heads = [one for one in self._belief_store.rows(scope) if one.superseded_by is None]
        night = Night(through_day=yesterday, sequence=_through(episodes, yesterday, since), ended_at=now)
        model = compose(
            self._map_of(scope.subject_id),
            heads,
            self._beliefs.tally(scope),
            self.calibration(scope),
            size=self._settings.working_set,
            now=now,
        )
        self._nights.end(scope, night, model, found)
        return NightReport(
            scope=scope,
            through_day=yesterday,
            consolidated=consolidated,
            beliefs_added=len(added),
            beliefs_faded=len(faded),
            verified=count_statuses(found),
        )

    def calibration(self, scope: Scope) -> Calibration:
        """Return how the beliefs held at the time predicted the checks made since."""
        rows = self._belief_store.rows(scope)
        ids = tuple(dict.fromkeys(part.episode_id for one in rows for part in one.added))
        recorded = {one.episode_id: one.recorded_at for one in self._find(scope, episode_ids=ids)} if ids else {}
        return calibrate(predictions(rows, recorded), self._settings)

    def consolidate(self, scope: Scope, days: Sequence[date], episodes: Sequence[Episode]) -> tuple[date, ...]:
        """Write the note of each day that has none and was not quiet; return those days.

        Args:
            scope: Whose.
            days: Of the learner; ended.
            episodes: All of those days at least.
        """
        by_day: dict[date, list[Episode]] = {day: [] for day in days}
        for one in episodes:
            by_day.get(local_day(one), []).append(one)
        if not by_day:
            return ()
        names = self._concept_names(scope, episodes)
        written = []
        for day, of_day in by_day.items():
            episode_id = self._free_note_id(scope, day)
            body = consolidate(day, of_day, names) if episode_id is not None else None
            if body is None or episode_id is None:
                continue
            zone = of_day[-1].time_zone
            new = new_episode(
                body,
                learner_id=scope.learner_id,
                subject_id=scope.subject_id,
                language=of_day[-1].language,
                time_zone=zone,
                occurred_at=end_of_day(day, zone_or_utc(zone)),
                episode_id=episode_id,
            )
            try:
                self._log.append(new)
            except DuplicateError:  # another process was here first
                continue
            written.append(day)
        return tuple(written)

    def _free_note_id(self, scope: Scope, day: date) -> str | None:
        """Return the id that the day's note is to get; `None`: it has one that was not erased."""
        generation = 0
        while True:
            episode_id = note_id(scope, day, generation)
            held = self._find(scope, episode_ids=(episode_id,))
            if not held:
                return episode_id
            if held[0].body is not None:
                return None
            generation += 1

    def _concept_names(self, scope: Scope, episodes: Sequence[Episode]) -> dict[str, list[str]]:
        concepts = self._map_of(scope.subject_id).by_id
        touched: dict[str, list[str]] = {one.episode_id: list(one.concept_ids) for one in episodes if one.concept_ids}
        first = min((one.sequence for one in episodes), default=1)
        for event in self._reader.of_scope(scope, after_sequence=first - 1):
            touched.setdefault(event.episode_id, list(event.concept_ids))
        names = {
            episode_id: [concepts[one].name for one in dict.fromkeys(ids) if one in concepts]
            for episode_id, ids in touched.items()
        }
        for one in episodes:
            if one.kind == "taught" and one.body is not None and not names.get(one.episode_id):
                names[one.episode_id] = [str(one.body["concept"])]
        return names

    def _find(
        self,
        scope: Scope,
        *,
        after_sequence: int | None = None,
        episode_ids: tuple[str, ...] | None = None,
        newest_first: bool = False,
        limit: int | None = None,
    ) -> list[Episode]:
        query = EpisodeQuery(
            learner_id=scope.learner_id,
            subject_id=scope.subject_id,
            after_sequence=after_sequence,
            episode_ids=episode_ids,
            newest_first=newest_first,
            limit=limit,
        )
        return [opened(sealed) for sealed in self._episodes.find(query)]


def _through(episodes: Sequence[Episode], day: date, since: int) -> int:
    """Return the last link up to which every episode lies in a day up to this one, the loop's own notes left out."""
    counted = [one for one in episodes if one.kind not in NEVER_COUNTED]
    later = [one.sequence for one in counted if local_day(one) > day]
    if later:
        return min(later) - 1
    return max((one.sequence for one in counted), default=since)
