"""Alice's things as Bob's team sees them, and tokens of everybody, for the tests of the API."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Any

from django.core.files.base import ContentFile
from django.test import Client
from django.utils import timezone

from mirror.api.models import Scope, Token
from mirror.api.services import token_make, token_revoke
from mirror.asking.models import Run, Thread, Version
from mirror.library.services import sql_save
from mirror.reports.models import Report, ReportFile, ReportPart, ReportRun, RunPart
from mirror.results.services import result_store
from mirror.sources.models import Source
from mirror.work.leases import Status
from sqlagent.values import Rows

ALL = [scope.value for scope in Scope]
ROWS = Rows(("id", "amount", "name"), ((2**60, Decimal("1.50"), "=1+1"), (7, Decimal("0.10"), None)))


@dataclass
class World:
    """Rows of the store, and secrets of tokens by kind."""

    run: Run
    version: Version
    saved: Any
    report: Report
    report_run: ReportRun
    file: ReportFile
    secrets: dict[str, str]


class Caller:
    """A program with a token: JSON in, an answer out."""

    def __init__(self, secret: str = "") -> None:
        self.client = Client(raise_request_exception=False)
        self.headers = {"Authorization": f"Bearer {secret}"} if secret else {}

    def get(self, path: str, **headers: str) -> Any:
        """GET a path of the API."""
        return self.client.get(f"/api/v1{path}", headers=self.headers | headers)

    def post(self, path: str, body: Any = None, **headers: str) -> Any:
        """POST JSON to a path of the API."""
        return self.client.post(
            f"/api/v1{path}", body or {}, "application/json", headers=self.headers | headers
        )


def secret_of(person: Any, scopes: list[str] | None = None, **more: Any) -> str:
    """Make a token and give its secret."""
    return token_make(person, "test", ALL if scopes is None else scopes, **{"days": 7} | more)[1]


def world_make(alice: Any, bob: Any, charlie: Any, team: Any, shop: Source) -> World:
    """Make one of each thing, and tokens."""
    other = Source.objects.create(owner=bob, name="other", engine="sqlite", database="/nowhere")
    thread = Thread.objects.create(owner=bob, source=shop, title="Orders")
    reading = {"sql": "SELECT 2", "difference": "by year", "size": 2, "frame": None}
    preview = {"columns": ["n"], "kinds": ["integer"], "rows": [[2]], "row_count": 1, "column_count": 1}
    run = Run.objects.create(
        thread=thread,
        asked="How many orders?",
        question="How many orders?",
        status=Status.DONE,
        outcome="ambiguous",
        reason="It can be read in two ways.",
        confidence=0.61,
        agreement_size=5,
        agreement_pool=7,
        readings=[reading | preview | {"truncated": False, "seconds": 0.1}],
    )
    version = Version.objects.create(
        run=run,
        number=1,
        origin="answer",
        sql="SELECT 1",
        status=Status.DONE,
        result=result_store(shop, ROWS, bob),
        sentence="There are two.",
    )
    saved = sql_save(alice, shop, "Customers of a country", "SELECT * FROM customers WHERE country = :land")
    saved.teams.add(team)
    report = Report.objects.create(owner=alice, title="Weekly", formats=["csv"])
    report.teams.add(team)
    ReportPart.objects.create(report=report, saved=saved, name=saved.name)
    made = ReportRun.objects.create(report=report, cause="now", status=Status.DONE, outcome="made")
    RunPart.objects.create(run=made, position=0, attempt=1, title="x", sql="SELECT 1", source=shop)
    file = ReportFile.objects.create(
        run=made,
        format="csv",
        name="weekly.csv",
        row_count=1,
        size=4,
        expires_at=timezone.now() + timedelta(1),
    )
    file.file.save("weekly.csv", ContentFile(b"a\n1\n"))
    over = token_make(bob, "over", ALL, days=1)
    Token.objects.filter(pk=over[0].pk).update(expires_at=timezone.now() - timedelta(seconds=1))
    gone = token_make(bob, "gone", ALL, days=1)
    token_revoke(gone[0], bob)
    secrets = {
        "stranger": "",
        "charlie": secret_of(charlie),
        "bob": secret_of(bob),
        "other source": secret_of(bob, sources=[other]),
        "expired": over[1],
        "revoked": gone[1],
        "agent": secret_of(bob, use=Token.Use.AGENT),
    }
    return World(run, version, saved, report, made, file, secrets)
