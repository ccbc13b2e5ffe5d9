"""Corrections of a source by its owner: effects on the model, refusals, corrections without effect, and counts of days."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from sqlagent.adapters import open_database
from sqlagent.catalog.hiding import usable
from sqlagent.catalog.semantics import Kind, Model, Role, corrected, derive
from sqlagent.catalog.semantics.refusing import Refusing
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.language.words import tokenise
from sqlagent.makers.analyst import analyse
from sqlagent.makers.analyst.dialects import WRITTEN, Dialect
from sqlagent.makers.analyst.periods import find
from sqlagent.method import linking
from sqlagent.ports import SourceDatabase
from sqlagent.testing import MemoryDatabase
from sqlagent.values import (
    Calendar,
    Catalog,
    Column,
    ColumnRef,
    Correction,
    Limits,
    LinkedSchema,
    Question,
    Subject,
    Table,
)
from sqlagent.values import Kind as Cells

NUMBER, TEXT, DAY = Cells.NUMBER, Cells.TEXT, Cells.DATE
TODAY = date(2026, 5, 20)
CASES = Path(__file__).parent / "cases" / "analyst"

CLINIC = """
CREATE TABLE owners (id INTEGER PRIMARY KEY, name TEXT, town TEXT);
CREATE TABLE visits (id INTEGER PRIMARY KEY, owner_ref INTEGER, seen_on DATE, billed_on DATE, mood TEXT, fee NUMERIC, batch INTEGER);
"""


@pytest.fixture(scope="module")
def clinic(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[SourceDatabase, Catalog, ValueIndex]]:
    path: Path = tmp_path_factory.mktemp("clinic") / "clinic.sqlite3"
    with sqlite3.connect(path) as db:
        db.executescript(CLINIC)
        db.executemany(
            "INSERT INTO owners VALUES (?, ?, ?)",
            [(n, f"Owner {n}", "ABC"[n % 3] + "ville") for n in range(1, 21)],
        )
        rows = [
            (
                n,
                1 + n % 20,
                f"2026-0{1 + n % 5}-{1 + n % 28:02}",
                f"2026-0{2 + n % 5}-01",
                "gb"[n % 2],
                10 + n,
                n % 9,
            )
            for n in range(1, 151)
        ]
        db.executemany("INSERT INTO visits VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
    database = open_database(engine="sqlite", database=str(path))
    catalog = database.catalog()
    yield database, catalog, ValueIndex.build(catalog, database)
    database.close()


def said(subject: Subject, table: str = "", column: str = "", value: str = "", told: str = "") -> Correction:
    return Correction(subject, table, column, value, told)


def model_of(clinic, *corrections: Correction) -> Model:
    _, catalog, index = clinic
    return corrected(derive(replace(catalog, corrections=corrections), index), corrections)[0]


def sql(clinic, question: str, *corrections: Correction) -> str:
    database, catalog, index = clinic
    whole = replace(catalog, corrections=corrections)
    shown, known = usable(whole, index)
    analysis = analyse(Question(question), LinkedSchema(shown, whole), known, TODAY)
    if not analysis.candidates or analysis.unused:
        return ""
    text = analysis.candidates[0].sql
    database.execute(text, Limits())
    return " ".join(text.split())


# ---------------------------------------------------------------- what they do


def test_a_label_leaves_the_other_codes_of_a_list_under_theirs() -> None:
    database = MemoryDatabase((CASES / "workshop.sql").read_text())
    label = said(Subject.LABEL, "tbl_job", "stat_cd", "2", "on the bench")
    catalog = replace(database.catalog(), corrections=(label,))
    index = ValueIndex.build(catalog, database)
    (made, *_) = analyse(Question("done jobs"), LinkedSchema(catalog, catalog), index, TODAY).candidates
    assert "stat_cd = '3'" in made.sql


def test_a_name_takes_the_place_of_the_derived_one(clinic) -> None:
    model = model_of(
        clinic,
        said(Subject.NAME, "visits", told="Appointment"),
        said(Subject.NAME, "visits", "fee", told="Bill"),
    )
    assert (model.things["visits"].said, model.field("visits", "fee").said) == ("appointment", "bill")
    assert "SUM(visits.fee)" in sql(
        clinic, "total bill by mood", said(Subject.NAME, "visits", "fee", told="Bill")
    )


def test_a_synonym_is_as_good_as_the_name_and_wins_over_a_business_word(clinic) -> None:
    assert sql(clinic, "number of sittings") == ""
    assert "COUNT(*)" in sql(clinic, "number of sittings", said(Subject.SYNONYM, "visits", value="sitting"))
    turnover = said(Subject.SYNONYM, "visits", "batch", value="turnover")
    assert "batch" in sql(clinic, "turnover by mood", turnover)


def test_aggregate_unit_and_role_are_what_was_told(clinic) -> None:
    model = model_of(
        clinic,
        said(Subject.AGGREGATE, "visits", "fee", told="avg"),
        said(Subject.UNIT, "visits", "fee", told="none"),
    )
    assert (model.field("visits", "fee").aggregate, model.field("visits", "fee").unit) == ("avg", "")
    assert "AVG(visits.fee)" in sql(
        clinic, "fee by mood", said(Subject.AGGREGATE, "visits", "fee", told="avg")
    )
    assert "MAX(visits.fee)" in sql(
        clinic, "fee by mood", said(Subject.AGGREGATE, "visits", "fee", told="max")
    )
    grouped = model_of(clinic, said(Subject.ROLE, "visits", "batch", told="dimension")).field(
        "visits", "batch"
    )
    assert (grouped.role, grouped.aggregate) == (Role.DIMENSION, "")
    assert "SUM(visits.batch)" not in sql(
        clinic, "total batch", said(Subject.ROLE, "visits", "batch", told="key")
    )
    assert "GROUP BY visits.batch" in sql(
        clinic, "visits by batch", said(Subject.ROLE, "visits", "batch", told="dimension")
    )


def test_labels_are_understood_and_shown(clinic) -> None:
    labels = (
        said(Subject.LABEL, "visits", "mood", "g", "Calm"),
        said(Subject.LABEL, "visits", "mood", "b", "Angry"),
    )
    assert "visits.mood = 'b'" in sql(clinic, "angry visits", *labels)
    assert "WHEN 'g' THEN 'Calm'" in sql(clinic, "visits by mood", *labels)
    numbers = (said(Subject.LABEL, "visits", "batch", "1", "Morning"),)
    assert "visits.batch = 1" in sql(clinic, "morning visits", *numbers)
    assert "ELSE CAST(visits.batch AS TEXT)" in sql(clinic, "visits by batch", *numbers)


def test_what_points_where_decides_what_a_table_is(clinic) -> None:
    _, catalog, index = clinic
    denied = said(Subject.NOT_POINTS, "visits", "owner_ref", "owners")
    told = said(Subject.POINTS, "visits", "owner_ref", "owners", "id")
    bare = replace(catalog, corrections=(denied,))
    assert not [r for r in derive(bare, index).relations if r.source == "visits"]
    model = model_of(clinic, told)
    assert [(r.target, r.referenced) for r in model.relations if r.source == "visits"] == [
        ("owners", ("id",))
    ]
    assert model.things["visits"].kind is Kind.EVENT
    assert "JOIN owners" in sql(clinic, "fee by town", told)
    shown, _ = usable(replace(catalog, corrections=(told,)), index)
    assert [key.table for key in shown.table("visits").foreign_keys] == ["owners"]


def test_a_default_time_leaves_no_rival(clinic) -> None:
    assert "billed_on" in sql(clinic, "visits in march 2026", said(Subject.TIME, "visits", told="billed_on"))
    thing = model_of(clinic, said(Subject.TIME, "visits", told="billed_on")).things["visits"]
    assert (thing.default_time, thing.other_time) == ("billed_on", "")


def test_what_is_hidden_is_gone_from_model_catalog_and_values(clinic) -> None:
    _, catalog, index = clinic
    hidden = (said(Subject.HIDDEN, "owners", "town"), said(Subject.HIDDEN, "visits", "seen_on"))
    model = model_of(clinic, *hidden)
    assert model.field("owners", "town") is None
    assert model.things["visits"].default_time in ("billed_on", "")
    shown, known = usable(replace(catalog, corrections=hidden), index)
    assert shown.table("owners").column("town") is None
    assert index.lookup("aville") and not known.lookup("aville")
    linked = linking.link(Question("owners in Aville"), shown, known)
    assert not linked.values
    assert sql(clinic, "owners by town", *hidden) == ""
    gone = model_of(clinic, said(Subject.HIDDEN, "owners"))
    assert "owners" not in gone.things and not [r for r in gone.relations if r.target == "owners"]


def test_nothing_said_leaves_catalog_and_values_the_very_same(clinic) -> None:
    _, catalog, index = clinic
    assert usable(catalog, index) == (catalog, index)
    assert index.without(frozenset()) is index
    hidden = frozenset([ColumnRef("owners", "town")])
    assert index.without(hidden) is index.without(hidden)


def test_a_correction_of_what_is_not_there_does_nothing_and_says_why(clinic) -> None:
    _, catalog, index = clinic
    corrections = (
        said(Subject.SYNONYM, "visits", "weight", "kilos"),
        said(Subject.HIDDEN, "pets"),
        said(Subject.TIME, "visits", told="fee"),
        said(Subject.POINTS, "visits", "owner_ref", "owners", "number"),
        said(Subject.AGGREGATE, "visits", "mood", told="sum"),
        said(Subject.SYNONYM, "visits", value="sitting"),
    )
    model, left = corrected(derive(catalog, index), corrections)
    assert [one.why for one in left] == [
        "There is no column weight in visits.",
        "There is no table pets.",
        "The column fee of visits holds no time.",
        "There is no column number in owners.",
        "The column mood of visits holds no numbers.",
    ]
    assert model.things["visits"].also == ("sitting",)


def test_hundreds_of_corrections_of_three_hundred_tables_are_taken_over() -> None:
    tables = tuple(
        Table(f"t{n}", (Column("id", kind=Cells.INTEGER), Column("amount", kind=NUMBER))) for n in range(300)
    )
    corrections = tuple(said(Subject.SYNONYM, f"t{n}", value=f"word{n}") for n in range(300))
    catalog = Catalog("sqlite", tables, corrections=corrections)
    model, left = corrected(derive(catalog), corrections)
    assert not left and model.things["t299"].also == ("word299",)
    assert usable(catalog, None)[0].tables[299].comment == "also called word299"


# ---------------------------------------------------------------- what is refused

REFUSED = [
    (said(Subject.SYNONYM, "visits", value="the of"), "says nothing by itself"),
    (said(Subject.SYNONYM, "visits", value="v"), "is one letter"),
    (said(Subject.SYNONYM, "visits", value=" - "), "Give a word"),
    (
        said(Subject.SYNONYM, "visits", value="owner"),
        "already what owners is called. One word cannot mean both owners and visits.",
    ),
    (said(Subject.SYNONYM, "visits", value="average"), "a word by which people ask"),
    (said(Subject.SYNONYM, "visits", "fee", value="mood"), "already what the column visits.mood is called"),
    (said(Subject.NAME, "visits", told="one two three four five"), "too long"),
    (said(Subject.NAME, "visits", told="2025"), "is a number"),
    (said(Subject.AGGREGATE, "visits", "mood", told="sum"), "holds no numbers"),
    (said(Subject.AGGREGATE, "visits", "fee", told="mode"), "there is no “mode”"),
    (said(Subject.UNIT, "visits", "fee", told="bananas"), "There is no unit “bananas”"),
    (said(Subject.UNIT, "visits", "mood", told="money"), "holds no numbers"),
    (said(Subject.ROLE, "visits", "id", told="time"), "A column of numbers is one of"),
    (said(Subject.TIME, "visits", told="fee"), "holds no time"),
    (said(Subject.LABEL, "visits", "mood", "g", " "), "Give a label"),
    (said(Subject.POINTS, "visits", "mood", "owners", "id"), "they never match"),
    (said(Subject.POINTS, "visits", "batch", "visits", "batch"), "does not point at itself"),
    (said(Subject.SYNONYM, "pets", value="animal"), "There is no table pets."),
    (said(Subject.ZONE, told="Mars/Base"), "There is no time zone"),
    (said(Subject.TODAY, told="tomorrow"), "the last day with data"),
]


@pytest.mark.parametrize(("correction", "says"), REFUSED, ids=lambda one: str(getattr(one, "subject", "")))
def test_what_makes_no_sense_is_refused_in_plain_words(clinic, correction: Correction, says: str) -> None:
    model = model_of(clinic)
    assert says in Refusing(model, model).why(correction)


@pytest.mark.parametrize(
    "letter",
    ["\x00", "\x1b", "\x7f", "\x85", "\xad", "\u061c", "\u200b", "\u200d", "\u202e", "\u2028", "\u2066", "\ufeff", "\U000e0041"],
    ids=ascii,
)  # fmt: skip
def test_characters_that_cannot_be_seen_are_refused_in_names_synonyms_and_labels(clinic, letter: str) -> None:
    model = model_of(clinic)
    text = f"sit{letter}ting"
    for one in (
        said(Subject.NAME, "visits", told=text),
        said(Subject.NAME, "visits", "fee", told=text),
        said(Subject.SYNONYM, "visits", value=text),
        said(Subject.LABEL, "visits", "mood", "g", text),
    ):
        says = Refusing(model, model).why(one)
        assert f"a character that cannot be seen (U+{ord(letter):04X})" in says, one
        assert letter not in says


def test_what_makes_sense_is_not_refused(clinic) -> None:
    model = model_of(clinic)
    for one in (
        said(Subject.SYNONYM, "visits", value="sitting"),
        said(Subject.NAME, "visits", told="order"),
        said(Subject.NAME, "visits", "fee", told="total"),
        said(Subject.ROLE, "visits", "batch", told="key"),
        said(Subject.UNIT, "visits", "fee", told="money"),
        said(Subject.POINTS, "visits", "owner_ref", "owners", "id"),
        said(Subject.ZONE, told="Asia/Tokyo"),
        said(Subject.HIDDEN, "visits", "mood"),
        said(Subject.NAME, "visits", told="rendez-vous médical"),
        said(Subject.LABEL, "visits", "mood", "g", "calm 😀"),
    ):
        assert Refusing(model, model).why(one) == "", one


# ---------------------------------------------------------------- days


@pytest.mark.parametrize(
    ("text", "calendar", "first", "until"),
    [
        ("this week", Calendar(), "2026-05-18", "2026-05-25"),
        ("this week", Calendar(week=6), "2026-05-17", "2026-05-24"),
        ("last week", Calendar(week=5), "2026-05-09", "2026-05-16"),
        ("fiscal year 2025", Calendar(year=4), "2024-04-01", "2025-04-01"),
        ("fiscal year 2025", Calendar(year=4, year_name="begins"), "2025-04-01", "2026-04-01"),
        ("fiscal year 2025/26", Calendar(year=4), "2025-04-01", "2026-04-01"),
        ("fy25", Calendar(year=10), "2024-10-01", "2025-10-01"),
        ("fy 2025", Calendar(), "2025-01-01", "2026-01-01"),
        ("q2 fy2025", Calendar(year=4), "2024-07-01", "2024-10-01"),
        ("fiscal q2 2025", Calendar(year=4), "2024-07-01", "2024-10-01"),
        ("the current fiscal year", Calendar(year=7), "2025-07-01", "2026-07-01"),
        ("last fiscal quarter", Calendar(year=2), "2026-02-01", "2026-05-01"),
        ("fiscal year to date", Calendar(year=4), "2026-04-01", "2026-05-21"),
        ("last quarter", Calendar(year=2), "2026-01-01", "2026-04-01"),
        ("2025", Calendar(year=4), "2025-01-01", "2026-01-01"),
    ],
)
def test_periods_go_by_the_sources_calendar(text: str, calendar: Calendar, first: str, until: str) -> None:
    (found,) = find(tokenise(text), TODAY, calendar)
    assert (str(found.period.first), str(found.period.until)) == (first, until)
    assert (found.start, found.end) == (0, len(tokenise(text)))


@pytest.mark.parametrize("dialect", WRITTEN)
@pytest.mark.parametrize("grain", ["week", "fiscal year", "fiscal quarter"])
def test_every_dialect_writes_weeks_and_fiscal_years_that_parse(dialect: str, grain: str) -> None:
    import sqlglot

    written = Dialect(dialect, Calendar(week=6, year=4)).grain("t.a", None, grain)
    assert sqlglot.parse_one(f"SELECT {written} FROM t", read=dialect)


def test_today_is_what_was_told(clinic) -> None:
    _, catalog, index = clinic

    event = said(Subject.POINTS, "visits", "owner_ref", "owners", "id")

    def noted(*corrections: Correction) -> str:
        whole = replace(catalog, corrections=(event, *corrections))
        analysis = analyse(Question("visits last month"), LinkedSchema(whole, whole), index, date(2026, 7, 1))
        return " ".join(analysis.candidates[0].notes)

    assert "in June 2026" in noted(said(Subject.TODAY, told="clock"))
    last = noted(said(Subject.TODAY, told="data"))
    assert "in April 2026" in last and "the last day with data" in last
