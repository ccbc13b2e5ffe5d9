"""The tree of everything this package raises on purpose.

SqlAgentError
|-- DatabaseError        a statement or connection failed; carries a `Failure`
|   |-- Unreachable      no connection: host, password, file, or a server that went away
|   |-- StatementFailed  the database refused or broke off one statement
|-- LlmError             the language model gave no usable reply
|   |-- LlmUnreachable   no connection, or no reply in time
|   |-- LlmRateLimited   told to slow down, and retries did not help
|   |-- LlmBroken        the server failed by an error of its own
|   |-- LlmRejected      the server refused the request
|       |-- LlmTooLong   the prompt is longer than the model's context
|       |-- LlmDenied    it refuses every request: key, model name or address
|   |-- BudgetSpent      the question has used what it may cost
|-- FrameError           a stored frame cannot be read any more, or a change of one is not offered
|-- Cancelled            the person stopped the run
"""

from __future__ import annotations

import re
import tempfile
from dataclasses import replace
from pathlib import Path

from sqlagent.values import Failure, Usage

_FOLDERS = {
    "app", "bin", "boot", "data", "dev", "etc", "home", "lib", "lib64", "media", "mnt", "nix", "opt", "private",
    "proc", "project", "root", "run", "sbin", "snap", "srv", "sys", "tmp", "usr", "Users", "var", "Volumes",
    "work", "workspace", "workspaces",
    *(part for place in (__file__, Path.cwd(), tempfile.gettempdir()) for part in Path(place).resolve().parts[1:2]),
}  # fmt: skip
_ROOT = rf"(?:file://)?(?:/(?:{'|'.join(map(re.escape, sorted(_FOLDERS)))})/|[A-Za-z]:\\)"
_QUOTED_FOLDER = re.compile(rf"(?<=[\"'`“]){_ROOT}(?:[^\"'`”\n]*[/\\])?")
_FOLDER = re.compile(rf"(?<![\w.:/]){_ROOT}(?:[^\s\"'`”/\\]+[/\\])*")


def without_folders(message: str) -> str:
    """Take the folders of a machine out of a message; of a path its last part stays.

    A path is known by the folder it begins with, so that a division or a web address stays as it is. A message without one is
    given back itself: it may know its parts.

    Example:
        >>> without_folders('Cannot open file "/var/lib/my app/x.duckdb": see /tmp/a/b.log or 6 /home/ 2')
        'Cannot open file "x.duckdb": see b.log or 6  2'
        >>> without_folders("https://example.org/var/x and a/b/c")
        'https://example.org/var/x and a/b/c'
    """
    without = _FOLDER.sub("", _QUOTED_FOLDER.sub("", message))
    return message if without == message else without


class SqlAgentError(Exception):
    """Base of all errors raised on purpose; the message is fit to be shown to a person."""


class DatabaseError(SqlAgentError):
    """A statement or connection failed; its words never say in which folder a file lies."""

    def __init__(self, failure: Failure) -> None:
        self.failure = replace(failure, message=without_folders(failure.message))
        super().__init__(self.failure.message)


class Unreachable(DatabaseError):
    """No connection could be made or kept."""


class StatementFailed(DatabaseError):
    """The database refused or broke off one statement."""


class LlmError(SqlAgentError):
    """The language model gave no usable reply; `usage` is what the call cost all the same, nothing where it was refused."""

    usage = Usage()


class LlmUnreachable(LlmError):
    """No connection to the server, or no reply in time."""


class LlmRateLimited(LlmError):
    """The server said to slow down and retries did not help."""


class LlmBroken(LlmError):
    """The server failed by an error of its own, and retries did not help."""


class LlmRejected(LlmError):
    """The server refused the request: key, model name, address or size."""


class LlmTooLong(LlmRejected):
    """The prompt is longer than the model's context."""


class LlmDenied(LlmRejected):
    """The server refuses every request: its key, model name or address has to be mended. `short` says which, in a few words."""

    def __init__(self, message: str, short: str = "it refuses every request") -> None:
        self.short = short
        super().__init__(message)


OF_SERVER = (LlmUnreachable, LlmRateLimited, LlmBroken, LlmDenied)
"""Failures that are the server's or its settings': another request fares no better now. All others may lie in the request."""


class BudgetSpent(LlmError):
    """The question has used the calls, tokens or money it may cost."""


class FrameError(SqlAgentError):
    """A stored frame is broken or about columns that have gone, or a change of it is not offered."""


class Cancelled(SqlAgentError):
    """The person stopped the run; `usage` is what the call of a language model cost that was stopped with it."""

    usage = Usage()
