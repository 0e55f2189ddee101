"""Where text goes, and that it goes nowhere without consent."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import SecretStr

from preceptor.errors import ConsentError, MissingExtraError, ModelError, SettingsError
from preceptor.models.destination import destination, leaves_machine, require_consent
from preceptor.models.opening import open_model
from preceptor.models.provider import vendor_model
from preceptor.models.redactor import Unredacted
from preceptor.settings import ProviderSettings, Settings


@pytest.mark.parametrize(
    ("row", "leaves"),
    [
        ({"kind": "local"}, False),
        ({"kind": "ollama"}, False),
        ({"base_url": "http://127.0.0.1:8080/v1"}, False),
        ({"base_url": "http://127.8.9.10/v1"}, False),
        ({"base_url": "http://[::1]:1234/v1"}, False),
        ({"base_url": "http://LOCALHOST:1234"}, False),
        ({}, True),
        ({"kind": "anthropic"}, True),
        ({"kind": "google"}, True),
        ({"kind": "ollama", "base_url": "http://192.168.1.7:11434/v1"}, True),
        ({"base_url": "http://127.0.0.1.example.org/v1"}, True),
        ({"base_url": "http://localhost.example.org/v1"}, True),
        ({"base_url": "http://127.0.0.1@example.org/v1"}, True),
        ({"base_url": "http://0.0.0.0:80/v1"}, True),
    ],
)
def test_only_loopback_and_this_process_stay_on_the_machine(row: dict[str, Any], leaves: bool) -> None:
    provider = ProviderSettings(**row)
    assert leaves_machine(provider) is leaves
    if leaves:
        with pytest.raises(ConsentError, match="consent = true"):
            require_consent("row", provider)
        require_consent("row", provider.model_copy(update={"consent": True}))
    else:
        require_consent("row", provider)


def test_words_for_the_header() -> None:
    assert destination("here", ProviderSettings(kind="local")) == "stays on this machine"
    assert (
        destination("school", ProviderSettings(base_url="https://ai.school.org/v1")) == "goes to ai.school.org (school)"
    )


@pytest.mark.parametrize("kind", ["anthropic", "google"])
def test_missing_extra_is_named(kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, f"pydantic_ai.models.{kind}", None)
    with pytest.raises(MissingExtraError, match=rf"preceptor\[{kind}\]"):
        vendor_model("row", ProviderSettings(kind=kind, api_key=SecretStr("k")), "m", timeout_s=1)


def settings_with(**role: Any) -> Settings:
    return Settings.model_validate(
        {"roles": {"tutor": {"engine": "llm", **role}}, "providers": {"cloud": {}, "here": {"kind": "local"}}}
    )


@pytest.mark.parametrize(
    ("role", "message"),
    [
        ({}, r"roles\.tutor\.provider is not set"),
        ({"provider": "moon", "model": "m"}, r"no row 'moon' in providers; known: cloud, here"),
        ({"provider": "cloud"}, r"roles\.tutor\.model is not set"),
    ],
)
def test_half_bound_role_is_refused_with_the_setting_that_is_missing(role: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        open_model(settings_with(**role), "tutor", Unredacted())


def test_model_outside_cannot_be_opened_without_a_redactor() -> None:
    with pytest.raises(ConsentError, match="personal data"):
        open_model(settings_with(provider="cloud", model="m"), "tutor", None)
    assert open_model(settings_with(provider="here", model="m"), "tutor", None).small


def test_local_model_that_is_not_here_says_how_to_get_it(tmp_path: Any) -> None:
    from preceptor.models.local import gguf_path

    with pytest.raises(ModelError, match="preceptor model fetch smollm2-135m-instruct-q4_1"):
        gguf_path(tmp_path, "smollm2-135m-instruct-q4_1")
    with pytest.raises(ModelError, match="put the file there"):
        gguf_path(tmp_path, "mine.gguf")
