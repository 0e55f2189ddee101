"""A photographed trace: no model, no transcript; and nothing is checked before the learner confirms."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from pydantic_ai.messages import BinaryContent, ModelMessage, ModelRequest, ModelResponse, TextPart, UserPromptPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from preceptor.errors import InputError, SettingsError
from preceptor.models.llm import ProviderModel
from preceptor.models.redactor import Unredacted
from preceptor.prompts.loader import PromptImage
from preceptor.settings import ModelSettings, ProviderSettings, RoleSettings, Settings
from preceptor.testing.scripted_model import ScriptedModel
from preceptor.tracing.llm_transcriber import LlmTranscriber
from preceptor.tracing.transcriber import (
    MAX_PICTURE_BYTES,
    DraftTranscript,
    confirm_transcript,
    open_transcriber,
    read_picture,
)

PICTURE = b"\x89PNG\r\n\x1a\n" + b"\x00" * 20


def test_without_a_model_the_error_says_so(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="no transcription model configured"):
        open_transcriber(Settings(home=tmp_path))


def test_the_picture_goes_to_the_model_and_its_text_comes_back_unjudged() -> None:
    model = ScriptedModel([{"text": "1. S\n2. [?] f=8"}], role="transcriber")
    draft = asyncio.run(LlmTranscriber(model).transcribe(read_picture(PICTURE), "A* from S to G"))
    assert model.prompts[0].images == (PromptImage(media_type="image/png", content=PICTURE),)
    assert "A* from S to G" in model.prompts[0].user
    assert (draft.text, draft.doubtful_lines, draft.engine) == ("1. S\n2. [?] f=8", (2,), "scripted/model")


def test_the_boundary_sends_the_picture_after_the_text() -> None:
    seen: list[ModelMessage] = []

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        seen.extend(messages)
        return ModelResponse(parts=[TextPart(content='{"text": "S A"}')])

    model = ProviderModel(
        role="transcriber",
        name="here",
        provider=ProviderSettings(base_url="http://127.0.0.1:1/v1"),
        model="seeing",
        role_settings=RoleSettings(),
        limits=ModelSettings(),
        redactor=Unredacted(),
        make=lambda: FunctionModel(answer),
    )
    draft = asyncio.run(LlmTranscriber(model).transcribe(read_picture(PICTURE), "A*"))
    assert draft.text == "S A"
    assert isinstance(seen[0], ModelRequest)
    part = seen[0].parts[0]
    assert isinstance(part, UserPromptPart)
    assert isinstance(part.content[1], BinaryContent)
    assert part.content[1].data == PICTURE


def test_a_picture_without_a_trace_is_refused() -> None:
    model = ScriptedModel([{"text": "  "}])
    with pytest.raises(InputError, match="no trace could be read"):
        asyncio.run(LlmTranscriber(model).transcribe(read_picture(PICTURE), ""))


@pytest.mark.parametrize(
    ("content", "kind"), [(PICTURE, "image/png"), (b"\xff\xd8\xff\xe0", "image/jpeg"), (b"RIFF1234WEBP", "image/webp")]
)
def test_pictures_are_known_by_their_first_bytes(content: bytes, kind: str) -> None:
    assert read_picture(content).media_type == kind


@pytest.mark.parametrize("content", [b"%PDF-1.7", b"", b"\x89PNG\r\n\x1a\n" + b"0" * MAX_PICTURE_BYTES])
def test_what_is_no_picture_or_too_large_is_refused(content: bytes) -> None:
    with pytest.raises(InputError, match="picture"):
        read_picture(content)


def test_only_what_the_learner_confirmed_counts() -> None:
    draft = DraftTranscript(text="S B", engine="scripted/model")
    assert confirm_transcript(draft, "S B\n").changed is False
    confirmed = confirm_transcript(draft, "S A")
    assert (confirmed.text, confirmed.changed, confirmed.engine) == ("S A", True, "scripted/model")
    with pytest.raises(InputError, match="confirmed transcript is empty"):
        confirm_transcript(draft, " ")
