"""Reading a file's bytes in a child process that can be killed, starved of memory and trusted with nothing.

One child serves file after file and is replaced when it dies or is too slow. Works from any thread; files are read one
at a time.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import threading
import time
from dataclasses import asdict
from types import TracebackType

from pydantic import TypeAdapter, ValidationError

from preceptor.course.extraction import ExtractedDocument, ExtractionLimits, Format
from preceptor.errors import InputError, PreceptorError
from preceptor.settings import CourseSettings

START_TIMEOUT_S = 60.0
"""Longest wait for a child that is still starting, seconds; measured 1.6 s on two busy cores. (chosen)"""
_DOCUMENT = TypeAdapter(ExtractedDocument)
_MAX_HEADER = 10_000


class ExtractionProcess:
    """Reads files in a child process. Use it with `with`, or `close` it."""

    def __init__(self, settings: CourseSettings) -> None:
        """Keep the limits; the child starts with `warm` or with the first file."""
        self._settings = settings
        self._limits = ExtractionLimits(
            max_pages=settings.max_pages,
            max_page_chars=settings.max_page_chars,
            max_unpacked_bytes=settings.max_unpacked_bytes,
        )
        self._lock = threading.Lock()
        self._child: _Child | None = None

    def warm(self) -> None:
        """Start the child without waiting for it."""
        with self._lock:
            self._child = self._child or _Child(self._settings)

    def extract(self, content: bytes, form: Format) -> ExtractedDocument:
        """Return the pages of a file.

        Raises:
            InputError: It is damaged, encrypted, too large, too slow or not of this format; one line.
            PreceptorError: The child cannot be started.
        """
        with self._lock:
            if self._child is not None and not self._child.alive:
                self._drop()
            child = self._child = self._child or _Child(self._settings)
            if not child.ready(START_TIMEOUT_S):
                self._drop()
                raise PreceptorError("the process that reads course files does not start")
            try:
                answer = child.ask(content, form, self._limits, self._settings.read_deadline_s)
            except _TooSlowError as error:
                self._drop()
                raise InputError(f"takes longer than {self._settings.read_deadline_s:g} s to read") from error
            except (_DiedError, BrokenPipeError) as error:
                self._drop()
                raise InputError("is damaged, or needs more memory than one file may take") from error
        try:
            return _DOCUMENT.validate_json(answer)
        except ValidationError as error:
            raise InputError("is damaged: what was read of it makes no sense") from error

    def close(self) -> None:
        """Kill the child."""
        with self._lock:
            self._drop()

    def _drop(self) -> None:
        if self._child is not None:
            self._child.kill()
        self._child = None

    def __enter__(self) -> ExtractionProcess:
        """Return itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Kill the child."""
        self.close()


class _TooSlowError(Exception):
    """The deadline passed."""


class _DiedError(Exception):
    """The child's output ended."""


class _Child:
    """One child process and the unread rest of its output."""

    def __init__(self, settings: CourseSettings) -> None:
        limits = [str(settings.read_memory_bytes), str(int(settings.read_deadline_s) + 1)]
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-m", "preceptor.course.extraction_child", *limits],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={"LC_ALL": "C.UTF-8", "OPENBLAS_NUM_THREADS": "1"},
            cwd="/",
            close_fds=True,
        )
        self._rest = b""
        self._ready = False

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def ready(self, timeout_s: float) -> bool:
        """Wait for the child's first line."""
        if not self._ready:
            try:
                self._ready = bool(self._header(time.monotonic() + timeout_s).get("ready"))
            except (_TooSlowError, _DiedError):
                return False
        return self._ready

    def ask(self, content: bytes, form: Format, limits: ExtractionLimits, timeout_s: float) -> bytes:
        """Return the pages as JSON, or raise the child's refusal."""
        deadline = time.monotonic() + timeout_s
        header = {"format": form, "n_bytes": len(content), "limits": asdict(limits)}
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(header).encode() + b"\n")
        self._process.stdin.write(content)
        self._process.stdin.flush()
        found = self._header(deadline)
        if found.get("refused"):
            raise InputError(str(found["refused"]))
        n_bytes = found.get("n_bytes")
        if not isinstance(n_bytes, int) or n_bytes < 0:
            raise _DiedError
        pieces, n = [self._rest], len(self._rest)
        while n < n_bytes:
            piece = self._read(deadline)
            pieces.append(piece)
            n += len(piece)
        whole = b"".join(pieces)
        self._rest = whole[n_bytes:]
        return whole[:n_bytes]

    def _header(self, deadline: float) -> dict[str, object]:
        while b"\n" not in self._rest:
            if len(self._rest) > _MAX_HEADER:
                raise _DiedError
            self._rest += self._read(deadline)
        line, _, self._rest = self._rest.partition(b"\n")
        try:
            found = json.loads(line)
        except ValueError as error:
            raise _DiedError from error
        return found if isinstance(found, dict) else {}

    def _read(self, deadline: float) -> bytes:
        assert self._process.stdout is not None
        descriptor = self._process.stdout.fileno()
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([descriptor], [], [], left)[0]:
            raise _TooSlowError
        piece = os.read(descriptor, 1 << 20)
        if not piece:
            raise _DiedError
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
