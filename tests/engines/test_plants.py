"""Objects that somebody made in a database and that SQL calls unseen: planted one at a time, and asked for.

`cases/plants.jsonl` holds families. Each statement is refused, and the test proves that the plant works: run from
behind, it leaves a trace in PostgreSQL, and answers with the planted words elsewhere.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from sqlagent import guard
from tests import servers
from tests.engines.lab import Lab
from tests.engines.labs import LABS
from tests.engines.mysql_lab import MysqlLab
from tests.engines.postgres_lab import PostgresLab
from tests.engines.test_attacks import plant_postgres

PLANTED = "planted here"


def plants(*engines: str) -> list[Any]:
    """The families planted in some engines, as parameters."""
    lines = Path(__file__).parent.joinpath("cases", "plants.jsonl").read_text("utf-8").splitlines()
    return [
        pytest.param(case, id=f"{number}-{case['engine']}-{case['family']}")
        for number, case in enumerate(map(json.loads, lines))
        if case["engine"] in engines
    ]


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PostgresLab]:
    """A server of its own: the lab's database as it is, and one with the functions that write when they are called."""
    server = servers.PostgresServer()
    server.start()
    try:
        lab = PostgresLab(tmp_path_factory.mktemp("planted"), server)
        with closing(server.connect()) as db:
            db.execute(f'CREATE DATABASE "{lab.database}_clean" TEMPLATE "{lab.database}"')
        plant_postgres(lab)
        yield lab
    finally:
        server.remove()


@pytest.fixture
def apart(planted: PostgresLab, case: dict[str, Any]) -> Iterator[PostgresLab]:
    """A copy of one of those databases, for one plant."""
    whole, planted.database = planted.database, f"{planted.database}_apart"
    template = f"{whole}_clean" if case.get("on") == "clean" else whole
    with closing(planted.server.connect()) as db:
        db.execute(f'CREATE DATABASE "{planted.database}" TEMPLATE "{template}"')
    yield planted
    with closing(planted.server.connect()) as db:
        db.execute(f'DROP DATABASE "{planted.database}" WITH (FORCE)')
    planted.database = whole


@pytest.mark.parametrize("case", plants("postgres"))
def test_postgres_calls_nothing_of_what_is_planted(apart: PostgresLab, case: dict[str, Any]) -> None:
    catalog = apart.connect().catalog()
    with closing(apart.server.connect(apart.database)) as db:
        for statement in case["plant"]:
            db.execute(statement)
        db.execute("GRANT SELECT ON ALL TABLES IN SCHEMA public, archive TO PUBLIC")
    if case.get("catalog") != "before":
        catalog = apart.connect().catalog()
    trace = case.get("leaves", "SELECT count(*) FROM evil_log")
    worked = 0
    for sql in case["sql"]:
        before = apart.look(trace)
        decided = guard.check(sql, catalog)
        if isinstance(decided, guard.Passed):  # bound to PostgreSQL's own
            assert decided.sent != sql, sql
            apart.attempt(decided.sent, 5.0)
            assert apart.look(trace) == before, sql
        did_run = apart.attempt(sql, 5.0)
        worked += did_run if case.get("runs") else apart.look(trace) != before
    assert worked >= len(case["sql"]) // 2 + 1, "the plants do not work"


@pytest.mark.parametrize("case", plants("duckdb", "sqlite"))
def test_a_file_has_nothing_planted_called_or_read(tmp_path: Path, case: dict[str, Any]) -> None:
    planted_is_refused(LABS[case["engine"]](tmp_path), case)


@pytest.mark.parametrize("case", plants("mysql"))
def test_mariadb_has_nothing_planted_read(tmp_path: Path, case: dict[str, Any]) -> None:
    server = servers.MariadbServer()
    server.start()
    try:
        planted_is_refused(MysqlLab(tmp_path, server), case)
    finally:
        server.remove()


def planted_is_refused(lab: Lab, case: dict[str, Any]) -> None:
    """Plant, and check that the guard refuses what would answer with the planted words."""
    catalog = lab.connect().catalog()
    for statement in case["plant"]:
        assert lab.attempt(statement, 5.0), statement
    if case.get("catalog") != "before":
        catalog = lab.connect().catalog()
    for sql in case["sql"]:
        assert isinstance(guard.check(sql, catalog), guard.Refusal), sql
        assert case.get("shows", PLANTED) in str(lab.look(sql)), "the plants do not work"
