"""How useful an experience proved: eq. 14 over scored uses, and when it is disabled (A35–A37)."""

from __future__ import annotations

from dataclasses import dataclass

from preceptor.domain.experience import Experience

ALPHA = 0.7
"""Weight of the OLD value. (chosen: the last three uses dominate, one bad turn cannot sink a good entry)"""
TAU_PRUNE = 75.0
"""Percent. (chosen: ten points below the mean of tutors without experience)"""
LEAST_SCORED_USES = 3
"""Fewer uses are no evidence of repeated weakness. (chosen)"""


@dataclass(frozen=True, kw_only=True)
class UtilityRule:
    """The named values of utility and pruning; a lab run may change them."""

    alpha: float = ALPHA
    tau_prune: float = TAU_PRUNE
    least_scored_uses: int = LEAST_SCORED_USES

    def __post_init__(self) -> None:
        """Refuse values outside their range."""
        if not 0 <= self.alpha < 1:
            raise ValueError(f"alpha must be in [0, 1), got {self.alpha}")


def update_utility(utility: float, *, outcome_score: float, alpha: float = ALPHA) -> float:
    """Return an experience's utility after one scored use.

    Args:
        utility: Utility before the use, percent, in [0, 100].
        outcome_score: The critic's score of the turn that used it, percent, in [0, 100].
        alpha: Weight of the OLD value, in [0, 1).

    Returns:
        alpha * utility + (1 - alpha) * outcome_score, percent.

    Raises:
        ValueError: The score is not a percentage.

    Source:
        REAT, equation 14.
    """
    if not 0 <= outcome_score <= 100:
        raise ValueError(f"outcome_score must be 0..100, got {outcome_score}")
    return alpha * utility + (1 - alpha) * outcome_score


def update_mean(mean: float | None, *, n: int, value: float) -> float:
    """Return the mean after one more value; `n` values made the mean so far."""
    return value if mean is None else (mean * n + value) / (n + 1)


def merged_utility(parents: tuple[Experience, ...]) -> float:
    """Return the utility of a merged experience: the parents' mean, each weighing one more than its scored uses.

    Source:
        REAT leaves it open (A34); the weighting is ours.
    """
    weights = [1 + parent.scored_uses for parent in parents]
    return sum(weight * parent.utility for weight, parent in zip(weights, parents, strict=True)) / sum(weights)


def should_disable(experience: Experience, rule: UtilityRule) -> bool:
    """Whether an experience is weak, repeatedly so, and nothing shows that it helps.

    A gain over the prompt-only score, where it is known, keeps an entry whose learners are simply hard.

    Source:
        REAT, equation 15 and Algorithm 2, line 18.
    """
    return (
        experience.utility < rule.tau_prune
        and experience.scored_uses >= rule.least_scored_uses
        and (experience.mean_gain is None or experience.mean_gain <= 0)
    )
