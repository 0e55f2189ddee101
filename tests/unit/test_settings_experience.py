"""The settings of teaching experience are the published values, and refuse what contradicts itself."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from preceptor.experience.retrieval import RetrievalRule
from preceptor.experience.revision_rule import RevisionRule
from preceptor.experience.utility import UtilityRule
from preceptor.settings import ExperienceSettings


def test_defaults_are_those_of_the_rules_they_set() -> None:
    section = ExperienceSettings()
    assert UtilityRule() == UtilityRule(
        alpha=section.alpha, tau_prune=section.tau_prune, least_scored_uses=section.least_scored_uses
    )
    assert RevisionRule() == RevisionRule(
        tau_rev=section.tau_rev, tau_min=section.tau_min, gamma=section.gamma, gate_min=section.gate_min
    )
    assert RetrievalRule() == RetrievalRule(
        k=section.k,
        tau=section.tau,
        rewrites=section.rewrite,
        filters_state=section.state_filter,
        choice=section.choice,
    )


@pytest.mark.parametrize(
    ("key", "value"),
    [("gamma", 84.9), ("alpha", 1.0), ("k", 0), ("tau", 1.1), ("gate_min", 5), ("choice", "best"), ("roles", "two")],
)
def test_a_value_out_of_range_is_refused_by_name(key: str, value: object) -> None:
    with pytest.raises(ValidationError, match=key):
        ExperienceSettings.model_validate({key: value})


def test_a_gate_at_the_revision_threshold_is_allowed() -> None:
    assert ExperienceSettings(gamma=85.0).gamma == 85.0
