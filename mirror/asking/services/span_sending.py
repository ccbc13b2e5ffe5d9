"""Sends spans to the collector that `TRACES_URL` names: beside what answers, which neither waits for it nor learns of a failure.

The steps stay in the store, so a span that is lost loses nothing.
"""

from __future__ import annotations

import json
import logging
import queue
import threading
import urllib.error
import urllib.request
from functools import cache
from typing import Any

from django.conf import settings

from mirror.asking.models import Run
from mirror.asking.services.run_spans import spans_of

log = logging.getLogger(__name__)

WAITING, SECONDS = 100, 5
"""Runs that wait to be sent in one process, and how long one call may take."""


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Headers with a secret go to the address that was set and nowhere else."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


class Sender:
    """One thread that sends what is put to it; the newest is dropped where a collector is slow."""

    def __init__(self) -> None:
        self._queue: queue.Queue[dict[str, Any]] = queue.Queue(WAITING)
        threading.Thread(target=self._run, name="traces", daemon=True).start()

    def put(self, spans: dict[str, Any]) -> None:
        """Have spans sent by and by."""
        try:
            self._queue.put_nowait(spans)
        except queue.Full:
            log.warning("The collector of traces is slow: a run was left out")

    def _run(self) -> None:
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), _NoRedirect())
        while True:
            spans = self._queue.get()
            try:
                headers = {"Content-Type": "application/json", **settings.TRACES_HEADERS}
                asked = urllib.request.Request(settings.TRACES_URL, json.dumps(spans).encode(), headers)
                with opener.open(asked, timeout=SECONDS) as answer:
                    answer.read(1_000)
            except (OSError, ValueError) as error:  # a header stands in no message of these
                status = error.code if isinstance(error, urllib.error.HTTPError) else type(error).__name__
                log.warning("The collector of traces did not take a run: %s", status)


@cache
def _sender() -> Sender:
    return Sender()


def run_traced(pk: int) -> None:
    """Send the spans of a run that has ended, where a collector is set."""
    if not settings.TRACES_URL:
        return
    run = Run.objects.select_related("thread").filter(pk=pk).first()
    spans = spans_of(run) if run is not None else None
    if spans is not None:
        _sender().put(spans)
