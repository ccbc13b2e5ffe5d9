"""What never reaches a log: tokens that stand in addresses, and more than a line about a request that was refused."""

from __future__ import annotations

import logging
import re

_PLACES = ("/sign-in/link/", "/reports/link/", "/reports/mails/")
_TOKEN = re.compile(rf"({'|'.join(_PLACES)})[^/?#\s\"']+")
# Of a program or an agent: it stands in a line only where somebody put it into an address.
_SECRET = re.compile(r"mir_[\w-]{20,}")

REFUSED = range(400, 500)


class PlainRefusals(logging.Filter):
    """Leaves one line of a request that was refused, without the place in our code; health says in its answer what is down."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Take the traceback off a refusal; a record of /healthz goes."""
        if not record.name.startswith("django."):
            return True
        if getattr(record, "status_code", 0) in REFUSED:
            record.exc_info = None
        path = getattr(getattr(record, "request", None), "path_info", "")
        return not (record.name == "django.request" and path == "/healthz" and not record.exc_info)


class WithoutTokens(logging.Filter):
    """Leaves a link's address in a line and takes its token out, and tokens of programs wherever they stand."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Rewrite the finished line; every record passes."""
        line = record.getMessage()
        if any(place in line for place in (*_PLACES, "mir_")):
            record.msg, record.args = _SECRET.sub("mir_...", _TOKEN.sub(r"\1...", line)), ()
        return True
