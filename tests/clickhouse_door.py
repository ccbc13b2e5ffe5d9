"""ClickHouse's engine behind its HTTP interface: `python -m tests.clickhouse_door PORT FOLDER PASSWORD`.

The engine is the real one, as the library chDB ships it: parser, types, settings, read-only mode, list of processes,
KILL. No package of a registry brings the server, so its door is made here: a request is a connection of the engine with
the settings of the address, `readonly` last of all, as the server takes them together. Users are the door's own: one
password for every name. `query_id`, which the library gives itself, is carried in `log_comment`.
"""

from __future__ import annotations

import base64
import re
import sys
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import chdb

# Parameters of the address for the server, not for the engine.
TRANSPORT = frozenset(
    (
        *("query", "database", "query_id", "default_format", "compress", "enable_http_compression"),
        *("client_protocol_version", "wait_end_of_query", "session_id", "quota_key", "role"),
        *("send_progress_in_http_headers", "http_headers_progress_interval_ms", "cancel_http_readonly_queries_on_client_close"),
    )
)  # fmt: skip
TAG = b"thedoorsowntag16"
_FORMAT = re.compile(r"\s+FORMAT\s+(\w+)\s*;?\s*\Z", re.IGNORECASE)
_CODE = re.compile(r"Code: (\d+)\.")
_READS = re.compile(r"\s*(?:\(|SELECT\b|WITH\b)", re.IGNORECASE)


class Door(BaseHTTPRequestHandler):
    """One request: a statement, its settings, and rows in ClickHouse's own format."""

    protocol_version = "HTTP/1.1"
    folder = password = ""

    def do_GET(self) -> None:
        """Say that somebody is here."""
        self._answer(200, b"Ok.\n")

    def do_POST(self) -> None:
        """Run a statement."""
        asked = dict(parse_qsl(urlsplit(self.path).query, keep_blank_values=True))
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode(
            "utf-8", "surrogateescape"
        )
        sql = "\n".join(filter(None, (asked.get("query", ""), body)))
        if not self._is_known():
            self._fail(
                "Code: 516. DB::Exception: Authentication failed: password is incorrect. (AUTHENTICATION_FAILED)"
            )
            return
        connection = chdb.connect(self.folder)
        try:
            self._set_up(connection, asked)
            self._run(connection, sql)
        except RuntimeError as error:
            self._fail(str(error).removeprefix("Streaming query failed: "))
        finally:
            with suppress(RuntimeError):
                connection.close()

    def _is_known(self) -> bool:
        said = self.headers.get("Authorization", "").removeprefix("Basic ")
        return base64.b64decode(said).decode().partition(":")[2] == self.password

    def _set_up(self, connection: Any, asked: dict[str, str]) -> None:
        if asked.get("database"):
            connection.query(f"USE `{asked['database']}`")
        settings = {name: value for name, value in asked.items() if name not in TRANSPORT}
        if asked.get("query_id"):
            settings["log_comment"] = asked["query_id"]
        for name in sorted(settings, key=lambda name: name == "readonly"):
            value = settings[name].replace("\\", "\\\\").replace("'", "\\'")
            connection.query(f"SET {name} = '{value}'")

    def _run(self, connection: Any, sql: str) -> None:
        sql = re.sub(r"\bquery_id = ", "Settings['log_comment'] = ", sql) if sql.startswith("KILL") else sql
        found = _FORMAT.search(sql)
        shape = found[1] if found else self.headers.get("X-ClickHouse-Format", "TabSeparated")
        text = _FORMAT.sub("", sql)
        if not _READS.match(text):
            self._answer(200, connection.query(text, shape).bytes() or b"")
            return
        rows = connection.send_query(text, shape)
        try:
            first = rows.fetch()
            self.send_response(200)
            self.send_header("X-ClickHouse-Format", shape)
            self.send_header("X-ClickHouse-Exception-Tag", TAG.decode())
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            self._chunks(rows, first)
        except OSError:
            self.close_connection = True  # the caller hung up: the statement ends with it
            rows.cancel()
        finally:
            with suppress(RuntimeError):
                rows.close()

    def _chunks(self, rows: Any, first: Any) -> None:
        """Send an answer; an error midway is sent at the end, between marks, as the server does."""
        part = first
        try:
            while part is not None and (sent := part.bytes()):
                self._chunk(sent)
                part = rows.fetch()
        except RuntimeError as error:
            said = str(error).removeprefix("Streaming query failed: ").encode()
            self._chunk(
                b"\r\n__exception__\r\n%s\r\n%s\r\n%d %s\r\n__exception__\r\n" % (TAG, said, len(said), TAG)
            )
        self.wfile.write(b"0\r\n\r\n")

    def _chunk(self, part: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))

    def _fail(self, text: str) -> None:
        code = _CODE.search(text)
        self._answer(
            403 if code and code[1] == "516" else 500,
            text.encode("utf-8", "replace"),
            code[1] if code else "1000",
        )

    def _answer(self, status: int, body: bytes, code: str = "") -> None:
        self.send_response(status)
        if code:
            self.send_header("X-ClickHouse-Exception-Code", code)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Say nothing of each request."""


class Server(ThreadingHTTPServer):
    """Requests in threads that end with the process."""

    daemon_threads = True


if __name__ == "__main__":
    Door.folder, Door.password = sys.argv[2:4]
    # One connection stays, so that the engine does.
    stays = chdb.connect(Door.folder)
    Server(("127.0.0.1", int(sys.argv[1])), Door).serve_forever()
