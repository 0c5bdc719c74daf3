"""A stand-in for the Messages API on the loopback address, with fixed answers and a record of requests."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

SUMMARY = "<summary>\n1. Primary Request and Intent: the otter migration\n</summary>"
CHOICE = "Answer with a single line of this form"
"""A passage of the prompts that ask a model to choose."""
_SILENT_SECONDS = 40.0
"""Longer than memtui's mod waits."""


class Api:
    """The stand-in's answers, and the requests it received."""

    def __init__(self) -> None:
        self.requests: list[str] = []
        """The messages of each request, as JSON."""
        self.most = 0
        """Messages beyond which a prompt is too long, so that the client compacts, once; 0: never."""
        self.choice = ""
        """The answer to a prompt that asks to choose; "" for none at all."""
        self.tokens = 180_000
        """Of each request."""
        self.calls: list[tuple[str, dict[str, Any]]] = []
        """Tools that Claude calls next, one after the other, each with its input."""
        self.address = ""
        self.done = threading.Event()
        """Ends the silence after a prompt that asks to choose."""

    def answer(self, messages: list[Any]) -> str | None:
        """The text of the answer; None for a prompt that is too long."""
        self.requests.append(json.dumps(messages, ensure_ascii=False))
        last = json.dumps(messages[-1]) if messages else ""
        if CHOICE in last:
            if not self.choice:
                self.done.wait(_SILENT_SECONDS)
            return self.choice or "R 1"
        last = last.lower()
        if "create a detailed summary" in last:
            return SUMMARY
        if self.most and len(messages) > self.most:
            self.most = 0
            return None
        return "Done."


class _Handler(BaseHTTPRequestHandler):
    """Answers for the `Api` of its server."""

    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, *arguments: Any) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        self._send(b"{}")

    def do_HEAD(self) -> None:
        self._send(b"")

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
        if "count_tokens" in self.path:
            self._send(json.dumps({"input_tokens": self.server.api.tokens}).encode())
        elif not self.path.startswith("/v1/messages"):
            self._send(b"{}")
        elif (text := self.server.api.answer(body.get("messages", []))) is None:
            message = "prompt is too long: 210000 tokens > 200000 maximum"
            error = {"type": "error", "error": {"type": "invalid_request_error", "message": message}}
            self._send(json.dumps(error).encode(), 400)
        else:
            self._answer(text, body)

    def _answer(self, text: str, body: dict[str, Any]) -> None:
        usage = {"input_tokens": self.server.api.tokens, "output_tokens": 20}
        message: dict[str, Any] = {
            "id": f"msg_{len(self.server.api.requests)}", "type": "message", "role": "assistant",
            "model": body.get("model"), "content": [], "stop_reason": None, "stop_sequence": None,
            "usage": usage,
        }  # fmt: skip
        block = {"type": "text", "text": text}
        if not body.get("stream"):
            self._send(json.dumps(message | {"content": [block], "stop_reason": "end_turn"}).encode())
            return
        empty: dict[str, Any] = {"type": "text", "text": ""}
        delta, stop = {"type": "text_delta", "text": text}, "end_turn"
        tools = [tool.get("name") for tool in body.get("tools", [])]
        if self.server.api.calls and self.server.api.calls[0][0] in tools:
            name, given = self.server.api.calls.pop(0)
            empty = {"type": "tool_use", "id": f"toolu_{message['id']}", "name": name, "input": {}}
            delta, stop = {"type": "input_json_delta", "partial_json": json.dumps(given)}, "tool_use"
        events: list[tuple[str, dict[str, Any]]] = [
            ("message_start", {"message": message}),
            ("content_block_start", {"index": 0, "content_block": empty}),
            ("content_block_delta", {"index": 0, "delta": delta}),
            ("content_block_stop", {"index": 0}),
            ("message_delta", {"delta": {"stop_reason": stop}, "usage": usage}),
            ("message_stop", {}),
        ]
        lines = [f"event: {name}\ndata: {json.dumps({'type': name} | data)}\n\n" for name, data in events]
        self._send("".join(lines).encode(), kind="text/event-stream")

    def _send(self, data: bytes, status: int = 200, kind: str = "application/json") -> None:
        with suppress(ConnectionError):  # the client has given up
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)


class _Server(ThreadingHTTPServer):
    """Serves one `Api`."""

    def __init__(self, api: Api) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.api = api


@contextmanager
def serving() -> Iterator[Api]:
    """Serve until the block ends."""
    api = Api()
    server = _Server(api)
    api.address = f"http://127.0.0.1:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield api
    finally:
        api.done.set()
        server.shutdown()
        server.server_close()
