"""The critic role played by a language model: reasons first, then scores; caps and answer leaks are decided in code.

An answer out of form is no score: the reply is unscored, with the reason, and counted.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from preceptor.domain.rubric import Critique, Dimension, Flag, RubricScores, Score, apply_caps
from preceptor.domain.usage import Usage
from preceptor.errors import ModelCutError, ModelOutputError
from preceptor.experience.critic import ReviewedTurn
from preceptor.experience.critic_evidence import gather_evidence
from preceptor.experience.critic_flags import find_flags
from preceptor.experience.llm_review import record_text
from preceptor.models.language_model import LanguageModel
from preceptor.models.opening import open_model
from preceptor.models.redactor import Redactor
from preceptor.pedagogy.llm_inputs import history_text
from preceptor.prompts.loader import RenderedPrompt, load_prompt
from preceptor.settings import Settings


class FlagsOutput(BaseModel):
    """The four faults, after what shows them."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    seen: Annotated[str, Field(max_length=400)]
    """The words of the reply that show a fault, and which; empty if there is none."""
    answer_given: bool
    pseudo_scaffolding: bool
    fake_empathy: bool
    misdiagnosis: bool

    def flags(self) -> frozenset[Flag]:
        """Return the faults that were found."""
        return frozenset(flag for flag in Flag if getattr(self, flag.value))


class JudgementOutput(BaseModel):
    """One criterion: the reason, then the score."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    criterion: Dimension
    reason: Annotated[str, Field(max_length=400)]
    """Why, with words of the reply."""
    score: Annotated[int, Field(ge=0, le=4)] | None
    """0 to 4; null only for strategy_adaptation."""


class CritiqueOutput(BaseModel):
    """What the critic model answers."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    what_it_does: Annotated[str, Field(max_length=400)]
    """What the reply does, without judging it."""
    faults: FlagsOutput
    judgements: Annotated[list[JudgementOutput], Field(min_length=1, max_length=8)]
    """One a criterion, in the order that was given."""
    revision_wanted: bool
    """Whether the reply should be written again."""


class LlmCritic:
    """A critic that asks a language model; it is never told who wrote the reply."""

    def __init__(self, model: LanguageModel, *, order_seed: int | None = None) -> None:
        """Fix the order of the criteria.

        Args:
            model: Plays the role.
            order_seed: Shuffles the criteria in the prompt; `None`: the rubric's order.
        """
        self._model = model
        self._order = criteria_order(order_seed)
        self._prompt = load_prompt("critic")
        self.asked = 0
        """Replies that were put to the model."""
        self.unscored = 0
        """Replies with at least one dimension that the model gave no usable score for."""

    async def critique(self, turn: ReviewedTurn) -> Critique:
        """Return the scores of `turn.reply`, caps applied; unscored where the answer was out of form or broke off.

        Raises:
            ModelError: The model could not be reached in time, or refused.
        """
        self.asked += 1
        try:
            answer = await self._model.structured(self.render(turn), CritiqueOutput)
        except (ModelOutputError, ModelCutError) as error:
            self.unscored += 1
            return self._unscored(type(error).__name__)
        said = answer.output
        made = judged(said.judgements, said.faults, turn, order=self._order, engine=self._model.engine)
        if made.scores.unscored:
            self.unscored += 1
        return with_opinion(made, said.revision_wanted, answer.usage)

    def render(self, turn: ReviewedTurn) -> RenderedPrompt:
        """Return the prompt: problem, dialogue, the observer's record and the reply; no author, no engine."""
        context = turn.context
        return self._prompt.render(
            {
                "criteria": "\n".join(dimension.value for dimension in self._order),
                "problem": context.problem.text,
                "solution": context.problem.solution or "",
                "history": history_text(context.history),
                "observation": record_text(turn),
                "utterance": context.utterance,
                "reply": turn.reply,
            }
        )

    def _unscored(self, reason: str) -> Critique:
        failed = Score.unscored(f"the critic's answer could not be used: {reason}")
        return Critique(
            scores=RubricScores(**{dimension.value: failed for dimension in Dimension}),
            evidence=(order_note(self._order),),
            engine=self._model.engine,
        )


def criteria_order(seed: int | None) -> tuple[Dimension, ...]:
    """Return the dimensions in the order of this seed; `None`: the rubric's own."""
    order = list(Dimension)
    if seed is not None:
        random.Random(seed).shuffle(order)
    return tuple(order)


def order_note(order: Sequence[Dimension]) -> str:
    """Return the order of the criteria for the record."""
    return "criteria order: " + ", ".join(dimension.value for dimension in order)


def judged(
    judgements: Sequence[JudgementOutput],
    faults: FlagsOutput,
    turn: ReviewedTurn,
    *,
    order: Sequence[Dimension],
    engine: str,
) -> Critique:
    """Return the critique that follows from a model's judgements: flags cap in code, a computed leak is always one."""
    found = {item.criterion: item for item in reversed(judgements)}
    repeated = {item.criterion for item in judgements if sum(o.criterion is item.criterion for o in judgements) > 1}
    scores = {
        dimension: _score(dimension, found.get(dimension), turn, repeated=dimension in repeated)
        for dimension in Dimension
    }
    computed = find_flags(gather_evidence(turn))
    flags = set(faults.flags())
    seen = [order_note(order)]
    if faults.seen.strip():
        seen.append(f"faults: {faults.seen.strip()}")
    if Flag.ANSWER_GIVEN in computed and Flag.ANSWER_GIVEN not in flags:
        flags.add(Flag.ANSWER_GIVEN)
        seen.append(f"computed: {Flag.ANSWER_GIVEN.value}: {computed[Flag.ANSWER_GIVEN]}")
    return Critique(
        scores=apply_caps(RubricScores(**{key.value: score for key, score in scores.items()}), flags),
        flags=frozenset(flags),
        evidence=tuple(seen),
        engine=engine,
    )


def with_opinion(critique: Critique, revision_wanted: bool, usage: Usage | None) -> Critique:
    """Return a critique with the model's own opinion and what the call cost."""
    return Critique(
        scores=critique.scores,
        flags=critique.flags,
        revision_wanted=revision_wanted,
        evidence=critique.evidence,
        engine=critique.engine,
        usage=usage,
    )


def _score(dimension: Dimension, said: JudgementOutput | None, turn: ReviewedTurn, *, repeated: bool) -> Score:
    adaptation = dimension is Dimension.STRATEGY_ADAPTATION
    if adaptation and not any(entry.tutor for entry in turn.context.history):
        return Score.not_applicable("no earlier reply to adapt from")
    if said is None:
        return Score.unscored("the critic did not judge it")
    if repeated:
        return Score.unscored("the critic judged it more than once")
    if said.score is not None:
        return Score.of(said.score, said.reason)
    return Score.not_applicable(said.reason) if adaptation else Score.unscored("the critic gave null")


def open_llm_critic(
    settings: Settings, redactor: Redactor | None = None, *, order_seed: int | None = None
) -> LlmCritic:
    """Return the critic on the model that the settings bind to the role.

    Raises:
        SettingsError: The role has no provider or no model, or the provider has no row.
    """
    return LlmCritic(open_model(settings, "critic", redactor), order_seed=order_seed)
