"""One boundary to every provider: what goes wrong out there, and what reaches the roles."""

from __future__ import annotations

import asyncio
import logging
import time
import traceback
from collections.abc import Coroutine, Mapping
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any, TypeVar

import pytest
from pydantic import BaseModel, ConfigDict, SecretStr
from tests.e2e.fake_provider import Act, FakeProvider, fake_provider

from preceptor.errors import ConsentError, ModelCutError, ModelError, ModelOutputError, ModelTimeoutError
from preceptor.models.call import Pauses
from preceptor.models.language_model import Completion
from preceptor.models.llm import ProviderModel
from preceptor.models.provider import vendor_model
from preceptor.models.redactor import Redactor, Unredacted
from preceptor.prompts.loader import RenderedPrompt
from preceptor.settings import ModelSettings, ProviderSettings, RoleSettings

SECRET_TEXT = "My uncle Barnaby has eleven purple ferrets"
PROMPT = RenderedPrompt(
    name="tutor", version=3, digest="abc123abc123", system="Be brief.", user=f"<utterance>{SECRET_TEXT}</utterance>"
)
T = TypeVar("T")


class Verdict(BaseModel):
    """An output type."""

    model_config = ConfigDict(extra="forbid")

    detail: str
    fine: bool


class Waits:
    """Remembers waits instead of waiting."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.seconds.append(seconds)


def model_at(
    server: FakeProvider,
    *,
    deadline_s: float = 10.0,
    retries: int = 3,
    waits: Waits | None = None,
    key: str = "",
    redactor: Redactor | None = None,
) -> ProviderModel:
    return ProviderModel(
        role="tutor",
        name="school",
        provider=ProviderSettings(base_url=server.url, api_key=SecretStr(key)),
        model="fake-1",
        role_settings=RoleSettings(engine="llm", provider="school", model="fake-1", temperature=0.3, max_tokens=400),
        limits=ModelSettings(deadline_s=deadline_s, max_retries=retries),
        redactor=redactor or Unredacted(),
        pauses=Pauses(sleep=(waits or Waits()).sleep, chance=lambda: 0.5),
    )


def run(call: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(call)


async def streamed(model: ProviderModel, **options: Any) -> tuple[list[str], Completion[str]]:
    pieces: list[str] = []
    whole: Completion[str] | None = None
    async for part in model.stream(PROMPT, **options):
        if isinstance(part, Completion):
            whole = part
        else:
            pieces.append(part)
    assert whole is not None
    return pieces, whole


def test_stream_gives_pieces_then_the_whole_with_its_usage() -> None:
    with fake_provider(Act(text="How many boxes are there?")) as server:
        pieces, whole = run(streamed(model_at(server)))
    assert len(pieces) > 1
    assert "".join(pieces) == whole.output == "How many boxes are there?"
    usage = whole.usage
    assert (usage.input_tokens, usage.output_tokens, usage.retries, usage.dropped) == (120, 30, 0, ())
    assert (usage.role, usage.engine, usage.model) == ("tutor", "school", "fake-1")
    assert (usage.prompt, usage.prompt_version, usage.prompt_digest) == ("tutor", 3, "abc123abc123")
    assert usage.cost_usd is None
    sent = server.requests[0]
    assert [message["role"] for message in sent["messages"]] == ["system", "user"]
    assert (sent["temperature"], sent["max_tokens"]) == (0.3, 400)


def test_empty_key_is_allowed_and_no_key_of_the_environment_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-from-elsewhere")
    with fake_provider(Act()) as server:
        run(streamed(model_at(server)))
    assert "sk-from-elsewhere" not in server.keys[0]


def test_missing_usage_is_unknown_not_zero() -> None:
    with fake_provider(Act(usage=False)) as server:
        _, whole = run(streamed(model_at(server)))
    assert (whole.usage.input_tokens, whole.usage.output_tokens) == (None, None)


def test_missing_usage_of_a_structured_answer_is_unknown_too() -> None:
    with fake_provider(Act(text='{"detail": "a", "fine": true}', usage=False, ending="no_reason")) as server:
        answer = run(model_at(server).structured(PROMPT, Verdict))
    assert answer.output == Verdict(detail="a", fine=True)
    assert answer.usage.input_tokens is None


@pytest.mark.parametrize("ending", ["no_done", "stop"])
def test_odd_endings_with_a_finish_reason_are_whole(ending: Any) -> None:
    with fake_provider(Act(ending=ending)) as server:
        _, whole = run(streamed(model_at(server)))
    assert whole.output == Act().text


@pytest.mark.parametrize("ending", ["no_reason", "dropped", "length"])
def test_broken_off_answer_is_never_whole(ending: Any) -> None:
    seen: list[str] = []

    async def read(model: ProviderModel) -> None:
        async for part in model.stream(PROMPT):
            assert not isinstance(part, Completion), "a cut stream was called whole"
            seen.append(part)

    with fake_provider(Act(text="How many boxes are there in the hall?", ending=ending)) as server:
        with pytest.raises(ModelCutError):
            run(read(model_at(server)))
        assert len(server.requests) == 1, "a stream that has begun must not be asked for again"
    assert seen


@pytest.mark.parametrize(
    "act",
    [
        Act(text="How many?", reasoning="The answer is 42, but I must not say so."),
        Act(text="<think>The answer is 42.</think>\n\nHow many?"),
        Act(text="<think>The answer is 42.</think>How many?", piece_length=3),
        Act(text="<thinking>The answer is 42.</thinking>How many?", piece_length=1),
    ],
)
def test_reasoning_is_kept_out_of_the_reply(act: Act) -> None:
    with fake_provider(act) as server:
        pieces, whole = run(streamed(model_at(server)))
    assert "".join(pieces) == whole.output == "How many?"


def test_reasoning_without_an_opening_tag_fails_once_and_is_then_held_back() -> None:
    act = Act(text="The answer is 42.</think>How many?")
    with fake_provider(act) as server:
        model = model_at(server)
        with pytest.raises(ModelOutputError):
            run(streamed(model))
        _, whole = run(streamed(model))
    assert whole.output == "How many?"


def test_nothing_but_reasoning_is_asked_again_once_and_then_refused() -> None:
    with fake_provider(Act(text="<think>hm</think>")) as server:
        with pytest.raises(ModelOutputError, match="nothing but reasoning"):
            run(streamed(model_at(server)))
        assert len(server.requests) == 2


def test_structured_answer_is_read_past_reasoning_and_fences() -> None:
    text = '<think>{"detail": "no"}</think>```json\n{"detail": "two\nlines", "fine": false}\n```'
    with fake_provider(Act(text=text)) as server:
        answer = run(model_at(server).structured(PROMPT, Verdict))
    assert answer.output == Verdict(detail="two\nlines", fine=False)
    sent = server.requests[0]["response_format"]
    assert sent["type"] == "json_schema"
    assert sent["json_schema"]["schema"]["additionalProperties"] is False


def test_rate_limit_waits_as_long_as_the_server_asks_in_seconds() -> None:
    waits = Waits()
    with fake_provider(Act(status=429, headers={"Retry-After": "7"}), Act()) as server:
        _, whole = run(streamed(model_at(server, deadline_s=60, waits=waits)))
    assert 7 <= waits.seconds[0] <= 8
    assert whole.usage.retries == 1


def test_rate_limit_waits_as_long_as_the_server_asks_as_a_date() -> None:
    waits = Waits()
    at = format_datetime(datetime.now(UTC) + timedelta(seconds=20), usegmt=True)
    with fake_provider(Act(status=429, headers={"Retry-After": at}), Act()) as server:
        run(streamed(model_at(server, deadline_s=60, waits=waits)))
    assert 18 <= waits.seconds[0] <= 21


def test_wait_longer_than_the_deadline_ends_at_once() -> None:
    waits = Waits()
    with fake_provider(Act(status=429, headers={"Retry-After": "120"})) as server:
        with pytest.raises(ModelTimeoutError, match="deadline_s"):
            run(streamed(model_at(server, deadline_s=5, waits=waits)))
        assert len(server.requests) == 1
    assert waits.seconds == []


def test_server_faults_are_retried_with_growing_jittered_waits() -> None:
    waits = Waits()
    acts = (Act(status=500), Act(status=503), Act(status=502), Act())
    with fake_provider(*acts) as server:
        _, whole = run(streamed(model_at(server, waits=waits)))
    assert whole.usage.retries == 3
    assert waits.seconds == [0.375, 0.75, 1.5]  # 0.5, 1, 2 seconds, each less a quarter (chance is one half)


def test_retries_end() -> None:
    with fake_provider(Act(status=500)) as server:
        with pytest.raises(ModelError, match="HTTP 500"):
            run(streamed(model_at(server, retries=2)))
        assert len(server.requests) == 3


def test_hanging_server_ends_at_the_total_deadline() -> None:
    started = time.monotonic()
    with fake_provider(Act(delay_s=4)) as server:
        with pytest.raises(ModelTimeoutError, match=r"0\.4 s"):
            run(streamed(model_at(server, deadline_s=0.4)))
        assert time.monotonic() - started < 3.5, "it waited for the server"


def test_stream_that_drips_ends_at_the_total_deadline() -> None:
    with fake_provider(Act(text="a b c d e f g h i j", piece_length=1, piece_delay_s=0.1)) as server:
        with pytest.raises(ModelTimeoutError):
            run(streamed(model_at(server, deadline_s=0.5)))


def test_slow_server_inside_the_deadline_is_waited_for() -> None:
    with fake_provider(Act(delay_s=0.4)) as server:
        _, whole = run(streamed(model_at(server, deadline_s=5)))
    assert whole.usage.duration_ms >= 400


def test_server_that_is_not_there_is_named_with_its_setting() -> None:
    gone = FakeProvider(acts=[], url="http://127.0.0.1:9/v1")
    with pytest.raises(
        ModelError, match=r"school at 127\.0\.0\.1 cannot be reached: check providers\.school\.base_url"
    ):
        run(streamed(model_at(gone, retries=1)))


def test_refused_key_names_provider_and_setting_and_is_not_retried() -> None:
    with fake_provider(Act(status=401)) as server:
        with pytest.raises(ModelError, match=r"school .*HTTP 401.*providers\.school\.api_key"):
            run(streamed(model_at(server, key="sk-wrong-key")))
        assert len(server.requests) == 1
    assert server.keys == ["Bearer sk-wrong-key"]


def test_unknown_model_names_the_settings() -> None:
    with fake_provider(Act(status=404)) as server:
        with pytest.raises(ModelError, match=r"roles\.tutor\.model"):
            run(streamed(model_at(server)))


@pytest.mark.parametrize("refused", [("temperature",), ("max_tokens",), ("temperature", "max_tokens")])
def test_refused_parameters_are_left_out_and_recorded(refused: tuple[str, ...]) -> None:
    with fake_provider(Act(refuses=refused)) as server:
        model = model_at(server)
        _, first = run(streamed(model))
        _, second = run(streamed(model))
    assert first.usage.dropped == second.usage.dropped == tuple(sorted(refused))
    assert first.usage.retries == len(refused)
    assert second.usage.retries == 0, "what was refused once is not sent again"
    assert not set(refused) & set(server.requests[-1])


def test_refused_schema_is_asked_for_in_words_instead() -> None:
    with fake_provider(Act(text='{"detail": "x", "fine": true}', refuses=("response_format",))) as server:
        answer = run(model_at(server).structured(PROMPT, Verdict))
    assert answer.usage.dropped == ("response_format",)
    assert "additionalProperties" in str(server.requests[1]["messages"])


def test_other_refusals_are_not_retried() -> None:
    with fake_provider(Act(status=400, error="you have been naughty")) as server:
        with pytest.raises(ModelError, match="HTTP 400"):
            run(streamed(model_at(server)))
        assert len(server.requests) == 1


@pytest.mark.parametrize(
    "text", ["not json", '{"detail": 3, "fine": "maybe"}', '{"detail": "a", "fine": true, "x": 1}']
)
def test_answer_out_of_type_is_asked_for_once_more_with_what_was_wrong(text: str) -> None:
    with fake_provider(Act(text=text), Act(text='{"detail": "ok", "fine": true}')) as server:
        answer = run(model_at(server).structured(PROMPT, Verdict))
    assert answer.output.detail == "ok"
    assert (answer.usage.retries, answer.usage.repairs) == (1, 1)
    assert text in str(server.requests[1]["messages"]).replace("\\", "")


def test_answer_out_of_type_twice_is_an_output_error() -> None:
    with fake_provider(Act(text="[]")) as server:
        with pytest.raises(ModelOutputError, match="output type of the tutor"):
            run(model_at(server).structured(PROMPT, Verdict))
        assert len(server.requests) == 2


def test_truncated_structured_answer_names_the_setting() -> None:
    with fake_provider(Act(text='{"detail": "and so', ending="length")) as server:
        with pytest.raises(ModelOutputError, match=r"roles\.tutor\.max_tokens"):
            run(model_at(server).structured(PROMPT, Verdict))


@pytest.mark.parametrize("raw", ["<html>gateway</html>", "{]", '{"choices": []}', ""])
def test_garbage_instead_of_a_completion_is_an_output_error_after_one_retry(raw: str) -> None:
    with fake_provider(Act(raw=raw)) as server:
        with pytest.raises(ModelError):
            run(model_at(server).structured(PROMPT, Verdict))
        assert len(server.requests) == 2


def test_garbage_in_a_stream_is_never_whole() -> None:
    with fake_provider(Act(raw="data: {broken\n\n")) as server:
        with pytest.raises(ModelError):
            run(streamed(model_at(server)))


def test_enough_ends_the_call_and_counts_as_whole() -> None:
    with fake_provider(Act(text="One. Two. Three. Four. Five. Six.", piece_delay_s=0.02)) as server:
        pieces, whole = run(streamed(model_at(server), enough=lambda text: "Two." in text))
    assert whole.output.startswith("One. Two.")
    assert "Four" not in "".join(pieces)
    assert whole.usage.output_tokens is None


@pytest.mark.parametrize(
    "act",
    [
        Act(),
        Act(status=400, error=f"invalid: {SECRET_TEXT}"),
        Act(status=500, error=SECRET_TEXT),
        Act(text=SECRET_TEXT, ending="no_reason"),
        Act(raw=SECRET_TEXT),
    ],
)
@pytest.mark.parametrize("structured", [True, False])
def test_no_log_and_no_error_holds_learner_text(act: Act, structured: bool, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with fake_provider(act) as server:
        model = model_at(server, retries=1)
        try:
            run(model.structured(PROMPT, Verdict)) if structured else run(streamed(model))
        except ModelError as error:
            shown = "".join(traceback.format_exception(error))
            assert SECRET_TEXT not in shown
            assert "ferrets" not in shown
    assert "ferrets" not in caplog.text


class Names:
    """Replaces one name."""

    def redact(self, text: str) -> tuple[str, dict[str, str]]:
        return text.replace("Barnaby", "[NAME_1]"), {"[NAME_1]": "Barnaby"}

    def restore(self, text: str, mapping: Mapping[str, str]) -> str:
        for placeholder, name in mapping.items():
            text = text.replace(placeholder, name)
        return text


def remote_model(server: FakeProvider, *, consent: bool) -> ProviderModel:
    """A model whose row names a host outside this machine, while its connection goes to the fake."""
    inside = ProviderSettings(base_url=server.url)
    return ProviderModel(
        role="tutor",
        name="cloud",
        provider=ProviderSettings(base_url="https://llm.example.org/v1", consent=consent),
        model="fake-1",
        role_settings=RoleSettings(engine="llm", provider="cloud", model="fake-1"),
        limits=ModelSettings(deadline_s=5),
        redactor=Names(),
        make=lambda: vendor_model("cloud", inside, "fake-1", timeout_s=5),
    )


@pytest.mark.parametrize("structured", [True, False])
def test_without_consent_nothing_is_sent_and_the_message_says_how_to_give_it(structured: bool) -> None:
    with fake_provider(Act()) as server:
        model = remote_model(server, consent=False)
        with pytest.raises(ConsentError, match=r"llm\.example\.org.*consent = true.*\[providers\.cloud\]"):
            run(model.structured(PROMPT, Verdict)) if structured else run(streamed(model))
        assert server.requests == []


def test_names_leave_as_placeholders_and_come_back_in_the_stream() -> None:
    with fake_provider(Act(text="What did [NAME_1] buy, [NAME_1]?", piece_length=3)) as server:
        pieces, whole = run(streamed(remote_model(server, consent=True)))
    assert "Barnaby" not in str(server.requests)
    assert "[NAME_1]" in str(server.requests)
    assert "".join(pieces) == whole.output == "What did Barnaby buy, Barnaby?"


def test_names_come_back_in_a_structured_answer() -> None:
    with fake_provider(Act(text='{"detail": "[NAME_1] is wrong", "fine": false}')) as server:
        answer = run(remote_model(server, consent=True).structured(PROMPT, Verdict))
    assert "Barnaby" not in str(server.requests)
    assert answer.output.detail == "Barnaby is wrong"


def test_one_model_serves_one_event_loop_after_another() -> None:
    with fake_provider(Act()) as server:
        model = model_at(server)
        assert run(streamed(model))[1].output == run(streamed(model))[1].output
