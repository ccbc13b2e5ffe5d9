"""A scripted OpenAI-compatible server on loopback, speaking the real protocol over real HTTP.

A reply is a function of the request's body: a string (the text of every choice), a list (one
text a choice), or a `Bad` manner of failing. Every byte received is kept.
"""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Bad:
    """A manner of failing: an HTTP status, or one of `hang`, `half`, `nonsense`, `dribble`, `drop`."""

    how: str = "status"
    status: int = 500
    message: str = "the scripted server fails as told"
    param: str | None = None
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b"<html>not what you expect</html>"


@dataclass(frozen=True)
class Raw:
    """A reply as some server writes it: JSON or bytes, or events of a stream, of which the one at `hangs` is never sent."""

    body: object
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    events: tuple[object, ...] = ()
    hangs: int = -1


Reply = str | list[str] | Bad | Raw
Script = Callable[[dict[str, Any]], Reply]


class ScriptedServer:
    """The server; `received` holds the raw bytes of every request, `bodies` their JSON."""

    def __init__(
        self, script: Script | Reply | None = None, *, seconds: float = 0, usage: bool = True
    ) -> None:
        self.script: Script | Reply = script if script is not None else "SELECT 1"
        self.seconds = seconds
        self.usage = usage
        self.received: list[bytes] = []
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.times: list[float] = []
        # A caller waits for a reply that does not come; it hung up meanwhile.
        self.waiting, self.hung_up = threading.Event(), threading.Event()
        self.open = 0
        self.most_open = 0
        self.lock = threading.Lock()
        self.stopping = threading.Event()
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True)

    @property
    def base_url(self) -> str:
        """Value of LLM_BASE_URL."""
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    @property
    def calls(self) -> int:
        """How many chat completions were asked for."""
        return len(self.bodies)

    def asked(self, words: str) -> list[str]:
        """Give the prompts (all messages joined) that hold some words."""
        return [text for text in map(text_of, list(self.bodies)) if words in text]

    def start(self) -> ScriptedServer:
        """Begin to serve."""
        self._thread.start()
        return self

    def stop(self) -> None:
        """End, hung-up calls included."""
        self.stopping.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join(5)

    def reply(self, body: dict[str, Any]) -> Reply:
        """Ask the script."""
        return self.script(body) if callable(self.script) else self.script

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = -1  # head and body in one packet: two would cost 40 ms of delayed acknowledgement

            def log_message(self, format: str, *args: object) -> None:
                pass

            def do_GET(self) -> None:
                models = [{"id": "scripted", "object": "model", "created": 0, "owned_by": "tests"}]
                send(self, 200, {"object": "list", "data": models})

            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers.get("content-length", 0)))
                with server.lock:
                    head = self.requestline.encode() + b"\r\n" + str(self.headers).encode()
                    server.received.append(head + raw)
                    server.headers.append({k.lower(): v for k, v in self.headers.items()})
                    server.times.append(time.monotonic())
                    server.open += 1
                    server.most_open = max(server.most_open, server.open)
                    body = json.loads(raw)
                    server.bodies.append(body)
                try:
                    if not self.path.endswith("/chat/completions"):
                        send(self, 404, {"error": {"message": "only chat completions here"}})
                        return
                    reply = server.reply(body)
                    if server.seconds and waits(server, self.connection, server.seconds):
                        return
                    answer(server, self, body, reply)
                finally:
                    with server.lock:
                        server.open -= 1

        return Handler


class Skipping:
    """A clock for callers by which a minute is over as soon as one waits in vain: on a slow machine no other call is late."""

    def __init__(self, server: ScriptedServer) -> None:
        self._server, self._skipped = server, 0.0

    def monotonic(self) -> float:
        """Tell the time as `time.monotonic` does."""
        if self._server.waiting.is_set():
            self._server.waiting.clear()
            self._skipped += 60
        return time.monotonic() + self._skipped


def text_of(body: dict[str, Any]) -> str:
    """Join all messages of a request."""
    return "\n".join(str(message.get("content")) for message in body["messages"])


def waits(server: ScriptedServer, connection: socket.socket, seconds: float) -> bool:
    """Wait, watching for a caller that hangs up; says whether it did."""
    end = time.monotonic() + seconds
    server.waiting.set()
    connection.settimeout(0.02)
    try:
        while time.monotonic() < end and not server.stopping.is_set():
            try:
                if connection.recv(1, socket.MSG_PEEK) == b"":
                    server.hung_up.set()
                    return True
            except TimeoutError:
                continue
            except OSError:
                server.hung_up.set()
                return True
    finally:
        connection.settimeout(None)
    return server.stopping.is_set()


def send(handler: BaseHTTPRequestHandler, status: int, value: object, **headers: str) -> None:
    """Send JSON."""
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    handler.send_response(status)
    for name, text in {"content-type": "application/json", **headers}.items():
        handler.send_header(name.replace("_", "-"), text)
    handler.send_header("content-length", str(len(data)))
    handler.end_headers()
    handler.wfile.write(data)
    handler.wfile.flush()


def answer(
    server: ScriptedServer, handler: BaseHTTPRequestHandler, body: dict[str, Any], reply: Reply
) -> None:
    """Send a reply, or fail in the manner asked for."""
    if isinstance(reply, Bad):
        fail(server, handler, reply)
        return
    if isinstance(reply, Raw):
        raw(server, handler, reply)
        return
    n = int(body.get("n") or 1)
    texts = (list(reply) if isinstance(reply, list) else [reply] * n)[:n]
    if body.get("stream"):
        stream(handler, body, texts)
        return
    sent = len(text_of(body)) // 4
    made = sum(map(len, texts)) // 4
    value: dict[str, Any] = {
        "id": f"scripted-{server.calls}",
        "object": "chat.completion",
        "created": 1_790_000_000,
        "model": body.get("model"),
        "choices": [
            {"index": i, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
            for i, text in enumerate(texts)
        ],
    }
    if server.usage:
        value["usage"] = {"prompt_tokens": sent, "completion_tokens": made, "total_tokens": sent + made}
    send(handler, 200, value)


def raw(server: ScriptedServer, handler: BaseHTTPRequestHandler, reply: Raw) -> None:
    """Send a reply as it is written."""
    if not reply.events:
        handler.close_connection = reply.status >= 400
        closing = {"connection": "close"} if reply.status >= 400 else {}
        send(handler, reply.status, reply.body, **closing, **reply.headers)
        return
    handler.close_connection = True
    handler.send_response(200)
    handler.send_header("content-type", "text/event-stream")
    handler.send_header("connection", "close")
    handler.end_headers()
    for at, event in enumerate(reply.events):
        if at == reply.hangs:
            waits(server, handler.connection, 60)
            return
        line = event if isinstance(event, str) else f"data: {json.dumps(event)}"
        handler.wfile.write(f"{line}\n\n".encode())
        handler.wfile.flush()


def stream(handler: BaseHTTPRequestHandler, body: dict[str, Any], texts: list[str]) -> None:
    """Send the choices as server-sent events, a few characters at a time."""
    handler.send_response(200)
    handler.send_header("content-type", "text/event-stream")
    handler.send_header("connection", "close")
    handler.end_headers()
    for index, text in enumerate(texts):
        for at in range(0, len(text), 12):
            chunk = {
                "id": "scripted",
                "object": "chat.completion.chunk",
                "created": 1_790_000_000,
                "model": body.get("model"),
                "choices": [{"index": index, "delta": {"role": "assistant", "content": text[at : at + 12]}}],
            }
            handler.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
            handler.wfile.flush()
    handler.wfile.write(b"data: [DONE]\n\n")
    handler.wfile.flush()
    handler.close_connection = True


def fail(server: ScriptedServer, handler: BaseHTTPRequestHandler, bad: Bad) -> None:
    """Fail in the manner asked for."""
    handler.close_connection = True
    if bad.how == "status":
        error = {"message": bad.message, "type": "scripted", "param": bad.param, "code": None}
        # Announced: a caller that asks again at once would meet the connection as it closes.
        send(handler, bad.status, {"error": error}, connection="close", **bad.headers)
    elif bad.how == "hang":
        waits(server, handler.connection, 60)
    elif bad.how == "nonsense":
        send(handler, 200, bad.body, content_type="text/html" if bad.body[:1] == b"<" else "application/json")
    elif bad.how == "drop":
        handler.connection.shutdown(socket.SHUT_RDWR)
    else:
        handler.send_response(200)
        handler.send_header("content-type", "application/json")
        handler.send_header("content-length", "1000")
        handler.end_headers()
        handler.wfile.write(b'{"id": "half", "choices": [')
        handler.wfile.flush()
        if bad.how == "half":
            handler.connection.shutdown(socket.SHUT_RDWR)
        for _ in range(600):
            if bad.how != "dribble" or waits(server, handler.connection, 0.1):
                return
            handler.wfile.write(b" ")
            handler.wfile.flush()


@contextmanager
def serving(
    script: Script | Reply | None = None, *, seconds: float = 0, usage: bool = True
) -> Iterator[ScriptedServer]:
    """Serve while a test runs."""
    server = ScriptedServer(script, seconds=seconds, usage=usage).start()
    try:
        yield server
    finally:
        server.stop()
