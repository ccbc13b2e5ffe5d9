"""A PostgreSQL with row security whose source is read by logins of teams, and everything that can be made of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from asgiref.sync import async_to_sync
from django.apps import apps
from django.db import connection, models
from django.test import Client
from django.urls import reverse

from mirror.asking import services as asking
from mirror.asking.models import Run, Version
from mirror.dashboards.models import Dashboard, Supply
from mirror.dashboards.services import card_add_saved, card_add_version, dashboard_make, dashboard_share
from mirror.library.models import SavedSql
from mirror.library.services import sql_save
from mirror.people.models import Team, User
from mirror.people.services import member_add, team_create
from mirror.reports.models import Report, ReportRun
from mirror.sharing.services import link_make, link_token
from mirror.sources.models import Source, StoredIndex
from mirror.work.doing import work_do
from mirror.work.leases import Status
from mirror.workbench.glancing import glance_plan, glance_rows
from tests.reports.working import make, save_report
from tests.servers import postgres_server
from tests.web.test_people_doors import ALL, NO_ROW, VALUES
from tests.web.working import answer, unwatched, visited, work

DATABASE = "web_rows"
NORTH, SOUTH, ALL_ROWS = "bob_sees_north", "charlie_sees_south", "alice_sees_all"
PASSWORD = "only these rows"
# Values in rows of one region alone.
MARKS = {
    NORTH: ("Nordmark", "Tromso", "1111.11"),
    SOUTH: ("Sudhaus", "Palermo", "2222.22"),
    ALL_ROWS: ("Westfield", "Galway", "3333.33"),
}
TABLE = "SELECT customer, city, amount FROM sales ORDER BY id"


def database_make() -> Any:
    """Make the database, once a process, with a login for each region and one that sees every row."""
    server = postgres_server()
    with server.connect() as db:
        if db.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE]).fetchone():
            return server
        db.execute(f"CREATE DATABASE {DATABASE}")
    with server.connect(DATABASE) as db:
        db.execute(
            "CREATE TABLE sales (id int PRIMARY KEY, region text NOT NULL, customer text NOT NULL, city text NOT NULL, "
            "amount numeric(10, 2) NOT NULL, sold date NOT NULL)"
        )
        rows = []
        for number in range(240):
            region = ("north", "south", "west")[number % 3]
            name, city, amount = MARKS[{"north": NORTH, "south": SOUTH, "west": ALL_ROWS}[region]]
            month = number // 3 % 12 + 1
            rows.append((number, region, f"{name} {number % 5}", city, amount, f"2025-{month:02}-11"))
        with db.cursor() as cursor:
            cursor.executemany("INSERT INTO sales VALUES (%s, %s, %s, %s, %s, %s)", rows)
        db.execute("ALTER TABLE sales ENABLE ROW LEVEL SECURITY")
        for login, rule in (
            (NORTH, "region = 'north'"),
            (SOUTH, "region = 'south'"),
            (ALL_ROWS, "true"),
        ):
            db.execute(f"CREATE ROLE {login} LOGIN PASSWORD '{PASSWORD}'")
            db.execute(f"GRANT SELECT ON sales TO {login}")
            db.execute(f"CREATE POLICY sees_{login} ON sales FOR SELECT TO {login} USING ({rule})")
        db.execute("ANALYZE sales")
    return server


def connected(as_owner: Client, server: Any) -> Source:
    """Connect it by the login that sees every row."""
    typed = {
        "name": "sales",
        "host": server.host,
        "port": server.port,
        "database": DATABASE,
        "privacy": "rows",
        "username": ALL_ROWS,
        "password": PASSWORD,
    }
    visited(as_owner, reverse("sources:connect") + "?engine=postgres", typed)
    return Source.objects.get(name="sales")


def login_typed(browser: Client, source: Source, team: Team, login: str, password: str = PASSWORD) -> Any:
    """Type a login for a team on the page, have it tried, and give the page in the end."""
    named = f"team_{team.pk}"
    typed = {"team": team.pk, f"{named}-username": login, f"{named}-password": password}
    found = visited(browser, reverse("sources:logins", args=[source.pk]), typed)
    source.refresh_from_db()
    return found


def values_read_all(source: Source) -> None:
    """Have the values read, by every login."""
    for index in StoredIndex.objects.filter(source=source):
        with unwatched():
            while work_do("index", index.pk):
                pass


@dataclass
class Things:
    """Things that one person made and shared with everybody."""

    run: Run
    version: Version
    saved: SavedSql
    board: Dashboard
    report: Report
    report_run: ReportRun
    links: list[str] = field(default_factory=list)


def things_made(person: User, source: Source, everybody: Team) -> Things:
    """Ask, write SQL, look at tables, make a dashboard and a report, and share all of it."""
    source = Source.objects.get(pk=source.pk)
    run = answer(asking.run_ask(person, source, "total amount by customer"))
    version = work(asking.sql_ask(person, source, TABLE))
    assert version.failure is None, version.failure
    for one in (run, version.run):
        asking.run_share(one, [everybody], person)
        asking.thread_share(one.thread, [everybody], person)
    saved = sql_save(person, source, f"Sales of {person}", f"{TABLE} LIMIT 200")
    saved.teams.add(everybody)
    board = dashboard_make(person, f"Board of {person}")
    dashboard_share(board, [everybody], person)
    card_add_saved(board, saved, "Saved", "table")
    card_add_version(board, version, "Version", "table")
    report = save_report(person, saved, title=f"Report of {person}", formats=["csv", "xlsx"])
    report.teams.add(everybody)
    made = make(ReportRun.objects.create(report=report, cause="now"))
    assert made.outcome == "made", made.reason
    for glance in (glance_rows(person, source, "sales"), glance_plan(person, source, TABLE)):
        with unwatched():
            work_do("glance", glance.pk)
    links = [link_token(link_make(one, person, 24)) for one in (version, version.run.thread, board)]
    return Things(run, version, saved, board, report, made, links)


def supplies_work() -> None:
    """Read the rows of every card that waits."""
    while waiting := Supply.objects.filter(status=Status.QUEUED):
        for one in waiting:
            with unwatched():
                work_do("supply", one.pk)


def teams_made(alice: User, bob: User, charlie: User) -> tuple[Team, Team, Team]:
    """Make a team of Bob's, one of Charlie's, and one of everybody, in all of which Alice is."""
    found = []
    for name, members in (("North", [bob]), ("South", [charlie]), ("Everybody", [bob, charlie])):
        team = team_create(name, by=alice)
        for one in members:
            member_add(team, one.username)
        found.append(team)
    return found[0], found[1], found[2]


_FORMATS = ("csv", "html")
# Subjects whose addresses show rows, and those whose rows their keys may be.
_KEYS_OF = {
    "sources": ("sources",),
    "queries": ("sources",),
    "asking": ("asking", "library", "sources"),
    "results": ("results",),
    "exports": ("results",),
    "workbench": ("workbench", "asking", "sources"),
    "library": ("library",),
    "knowledge": ("knowledge", "sources"),
    "dashboards": ("dashboards", "asking", "sources"),
    "sharing": ("asking", "dashboards", "sharing"),
    "comments": ("comments", "asking", "dashboards"),
    "reports": ("reports",),
}
_NO_PAGES = ("Step", "StoredCorrection", "Visit", "Drawing")


def _keys(namespace: str) -> dict[type[models.Model], list[Any]]:
    """Every key of rows that an address of a subject could be about, by their models."""
    found: dict[type[models.Model], list[Any]] = {}
    for name in _KEYS_OF.get(namespace, ()):
        for model in apps.get_app_config(name).get_models():
            if model.__name__ in _NO_PAGES or model._meta.auto_created:
                continue
            keys = list(model._default_manager.order_by("pk").values_list("pk", flat=True))
            if keys and isinstance(keys[0], int | UUID):
                found[model] = keys
    return found


def answers_of_all(browser: Client) -> Iterator[tuple[str, str]]:
    """Ask every address there is, with every key that may be meant in its place; give each with all that it says.

    The first key of each model stands in each address. The others follow where the store was asked for that row: an address
    that does not look for rows of the model finds nothing by them either.
    """
    for name, kinds in ALL:
        is_uuid = kinds.get("pk") == "UUIDConverter"
        fit = {
            model: keys
            for model, keys in _keys(name.partition(":")[0]).items()
            if "pk" in kinds and isinstance(keys[0], UUID) == is_uuid
        }
        for model, keys in fit.items() or [(None, [NO_ROW if is_uuid else 1])]:
            asked = _Asked(model, keys[0])
            with connection.execute_wrapper(asked):
                yield from _said_by(browser, name, kinds, keys[0])
            for key in keys[1:] if asked.is_so else ():
                yield from _said_by(browser, name, kinds, key)


class _Asked:
    """Whether the store was asked for a row of a model by its key, or for rows that point at it."""

    def __init__(self, model: type[models.Model] | None, key: Any) -> None:
        self._key, self.is_so = key.hex if isinstance(key, UUID) else key, False
        self._looks = re.compile("(?!)")
        if model is None:
            return
        meta = model._meta
        pointing = [
            one for one in meta.get_fields(include_hidden=True) if one.auto_created and not one.concrete
        ]
        columns = [
            (meta.db_table, meta.pk.column),
            *(
                (one.related_model._meta.db_table, one.field.column)
                for one in pointing
                if not one.many_to_many
            ),
        ]
        of_columns = [rf'"{table}"\."{column}" (=|IN) ' for table, column in columns]
        of_aliases = [rf'"{table}" [A-Z]\d' for table, _ in columns]
        self._looks = re.compile("|".join(of_columns + of_aliases))

    def __call__(self, execute: Any, sql: str, values: Any, many: bool, context: Any) -> Any:
        self.is_so = self.is_so or (self._key in (values or ()) and bool(self._looks.search(sql)))
        return execute(sql, values, many, context)


def _said_by(browser: Client, name: str, kinds: dict[str, str], key: Any) -> Iterator[tuple[str, str]]:
    """All that an address says with a key in its place, in every format."""
    places = {
        place: NO_ROW if kind == "UUIDConverter" else VALUES.get(place, 1) for place, kind in kinds.items()
    }
    if "pk" in kinds:
        places["pk"] = key
    for format in _FORMATS if "format" in kinds else ("",):
        place = reverse(name, kwargs=places | ({"format": format} if format else {}))
        yield place, said(browser.get(place, headers={"X-Requested-With": "fetch"}))


def said(response: Any) -> str:
    """All that an answer says."""
    if not response.streaming:
        return str(response.content.decode("utf-8", "replace"))
    parts = async_to_sync(_gathered)(response) if response.is_async else list(response.streaming_content)
    return b"".join(parts).decode("utf-8", "replace")


async def _gathered(response: Any) -> list[bytes]:
    return [part async for part in response.streaming_content]


def marks_in(text: str, logins: tuple[str, ...]) -> list[str]:
    """Name what a text says of rows that these logins alone read."""
    low = text.lower()
    return [mark for login in logins for mark in MARKS[login] if mark.lower() in low]
