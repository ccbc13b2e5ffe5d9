"""Saved SQL: who sees and changes it, what its parameters take, and how values enter the SQL."""

from __future__ import annotations

import sqlite3

import pytest
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from mirror.asking.models import Version
from mirror.audit.models import AuditRow
from mirror.library import services
from mirror.library.forms import ArgumentsForm
from mirror.library.models import SavedSql
from mirror.queries.parameters import ParameterError, sql_bind
from tests.web.working import work

COUNTRY = {"name": "country", "kind": "text", "default": "Norway", "label": "Country"}
SQL = "SELECT name\nFROM customers\nWHERE country = :country"


def url(name: str, *args) -> str:
    return reverse(f"library:{name}", args=args)


@pytest.fixture
def saved(alice, shop, team) -> SavedSql:
    """Saved SQL of Alice's, shared with the analysts."""
    saved = services.sql_save(alice, shop, "Customers of a country", SQL, parameters=[COUNTRY])
    saved.teams.add(team)
    return saved


def rows(*parameters: dict) -> dict[str, str]:
    """Fields that a browser sends for these parameters."""
    sent = {"form-TOTAL_FORMS": str(len(parameters)), "form-INITIAL_FORMS": "0"}
    for number, parameter in enumerate(parameters):
        sent |= {f"form-{number}-{key}": value for key, value in parameter.items()}
    return sent


# ---------------------------------------------------------------- who may


@pytest.mark.parametrize(
    ("verb", "name", "expected"),
    [
        ("get", "saved", (200, 200, 404)),
        ("get", "edit", (200, 403, 404)),
        ("post", "edit", (302, 403, 404)),
        ("get", "share", (200, 403, 404)),
        ("post", "share", (302, 403, 404)),
        ("get", "edits", (200, 200, 404)),
        ("get", "delete", (200, 403, 404)),
        ("post", "delete", (302, 403, 404)),
    ],
)
def test_the_owner_changes_the_team_looks_and_a_stranger_finds_nothing(
    as_alice, as_bob, as_charlie, saved, verb, name, expected
):
    typed = {"name": "New name", "sql": SQL, **rows(COUNTRY)} if verb == "post" else {}
    address = url(name, saved.pk)
    got = [getattr(browser, verb)(address, typed).status_code for browser in (as_charlie, as_bob)]
    if verb == "post":
        saved.refresh_from_db()
        assert saved.name == "Customers of a country"
        assert saved.teams.count() == 1
    got.append(getattr(as_alice, verb)(address, typed).status_code)
    assert tuple(reversed(got)) == expected


def test_the_list_shows_what_is_shared_and_finds_by_all_words(as_alice, as_bob, as_charlie, saved):
    link = url("saved", saved.pk)
    pages = [browser.get(url("list")).content.decode() for browser in (as_alice, as_bob, as_charlie)]
    assert [link in page for page in pages] == [True, True, False]
    assert "Nothing saved yet" in pages[2]
    assert link in as_bob.get(url("list"), {"q": "country shop"}).content.decode()
    assert "Nothing found" in as_bob.get(url("list"), {"q": "country elsewhere"}).content.decode()


def test_the_list_says_a_question_that_is_the_name_once(as_alice, saved):
    SavedSql.objects.filter(pk=saved.pk).update(
        name="Revenue by plan", question="revenue by plan", description=""
    )
    assert "revenue by plan" not in as_alice.get(reverse("library:list")).content.decode()
    SavedSql.objects.filter(pk=saved.pk).update(question="what comes in, by plan")
    assert "what comes in, by plan" in as_alice.get(reverse("library:list")).content.decode()


def test_saved_sql_is_not_seen_by_a_team_that_does_not_see_its_source(as_alice, as_bob, saved, shop):
    shop.teams.clear()
    assert as_bob.get(url("saved", saved.pk)).status_code == 404
    assert as_alice.get(url("saved", saved.pk)).status_code == 200


def test_an_owner_who_lost_the_source_keeps_the_sql_but_cannot_run_it(as_bob, bob, shop, team):
    saved = services.sql_save(bob, shop, "Mine", "SELECT 1")
    run = reverse("asking:run_saved", args=[saved.pk])
    assert run in as_bob.get(url("saved", saved.pk)).content.decode()
    shop.teams.clear()
    page = as_bob.get(url("saved", saved.pk)).content.decode()
    assert "You cannot run this now" in page
    assert run not in page
    assert as_bob.post(run).status_code == 403


def test_it_is_shared_only_with_teams_one_is_in(as_alice, saved, team):
    from mirror.people.models import Team

    other = Team.objects.create(name="Others")
    assert as_alice.post(url("share", saved.pk), {"teams": [other.pk]}).status_code == 422
    assert as_alice.post(url("share", saved.pk), {"teams": []}).status_code == 302
    assert not saved.teams.exists()
    for nobody in ("9" * 30, "-1", "x"):
        refused = as_alice.post(url("share", saved.pk), {"teams": [nobody]})
        assert refused.status_code == 422 and "not one of the available" in refused.content.decode()


# ---------------------------------------------------------------- editing


def test_an_edit_keeps_name_description_sql_and_parameters(as_alice, saved):
    sql = "SELECT name FROM customers WHERE country = :country AND id > :least"
    least = {"name": "least", "kind": "number", "default": "10", "label": ""}
    typed = {"name": "Renamed", "description": "All of them", "sql": sql, **rows(COUNTRY, least)}
    assert as_alice.post(url("edit", saved.pk), typed).status_code == 302
    saved.refresh_from_db()
    assert (saved.name, saved.description, saved.sql) == ("Renamed", "All of them", sql)
    assert saved.parameters == [COUNTRY, least]


def test_a_name_in_the_sql_without_a_parameter_gets_a_row_to_fill_in_and_nothing_is_lost(as_alice, saved):
    typed = {"name": "Renamed", "sql": SQL + " AND id > :least", **rows(COUNTRY)}
    answer = as_alice.post(url("edit", saved.pk), typed)
    page = answer.content.decode()
    assert answer.status_code == 422
    assert "New in the SQL: :least. The fields are below" in page
    assert 'value="least"' in page
    assert "id &gt; :least" in page
    saved.refresh_from_db()
    assert saved.name == "Customers of a country"


@pytest.mark.parametrize(
    ("parameters", "why"),
    [
        ([COUNTRY, {"name": "idle", "kind": "text"}], "does not use :idle"),
        ([{**COUNTRY, "kind": "number"}], "not a number"),
        ([COUNTRY, COUNTRY], "same name"),
        ([{**COUNTRY, "name": "a b"}], "cannot be a parameter"),
    ],
)
def test_parameters_that_do_not_fit_are_refused_in_words(as_alice, saved, parameters, why):
    answer = as_alice.post(url("edit", saved.pk), {"name": "N", "sql": SQL, **rows(*parameters)})
    assert answer.status_code == 422
    assert why in answer.content.decode()


def test_changed_sql_is_no_longer_verified(alice, saved):
    from django.utils import timezone

    SavedSql.objects.filter(pk=saved.pk).update(verified_by=alice, verified_at=timezone.now())
    saved.refresh_from_db()
    told = {"name": "N", "description": "", "parameters": [COUNTRY], "by": alice}
    services.sql_update(saved, sql=SQL, **told)
    assert saved.verified_at
    services.sql_update(saved, sql=SQL + " LIMIT 1", **told)
    assert saved.verified_at is None


def test_saving_makes_a_text_parameter_of_each_name_in_the_sql(alice, shop):
    saved = services.sql_save(alice, shop, "Two", "SELECT :b, ':no', :a, :b")
    assert [(p["name"], p["kind"]) for p in saved.parameters] == [("b", "text"), ("a", "text")]


# ---------------------------------------------------------------- edits


def typed(sql: str, changes: int, name: str = "Customers of a country", **more: str) -> dict[str, str]:
    """Fields of a form that was opened after that many edits."""
    return {"name": name, "sql": sql, "changes": str(changes), **more, **rows(COUNTRY)}


def test_each_edit_is_kept_with_its_difference_and_can_be_gone_back_to(as_alice, as_bob, as_charlie, saved):
    as_alice.post(url("edit", saved.pk), typed(SQL + " LIMIT 1", 1))
    page = as_bob.get(url("edits", saved.pk)).content.decode()
    assert "<del>" in page and "LIMIT 1</ins>" in page and "Alice" in page
    back = url("restore", saved.pk, 1)
    assert back not in page
    assert [browser.post(back).status_code for browser in (as_charlie, as_bob)] == [404, 403]
    assert as_alice.post(url("restore", saved.pk, 9)).status_code == 404
    assert as_alice.post(back).status_code == 302
    saved.refresh_from_db()
    assert saved.sql == SQL
    edits = saved.edits.order_by("number").values_list("number", "sql", "restores")
    assert list(edits) == [(1, SQL, None), (2, SQL + " LIMIT 1", None), (3, SQL, 1)]
    done = (
        AuditRow.objects.filter(verb="changed saved SQL").order_by("number").values_list("details", flat=True)
    )
    assert list(done) == [{"edit": 2, "restores": None}, {"edit": 3, "restores": 1}]


def test_the_second_of_two_edits_sees_both_texts_and_loses_neither(as_alice, saved):
    theirs, mine = SQL + " LIMIT 1", SQL + " LIMIT 2"
    assert as_alice.post(url("edit", saved.pk), typed(theirs, 1)).status_code == 302
    told = as_alice.post(url("edit", saved.pk), typed(mine, 1, name="Mine"))
    page = told.content.decode()
    assert (told.status_code, "It changed while you were editing" in page) == (422, True)
    assert "LIMIT 1</pre>" in page and "LIMIT 2</textarea>" in page and 'value="Mine"' in page
    saved.refresh_from_db()
    assert saved.sql == theirs
    assert 'name="changes" value="2"' in page
    assert as_alice.post(url("edit", saved.pk), typed(mine, 2, name="Mine")).status_code == 302
    assert list(saved.edits.values_list("sql", flat=True)) == [mine, theirs, SQL]


def test_a_text_from_before_edits_were_kept_is_the_first_edit(as_alice, saved):
    saved.edits.all().delete()
    assert "Not changed yet" in as_alice.get(url("edits", saved.pk)).content.decode()
    as_alice.post(url("edit", saved.pk), typed(SQL + " LIMIT 1", 0))
    assert list(saved.edits.values_list("number", "sql")) == [(2, SQL + " LIMIT 1"), (1, SQL)]


def test_a_draft_that_is_gone_back_to_is_one_again(alice, shop):
    saved = services.sql_save(alice, shop, "N", "SELECT 1", draft="Left out: x")
    told = {"name": "N", "description": "", "parameters": [], "by": alice}
    assert services.sql_update(saved, sql="SELECT 2", **told).draft == ""
    assert services.sql_restore(saved, saved.edits.get(number=1), alice).draft == "Left out: x"


def test_folders_sort_the_list_and_names_are_one_short_line(as_alice, as_bob, as_charlie, saved):
    assert as_alice.post(url("edit", saved.pk), typed(SQL, 1, folder="Month end")).status_code == 302
    assert as_alice.post(url("edit", saved.pk), typed(SQL.replace("\n", "\r\n"), 1, folder="Month end"))
    assert saved.edits.count() == 1, "neither a folder nor a browser's line ends are another text"
    link = url("saved", saved.pk)
    for folder, there in (("Month end", True), ("Other", False)):
        assert (link in as_bob.get(url("list"), {"folder": folder}).content.decode()) is there
    assert "Month end" not in as_charlie.get(url("list")).content.decode()
    assert link in as_bob.get(url("list"), {"q": "month customers country"}).content.decode()
    for bad in ({"name": "n" * 300}, {"folder": "f" * 300}, {"folder": "a\u202eb"}, {"name": "a\x07b"}):
        assert as_alice.post(url("edit", saved.pk), typed(SQL, 1) | bad).status_code == 422, bad


# ---------------------------------------------------------------- its last result


def last(browser, saved) -> str:
    """The latest result, as the page loads it."""
    answer = browser.get(reverse("asking:saved_last", args=[saved.pk]), headers={"HX-Request": "true"})
    return answer.content.decode() if answer.status_code == 200 else str(answer.status_code)


@pytest.mark.django_db(transaction=True)
def test_its_page_has_the_last_result_of_the_reader_alone(media, as_alice, as_bob, as_charlie, saved):
    address = reverse("asking:saved_last", args=[saved.pk])
    assert "No result of yours" in last(as_alice, saved)
    assert as_alice.get(address)["Location"] == url("saved", saved.pk)
    as_alice.post(reverse("asking:run_saved", args=[saved.pk]), {"argument-country": "Norway"})
    version = work(Version.objects.get(run__saved=saved))
    page = last(as_alice, saved)
    assert "country: Norway" in page and "mirror-grid" in page
    assert as_alice.get(address)["Location"].startswith(reverse("asking:run", args=[version.run_id]))
    assert ("No result of yours" in last(as_bob, saved), last(as_charlie, saved)) == (True, "404")
    services.sql_update(
        saved, name="N", description="", sql=SQL + " LIMIT 1", parameters=[COUNTRY], by=saved.owner
    )
    assert "No result of yours" in last(as_alice, saved), "rows of another SQL"


@pytest.mark.django_db(transaction=True)
def test_sql_saved_from_an_answer_opens_with_that_answer(media, as_alice, as_bob, saved, shop):
    as_alice.post(reverse("asking:run_saved", args=[saved.pk]), {"argument-country": "Norway"})
    version = work(Version.objects.get(run__saved=saved))
    Version.objects.filter(pk=version.pk).update(sql="SELECT 1 AS one")
    plain = services.sql_save(saved.owner, shop, "One", "SELECT 1 AS one", chart={"mark": "bar"})
    assert "mirror-grid" in last(as_alice, plain)
    location = as_alice.get(reverse("asking:saved_last", args=[plain.pk]))["Location"]
    assert location.startswith(reverse("asking:run", args=[version.run_id]))
    asks = services.sql_save(saved.owner, shop, "Asks", SQL, parameters=[COUNTRY])
    assert "No result of yours" in last(as_alice, asks), "its values were not chosen"


# ---------------------------------------------------------------- running again


def test_the_run_form_has_a_field_of_each_kind_and_gives_arguments_as_text(saved):
    saved.parameters = [
        COUNTRY,
        {"name": "least", "kind": "number", "default": "", "label": ""},
        {"name": "day", "kind": "date", "default": "2026-02-28", "label": "From"},
        {"name": "active", "kind": "boolean", "default": "true", "label": ""},
    ]
    page = str(ArgumentsForm(saved=saved))
    assert 'list="id_argument-day_offered"' in page
    assert 'value="2026-02-28"' in page
    typed = {"country": "", "least": "1.50", "day": "2026-03-01", "active": "false"}
    form = ArgumentsForm({f"argument-{name}": value for name, value in typed.items()}, saved=saved)
    assert form.is_valid(), form.errors
    assert form.arguments() == {"least": "1.50", "day": "2026-03-01", "active": "false"}
    assert not ArgumentsForm({"argument-least": "many"}, saved=saved).is_valid()


def test_a_stranger_cannot_run_it_and_a_member_can(as_bob, as_charlie, saved):
    address = reverse("asking:run_saved", args=[saved.pk])
    assert as_charlie.post(address, {"argument-country": "Norway"}).status_code == 404
    assert as_bob.post(address, {"argument-country": "Norway"}).status_code == 302


# ---------------------------------------------------------------- binding


def parameter(name: str, kind: str, default: str = "") -> dict[str, str]:
    return {"name": name, "kind": kind, "default": default, "label": ""}


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        ("text", "O'Hara", "SELECT 'O''Hara'"),
        ("text", "'; DROP TABLE t; --", "SELECT '''; DROP TABLE t; --'"),
        ("text", ":b", "SELECT ':b'"),
        ("number", "-1.50", "SELECT (-1.50)"),
        ("number", "1e3", "SELECT 1000"),
        ("number", "12345678901234567890.123", "SELECT 12345678901234567890.123"),
        ("date", "2026-02-28", "SELECT CAST('2026-02-28' AS DATE)"),
        ("boolean", "no", "SELECT FALSE"),
    ],
)
def test_a_value_becomes_a_literal_of_its_kind(kind, value, expected):
    assert sql_bind("SELECT :a", [parameter("a", kind)], {"a": value}, "postgres") == expected


@pytest.mark.parametrize(
    ("kind", "value", "why"),
    [
        ("number", "1; DROP TABLE t", "not a number"),
        ("number", "NaN", "not a number"),
        ("number", "", "Give a value"),
        ("date", "28.2.2026", "not a date"),
        ("boolean", "perhaps", "neither yes nor no"),
        ("text", "a\x00b", "no database takes"),
        ("code", "x", "no kind"),
    ],
)
def test_a_value_of_the_wrong_kind_is_refused_in_words(kind, value, why):
    with pytest.raises(ParameterError, match=why):
        sql_bind("SELECT :a", [parameter("a", kind)], {"a": value}, "postgres")


def test_a_default_stands_in_and_unknown_names_are_refused():
    known = [parameter("a", "number", "7")]
    assert sql_bind("SELECT :a", known, {}, "sqlite") == "SELECT 7"
    with pytest.raises(ParameterError, match="no parameter “b”"):
        sql_bind("SELECT :a", known, {"b": "1"}, "sqlite")
    with pytest.raises(ParameterError, match="uses :c"):
        sql_bind("SELECT :c", known, {}, "sqlite")
    with pytest.raises(ParameterError, match="one statement"):
        sql_bind("SELECT :a; SELECT 2", known, {}, "sqlite")
    with pytest.raises(ParameterError, match="cannot be read"):
        sql_bind("SELECT (", known, {}, "sqlite")


def test_a_colon_in_a_text_or_a_cast_is_no_parameter():
    sql = "SELECT 'at 10:30' AS t, b::date FROM x WHERE c = :a"
    bound = sql_bind(sql, [parameter("a", "text")], {"a": "x"}, "postgres")
    assert bound == "SELECT 'at 10:30' AS t, CAST(b AS DATE) FROM x WHERE c = 'x'"


@given(st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"])))
def test_whatever_a_text_holds_the_database_reads_it_as_that_text(text):
    sql = sql_bind("SELECT :a AS a", [parameter("a", "text")], {"a": text or "x"}, "sqlite")
    db = sqlite3.connect(":memory:")
    assert db.execute(sql).fetchone() == (text or "x",)
    db.close()


def test_the_editor_of_the_form_says_how_the_keyboard_leaves_it(as_alice, saved):
    page = as_alice.get(url("edit", saved.pk)).content.decode()
    assert 'aria-describedby="id_sql_error sql-keys"' in page
    assert '<p class="field-help" id="sql-keys">Escape, then Tab leaves</p>' in page
    refused = as_alice.post(url("edit", saved.pk), {"name": "N", "sql": "", **rows()}).content.decode()
    assert 'id="id_sql_error"' in refused
