"""`config show` hides secrets and knows where numbers come from; `doctor` finds what is broken."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from preceptor.cli.config import MASK, config, setting_rows
from preceptor.cli.doctor import doctor
from preceptor.models.fetch import model_folder
from preceptor.settings import Settings

CONFIG = """
[store]
url = "postgresql+psycopg://teacher:hunter2@db.school.org/preceptor"
[providers.cloud]
api_key = "sk-very-secret"
[providers.here]
base_url = "http://127.0.0.1:8080/v1"
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PRECEPTOR_HOME", str(tmp_path))
    monkeypatch.delenv("PRECEPTOR_CONFIG", raising=False)
    return tmp_path


def write(home: Path, text: str) -> None:
    (home / "config.toml").write_text(text, encoding="utf-8")


def test_config_show_lists_every_setting_and_no_secret(home: Path) -> None:
    write(home, CONFIG)
    ran = CliRunner().invoke(config, ["show", "--json"])
    assert ran.exit_code == 0
    rows = {row["name"]: row for row in map(json.loads, ran.stdout.splitlines())}
    assert "sk-very-secret" not in ran.stdout
    assert "hunter2" not in ran.stdout
    assert rows["providers.cloud.api_key"]["value"] == MASK
    assert rows["providers.here.api_key"]["value"] == ""
    assert rows["store.url"]["value"] == f"postgresql+psycopg://teacher:{MASK}@db.school.org/preceptor"
    assert rows["providers.here.base_url"]["value"] == "http://127.0.0.1:8080/v1"
    assert rows["home"]["value"] == str(home)


def test_config_show_says_where_numbers_come_from(home: Path) -> None:
    rows = {row.name: row for row in setting_rows(Settings())}
    assert rows["tutoring.memory_cap_s"].origins == ("seed",)
    assert rows["models.deadline_s"].origins == ("chosen",)
    assert rows["server.host"].origins == ()
    assert rows["roles.observer.temperature"].default == 0.0


def test_config_show_prints_prose_with_changed_values_marked(home: Path) -> None:
    write(home, "[models]\ndeadline_s = 5\n")
    ran = CliRunner().invoke(config, ["show"])
    assert "models.deadline_s = 5.0   (default 60.0)" in ran.stdout
    assert "models.max_retries = 3\n" in ran.stdout


def seen_by_doctor(code: int) -> dict[str, Any]:
    ran = CliRunner().invoke(doctor, ["--json"])
    assert ran.exit_code == code, ran.output
    report = json.loads(ran.stdout)
    assert report["ok"] is (code == 0)
    return {one["name"]: one for one in report["findings"]}


def test_doctor_finds_a_fresh_home_well(home: Path) -> None:
    found = seen_by_doctor(0)
    assert found["embedder"]["state"] == "absent"
    assert "preceptor model fetch" in found["embedder"]["detail"]
    assert found["sqlite full-text search"]["state"] == "ok"
    assert found["role tutor"]["detail"] == "builtin; nothing leaves this machine"
    assert found["experience"]["detail"] == "the repository is empty; turns run without experience"
    assert list(home.iterdir()) == [], "looking changes nothing"


def test_doctor_says_where_text_goes(home: Path) -> None:
    write(home, CONFIG)
    found = seen_by_doctor(0)
    assert "goes to api.openai.com (cloud); the owner has not agreed" in found["provider cloud"]["detail"]
    assert "stays on this machine" in found["provider here"]["detail"]


@pytest.mark.parametrize(
    ("role", "words"),
    [
        ('provider = "cloud"\nmodel = "m"', "consent = true"),
        ('provider = "moon"\nmodel = "m"', "no row 'moon'"),
        ('provider = "gguf"\nmodel = "smollm2-135m-instruct-q4_1"', "preceptor model fetch"),
        ('provider = "cloud"', "roles.tutor.model is not set"),
    ],
)
def test_doctor_finds_a_role_that_cannot_be_played(home: Path, role: str, words: str) -> None:
    write(home, f'[roles.tutor]\nengine = "llm"\n{role}\n{CONFIG}\n[providers.gguf]\nkind = "local"\n')
    found = seen_by_doctor(1)
    assert found["role tutor"]["state"] == "broken"
    assert words in found["role tutor"]["detail"]


def test_doctor_finds_broken_weights(home: Path) -> None:
    folder = model_folder(home, "all-minilm-l6-v2-int8")
    folder.mkdir(parents=True)
    (folder / "model.onnx").write_bytes(b"half a file")
    (folder / "tokenizer.json").write_text("{")
    assert seen_by_doctor(1)["embedder"]["state"] == "broken"
