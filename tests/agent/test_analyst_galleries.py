"""Words of a gallery's till and diary: pieces and their unit price, discounts in money, short codes of states, guided tours."""

from __future__ import annotations

from datetime import date

import pytest

from sqlagent.makers.analyst.answering import understand
from sqlagent.values import Limits
from tests.agent.places import place

GALLERY = """
CREATE TABLE friend (friend_id INTEGER PRIMARY KEY, first_nm TEXT, last_nm TEXT, joined_on TEXT);
CREATE TABLE show (show_id INTEGER PRIMARY KEY, title TEXT, opens_on TEXT);
CREATE TABLE ticket_sale (sale_id INTEGER PRIMARY KEY, show_id INTEGER REFERENCES show(show_id), friend_id INTEGER REFERENCES friend(friend_id), channel TEXT, qty INTEGER, unit_cts INTEGER, sts TEXT, sold_at TEXT, refund_on TEXT);
CREATE TABLE shop_sale (line_id INTEGER PRIMARY KEY, friend_id INTEGER REFERENCES friend(friend_id), sku TEXT, dept TEXT, qty INTEGER, unit_cts INTEGER, disc_cts INTEGER, sold_at TEXT);
CREATE TABLE walk (walk_id INTEGER PRIMARY KEY, starts_at TEXT, lang_cd TEXT, sts TEXT);
CREATE TABLE walk_guide (walk_id INTEGER REFERENCES walk(walk_id), friend_id INTEGER REFERENCES friend(friend_id), PRIMARY KEY (walk_id, friend_id));
CREATE TABLE donation (don_id INTEGER PRIMARY KEY, friend_id INTEGER REFERENCES friend(friend_id), gift_on TEXT, amt_cts INTEGER, sts TEXT);
INSERT INTO friend VALUES (1,'Ann','Lee','2023-01-01'),(2,'Ben','Ash','2023-02-01'),(3,'Cy','Oak','2024-02-01');
INSERT INTO show VALUES (1,'Bones','2024-01-01'),(2,'Ships','2024-06-01');
INSERT INTO ticket_sale VALUES (1,1,1,'WEB',2,900,'OK','2024-02-01 10:00',NULL),(2,1,2,'DESK',4,1000,'OK','2024-02-02 10:00',NULL),
 (3,2,NULL,'WEB',3,1000,'REF','2024-07-01 10:00','2024-07-03'),(4,2,3,'DESK',1,500,'VOID','2024-07-02 10:00',NULL);
INSERT INTO shop_sale VALUES (1,1,'B1','BOOK',2,1500,500,'2024-02-01 11:00'),(2,NULL,'C1','CARD',10,100,0,'2024-03-01 11:00'),(3,2,'B2','BOOK',1,3000,0,'2024-03-02 11:00');
INSERT INTO walk VALUES (1,'2024-03-01 10:00','EN','HELD'),(2,'2024-04-01 10:00','EN','CANX'),(3,'2024-05-01 10:00','DE','CANX'),(4,'2025-05-01 10:00','DE','HELD');
INSERT INTO walk_guide VALUES (1,1),(2,1),(3,2),(4,3);
INSERT INTO donation VALUES (1,1,'2024-02-01',5000,'RCVD'),(2,2,'2024-03-01',9000,'PLGD'),(3,1,'2024-04-01',2000,'RCVD'),(4,3,'2023-04-01',4000,'RCVD');
"""


@pytest.fixture(scope="module")
def gallery():
    return place(GALLERY)


def told(placed, text):
    first = understand(text, placed[1], date(2025, 7, 1))[1][0]
    return [tuple(row) for row in placed[0].execute(first.sql, Limits()).rows], first.frame.unused


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        # A unit in cents is a price: pieces are added up, and money is pieces times price.
        ("tickets sold by channel", [("WEB", 5), ("DESK", 5)]),
        ("how many tickets were refunded in 2024", [(3,)]),
        # Tickets that were refunded, the 3000 of July, are no money, as void ones are not.
        ("ticket revenue by month 2024", [("2024-02", 5800)]),
        ("ticket revenue by month 2024 including refunded", [("2024-02", 5800), ("2024-07", 3000)]),
        ("top 2 shows by tickets sold", [("Bones", 6), ("Ships", 4)]),
        # A discount in money is taken off the whole line.
        ("shop sales by department", [("BOOK", 5500), ("CARD", 1000)]),
        ("shop sales 2024", [(6500,)]),
        # Codes of states that no list explains.
        ("how many walks were cancelled in 2024", [(2,)]),
        ("total donations received in 2024", [(7000,)]),
        ("donations in 2024", [(7000,)]),
        ("total donations pledged", [(9000,)]),
    ],
)  # fmt: skip
def test_a_gallerys_words_are_understood(gallery, text, wanted):
    rows, unused = told(gallery, text)
    assert (sorted(rows, key=str), unused) == (sorted(wanted, key=str), ())


def test_guided_walks_are_no_walk_guides(gallery):
    targets = gallery[1].vocabulary.targets(["guided", "walks"])
    guides = [t for t in targets if t.kind == "thing" and t.table == "walk_guide"]
    own = [t for t in gallery[1].vocabulary.targets(["walk", "guides"]) if t.table == "walk_guide"]
    assert own[0].cost == 0
    assert all(t.cost >= 0.3 for t in guides)
