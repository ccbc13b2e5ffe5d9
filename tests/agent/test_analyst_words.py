"""The analyst's words: short forms opened by their letters, codes without a list, spelling, and what is not there."""

from __future__ import annotations

from datetime import date

import pytest

from sqlagent.catalog.semantics import derive
from sqlagent.catalog.semantics.letters import abbreviates
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.evaluation.lenient import Golds
from sqlagent.makers.analyst.answering import understand
from sqlagent.makers.analyst.sampler import analyse
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.telling import told
from sqlagent.method import linking
from sqlagent.testing import MemoryDatabase
from sqlagent.values import Outcome, Question

TODAY = date(2026, 1, 5)
PORTS = ("HFN", "Old Harbour", "North"), ("BRG", "Bridge End", "South"), ("SND", "Sandy Bay", "North")
FERRIES = """
CREATE TABLE Port(PrtCd TEXT, PrtNm TEXT, Rgn TEXT, CtryCd TEXT);
CREATE TABLE Ves(VesId INTEGER, RegNo TEXT, VesTyp TEXT, HomePrtCd TEXT);
CREATE TABLE Crsg(CrsgNo INTEGER, OrigPrtCd TEXT, DestPrtCd TEXT, VesId INTEGER, SailDt TEXT, TktTyp TEXT, Lgg REAL, FarAmt REAL);
"""


def ferries() -> str:
    lines = [FERRIES]
    lines += [
        f"INSERT INTO Port VALUES('{c}','{n}','{r}','{k}');"
        for (c, n, r), k in zip(PORTS, ("DK", "DE", "DE"), strict=True)
    ]
    lines += [
        f"INSERT INTO Ves VALUES({n},'R{n}77','{('Fast', 'Slow')[n % 2]}','{PORTS[n % 3][0]}');"
        for n in range(1, 9)
    ]
    lines += [
        f"INSERT INTO Crsg VALUES({1000 + n},'{PORTS[n % 3][0]}','{PORTS[(n * n + 1) % 3][0]}',{n % 8 + 1},"
        f"'2025-{n % 12 + 1:02}-{n % 27 + 1:02}','{('ADL', 'CHD', 'SNR', 'ADL')[n % 4]}',{n % 9 + 1},{20 + n % 13});"
        for n in range(240)
    ]
    return "\n".join(lines)


@pytest.fixture(scope="module")
def sea():
    database = MemoryDatabase(ferries())
    index = ValueIndex.build(database.catalog(), database)
    return database, index, Source(derive(database.catalog(), index), index)


POOLS = """
CREATE TABLE towns(town_id INTEGER PRIMARY KEY, town_name TEXT, county TEXT);
CREATE TABLE pools(pool_id INTEGER PRIMARY KEY, pool_name TEXT, town_id INTEGER REFERENCES towns(town_id), pool_type TEXT);
CREATE TABLE coaches(coach_id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, discipline TEXT);
CREATE TABLE pupils(pupil_id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, town_id INTEGER REFERENCES towns(town_id));
CREATE TABLE lessons(lesson_id INTEGER PRIMARY KEY, pupil_id INTEGER REFERENCES pupils(pupil_id), coach_id INTEGER REFERENCES coaches(coach_id),
 pool_id INTEGER REFERENCES pools(pool_id), held_at DATE, status TEXT, cancel_note TEXT);
CREATE TABLE invoices(invoice_id INTEGER PRIMARY KEY, lesson_id INTEGER REFERENCES lessons(lesson_id), issued_on DATE, paid_on DATE, amount NUMERIC, status TEXT);
INSERT INTO towns VALUES (1,'Elm','West'),(2,'Oak','East'),(3,'Ash','East');
INSERT INTO pools VALUES (1,'Lido',1,'outdoor'),(2,'Baths',2,'indoor'),(3,'Cove',3,'outdoor');
INSERT INTO coaches VALUES (1,'Ada','Lake','diving'),(2,'Bo','Reed','sprint'),(3,'Cy','Wells','diving');
"""


def pools() -> str:
    states = ("held", "held", "no_show", "held", "cancelled")
    lines = [POOLS]
    lines += [f"INSERT INTO pupils VALUES({n},'P{n}','Q{n % 7}',{n % 3 + 1});" for n in range(1, 31)]
    for n in range(1, 301):
        state = states[n % 5]
        note = "'ill'" if state == "cancelled" else "NULL"
        lines.append(
            f"INSERT INTO lessons VALUES({n},{n % 30 + 1},{n % 3 + 1},{n * n % 3 + 1},'2025-{n % 12 + 1:02}-10','{state}',{note});"
        )
        paid = f"'2025-{n % 12 + 1:02}-25'" if n % 4 else "NULL"
        status = "paid" if n % 4 else "cancelled" if n % 8 else "open"
        lines.append(
            f"INSERT INTO invoices VALUES({n},{n},'2025-{n % 12 + 1:02}-15',{paid},{30 + n % 9},'{status}');"
        )
    return "\n".join(lines)


@pytest.fixture(scope="module")
def swimming():
    database = MemoryDatabase(pools())
    index = ValueIndex.build(database.catalog(), database)
    return database, index, Source(derive(database.catalog(), index), index)


def outcome(place, text):
    database, index, _ = place
    question = Question(text)
    return analyse(question, linking.link(question, database.catalog(), index), index, TODAY).outcome()


@pytest.mark.parametrize(
    ("question", "gold"),
    [
        ("total fare by vessel type", "SELECT v.VesTyp, SUM(FarAmt) FROM Crsg JOIN Ves v USING(VesId) GROUP BY 1"),
        ("fares 2025", "SELECT SUM(FarAmt) FROM Crsg"),
        ("average luggage per ticket type", "SELECT TktTyp, AVG(Lgg) FROM Crsg GROUP BY 1"),
        ("sum of FarAmt", "SELECT SUM(FarAmt) FROM Crsg"),
        ("crossings by tkttyp", "SELECT TktTyp, COUNT(*) FROM Crsg GROUP BY 1"),
        ("how many adult crossings in 2025", "SELECT COUNT(*) FROM Crsg WHERE TktTyp='ADL'"),
        ("crossings of seniors", "SELECT COUNT(*) FROM Crsg WHERE TktTyp='SNR'"),
        ("crossings by origin port", "SELECT p.PrtNm, COUNT(*) FROM Crsg JOIN Port p ON PrtCd=OrigPrtCd GROUP BY PrtCd"),
        ("fare by destination port", "SELECT p.PrtNm, SUM(FarAmt) FROM Crsg JOIN Port p ON PrtCd=DestPrtCd GROUP BY PrtCd"),
        ("ports by region", "SELECT Rgn, COUNT(*) FROM Port GROUP BY 1"),
        ("number of german ports", "SELECT COUNT(*) FROM Port WHERE CtryCd='DE'"),
        ("how many ports in Denmark", "SELECT COUNT(*) FROM Port WHERE CtryCd='DK'"),
        ("fares by vesel type", "SELECT v.VesTyp, SUM(FarAmt) FROM Crsg JOIN Ves v USING(VesId) GROUP BY 1"),
    ],
)  # fmt: skip
def test_short_forms_and_codes_are_read_by_their_letters(sea, question, gold):
    database, _, source = sea
    _, found = understand(question, source, TODAY)
    assert found
    assert not found[0].frame.unused
    assert Golds(database, [gold], False).which(found[0].sql) == 0, found[0].sql


def test_a_short_form_is_told_by_the_word_that_was_said_for_it(sea):
    _, found = understand("fare by vessel type", sea[2], TODAY)
    assert told(found[0].frame) == "fare (sum of fare amount), per vessel type"


def test_a_registration_number_is_no_region(sea):
    _, found = understand("crossings by region", sea[2], TODAY)
    assert "RegNo" not in found[0].sql
    assert "Rgn" in found[0].sql


def test_numbers_that_tell_rows_apart_are_never_summed_up(sea):
    _, found = understand("total crossings by ticket type", sea[2], TODAY)
    assert all("SUM(crsg.CrsgNo)" not in one.sql for one in found)


@pytest.mark.parametrize(
    ("question", "key"),
    [
        ("crossings by port of the vessel", "ves.HomePrtCd"),
        ("crossings per vessel's port", "ves.HomePrtCd"),
        ("fares by region of the destination port", "crsg.DestPrtCd"),
        ("crossings to Bridge End", "crsg.DestPrtCd"),
        ("crossings from Bridge End", "crsg.OrigPrtCd"),
        ("crossings of vessels in Bridge End", "ves.HomePrtCd"),
    ],
)
def test_of_several_ways_the_one_that_was_said_is_taken(sea, question, key):
    _, found = understand(question, sea[2], TODAY)
    assert f"port.PrtCd = {key}" in found[0].sql


def test_ways_of_one_length_are_readings_that_say_which_they_are(sea):
    assert outcome(sea, "crossings by port")[0] is Outcome.AMBIGUOUS
    _, found = understand("crossings by port", sea[2], TODAY)
    said = [told(one.frame) for one in found[:2]]
    assert {s.partition(", ")[2] for s in said} == {"per origin port", "per destination port"}


@pytest.mark.parametrize(
    ("question", "missing"),
    [
        ("average salary of coaches by discipline", "salary"),
        ("average wage", "wage"),
        ("average pay", "pay"),
        ("highest salary", "salary"),
        ("average coach salary", "salary"),
        ("salaries of coaches", "salaries"),
        ("average price", "price"),
        ("ticket type", "ticket type"),
    ],
)
def test_a_figure_that_is_not_there_is_told_by_its_name(swimming, question, missing):
    said, why = outcome(swimming, question)
    assert said is Outcome.UNANSWERABLE
    assert f"“{missing}”." in why


@pytest.mark.parametrize(
    "question", ["lessons by coach type", "lessons by ticket type", "lessons per lesson type"]
)
def test_a_general_word_is_not_met_by_another_nouns_column(swimming, question):
    said, why = outcome(swimming, question)
    assert said is not Outcome.ANSWERED
    assert "type”" in why


@pytest.mark.parametrize(
    ("question", "gold"),
    [
        ("lessons by pool type", "SELECT pool_type, COUNT(*) FROM lessons JOIN pools USING(pool_id) GROUP BY 1"),
        ("no-shows per coach", "SELECT first_name, last_name, COUNT(*) FROM lessons JOIN coaches c USING(coach_id) WHERE status='no_show' GROUP BY c.coach_id"),
        ("how many no shows", "SELECT COUNT(*) FROM lessons WHERE status='no_show'"),
        ("pupils with 3 or more no-shows", "SELECT first_name, last_name FROM pupils WHERE pupil_id IN (SELECT pupil_id FROM lessons WHERE status='no_show' GROUP BY 1 HAVING COUNT(*)>=3)"),
        ("cancellations by pool", "SELECT pool_name, COUNT(*) FROM lessons JOIN pools p USING(pool_id) WHERE status='cancelled' GROUP BY p.pool_id"),
        ("lessons by town of the pool", "SELECT town_name, COUNT(*) FROM lessons JOIN pools USING(pool_id) JOIN towns t ON t.town_id=pools.town_id GROUP BY t.town_id"),
        ("lessons per pupil's town", "SELECT town_name, COUNT(*) FROM lessons JOIN pupils USING(pupil_id) JOIN towns t ON t.town_id=pupils.town_id GROUP BY t.town_id"),
        ("lessons in pools in Oak", "SELECT COUNT(*) FROM lessons JOIN pools USING(pool_id) WHERE town_id=2"),
        ("lessons of Oak pupils", "SELECT COUNT(*) FROM lessons JOIN pupils USING(pupil_id) WHERE town_id=2"),
    ],
)  # fmt: skip
def test_states_are_counted_where_they_are_and_owners_pick_the_way(swimming, question, gold):
    database, _, source = swimming
    _, found = understand(question, source, TODAY)
    assert found
    assert not found[0].frame.unused
    assert Golds(database, [gold], False).which(found[0].sql) == 0, found[0].sql


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Wie viele Stunden wurden 2025 abgesagt?", "German"),
        ("combien de leçons ont été annulées en 2025 ?", "French"),
        ("cuántas clases fueron canceladas en el último mes", "Spanish"),
        ("hoeveel lessen zijn er per maand", "Dutch"),
        ("quante lezioni sono state annullate per mese", "Italian"),
    ],
)
def test_another_language_is_told_to_be_one(swimming, question, language):
    said, why = outcome(swimming, question)
    assert said is Outcome.UNANSWERABLE
    assert language in why
    assert "English" in why


@pytest.mark.parametrize(
    "question", ["lessons per die", "how many lessons des coaches", "lessons of la Lido", "zyx per o e a"]
)
def test_a_strange_word_makes_no_other_language(swimming, question):
    assert "English" not in outcome(swimming, question)[1]


def test_who_pays_is_no_figure(swimming):
    assert "“pay”" not in outcome(swimming, "pupils who pay")[1]


def test_a_place_reached_over_two_things_is_asked_back(swimming):
    assert outcome(swimming, "lessons by county")[0] is Outcome.AMBIGUOUS
    assert outcome(swimming, "lessons in Oak")[0] is Outcome.AMBIGUOUS


def test_spelling_is_mended_towards_the_sources_words_and_shown_mended(swimming):
    database, index, _ = swimming
    question = Question("lessons by coch")
    found = analyse(question, linking.link(question, database.catalog(), index), index, TODAY)
    assert found.reading.mended == (("coch", "coach"),)
    assert "coch" not in found.candidates[0].sql


@pytest.mark.parametrize(
    ("short", "word"), [("reg", "rating"), ("pcs", "price"), ("frt", "forest trail"), ("a", "alpha"), ("sts", "satisfaction")]
)  # fmt: skip
def test_letters_that_do_not_hold_open_nothing(short, word):
    assert abbreviates(short, word) == 0
