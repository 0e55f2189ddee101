"""Finding a course's files on disk, safely: only plain files, by a name that cannot leave the course."""

from __future__ import annotations

import os
import re
import stat
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from preceptor.errors import InputError

MAX_NAME_CHARS = 240
"""Longest name of a document. (chosen)"""
_LINK = "is a symbolic link; name the file itself"
_DEVICES = re.compile(r"^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?:\..*)?$", re.IGNORECASE)
_FORBIDDEN = re.compile(r'[\x00-\x1f\x7f<>:"|?*\\]')


@dataclass(frozen=True, kw_only=True)
class CourseFile:
    """A file that may be added."""

    name: str
    """Its name within the course."""
    path: Path
    refusal: str | None = None
    """Why it is not read at all; one line."""


def check_name(name: str) -> str:
    """Return a document's name in its one spelling.

    Raises:
        InputError: It is empty, too long, absolute, climbs out, names a device or holds forbidden characters.
    """
    plain = unicodedata.normalize("NFC", name)
    shown = ascii(plain[:80])
    if not plain or len(plain) > MAX_NAME_CHARS:
        raise InputError(f"file name of {len(plain)} characters, expected 1 to {MAX_NAME_CHARS}")
    if _FORBIDDEN.search(plain) or any(not char.isprintable() for char in plain):
        raise InputError(f"file name {shown} holds characters that file names may not hold here")
    parts = plain.split("/")
    if plain.startswith(("/", "~")) or any(part in ("", ".", "..") for part in parts):
        raise InputError(f"file name {shown} leaves the course; expected a plain relative name")
    for part in parts:
        if _DEVICES.match(part) or part != part.strip() or part.endswith("."):
            raise InputError(f"file name {shown} names a device or ends in a blank or dot")
    return plain


def find_files(paths: Sequence[Path]) -> Iterator[CourseFile]:
    """Yield the files under paths, sorted within each folder; what is no plain file comes with its refusal.

    A file's name is its own; within a folder it is the folder's name and the way from there. Names that begin with a
    dot are passed over.
    """
    for path in paths:
        if path.is_symlink() or not path.is_dir():
            yield _file(path.name, path)
            continue
        top = path.resolve()
        for folder, folders, names in os.walk(top, followlinks=False):
            here = Path(folder)
            links = [name for name in folders if (here / name).is_symlink()]
            folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in links)
            for name in sorted([*names, *links]):
                if not name.startswith("."):
                    yield _file((Path(top.name) / (here / name).relative_to(top)).as_posix(), here / name)


def read_file(path: Path, max_bytes: int) -> bytes:
    """Return a plain file's bytes; no link is followed, no pipe or device waited for.

    Raises:
        InputError: It is not there, no plain file, empty or too large.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        why = _LINK if path.is_symlink() else f"cannot be opened: {error.strerror}"
        raise InputError(why) from error
    with os.fdopen(descriptor, "rb") as stream:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise InputError("is not a plain file")
        check_size(status.st_size, max_bytes)
        content = stream.read(max_bytes + 1)
    check_size(len(content), max_bytes)
    return content


def check_size(n_bytes: int, max_bytes: int) -> None:
    """Refuse an empty or too large file.

    Raises:
        InputError: With the size and the limit.
    """
    if not n_bytes:
        raise InputError("is empty")
    if n_bytes > max_bytes:
        raise InputError(f"has {n_bytes} bytes, at most {max_bytes} are read (setting course.max_file_bytes)")


def _file(name: str, path: Path) -> CourseFile:
    if path.is_symlink():
        return CourseFile(name=ascii(name)[1:-1][:MAX_NAME_CHARS], path=path, refusal=_LINK)
    try:
        return CourseFile(name=check_name(name), path=path)
    except InputError as error:
        return CourseFile(name=ascii(name)[1:-1][:MAX_NAME_CHARS], path=path, refusal=str(error))
