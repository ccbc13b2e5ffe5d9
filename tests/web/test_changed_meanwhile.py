"""Decisions of a source's owner made while a change opens its database are not lost with that change."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.urls import reverse

from mirror.sources import services
from mirror.sources.catalogs import catalog_fetch
from mirror.sources.models import Source, SourceLogin, Visit, WithheldName
from mirror.sources.sight import withheld_of
from sqlagent.values import ColumnRef
from tests.web.login_world import ALL_ROWS, DATABASE, NORTH, connected, database_make, login_typed, teams_made
from tests.web.test_team_logins import fresh, rows_of
from tests.web.working import visited

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(scope="module")
def server():
    return database_make()


@pytest.fixture
def teams(alice, bob, charlie):
    return teams_made(alice, bob, charlie)


@pytest.fixture
def source(server, teams, as_alice, media, settings) -> Source:
    settings.CONNECTION_TESTS_PER_MINUTE = 1_000
    found = connected(as_alice, server)
    found.teams.set(teams[:1])
    return found


@pytest.fixture
def meanwhile(monkeypatch) -> Callable[[Callable[[], object]], None]:
    """Have something done once, after the database was opened for a change and before that is kept."""
    acts: list[Callable[[], object]] = []

    def fetch(source, **how):
        found = catalog_fetch(source, **how)
        if acts:
            acts.pop()()
        return found

    monkeypatch.setattr(services, "catalog_fetch", fetch)
    return acts.append


def described(as_alice, server, source: Source, words: str = "new words", **typed):
    """Change the description in the form, and follow it."""
    known = {"name": "sales", "host": server.host, "port": server.port, "database": DATABASE}
    known |= {"privacy": "rows", "username": ALL_ROWS, "password": "", "description": words}
    return visited(as_alice, reverse("sources:edit", args=[source.pk]), known | typed)


def test_a_login_that_is_given_while_a_change_is_tried_counts(
    source, server, teams, bob, as_alice, meanwhile
):
    meanwhile(lambda: login_typed(as_alice, fresh(source), teams[0], NORTH))
    described(as_alice, server, source)
    now = fresh(source)
    assert now.description == "new words" and SourceLogin.objects.get().username == NORTH
    assert now.maps_logins and rows_of(source, bob) == ["north"]


def test_a_column_that_is_withheld_while_a_change_is_tried_stays_withheld(
    source, server, teams, alice, bob, as_alice, meanwhile
):
    meanwhile(lambda: services.names_withhold(fresh(source), teams[0], [("public.sales", "city")], alice))
    described(as_alice, server, source)
    now = fresh(source)
    assert now.description == "new words" and WithheldName.objects.count() == 1
    assert withheld_of(bob, now).columns == {ColumnRef("public.sales", "city")}


def test_limits_guarding_privacy_and_the_owner_are_those_of_the_moment(
    source, server, as_alice, bob, meanwhile
):
    decided = {"guarding": {"functions": ["lower"]}, "candidate_rows": 7, "privacy": "schema"}
    meanwhile(lambda: Source.objects.filter(pk=source.pk).update(**decided))
    described(as_alice, server, source)
    assert Source.objects.filter(pk=source.pk, description="new words", **decided).exists()
    meanwhile(lambda: Source.objects.filter(pk=source.pk).update(owner=bob))
    described(as_alice, server, source, "later words")
    assert Source.objects.filter(pk=source.pk, owner=bob, description="new words").exists()


def test_flags_that_tell_of_no_rules_are_counted_anew(source, server, teams, bob, as_alice):
    login_typed(as_alice, source, teams[0], NORTH)
    Source.objects.filter(pk=source.pk).update(maps_logins=False)
    described(as_alice, server, source)
    assert fresh(source).maps_logins and rows_of(source, bob) == ["north"]


def test_a_change_of_where_it_leads_is_not_mixed_with_another(source, server, as_alice, meanwhile):
    meanwhile(lambda: Source.objects.filter(pk=source.pk).update(username="another"))
    page = described(as_alice, server, source)
    assert "while its database was opened" in page.content.decode()
    assert fresh(source).username == "another" and fresh(source).description == ""
    meanwhile(lambda: Source.objects.filter(pk=source.pk).delete())
    described(as_alice, server, source, username=ALL_ROWS, password="only these rows")
    assert not Source.objects.exists(), "a deleted source does not come back"


def test_what_was_not_typed_anew_is_not_wished_for(source, server, as_alice):
    url = reverse("sources:edit", args=[source.pk])
    known = {"name": "sales", "host": server.host, "port": server.port, "database": DATABASE}
    as_alice.post(url, known | {"privacy": "rows", "username": ALL_ROWS, "description": "new words"})
    wish = Visit.objects.get(work=Visit.Work.CHANGE).wish
    assert wish["description"] == "new words" and "privacy" not in wish and "name" not in wish
