"""A school of music: things by their greatest single row, things with how many they have, and words that must not be dropped."""

from __future__ import annotations

from datetime import date

import pytest

from sqlagent.makers.analyst.answering import understand
from sqlagent.makers.analyst.changing import changed
from sqlagent.makers.followups import stands_alone
from sqlagent.values import Outcome
from tests.agent.places import assert_answered, outcome, place

TODAY = date(2026, 1, 5)
SCHOOL = """
CREATE TABLE branch (branch_id INTEGER PRIMARY KEY, branch_name TEXT, district TEXT);
CREATE TABLE teacher (teacher_id INTEGER PRIMARY KEY, teacher_name TEXT, branch_id INTEGER REFERENCES branch, salary REAL);
CREATE TABLE room (room_id INTEGER PRIMARY KEY, room_code TEXT, branch_id INTEGER REFERENCES branch, day_price REAL);
CREATE TABLE pupil (pupil_id INTEGER PRIMARY KEY, pupil_name TEXT, town TEXT);
CREATE TABLE workshop (workshop_id INTEGER PRIMARY KEY, workshop_title TEXT);
CREATE TABLE enrolment (enrolment_id INTEGER PRIMARY KEY, pupil_id INTEGER REFERENCES pupil, workshop_id INTEGER REFERENCES workshop, booked_on TEXT, attended_on TEXT);
CREATE TABLE bill (bill_id INTEGER PRIMARY KEY, pupil_id INTEGER REFERENCES pupil, billed_on TEXT, amount REAL);
CREATE TABLE exam (exam_id INTEGER PRIMARY KEY, exam_title TEXT, teacher_id INTEGER REFERENCES teacher (teacher_id), substitute_id INTEGER REFERENCES teacher (teacher_id), held_on TEXT);
INSERT INTO branch VALUES (1, 'Harbour', 'North'), (2, 'Mill', 'North'), (3, 'Station', 'South'), (4, 'Castle', 'South');
INSERT INTO teacher VALUES (1, 'Ada Berg', 1, 2000), (2, 'Bo Lund', 1, 2100), (3, 'Cy Moor', 1, 1900), (4, 'Di Neal', 2, 3500), (5, 'Ed Orr', 3, 1500), (6, 'Fay Pim', 3, NULL);
INSERT INTO room VALUES (1, 'H1', 1, 50), (2, 'H2', 1, 60), (3, 'M1', 2, 90), (4, 'S1', 3, 20), (5, 'S2', 3, 95), (6, 'S3', 3, NULL), (7, 'C1', 4, NULL);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 12)
INSERT INTO pupil SELECT i, 'Pupil ' || i, CASE i % 2 WHEN 0 THEN 'Ulm' ELSE 'Graz' END FROM n;
INSERT INTO workshop VALUES (1, 'Singing'), (2, 'Drums'), (3, 'Choir');
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 24)
INSERT INTO enrolment SELECT i, i % 10 + 1, i % 3 + 1, date('2025-01-02', '+' || i || ' days'), CASE i % 4 WHEN 0 THEN NULL ELSE date('2025-01-09', '+' || i || ' days') END FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30)
INSERT INTO bill SELECT i, i % 9 + 1, date('2025-01-02', '+' || (i * 9) || ' days'), 40 + (i * 7) % 31 FROM n;
INSERT INTO bill VALUES (31, 4, '2025-06-01', 900), (32, 7, '2024-12-01', 2);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20)
INSERT INTO exam SELECT i, 'Exam ' || i, i % 6 + 1, i % 4 + 1, date('2025-02-01', '+' || i || ' days') FROM n;
"""


@pytest.fixture(scope="module")
def school():
    return place(SCHOOL)


EACH = "SELECT pupil_name, COUNT(bill_id) FROM pupil LEFT JOIN bill USING (pupil_id) {} GROUP BY pupil_id"
TEACHERS = (
    "SELECT branch_name, COUNT(teacher_id) FROM branch LEFT JOIN teacher USING (branch_id) GROUP BY branch_id"
)
ANSWERS = [
    ("pupil with the largest bill", "SELECT 'Pupil 4', 900"),
    ("which pupil has the biggest bill", "SELECT 'Pupil 4', 900"),
    ("pupil with the smallest bill", "SELECT 'Pupil 7', 2"),
    ("branch with the highest paid teacher", "SELECT 'Mill', 3500"),
    ("branch with the most expensive room", "SELECT 'Station', 95"),
    ("branch with the cheapest room", "SELECT 'Station', 20"),
    ("district with the most expensive room", "SELECT 'South', 95"),
    ("branch with the most teachers", "SELECT 'Harbour', 3"),
    ("branch with the largest number of teachers", "SELECT 'Harbour', 3"),
    ("pupils with their number of bills", EACH.format("")),
    ("pupils with number of bills", EACH.format("")),
    ("pupils along with their number of bills", EACH.format("")),
    ("list pupils with their bill count", EACH.format("")),
    ("pupils and how many bills they have", EACH.format("")),
    ("show pupils with bill count in 2024", EACH.format("AND billed_on < '2025'").replace("USING (pupil_id) AND", "ON bill.pupil_id = pupil.pupil_id AND").replace("GROUP BY pupil_id", "GROUP BY pupil.pupil_id")),
    ("branches along with number of teachers", TEACHERS),
    ("branches and how many teachers each", TEACHERS),
    ("list exams where the teacher is also the substitute", "SELECT exam_title FROM exam WHERE teacher_id = substitute_id"),
    ("list exams where the teacher is the substitute", "SELECT exam_title FROM exam WHERE teacher_id = substitute_id"),
    ("average salary of teachers", "SELECT AVG(salary) FROM teacher"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "sql"), ANSWERS, ids=[text for text, _ in ANSWERS])
def test_a_question_is_answered_as_somebody_there_would(school, text, sql):
    assert_answered(school, text, sql, TODAY)


DRAFTS = [
    ("pupil with the most expensive enrolment", "most expensive"),
    ("teacher with the cheapest exam", "cheapest"),
    ("teacher with the largest exam", "largest"),
    ("pupils who attended all workshops", "all"),
    ("pupils who attended every workshop", "every"),
    ("pupils who did not attend all workshops", "all"),
    ("how many pupils attended all workshops", "all"),
    ("average attendance", "attendance"),
    ("pupils who had a bill in 2025 with their number of bills", "number of bills"),
]


@pytest.mark.parametrize(("text", "left"), DRAFTS, ids=[text for text, _ in DRAFTS])
def test_a_word_that_the_answer_does_not_hold_makes_a_draft_that_names_it(school, text, left):
    first = understand(text, school[1], TODAY)[1][0].frame
    assert left in first.unused
    assert outcome(school, text, TODAY) is not Outcome.ANSWERED


def test_which_are_so_is_said_of_what_was_asked_before(school):
    catalog = school[0].catalog()
    assert not stands_alone("which are paid", catalog)
    assert stands_alone("which pupils are from Ulm", catalog)
    made = changed("which are attended", "enrolments of Pupil 3", school[1], TODAY)
    assert "Pupil 3" in made and made.endswith("that are attended")
