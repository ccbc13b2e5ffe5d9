"""Stored values told to a language model: what is known is told as known, what is guessed as a guess."""

from __future__ import annotations

import pytest

from sqlagent.catalog.value_index import ValueIndex
from sqlagent.method.linking import link
from sqlagent.prompts import rendering
from sqlagent.sql import literals
from sqlagent.testing import MemoryDatabase
from sqlagent.values import CodeLabel, ColumnRef, LinkedSchema, Question, ValueMatch

RACES = MemoryDatabase(
    """
    CREATE TABLE drivers (id INTEGER PRIMARY KEY, surname TEXT, url TEXT);
    CREATE TABLE races (id INTEGER PRIMARY KEY, name TEXT, url TEXT);
    CREATE TABLE claims (id INTEGER PRIMARY KEY, ClaimType TEXT, carrier TEXT);
    INSERT INTO drivers VALUES (1, 'Alonso', 'http://x.org/Alonso'), (2, 'Pease', ''), (3, 'Norwey', ''), (4, 'Hamilton', '');
    INSERT INTO races VALUES (1, 'Monaco Grand Prix', 'http://x.org/Formula Monaco'), (2, 'Formula Two Cup', ''),
        (3, 'Formula Three Cup', ''), (4, 'Formula Four Cup', '');
    INSERT INTO claims VALUES (1, 'Delay', 'DHL'), (2, 'Damage', 'UPS'), (3, 'Lost Goods', 'UPS');
    """
)
CATALOG = RACES.catalog()
INDEX = ValueIndex.build(CATALOG, RACES)


def told(text: str, privacy: str = "rows", hint: str = "") -> str:
    question = Question(text, hint=hint)
    return rendering.values_text(question, link(question, CATALOG, INDEX), privacy)


def matched(words: str, *values: str, hint: str = "", privacy: str = "rows") -> str:
    matches = tuple(ValueMatch(words, ColumnRef("drivers", "surname"), v, 0.9) for v in values)
    question = Question(f"Show {words}", hint=hint)
    return rendering.values_text(question, LinkedSchema(CATALOG, CATALOG, values=matches), privacy)


@pytest.mark.parametrize(
    "text",
    [
        "List the races. Also the drivers.",
        "Which races are there? Please name them.",
        "Name all drivers. Include races.",
    ],
)
@pytest.mark.parametrize("privacy", ["schema", "masked", "rows"])
def test_common_words_are_never_looked_up_by_likeness(text: str, privacy: str) -> None:
    assert told(text, privacy) == ""


def test_and_and_or_of_a_hint_are_no_values_but_a_name_in_capitals_is() -> None:
    teams = MemoryDatabase(
        "CREATE TABLE teams (id INTEGER PRIMARY KEY, short_name TEXT);"
        "INSERT INTO teams VALUES (1, 'AND'), (2, 'OR'), (3, 'US'), (4, 'MAN');"
    )
    catalog = teams.catalog()
    index = ValueIndex.build(catalog, teams)

    def values(text: str, hint: str) -> list[str]:
        return [match.value for match in link(Question(text, hint=hint), catalog, index).values]

    assert values("How many teams are there and where?", "there refers to id > 1 AND id < 3 OR id = 4") == []
    assert values("When does team US play?", "") == ["US"]


def test_a_common_word_that_resembles_a_value_is_neither_told_nor_bound() -> None:
    assert matched("Also", "Alonso") == matched("Please", "Pease") == ""
    match = ValueMatch("Alonso", ColumnRef("drivers", "surname"), "Alonso", 0.8)
    linked = LinkedSchema(CATALOG, CATALOG, values=(match,))
    sql = "SELECT 1 FROM drivers WHERE surname = 'also'"
    assert literals.bind(sql, Question("Also alonso?"), linked) == sql
    assert "= 'Open'" in matched("open", "Open"), "the very word is no likeness"


@pytest.mark.parametrize(
    ("words", "value", "at_rows", "below"),
    [
        (
            "HAMILTON",
            "Hamilton",
            "exact: drivers.surname = 'Hamilton'",
            "exact: a value of drivers.surname; write 'HAMILTON'",
        ),
        (
            "Hamiltn",
            "Hamilton",
            "close: drivers.surname = 'Hamilton'",
            "close to a value of drivers.surname; write 'Hamiltn'",
        ),
        (
            "Lewis",
            "Lewis Hamilton",
            "a guess: may mean drivers.surname = 'Lewis Hamilton'; check",
            "a guess: may mean a value of drivers.surname; check, and write 'Lewis' if so",
        ),
    ],
)
def test_each_line_says_how_sure_it_is(words: str, value: str, at_rows: str, below: str) -> None:
    assert matched(words, value) == f'- "{words}": {at_rows}'
    for privacy in ("schema", "masked"):
        assert matched(words, value, privacy=privacy) == f'- "{words}": {below}'


def test_a_plural_names_things_and_is_only_a_guess() -> None:
    assert told("delays per carrier") == "- \"delays\": a guess: may mean claims.ClaimType = 'Delay'; check"


def test_at_most_two_values_of_a_word_are_told_and_no_addresses() -> None:
    text = told("Which races were part of the Formula?")
    assert len(text.splitlines()) == 2 and "http" not in text and text.count("a guess") == 2


def test_guesses_are_left_out_where_something_surer_was_found() -> None:
    assert (
        matched("Hamilton", "Hamilton Two", "Hamilton")
        == "- \"Hamilton\": exact: drivers.surname = 'Hamilton'"
    )


@pytest.mark.parametrize(
    ("hint", "is_told"),
    [
        ("Hamilton refers to surname = 'Hamilton'", False),
        ("drivers are in drivers.surname", True),
        ("Hamilton is a person", True),
        ("", True),
    ],
)
def test_what_the_hint_says_already_is_not_said_again(hint: str, is_told: bool) -> None:
    assert bool(matched("Hamilton", "Hamilton", hint=hint)) is is_told


def test_the_rule_on_values_does_not_make_a_word_a_condition() -> None:
    system = rendering.system_message(LinkedSchema(CATALOG, CATALOG), "rows").text
    assert "not that it is a condition" in system and "a *guess* may be wrong" in system
    assert "Follow it literally" not in rendering.task_text(
        Question("How many?", hint="x"), LinkedSchema(CATALOG, CATALOG), "rows"
    )


def test_a_hint_that_spells_a_value_otherwise_leaves_its_spelling_to_be_told() -> None:
    told = matched("hamilton", "Hamilton", hint="hamilton refers to surname = 'hamilton'")
    assert told == "- \"hamilton\": exact: drivers.surname = 'Hamilton'"


def test_a_path_is_no_spelling_of_a_word() -> None:
    assert matched("product", "/product") == "" and matched("products", "/product") == ""
    assert matched("/product", "/product") == "- \"/product\": exact: drivers.surname = '/product'"


CODES = (
    CodeLabel(ColumnRef("claims", "ClaimType"), "20", "Alonso", "drivers"),
    CodeLabel(ColumnRef("races", "name"), "A", "Alonso", "drivers"),
)


@pytest.mark.parametrize(
    ("value", "line"),
    [
        ("Alonso", "- \"alonso\": exact: claims.ClaimType = '20' or races.name = 'A', labelled 'Alonso'"),
        ("ALONSO", "- \"alonso\": exact: claims.ClaimType = '20' or races.name = 'A', labelled 'ALONSO'"),
    ],
)
def test_a_label_is_told_as_the_codes_that_it_stands_for(value: str, line: str) -> None:
    matches = (ValueMatch("alonso", ColumnRef("drivers", "surname"), value, 1.0),)
    linked = LinkedSchema(CATALOG, CATALOG, values=matches, codes=CODES)
    assert rendering.values_text(Question("Show alonso"), linked, "rows") == line


def test_the_name_of_a_list_of_codes_is_no_value() -> None:
    matches = (ValueMatch("hamilton", ColumnRef("drivers", "surname"), "Hamilton", 1.0),)
    linked = LinkedSchema(CATALOG, CATALOG, values=matches, codes=CODES)
    assert rendering.values_text(Question("Show hamilton"), linked, "rows") == ""


@pytest.mark.parametrize("privacy", ["schema", "masked"])
def test_no_code_is_told_below_rows(privacy: str) -> None:
    matches = (ValueMatch("alonso", ColumnRef("drivers", "surname"), "Alonso", 1.0),)
    linked = LinkedSchema(CATALOG, CATALOG, values=matches, codes=CODES)
    told = rendering.values_text(Question("Show alonso"), linked, privacy)
    assert told == "- \"alonso\": exact: a value of drivers.surname; write 'alonso'"
