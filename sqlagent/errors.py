"""The tree of everything this package raises on purpose.

SqlAgentError
|-- DatabaseError        a statement or connection failed; carries a `Failure`
|   |-- Unreachable      no connection: host, password, file, or a server that went away
|   |-- StatementFailed  the database refused or broke off one statement
|-- LlmError             the language model gave no usable reply
|   |-- LlmUnreachable   no connection, or no reply in time
|   |-- LlmRateLimited   told to slow down, and retries did not help
|   |-- LlmRejected      the server refused the request (key, model name, size)
|-- Cancelled            the person stopped the run
"""

from __future__ import annotations

from sqlagent.values import Failure


class SqlAgentError(Exception):
    """Base of all errors raised on purpose; the message is fit to be shown to a person."""


class DatabaseError(SqlAgentError):
    """A statement or connection failed."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


class Unreachable(DatabaseError):
    """No connection could be made or kept."""


class StatementFailed(DatabaseError):
    """The database refused or broke off one statement."""


class LlmError(SqlAgentError):
    """The language model gave no usable reply."""


class LlmUnreachable(LlmError):
    """No connection to the server, or no reply in time."""


class LlmRateLimited(LlmError):
    """The server said to slow down and retries did not help."""


class LlmRejected(LlmError):
    """The server refused the request: key, model name or size."""


class Cancelled(SqlAgentError):
    """The person stopped the run."""
