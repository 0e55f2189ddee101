"""The transcriber role: a photographed trace becomes text, and the learner confirms the text before it is checked.

draft = await transcriber.transcribe(picture, problem_text)      # step one: shown to the learner, not checked
text = confirm_transcript(draft, confirmed_text)                 # step two: what the learner says stands there
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from preceptor.domain.usage import Usage
from preceptor.errors import InputError, SettingsError
from preceptor.prompts.loader import PromptImage
from preceptor.settings import Settings

MAX_PICTURE_BYTES = 8_000_000
"""Largest picture. (chosen: a telephone's photograph)"""
MAX_TRANSCRIPT_CHARS = 8_000
"""Longest transcript. (chosen: two pages)"""

_SIGNATURES = ((b"\x89PNG\r\n\x1a\n", "image/png"), (b"\xff\xd8\xff", "image/jpeg"))


@dataclass(frozen=True, kw_only=True)
class DraftTranscript:
    """What a model read in a picture; not the learner's words until the learner says so."""

    text: str
    engine: str
    usage: Usage | None = None

    @property
    def doubtful_lines(self) -> tuple[int, ...]:
        """Lines, from 1, with a sign that could not be made out."""
        return tuple(number for number, line in enumerate(self.text.splitlines(), start=1) if "[?]" in line)


@dataclass(frozen=True, kw_only=True)
class ConfirmedTranscript:
    """A trace's text as the learner has confirmed it; only this is checked."""

    text: str
    changed: bool
    """The learner corrected the draft."""
    engine: str
    """Who made the draft."""


class Transcriber(Protocol):
    """Reads a photographed trace."""

    async def transcribe(self, picture: PromptImage, problem_text: str) -> DraftTranscript:
        """Return what stands in a picture, faults and all.

        Raises:
            InputError: The picture shows no trace.
            ModelError: The model failed, or cannot see pictures.
        """
        ...


def read_picture(content: bytes) -> PromptImage:
    """Return a picture for a transcriber.

    Raises:
        InputError: It is neither PNG, JPEG nor WebP, or larger than `MAX_PICTURE_BYTES`.
    """
    if len(content) > MAX_PICTURE_BYTES:
        raise InputError(f"a picture may have {MAX_PICTURE_BYTES} bytes, got {len(content)}")
    kind = next((kind for signature, kind in _SIGNATURES if content.startswith(signature)), None)
    if kind is None and content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        kind = "image/webp"
    if kind is None:
        raise InputError(f"expected a picture (PNG, JPEG or WebP), got bytes that begin {content[:8]!r}")
    return PromptImage(media_type=kind, content=content)


def confirm_transcript(draft: DraftTranscript, confirmed_text: str) -> ConfirmedTranscript:
    """Return the text that may be checked.

    Raises:
        InputError: The confirmed text is empty.
    """
    if not confirmed_text.strip():
        raise InputError("the confirmed transcript is empty; expected the text of the trace")
    changed = confirmed_text.strip() != draft.text.strip()
    return ConfirmedTranscript(text=confirmed_text, changed=changed, engine=draft.engine)


def open_transcriber(settings: Settings) -> Transcriber:
    """Return the transcriber that the settings name.

    Raises:
        SettingsError: No transcription model is configured: the builtin engine cannot see.
    """
    if settings.roles.transcriber.engine == "builtin":
        raise SettingsError(
            "no transcription model configured: set roles.transcriber.engine to llm, with provider and model; "
            "or type the trace as text"
        )
    from preceptor.safety.redaction import PersonalDataRedactor
    from preceptor.tracing.llm_transcriber import open_llm_transcriber

    return open_llm_transcriber(settings, PersonalDataRedactor())
