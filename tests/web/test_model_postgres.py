"""A model corrected on a real PostgreSQL: keys nobody declared, fiscal years and weeks as the server counts them, follow-ups."""

from __future__ import annotations

from typing import Any

import pytest
from django.urls import reverse

from mirror.asking import services
from mirror.asking.models import Run
from mirror.results.rows import rows_of
from mirror.sources.catalog_services import catalog_refresh
from mirror.sources.models import Source
from tests.servers import PASSWORD, postgres_server
from tests.web.working import answer, values_read

TABLES = """
CREATE SCHEMA crm;
CREATE TABLE crm.people (code int PRIMARY KEY, name text, town text);
CREATE TABLE crm.contract (id int PRIMARY KEY, buyer int, signed_on date NOT NULL, amount numeric, state text);
INSERT INTO crm.people SELECT n, 'Person ' || n, (ARRAY['Bergen', 'Lima', 'Kyoto'])[1 + n % 3] FROM generate_series(1001, 1030) n;
INSERT INTO crm.contract SELECT n, 1001 + n % 30, DATE '2025-01-05' + n * 3, 100 + n, (ARRAY['o', 'c'])[1 + n % 2] FROM generate_series(1, 200) n;
"""


@pytest.fixture
def crm(transactional_db: Any, alice: Any, media: Any) -> Source:
    """That database as Alice's source, read."""
    server = postgres_server()
    with server.connect() as db:
        db.execute("DROP DATABASE IF EXISTS model_crm")
        db.execute("CREATE DATABASE model_crm")
    with server.connect("model_crm") as db:
        db.execute(TABLES)
    source = Source.objects.create(
        owner=alice, name="crm", engine=Source.Engine.POSTGRES, host=server.host, port=server.port,
        database="model_crm", username=server.user, password=PASSWORD,
    )  # fmt: skip
    catalog_refresh(source)
    values_read(source)
    source.refresh_from_db()
    return source


def asked(run: Run) -> tuple[str, list[Any], str]:
    """The SQL, the rows and the outcome of a question."""
    version = answer(run).versions.first()
    if version is None:
        return "", [], run.outcome
    return " ".join(version.sql.split()), list(rows_of(version.result, 500).rows), run.outcome


def test_a_model_is_corrected_and_gone_by_on_postgresql(crm: Source, alice: Any, as_alice: Any) -> None:
    def ask(question: str) -> tuple[str, list[Any], str]:
        return asked(services.run_ask(alice, crm, question))

    def post(table: str, column: str = "", **typed: str) -> None:
        name = "model_column" if column else "model_table"
        place = reverse(
            f"sources:{name}", args=[crm.pk], query={"table": table} | ({"column": column} if column else {})
        )
        shown = as_alice.get(place).context["page"].form
        data = {field.name: field.value() for field in shown if field.value() not in (None, False)}
        assert as_alice.post(place, data | typed).status_code == 302

    assert "JOIN" not in ask("amount by town")[0]
    post("crm.contract", "buyer", points="crm.people|code")
    sql, rows, _ = ask("amount by town")
    assert "JOIN crm.people" in sql
    assert sorted(row[0] for row in rows) == ["Bergen", "Kyoto", "Lima"]
    post("crm.contract", synonyms="deal")
    assert ask("number of deals")[1] == [(200,)]
    post("crm.contract", "state", label_0="Open", label_1="Closed")
    assert {row[0] for row in ask("deals by state")[1]} == {"Open", "Closed"}
    days = {"week": "sunday", "year": "4", "year_name": "ends", "today": "data"}
    assert as_alice.post(reverse("sources:model_calendar", args=[crm.pk]), days).status_code == 302
    _, rows, _ = ask("deals by fiscal quarter")
    assert [row[0] for row in rows][:3] == ["FY2025-Q4", "FY2026-Q1", "FY2026-Q2"]
    assert sum(row[1] for row in rows) == 200
    _, rows, _ = ask("deals by week")
    assert {row[0].weekday() for row in rows} == {6}
    first = services.run_ask(alice, crm, "deals by town")
    assert asked(first)[2] == "answered"
    followed = services.run_follow(first, "by state instead")
    sql, rows, _ = asked(followed)
    assert {row[0] for row in rows} == {"Open", "Closed"}
    post("crm.people", "town", hidden="on")
    sql, _, outcome = ask("deals by town")
    assert "town" not in sql and outcome != "answered"
