"""Webhooks and Slack against a real HTTP server that fails in every way, and where they may go."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import socket
import time
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from mirror.delivery import channels, slack, webhook
from mirror.delivery.errors import ChannelError, DeliveryFailed
from mirror.delivery.parcel import Section
from mirror.delivery.reach import Reach
from tests.delivery.parcels import MONTHS, URL, attachment, parcel
from tests.hook_server import HookServer, hook_server
from tests.server_processes import certificate_for, free_port

KEY = "whsec_a-signing-key-for-tests"
# The reach of an administrator's reports; the servers here are on this machine.
EVERYWHERE = Reach(is_everywhere=True)
DOCUMENT = (Path(__file__).resolve().parents[2] / "docs/webhooks.md").read_text()


@pytest.fixture(scope="module")
def running() -> Iterator[HookServer]:
    with hook_server() as server:
        yield server


@pytest.fixture
def server(running: HookServer, settings) -> HookServer:
    running.received.clear()
    settings.WEBHOOK_SECONDS = 5
    return running


def deliver(url: str, before=None, reach: Reach = EVERYWHERE, **changed) -> str:
    return channels.deliver("webhook", {"url": url}, KEY, parcel(**changed), before=before, reach=reach)


def failure(url: str, before=None, reach: Reach = EVERYWHERE, **changed) -> DeliveryFailed:
    with pytest.raises(DeliveryFailed) as caught:
        deliver(url, before, reach, **changed)
    return caught.value


# ---------------------------------------------------------------- what is sent


def block(language: str) -> str:
    """A block of the document."""
    found = re.search(rf"```{language}\n(.*?)```", DOCUMENT, re.DOTALL)
    assert found
    return found[1]


def test_the_document_shows_what_is_sent(server):
    shown = json.loads(block("json"))
    file = attachment(
        shown["files"][0]["name"], b"x" * 81230, rows=3_412, notes=tuple(shown["files"][0]["notes"])
    )
    told = shown["sections"][0]
    rows = ((date(2026, 9, 1), 1000, Decimal("3758000.00")), (date(2026, 10, 1), 1120, Decimal("4210334.50")))
    section = Section(told["title"], told["sentence"], tuple(told["columns"]), (), rows, told["row_count"])
    deliver(server.url(), note=shown["note"], sections=(section,), files=(file,))
    (received,) = server.received
    assert json.loads(received.body) == shown
    for name in re.findall(r"(?m)^([\w-]+): ", block("http")):
        assert name.lower() in received.headers


def test_the_document_shows_how_it_is_verified(server):
    deliver(server.url(), attempt=3)
    (received,) = server.received
    names: dict = {}
    exec(block("python"), names)
    verified, header = names["is_from_mirror"], received.headers["mirror-signature"]
    assert verified(received.body, header, KEY)
    assert not verified(received.body + b" ", header, KEY)
    assert not verified(received.body, header, "another key")
    assert not verified(received.body, header, KEY, now=time.time() + 301)
    assert received.headers["mirror-delivery"] == parcel().uid
    assert received.headers["mirror-attempt"] == "3"


def test_the_document_names_every_field():
    told = webhook.content(parcel())
    for word in [*told, *told["sections"][0], *told["files"][0]]:
        assert f"`{word}`" in DOCUMENT or f'"{word}"' in DOCUMENT, word


def test_a_link_to_a_file_is_told_where_one_was_made(server):
    deliver(server.url(), files=(attachment("a.csv", b"", url="https://mirror.example.org/f/t"),))
    assert json.loads(server.received[0].body)["files"][0]["url"] == "https://mirror.example.org/f/t"


def test_odd_text_arrives_as_json(server):
    odd = Section("a\x00\r\n", "\u202e</script>", ("🎉",), ("text",), (("\ud800", 2**70, float("nan")),), 1)
    deliver(server.url(), title="x\r\nMirror-Evil: 1", uid="a\r\nEvil: 1", sections=(odd,))
    (received,) = server.received
    assert json.loads(received.body)["report"] == "x\r\nMirror-Evil: 1"
    assert not {"evil", "mirror-evil"} & set(received.headers)
    assert json.loads(received.body)["sections"][0]["rows"] == [["?", str(2**70), "nan"]]


# ---------------------------------------------------------------- what is answered


@pytest.mark.parametrize(
    ("path", "answer"),
    [
        ("/ok", "200 OK"),
        ("/created", "201 Created"),
        ("/no-content", "204 No Content"),
        ("/empty-reason", "200 OK"),
        ("/other-reason", "200 OK"),
        ("/unknown", "299"),
        ("/half-body", "200 OK"),
    ],
)
def test_what_took_it_is_told_by_its_status_alone(server, path, answer):
    assert deliver(server.url(path)) == answer


@pytest.mark.parametrize(
    ("path", "is_permanent", "words"),
    [
        ("/400", True, "400 Bad Request"),
        ("/404", True, "404 Not Found"),
        ("/410", True, "410 Gone"),
        ("/408", False, "408"),
        ("/500", False, "500 Internal Server Error"),
        ("/503", False, "503"),
        ("/to-private", True, "Redirects are not followed"),
        ("/to-metadata", True, "Redirects are not followed"),
        ("/to-itself", True, "Redirects are not followed"),
        ("/close", False, "closed the connection after the report was sent; it may have arrived"),
        ("/half-head", False, "closed the connection after the report was sent; it may have arrived"),
        ("/nonsense", False, "does not speak HTTP"),
        ("/huge-head", False, "does not speak HTTP"),
    ],
)
def test_what_did_not_take_it_is_said(server, path, is_permanent, words):
    failed = failure(server.url(path))
    assert words in str(failed)
    assert failed.is_permanent == is_permanent
    assert not failed.is_refused
    assert [received.path for received in server.received] == [path]


@pytest.mark.parametrize(
    ("path", "least", "most"),
    [
        ("/429-seconds", 120, 120),
        ("/429-date", 590, 600),
        ("/429-past", 1, 1),
        ("/429-ever", 86_400, 86_400),
        ("/503", 7, 7),
    ],
)
def test_the_wait_that_is_asked_for_is_told_within_bounds(server, path, least, most):
    failed = failure(server.url(path))
    assert not failed.is_permanent
    assert failed.retry_after is not None
    assert least <= failed.retry_after <= most


def test_a_wait_that_cannot_be_read_is_none(server):
    assert failure(server.url("/429-nonsense")).retry_after is None
    assert failure(server.url("/500")).retry_after is None


@pytest.mark.parametrize("path", ["/hang", "/drip-head", "/informational"])
def test_an_answer_that_never_comes_ends_with_the_time(server, settings, path):
    settings.WEBHOOK_SECONDS = 0.4
    started = time.monotonic()
    failed = failure(server.url(path))
    assert "did not answer within 0.4 seconds after the report was sent; it may have arrived" in str(failed)
    assert time.monotonic() - started < 4, "the drip alone would take minutes"


def test_an_answer_that_drips_counts_by_its_status_and_is_not_waited_for(server):
    started = time.monotonic()
    assert deliver(server.url("/drip-body")) == "200 OK"
    assert time.monotonic() - started < 2, "the drip alone would take minutes"


def test_nothing_is_read_of_a_huge_answer(server):
    sent = server.sent
    assert deliver(server.url("/huge")) == "200 OK"
    assert server.sent - sent < 8_000_000, "of a gigabyte; what is on its way counts too"


@pytest.mark.parametrize(
    "path", ["/400", "/500", "/nonsense", "/secrets", "/secrets-refused", "/secrets-moved"]
)
def test_nothing_of_an_answer_but_its_status_is_told(server, path):
    try:
        said = deliver(server.url(path))
    except DeliveryFailed as failed:
        said = str(failed)
    for told in ("no such", "oh no", "SSH", "what", "hunter2", "internal"):
        assert told not in said


# ---------------------------------------------------------------- the moment before


def test_the_caller_is_told_when_the_connection_stands_and_nothing_was_sent(server):
    moments = []
    deliver(server.url(), before=lambda: moments.append((server.connections, len(server.received))))
    ((connections, received),) = moments
    assert connections
    assert not received


def test_a_caller_that_stops_there_has_sent_nothing(server):
    def stop() -> None:
        raise RuntimeError("the lease is lost")

    with pytest.raises(RuntimeError, match="the lease is lost"):
        deliver(server.url(), before=stop)
    deliver(server.url("/created"))
    assert [received.path for received in server.received] == ["/created"]


def test_nobody_at_the_door_is_said_before_the_caller_is_told(server):
    told = []
    failed = failure(f"http://127.0.0.1:{free_port()}/", before=lambda: told.append(True))
    assert "could not be reached: Connection refused" in str(failed)
    assert not failed.is_permanent
    assert not told


# ---------------------------------------------------------------- where it may go


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://169.254.169.254/latest/meta-data/", "link-local"),
        ("http://[::ffff:169.254.169.254]/", "link-local"),
        ("http://[64:ff9b::a9fe:a9fe]/", "link-local"),
        ("http://[2002:a9fe:a9fe::1]/", "link-local"),
        ("http://2852039166/", "link-local"),
        ("http://0xA9.0xFE.0xA9.0xFE/", "link-local"),
        ("http://[fd00:ec2::254]/", "link-local"),
        ("http://100.100.100.200/", "link-local"),
        ("http://0.0.0.0/", "nothing can be reached"),
        ("http://nowhere.invalid/", "No machine is called"),
        ("ftp://example.org/", "begin with https://"),
        ("file:///etc/passwd", "begin with https://"),
        ("https://user:secret@example.org/", "A name and a password"),
        ("https://exa mple.org/", "no spaces"),
        ("https://example.org/\r\nX: 1", "no spaces"),
        ("https://ex\u2044ample.org/", "letters beyond ASCII"),
        ("https:///path", "no host name"),
        ("https://example.org:99999/", "not an address"),
        ("https://example.org\\@127.0.0.1/", "A name and a password"),
        ("", "address is missing"),
        ("https://example.org/" + "x" * 2_000, "2,000 characters at most"),
    ],
)  # fmt: skip
def test_an_address_that_may_not_be_is_said_when_saving_and_when_sending(url, words):
    with pytest.raises(ChannelError, match=re.escape(words)) as caught:
        channels.check("webhook", {"url": url}, KEY, by_staff=True, reach=EVERYWHERE)
    assert caught.value.field == "url"
    assert words in str(failure(url))


@pytest.mark.parametrize(
    "url",
    [
        "https://127.0.0.1/", "https://10.1.2.3/", "https://[::1]/", "https://localhost/", "https://192.168.1.1:8443/",
        "https://[::ffff:127.0.0.1]/", "https://[64:ff9b::10.0.0.1]/", "https://2130706433/", "https://0x7f.1/",
    ],
)  # fmt: skip
def test_private_networks_are_a_decision_of_administrators(url):
    assert channels.check("webhook", {"url": url}, KEY, by_staff=True, reach=EVERYWHERE) == {"url": url}
    for reach in (
        {},
        {"reach": Reach()},
        {"reach": Reach(hosts=frozenset({"hooks.internal", "127.0.0.1:444"}))},
    ):
        with pytest.raises(ChannelError, match="private network, and no administrator has allowed it"):
            channels.check("webhook", {"url": url}, KEY, by_staff=False, **reach)
    assert failure(url, reach=Reach()).is_permanent


@pytest.mark.parametrize(
    ("hosts", "host", "is_allowed"),
    [
        ({"127.0.0.1"}, "127.0.0.1", True),
        ({"127.0.0.1:PORT"}, "127.0.0.1", True),
        ({"127.0.0.1:1"}, "127.0.0.1", False),
        ({"127.0.0.1"}, "localhost", False),
        ({"127.0.0.1"}, "2130706433", False),
        ({"hooks.internal"}, "Hooks.Internal", True),
        ({"hooks.internal"}, "hooks.internal.example.org", False),
        ({"internal"}, "hooks.internal", False),
    ],
)
def test_a_host_that_was_allowed_is_called_and_no_other(server, monkeypatch, hosts, host, is_allowed):
    named = {
        name: ["127.0.0.1"] for name in ("hooks.internal", "Hooks.Internal", "hooks.internal.example.org")
    }
    monkeypatch.setattr(socket, "getaddrinfo", Names(**named))
    reach = Reach(hosts=frozenset(one.replace("PORT", str(server.port)) for one in hosts))
    if is_allowed:
        assert deliver(server.url(host=host), reach=reach) == "200 OK"
    else:
        assert "may not be called" in str(failure(server.url(host=host), reach=reach))
    assert bool(server.received) == is_allowed


def test_a_host_that_was_allowed_leads_to_no_metadata_service(server, monkeypatch):
    monkeypatch.setattr(socket, "getaddrinfo", Names(**{"hooks.internal": ["169.254.169.254"]}))
    allowed = Reach(hosts=frozenset({"hooks.internal"}))
    assert "link-local" in str(failure(server.url(host="hooks.internal"), reach=allowed))


def test_where_private_networks_are_not_called_a_message_is_encrypted(settings):
    settings.SOURCE_PRIVATE_HOSTS = False
    with pytest.raises(ChannelError, match="must begin with https://"):
        channels.check("webhook", {"url": "http://93.184.216.34/"}, KEY, by_staff=False)
    assert channels.check("webhook", {"url": "http://127.0.0.1/"}, KEY, by_staff=False, reach=EVERYWHERE)


class Names:
    """Addresses of names, one answer for each look-up; other names are resolved as usual."""

    def __init__(self, **answers: list[str]) -> None:
        self.answers, self.asked, self._real = answers, 0, socket.getaddrinfo

    def __call__(self, host, port, *more, **named):
        if host not in self.answers:
            return self._real(host, port, *more, **named)
        self.asked += 1
        answers = self.answers[host]
        place = answers[min(self.asked, len(answers)) - 1]
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (one, port)) for one in place.split()]


def test_a_name_that_changes_after_the_check_leads_nowhere_else(server, monkeypatch):
    names = Names(**{"hooks.example.org": ["127.0.0.1", "169.254.169.254"]})
    monkeypatch.setattr(socket, "getaddrinfo", names)
    assert deliver(server.url(host="hooks.example.org")) == "200 OK"
    assert names.asked == 1
    assert server.received[0].headers["host"] == f"hooks.example.org:{server.port}"
    assert "may not be called" in str(failure(server.url(host="hooks.example.org")))


def test_one_address_that_may_not_be_called_refuses_the_name(server, monkeypatch):
    monkeypatch.setattr(socket, "getaddrinfo", Names(**{"hooks.example.org": ["127.0.0.1 169.254.169.254"]}))
    assert "may not be called" in str(failure(server.url(host="hooks.example.org")))
    assert server.received == []


def test_an_address_that_is_down_gives_way_to_the_next(server, monkeypatch):
    monkeypatch.setattr(socket, "getaddrinfo", Names(**{"hooks.example.org": ["127.0.0.2 127.0.0.1"]}))
    assert deliver(server.url(host="hooks.example.org")) == "200 OK"


def test_a_proxy_of_the_environment_is_not_used(server, monkeypatch):
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{free_port()}")
    assert deliver(server.url()) == "200 OK"


def test_the_name_and_not_the_address_is_what_a_certificate_is_held_against(server, tmp_path, monkeypatch):
    paths = tmp_path / "cert.pem", tmp_path / "key.pem"
    for path, content in zip(paths, certificate_for("127.0.0.1"), strict=True):
        path.write_bytes(content)
    monkeypatch.setattr(socket, "getaddrinfo", Names(**{"hooks.example.org": ["127.0.0.1"]}))
    told = []
    with hook_server(certificate=tuple(map(str, paths))) as secured:
        unknown = failure(secured.url(scheme="https"), before=lambda: told.append(True))
        monkeypatch.setenv("SSL_CERT_FILE", str(paths[0]))
        assert deliver(secured.url(scheme="https")) == "200 OK"
        other = failure(
            secured.url(scheme="https", host="hooks.example.org"), before=lambda: told.append(True)
        )
    assert "certificate of “127.0.0.1” is not accepted" in str(unknown)
    assert "certificate of “hooks.example.org” is not accepted" in str(other)
    assert "does not speak TLS" in str(failure(server.url(scheme="https")))
    assert not told


def test_a_key_is_needed_and_made_long():
    with pytest.raises(ChannelError, match="at least 16") as caught:
        channels.check("webhook", {"url": "https://127.0.0.1/"}, "short", by_staff=True)
    assert caught.value.field == "secret"
    assert len(channels.new_secret()) > 40


def test_where_it_goes_is_shown_without_what_may_be_secret():
    shown = channels.describe("webhook", {"url": "https://example.org/hooks/7?token=abc"})
    assert shown == ("https://example.org/hooks/7",)


# ---------------------------------------------------------------- Slack


def test_slack_gets_the_title_the_sentences_some_rows_and_the_link(server):
    answer = channels.deliver("slack", {}, server.url(), parcel(), reach=EVERYWHERE)
    assert answer == "200 OK"
    message = json.loads(server.received[0].body)
    drawn = json.dumps(message, ensure_ascii=False)
    assert message["text"].startswith("Weekly sales: Revenue rose")
    assert message["blocks"][0] == {
        "type": "header",
        "text": {"type": "plain_text", "text": "Weekly sales", "emoji": False},
    }
    assert MONTHS.sentence in drawn
    assert "Seller 9" in drawn
    assert "Seller 10" not in drawn
    assert "First 10 of 3,412 rows" in drawn
    assert f"<{URL}|Open this run>" in drawn
    assert "mirror-signature" not in server.received[0].headers


def texts(block: dict) -> Iterator[dict]:
    yield from [block["text"]] if "text" in block else block["elements"]


def test_what_is_in_cells_mentions_nobody_and_links_nowhere():
    section = Section(
        "<!channel>", "<http://evil|x> & ```", ("a",), ("text",), (("<!here> ``` *x*",), ("@all",)), 2
    )
    message = slack.content(parcel(title="<!everyone>", message="<@U1>", sections=(section,), files=()))
    for block in message["blocks"]:
        for text in texts(block):
            if text["type"] == "mrkdwn" and "Open this run" not in text["text"]:
                assert not re.search(r"<|>", text["text"])
                assert text["text"].count("```") in (0, 2)
    assert "<" not in message["text"]


def test_a_message_keeps_to_the_limits_of_slack():
    wide = Section("t" * 500, "s" * 9_000, ("c" * 300,) * 30, (), (("x" * 5_000,) * 30,) * 30, 30)
    message = slack.content(
        parcel(title="x" * 900, note="n" * 9_000, message="m" * 9_000, sections=(wide,) * 60)
    )
    assert len(message["blocks"]) <= 50
    assert len(message["blocks"][0]["text"]["text"]) <= 150
    assert all(len(text["text"]) <= 3_000 for block in message["blocks"] for text in texts(block))


def test_the_address_of_slack_is_a_secret(server):
    url = server.url("/secret")
    target = channels.check("slack", {}, url, by_staff=False, reach=EVERYWHERE)
    assert "/secret" not in json.dumps([target, channels.describe("slack", target)])
    with pytest.raises(DeliveryFailed) as caught:
        channels.deliver("slack", target, url, parcel(), reach=EVERYWHERE)
    assert "secret" not in str(caught.value)
    with pytest.raises(ChannelError) as refused:
        channels.check("slack", {}, "http://169.254.169.254/x", by_staff=True)
    assert refused.value.field == "secret"


def test_a_signature_is_what_any_hmac_says():
    digest = hmac.new(KEY.encode(), b"17.{}", hashlib.sha256).hexdigest()
    assert webhook.signature(KEY, b"{}", 17) == f"t=17,v1={digest}"
