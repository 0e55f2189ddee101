"""The key file is made once, readable by its owner only, and never replaced silently."""

from __future__ import annotations

import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from preceptor.errors import SettingsError
from preceptor.record.record_key import RecordKey, open_key


def test_a_key_is_made_once_with_mode_600(tmp_path: Path) -> None:
    first = open_key(tmp_path / "home" / "key", may_create=True)
    again = open_key(tmp_path / "home" / "key", may_create=True)
    assert first.fingerprint == again.fingerprint
    assert stat.S_IMODE((tmp_path / "home" / "key").stat().st_mode) == 0o600
    assert [file.name for file in (tmp_path / "home").iterdir()] == ["key"]


def test_programs_that_start_at_once_agree_on_one_key(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        keys = list(pool.map(lambda _: open_key(tmp_path / "key", may_create=True).fingerprint, range(16)))
    assert len(set(keys)) == 1


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o644, 0o610])
def test_a_key_that_others_can_read_is_refused(tmp_path: Path, mode: int) -> None:
    open_key(tmp_path / "key", may_create=True)
    (tmp_path / "key").chmod(mode)
    with pytest.raises(SettingsError, match=f"mode {mode:03o}, expected 600.*chmod 600"):
        open_key(tmp_path / "key", may_create=False)


def test_a_missing_key_of_an_old_record_is_not_made_anew(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="from your backup"):
        open_key(tmp_path / "key", may_create=False)
    assert not (tmp_path / "key").exists()


@pytest.mark.parametrize(("size", "word"), [(0, "fewer"), (31, "fewer"), (33, "more")])
def test_a_key_of_another_length_is_refused(tmp_path: Path, size: int, word: str) -> None:
    (tmp_path / "key").write_bytes(bytes(size))
    (tmp_path / "key").chmod(0o600)
    with pytest.raises(SettingsError, match=f"must hold 32 bytes, it holds {word}"):
        open_key(tmp_path / "key", may_create=True)


def test_each_purpose_has_a_key_of_its_own() -> None:
    key = RecordKey(bytes(32))
    made = {key.link("", b"x"), key.commit(b"", "x"), key.seal_head(b"x"), key.sign_checkpoint(b"x")}
    assert len(made) == 4


def test_hashes_are_hmac_sha256_as_the_documentation_says() -> None:
    """From another implementation: `openssl dgst -sha256 -mac HMAC`, see docs/design/record.md."""
    key = RecordKey(bytes(range(32)))
    assert key.link("0" * 64, b"{}") == LINK
    assert key.commit(bytes(32), "{}") == COMMITMENT


LINK = "608960adf07d78d4eb108200ed21423e6e383795e4f890d2b044dd07ef4bd2c8"
COMMITMENT = "bc7f5e0041010a417ca99b9362922f32cd9be27614760d95dc204b143bec0734"
