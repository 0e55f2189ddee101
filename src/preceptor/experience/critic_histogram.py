"""How a critic scores the replies of a dialogue file or of a set of replies: its histogram and the gate's pass rate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from preceptor.domain.dialogue import Dialogue
from preceptor.domain.rubric import Critique, Dimension, Flag, dimension_means
from preceptor.experience.critic import ReviewedTurn
from preceptor.experience.revision_rule import RevisionRule
from preceptor.maths.step_graph import build_step_graph
from preceptor.pedagogy.builtin_observer import BuiltinObserver
from preceptor.pedagogy.dialogue_formats import problem_of
from preceptor.pedagogy.turn_context import TurnContext

BINS = (0, 25, 50, 60, 70, 80, 85, 90, 95, 100)
"""Lower edges of the percent bins; the last holds 100 only."""


@dataclass(frozen=True, kw_only=True)
class CritiqueHistogram:
    """What a critic made of many replies."""

    n: int
    bins: Mapping[int, int]
    """Lower edge → replies."""
    mean_percent: float | None
    admitted: int
    """Replies that pass the gate."""
    revised: int
    flags: Mapping[Flag, int]
    means: Mapping[Dimension, float | None]

    @property
    def pass_rate(self) -> float | None:
        """Share that passes the gate, [0, 1]; `None`: no replies."""
        return self.admitted / self.n if self.n else None


def reviewed_turns(dialogue: Dialogue, observer: BuiltinObserver) -> Iterator[tuple[int, ReviewedTurn]]:
    """Yield (place, turn) for each turn of a dialogue in which a learner spoke and a reply was given."""
    problem = problem_of(dialogue)
    graph = (
        build_step_graph(problem.text, problem.solution, problem.answer, problem.language) if problem.solution else None
    )
    for place, turn in enumerate(dialogue.turns):
        if not turn.learner.strip() or not (turn.tutor or "").strip():
            continue
        context = TurnContext(
            problem=problem,
            graph=graph,
            history=dialogue.turns[:place],
            utterance=turn.learner,
            language=problem.language,
        )
        yield (
            place,
            ReviewedTurn(context=context, observation=observer.observe_now(context), reply=turn.tutor or ""),
        )


def make_histogram(critiques: Iterable[Critique], rule: RevisionRule | None = None) -> CritiqueHistogram:
    """Return the histogram of scored replies; unscored ones are left out."""
    rule = rule or RevisionRule()
    scored = [(critique, percent) for critique in critiques if (percent := critique.percent) is not None]
    bins = Counter(max(edge for edge in BINS if percent >= edge) for _, percent in scored)
    means = dimension_means(critique.scores for critique, _ in scored)
    return CritiqueHistogram(
        n=len(scored),
        bins={edge: bins[edge] for edge in BINS},
        mean_percent=sum(percent for _, percent in scored) / len(scored) if scored else None,
        admitted=sum(rule.admits(critique.scores) for critique, _ in scored),
        revised=sum(rule.needs_revision(critique.scores) is True for critique, _ in scored),
        flags=Counter(flag for critique, _ in scored for flag in critique.flags),
        means={dimension: mean.mean for dimension, mean in means.items()},
    )
