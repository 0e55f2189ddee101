"""The revision rule (eq. 5) and the gate (eq. 8): deterministic, and apart from the critic's own opinion."""

from __future__ import annotations

from dataclasses import dataclass

from preceptor.domain.rubric import RubricScores


@dataclass(frozen=True, kw_only=True)
class RevisionRule:
    """The four thresholds; percentages 0 to 100, scores 0 to 4. Defaults chosen by us, the source leaves them open."""

    tau_rev: float = 85.0
    """Below it a reply is revised: about half of first-pass turns."""
    tau_min: int = 3
    """A reply with an applicable dimension below it is revised: 2 is "weak, shallow, formulaic"."""
    gamma: float = 90.0
    """Nothing below it enters the repository, revised or not; above `tau_rev` by design."""
    gate_min: int = 3
    """Nothing with an applicable dimension below it enters the repository."""

    def __post_init__(self) -> None:
        """Refuse thresholds off their scale, and a gate that is no stricter than the rule."""
        for name in ("tau_rev", "gamma"):
            if not 0 <= getattr(self, name) <= 100:
                raise ValueError(f"{name} must be 0..100, got {getattr(self, name)}")
        for name in ("tau_min", "gate_min"):
            if not 0 <= getattr(self, name) <= 4:
                raise ValueError(f"{name} must be 0..4, got {getattr(self, name)}")
        if self.gamma < self.tau_rev:
            raise ValueError(f"gamma must be at least tau_rev = {self.tau_rev}, got {self.gamma}")

    def needs_revision(self, scores: RubricScores) -> bool | None:
        """Return D_t: S_t < tau_rev or min(v_t) < tau_min, over applicable dimensions; `None`: unscored."""
        percent, lowest = scores.percent, scores.lowest
        if percent is None or lowest is None:
            return None
        return percent < self.tau_rev or lowest < self.tau_min

    def admits(self, scores: RubricScores) -> bool:
        """Return whether a reply, revised or direct, may be distilled; what is unscored may not (A21, A24)."""
        percent, lowest = scores.percent, scores.lowest
        return percent is not None and lowest is not None and percent >= self.gamma and lowest >= self.gate_min
