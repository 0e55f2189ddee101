"""The critic's rubric: five dimensions scored 0 to 4, four flags whose caps are applied here, and the percentages.

Source: REAT, Table 1, Appendix B and equation 4; how percentages follow from scores is inferred from its published
sample scores (the mean of turn percentages reaches all of them, one holistic rating a dialogue reaches none).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from statistics import fmean
from typing import Literal

from preceptor.domain.usage import Usage

TOP = 4
"""Highest score of a dimension; the lowest is 0."""


class Dimension(StrEnum):
    """What a reply is judged on."""

    SCAFFOLDING = "scaffolding"
    """4 stepwise, the learner makes the key inference; 2 weak or pseudo-scaffolding; 0 the answer is given."""
    ATTRIBUTION = "attribution"
    """4 the precise bottleneck; 2 partly relevant, shallow; 0 the wrong issue."""
    EMPATHY = "empathy"
    """4 acknowledgement that fits and supports; 2 formulaic; 0 plain frustration or confusion ignored."""
    TEACHING_FOCUS = "teaching_focus"
    """4 tight on the current obstacle; 2 partly lost; 0 misses the problem."""
    STRATEGY_ADAPTATION = "strategy_adaptation"
    """4 a clear change of move after repeated trouble; 2 other words only; 0 none; N/A without such history."""


class Flag(StrEnum):
    """A fault that caps a dimension, whatever else is good about the reply."""

    ANSWER_GIVEN = "answer_given"
    PSEUDO_SCAFFOLDING = "pseudo_scaffolding"
    FAKE_EMPATHY = "fake_empathy"
    MISDIAGNOSIS = "misdiagnosis"


CAPS: Mapping[Flag, tuple[Dimension, int]] = {
    Flag.ANSWER_GIVEN: (Dimension.SCAFFOLDING, 0),
    Flag.PSEUDO_SCAFFOLDING: (Dimension.SCAFFOLDING, 2),
    Flag.FAKE_EMPATHY: (Dimension.EMPATHY, 2),
    Flag.MISDIAGNOSIS: (Dimension.ATTRIBUTION, 1),
}
"""Flag → (dimension, highest score left): the level whose anchor text names the fault. (chosen)"""

Severity = Literal["none", "minor", "moderate", "severe"]


@dataclass(frozen=True, kw_only=True)
class Score:
    """One dimension's score: 0 to 4, not applicable, or unscored with a reason. Never 0 for what failed."""

    value: int | None
    reason: str = ""
    """Why the score is what it is; for an unscored one, what failed."""
    applicable: bool = True

    def __post_init__(self) -> None:
        """Refuse a value off the scale."""
        if self.value is not None and (isinstance(self.value, bool) or not 0 <= self.value <= TOP):
            raise ValueError(f"score must be 0..{TOP}, got {self.value!r}")
        if self.value is not None and not self.applicable:
            raise ValueError(f"a dimension that is not applicable has no score, got {self.value!r}")
        if self.value is None and self.applicable and not self.reason:
            raise ValueError("an unscored dimension needs a reason")

    @classmethod
    def of(cls, value: int, reason: str = "") -> Score:
        """Return a score of 0 to 4."""
        return cls(value=value, reason=reason)

    @classmethod
    def not_applicable(cls, reason: str = "") -> Score:
        """Return N/A: left out of every sum, minimum and mean."""
        return cls(value=None, reason=reason, applicable=False)

    @classmethod
    def unscored(cls, reason: str) -> Score:
        """Return a score that could not be made: counted, shown, left out of means."""
        return cls(value=None, reason=reason)

    @property
    def is_unscored(self) -> bool:
        """Whether scoring failed."""
        return self.applicable and self.value is None


@dataclass(frozen=True, kw_only=True)
class RubricScores:
    """The five scores of one reply; only strategy adaptation may be N/A (A15)."""

    scaffolding: Score
    attribution: Score
    empathy: Score
    teaching_focus: Score
    strategy_adaptation: Score

    def __post_init__(self) -> None:
        """Refuse N/A where the rubric knows none."""
        for dimension in Dimension:
            if dimension is not Dimension.STRATEGY_ADAPTATION and not self.of(dimension).applicable:
                raise ValueError(f"{dimension} cannot be N/A")

    def of(self, dimension: Dimension) -> Score:
        """Return one dimension's score."""
        score = getattr(self, dimension.value)
        assert isinstance(score, Score)
        return score

    @property
    def applicable(self) -> Mapping[Dimension, Score]:
        """The dimensions that count: five, or four where strategy adaptation is N/A."""
        return {dimension: self.of(dimension) for dimension in Dimension if self.of(dimension).applicable}

    @property
    def unscored(self) -> tuple[Dimension, ...]:
        """The dimensions whose scoring failed."""
        return tuple(dimension for dimension in Dimension if self.of(dimension).is_unscored)

    @property
    def percent(self) -> float | None:
        """S_t, 0 to 100: the share of reachable points; `None`: a dimension is unscored, so the turn is."""
        values = self._values()
        return None if values is None else 100 * sum(values) / (TOP * len(values))

    @property
    def lowest(self) -> int | None:
        """min(v_t) over the applicable dimensions; `None`: a dimension is unscored."""
        values = self._values()
        return None if values is None else min(values)

    def _values(self) -> list[int] | None:
        values = [score.value for score in self.applicable.values()]
        known = [value for value in values if value is not None]
        return known if len(known) == len(values) else None


def apply_caps(scores: RubricScores, flags: Iterable[Flag]) -> RubricScores:
    """Return the scores with each flag's cap applied; N/A and unscored stay as they are (A14)."""
    capped = {dimension: scores.of(dimension) for dimension in Dimension}
    for flag in flags:
        dimension, cap = CAPS[flag]
        value = capped[dimension].value
        if value is not None and value > cap:
            capped[dimension] = Score.of(cap, f"capped: {flag.value}")
    return RubricScores(**{dimension.value: score for dimension, score in capped.items()})


@dataclass(frozen=True, kw_only=True)
class Critique:
    """The critic's record of one reply. It never knows who wrote the reply."""

    scores: RubricScores
    """Caps applied."""
    flags: frozenset[Flag] = field(default_factory=frozenset)
    revision_wanted: bool | None = None
    """The critic's own opinion; eq. 5 decides, and a disagreement is logged (A18). `None`: it has none."""
    order: float | None = None
    """The quality before rounding to scores, 0 to 1; ranks replies whose percent is equal. `None`: not known."""
    evidence: tuple[str, ...] = ()
    """What was seen in the reply, as codes or short sentences."""
    engine: str = "builtin"
    usage: Usage | None = None
    """The model call behind it; `None`: no model was asked."""

    @property
    def percent(self) -> float | None:
        """S_t, 0 to 100; `None`: unscored."""
        return self.scores.percent

    @property
    def improvement_areas(self) -> tuple[Dimension, ...]:
        """Dimensions below 3, the weakest first."""
        weak = [(score.value, place) for place, score in enumerate(map(self.scores.of, Dimension))]
        order = sorted((value, place) for value, place in weak if value is not None and value < 3)
        return tuple(tuple(Dimension)[place] for _, place in order)

    @property
    def severity(self) -> Severity:
        """How bad the worst dimension is; an unscored one counts for nothing here."""
        values = [score.value for score in self.scores.applicable.values() if score.value is not None]
        lowest = min(values, default=TOP)
        return ("severe", "severe", "moderate", "minor", "none")[lowest]


def sample_percent(turns: Sequence[RubricScores]) -> float | None:
    """Return S(x) of one dialogue: the mean over its scored turns; `None`: none is scored."""
    return _mean(turn.percent for turn in turns)


def sample_level(samples: Sequence[Sequence[RubricScores]]) -> float | None:
    """Return the mean over dialogues of S(x): every problem weighs the same."""
    return _mean(sample_percent(sample) for sample in samples)


def turn_level(samples: Sequence[Sequence[RubricScores]]) -> float | None:
    """Return the mean over all scored turns of S_t: long dialogues weigh more."""
    return _mean(turn.percent for sample in samples for turn in sample)


@dataclass(frozen=True, kw_only=True)
class DimensionMean:
    """The mean score of one dimension over the turns where it is applicable and scored."""

    mean: float | None
    """0 to 4; `None`: no turn."""
    n: int


def dimension_means(turns: Iterable[RubricScores]) -> Mapping[Dimension, DimensionMean]:
    """Return each dimension's mean with the number of turns behind it."""
    rows = list(turns)
    means: dict[Dimension, DimensionMean] = {}
    for dimension in Dimension:
        values = [value for value in (row.of(dimension).value for row in rows) if value is not None]
        means[dimension] = DimensionMean(mean=_mean(values), n=len(values))
    return means


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None
