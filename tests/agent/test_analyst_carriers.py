"""Words of a carrier's office: states by short lists, deeds of lines, times by day beside moments, exclusions said last."""

from __future__ import annotations

from datetime import date

import pytest

from sqlagent.makers.analyst.answering import understand
from sqlagent.values import Limits
from tests.agent.places import place

HAULIER = """
CREATE TABLE code_list (list_nm TEXT, cd TEXT, descr TEXT, PRIMARY KEY (list_nm, cd));
CREATE TABLE client (client_id INTEGER PRIMARY KEY, client_nm TEXT, opened_on TEXT);
CREATE TABLE lorry (lorry_id INTEGER PRIMARY KEY, make TEXT, fuel TEXT, in_svc_on TEXT, sold_on TEXT);
CREATE TABLE shipment (ship_id INTEGER PRIMARY KEY, client_id INTEGER REFERENCES client(client_id), svc_cd TEXT, booked_at TEXT, due_date TEXT, delivered_at TEXT, status_cd TEXT, chg_wt_kg REAL, net_chg REAL);
CREATE TABLE ship_surch (ship_id INTEGER REFERENCES shipment(ship_id), surch_cd TEXT, amt REAL, PRIMARY KEY (ship_id, surch_cd));
CREATE TABLE parcel (parcel_id INTEGER PRIMARY KEY, ship_id INTEGER REFERENCES shipment(ship_id), wt_kg REAL);
CREATE TABLE scan (scan_id INTEGER PRIMARY KEY, parcel_id INTEGER REFERENCES parcel(parcel_id), scan_cd TEXT, scan_at TEXT);
CREATE TABLE invoice (inv_id INTEGER PRIMARY KEY, client_id INTEGER REFERENCES client(client_id), inv_date TEXT, net_amt REAL, inv_status TEXT);
CREATE TABLE claim (claim_id INTEGER PRIMARY KEY, ship_id INTEGER REFERENCES shipment(ship_id), raised_on TEXT, reason_cd TEXT, paid_amt REAL, claim_status TEXT);
INSERT INTO code_list VALUES ('SVC','ND','Next Day'),('SVC','SD','Same Day'),('SVC','ECO','Economy'),
 ('SHPSTAT','DEL','Delivered'),('SHPSTAT','CAN','Cancelled'),('SHPSTAT','TRN','In transit'),
 ('SCAN','COL','Collected'),('SCAN','CRD','Carded, nobody in'),('SCAN','POD','Delivered, signed'),
 ('SURCH','OVS','Oversize'),('SURCH','RUR','Remote area'),
 ('CLMRSN','LOS','Loss'),('CLMRSN','DAM','Damage'),
 ('CLMSTAT','O','Open'),('CLMSTAT','P','Paid'),('CLMSTAT','R','Rejected'),
 ('INVSTAT','D','Draft'),('INVSTAT','I','Issued'),('INVSTAT','P','Paid'),('INVSTAT','V','Void');
INSERT INTO client VALUES (1,'Ann','2023-01-02'),(2,'Ben','2023-05-02'),(3,'Cy','2024-02-02');
INSERT INTO lorry VALUES (1,'Volvo','Diesel','2022-01-01',NULL),(2,'Volvo','Electric','2023-01-01',NULL),(3,'Man','Diesel','2020-01-01','2024-01-01');
INSERT INTO shipment VALUES (1,1,'ND','2024-04-02 09:00','2024-04-03','2024-04-03 10:00','DEL',4,10),
 (2,1,'ND','2024-05-02 09:00','2024-05-03','2024-05-04 10:00','DEL',6,20),
 (3,2,'ECO','2025-04-02 09:00','2025-04-09','2025-04-08 10:00','DEL',2,40),
 (4,2,'SD','2025-05-02 09:00','2025-05-02',NULL,'CAN',9,80),
 (5,3,'SD','2025-06-02 09:00','2025-06-02','2025-06-02 17:00','DEL',9,70);
INSERT INTO ship_surch VALUES (1,'OVS',5),(1,'RUR',7),(3,'RUR',9);
INSERT INTO parcel VALUES (1,1,4),(2,2,6),(3,3,2),(4,5,9);
INSERT INTO scan VALUES (1,1,'COL','2024-04-02 12:00'),(2,1,'CRD','2024-04-03 09:00'),(3,2,'CRD','2024-06-04 09:00'),(4,2,'CRD','2024-06-05 09:00'),(5,3,'POD','2025-04-08 10:00');
INSERT INTO invoice VALUES (1,1,'2025-01-31',100,'I'),(2,2,'2025-01-31',200,'P'),(3,1,'2025-02-28',400,'V'),(4,3,'2025-02-28',800,'D'),(5,2,'2025-02-28',50,'P');
INSERT INTO claim VALUES (1,1,'2024-05-01','LOS',30,'P'),(2,2,'2024-06-01','DAM',0,'R'),(3,3,'2025-05-01','DAM',50,'P'),(4,5,'2025-06-20','LOS',0,'O');
"""


@pytest.fixture(scope="module")
def haulier():
    return place(HAULIER)


def told(placed, text):
    first = understand(text, placed[1], date(2025, 7, 1))[1][0]
    return [tuple(row) for row in placed[0].execute(first.sql, Limits()).rows], first.frame.unused


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        # An exclusion at the end of the question.
        ("shipment charges by client, cancelled ones out", [("Cy", 70), ("Ben", 40), ("Ann", 30)]),
        ("shipment charges by client skipping cancelled", [("Cy", 70), ("Ben", 40), ("Ann", 30)]),
        # Years of two digits behind a quarter, and behind a month's apostrophe.
        ("shipments q2 25 vs q2 24", [("2024", 2), ("2025", 3)]),
        ("how many shipments in may '24", [(1,)]),
        # A moment is held against a day by day: the morning of the due day is in time.
        ("on time % by service", [("Economy", 100), ("Same Day", 100), ("Next Day", 50)]),
        # A time that is the name of a service.
        ("median charge on next day", [(15,)]),
        # Lists whose names are cut from a column's; labels before a comma.
        ("average payout per claim reason, paid claims only", [("Damage", 50), ("Loss", 30)]),
        ("invoiced net by month 2025, no voids or drafts", [("2025-01", 300), ("2025-02", 50)]),
        ("carded parcels by month", [("2024-04", 1), ("2024-06", 1)]),
        # Short names and their kin.
        ("total chargeable weight of next day shipments", [(10,)]),
        ("current fleet by fuel type", [("Diesel", 1), ("Electric", 1)]),
        ("heaviest parcel weve carried", [(4, 9)]),
        # Having, said by other verbs.
        ("what share of shipments carry a surcharge", [(40,)]),
        # A deed by its own time, whatever day a customer came.
        ("number of clients shipping each quarter of 2025", [("2025-Q2", 2)]),
        ("how many clients shipped with us each quarter of 2025", [("2025-Q2", 2)]),
    ],
)  # fmt: skip
def test_a_carriers_words_are_understood(haulier, text, wanted):
    rows, unused = told(haulier, text)
    assert (sorted(rows, key=str), unused) == (sorted(wanted, key=str), ())


def test_a_surcharge_is_told_by_its_code(haulier):
    rows, unused = told(haulier, "surcharges by type")
    assert (sorted(rows), unused) == ([("Oversize", 1), ("Remote area", 2)], ())
