"""Log lines of refused requests, one each; and the fields of JSON lines."""

from __future__ import annotations

import json
import logging
import logging.config
import re
from io import StringIO

import pytest
from asgiref.sync import async_to_sync
from django.core.exceptions import PermissionDenied
from django.test import AsyncClient, RequestFactory
from django.urls import reverse

from mirror.asking.models import Run
from mirror.logs import JsonLines, PlainRefusals, line_plain, lines_about
from mirror.work.kinds import REQUEST
from mirror.work.tasks import work


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
    assert not PlainRefusals().filter(record(503, "/readyz"))
    assert PlainRefusals().filter(record(500, "/healthz", RuntimeError("broke")))
    assert PlainRefusals().filter(record(503, "/sources/"))


def test_a_page_that_is_not_ones_own_leaves_one_line(as_bob, caplog, shop) -> None:
    caplog.handler.addFilter(PlainRefusals())
    assert as_bob.get("/people/").status_code == 403
    (line,) = [one for one in caplog.records if one.name == "django.request"]
    assert "Traceback" not in logging.Formatter().format(line)


# ---------------------------------------------------------------- lines as JSON


@pytest.fixture
def lines():
    """Log of a test, as JSON lines."""
    said = StringIO()
    handler = logging.StreamHandler(said)
    handler.setFormatter(JsonLines())
    logging.getLogger().addHandler(handler)
    yield lambda: [json.loads(line) for line in said.getvalue().splitlines()]
    logging.getLogger().removeHandler(handler)


@pytest.mark.django_db(transaction=True)
def test_every_line_of_a_run_names_it_and_the_request_that_asked(as_alice, shop, lines, monkeypatch):
    sent = []
    monkeypatch.setattr(
        "mirror.work.kinds.current_app.send_task", lambda door, **wish: sent.append((door, wish))
    )
    wish = {"source": shop.name, "question": "How many customers are there?"}
    asked = as_alice.post(reverse("asking:ask"), wish, headers={"X-Request-ID": "proxy-17"})
    assert (asked.status_code, asked["X-Request-ID"]) == (302, "proxy-17")
    run = Run.objects.get()
    ((door, message),) = sent
    assert message["headers"] == {REQUEST: "proxy-17"}

    work.apply(args=message["args"], headers=message["headers"])
    run.refresh_from_db()
    assert run.outcome == "answered"
    (ended,) = [line for line in lines() if line["message"].startswith(f"Run {run.pk} answered")]
    about = {"request": "proxy-17", "work": "run", "row": run.pk, "run": run.pk}
    assert about.items() <= ended.items()
    assert {"time", "level", "logger", "pid"} <= ended.keys()
    done = [line for line in lines() if line["logger"].startswith("celery.app.trace")]
    assert all(line["run"] == run.pk for line in done)
    assert not [line for line in lines() if wish["question"] in str(line)]

    version = run.versions.get()
    version.pk, version.number, version.status = None, 2, "queued"
    version.save()
    log = logging.getLogger("mirror.asking")
    monkeypatch.setattr("mirror.asking.services.version_run", lambda lease: log.warning("Now"))
    work.apply(args=["version", version.pk])
    (now,) = [line for line in lines() if line["message"] == "Now"]
    assert (now["work"], now["row"], now["run"]) == ("version", version.pk, run.pk)


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("b0c4-1.a:Z=+", True),
        ("", False),
        ("x" * 129, False),
        ("a b", False),
        ('a","level":"x', False),
        ("-", False),
    ],
)
def test_a_request_keeps_its_name_where_that_is_sane(client, given, kept):
    name = client.get("/livez", headers={"X-Request-ID": given})["X-Request-ID"]
    assert (name == given) is kept
    assert re.fullmatch(r"[\w.:=+-]{1,128}", name)


def test_a_line_stays_one_line_without_tokens_and_reads_as_the_other_form_does(lines):
    token = "mir_" + "a" * 40
    with lines_about(run=3):
        try:
            raise ValueError(f"refused by /reports/link/secret-of-mail/ with {token}")
        except ValueError:
            logging.getLogger("mirror").exception("It broke\nin two lines at /sign-in/link/abcdef/")
    (line,) = lines()
    assert "Traceback" in line["exception"]
    assert not any(secret in str(line) for secret in (token, "secret-of-mail", "abcdef"))
    plain = line_plain(json.dumps(line))
    assert " ERROR   mirror pid=" in plain
    assert "run=3 It broke" in plain
    assert line_plain("{no json") == "{no json"


def test_tracebacks_of_lines_in_words_are_without_tokens_too(settings):
    said = StringIO()
    handler = logging.StreamHandler(said)
    log = logging.getLogger("mirror.tokens")
    form = dict(settings.LOGGING["formatters"]["line"])
    handler.setFormatter(logging.config.DictConfigurator({}).configure_formatter(form))
    log.addHandler(handler)
    token = "mir_" + "a" * 40
    try:
        raise ValueError(f"refused by /reports/link/secret-of-mail/ with {token}")
    except ValueError:
        log.exception("It broke at /sign-in/link/abcdef/")
    finally:
        log.removeHandler(handler)
    line = said.getvalue()
    assert "Traceback" in line
    assert "refused by /reports/link/.../ with mir_..." in line
    assert not any(
        secret in line for secret in (token, "ValueError: refused by /reports/link/secret", "abcdef")
    )


@pytest.mark.parametrize("address", ["/sign-in/link/secret", "/reports/mails/secret", "mir_" + "secret" * 5])
def test_a_line_with_a_token_in_quotes_is_json(lines, address):
    with lines_about(request="mir_" + "secret" * 5):
        try:
            raise ValueError(f'Refused "{address}"\nand went on')
        except ValueError:
            logging.getLogger("mirror").exception('Came from "%s" today', address)
    (line,) = lines()
    assert line["message"].endswith('..." today')
    assert line["exception"].endswith('..."\nand went on')
    assert (
        "secret"
        not in str(line["message"]) + line["request"] + line["exception"].partition("ValueError: ")[2]
    )


@pytest.mark.parametrize(
    ("method", "path", "status"), [("post", "/", 422), ("post", "/livez", 405), ("get", "/nowhere", 404)]
)
def test_the_line_of_a_request_that_was_refused_names_it_once(as_alice, lines, method, path, status):
    answer = getattr(as_alice, method)(path, headers={"X-Request-ID": "proxy-18"})
    assert answer.status_code == status
    (line,) = [line for line in lines() if line["logger"] == "django.request"]
    assert line["request"] == "proxy-18"


@pytest.mark.django_db(transaction=True)
def test_so_does_that_of_the_server_which_answers_without_threads(lines):
    answer = async_to_sync(AsyncClient().get)("/api/v1/sources", headers={"X-Request-ID": "proxy-19"})
    assert answer.status_code == 401
    (line,) = [line for line in lines() if line["logger"] == "django.request"]
    assert line["request"] == "proxy-19"
