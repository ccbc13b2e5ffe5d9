"""Traces of answered questions: below the caller's span, with what each stage took, sent to a collector that may be away."""

from __future__ import annotations

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from mirror.asking import services
from mirror.asking.models import Run
from mirror.asking.services import span_sending
from mirror.asking.services.run_spans import traceparent_read
from mirror.work.doing import work_do
from tests.web.api_world import Caller, secret_of
from tests.web.working import unwatched

TRACE, CALLER = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
QUESTION = "Number of orders in Norway by year"


class Collector(HTTPServer):
    """A collector of OTLP over HTTP: it keeps requests, and answers with a status."""

    def __init__(self, status: int = 200, place: str = "") -> None:
        self.came: list[tuple[dict[str, str], dict]] = []
        server = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *_: object) -> None:
                pass

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                server.came.append(({k.lower(): v for k, v in self.headers.items()}, json.loads(body)))
                self.send_response(status)
                if place:
                    self.send_header("location", place)
                self.send_header("content-length", "2")
                self.end_headers()
                self.wfile.write(b"{}")

        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1/traces"

    def waited(self, count: int = 1, seconds: float = 10) -> list:
        end = time.monotonic() + seconds
        while len(self.came) < count and time.monotonic() < end:
            time.sleep(0.02)
        return self.came


@pytest.fixture
def collector():
    made = Collector()
    yield made
    made.shutdown()
    made.server_close()


def answered(pk: int) -> Run:
    with unwatched():
        work_do("run", pk)
    return Run.objects.get(pk=pk)


def test_a_caller_s_trace_goes_on_with_a_span_for_each_stage_and_no_word_of_the_question(
    transactional_db, shop, alice, media, settings, collector
):
    settings.TRACES_URL, settings.TRACES_HEADERS = collector.url, {"x-tenant": "one"}
    sent = {"source": "shop", "question": QUESTION}
    asked = Caller(secret_of(alice)).post("/runs", sent, traceparent=f"00-{TRACE}-{CALLER}-01")
    run = answered(asked.json()["id"])
    ((headers, body),) = collector.waited()
    assert (headers["x-tenant"], headers["content-type"]) == ("one", "application/json")
    (resource,) = body["resourceSpans"]
    assert {"key": "service.name", "value": {"stringValue": "mirror"}} in resource["resource"]["attributes"]
    root, *stages = resource["scopeSpans"][0]["spans"]
    assert (root["traceId"], root["parentSpanId"], root["name"]) == (TRACE, CALLER, "answer question")
    told = {one["key"]: one["value"] for one in root["attributes"]}
    assert (
        told["mirror.run"] == {"intValue": str(run.pk)}
        and told["mirror.outcome"]["stringValue"] == run.outcome
    )
    names = [one["name"] for one in stages]
    assert names[:2] == ["wait for worker", "link"] and names[-1] == "conclude"
    assert "sample and execute" in names and "rank" in names
    assert {(one["traceId"], one["parentSpanId"]) for one in stages} == {(TRACE, root["spanId"])}
    assert len({one["spanId"] for one in (root, *stages)}) == len(names) + 1
    times = [(int(one["startTimeUnixNano"]), int(one["endTimeUnixNano"])) for one in stages]
    assert all(begin <= end for begin, end in times)
    assert [end for _, end in times[:-1]] == [begin for begin, _ in times[1:]]
    plain = json.dumps(body)
    assert not [word for word in ("Norway", "SELECT", "orders", "alice") if word in plain]


@pytest.mark.parametrize(
    ("header", "parent"),
    [("", ""), ("nonsense", ""), (f"ff-{TRACE}-{CALLER}-01", ""), (f"00-{'0' * 32}-{CALLER}-01", "")],
)
def test_a_header_that_is_none_begins_a_trace_of_its_own(
    transactional_db, shop, alice, media, settings, monkeypatch, header, parent
):
    settings.TRACES_URL = "http://127.0.0.1:9/v1/traces"
    put = []
    monkeypatch.setattr(span_sending, "_sender", lambda: type("Kept", (), {"put": put.append}))
    run = services.run_ask(alice, shop, QUESTION, traceparent=header)
    answered(run.pk)
    (spans,) = put
    root = spans["resourceSpans"][0]["scopeSpans"][0]["spans"][0]
    assert root["parentSpanId"] == parent and root["traceId"] not in (TRACE, "0" * 32)
    assert len(root["traceId"]) == 32 and Run.objects.get(pk=run.pk).traceparent == ""


def test_what_a_caller_does_not_sample_is_not_sent_and_nothing_is_without_the_setting(
    transactional_db, shop, alice, media, settings, monkeypatch
):
    put = []
    monkeypatch.setattr(span_sending, "_sender", lambda: type("Kept", (), {"put": put.append}))
    answered(services.run_ask(alice, shop, QUESTION).pk)
    settings.TRACES_URL = "http://127.0.0.1:9/v1/traces"
    answered(services.run_ask(alice, shop, QUESTION, traceparent=f"00-{TRACE}-{CALLER}-00").pk)
    assert not put
    answered(services.run_ask(alice, shop, QUESTION, traceparent=f"00-{TRACE}-{CALLER}-01").pk)
    assert len(put) == 1


def test_a_collector_that_fails_or_leads_elsewhere_changes_no_answer_and_gets_no_header_twice(
    settings, collector, caplog
):
    away = Collector(307, collector.url)
    settings.TRACES_HEADERS = {"authorization": "Bearer geheim"}
    sender = span_sending.Sender()
    for url, says in ((away.url, "307"), ("http://127.0.0.1:9/v1/traces", "URLError")):
        settings.TRACES_URL = url
        sender.put({"resourceSpans": []})
        end = time.monotonic() + 10
        while says not in caplog.text and time.monotonic() < end:
            time.sleep(0.02)
        assert says in caplog.text and "geheim" not in caplog.text
    assert len(away.came) == 1 and not collector.came
    away.shutdown()
    away.server_close()


def test_a_later_version_of_the_header_is_read_as_far_as_it_is_known():
    assert traceparent_read(f"cc-{TRACE}-{CALLER}-01-what-will-be") == f"cc-{TRACE}-{CALLER}-01"
