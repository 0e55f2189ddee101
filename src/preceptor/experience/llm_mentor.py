"""The mentor role played by a language model: flaws first, then the better reply, then what can be learnt from it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from preceptor.domain.experience import Strategy
from preceptor.domain.rubric import Critique, Dimension
from preceptor.domain.usage import Usage
from preceptor.experience.critic import ReviewedTurn
from preceptor.experience.llm_review import record_text
from preceptor.experience.llm_value import Sentence, Short, lines, one_line
from preceptor.experience.mentor import Flaw, Revision
from preceptor.models.language_model import LanguageModel
from preceptor.models.opening import open_model
from preceptor.models.redactor import Redactor
from preceptor.pedagogy.llm_inputs import history_text
from preceptor.prompts.loader import RenderedPrompt, load_prompt
from preceptor.settings import Settings

FlawCode = Literal[
    "answer_giving",
    "pseudo_scaffolding",
    "weak_diagnosis",
    "superficial_empathy",
    "rigidity",
    "loss_of_focus",
]


class FlawOutput(BaseModel):
    """One weakness of the reply."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    said: Sentence
    """What is weak, with words of the reply."""
    code: FlawCode


class RevisionOutput(BaseModel):
    """What the mentor model answers: weaknesses, the better reply, what it teaches."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)

    flaws: Annotated[list[FlawOutput], Field(max_length=6)]
    reply: Annotated[str, Field(max_length=600)]
    """The better reply, as it is said to the learner; empty if nothing better can be said."""
    template: Sentence
    """The reply without its problem, gaps in square brackets."""
    strategy: Strategy
    """What the better reply does; other if none of these."""
    strategy_notes: Short
    pitfalls: Short
    struggle_handling: Sentence
    addresses: Sentence
    """How the new reply answers the weaknesses."""


class LlmMentor:
    """A mentor that asks a language model; the critic and the gate decide afterwards whether its reply is better."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model
        self._prompt = load_prompt("mentor")

    async def revise(
        self, turn: ReviewedTurn, critique: Critique, *, earlier: Sequence[tuple[Revision, Critique]] = ()
    ) -> Revision | None:
        """Return a revision of `turn.reply`, or `None` where the model has nothing better or says the same again.

        Raises:
            ModelError: The model failed.
        """
        answer = await self._model.structured(self.render(turn, critique, earlier), RevisionOutput)
        made = revision_of(answer.output, engine=self._model.engine, usage=answer.usage)
        known = {one_line(turn.reply), *(one_line(revision.reply) for revision, _ in earlier)}
        return None if not made.reply or made.reply in known else made

    def render(
        self, turn: ReviewedTurn, critique: Critique, earlier: Sequence[tuple[Revision, Critique]] = ()
    ) -> RenderedPrompt:
        """Return the prompt of a turn with its critique and the rounds before."""
        context = turn.context
        return self._prompt.render(
            {
                "problem": context.problem.text,
                "solution": context.problem.solution or "",
                "history": history_text(context.history),
                "observation": record_text(turn),
                "utterance": context.utterance,
                "reply": turn.reply,
                "critique": critique_text(critique),
                "earlier": "\n".join(f"{revision.reply}\n{critique_text(judged)}" for revision, judged in earlier),
            }
        )


def critique_text(critique: Critique) -> str:
    """Return a critique as plain lines: flags, then each dimension's score and reason."""
    found = [f"fault: {flag.value}" for flag in sorted(critique.flags)]
    for dimension in Dimension:
        score = critique.scores.of(dimension)
        shown = "not applicable" if not score.applicable else "unscored" if score.value is None else str(score.value)
        found.append(f"{dimension.value}: {shown}" + (f" | {score.reason}" if score.reason else ""))
    return "\n".join(found)


def revision_of(said: RevisionOutput, *, engine: str, usage: Usage | None) -> Revision:
    """Return a model's revision as the pipeline keeps it."""
    return Revision(
        flaws=tuple(Flaw(code=flaw.code, said=one_line(flaw.said)) for flaw in said.flaws),
        reply=one_line(said.reply),
        template=one_line(said.template),
        strategy=said.strategy,
        strategy_notes=lines(said.strategy_notes),
        pitfalls=lines(said.pitfalls),
        struggle_handling=one_line(said.struggle_handling),
        addresses=one_line(said.addresses),
        engine=engine,
        usage=usage,
    )


def abstract_texts(revision: Revision) -> tuple[str, ...]:
    """Return the texts of a revision that must carry nothing of the problem."""
    parts = (revision.template, *revision.strategy_notes, *revision.pitfalls, revision.struggle_handling)
    return tuple(part for part in parts if part)


def open_llm_mentor(settings: Settings, redactor: Redactor | None = None) -> LlmMentor:
    """Return the mentor on the model that the settings bind to the role.

    Raises:
        SettingsError: The role has no provider or no model, or the provider has no row.
    """
    return LlmMentor(open_model(settings, "mentor", redactor))
