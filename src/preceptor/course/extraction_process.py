"""Reading a file's bytes in a child process that can be killed, starved of memory and trusted with nothing.

One child serves file after file and is replaced when it dies or is too slow. Works from any thread; files are read one
at a time.
"""

from __future__ import annotations

import json
import threading
import time
from dataclasses import asdict
from types import TracebackType

from pydantic import TypeAdapter, ValidationError

from preceptor.child_process import ChildDiedError, ChildProcess, ChildTooSlowError
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
            except ChildTooSlowError as error:
                self._drop()
                raise InputError(f"takes longer than {self._settings.read_deadline_s:g} s to read") from error
            except ChildDiedError as error:
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


class _Child:
    """The child that reads files, and what is said to it."""

    def __init__(self, settings: CourseSettings) -> None:
        limits = [str(settings.read_memory_bytes), str(int(settings.read_deadline_s) + 1)]
        self._process = ChildProcess(
            "preceptor.course.extraction_child", *limits, environment={"OPENBLAS_NUM_THREADS": "1"}
        )
        self._ready = False

    @property
    def alive(self) -> bool:
        return self._process.alive

    def ready(self, timeout_s: float) -> bool:
        """Wait for the child's first line."""
        if not self._ready:
            try:
                self._ready = bool(self._header(time.monotonic() + timeout_s).get("ready"))
            except (ChildTooSlowError, ChildDiedError):
                return False
        return self._ready

    def ask(self, content: bytes, form: Format, limits: ExtractionLimits, timeout_s: float) -> bytes:
        """Return the pages as JSON, or raise the child's refusal."""
        deadline = time.monotonic() + timeout_s
        header = {"format": form, "n_bytes": len(content), "limits": asdict(limits)}
        self._process.write(json.dumps(header).encode() + b"\n", content)
        found = self._header(deadline)
        if found.get("refused"):
            raise InputError(str(found["refused"]))
        n_bytes = found.get("n_bytes")
        if not isinstance(n_bytes, int) or n_bytes < 0:
            raise ChildDiedError
        return self._process.read_bytes(n_bytes, deadline)

    def _header(self, deadline: float) -> dict[str, object]:
        line = self._process.read_line(deadline, most=_MAX_HEADER)
        try:
            found = json.loads(line)
        except ValueError as error:
            raise ChildDiedError from error
        return found if isinstance(found, dict) else {}

    def kill(self) -> None:
        """End it at once."""
        self._process.kill()
