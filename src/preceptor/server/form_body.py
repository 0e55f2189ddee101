"""Reading a plain HTML form without a form library: the pages that need one send short, unencoded fields."""

from __future__ import annotations

from urllib.parse import parse_qsl

from fastapi import Request

MAX_FIELDS = 20


async def read_form(request: Request) -> dict[str, str]:
    """Return the fields of an `application/x-www-form-urlencoded` body; of a repeated one the last."""
    body = (await request.body()).decode("utf-8", errors="replace")
    try:
        return dict(parse_qsl(body, keep_blank_values=True, max_num_fields=MAX_FIELDS))
    except ValueError:
        return {}


def local_path(address: str, *, default: str = "/learn") -> str:
    """Return where a form sends its reader back to: a path of this server, never another address."""
    if address.startswith("/") and not address.startswith(("//", "/\\")) and address.isprintable():
        return address
    return default
