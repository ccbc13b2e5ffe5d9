"""Two delivery workers of four threads each that race for one person's quota, on both stores."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests import warm
from tests.lengths import many
from tests.servers import PASSWORD, PostgresServer

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.long)])
def store(request):
    """The address of a store of its own; empty is SQLite."""
    if request.param == "sqlite":
        yield ""
        return
    server = PostgresServer()
    server.start()
    yield f"postgres://{server.user}:{PASSWORD.replace(' ', '%20')}@{server.host}:{server.port}/postgres"
    server.remove()


@pytest.mark.timeout(300)
def test_workers_that_race_send_what_a_person_may_and_not_one_more(store) -> None:
    to, may = many(24, 60), many(18, 45)
    command = [sys.executable, "-m", "tests.reports.flood", "--store", store, "--recipients", str(to)]
    command += ["--runs", "2", "--mails", str(may), "--calls", "10"]
    done = warm.run(command, cwd=ROOT, capture_output=True, text=True, timeout=280)
    assert done.returncode == 0, done.stderr[-2_000:]
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["codes"] == [0, 0], done.stderr[-2_000:]
    assert (found["mails"], found["calls"], found["told"]) == (may, 10, 1)
    assert found["met"] == ["calls", "mails"]
    assert found["states"] == {
        "mail held": 2 * to - may,
        "mail sent": may,
        "webhook held": 28,
        "webhook sent": 10,
    }
