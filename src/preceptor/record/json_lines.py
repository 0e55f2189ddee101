"""Reading a file, or standard input, of one JSON object a line."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any

from preceptor.errors import InputError


def read_lines(path: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (1-based line number, object) for each non-empty JSON line of a file, or of stdin for `-`.

    Raises:
        InputError: The file cannot be read, or a line is not a JSON object; the message names the line.
    """
    try:
        stream = sys.stdin if path == "-" else open(path, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from error
    try:
        for number, line in enumerate(stream, start=1):
            if not line.strip():
                continue
            try:
                value = json.loads(line)
            except json.JSONDecodeError as error:
                raise InputError(f"{path} line {number}: not JSON ({error.msg})") from error
            if not isinstance(value, dict):
                raise InputError(f"{path} line {number}: expected a JSON object, got {type(value).__name__}")
            yield number, value
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 ({error.reason} at byte {error.start})") from error
    finally:
        if stream is not sys.stdin:
            stream.close()
