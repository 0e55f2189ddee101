"""What DOCX and PPTX share: a ZIP package of XML parts, looked at before any library opens it."""

from __future__ import annotations

import io
import re
import zipfile

from preceptor.errors import InputError

MAX_PARTS = 5000
"""Most parts of a package. (chosen: a deck of 500 slides with pictures has about 2,500)"""
MAX_RATIO = 200
"""Most times that a part may grow when it is unpacked. (chosen: real XML parts reach about 40)"""
_SMALL = 1 << 20
"""A part below this size may have any ratio."""
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_DOCTYPE = re.compile(rb"<!DOCTYPE|<!ENTITY|<\x00!\x00D\x00O\x00C\x00T\x00Y\x00P\x00E", re.IGNORECASE)


def check_package(content: bytes, *, main_part: str, max_unpacked_bytes: int) -> bool:
    """Refuse a package that is no good; return whether it holds macros.

    Raises:
        InputError: It is damaged, encrypted, of another kind, a ZIP bomb, or defines XML entities.
    """
    if content.startswith(_OLE):
        raise InputError("is encrypted or in an old format; save it without a password in the new format")
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as package:
            parts = package.infolist()
            _check_sizes(parts, max_unpacked_bytes)
            names = {part.filename for part in parts}
            if main_part not in names or "[Content_Types].xml" not in names:
                raise InputError(f"is not what its ending says: it has no part {main_part}")
            for part in parts:
                if part.filename.lower().endswith((".xml", ".rels")):
                    _check_xml(package.read(part), part.filename)
            return any(name.lower().endswith("vbaproject.bin") for name in names)
    except (zipfile.BadZipFile, zipfile.LargeZipFile, EOFError, OSError, NotImplementedError) as error:
        raise InputError("is damaged: its parts cannot be unpacked") from error
    except RuntimeError as error:  # zipfile's word for a part that needs a password
        raise InputError("is encrypted; save it without a password") from error
    except ValueError as error:
        raise InputError("is damaged: its list of parts is broken") from error


def _check_sizes(parts: list[zipfile.ZipInfo], max_unpacked_bytes: int) -> None:
    if len(parts) > MAX_PARTS:
        raise InputError(f"has {len(parts)} parts, at most {MAX_PARTS} are read")
    total = sum(part.file_size for part in parts)
    if total > max_unpacked_bytes:
        raise InputError(f"would unpack to {total} bytes, at most {max_unpacked_bytes} are read")
    for part in parts:
        if part.file_size > max(_SMALL, MAX_RATIO * part.compress_size):
            raise InputError(f"is packed like a ZIP bomb: a part of {part.compress_size} bytes holds {part.file_size}")


def _check_xml(content: bytes, name: str) -> None:
    if _DOCTYPE.search(content):
        raise InputError(f"defines XML entities in {name[:80]!r}, which course files never need")
