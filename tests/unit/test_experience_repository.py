"""What the repository lets in, merges and disables; each threshold at its edge and just below."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.unit.experience_doubles import NOON, STATE, AngleEmbedder, candidate, open_store

from preceptor.domain.experience import Experience, ExperienceValue, SourceTurn
from preceptor.domain.learner_state import Emotion, ErrorType
from preceptor.domain.problem import Problem
from preceptor.errors import InputError, ModelError, SettingsError
from preceptor.experience.abstract_text import surroundings_of
from preceptor.experience.calibration import Thresholds
from preceptor.experience.repository import ExperienceRepository
from preceptor.experience.repository_merger import Merge
from preceptor.stores.experiences import ExperienceDecision, ExperienceQuery
from preceptor.stores.sql.experiences import SqlExperienceStore
from preceptor.testing.fixed_clock import FixedClock

WORDS = "compares reads counts divides adds splits shares checks".split()
DEGREES = {f"The learner {word} the parts.": 10.0 * place for place, word in enumerate(WORDS)}
FIRST, SECOND, THIRD = list(DEGREES)[:3]
COSINE = float(np.cos(np.deg2rad(10)))


@pytest.fixture
def store(tmp_path: Path) -> SqlExperienceStore:
    return open_store(tmp_path)


def _repository(
    store: SqlExperienceStore, *, tau_merge: float = 0.9, tau_dup: float = 0.999, **more: object
) -> ExperienceRepository:
    limits = Thresholds(tau=0.5, tau_merge=tau_merge, tau_dup=tau_dup)
    return ExperienceRepository(store, AngleEmbedder(DEGREES), thresholds=limits, **more)  # type: ignore[arg-type]


def _add(repository: ExperienceRepository, *made: Experience) -> list[ExperienceDecision]:
    return [asyncio.run(repository.add(one)) for one in made]


def _similarity(store: SqlExperienceStore) -> float:
    """The similarity of the first two sentences as the repository measures it."""
    repository = _repository(store, tau_merge=1.0, tau_dup=1.0)
    _add(repository, candidate(FIRST))
    similarity = _add(repository, candidate(SECOND))[0].similarity
    assert similarity == pytest.approx(COSINE, abs=1e-3)
    return float(similarity or 0)


@pytest.mark.parametrize(
    ("merge_at", "duplicate_at", "outcome"),
    [
        ("same", "same", "duplicate"),
        ("below", "same", "duplicate"),
        ("below", "above", "merged"),
        ("same", "above", "merged"),
        ("above", "above", "inserted"),
    ],
)
def test_each_threshold_holds_at_its_edge(tmp_path: Path, merge_at: str, duplicate_at: str, outcome: str) -> None:
    (tmp_path / "measured").mkdir()
    similarity = _similarity(open_store(tmp_path / "measured"))
    at = {"same": similarity, "below": np.nextafter(similarity, 0), "above": np.nextafter(similarity, 2)}
    repository = _repository(open_store(tmp_path), tau_merge=at[merge_at], tau_dup=at[duplicate_at])
    first, second = _add(repository, candidate(FIRST), candidate(SECOND))
    assert (first.outcome, second.outcome) == ("inserted", outcome)
    assert (second.similarity, second.other_id) == (similarity, first.candidate_id)
    assert second.threshold == at[duplicate_at if outcome == "duplicate" else merge_at]


def test_a_duplicate_is_discarded_and_points_to_what_it_repeats(store: SqlExperienceStore) -> None:
    first, second = _add(_repository(store), candidate(FIRST), candidate(FIRST, dialogue="d2"))
    assert (second.outcome, second.result_id) == ("duplicate", first.candidate_id)
    assert [one.experience_id for one in store.find(ExperienceQuery())] == [first.candidate_id]


def test_a_merge_replaces_both_and_keeps_them_as_history(store: SqlExperienceStore) -> None:
    known = candidate(FIRST, pitfalls=("tells the result", "asks why again"), percent=90.0)
    later = candidate(SECOND, dialogue="d2", pitfalls=("Tells the result", "names the step"), percent=100.0)
    repository = _repository(store)
    _, line = _add(repository, known, later)
    (merged,) = store.find(ExperienceQuery())
    assert (line.outcome, line.result_id) == ("merged", merged.experience_id)
    assert merged.value.undesirable_behaviours == ("tells the result", "asks why again", "names the step")
    assert merged.provenance.parents == (known.experience_id, later.experience_id)
    assert [source.dialogue_id for source in merged.provenance.sources] == ["d1", "d2"]
    assert merged.utility == 95.0
    superseded = store.find(ExperienceQuery(statuses=("superseded",)))
    assert [one.experience_id for one in superseded] == [known.experience_id, later.experience_id]
    assert store.children(known.experience_id) == [merged]
    with repository.reading() as index:
        assert index.candidates(STATE) == (merged.experience_id,)


def test_a_merged_utility_weighs_the_parents_by_what_is_known_of_them(store: SqlExperienceStore) -> None:
    repository = _repository(store)
    first = candidate(FIRST, percent=100.0)
    _add(repository, first)
    for turn in range(3):
        repository.record_use(first.experience_id, dialogue_id="u", turn=turn, score=100.0)
    _add(repository, candidate(SECOND, percent=90.0))
    (merged,) = store.find(ExperienceQuery())
    assert merged.utility == pytest.approx((4 * 100 + 1 * 90) / 5)


def test_only_related_states_are_compared(store: SqlExperienceStore) -> None:
    elsewhere = replace(STATE, error_type=ErrorType.CONCEPT_ERROR)
    calm = replace(STATE, emotion=Emotion.NEUTRAL)
    upset = replace(STATE, emotion=Emotion.FRUSTRATED)
    silent = replace(STATE, error_type=ErrorType.NOT_APPLICABLE)
    states = (STATE, elsewhere, calm, upset, silent)
    lines = _add(_repository(store), *(candidate(FIRST, state=state, turn=turn) for turn, state in enumerate(states)))
    assert [line.outcome for line in lines] == ["inserted", "inserted", "inserted", "duplicate", "duplicate"]
    assert [line.similarity is None for line in lines] == [True, True, True, False, False]


def test_a_text_that_names_the_problem_is_rejected_and_the_log_keeps_none_of_it(store: SqlExperienceStore) -> None:
    around = surroundings_of(Problem(problem_id="p", text="Marta has 7 lemons."), [])
    bad = candidate(FIRST, strategy="asks Marta about the lemons")
    line = asyncio.run(_repository(store).add(bad, around))
    assert (line.outcome, line.reason, line.result_id) == ("rejected", "name, thing", None)
    assert store.find(ExperienceQuery(statuses=("active", "disabled", "superseded"))) == []


def test_a_sentence_that_cannot_be_compared_is_rejected(store: SqlExperienceStore) -> None:
    (line,) = _add(_repository(store), candidate("The learner reverses the order."))
    assert (line.outcome, line.reason) == ("rejected", "its sentence cannot be compared")


class ScriptedMerger:
    """Answers with what it was given, or fails."""

    def __init__(self, strategy: str | None) -> None:
        self._strategy = strategy

    async def merge(self, known: Experience, candidate: Experience) -> Merge:
        if self._strategy is None:
            raise ModelError("no answer")
        value = ExperienceValue(triggering_difficulty="the parts are compared", applied_strategy=self._strategy)
        return Merge(state=known.state, sentence=known.sentence, value=value, engine="p/m")


@pytest.mark.parametrize(
    ("strategy", "outcome", "reason"),
    [
        ("asks what each part counts", "merged", ""),
        ("asks Bruno about 3 parts", "inserted", "not merged: digit, name"),
        (None, "inserted", "not merged: the merger failed: ModelError"),
    ],
)
def test_a_merge_must_pass_the_validator_or_both_stay_apart(
    store: SqlExperienceStore, strategy: str | None, outcome: str, reason: str
) -> None:
    repository = _repository(store, merger=ScriptedMerger(strategy))
    lines = _add(repository, candidate(FIRST), candidate(SECOND))
    assert (lines[1].outcome, lines[1].reason) == (outcome, reason)
    assert len(store.find(ExperienceQuery())) == (1 if outcome == "merged" else 2)
    assert all(
        one.provenance.made_by == ("llm" if outcome == "merged" else "builtin") for one in store.find(ExperienceQuery())
    )


def test_without_merging_what_would_be_merged_is_inserted(store: SqlExperienceStore) -> None:
    lines = _add(_repository(store, merges=False), candidate(FIRST), candidate(SECOND))
    assert [line.outcome for line in lines] == ["inserted", "inserted"]


def test_a_candidate_that_came_before_changes_nothing(store: SqlExperienceStore) -> None:
    made = [candidate(FIRST), candidate(SECOND, turn=1), candidate(FIRST, turn=2)]
    lines = _add(_repository(store), *made)
    revision = store.revision()
    assert _add(_repository(store), *made) == lines
    assert store.revision() == revision


def _contents(store: SqlExperienceStore) -> object:
    everything = store.find(ExperienceQuery(statuses=("active", "disabled", "superseded")))
    return everything, store.decisions()


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    chosen=st.lists(st.tuples(st.sampled_from(list(DEGREES)), st.integers(0, 2)), min_size=1, max_size=12),
    cut=st.integers(0, 12),
)
def test_the_same_order_gives_the_same_repository_killed_or_not(
    tmp_path_factory: pytest.TempPathFactory, chosen: Sequence[tuple[str, int]], cut: int
) -> None:
    states = [STATE, replace(STATE, emotion=Emotion.NEUTRAL), replace(STATE, error_type=ErrorType.NOT_APPLICABLE)]
    made = [candidate(text, state=states[which], turn=turn) for turn, (text, which) in enumerate(chosen)]
    clock = FixedClock(NOON)
    whole, killed = (open_store(tmp_path_factory.mktemp("s")) for _ in range(2))
    _add(_repository(whole, clock=clock), *made)
    _add(_repository(killed, clock=clock), *made[:cut])
    _add(_repository(killed, clock=clock), *made)
    assert _contents(killed) == _contents(whole)


def test_another_process_that_came_first_is_taken_into_account(store: SqlExperienceStore) -> None:
    mine, other = _repository(store), _repository(store)
    _add(other, candidate(FIRST))
    (line,) = _add(mine, candidate(FIRST, dialogue="d2"))
    assert line.outcome == "duplicate"


def _used(store: SqlExperienceStore, scores: Sequence[float | None], baseline: float | None = None) -> Experience:
    repository = _repository(store)
    made = candidate(FIRST, percent=90.0)
    _add(repository, made)
    for turn, score in enumerate(scores):
        repository.record_use(made.experience_id, dialogue_id="u", turn=turn, score=score, baseline=baseline)
    return store.get(made.experience_id)


def test_the_old_value_weighs_seven_tenths(store: SqlExperienceStore) -> None:
    assert _used(store, [50.0]).utility == pytest.approx(0.7 * 90 + 0.3 * 50)


def test_an_unscored_use_changes_nothing_and_a_use_counts_once(store: SqlExperienceStore) -> None:
    assert _used(store, [None, None]) == store.find(ExperienceQuery())[0]
    repository = _repository(store)
    key = store.find(ExperienceQuery())[0].experience_id
    after = repository.record_use(key, dialogue_id="u", turn=0, score=50.0)
    assert repository.record_use(key, dialogue_id="u", turn=0, score=0.0) == after
    assert (after.scored_uses, len(store.uses(key))) == (1, 1)


@pytest.mark.parametrize(
    ("scores", "baseline", "status"),
    [
        ([0.0, 0.0], None, "active"),
        ([0.0, 0.0, 0.0], None, "disabled"),
        ([0.0, 0.0, 0.0], 0.0, "disabled"),
        ([1.0, 1.0, 1.0], 0.0, "active"),
        ([90.0, 90.0, 40.0], None, "active"),
        ([90.0, 90.0, 39.9], None, "disabled"),
    ],
)
def test_weak_often_enough_and_without_a_gain_is_disabled(
    store: SqlExperienceStore, scores: list[float], baseline: float | None, status: str
) -> None:
    """90 · 0.7 + 40 · 0.3 is 75, which is not below it."""
    after = _used(store, scores, baseline)
    assert after.status == status
    lines = [line.outcome for line in store.decisions(after.experience_id)]
    assert lines == ["inserted", "disabled"][: 1 + (status == "disabled")]
    with _repository(store).reading() as index:
        assert bool(index.candidates(STATE)) is (status == "active")


def test_a_disabled_entry_is_kept_and_can_come_back(store: SqlExperienceStore) -> None:
    repository = _repository(store)
    (line,) = _add(repository, candidate(FIRST))
    repository.disable(line.candidate_id, reason="not for this course")
    with repository.reading() as index:
        assert index.candidates(STATE) == ()
    assert store.get(line.candidate_id).status_reason == "not for this course"
    with pytest.raises(InputError, match="is disabled, expected active"):
        repository.disable(line.candidate_id, reason="again")
    repository.enable(line.candidate_id, reason="it fits after all")
    with _repository(store).reading() as index:
        assert index.candidates(STATE) == (line.candidate_id,)
    assert [one.outcome for one in store.decisions(line.candidate_id)] == ["inserted", "disabled", "enabled"]


def test_an_erased_dialogue_leaves_no_link(store: SqlExperienceStore) -> None:
    repository = _repository(store)
    lines = _add(
        repository,
        candidate(FIRST, dialogue="gone"),
        candidate(SECOND, dialogue="kept"),
        candidate(list(DEGREES)[6], dialogue="gone"),
    )
    merged, alone = lines[1].result_id or "", lines[2].candidate_id
    repository.record_use(merged, dialogue_id="gone", turn=4, score=90.0)
    assert repository.erase_sources(["gone"]) == (alone,)
    assert store.get(merged).provenance.sources == (SourceTurn(dialogue_id="kept", turn=0),)
    assert (store.get(merged).status, store.get(alone).status) == ("active", "disabled")
    assert store.decisions(alone)[-1].reason == "every source was erased"
    everything = store.find(ExperienceQuery(statuses=("active", "disabled", "superseded")))
    assert "gone" not in {source.dialogue_id for one in everything for source in one.provenance.sources}
    assert store.uses(merged) == []


def test_a_repository_of_another_embedder_is_refused_with_the_way_out(store: SqlExperienceStore) -> None:
    _add(_repository(store), candidate(FIRST))
    with pytest.raises(SettingsError, match=r"1 entries of angles.*experience reembed"):
        ExperienceRepository(store, None)


def test_without_an_embedder_words_are_compared(store: SqlExperienceStore) -> None:
    repository = ExperienceRepository(store, None)
    made: Callable[[str, int], Experience] = lambda text, turn: candidate(text, turn=turn, embedder="words:1")  # noqa: E731
    lines = _add(
        repository,
        made("The learner divides the whole where parts are compared.", 0),
        made("Parts are compared, the learner divided the whole.", 1),
        made("The learner rounds an answer in the wrong direction.", 2),
    )
    assert [line.outcome for line in lines] == ["inserted", "duplicate", "inserted"]
    assert lines[1].similarity == 1.0
    assert repository.thresholds.origin == "chosen"
