"""What a log holds of requests that were refused: a line each."""

from __future__ import annotations

import logging

import pytest
from django.core.exceptions import PermissionDenied
from django.test import RequestFactory

from mirror.logs import PlainRefusals


def record(status: int, path: str = "/people/", error: Exception | None = None) -> logging.LogRecord:
    made = logging.LogRecord("django.request", logging.WARNING, __file__, 1, "Forbidden: %s", (path,), None)
    made.status_code, made.request = status, RequestFactory().get(path)
    if error is not None:
        try:
            raise error
        except type(error) as raised:
            made.exc_info = (type(raised), raised, raised.__traceback__)
    return made


@pytest.mark.parametrize(("status", "kept"), [(403, False), (400, False), (500, True)])
def test_a_refusal_is_a_line_and_a_fault_keeps_its_traceback(status: int, kept: bool) -> None:
    one = record(status, error=PermissionDenied("Only Alice may."))
    assert PlainRefusals().filter(one)
    assert ("Traceback" in logging.Formatter().format(one)) is kept


def test_health_that_is_down_is_no_line_but_health_that_broke_is() -> None:
    assert not PlainRefusals().filter(record(503, "/healthz"))
    assert PlainRefusals().filter(record(500, "/healthz", RuntimeError("broke")))
    assert PlainRefusals().filter(record(503, "/sources/"))


def test_a_page_that_is_not_ones_own_leaves_one_line(as_bob, caplog, shop) -> None:
    caplog.handler.addFilter(PlainRefusals())
    assert as_bob.get("/people/").status_code == 403
    (line,) = [one for one in caplog.records if one.name == "django.request"]
    assert "Traceback" not in logging.Formatter().format(line)
