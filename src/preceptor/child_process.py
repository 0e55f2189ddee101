"""Runs a Python module in a child process that can be killed: what must not hang or harm this one runs there."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import time
from collections.abc import Mapping


class ChildTooSlowError(Exception):
    """The deadline passed before the child had answered."""


class ChildDiedError(Exception):
    """The child's output ended, or it takes no more input."""


class ChildProcess:
    """One child with an environment of its own, and the unread rest of its output. For one thread at a time."""

    def __init__(self, module: str, *arguments: str, environment: Mapping[str, str] | None = None) -> None:
        """Start it, without waiting.

        Args:
            module: Run as `python -I -m module`.
            arguments: On its command line.
            environment: Beside a UTF-8 locale; nothing of this process's own is passed on.
        """
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-m", module, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={"LC_ALL": "C.UTF-8", **(environment or {})},
            cwd="/",
            close_fds=True,
        )
        self._rest = b""

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether it runs."""
        return self._process.poll() is None

    def write(self, *parts: bytes) -> None:
        """Send bytes to its input.

        Raises:
            ChildDiedError: It takes none.
        """
        assert self._process.stdin is not None
        try:
            for part in parts:
                self._process.stdin.write(part)
            self._process.stdin.flush()
        except (BrokenPipeError, ValueError) as error:
            raise ChildDiedError from error

    def read_line(self, deadline: float, *, most: int) -> bytes:
        """Return its next line without the end.

        Args:
            deadline: By `time.monotonic`.
            most: Longest line, bytes, within one reading's slack.

        Raises:
            ChildTooSlowError: The deadline passed.
            ChildDiedError: Its output ended, or the line is longer.
        """
        while b"\n" not in self._rest:
            if len(self._rest) > most:
                raise ChildDiedError
            self._rest += self._read(deadline)
        line, _, self._rest = self._rest.partition(b"\n")
        return line.strip()

    def read_bytes(self, n_bytes: int, deadline: float) -> bytes:
        """Return its next bytes, as many as asked for; raises as `read_line`."""
        pieces, n = [self._rest], len(self._rest)
        while n < n_bytes:
            piece = self._read(deadline)
            pieces.append(piece)
            n += len(piece)
        whole = b"".join(pieces)
        self._rest = whole[n_bytes:]
        return whole[:n_bytes]

    def _read(self, deadline: float) -> bytes:
        assert self._process.stdout is not None
        descriptor = self._process.stdout.fileno()
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([descriptor], [], [], left)[0]:
            raise ChildTooSlowError
        piece = os.read(descriptor, 1 << 20)
        if not piece:
            raise ChildDiedError
        return piece

    def kill(self) -> None:
        """End it at once and close its pipes."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except BrokenPipeError:
                    continue
