"""What a merged experience takes from which parent."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta

import pytest
from tests.unit.experience_doubles import NOON, candidate

from preceptor.domain.experience import Experience, SourceTurn
from preceptor.experience.repository_merger import MOST_PITFALLS, BuiltinMerger, Merge, merged_experience

PLAIN = "The learner compares the parts."
ALIKE = "The learner counts the parts."
ODD = "The learner compares the zebras."


def merge(known: Experience, later: Experience) -> Merge:
    return asyncio.run(BuiltinMerger().merge(known, later))


def test_the_more_general_sentence_stays_and_of_equal_ones_the_older() -> None:
    assert merge(candidate(ODD), candidate(PLAIN, dialogue="d2")).sentence == PLAIN
    assert merge(candidate(PLAIN), candidate(ODD, dialogue="d2")).sentence == PLAIN
    assert merge(candidate(PLAIN), candidate(ALIKE, dialogue="d2")).sentence == PLAIN
    assert merge(candidate(PLAIN), candidate(ALIKE, dialogue="d2", percent=96.0)).sentence == ALIKE


def test_pitfalls_of_both_are_kept_the_older_ones_first_and_eight_at_most() -> None:
    older = tuple(f"pitfall {name}" for name in "abcde")
    made = merge(candidate(PLAIN, pitfalls=older), candidate(ODD, dialogue="d2", pitfalls=("Pitfall  A", *"vwxyz")))
    assert made.value.undesirable_behaviours == (*older, "v", "w", "x")
    assert len(made.value.undesirable_behaviours) == MOST_PITFALLS


def test_what_the_more_general_one_does_not_say_is_taken_from_the_other() -> None:
    known = candidate(PLAIN)
    other = candidate(ODD, dialogue="d2")
    told = replace(
        other, value=replace(other.value, response_template="What is [it]?", struggle_handling="Go smaller.")
    )
    value = merge(known, told).value
    assert (value.response_template, value.struggle_handling) == ("What is [it]?", "Go smaller.")
    own = replace(known, value=replace(known.value, response_template="Which is it?"))
    assert merge(own, told).value.response_template == "Which is it?"


def merged(known: Experience, later: Experience, engine: str = "builtin", sentence: str = PLAIN) -> Experience:
    words = Merge(state=known.state, sentence=sentence, value=known.value, engine=engine)
    return merged_experience(known, later, words, NOON + timedelta(days=1))


def with_provenance(one: Experience, **fields: object) -> Experience:
    return replace(one, provenance=replace(one.provenance, **fields))  # type: ignore[arg-type]


def test_the_sources_of_both_are_kept_each_once_and_the_run_is_the_later_one_s() -> None:
    known = with_provenance(candidate(PLAIN), sources=(SourceTurn(dialogue_id="d1", turn=0),))
    both = (SourceTurn(dialogue_id="d2", turn=3), SourceTurn(dialogue_id="d1", turn=0))
    found = merged(known, with_provenance(candidate(ALIKE), sources=both, batch="b2")).provenance
    assert [(one.dialogue_id, one.turn) for one in found.sources] == [("d1", 0), ("d2", 3)]
    assert found.batch == "b2"
    assert found.engines[-1] == ("merger", "builtin")


@pytest.mark.parametrize("which", [0, 1])
def test_what_one_parent_is_marked_as_the_merged_one_is_too(which: int) -> None:
    pair = [candidate(PLAIN), candidate(ALIKE, dialogue="d2")]
    assert (merged(pair[0], pair[1]).provenance.simulated, merged(pair[0], pair[1]).provenance.made_by) == (
        False,
        "builtin",
    )
    pair[which] = with_provenance(pair[which], simulated=True, made_by="llm")
    assert (merged(pair[0], pair[1]).provenance.simulated, merged(pair[0], pair[1]).provenance.made_by) == (True, "llm")


def test_a_merge_by_a_model_is_the_model_s_and_takes_its_origin_from_the_parent_whose_sentence_it_keeps() -> None:
    known = with_provenance(candidate(PLAIN, percent=92.0), rounds=1)
    later = with_provenance(candidate(ALIKE, dialogue="d2", percent=98.0), rounds=3)
    assert merged(known, later, "p/m").provenance.made_by == "llm"
    assert merged(known, later, sentence=PLAIN).provenance.rounds == 1
    assert merged(known, later, sentence=ALIKE).provenance.rounds == 3
    assert merged(known, later, sentence="The learner adds the parts.").provenance.rounds == 1
    assert merged(known, later).utility == 95.0
