"""A carrier of horses with short names and no declared keys: roles of yards, who is billed, stables by a short form that a code labels too."""

from __future__ import annotations

from datetime import date

import pytest

from sqlagent.values import Outcome
from tests.agent.places import analysed, assert_answered, outcome, place

TODAY = date(2025, 10, 31)

CARRIER = """
CREATE TABLE hv_code (cd_typ TEXT, cd TEXT, descr TEXT);
CREATE TABLE hv_ctry (ctry_cd TEXT, ctry_nm TEXT);
CREATE TABLE hv_yrd (yrd_cd TEXT, yrd_nm TEXT, ctry_cd TEXT);
CREATE TABLE hv_acct (acct_cd TEXT, acct_nm TEXT, ctry_cd TEXT, crt_dt TEXT);
CREATE TABLE hv_stab (stb_id INTEGER, stb_nm TEXT, area_cd TEXT, main_stb_id INTEGER);
CREATE TABLE hv_area (area_cd TEXT, area_nm TEXT);
CREATE TABLE hv_stab_area (stb_id INTEGER, area_cd TEXT);
CREATE TABLE hv_vouch (vch_id INTEGER, vch_code TEXT, pct REAL);
CREATE TABLE hv_ride (ride_no TEXT, book_dt TEXT, orig_yrd TEXT, dest_yrd TEXT, acct_cd TEXT, stb_id INTEGER, stat_cd TEXT, vch_id INTEGER, horses INTEGER);
CREATE TABLE hv_inv (inv_no TEXT, ride_no TEXT, acct_cd TEXT, inv_dt TEXT, due_dt TEXT, paid_dt TEXT, net_eur REAL, vat_eur REAL);
CREATE TABLE hv_inv_ln (inv_no TEXT, ln_no INTEGER, chg_cd TEXT, amt_eur REAL);
CREATE TABLE hv_pout (pout_id INTEGER, payee_typ TEXT, per_dt TEXT, net_amt REAL);
INSERT INTO hv_code VALUES ('STAT', '10', 'Booked'), ('STAT', '20', 'Loaded'), ('STAT', '30', 'Unloaded'), ('CHG', 'QUA', 'Quarantine'), ('CHG', 'FED', 'Fodder'), ('CHG', 'STL', 'Stalling'), ('PAYEE', 'S', 'Stable'), ('PAYEE', 'D', 'Driver');
INSERT INTO hv_ctry VALUES ('DE', 'Germany'), ('FR', 'France'), ('IE', 'Ireland');
INSERT INTO hv_area VALUES ('A1', 'Downs'), ('A2', 'Fens'), ('A3', 'Moors'), ('A4', 'Wolds');
INSERT INTO hv_yrd VALUES ('DEHH', 'Hamburg yard', 'DE'), ('DEMU', 'Munich yard', 'DE'), ('FRPA', 'Paris yard', 'FR'), ('IEDU', 'Dublin yard', 'IE'), ('IECO', 'Cork yard', 'IE');
INSERT INTO hv_vouch VALUES (1, 'SPRING', 10), (2, 'FOAL', 5);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20)
INSERT INTO hv_acct SELECT 'C' || (100 + i), 'Client firm ' || i, CASE i % 3 WHEN 0 THEN 'DE' WHEN 1 THEN 'FR' ELSE 'IE' END, date('2023-01-01', '+' || (i * 9) || ' days') FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 15)
INSERT INTO hv_stab SELECT i, 'Stud ' || i, 'A' || (i % 4 + 1), CASE WHEN i % 5 = 0 THEN 1 WHEN i % 7 = 0 THEN 2 END FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40)
INSERT INTO hv_stab_area SELECT DISTINCT i % 15 + 1, 'A' || ((i * i) % 4 + 1) FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 320)
INSERT INTO hv_ride SELECT 'R' || (1000 + i), date('2024-01-01', '+' || (i * 2) || ' days'), CASE i % 5 WHEN 0 THEN 'DEHH' WHEN 1 THEN 'DEMU' WHEN 2 THEN 'FRPA' WHEN 3 THEN 'IEDU' ELSE 'IECO' END,
  CASE (i / 5) % 5 WHEN 0 THEN 'IEDU' WHEN 1 THEN 'FRPA' WHEN 2 THEN 'DEHH' WHEN 3 THEN 'IECO' ELSE 'DEMU' END, 'C' || (101 + i % 18), CASE WHEN i % 13 THEN i % 12 + 1 END,
  CASE WHEN i > 300 THEN '10' WHEN i > 280 THEN '20' ELSE '30' END, CASE WHEN i % 4 = 0 THEN i % 2 + 1 + i / 4 % 2 END, i % 3 + 1 FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
INSERT INTO hv_inv SELECT 'I' || (5000 + i), 'R' || (1000 + i), 'C' || (101 + i % 18), date('2024-01-04', '+' || (i * 2) || ' days'), date('2024-02-04', '+' || (i * 2) || ' days'), CASE WHEN i % 6 THEN date('2024-02-09', '+' || (i * 2) || ' days') END, 100.0 + i, 20.0 + i * 0.2 FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 600)
INSERT INTO hv_inv_ln SELECT 'I' || (5001 + i % 300), i / 300 + 1, CASE i % 3 WHEN 0 THEN 'QUA' WHEN 1 THEN 'FED' ELSE 'STL' END, 40.0 + i % 50 FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
INSERT INTO hv_pout SELECT i, CASE i % 2 WHEN 0 THEN 'S' ELSE 'D' END, date('2025-01-01', '+' || (i * 4) || ' days'), 200.0 + i FROM n;
"""

_OUT_OF = "SELECT COUNT(*) FROM hv_ride JOIN hv_yrd ON yrd_cd = {} JOIN hv_ctry USING (ctry_cd) WHERE ctry_nm = '{}'"


@pytest.fixture(scope="module")
def carrier():
    return place(CARRIER)


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        # roles of yards, without a word for a key
        ("how many rides went to Ireland", _OUT_OF.format("dest_yrd", "Ireland")),
        ("rides out of Germany", _OUT_OF.format("orig_yrd", "Germany")),
        ("rides from France in 2025", _OUT_OF.format("orig_yrd", "France") + " AND book_dt LIKE '2025%'"),
        ("rides into France per quarter 2025", "SELECT '2025-Q' || ((CAST(strftime('%m', book_dt) AS INTEGER) + 2) / 3), COUNT(*) FROM hv_ride JOIN hv_yrd ON yrd_cd = dest_yrd WHERE ctry_cd = 'FR' AND book_dt LIKE '2025%' GROUP BY 1"),
        ("rides by destination yard", "SELECT yrd_nm, COUNT(*) FROM hv_ride JOIN hv_yrd ON yrd_cd = dest_yrd GROUP BY yrd_cd"),
        # a billed account is a customer
        ("how many customers do we have", "SELECT COUNT(*) FROM hv_acct"),
        ("customers in Germany", "SELECT acct_nm FROM hv_acct WHERE ctry_cd = 'DE'"),
        ("rides per customer", "SELECT acct_nm, COUNT(*) FROM hv_ride JOIN hv_acct USING (acct_cd) GROUP BY acct_cd"),
        ("customers who never had a ride", "SELECT acct_nm FROM hv_acct WHERE acct_cd NOT IN (SELECT acct_cd FROM hv_ride)"),
        # a table by its short form, though a code bears the word
        ("how many stables are there", "SELECT COUNT(*) FROM hv_stab"),
        ("which stables never had a ride", "SELECT stb_nm FROM hv_stab WHERE stb_id NOT IN (SELECT stb_id FROM hv_ride WHERE stb_id IS NOT NULL)"),
        ("rides by stable", "SELECT stb_nm, COUNT(*) FROM hv_ride JOIN hv_stab USING (stb_id) GROUP BY stb_id"),
        ("stables with at least 3 areas", "SELECT stb_nm FROM hv_stab JOIN hv_stab_area USING (stb_id) GROUP BY stb_id HAVING COUNT(*) >= 3"),
        # money by the deed that moved it
        ("quarantine billed per year", "SELECT strftime('%Y', inv_dt), SUM(amt_eur) FROM hv_inv_ln JOIN hv_inv USING (inv_no) WHERE chg_cd = 'QUA' GROUP BY 1"),
        ("fodder invoiced by month in 2025", "SELECT strftime('%Y-%m', inv_dt), SUM(amt_eur) FROM hv_inv_ln JOIN hv_inv USING (inv_no) WHERE chg_cd = 'FED' AND inv_dt LIKE '2025%' GROUP BY 1"),
        ("stalling charged in 2024", "SELECT SUM(amt_eur) FROM hv_inv_ln JOIN hv_inv USING (inv_no) WHERE chg_cd = 'STL' AND inv_dt LIKE '2024%'"),
        # what points at nothing
        ("what share of rides used a voucher", "SELECT 100.0 * COUNT(vch_id) / COUNT(*) FROM hv_ride"),
        ("what share of this years rides used a voucher", "SELECT 100.0 * COUNT(vch_id) / COUNT(*) FROM hv_ride WHERE book_dt LIKE '2025%'"),
        ("rides without a voucher code", "SELECT COUNT(*) FROM hv_ride WHERE vch_id IS NULL"),
        ("rides with a voucher by month in 2025", "SELECT strftime('%Y-%m', book_dt), COUNT(*) FROM hv_ride WHERE vch_id IS NOT NULL AND book_dt LIKE '2025%' GROUP BY 1"),
        # branches
        ("which stables have branches and how many each", "SELECT m.stb_nm, COUNT(*) FROM hv_stab b JOIN hv_stab m ON m.stb_id = b.main_stb_id GROUP BY m.stb_id"),
        # deeds and states
        ("rides booked in 2025", "SELECT COUNT(*) FROM hv_ride WHERE book_dt LIKE '2025%'"),
        ("overdue net amount by customer", "SELECT acct_nm, SUM(net_eur) FROM hv_inv JOIN hv_acct USING (acct_cd) WHERE paid_dt IS NULL AND due_dt < '2025-10-31' GROUP BY acct_cd"),
    ],
)  # fmt: skip
def test_answered(carrier, text, sql):
    assert_answered(carrier, text, sql, TODAY)


@pytest.mark.parametrize(
    ("text", "sql"),
    [
        ("payouts to drivers", "SELECT COUNT(*) FROM hv_pout WHERE payee_typ = 'D'"),
        ("how many rides are booked", "SELECT COUNT(*) FROM hv_ride WHERE stat_cd = '10'"),
        ("total horses in 2025", "SELECT SUM(horses) FROM hv_ride WHERE book_dt LIKE '2025%'"),
        ("invoices paid per year", "SELECT strftime('%Y', paid_dt), COUNT(*) FROM hv_inv WHERE paid_dt IS NOT NULL GROUP BY 1"),
    ],
)  # fmt: skip
def test_left_alone(carrier, text, sql):
    assert_answered(carrier, text, sql, TODAY)


@pytest.mark.parametrize(
    "text", ["rides in Germany", "rides by yard", "customers who went to at least 3 yards"]
)
def test_a_role_that_is_not_said_is_no_answer(carrier, text):
    assert outcome(carrier, text, TODAY) is not Outcome.ANSWERED


def test_a_line_has_no_other_line_above(carrier):
    pointing = {(one.source, one.target) for one in carrier[1].model.relations}
    assert ("hv_inv_ln", "hv_inv_ln") not in pointing
    assert ("hv_ride", "hv_yrd") in pointing


def test_an_estimated_departure_is_no_day_with_data():
    legs = place(
        "CREATE TABLE crossing (crossing_id INTEGER PRIMARY KEY, etd TEXT, atd TEXT);"
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)"
        "INSERT INTO crossing SELECT i, date('2025-01-01', '+' || i || ' days'), CASE WHEN i < 30 THEN date('2025-01-01', '+' || i || ' days') END FROM n;"
    )
    assert legs[1].model.newest <= "2025-01-30"


def test_what_was_billed_is_summed_up(carrier):
    assert analysed(carrier, "quarantine billed per year", TODAY).frames[0].frame.measures[0].agg == "sum"
