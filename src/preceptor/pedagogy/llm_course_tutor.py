"""The tutor role on a course's files, played by a language model: passages are fenced material, numbers are citations.

Whether a number holds is checked by whoever sends the reply (`tutoring/grounding.py`).
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing

from preceptor.domain.frame import Frame, FrameKind
from preceptor.domain.reply import Move, Reply, Rung
from preceptor.domain.route import Route
from preceptor.errors import ModelOutputError
from preceptor.models.language_model import LanguageModel
from preceptor.models.opening import open_model
from preceptor.models.redactor import Redactor
from preceptor.pedagogy.llm_inputs import history_text
from preceptor.pedagogy.streamed_reply import StreamedReply
from preceptor.pedagogy.tutor import TutorTurn
from preceptor.prompts.loader import RenderedPrompt, load_prompt
from preceptor.settings import Settings

MOST_SENTENCES = 5
"""Sentences let through; the prompt asks for four. (chosen)"""


class LlmCourseTutor:
    """Asks a language model for a reply that rests on passages."""

    def __init__(self, model: LanguageModel) -> None:
        self._model = model
        self._prompt = load_prompt("course_tutor")

    async def reply(self, turn: TutorTurn) -> AsyncIterator[str | Reply]:
        """Yield the reply as it comes, then the whole of it.

        Raises:
            ModelError: The model failed or broke off, or it is too small to keep to passages.
        """
        if self._model.small:
            raise ModelOutputError(f"{self._model.engine} is too small to answer from passages")
        streamed = StreamedReply(self._model, self.render(turn), most=MOST_SENTENCES)
        async with aclosing(streamed.pieces()) as pieces:
            async for piece in pieces:
                yield piece
        usage = streamed.usage
        yield Reply(
            text=streamed.text,
            move=Move.FREE,
            rung=Rung(min(turn.routed.tier if turn.routed else 0, Rung.NEXT_SUBSTEP)),
            frame=Frame(kind=FrameKind.OPEN),
            engine=self._model.engine,
            language=turn.context.language,
            notes=tuple(f"{name} refused" for name in usage.dropped) if usage else (),
            usage=usage,
        )

    def render(self, turn: TutorTurn) -> RenderedPrompt:
        """Return the prompt of a turn."""
        routed = turn.routed
        return self._prompt.render(
            {
                "reply_language": turn.context.language,
                "topic": turn.context.problem.text,
                "route": (routed.route if routed else Route.DIRECT).value,
                "help_level": str(routed.tier if routed else 0),
                "no_solution": "yes" if routed and routed.procedural else "no",
                "in_course": "yes" if turn.in_course else "no",
                "passages": turn.course,
                "history": history_text(turn.context.history),
                "refused": "\n".join(turn.avoid),
                "utterance": turn.context.utterance,
            }
        )


def open_llm_course_tutor(settings: Settings, redactor: Redactor | None = None) -> LlmCourseTutor:
    """Return the course tutor on the model that the settings bind to the tutor role.

    Raises:
        SettingsError: The role has no provider or no model, or the provider has no row.
    """
    return LlmCourseTutor(open_model(settings, "tutor", redactor))
