"""Filters and formats of the log.

Tokens in addresses never reach it, and a request that was refused is one line. JSON lines name the request, the work and the run
that they belong to.
"""

from __future__ import annotations

import ast
import json
import logging
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any

_PLACES = ("/sign-in/link/", "/reports/link/", "/reports/mails/", "/share/open/")
_TOKEN = re.compile(rf"({'|'.join(_PLACES)})[^/?#\s\"']+")
# Of a program or an agent: it stands in a line only where somebody put it into an address.
_SECRET = re.compile(r"mir_[\w-]{20,}")

# Addresses whose answer 503 says by itself what is down.
_HEALTH = ("/healthz", "/readyz")

REFUSED = range(400, 500)


def logging_of(level: str, form: str) -> dict[str, Any]:
    """Configure Python's logging: lines on stderr in one form, `line` or `json`; ours and Celery's from a level on, others' from WARNING."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "line": {
                "class": "mirror.logs.PlainLines",
                "format": "%(asctime)s %(levelname)-7s %(name)s pid=%(process)d %(message)s",
            },
            "json": {"()": "mirror.logs.JsonLines"},
        },
        "filters": {
            "without_tokens": {"()": "mirror.logs.WithoutTokens"},
            "plain_refusals": {"()": "mirror.logs.PlainRefusals"},
        },
        "handlers": {
            "console": {
                "class": "logging.StreamHandler",
                "formatter": form,
                "filters": ["plain_refusals", "without_tokens"],
            },
        },
        "root": {"handlers": ["console"], "level": "WARNING"},
        "loggers": {
            "mirror": {"level": level},
            "sqlagent": {"level": level},
            "celery": {"level": level},
            "django.server": {"handlers": ["console"], "level": "WARNING", "propagate": False},
            "django.security.DisallowedHost": {"level": "CRITICAL"},
        },
    }


class PlainRefusals(logging.Filter):
    """Leaves one line of a request that was refused, without the place in our code; health says in its answer what is down."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Take the traceback off a refusal; a record of health that is down goes."""
        if not record.name.startswith("django."):
            return True
        if getattr(record, "status_code", 0) in REFUSED:
            record.exc_info = None
        path = getattr(getattr(record, "request", None), "path_info", "")
        return not (record.name == "django.request" and path in _HEALTH and not record.exc_info)


class WithoutTokens(logging.Filter):
    """Leaves a link's address in a line and takes its token out, and tokens of programs wherever they stand."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Rewrite the finished line; every record passes."""
        line = record.getMessage()
        if any(place in line for place in (*_PLACES, "mir_")):
            record.msg, record.args = _without_tokens(line), ()
        return True


def _without_tokens(text: str) -> str:
    return _SECRET.sub("mir_...", _TOKEN.sub(r"\1...", text))


_ABOUT: ContextVar[Mapping[str, Any]] = ContextVar("about", default={})  # noqa: B039 - it is never changed


@contextmanager
def lines_about(**named: Any) -> Iterator[None]:
    """Let each line of the body say what it is about, by names that JSON takes; threads that get its context too."""
    before = _ABOUT.set({**_ABOUT.get(), **named})
    try:
        yield
    finally:
        _ABOUT.reset(before)


def request_now() -> str:
    """The id of the request that is answered now, or that queued the work which is done now; empty for none."""
    return str(_ABOUT.get().get("request", ""))


class PlainLines(logging.Formatter):
    """A line in words, followed by the traceback where there is one, without tokens in either."""

    def format(self, record: logging.LogRecord) -> str:
        """Give the line. Tokens are cut out of the finished text: a traceback repeats what its error said."""
        return _without_tokens(super().format(record))


class JsonLines(logging.Formatter):
    """One JSON object a line: `time` (UTC), `level`, `logger`, `pid`, `message`; `request`, `work`, `row` and `run` where it belongs to one; `exception`."""

    def format(self, record: logging.LogRecord) -> str:
        """Give the line, without tokens, whatever they came in with."""
        said: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "pid": record.process,
            "message": record.getMessage(),
            **_ABOUT.get(),
            **_of_message(record),
        }
        if record.exc_info:
            said["exception"] = self.formatException(record.exc_info)
        # Taken out of each value: in the finished line the backslash before a quote would go with a token.
        plain = {
            name: _without_tokens(value) if isinstance(value, str) else value for name, value in said.items()
        }
        return json.dumps(plain, ensure_ascii=False, default=str)


def _of_message(record: logging.LogRecord) -> dict[str, Any]:
    """Name the work of a message that a line of Celery tells of."""
    told = getattr(record, "data", None)
    with suppress(ValueError, SyntaxError, TypeError):
        if isinstance(told, dict) and str(told.get("name", "")).startswith("mirror.work."):
            work, row = ast.literal_eval(str(told["args"]))
            return {"work": work, "row": row} | ({"run": row} if work == "run" else {})
    return {}


def line_plain(line: str) -> str:
    """A line of `JsonLines` as the other form of line says it; any other line as it is."""
    with suppress(ValueError, TypeError, KeyError):
        said = json.loads(line)
        about = (f"{name}={said[name]}" for name in ("request", "work", "row", "run") if name in said)
        first = [
            said["time"],
            f"{said['level']:7}",
            said["logger"],
            f"pid={said['pid']}",
            *about,
            said["message"],
        ]
        return "\n".join([" ".join(map(str, first)), *([said["exception"]] if "exception" in said else [])])
    return line
