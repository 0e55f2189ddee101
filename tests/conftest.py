"""Shared fixtures: no network off loopback, data folders, required services."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

ROOT = Path(__file__).parents[1]
settings.register_profile("preceptor", deadline=None)
settings.load_profile("preceptor")
"""A busy machine is no failure: time is measured in benchmarks/."""

REQUIRED = os.environ.get("PRECEPTOR_REQUIRE_DATA") == "1"


def skip_or_fail(reason: str) -> None:
    """Skip where something is missing; fail where CI says it must be there."""
    if REQUIRED:
        pytest.fail(f"PRECEPTOR_REQUIRE_DATA=1, but {reason}")
    pytest.skip(reason)


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of shared data sets."""
    folder = Path(os.environ.get("PRECEPTOR_DATA") or ROOT.parent / "shared" / "data")
    if not folder.is_dir():
        skip_or_fail(f"no data folder at {folder}")
    return folder


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse every connection that leaves this machine."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        host = address[0] if isinstance(address, tuple) else "unix"
        if host not in {"127.0.0.1", "::1", "localhost", "unix"}:
            raise AssertionError(f"a test tried to connect to {host}")
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the long counts to `make prove`."""
    if "prove" in (config.getoption("-m") or ""):
        return
    for item in items:
        if item.get_closest_marker("prove"):
            item.add_marker(pytest.mark.skip(reason="long count: run by `make prove`"))
