"""Requests that cannot be read get Mirror's own pages, from any sender and at any address; errors are told in the log."""

from __future__ import annotations

import json
import logging
import re
from io import StringIO

import pytest
from asgiref.sync import async_to_sync
from django.test import AsyncClient, Client

from mirror.logs import JsonLines

BODIES = ["multipart/form-data", "multipart/form-data; boundary=" + "x" * 300]


@pytest.fixture
def posting(alice):
    """A browser of Alice whose answers of 500 are answers, with the token of her pages."""
    browser = Client(raise_request_exception=False, enforce_csrf_checks=True)
    browser.force_login(alice)
    page = browser.get("/").content.decode()
    token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)
    assert token is not None
    return browser, token[1]


@pytest.fixture
def lines():
    """Log of a test, as JSON lines."""
    said, handler = StringIO(), logging.StreamHandler()
    handler.setStream(said)
    handler.setFormatter(JsonLines())
    logging.getLogger().addHandler(handler)
    yield lambda: [json.loads(line) for line in said.getvalue().splitlines()]
    logging.getLogger().removeHandler(handler)


@pytest.mark.parametrize("body", BODIES, ids=["none", "long"])
@pytest.mark.parametrize(
    ("path", "status", "title"),
    [
        ("/nowhere", 404, "Not found"),
        ("/sources/nowhere/x/", 404, "Not found"),
        ("/", 400, "Not understood"),
        ("/language-models/new/", 400, "Not understood"),
        ("/sign-in/", 400, "Not understood"),
        ("/static/nothing.css", 404, "Not found"),
    ],
)
def test_a_body_that_cannot_be_read_gets_a_page_of_ours(posting, path, status, title, body) -> None:
    alice, token = posting
    answers = [
        alice.post(path, data=b"x", content_type=body, headers={"X-CSRFToken": token}),
        alice.post(path, data=b"x", content_type=body),
    ]
    if status == 404 or path == "/sign-in/":
        answers.append(Client(raise_request_exception=False).post(path, data=b"x", content_type=body))
    assert {one.status_code for one in answers} == {status}
    for one in answers:
        assert f"<title>{title} · Mirror</title>" in one.content.decode()


def test_a_host_that_is_not_ours_gets_a_page_of_ours(db) -> None:
    answer = Client(raise_request_exception=False).get("/sign-in/", headers={"Host": "elsewhere.example"})
    assert answer.status_code == 400 and "<title>Not understood · Mirror</title>" in answer.content.decode()


def test_a_call_of_the_api_that_cannot_be_read_is_a_problem(db) -> None:
    answer = Client(raise_request_exception=False).post("/api/v1/nowhere", data=b"x", content_type=BODIES[0])
    assert (answer.status_code, answer["Content-Type"]) == (404, "application/problem+json")


def _broken(*_: object, **__: object) -> None:
    raise RuntimeError("the page of errors broke")


@pytest.mark.parametrize("is_async", [False, True])
def test_the_line_of_an_error_page_that_broke_has_its_traceback_and_names_the_request(
    db, lines, monkeypatch, is_async
) -> None:
    monkeypatch.setattr("mirror.error_pages.render", _broken)
    named = {"X-Request-ID": "proxy-9"}
    if is_async:
        browser = AsyncClient(raise_request_exception=False)
        answer = async_to_sync(browser.get)("/static-not/x", headers=named)
    else:
        answer = Client(raise_request_exception=False).get("/static-not/x", headers=named)
    assert answer.status_code == 500 and "Something broke" in answer.content.decode()
    (line,) = [one for one in lines() if one["logger"] == "django.request"]
    assert (line["level"], line["request"]) == ("ERROR", "proxy-9")
    assert "the page of errors broke" in line["exception"] and "Traceback" in line["exception"]


@pytest.mark.parametrize("is_async", [False, True])
def test_the_line_of_a_view_that_broke_has_its_traceback_and_names_the_request(
    db, lines, monkeypatch, is_async
) -> None:
    monkeypatch.setattr("mirror.people.views.SignInForm.__init__", _broken, raising=False)
    named = {"X-Request-ID": "proxy-10"}
    if is_async:
        browser = AsyncClient(raise_request_exception=False)
        answer = async_to_sync(browser.get)("/sign-in/", headers=named)
    else:
        answer = Client(raise_request_exception=False).get("/sign-in/", headers=named)
    assert answer.status_code == 500
    (line,) = [one for one in lines() if one["logger"] == "django.request"]
    assert line["request"] == "proxy-10" and "the page of errors broke" in line["exception"]
