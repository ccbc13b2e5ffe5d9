"""Why a report failed may say a cell: told to its owner, and to who reads its sources as its owner does."""

from __future__ import annotations

import pytest
from django.urls import reverse
from django.utils import timezone

from mirror.library.services import sql_save
from mirror.reports.models import Report, ReportRun
from mirror.reports.services import report_hand_over
from mirror.sources.login_services import login_take
from mirror.sources.models import Source
from mirror.sources.services import names_withhold
from tests.reports.working import make, save_report
from tests.web.api_world import Caller, secret_of
from tests.web.login_world import NORTH, SOUTH, connected, database_make, login_typed, said, teams_made
from tests.web.test_team_logins import fresh

pytestmark = pytest.mark.django_db(transaction=True)

CELL = "Westfield"


@pytest.fixture(scope="module")
def server():
    return database_make()


@pytest.fixture
def teams(alice, bob, charlie):
    return teams_made(alice, bob, charlie)


@pytest.fixture
def source(server, teams, as_alice, media, settings) -> Source:
    """Alice's source; Bob's team and Charlie's have logins, the team of everybody has none."""
    settings.CONNECTION_TESTS_PER_MINUTE = 1_000
    found = connected(as_alice, server)
    found.teams.set(teams)
    for team, login in zip(teams, (NORTH, SOUTH), strict=False):
        login_typed(as_alice, found, team, login)
    return found


FAILURES = (
    (
        "SELECT customer, amount FROM sales WHERE region = 'west' ORDER BY id",
        {
            "condition": "threshold",
            "threshold": {"part": 0, "column": "customer", "test": "above", "value": "1", "row": "first"},
        },
    ),
    ("SELECT CAST(customer AS int) AS c FROM sales WHERE region = 'west' ORDER BY id", {}),
)


def failed(person, source, team, number: int, cause: str = "schedule") -> ReportRun:
    """A run of a report, shared with a team, that failed or is tried again, and whose report paused itself."""
    sql, how = FAILURES[number]
    saved = sql_save(person, fresh(source), f"Failing {number}", sql)
    saved.teams.add(team)
    report = save_report(person, saved, title=f"Failing {number}", **how)
    report.teams.add(team)
    Report.objects.filter(pk=report.pk).update(pause_after=1)
    run = make(ReportRun.objects.create(report=report, cause=cause, scheduled_for=timezone.now()))
    assert CELL in run.reason
    paused = {"is_paused": True, "paused_why": f"It failed once. The last time: {run.reason}"}
    Report.objects.filter(pk=report.pk).update(**paused)
    return run


def pages(run: ReportRun) -> list[str]:
    report = run.report_id
    return [
        reverse("reports:list"),
        *(reverse(f"reports:{name}", args=[report]) for name in ("report", "history")),
        *(reverse(f"reports:{name}", args=[run.pk]) for name in ("run", "run_live")),
    ]


def told(person, browser, run: ReportRun) -> list[str]:
    """All that pages and the API tell somebody of a run and its report."""
    report, caller = run.report_id, Caller(secret_of(person))
    calls = ("/reports", f"/reports/{report}", f"/reports/{report}/runs", f"/report-runs/{run.pk}")
    answers = [*(browser.get(page) for page in pages(run)), *(caller.get(call) for call in calls)]
    assert {one.status_code for one in answers} == {200}
    return [said(one) for one in answers]


@pytest.mark.parametrize("number", [0, 1])
def test_another_login_is_told_that_it_failed_and_not_the_cell(
    source,
    teams,
    alice,
    bob,
    as_alice,
    as_bob,
    number,
):
    run = failed(alice, source, teams[2], number)
    his = told(bob, as_bob, run)
    assert not [page for page in his if CELL in page]
    assert "It failed. Its owner sees why." in his[1] and "It failed. Its owner sees why." in his[-1]
    assert (
        "It kept failing. Its owner sees why." in his[1] and "It kept failing. Its owner sees why." in his[6]
    )
    assert all(CELL in page for page in told(alice, as_alice, run))


def test_who_reads_all_rows_as_the_owner_does_is_told_why(source, teams, alice, bob, as_bob):
    for team in teams[:2]:
        login_take(fresh(source), team, alice)
    run = failed(alice, source, teams[2], 1)
    assert all(CELL in page for page in told(bob, as_bob, run))


def test_a_withheld_column_is_not_told_by_a_failure_of_before(source, teams, alice, bob, as_bob):
    for team in teams[:2]:
        login_take(fresh(source), team, alice)
    run = failed(alice, source, teams[2], 1)
    for team in (teams[0], teams[2]):
        names_withhold(fresh(source), team, [("public.sales", "city")], alice)
    assert not [page for page in told(bob, as_bob, run) if CELL in page]


def test_a_new_owner_with_another_login_is_not_told_what_the_old_one_read(
    source,
    teams,
    alice,
    bob,
    as_bob,
):
    run = failed(alice, source, teams[2], 1)
    report_hand_over(run.report, bob, alice)
    his = told(bob, as_bob, run)
    assert not [page for page in his if CELL in page] and "while somebody else owned the report" in his[1]
