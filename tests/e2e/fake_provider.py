"""A fake OpenAI-compatible server on loopback that answers by a script, well or badly, and remembers requests."""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

Ending = Literal["stop", "length", "no_reason", "dropped", "no_done"]


@dataclass(frozen=True, kw_only=True)
class Act:
    """How one request is answered."""

    text: str = "What does the problem ask for?"
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    error: str = "no"
    """Message of an error status; real servers quote the request in it."""
    refuses: tuple[str, ...] = ()
    """Parameters that are answered with HTTP 400 where the request holds one."""
    delay_s: float = 0.0
    """Before the first byte."""
    piece_delay_s: float = 0.0
    """Before each piece of a stream."""
    reasoning: str = ""
    """Sent as `reasoning_content`."""
    usage: bool = True
    ending: Ending = "stop"
    """How the answer ends: `dropped` closes the connection in the middle."""
    raw: str | None = None
    """Sent as it is instead of a completion."""
    piece_length: int = 4
    """Characters a piece."""


@dataclass
class FakeProvider:
    """The running server: acts are used up in order, the last one stays."""

    acts: list[Act]
    url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    broken_pipes: int = 0
    """Answers that the client did not wait for."""

    def next_act(self) -> Act:
        """Return the act for the request at hand."""
        return self.acts.pop(0) if len(self.acts) > 1 else self.acts[0]


@contextmanager
def fake_provider(*acts: Act) -> Iterator[FakeProvider]:
    """Run a server with this script."""
    state = FakeProvider(acts=list(acts))
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(state))
    server.daemon_threads = True
    state.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=lambda: server.serve_forever(poll_interval=0.02), daemon=True)
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _handler(state: FakeProvider) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            state.requests.append(body)
            state.keys.append(self.headers.get("Authorization", ""))
            state.times.append(time.monotonic())
            act = state.next_act()
            time.sleep(act.delay_s)
            try:
                self._answer(act, body)
            except (BrokenPipeError, ConnectionResetError):
                state.broken_pipes += 1

        def _answer(self, act: Act, body: dict[str, Any]) -> None:
            refused = next((name for name in act.refuses if name in body), None)
            if refused:
                message = f"Unsupported parameter: '{refused}' is not supported with this model."
                self._json(400, {"error": {"message": message, "type": "invalid_request_error", "param": refused}})
            elif act.status != 200:
                self._json(act.status, {"error": {"message": act.error, "type": "error"}}, act.headers)
            elif act.raw is not None:
                self._send(200, act.raw.encode(), "text/event-stream" if body.get("stream") else "application/json")
            elif body.get("stream"):
                self._stream(act)
            else:
                self._json(200, _completion(act))

        def _stream(self, act: Act) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            pieces = [act.text[i : i + act.piece_length] for i in range(0, len(act.text), act.piece_length)]
            if act.ending == "dropped":
                pieces = pieces[: max(1, len(pieces) // 2)]
            if act.reasoning:
                self._event({"delta": {"reasoning_content": act.reasoning}})
            for piece in pieces:
                time.sleep(act.piece_delay_s)
                self._event({"delta": {"content": piece}})
            if act.ending == "dropped":
                # An abortive close, as of a process that died: the client sees a reset, not an end.
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                self.connection.close()
                return
            if act.ending == "no_reason":
                return
            self._event({"delta": {}, "finish_reason": "length" if act.ending == "length" else "stop"})
            if act.usage:
                self._chunk({"choices": [], "usage": _USAGE})
            if act.ending != "no_done":
                self.wfile.write(b"data: [DONE]\n\n")

        def _event(self, choice: dict[str, Any]) -> None:
            self._chunk({"choices": [{"index": 0, "finish_reason": None, **choice}]})

        def _chunk(self, value: dict[str, Any]) -> None:
            head = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "fake"}
            self.wfile.write(f"data: {json.dumps({**head, **value})}\n\n".encode())
            self.wfile.flush()

        def _json(self, status: int, value: dict[str, Any], headers: Mapping[str, str] | None = None) -> None:
            self._send(status, json.dumps(value).encode(), "application/json", headers or {})

        def _send(self, status: int, raw: bytes, kind: str, headers: Mapping[str, str] | None = None) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(raw)))
            for name, value in (headers or {}).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    return Handler


_USAGE = {"prompt_tokens": 120, "completion_tokens": 30, "total_tokens": 150}


def _completion(act: Act) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": act.text}
    if act.reasoning:
        message["reasoning_content"] = act.reasoning
    choice: dict[str, Any] = {"index": 0, "message": message}
    if act.ending != "no_reason":
        choice["finish_reason"] = "length" if act.ending == "length" else "stop"
    value: dict[str, Any] = {
        "id": "c1",
        "object": "chat.completion",
        "created": 1,
        "model": "fake",
        "choices": [choice],
    }
    return {**value, "usage": _USAGE} if act.usage else value
