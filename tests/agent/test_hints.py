"""Knowledge given with a question reaches what answers without a language model, and never makes a wrong answer look right."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sqlagent import pipeline
from sqlagent.catalog import hints
from sqlagent.catalog.hints.clauses import LONGEST, MAX_CHARS
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.errors import DatabaseError
from sqlagent.events import Ended
from sqlagent.testing import MemoryDatabase
from sqlagent.values import Answer, Limits, Outcome, Question

SCRIPT = """
CREATE TABLE town (id INTEGER PRIMARY KEY, town_name TEXT, region TEXT);
CREATE TABLE species (id INTEGER PRIMARY KEY, label TEXT);
CREATE TABLE parrot (id INTEGER PRIMARY KEY, call_name TEXT, species_id INTEGER REFERENCES species (id), wing_mm INTEGER, sex TEXT,
  hatched_town_id INTEGER REFERENCES town (id), home_town_id INTEGER REFERENCES town (id), seeds INTEGER, fruits INTEGER, score REAL);
CREATE TABLE visit (id INTEGER PRIMARY KEY, parrot_id INTEGER REFERENCES parrot (id), score INTEGER, vet TEXT);
INSERT INTO town VALUES (1, 'Lund', 'south'), (2, 'Umea', 'north'), (3, 'Falun', 'middle');
INSERT INTO species VALUES (1, 'Macaw'), (2, 'Cockatoo');
INSERT INTO parrot VALUES (1, 'Rio', 1, 400, 'M', 1, 2, 30, 60, 7.5), (2, 'Kiki', 2, 250, 'F', 2, 1, 10, 40, 3.0),
  (3, 'Jago', 1, 310, 'M', 3, 3, 50, 100, 9.0), (4, 'Polly', 2, 190, 'F', 1, 1, NULL, 20, 5.5), (5, 'Ara', 1, 350, 'F', 2, 2, 20, 25, 4.0);
INSERT INTO visit VALUES (1, 1, 3, 'Berg'), (2, 1, 5, 'Dahl'), (3, 2, 4, 'Berg'), (4, 3, 1, 'Dahl');
"""


class Lab:
    """One source, and what is asked of it."""

    def __init__(self) -> None:
        self.database = MemoryDatabase(SCRIPT)
        self.catalog = self.database.catalog()
        self.index = ValueIndex.build(self.catalog, self.database)

    def read(self, hint: str) -> hints.Hint:
        return hints.read(hint, self.catalog, self.index)

    def ask(self, text: str, hint: str = "") -> Answer:
        events = pipeline.answer(
            Question(text, hint=hint), database=self.database, catalog=self.catalog, index=self.index
        )
        ended = [event for event in events if isinstance(event, Ended)]
        return ended[0].answer

    def rows(self, sql: str) -> list[tuple[object, ...]]:
        return sorted((tuple(row) for row in self.database.execute(sql, Limits()).rows), key=repr)


@pytest.fixture(scope="module")
def lab() -> Iterator[Lab]:
    yield Lab()


def same(lab: Lab, answer: Answer, sql: str) -> bool:
    assert answer.rows is not None, answer.reason
    return sorted((tuple(row) for row in answer.rows.rows), key=repr) == lab.rows(sql)


# ---------------------------------------------------------------- each form of a hint, asked


@pytest.mark.parametrize(
    ("question", "hint", "gold"),
    [
        # a column
        ("What are the nicknames of all parrots?", "nicknames refers to call_name", "SELECT call_name FROM parrot"),
        # a condition with a number
        ("How many giants are among the parrots?", "giants means wing_mm > 300", "SELECT COUNT(*) FROM parrot WHERE wing_mm > 300"),
        # a text, its letter case mended
        ("How many cocks are among the parrots?", "cocks refers to sex = 'm'", "SELECT COUNT(*) FROM parrot WHERE sex = 'M'"),
        # between
        (
            "List the call names of middling parrots.",
            "middling refers to wing_mm BETWEEN 200 AND 320",
            "SELECT call_name FROM parrot WHERE wing_mm BETWEEN 200 AND 320",
        ),
        # one of two
        (
            "How many odd parrots are there?",
            "odd refers to wing_mm < 200 OR wing_mm = 400",
            "SELECT COUNT(*) FROM parrot WHERE wing_mm < 200 OR wing_mm = 400",
        ),
        # like, and nothing stored
        ("How many parrots of the K club are there?", "K club refers to call_name LIKE 'K%'", "SELECT 1"),
        ("How many parrots eat no seeds?", "eat no seeds refers to seeds IS NULL", "SELECT 1"),
        # "X is the COLUMN"
        ("What is the wing mm of Jago?", "Jago is the call_name", "SELECT 310"),
        # a way, where two keys lead to one table
        (
            "How many parrots are southerners?",
            "southerners refers to region = 'south' and hatched_town_id = town.id",
            "SELECT COUNT(*) FROM parrot JOIN town ON hatched_town_id = town.id WHERE region = 'south'",
        ),
        # a key with the row that it points at
        (
            "How many parrots are northerners?",
            "northerners refers to home_town_id WHERE town.id = 2",
            "SELECT COUNT(*) FROM parrot WHERE home_town_id = 2",
        ),
        # a formula over all rows
        (
            "What is the sweetness of the parrots?",
            "sweetness refers to DIVIDE(SUM(fruits), COUNT(call_name))",
            "SELECT 1.0 * SUM(fruits) / COUNT(call_name) FROM parrot",
        ),
        # a share of conditions, one of them the question's own
        (
            "What is the percentage of hens among the macaws?",
            "percentage = MULTIPLY(DIVIDE(SUM(sex = 'F'), COUNT(parrot.id)), 100); hens refers to sex = 'F'; macaws refers to label = 'Macaw'",
            "SELECT 100.0 / 3",
        ),
        # conditions counted over the rows that the question names, not over the table of the conditions
        (
            "What is the difference between the number of parrots that are macaws and cockatoos?",
            "difference = SUBTRACT(SUM(label = 'Macaw'), SUM(label = 'Cockatoo')); macaws refers to label = 'Macaw'",
            "SELECT 1",
        ),
        # the phrase inflected, and the text not quoted behind a key
        ("How many parrots are talkers?", "talker refers to species_id = Cockatoo", "SELECT 2"),
        # a bare condition, by its literal
        ("How many parrots have wings over 200?", "wing_mm > 200", "SELECT 4"),
    ],
)  # fmt: skip
def test_a_definition_becomes_what_it_says(lab: Lab, question: str, hint: str, gold: str) -> None:
    with_hint = lab.ask(question, hint)
    if gold == "SELECT 1":
        assert with_hint.rows is not None and [tuple(row) for row in with_hint.rows.rows] == [(1,)], (
            with_hint.sql
        )
    elif "." in gold:
        assert with_hint.rows is not None
        assert float(str(with_hint.rows.rows[0][0])) == pytest.approx(float(str(lab.rows(gold)[0][0]))), (
            with_hint.sql
        )
    else:
        assert same(lab, with_hint, gold), with_hint.sql


def test_superlatives_go_by_the_column_that_the_hint_measures_them_by(lab: Lab) -> None:
    told = lab.ask("What is the call name of the mightiest parrot?", "mightiest refers to MAX(wing_mm)")
    assert told.sql is not None and "wing_mm DESC" in " ".join(told.sql.split())
    least = lab.ask("What is the call name of the mightiest parrot?", "mightiest refers to MIN(wing_mm)")
    assert least.sql is not None and "wing_mm ASC" in " ".join(least.sql.split())


def test_what_a_phrase_says_by_two_ways_is_two_instances(lab: Lab) -> None:
    told = lab.ask(
        "How many parrots are emigrants?",
        "emigrants refers to hatched_town_id = 2 AND home_town_id = 2",
    )
    assert same(lab, told, "SELECT COUNT(*) FROM parrot WHERE hatched_town_id = 2 AND home_town_id = 2"), (
        told.sql
    )
    apart = lab.ask(
        "Which parrots are southborn and northbound?",
        "southborn refers to region = 'south' and hatched_town_id = town.id; "
        "northbound refers to region = 'north' and home_town_id = town.id",
    )
    assert apart.rows is not None and [tuple(r) for r in apart.rows.rows] == [("Rio",)], apart.sql


# ---------------------------------------------------------------- read, clause by clause


def test_clauses_are_cut_outside_of_quotes_alone(lab: Lab) -> None:
    hint = lab.read("vet refers to vet = 'Berg; or another'; Rio's friend means call_name = 'Kiki'")
    assert [d.phrase for d in hint.definitions] == ["Rio's friend"]
    assert hint.unread == ("vet refers to vet = 'Berg; or another'",)


def test_a_column_of_several_tables_has_several_meanings_and_its_own_table_one(lab: Lab) -> None:
    (several,) = lab.read("mark refers to score").definitions
    assert {m.shown[0].table for m in several.meanings} == {"parrot", "visit"}
    (one,) = lab.read("mark refers to visit.score").definitions
    assert [m.shown[0].table for m in one.meanings] == ["visit"]
    (named,) = lab.read("mark of a visit refers to SCORE").definitions
    assert [m.shown[0].table for m in named.meanings] == ["visit"]


@pytest.mark.parametrize(
    "hint",
    [
        "tame refers to tameness > 3",  # no such column
        "tame refers to nowhere.score > 3",  # no such table
        "tame refers to sex = 'unicorn'",  # no such value
        "tame refers to sex = 'M",  # a quote that nothing closes
        "tame refers to (wing_mm > 3",
        "tame refers to DROP TABLE parrot",
        "tame refers to 1",
        "tame refers to (SELECT MAX(wing_mm) FROM parrot)",
        "tame refers to load_extension('x') = wing_mm",
        "tame refers to wing_mm > (SELECT 1)",
        "tame refers to MAX(COUNT(call_name))",
        "tame refers to parrot.id = visit.id",  # a join that no key makes
        "tame refers to " + "(" * 400,
        "tame refers to " + "wing_mm + " * 50 + "x",
    ],
)
def test_what_names_nothing_or_is_broken_is_told_and_makes_a_draft(lab: Lab, hint: str) -> None:
    read = lab.read(hint)
    assert read.definitions == ()
    assert len(read.unread) == 1
    plain, told = (
        lab.ask("How many tame parrots are there?"),
        lab.ask("How many tame parrots are there?", hint),
    )
    assert told.sql == plain.sql
    assert told.outcome is not Outcome.ANSWERED
    assert told.unused_hint == (hint,)


def test_a_broken_expression_and_prose_make_a_draft(lab: Lab) -> None:
    question = "How many parrots have a wing mm over 300?"
    plain = lab.ask(question)
    assert plain.outcome is Outcome.ANSWERED
    broken = lab.ask(question, "wing mm refers to COUNT(feathers) / 2")
    assert (broken.sql, broken.outcome) == (plain.sql, Outcome.AMBIGUOUS)
    assert "“wing mm”" in broken.reason and broken.confidence <= 0.2
    prose = lab.ask(question, "wing mm = how far it is from tip to tip")
    assert (prose.sql, prose.outcome) == (plain.sql, Outcome.AMBIGUOUS)
    assert "what the hint says of “wing mm”" in prose.reason
    assert prose.unused_hint == ("wing mm = how far it is from tip to tip",)


def test_a_hint_about_something_else_changes_nothing_but_is_told(lab: Lab) -> None:
    plain, told = (
        lab.ask("How many towns are there?"),
        lab.ask("How many towns are there?", "charm refers to chrm > 5"),
    )
    assert (told.sql, told.outcome, told.confidence) == (plain.sql, plain.outcome, plain.confidence)
    assert told.unused_hint == ("charm refers to chrm > 5",)


def test_a_phrase_that_the_question_does_not_say_changes_nothing(lab: Lab) -> None:
    plain = lab.ask("How many parrots are there?")
    told = lab.ask("How many parrots are there?", "giants refers to wing_mm > 300; cocks refers to sex = 'M'")
    assert (told.sql, told.outcome, told.notes) == (plain.sql, plain.outcome, plain.notes)


def test_of_two_definitions_that_differ_neither_is_believed(lab: Lab) -> None:
    hint = lab.read("giants refers to wing_mm > 300; giants refers to wing_mm > 100")
    assert hint.definitions == () and len(hint.unread) == 2
    told = lab.ask(
        "How many giants are among the parrots?",
        "giants refers to wing_mm > 300; giants refers to wing_mm > 100",
    )
    assert told.outcome is not Outcome.ANSWERED
    assert len(lab.read("giants refers to wing_mm > 300; giants refers to wing_mm > 300").definitions) == 1


def test_a_denied_condition_is_not_taken_for_the_condition(lab: Lab) -> None:
    told = lab.ask("How many parrots are not giants?", "giants refers to wing_mm > 300")
    right = same(lab, told, "SELECT COUNT(*) FROM parrot WHERE NOT wing_mm > 300") if told.rows else False
    assert right or told.outcome is not Outcome.ANSWERED


def test_a_formula_of_each_row_is_not_guessed_at(lab: Lab) -> None:
    told = lab.ask("What is the seed rate of Rio?", "seed rate refers to seeds / fruits")
    assert told.outcome is not Outcome.ANSWERED


def test_a_hint_of_100_kilobytes_is_read_as_far_as_its_bound(lab: Lab) -> None:
    long = (
        "giants refers to wing_mm > 300; " + "x" * LONGEST * 2 + "; " + "cocks refers to sex = 'M'; " * 4_000
    )
    assert len(long) > 100_000 > MAX_CHARS
    read = lab.read(long)
    assert [d.phrase for d in read.definitions] == ["giants", "cocks"]
    assert read.unread
    told = lab.ask("How many giants are among the parrots?", long)
    assert same(lab, told, "SELECT COUNT(*) FROM parrot WHERE wing_mm > 300")
    assert all(len(note) < 500 for note in told.notes)


@pytest.mark.parametrize(
    "hint",
    [
        "giants refers to wing_mm > 300; DROP TABLE parrot; DELETE FROM visit",
        "giants refers to wing_mm > 300) OR 1=1; --",
        "giants refers to call_name = 'x''; DROP TABLE parrot; --'",
        "giants refers to sex = 'M' UNION SELECT vet FROM visit",
        "giants refers to wing_mm > 300 /* */ ; ATTACH 'x' AS y",
    ],
)
def test_statements_in_a_hint_are_never_run(lab: Lab, hint: str) -> None:
    told = lab.ask("How many giants are among the parrots?", hint)
    for sql in (told.sql or "", *(reading.sql for reading in told.readings)):
        assert not {"DROP", "DELETE", "UNION", "ATTACH", "--"} & set(sql.upper().split())
    assert lab.rows("SELECT COUNT(*) FROM parrot") == [(5,)] and lab.rows("SELECT COUNT(*) FROM visit") == [
        (4,)
    ]


def test_a_text_with_quotes_stays_a_text(lab: Lab) -> None:
    lab_with = MemoryDatabase(
        SCRIPT + "INSERT INTO parrot (id, call_name) VALUES (9, 'O''Neil'' OR 1=1 --');"
    )
    catalog = lab_with.catalog()
    index = ValueIndex.build(catalog, lab_with)
    question = Question(
        "How many parrots are rebels?", hint="rebels refers to call_name = 'O''Neil'' OR 1=1 --'"
    )
    ended = [
        e
        for e in pipeline.answer(question, database=lab_with, catalog=catalog, index=index)
        if isinstance(e, Ended)
    ]
    rows = ended[0].answer.rows
    assert rows is not None and [tuple(row) for row in rows.rows] == [(1,)]


def test_reading_never_raises(lab: Lab) -> None:
    for hint in (
        "",
        ";;;",
        "'",
        "`",
        '"',
        "refers to",
        "= =",
        "a refers to",
        " means ",
        "\x00 refers to \x00",
        "é = ü",
        "a is the",
        "(((",
    ):
        read = lab.read(hint)
        assert read.definitions == ()
    try:
        lab.database.execute("SELECT nothing", Limits())
    except DatabaseError:
        return
    pytest.fail("the lab answers anything")


# ---------------------------------------------------------------- where the analyst speaks


GALLERY = """
CREATE TABLE hall (hall_id INTEGER PRIMARY KEY, hall_name TEXT, floor_code TEXT);
CREATE TABLE admission (admission_id INTEGER PRIMARY KEY, hall_id INTEGER REFERENCES hall (hall_id), admitted_on DATE, fee NUMERIC, minutes INTEGER,
  channel TEXT);
INSERT INTO hall VALUES (1, 'Amber', 'G'), (2, 'Basalt', 'U'), (3, 'Cobalt', 'U');
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 240)
INSERT INTO admission SELECT i, 1 + i % 3, DATE('2025-01-01', '+' || i || ' days'), 5 + i % 7, 20 + i % 50,
  CASE i % 4 WHEN 0 THEN 'desk' ELSE 'web' END FROM n;
"""


class Gallery(Lab):
    """A source of many dated rows, on which the analyst speaks."""

    def __init__(self) -> None:
        self.database = MemoryDatabase(GALLERY)
        self.catalog = self.database.catalog()
        self.index = ValueIndex.build(self.catalog, self.database)


@pytest.fixture(scope="module")
def gallery() -> Gallery:
    return Gallery()


@pytest.mark.parametrize(
    ("question", "hint", "gold"),
    [
        (
            "gate money by hall",
            "gate money refers to SUM(fee); hall refers to hall_name",
            "SELECT hall_name, SUM(fee) FROM admission JOIN hall USING (hall_id) GROUP BY hall_name",
        ),
        (
            "total gate money by storey",
            "gate money means fee; storeys refers to floor_code",
            "SELECT floor_code, SUM(fee) FROM admission JOIN hall USING (hall_id) GROUP BY floor_code",
        ),
        ("fee of walk-ins", "walk-ins refers to channel = 'DESK'", "SELECT SUM(fee) FROM admission WHERE channel = 'desk'"),
        (
            "average dwell by hall",
            "average dwell refers to AVG(minutes)",
            "SELECT hall_name, AVG(minutes) FROM admission JOIN hall USING (hall_id) GROUP BY hall_name",
        ),
    ],
)  # fmt: skip
def test_the_analyst_takes_words_as_the_hint_explains_them(
    gallery: Gallery, question: str, hint: str, gold: str
) -> None:
    plain, told = gallery.ask(question), gallery.ask(question, hint)
    assert told.outcome is Outcome.ANSWERED and told.frame, told.reason
    assert same(gallery, told, gold), told.sql
    assert plain.outcome is not Outcome.ANSWERED or not same(gallery, plain, gold)


@pytest.mark.parametrize(
    ("question", "hint"),
    [
        ("fee of lingerers by hall", "lingerers refers to minutes > sixtyish)"),
        ("fee of lingerers by hall", "lingerers refers to dwell > 60"),
        ("fee of lingerers by hall", "lingerers are guests that nobody can get rid of"),
        ("yield by hall", "yield refers to DIVIDE(SUM(fee), SUM(hours))"),
        ("yield by hall", "yield refers to fee per hour"),
        ("fee by hall", "fee refers to SUM(gross) / 2"),
    ],
)
def test_what_a_frame_does_not_hold_leaves_no_answer_and_is_told(
    gallery: Gallery, question: str, hint: str
) -> None:
    told = gallery.ask(question, hint)
    assert told.outcome is not Outcome.ANSWERED
    assert told.unused_hint == (hint,)


def test_a_hint_of_one_question_is_forgotten_at_the_next(gallery: Gallery) -> None:
    before = gallery.ask("fee of walk-ins")
    gallery.ask("fee of walk-ins", "walk-ins refers to channel = 'desk'")
    after = gallery.ask("fee of walk-ins")
    assert (after.sql, after.outcome, after.reason) == (before.sql, before.outcome, before.reason)
