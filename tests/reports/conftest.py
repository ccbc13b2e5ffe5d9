"""A mail server, SQL in the library and a database to change, for the tests of reports."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import pytest

from mirror.library.models import SavedSql
from mirror.sources.models import Source
from mirror.sources.services import source_connect
from tests.mail_server import MailServer
from tests.reports.working import save_sql


@pytest.fixture(scope="session")
def mail_server(tmp_path_factory) -> Iterator[MailServer]:
    """A real mail server, once a session."""
    with MailServer(tmp_path_factory.mktemp("mail")) as server:
        yield server


@pytest.fixture
def post(mail_server, settings, media) -> MailServer:
    """The mail server, empty and obliging, as the one of the settings."""
    settings.EMAIL_HOST, settings.EMAIL_PORT = mail_server.host, mail_server.port
    settings.CHART_IMAGES = "simple"
    mail_server.orders()
    for mail in (mail_server.folder / "mails").glob("*"):
        mail.unlink()
    return mail_server


@pytest.fixture
def saved(alice, shop) -> SavedSql:
    """Customers by country, in Alice's library."""
    return save_sql(alice, shop)


@pytest.fixture
def stock(alice, tmp_path) -> Source:
    """A database whose rows a test can change."""
    path = tmp_path / "stock.sqlite3"
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE stock (item TEXT, pieces INTEGER)")
        db.executemany("INSERT INTO stock VALUES (?, ?)", [("nut", 40), ("bolt", 7)])
    alice.is_staff = True
    return source_connect(Source(name="stock", engine="sqlite", database=str(path)), alice)


@pytest.fixture
def here_allowed(settings) -> None:
    """An administrator has allowed webhooks to this machine."""
    settings.WEBHOOK_HOSTS = ["127.0.0.1", "127.0.0.2"]


@pytest.fixture
def mail(settings) -> None:
    """A mail server that is named and never asked."""
    settings.EMAIL_HOST = "mail.example.com"
