"""Follow-ups of what was counted or listed: its money, a list with columns, a place or a bound of it, all said at once, and those that begin anew."""

from __future__ import annotations

from datetime import date

import pytest
from places import outcome, place, rows

from sqlagent.makers.analyst.answering import understand
from sqlagent.makers.analyst.changing.search import changed, followed
from sqlagent.makers.following import stand_alone
from sqlagent.values import Outcome, Turn

TODAY = date(2026, 5, 16)
HALLS = """
CREATE TABLE country (country_id INTEGER PRIMARY KEY, country_name TEXT NOT NULL, continent TEXT NOT NULL);
CREATE TABLE town (town_id INTEGER PRIMARY KEY, town_name TEXT NOT NULL, country_id INTEGER NOT NULL REFERENCES country);
CREATE TABLE employee (employee_id INTEGER PRIMARY KEY, full_name TEXT NOT NULL, job TEXT NOT NULL, hired_on DATE NOT NULL, left_on DATE);
CREATE TABLE client (client_id INTEGER PRIMARY KEY, client_name TEXT NOT NULL, sector TEXT NOT NULL, town_id INTEGER NOT NULL REFERENCES town, account_manager_id INTEGER REFERENCES employee (employee_id));
CREATE TABLE hall (hall_id INTEGER PRIMARY KEY, hall_name TEXT NOT NULL, town_id INTEGER NOT NULL REFERENCES town, seats INTEGER NOT NULL, has_stage INTEGER NOT NULL, storerooms INTEGER NOT NULL, day_rate REAL NOT NULL);
CREATE TABLE hire (hire_id INTEGER PRIMARY KEY, hall_id INTEGER NOT NULL REFERENCES hall, client_id INTEGER NOT NULL REFERENCES client, booked_on DATE NOT NULL, from_day DATE NOT NULL, until_day DATE NOT NULL, status TEXT NOT NULL, price REAL NOT NULL);
CREATE TABLE bill (bill_id INTEGER PRIMARY KEY, hire_id INTEGER NOT NULL REFERENCES hire, client_id INTEGER NOT NULL REFERENCES client, issued_on DATE NOT NULL, due_on DATE NOT NULL, paid_on DATE, status TEXT NOT NULL, net_amount REAL NOT NULL, tax_amount REAL NOT NULL, total_amount REAL NOT NULL);
CREATE TABLE transport (transport_id INTEGER PRIMARY KEY, client_id INTEGER NOT NULL REFERENCES client, origin_town_id INTEGER NOT NULL REFERENCES town (town_id), destination_town_id INTEGER NOT NULL REFERENCES town (town_id), vehicle TEXT NOT NULL, sent_on DATE NOT NULL, due_on DATE NOT NULL, arrived_on DATE, weight_kg REAL NOT NULL, price REAL NOT NULL, deposit REAL NOT NULL, status TEXT NOT NULL);
CREATE TABLE safety_check (check_id INTEGER PRIMARY KEY, hall_id INTEGER NOT NULL REFERENCES hall, inspector_id INTEGER NOT NULL REFERENCES employee (employee_id), checked_on DATE NOT NULL, outcome TEXT NOT NULL);
INSERT INTO country VALUES (1,'Austria','Europe'),(2,'Italy','Europe'),(3,'Japan','Asia'),(4,'Vietnam','Asia');
INSERT INTO town VALUES (1,'Linz',1),(2,'Graz',1),(3,'Milan',2),(4,'Turin',2),(5,'Osaka',3),(6,'Kobe',3),(7,'Hanoi',4),(8,'Hue',4);
INSERT INTO employee VALUES (1,'Ada Klein','manager','2019-02-01',NULL),(2,'Ben Ortiz','manager','2020-05-01',NULL),(3,'Cleo Marsh','inspector','2018-03-01','2025-06-30'),(4,'Dan Wood','inspector','2021-09-01',NULL),(5,'Eva Lund','driver','2022-01-10',NULL),(6,'Finn Hale','driver','2023-04-01','2026-02-28'),(7,'Gus Reed','driver','2025-08-01',NULL),(8,'Hana Ito','driver','2026-01-15',NULL);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<40)
INSERT INTO client SELECT i, 'Client '||i, CASE i%3 WHEN 0 THEN 'sports' WHEN 1 THEN 'music' ELSE 'trade' END, i%8+1, i%2+1 FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<24)
INSERT INTO hall SELECT i, 'Aula '||i, i%8+1, 50*(i%4+1), i%2, i%3+1, 200+25*i FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<500)
INSERT INTO hire SELECT i, i%24+1, i%40+1, date('2025-01-01','+'||i||' days'), date('2025-01-15','+'||i||' days'), date('2025-01-16','+'||(i+i%4)||' days'), CASE i%6 WHEN 0 THEN 'cancelled' WHEN 1 THEN 'tentative' ELSE 'confirmed' END, 300+(i*37)%700 FROM n;
INSERT INTO bill SELECT hire_id, hire_id, client_id, booked_on, date(booked_on,'+30 days'), CASE hire_id%4 WHEN 0 THEN NULL ELSE date(booked_on,'+25 days') END, CASE hire_id%4 WHEN 0 THEN 'open' ELSE 'paid' END, price, round(price*0.2,2), round(price*1.2,2) FROM hire WHERE status='confirmed';
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<500)
INSERT INTO transport SELECT i, i%40+1, i%8+1, (i*3+1)%8+1, CASE i%3 WHEN 0 THEN 'van' WHEN 1 THEN 'truck' ELSE 'trailer' END, date('2025-01-01','+'||i||' days'), date('2025-01-05','+'||i||' days'), CASE WHEN i<480 THEN date('2025-01-04','+'||(i+i%4)||' days') END, 100+(i*13)%900, 50+(i*29)%400, 5+i%40, CASE WHEN i%9=0 THEN 'cancelled' WHEN i<480 THEN 'delivered' ELSE 'under way' END FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<160)
INSERT INTO safety_check SELECT i, i%24+1, 3+i%2, date('2025-01-01','+'||(i*3)||' days'), CASE WHEN i%5=0 THEN 'fail' WHEN i%7=0 THEN 'warning' ELSE 'pass' END FROM n;
"""


@pytest.fixture(scope="module")
def halls():
    return place(HALLS)


def sql_of(halls, before, typed):
    """SQL of a follow-up whose every word is understood; empty where one is not."""
    said = changed(typed, before, halls[1], TODAY)
    frames = understand(said, halls[1], TODAY)[1] if said else []
    return frames[0].sql if frames and not frames[0].frame.unused else ""


def assert_changed(halls, before, typed, gold):
    found = sql_of(halls, before, typed)
    assert found, (before, typed)
    assert rows(halls, found) == rows(halls, gold)


OPEN = "SELECT SUM(total_amount) FROM bill WHERE status = 'open'"
LATE = "FROM bill WHERE paid_on IS NULL AND due_on < '2026-05-16'"


@pytest.mark.parametrize(
    ("before", "typed", "gold"),
    [
        ("how many open bills are there", "and how much is that in total?", OPEN),
        ("how many open bills are there", "what do they add up to", OPEN),
        ("number of open bills", "how much money is that", OPEN),
        ("how many bills are overdue", "how much is that net", f"SELECT SUM(net_amount) {LATE}"),
        ("how many bills are overdue", "what's the total", f"SELECT SUM(total_amount) {LATE}"),
        ("how many bills are overdue", "total value of those", f"SELECT SUM(total_amount) {LATE}"),
    ],
)
def test_the_money_of_what_was_counted(halls, before, typed, gold):
    assert_changed(halls, before, typed, gold)


@pytest.mark.parametrize(
    ("before", "typed", "gold"),
    [
        # groups of which the total is asked, and figures that are money already
        ("bills by status", "in total", "SELECT COUNT(*) FROM bill"),
        ("net amount of bills by status", "and in total?", "SELECT SUM(net_amount) FROM bill"),
    ],
)
def test_a_total_of_groups_is_no_other_figure(halls, before, typed, gold):
    assert_changed(halls, before, typed, gold)


LEFT = "SELECT full_name, left_on FROM employee WHERE left_on LIKE '{}%'{}"


@pytest.mark.parametrize(
    ("before", "typed", "gold"),
    [
        ("how many drivers do we have", "who left in 2026? list names and leaving date", LEFT.format(2026, " AND job = 'driver'")),
        ("how many employees do we have", "which of them left in 2025? names, leaving date", LEFT.format(2025, "")),
        ("how many drivers do we have", "names and hire date", "SELECT full_name, hired_on FROM employee WHERE job = 'driver'"),
        ("how many drivers do we have", "list them with hire date", "SELECT full_name, hired_on FROM employee WHERE job = 'driver'"),
        # who left is no current one
        ("current employees by job", "and who left in 2026? names and leaving date", LEFT.format(2026, "")),
        # the rows of what was counted
        ("hires by hall in March 2025", "show the hires", "SELECT hire_id FROM hire WHERE from_day LIKE '2025-03%'"),
        ("hires by hall in March 2025", "which hires are these", "SELECT hire_id FROM hire WHERE from_day LIKE '2025-03%'"),
        ("hires by hall in March 2025", "list them", "SELECT hire_id FROM hire WHERE from_day LIKE '2025-03%'"),
    ],
)  # fmt: skip
def test_what_was_counted_is_listed_with_the_columns_that_are_named(halls, before, typed, gold):
    assert_changed(halls, before, typed, gold)


@pytest.mark.parametrize("typed", ["who left in 2026? list names and shoe sizes", "which of them left in 2025? names, salary"])  # fmt: skip
def test_a_list_without_a_column_that_was_named_is_none(halls, typed):
    assert sql_of(halls, "how many employees do we have", typed) == ""


LINZ = "SELECT hall_name, seats, day_rate FROM hall WHERE town_id = 1"


@pytest.mark.parametrize(
    ("before", "typed", "gold"),
    [
        # a bound on the one amount that is shown
        ("halls in Linz: name, seats, day rate", "under 500 only", f"{LINZ} AND day_rate < 500"),
        ("halls in Linz: name, seats, day rate", "only those over 300", f"{LINZ} AND day_rate > 300"),
        ("halls in Linz: name, seats, day rate", "not more than 600", f"{LINZ} AND day_rate <= 600"),
        ("halls in Linz: name, seats, day rate", "cheaper than 400 euros", f"{LINZ} AND day_rate < 400"),
        ("halls in Linz: name, seats, day rate", "dearest first", f"{LINZ} ORDER BY day_rate DESC"),
        ("halls in Linz: name, seats, day rate", "how many is that", "SELECT COUNT(*) FROM hall WHERE town_id = 1"),
        ("halls in Linz: name, seats, day rate", "which of them have a stage", f"{LINZ} AND has_stage = 1"),
        # a number of what a column tells
        ("halls in Linz: name, seats, day rate", "only 200 seats", f"{LINZ} AND seats = 200"),
        ("halls in Linz: name, seats, day rate", "just those with 100 seats", f"{LINZ} AND seats = 100"),
        ("average day rate of halls", "only 2 storerooms", "SELECT AVG(day_rate) FROM hall WHERE storerooms = 2"),
        ("average day rate of halls", "just 2 stores", "SELECT AVG(day_rate) FROM hall WHERE storerooms = 2"),
    ],
)  # fmt: skip
def test_a_bound_or_a_number_is_about_a_column_that_is_shown(halls, before, typed, gold):
    assert_changed(halls, before, typed, gold)


def test_a_bound_on_one_of_several_figures_is_not_guessed(halls):
    assert sql_of(halls, "transports of May 2025: weight, price, deposit", "under 200 only") == ""


def test_the_first_few_of_a_thing_are_no_number_of_a_column(halls):
    gold = "SELECT hall_name, COUNT(*) FROM hire JOIN hall USING (hall_id) GROUP BY hall_id ORDER BY 2 DESC LIMIT 3"
    assert len(rows(halls, sql_of(halls, "hires by hall", "only 3 halls"))) == len(rows(halls, gold))


FAILS = "SELECT {0}, COUNT(*) FROM safety_check JOIN hall USING (hall_id) JOIN town USING (town_id) JOIN employee ON employee_id = inspector_id WHERE outcome = 'fail' AND checked_on LIKE '2026%' GROUP BY {0}"


@pytest.mark.parametrize(
    ("before", "typed", "gold"),
    [
        ("safety checks 2026 by outcome, as a share of the total", "now just the number of fails per hall", FAILS.format("hall_name")),
        ("safety checks 2026 by outcome, as a share of the total", "and the number of fails by town?", FAILS.format("town_name")),
        ("safety checks 2026 by outcome", "show me the number of fails per inspector", FAILS.format("full_name")),
        ("safety checks 2026 by outcome", "just fails by inspector", FAILS.format("full_name")),
        ("safety checks 2026 by outcome", "only the fails, per town", FAILS.format("town_name")),
    ],
)  # fmt: skip
def test_figure_value_and_group_at_once_keep_the_period(halls, before, typed, gold):
    assert_changed(halls, before, typed, gold)


def test_the_number_of_something_else_is_no_change_of_the_rows(halls):
    assert "2026" not in changed(
        "just the number of bills per client", "safety checks 2026 by outcome", halls[1], TODAY
    )


WAY = "SELECT COUNT(*) FROM transport t JOIN town o ON o.town_id = origin_town_id JOIN town d ON d.town_id = destination_town_id JOIN country oc ON oc.country_id = o.country_id JOIN country dc ON dc.country_id = d.country_id WHERE t.status = 'under way' AND "


@pytest.mark.parametrize(
    ("before", "typed", "condition"),
    [
        ("transports under way", "just those going to Japan", "dc.country_name = 'Japan'"),
        ("transports under way", "only the ones coming from Italy", "oc.country_name = 'Italy'"),
        ("transports under way", "those bound for Osaka", "d.town_name = 'Osaka'"),
        ("transports under way to Osaka", "actually to anywhere in Europe", "dc.continent = 'Europe'"),
        ("transports under way to Osaka", "to Italy instead", "dc.country_name = 'Italy'"),
        ("transports under way to Osaka", "no, to Kobe", "d.town_name = 'Kobe'"),
        # another way narrows
        ("transports under way to Osaka", "actually from Linz", "d.town_name = 'Osaka' AND o.town_name = 'Linz'"),
        ("transports under way to Osaka", "only from Linz", "d.town_name = 'Osaka' AND o.town_name = 'Linz'"),
    ],
)  # fmt: skip
def test_places_that_rows_go_to_and_come_from(halls, before, typed, condition):
    assert_changed(halls, before, typed, WAY + condition)


@pytest.mark.parametrize(
    ("before", "typed", "gold"),
    [
        ("transports under way: vehicle, weight", "how many is that per destination country",
         "SELECT country_name, COUNT(*) FROM transport JOIN town ON town_id = destination_town_id JOIN country USING (country_id) WHERE status = 'under way' GROUP BY 1"),
        ("transports under way: vehicle, weight", "how many are that by vehicle", "SELECT vehicle, COUNT(*) FROM transport WHERE status = 'under way' GROUP BY 1"),
        ("transports under way: vehicle, weight", "how many are they per vehicle", "SELECT vehicle, COUNT(*) FROM transport WHERE status = 'under way' GROUP BY 1"),
        # the first few in words, shares, orders
        ("hires by hall 2025", "just the three worst", "SELECT hall_name, COUNT(*) FROM hire JOIN hall USING (hall_id) WHERE from_day LIKE '2025%' GROUP BY hall_id ORDER BY 2 LIMIT 3"),
        ("total price of transports by vehicle", "the two biggest", "SELECT vehicle, SUM(price) FROM transport GROUP BY 1 ORDER BY 2 DESC LIMIT 2"),
        ("transports by vehicle", "smallest to largest", "SELECT vehicle, COUNT(*) FROM transport GROUP BY 1"),
        ("transports by vehicle", "show shares", "SELECT vehicle, 100.0 * COUNT(*) / 500 FROM transport GROUP BY 1"),
        ("transports by vehicle", "drop the grouping", "SELECT COUNT(*) FROM transport"),
        # values in the plural
        ("transports by client 2025", "only vans", "SELECT client_name, COUNT(*) FROM transport JOIN client USING (client_id) WHERE vehicle = 'van' AND sent_on LIKE '2025%' GROUP BY client_id"),
        ("transports 2025", "for trucks and vans only", "SELECT COUNT(*) FROM transport WHERE vehicle IN ('van', 'truck') AND sent_on LIKE '2025%'"),
        ("transports 2025", "without trailers", "SELECT COUNT(*) FROM transport WHERE vehicle <> 'trailer' AND sent_on LIKE '2025%'"),
        # the average of each row
        ("total price of transports by vehicle 2025", "per transport on average", "SELECT vehicle, AVG(price) FROM transport WHERE status <> 'cancelled' AND sent_on LIKE '2025%' GROUP BY 1"),
        ("total price of transports by vehicle 2025", "average per transport", "SELECT vehicle, AVG(price) FROM transport WHERE status <> 'cancelled' AND sent_on LIKE '2025%' GROUP BY 1"),
        ("average price of transports by vehicle 2025", "per transport on average", "SELECT vehicle, AVG(price) FROM transport WHERE status <> 'cancelled' AND sent_on LIKE '2025%' GROUP BY 1"),
        # figures beside
        ("hires by hall", "with average price", "SELECT hall_name, COUNT(*), AVG(price) FILTER (WHERE status <> 'cancelled') FROM hire JOIN hall USING (hall_id) GROUP BY hall_id"),
        ("hires by hall", "add client count", "SELECT hall_name, COUNT(*), COUNT(DISTINCT client_id) FROM hire JOIN hall USING (hall_id) GROUP BY hall_id"),
        # two changes, of which the first stands before an ending
        ("total price of transports by vehicle 2025", "without cancelled transports, dearest first", "SELECT vehicle, SUM(price) FROM transport WHERE status <> 'cancelled' AND sent_on LIKE '2025%' GROUP BY 1"),
        ("transports by vehicle 2025", "without cancelled ones, largest first", "SELECT vehicle, COUNT(*) FROM transport WHERE status <> 'cancelled' AND sent_on LIKE '2025%' GROUP BY 1"),
        # years and what is said before a change
        ("transports 2025", "last year too? just 2026", "SELECT COUNT(*) FROM transport WHERE sent_on LIKE '2026%'"),
        ("transports by vehicle 2025", "in 2025 and 2026", "SELECT vehicle, COUNT(*) FROM transport WHERE sent_on < '2027-01-01' GROUP BY 1"),
        ("transports by vehicle 2025", "no, only march", "SELECT vehicle, COUNT(*) FROM transport WHERE sent_on LIKE '2025-03%' GROUP BY 1"),
        ("transports by vehicle 2025", "how many are cancelled", "SELECT vehicle, COUNT(*) FROM transport WHERE status = 'cancelled' AND sent_on LIKE '2025%' GROUP BY 1"),
        # groups by way of another thing
        ("net amount of bills 2025", "split by the client's account manager",
         "SELECT full_name, SUM(net_amount) FROM bill JOIN client USING (client_id) JOIN employee ON employee_id = account_manager_id WHERE issued_on LIKE '2025%' GROUP BY employee_id"),
    ],
)  # fmt: skip
def test_usual_changes_in_other_words(halls, before, typed, gold):
    assert_changed(halls, before, typed, gold)


@pytest.mark.parametrize(
    ("before", "typed"),
    [("hires by hall 2025", "avg per hire"), ("transports by vehicle", "without lorries")],
)
def test_what_cannot_be_is_told_and_drops_nothing(halls, before, typed):
    said = followed(typed, before, halls[0].catalog(), halls[1].vocabulary.index, clock=TODAY)
    assert said == f"{before} (not understood: {typed})"
    assert outcome(halls, said, TODAY) is not Outcome.ANSWERED


def asked(halls, before, typed):
    turn = Turn(before, "SELECT 1", typed=before)
    return stand_alone(typed, [turn], halls[0].catalog(), None, index=halls[1].vocabulary.index).text


@pytest.mark.parametrize(
    ("typed", "stated"),
    [
        ("new question: how many halls have a stage", "how many halls have a stage"),
        ("start over: transports by vehicle", "transports by vehicle"),
        ("different question - bills by status", "bills by status"),
        ("something else: average price of hires", "average price of hires"),
        ("forget that, how many halls are there", "how many halls are there"),
        ("undo that", "hires by hall 2025 (not understood: undo that)"),
    ],
)
def test_a_question_that_begins_anew_keeps_nothing(halls, typed, stated):
    assert asked(halls, "hires by hall 2025", typed) == stated


@pytest.mark.parametrize("typed", ["new hires only", "forget that, only 2026", "how much is that net", "how many are still tentative", "show the hires", "average hire price", "which hall grew most"])  # fmt: skip
def test_what_speaks_of_before_begins_nothing_anew(halls, typed):
    stated = asked(halls, "hires by hall 2025", typed)
    assert stated != typed and ("2025" in stated or "2026" in stated)


def test_a_word_that_is_the_very_name_of_a_thing_is_no_other_of_its_stem():
    given = place(
        """
        CREATE TABLE licences (licence_id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE licencings (licencing_id INTEGER PRIMARY KEY, licence_id INTEGER REFERENCES licences, given_on DATE);
        INSERT INTO licences VALUES (1, 'Boat'), (2, 'Angling');
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
        INSERT INTO licencings SELECT i, i % 2 + 1, date('2025-01-01', '+' || (i * 9) || ' days') FROM n;
        """
    )
    gold = "SELECT name, COUNT(*) FROM licencings JOIN licences USING (licence_id) WHERE given_on LIKE '2025%' GROUP BY licence_id"
    found = changed("per licence instead of month", "licencings per month in 2025", given[1], TODAY)
    assert rows(given, understand(found, given[1], TODAY)[1][0].sql) == rows(given, gold)
