"""Uploaded files on their way into a course: taken at once, read one after another off the request's path.

What waits is in memory only: a file counts as added once the course lists it, and after a crash it is sent again.
"""

from __future__ import annotations

import logging
import threading
import uuid
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, get_args

from preceptor.course.course_files import check_name, check_size
from preceptor.course.extraction import format_of
from preceptor.course.ingestion import FileReport
from preceptor.course.open_courses import OpenCourses
from preceptor.domain.principal import Principal
from preceptor.errors import BusyError, InputError, PreceptorError

UploadState = Literal["waiting", "reading", "stored", "refused"]
_Job = Literal["reading", "renewing"]
CourseWork = Literal["reading", "renewing", "idle"]
SHOWN = 40
"""So many uploads of a course are remembered. (chosen: a folder's worth)"""
WAITING_FILES = 200
"""So many files may wait at once. (chosen)"""
STOP_S = 5.0
"""Longest wait for a file that is being read when the program ends. (chosen: as for replies)"""
_BROKE_OFF = "could not be read because of a mistake of this program; its log says where"
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class Upload:
    """One file that was sent."""

    upload_id: str
    subject_id: str
    name: str
    n_bytes: int
    state: UploadState
    detail: str = ""
    """Why it was refused; one line."""
    report: FileReport | None = None
    """Once it is stored."""

    @property
    def finished(self) -> bool:
        """Whether nothing more will happen to it."""
        return self.state in ("stored", "refused")


class UploadQueue:
    """Reads what was uploaded in one background thread; in another, its course's index and map are renewed."""

    def __init__(self, courses: OpenCourses, *, max_file_bytes: int) -> None:
        """Start nothing yet.

        Args:
            courses: Where files go.
            max_file_bytes: Largest file; twice as much may wait in memory at once.
        """
        self._courses = courses
        self._max_file_bytes = max_file_bytes
        self._changed = threading.Condition()
        self._waiting: deque[tuple[Upload, Principal, bytes]] = deque()
        self._stale: dict[str, None] = {}
        self._uploads: dict[str, list[Upload]] = {}
        self._busy: dict[_Job, str] = {}
        self._stopping = False
        self._threads: dict[_Job, threading.Thread] = {}

    def put(self, principal: Principal, subject_id: str, name: str, content: bytes) -> Upload:
        """Take a file; it is read later.

        Raises:
            InputError: Its name, size or ending is refused at once, or the principal is no instructor.
            NotFoundError: There is no such course.
            BusyError: Too much is waiting already.
        """
        if not principal.may_instruct:
            raise InputError("only an instructor may add files")
        self._courses.store.course(subject_id)
        upload = Upload(
            upload_id=uuid.uuid4().hex, subject_id=subject_id, name=name, n_bytes=len(content), state="waiting"
        )
        try:
            upload = replace(upload, name=check_name(name))
            format_of(upload.name)
            check_size(len(content), self._max_file_bytes)
        except InputError as error:
            raise self.refuse(subject_id, name, str(error), n_bytes=len(content)) from error
        with self._changed:
            held = sum(len(waiting) for _, _, waiting in self._waiting)
            if len(self._waiting) >= WAITING_FILES or held + len(content) > 2 * self._max_file_bytes:
                detail = f"{len(self._waiting)} files are waiting to be read; send it again later"
                self._remember(replace(upload, state="refused", detail=detail))
                raise BusyError(f"{upload.name}: {detail}")
            self._waiting.append((upload, principal, content))
            self._remember(upload)
            self._begin()
        return upload

    def refuse(self, subject_id: str, name: str, detail: str, *, n_bytes: int = 0) -> InputError:
        """Remember that a file was refused, and return the error that says so in one line."""
        shown = ascii(name)[1:-1][:80]
        self._remember(
            Upload(
                upload_id=uuid.uuid4().hex,
                subject_id=subject_id,
                name=shown,
                n_bytes=n_bytes,
                state="refused",
                detail=detail,
            )
        )
        return InputError(f"{shown or 'a file without a name'}: {detail}")

    def renew(self, subject_id: str) -> None:
        """Bring a course's index and map up to its files, in the background."""
        with self._changed:
            self._stale[subject_id] = None
            self._begin()

    def list(self, subject_id: str) -> list[Upload]:
        """Return a course's uploads of this run of the program, newest first."""
        with self._changed:
            return list(reversed(self._uploads.get(subject_id, [])))

    def clear(self, subject_id: str) -> None:
        """Forget the uploads that are finished."""
        with self._changed:
            self._uploads[subject_id] = [one for one in self._uploads.get(subject_id, []) if not one.finished]

    def work(self, subject_id: str) -> CourseWork:
        """Return what is being done for a course: its files are read, its index and map renewed, or nothing."""
        with self._changed:
            if self._is_read_into(subject_id):
                return "reading"
            renewing = subject_id in self._stale or self._busy.get("renewing") == subject_id
            return "renewing" if renewing else "idle"

    def wait_idle(self, timeout_s: float) -> bool:
        """Wait until nothing is left to do; return whether that came in time."""
        with self._changed:
            return self._changed.wait_for(lambda: not (self._waiting or self._stale or self._busy), timeout_s)

    def close(self) -> None:
        """Drop what waits and end after the present file, but wait for it no longer than `STOP_S`."""
        with self._changed:
            self._stopping = True
            self._changed.notify_all()
            threads = list(self._threads.values())
        for thread in threads:
            thread.join(STOP_S)

    def _begin(self) -> None:
        for job in get_args(_Job):
            if job not in self._threads and not self._stopping:
                self._threads[job] = threading.Thread(target=self._run, args=(job,), name=f"course-{job}", daemon=True)
                self._threads[job].start()
        self._changed.notify_all()

    def _run(self, job: _Job) -> None:
        try:
            while task := self._next(job):
                task()
                with self._changed:
                    self._busy.pop(job, None)
                    self._changed.notify_all()
        finally:
            self._stopped(job)

    def _stopped(self, job: _Job) -> None:
        """Leave nothing half said when a thread ends, also by a mistake of the program; the next file starts anew."""
        with self._changed:
            for uploads in self._uploads.values():
                for place, one in enumerate(uploads):
                    if job == "reading" and one.state == "reading":
                        uploads[place] = replace(one, state="refused", detail=_BROKE_OFF)
            self._busy.pop(job, None)
            del self._threads[job]
            if (self._waiting or self._stale) and not self._stopping:
                self._begin()
            self._changed.notify_all()

    def _next(self, job: _Job) -> Callable[[], None] | None:
        """Wait for work of one kind; `None`: the program ends."""
        with self._changed:
            ready = self._take if job == "reading" else self._take_stale
            self._changed.wait_for(lambda: self._stopping or ready(look_only=True))
            return None if self._stopping else ready()

    def _take(self, *, look_only: bool = False) -> Callable[[], None] | None:
        if not self._waiting:
            return None
        upload, principal, content = self._waiting[0]
        if not look_only:
            self._waiting.popleft()
            self._busy["reading"] = upload.subject_id
        return partial(self._read, upload, principal, content)

    def _take_stale(self, *, look_only: bool = False) -> Callable[[], None] | None:
        """A course is renewed once no file waits for it."""
        subject_id = next((one for one in self._stale if not self._is_read_into(one)), None)
        if subject_id is None:
            return None
        if not look_only:
            del self._stale[subject_id]
            self._busy["renewing"] = subject_id
        return partial(self._renew, subject_id)

    def _is_read_into(self, subject_id: str) -> bool:
        waits = any(upload.subject_id == subject_id for upload, _, _ in self._waiting)
        return waits or self._busy.get("reading") == subject_id

    def _read(self, upload: Upload, principal: Principal, content: bytes) -> None:
        self._remember(replace(upload, state="reading"))
        try:
            report = self._courses.library.add_upload(principal, upload.subject_id, upload.name, content)
        except InputError as error:
            detail = str(error).removeprefix(f"{ascii(upload.name)[1:-1][:80]}: ")
            self._remember(replace(upload, state="refused", detail=detail))
            return
        except PreceptorError as error:
            _LOG.warning("an uploaded file was not stored: %s", type(error).__name__)
            self._remember(replace(upload, state="refused", detail=f"could not be stored: {error}"))
            return
        self._remember(replace(upload, state="stored", report=report))
        if report.status != "unchanged":
            with self._changed:
                self._stale[upload.subject_id] = None

    def _renew(self, subject_id: str) -> None:
        try:
            self._courses.renew(subject_id)
        except PreceptorError as error:
            _LOG.warning("a course's index or map was not renewed: %s", type(error).__name__)

    def _remember(self, upload: Upload) -> None:
        with self._changed:
            kept = self._uploads.setdefault(upload.subject_id, [])
            places = [place for place, one in enumerate(kept) if one.upload_id == upload.upload_id]
            if places:
                kept[places[0]] = upload
            else:
                kept.append(upload)
            while len(kept) > SHOWN and kept[0].finished:
                kept.pop(0)
