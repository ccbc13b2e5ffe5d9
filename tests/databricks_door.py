"""Spark's Thrift server behind the interface of a Databricks warehouse: `python -m tests.databricks_door PORT SPARK FOLDER PASSWORD`.

Databricks' driver speaks HiveServer2's protocol, grown, over HTTPS; its engine is Spark SQL, grown. Parser, types, catalog and
the end of a statement are Spark's here. The door's own: TLS and the access token, the version of the protocol, where a session
begins (`initialNamespace`), `STATEMENT_TIMEOUT`, which Spark knows by another name, and a column of SHOW VIEWS. Unity Catalog, its privileges,
results as Arrow and cloud fetch are not here.
"""

from __future__ import annotations

import re
import ssl
import sys
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from databricks.sql.thrift_api.TCLIService import TCLIService, ttypes
from pyhive.sasl_compat import PureSASLClient
from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.transport.TSocket import TSocket
from thrift.transport.TTransport import TMemoryBuffer
from thrift_sasl import TSaslClientTransport

HOST = "127.0.0.1"
# The one of Spark's, and one of Databricks' in which a session may name its catalog.
SPARKS = 9
DATABRICKS = ttypes.TProtocolVersion.SPARK_CLI_SERVICE_PROTOCOL_V7
TIMEOUT = re.compile(r"\s*SET\s+STATEMENT_TIMEOUT\s*=\s*(\d+)\s*", re.IGNORECASE)


class Caller:
    """One connection to Spark, by which calls go on; parts of Databricks' protocol that Hive's lacks are put in."""

    def __init__(self, port: int) -> None:
        signed_in = partial(PureSASLClient, HOST, username="token", password="none")
        self._transport = TSaslClientTransport(signed_in, "PLAIN", TSocket(HOST, port))
        self._transport.open()
        self._client = TCLIService.Client(TBinaryProtocol(self._transport))
        # Statements that list views, which Databricks tells a column more of.
        self._views: set[bytes] = set()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def OpenSession(self, asked: Any) -> Any:
        asked.client_protocol = SPARKS
        place, asked.initialNamespace = asked.initialNamespace, None
        answer = self._client.OpenSession(asked)
        answer.serverProtocolVersion, answer.canUseMultipleCatalogs = DATABRICKS, True
        if place is not None and answer.sessionHandle is not None:
            where = ".".join(f"`{name}`" for name in (place.catalogName, place.schemaName) if name)
            done = self._client.ExecuteStatement(
                ttypes.TExecuteStatementReq(answer.sessionHandle, f"USE {where}")
            )
            if done.status.statusCode == ttypes.TStatusCode.ERROR_STATUS:
                answer.status = done.status
        return answer

    def ExecuteStatement(self, asked: Any) -> Any:
        if found := TIMEOUT.fullmatch(asked.statement):
            asked.statement = f"SET spark.sql.thriftServer.queryTimeout = {found[1]}"
        answer = self._client.ExecuteStatement(asked)
        if asked.statement.lstrip().upper().startswith("SHOW VIEWS") and answer.operationHandle is not None:
            self._views.add(answer.operationHandle.operationId.guid)
        return answer

    def GetResultSetMetadata(self, asked: Any) -> Any:
        answer = self._client.GetResultSetMetadata(asked)
        if asked.operationHandle.operationId.guid in self._views and answer.schema is not None:
            last = answer.schema.columns[-1]
            answer.schema.columns.append(
                ttypes.TColumnDesc("isMaterialized", last.typeDesc, last.position + 1)
            )
        answer.resultFormat = ttypes.TSparkRowSetType.COLUMN_BASED_SET
        return answer

    def FetchResults(self, asked: Any) -> Any:
        answer = self._client.FetchResults(asked)
        if asked.includeResultSetMetadata and answer.results is not None:
            answer.resultSetMetadata = self.GetResultSetMetadata(
                ttypes.TGetResultSetMetadataReq(asked.operationHandle)
            )
        if asked.operationHandle.operationId.guid in self._views and answer.results is not None:
            no = ttypes.TBoolColumn([False] * _count(answer.results), b"\0")
            answer.results.columns.append(ttypes.TColumn(boolVal=no))
        # HiveServer2 never says that there are more: they end where none come.
        answer.hasMoreRows = bool(answer.results and _count(answer.results))
        return answer

    def close(self) -> None:
        self._transport.close()


def _count(results: Any) -> int:
    """How many rows came: each column is one of several lists, one for each type."""
    first = (results.columns or [None])[0]
    return len(next(each for each in vars(first).values() if each is not None).values) if first else 0


class Door(BaseHTTPRequestHandler):
    """One connection of a driver: each request is a call."""

    protocol_version = "HTTP/1.1"
    # Head and body in one packet, sent at once: the next small one waited 40 ms for a delayed acknowledgement.
    wbufsize, disable_nagle_algorithm = -1, True
    spark, password = 0, ""
    caller: Caller | None = None

    def do_POST(self) -> None:
        """Send a call on."""
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.headers.get("Authorization") != f"Bearer {self.password}":
            self._answer(403, b"Invalid access token.")
            return
        self.caller = self.caller or Caller(self.spark)
        said = TMemoryBuffer()
        TCLIService.Processor(self.caller).process(
            TBinaryProtocol(TMemoryBuffer(body)), TBinaryProtocol(said)
        )
        self._answer(200, said.getvalue())

    def finish(self) -> None:
        super().finish()
        if self.caller is not None:
            self.caller.close()

    def _answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/x-thrift")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()

    def log_message(self, *_: Any) -> None:
        """Say nothing of each request."""


class Server(ThreadingHTTPServer):
    """Connections in threads that end with the process."""

    daemon_threads = True


if __name__ == "__main__":
    folder = Path(sys.argv[3])
    Door.spark, Door.password = int(sys.argv[2]), sys.argv[4]
    server = Server((HOST, int(sys.argv[1])), Door)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "cert.pem", folder / "key.pem")
    # Each connection greets in its own thread: eight that come at once do not wait for each other.
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    server.serve_forever()
