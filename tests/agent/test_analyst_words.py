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
    ("short", "word"), [("reg", "rating"), ("pcs", "price"), ("frt", "forest trail"), ("a", "alpha"), ("sts", "satisfaction")]
)  # fmt: skip
def test_letters_that_do_not_hold_open_nothing(short, word):
    assert abbreviates(short, word) == 0
