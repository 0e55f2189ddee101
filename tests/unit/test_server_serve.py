"""`preceptor serve` says plainly why it does not start."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from preceptor.cli.serve import bound, opened_at, serve
from preceptor.errors import SettingsError
from preceptor.settings import ServerSettings, Settings


def run(home: Path, *options: str, **variables: str) -> Result:
    environment = {"PRECEPTOR_HOME": str(home), "PRECEPTOR_CONFIG": None, **variables}
    return CliRunner().invoke(serve, list(options), env=environment)


def test_a_port_in_use_is_named(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = run(tmp_path, "--port", str(port))
    assert result.exit_code == 1
    assert str(result.exception) == (
        f"port {port} on 127.0.0.1 is already in use: stop what uses it, or choose another with --port"
    )


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1"])
def test_another_host_without_a_token_is_refused_before_anything_is_opened(tmp_path: Path, host: str) -> None:
    result = run(tmp_path / "home", "--host", host, "--port", "0")
    assert "server.access_token" in str(result.exception)
    assert not (tmp_path / "home").exists()


def test_a_host_that_is_no_address_of_this_machine_is_named(tmp_path: Path) -> None:
    result = run(tmp_path, "--host", "192.0.2.1", "--port", "0", PRECEPTOR_SERVER__ACCESS_TOKEN="sixteen characters")
    assert "192.0.2.1" in str(result.exception)
    assert "no address of this machine" in str(result.exception)


def test_a_port_out_of_range_is_a_usage_error(tmp_path: Path) -> None:
    assert run(tmp_path, "--port", "70000").exit_code == 2


@pytest.mark.parametrize(
    ("host", "expected"),
    [("127.0.0.1", "http://127.0.0.1:"), ("0.0.0.0", "http://127.0.0.1:"), ("::1", "http://[::1]:")],
)
def test_the_printed_address_can_be_opened_on_this_machine(host: str, expected: str) -> None:
    settings = Settings(server=ServerSettings(host=host, port=0))
    try:
        listener = bound(settings)
    except SettingsError:
        pytest.skip(f"this machine has no {host}")
    with listener:
        address = opened_at(settings, listener)
    assert address.startswith(expected)
    assert not address.endswith(":0")
