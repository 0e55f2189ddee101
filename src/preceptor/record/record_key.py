"""The secret behind the record: chain links, commitments, head seals and checkpoint signatures.

It lies outside the database, so that whoever can change the rows cannot make them verify.
"""

from __future__ import annotations

import hmac
import os
import secrets
import stat
from pathlib import Path

from preceptor.errors import SettingsError

KEY_BYTES = 32


class RecordKey:
    """32 secret bytes, used only through keys derived from them, one per purpose."""

    def __init__(self, secret: bytes) -> None:
        """Derive the keys.

        Raises:
            ValueError: The secret is not 32 bytes long.
        """
        if len(secret) != KEY_BYTES:
            raise ValueError(f"the record key must be {KEY_BYTES} bytes, got {len(secret)}")
        self._chain = _derive(secret, b"chain link")
        self._commitment = _derive(secret, b"payload commitment")
        self._head = _derive(secret, b"chain head")
        self._checkpoint = _derive(secret, b"checkpoint")
        self._source = _derive(secret, b"experience source")
        self.fingerprint = _derive(secret, b"fingerprint").hex()[:16]
        """Names the key without giving it away."""

    def link(self, previous_hash: str, envelope: bytes) -> str:
        """Return the hash of one link, hex."""
        return hmac.digest(self._chain, previous_hash.encode() + envelope, "sha256").hex()

    def commit(self, nonce: bytes, payload: str) -> str:
        """Return the commitment to a payload, hex."""
        return hmac.digest(self._commitment, nonce + payload.encode(), "sha256").hex()

    def seal_head(self, content: bytes) -> str:
        """Return the seal of a chain's head, hex."""
        return hmac.digest(self._head, content, "sha256").hex()

    def source_link(self, dialogue_id: str) -> str:
        """Return what an experience names as its source in place of a dialogue of the log: "log-" and 32 hex digits."""
        return f"log-{hmac.digest(self._source, dialogue_id.encode(), 'sha256').hex()[:32]}"

    def sign_checkpoint(self, content: bytes) -> str:
        """Return the signature of an exported checkpoint, hex."""
        return hmac.digest(self._checkpoint, content, "sha256").hex()


def open_key(path: Path, *, may_create: bool) -> RecordKey:
    """Return the key in a file of mode 600, made there once.

    Args:
        path: The file.
        may_create: Whether a new record begins; an old one cannot be verified with a new key.

    Raises:
        SettingsError: The file is missing where it must exist, can be read by others, or has the wrong length.
    """
    if may_create:
        _create_once(path)
    try:
        with path.open("rb") as file:
            mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
            secret = file.read(KEY_BYTES + 1)
    except FileNotFoundError as error:
        raise SettingsError(
            f"{path} is missing, but the record was written with a key: put the key back from your backup"
        ) from error
    except OSError as error:
        raise SettingsError(f"{path}: {error.strerror}") from error
    if os.name == "posix" and mode & 0o077:
        raise SettingsError(f"{path} has mode {mode:03o}, expected 600: others could read the key. chmod 600 {path}")
    if len(secret) != KEY_BYTES:
        raise SettingsError(f"{path} must hold {KEY_BYTES} bytes, it holds {'more' if secret[KEY_BYTES:] else 'fewer'}")
    return RecordKey(secret)


def _create_once(path: Path) -> None:
    if path.exists():
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    made = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    descriptor = os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(secrets.token_bytes(KEY_BYTES))
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(made, path)  # whole or not at all, and never over a key that another process just made
        except FileExistsError:
            return
    finally:
        made.unlink()


def _derive(secret: bytes, purpose: bytes) -> bytes:
    return hmac.digest(secret, b"preceptor " + purpose, "sha256")
