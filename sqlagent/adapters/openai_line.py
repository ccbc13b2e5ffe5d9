"""One connection to an OpenAI-compatible server, and what came over it as data.

Decides nothing about what is asked or what a reply means; ending a call here ends nobody else's.
"""

from __future__ import annotations

import json
import socket
import ssl
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from typing import Any

import httpx2
import openai

from sqlagent.adapters.openai_stream import gathered

MOST_BYTES = 20_000_000
"""A reply that is longer is no reply: 20 MB hold 200 times what any model writes at once."""


@cache
def _certificates() -> ssl.SSLContext:
    """Read the system's certificates once: 20 ms that every client would spend again."""
    return ssl.create_default_context()


class Line:
    """One client with its one connection.

    `heard_at` is when the last part of a streamed reply came (`time.monotonic`); None before its first, and where
    the reply comes whole. `is_sent` once the last call has left as a whole. A server that says that it moved is followed, if `follows`.
    """

    def __init__(self, base_url: str, api_key: str, timeout: float, *, follows: bool = True) -> None:
        self._stream: Any = None
        self.heard_at: float | None = None
        self.is_sent = False
        self._http = httpx2.Client(
            verify=_certificates(),
            timeout=timeout,
            limits=httpx2.Limits(max_connections=1, max_keepalive_connections=1),
            event_hooks={"request": [self._watch]},
            follow_redirects=follows,
        )
        self._client = openai.OpenAI(
            base_url=base_url,
            api_key=api_key or "none",
            timeout=timeout,
            max_retries=0,
            http_client=self._http,
        )

    def ask(self, settings: Mapping[str, Any]) -> Any:
        """Give a chat completion as the server's JSON, a streamed one put together.

        Raises: openai.OpenAIError, httpx2.HTTPError, ValueError for what is no JSON.
        """
        self.heard_at, self.is_sent = None, False
        with self._client.chat.completions.with_streaming_response.create(**settings) as response:
            if "event-stream" in response.headers.get("content-type", ""):
                return gathered(self._heard(response.iter_lines()))
            body = bytearray()
            for piece in response.iter_bytes():
                body += piece
                _bounded(len(body))
            return json.loads(body)

    def _heard(self, lines: Iterator[str]) -> Iterator[str]:
        size = 0
        for line in lines:
            self.heard_at = time.monotonic()
            size += len(line)
            _bounded(size)
            yield line

    def _watch(self, request: httpx2.Request) -> None:
        request.extensions = {**request.extensions, "trace": self._traced}

    def _traced(self, event: str, info: Mapping[str, Any]) -> None:
        if event.endswith(("connect_tcp.complete", "start_tls.complete")):
            self._stream = info.get("return_value")
        elif event.endswith("send_request_body.complete"):
            self.is_sent = True

    def hang_up(self) -> None:
        """End the call in flight. Closing alone leaves a blocked read waiting; a shutdown wakes it."""
        with suppress(OSError, AttributeError):
            self._stream.get_extra_info("socket").shutdown(socket.SHUT_RDWR)
        with suppress(RuntimeError, OSError):
            self._http.close()


def _bounded(size: int) -> None:
    if size > MOST_BYTES:
        raise ValueError("the reply does not end")
