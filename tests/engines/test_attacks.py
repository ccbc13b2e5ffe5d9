"""Statements by people who did not see the guard: refused, or run by a powerful user without an effect.

`cases/attacks/<engine>.jsonl` holds them by family. A line that says `passes` is let through: `reads`
for what only tells what may be read, `limits` for what is a matter for deadlines and memory. Functions named
to be taken for the engine's own are planted in PostgreSQL and MariaDB, and write when they are called.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest

from sqlagent import guard
from tests import servers
from tests.engines.lab import Lab
from tests.engines.labs import LABS
from tests.engines.mysql_lab import MysqlLab
from tests.engines.postgres_lab import PostgresLab

ATTACKS = Path(__file__).parent / "cases" / "attacks"
SCHEMAS = Path(__file__).parent / "schemas"


def attacks(engine: str) -> list[dict[str, Any]]:
    """The statements written against an engine."""
    return [json.loads(line) for line in (ATTACKS / f"{engine}.jsonl").read_text("utf-8").splitlines()]


@pytest.fixture(scope="module", params=sorted(LABS))
def lab(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """A lab of its own, with what somebody planted in it."""
    folder = tmp_path_factory.mktemp(f"attacked_{request.param}")
    if request.param not in ("postgres", "mysql"):
        yield LABS[request.param](folder)
        return
    server = servers.PostgresServer() if request.param == "postgres" else servers.MariadbServer()
    server.start()  # one of its own: what is planted there, other tests would see
    try:
        if isinstance(server, servers.PostgresServer):
            postgres = PostgresLab(folder, server)
            plant_postgres(postgres)
            yield postgres
        else:
            mysql = MysqlLab(folder, server)
            plant_mysql(mysql)
            yield mysql
    finally:
        server.remove()


def plant_postgres(lab: PostgresLab) -> None:
    """Plant functions; an extension that this server was not installed with is left out."""
    script = (SCHEMAS / "planted_postgres.sql").read_text("utf-8")
    with closing(lab.server.connect(lab.database)) as db:
        for name in re.findall(r"CREATE EXTENSION (\w+);", script):
            try:
                db.execute(f"CREATE EXTENSION {name}")
            except psycopg.errors.FeatureNotSupported:
                assert name in ("adminpack", "pg_walinspect", "pg_surgery"), name
        db.execute(re.sub(r"CREATE EXTENSION \w+;", "", script))


def plant_mysql(lab: MysqlLab) -> None:
    """Plant functions; the script's DELIMITER lines say where its statements end."""
    script = (SCHEMAS / "planted_mysql.sql").read_text("utf-8").replace("lab.", f"{lab.database}.")
    end, statement = ";", ""
    with closing(lab.server.connect(lab.database)) as db, closing(db.cursor()) as cursor:
        for line in script.splitlines(keepends=True):
            if line.startswith("DELIMITER "):
                end = line.split()[1]
            elif not line.startswith("-- "):
                statement += line
                if statement.rstrip().endswith(end):
                    cursor.execute(statement.rstrip().removesuffix(end))
                    statement = ""
        db.commit()


def trace(lab: Lab) -> Any:
    """Traces of a statement: in PostgreSQL the log of planted functions, as views write to it too."""
    return lab.look("SELECT COUNT(*) FROM evil_log") if isinstance(lab, PostgresLab) else lab.state()


@pytest.mark.parametrize("engine", sorted(LABS))
def test_there_are_enough_of_each_engine_and_no_two_alike(engine: str) -> None:
    found = attacks(engine)
    assert len({case["sql"] for case in found}) == len(found) >= 400
    assert len({case["family"] for case in found}) >= 20


def test_each_is_refused_or_known_to_be_harmless(lab: Lab) -> None:
    catalog = lab.connect().catalog()
    wrong = [
        case["sql"]
        for case in attacks(lab.engine)
        if isinstance(guard.check(case["sql"], catalog), guard.Passed) != ("passes" in case)
    ]
    assert not wrong


def test_what_passes_has_no_effect_by_a_user_who_may_do_everything(lab: Lab) -> None:
    catalog = lab.connect().catalog()
    before, ran = trace(lab), Counter[bool]()
    for case in attacks(lab.engine):
        if case.get("passes") == "reads":
            passed = guard.check(case["sql"], catalog)
            assert isinstance(passed, guard.Passed)
            ran[lab.attempt(passed.sent.replace("{watch}", str(lab.watch)), 2.0)] += 1
            assert trace(lab) == before, case["sql"]
    assert ran[True] >= 10


@pytest.mark.parametrize(
    "lab", [engine for engine in sorted(LABS) if engine in ("mysql", "postgres")], indirect=True
)
def test_a_planted_function_is_really_there(lab: Lab) -> None:
    before = trace(lab)
    assert lab.attempt("SELECT evil()", 2.0)
    assert trace(lab) != before
