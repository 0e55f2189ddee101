"""From checks to claims: the posterior mean, its bounds, fading, and the laws of a chain."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from threading import Event

import pytest
from hypothesis import given
from hypothesis import strategies as st

from preceptor.domain.belief import Belief, BeliefEvidence, EvidenceVerdict
from preceptor.domain.scope import Scope
from preceptor.memory.belief_chain import BeliefChain
from preceptor.memory.belief_rule import assess, denied_claim, faded
from preceptor.memory.calibration import Prediction, calibrate, predictions
from preceptor.memory.checks import CheckEvent, DenialEvent
from preceptor.memory.nightly_schedule import NightlySchedule, seconds_until
from preceptor.settings import MemorySettings

SETTINGS = MemorySettings()
ANA = Scope(learner_id="ana", subject_id="maths")
START = datetime(2026, 1, 5, 9, tzinfo=UTC)


def evidence(right: int, wrong: int, denied: EvidenceVerdict | None = None) -> list[BeliefEvidence]:
    verdicts: list[EvidenceVerdict] = [denied] if denied else []
    verdicts.extend("right" for _ in range(right))
    verdicts.extend("wrong" for _ in range(wrong))
    return [BeliefEvidence(episode_id=f"e{n}", sequence=n, verdict=verdict) for n, verdict in enumerate(verdicts)]


@pytest.mark.parametrize(
    ("right", "wrong", "claim", "confidence"),
    [
        (0, 0, "unsettled", None),
        (1, 0, "understands", 0.6),
        (4, 0, "understands", 0.75),
        (0, 1, "struggles", 0.6),
        (1, 1, "unsettled", None),
        (4, 2, "understands", 0.6),
        (3, 2, "unsettled", None),
        (2, 5, "struggles", 0.636364),
        (100, 0, "understands", 0.95),
        (0, 100, "struggles", 0.95),
    ],
)
def test_the_claim_is_the_posterior_mean_of_beta_2_2(
    right: int, wrong: int, claim: str, confidence: float | None
) -> None:
    found = assess(evidence(right, wrong), SETTINGS)
    assert (found.claim, found.confidence) == (claim, confidence)


@pytest.mark.parametrize(
    ("right", "wrong", "claim"), [(0, 2, "unsettled"), (0, 3, "struggles"), (1, 3, "unsettled"), (1, 0, "understands")]
)
def test_a_denied_claim_needs_a_lead_of_three_new_checks(right: int, wrong: int, claim: str) -> None:
    assert assess(evidence(right, wrong, "denied_struggles"), SETTINGS).claim == claim


@pytest.mark.parametrize(
    ("right", "wrong", "claim"),
    [(2, 0, "unsettled"), (4, 2, "unsettled"), (3, 0, "understands"), (5, 2, "understands"), (0, 1, "struggles")],
)
def test_a_denied_understanding_needs_the_same_lead(right: int, wrong: int, claim: str) -> None:
    assert assess(evidence(right, wrong, "denied_understands"), SETTINGS).claim == claim


def _belief(confidence: float) -> Belief:
    return Belief(
        belief_id="b",
        learner_id="ana",
        subject_id="maths",
        concept_id="c",
        claim="understands",
        confidence=confidence,
        provenance="tutor",
        reason="check",
        valid_from=START,
        recorded_at=START,
    )


def test_a_belief_fades_by_15_percent_each_full_45_days_and_not_before() -> None:
    assert faded(_belief(0.9), START + timedelta(days=44, hours=23), SETTINGS) == []
    at, left = faded(_belief(0.9), START + timedelta(days=60), SETTINGS)[0]
    assert (at, left.confidence) == (START + timedelta(days=45), 0.765)
    assert len(faded(_belief(0.9), START + timedelta(days=134), SETTINGS)) == 2


def test_the_moment_at_which_a_period_is_full_belongs_to_it() -> None:
    assert faded(_belief(0.9), START + timedelta(days=45, microseconds=-1), SETTINGS) == []
    assert [at for at, _ in faded(_belief(0.9), START + timedelta(days=90), SETTINGS)] == [
        START + timedelta(days=45),
        START + timedelta(days=90),
    ]


def test_what_is_no_more_likely_than_not_is_believed_no_longer() -> None:
    steps = faded(_belief(0.6), START + timedelta(days=1000), SETTINGS)
    assert [(step.claim, step.confidence) for _, step in steps] == [("understands", 0.51), ("unsettled", None)]


def test_a_belief_that_faded_to_exactly_even_is_still_one() -> None:
    ((_, left),) = faded(_belief(0.8), START + timedelta(days=45), MemorySettings(decay_factor=0.625))
    assert (left.claim, left.confidence) == ("understands", 0.5)


def test_what_fades_keeps_its_claim() -> None:
    ((_, left),) = faded(replace(_belief(0.8), claim="struggles"), START + timedelta(days=45), SETTINGS)
    assert (left.claim, left.confidence) == ("struggles", 0.68)


def test_the_denial_that_counts_is_the_last_one() -> None:
    both = [*evidence(0, 0, "denied_understands"), *evidence(1, 0, "denied_struggles")]
    assert denied_claim(both) == "struggles"
    assert denied_claim(list(reversed(both))) == "understands"
    assert denied_claim(evidence(2, 1)) is None


marks = st.lists(st.sampled_from(["right", "wrong", "deny", "fade"]), max_size=14)


def _chain(events: list[str], rows: list[Belief] | None = None) -> BeliefChain:
    chain = BeliefChain(ANA, "c", rows or [], SETTINGS, recorded_at=START)
    for n, event in enumerate(events, start=1):
        at = START + timedelta(days=n)
        if event == "fade":
            chain.fade(at + timedelta(days=45))
        elif event == "deny":
            if chain.head is not None and chain.head.claim != "unsettled":
                chain.replay(
                    [
                        DenialEvent(
                            episode_id=f"e{n}", sequence=n, occurred_at=at, concept_ids=("c",), claim=chain.head.claim
                        )
                    ]
                )
        else:
            chain.replay([_check(n, event)])
    return chain


def _check(n: int, verdict: str) -> CheckEvent:
    at = START + timedelta(days=n)
    return CheckEvent(
        episode_id=f"e{n}",
        sequence=n,
        occurred_at=at,
        recorded_at=at,
        verdict="right" if verdict == "right" else "wrong",
        concept_ids=("c",),
    )


@given(marks)
def test_time_never_runs_back_in_a_chain_and_every_row_names_its_evidence_once(events: list[str]) -> None:
    rows = _chain(events).new
    assert all(older.valid_from <= newer.valid_from for older, newer in pairwise(rows))
    assert len({one.belief_id for one in rows}) == len(rows)
    for one in rows:
        assert len(set(one.evidence_ids)) == len(one.evidence_ids)
        assert one.confidence is None or 0.5 <= one.confidence <= SETTINGS.confidence_cap


@given(marks)
def test_replaying_what_a_chain_holds_adds_nothing(events: list[str]) -> None:
    rows = _chain(events).new
    again = _chain([one for one in events if one != "fade"], rows)
    known = {part.episode_id for one in rows for part in one.added}
    assert all(part.episode_id not in known for one in again.new for part in one.added)


@given(st.lists(st.sampled_from(["right", "wrong"]), max_size=12))
def test_a_retired_and_replayed_chain_says_what_it_said(events: list[str]) -> None:
    checks = [_check(n, event) for n, event in enumerate(events, start=1)]
    chain = _chain(events)
    replayed = BeliefChain(ANA, "c", chain.new, SETTINGS, recorded_at=START)
    replayed.retire()
    replayed.replay(checks)
    assert chain.says_the_same(replayed)
    if events:
        assert chain.head is not None
        assert replayed.head is not None
        assert (chain.head.claim, chain.head.evidence) == (replayed.head.claim, replayed.head.evidence)


def test_checks_are_replayed_in_the_order_in_which_they_were_recorded() -> None:
    chain = BeliefChain(ANA, "c", [], SETTINGS, recorded_at=START)
    chain.replay([_check(3, "wrong"), _check(1, "right"), _check(2, "right")])
    assert [one.added[0].episode_id for one in chain.new] == ["e1", "e2", "e3"]
    assert [one.valid_from for one in chain.new] == [START + timedelta(days=day) for day in (1, 2, 3)]


def test_a_chain_that_faded_between_its_checks_says_what_one_says_that_did_not() -> None:
    faded_between = _chain(["right", "fade", "right"])
    assert "decay" in [one.reason for one in faded_between.new]
    plain = BeliefChain(ANA, "c", [], SETTINGS, recorded_at=START)
    plain.replay([_check(1, "right"), _check(3, "right")])
    assert faded_between.says_the_same(plain)
    plain.replay([_check(4, "right")])
    assert not faded_between.says_the_same(plain)


def _two_concepts() -> tuple[list[Belief], dict[str, datetime]]:
    """Return the chains of two concepts with a common third check, and when each check was recorded."""
    rows: list[Belief] = []
    for concept_id, first in (("c", "right"), ("d", "wrong")):
        early = BeliefChain(ANA, concept_id, [], SETTINGS, recorded_at=START)
        early.replay([_check(1 if concept_id == "c" else 2, first)])
        late = BeliefChain(ANA, concept_id, early.new, SETTINGS, recorded_at=START + timedelta(days=9))
        late.replay([_check(3, "right")])
        rows += [*early.new, *late.new]
    return rows, {"e1": START - timedelta(days=1), "e2": START - timedelta(days=1), "e3": START + timedelta(days=3)}


def test_a_check_of_two_concepts_is_predicted_by_the_mean_of_both_however_often_one_was_derived_again() -> None:
    rows, recorded = _two_concepts()
    mean_of_both = [Prediction(episode_id="e3", mastery=0.5, right=True)]
    assert predictions(rows, recorded) == mean_of_both
    again = BeliefChain(
        ANA, "c", [one for one in rows if one.concept_id == "c"], SETTINGS, recorded_at=START + timedelta(days=20)
    )
    again.retire()
    again.replay([_check(1, "right"), _check(3, "right")])
    assert predictions([*rows, *again.new], recorded) == mean_of_both


def test_predictions_come_in_the_order_of_the_checks() -> None:
    chains = []
    for concept_id, numbers in (("c", (1, 5)), ("d", (2, 3))):
        chain = BeliefChain(ANA, concept_id, [], SETTINGS, recorded_at=START)
        chain.replay([_check(numbers[0], "right")])
        later = BeliefChain(ANA, concept_id, chain.new, SETTINGS, recorded_at=START + timedelta(days=9))
        later.replay([_check(numbers[1], "wrong")])
        chains += [*chain.new, *later.new]
    recorded = {f"e{n}": START + timedelta(days=n) for n in (1, 2, 3, 5)} | {"e1": START, "e2": START}
    assert [one.episode_id for one in predictions(chains, recorded)] == ["e3", "e5"]


def test_a_prediction_is_the_row_that_was_current_before_the_check() -> None:
    chain = BeliefChain(ANA, "c", [], SETTINGS, recorded_at=START)
    chain.replay([_check(1, "right")])
    later = BeliefChain(ANA, "c", chain.new, SETTINGS, recorded_at=START + timedelta(days=3))
    later.replay([_check(2, "wrong")])
    rows = [*chain.new, *later.new]
    made = predictions(rows, {"e1": START - timedelta(days=1), "e2": START + timedelta(days=2)})
    assert made == [Prediction(episode_id="e2", mastery=0.6, right=False)]


def test_struggles_predicts_one_minus_its_confidence() -> None:
    chain = BeliefChain(ANA, "c", [], SETTINGS, recorded_at=START)
    chain.replay([_check(1, "wrong"), _check(2, "wrong")])
    assert chain.head is not None
    assert chain.head.claim == "struggles"
    assert chain.head.confidence == pytest.approx(4 / 6, abs=1e-6)
    assert chain.head.mastery == pytest.approx(2 / 6, abs=1e-6)


def test_the_reliability_curve_by_hand() -> None:
    made = [Prediction(episode_id=str(n), mastery=mastery, right=right) for n, (mastery, right) in enumerate(
        [(0.1, False), (0.3, True), (0.7, True), (0.75, False), (1.0, True)]
    )]  # fmt: skip
    found = calibrate(made, SETTINGS)
    assert [bucket.n for bucket in found.buckets] == [1, 1, 0, 2, 1]
    assert found.buckets[3].mean_predicted == pytest.approx(0.725)
    assert found.buckets[3].share_right == 0.5
    assert found.buckets[2].mean_predicted is None
    assert found.ece == pytest.approx((0.1 + 0.7 + 2 * 0.225 + 0.0) / 5)
    assert found.calibrated
    assert calibrate([], SETTINGS).ece is None


def test_the_next_night_is_never_now() -> None:
    assert seconds_until(3, datetime(2026, 1, 5, 1, 30, tzinfo=UTC)) == 5400
    assert seconds_until(3, datetime(2026, 1, 5, 3, tzinfo=UTC)) == 86400


class _CountingNightly:
    def __init__(self) -> None:
        self.runs = 0

    def run(self, *, stop: object) -> list[object]:
        self.runs += 1
        return []


def test_a_server_runs_the_night_at_its_start_and_then_each_night() -> None:
    nightly, waited, ended = _CountingNightly(), list[float](), Event()

    def wait(seconds: float) -> bool:
        waited.append(seconds)
        if len(waited) < 3:
            return False
        ended.set()
        return True

    schedule = NightlySchedule(nightly, hour=3, clock=lambda: START, wait=wait)  # type: ignore[arg-type]
    schedule.start()
    assert ended.wait(20)
    schedule.close()
    assert nightly.runs == 3
    assert all(0 < seconds <= 86400 for seconds in waited)
