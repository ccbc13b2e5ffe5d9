"""A source whose values are read in part: the rest is looked up, told, and never guessed away."""

from __future__ import annotations

import pytest

from sqlagent import pipeline
from sqlagent.catalog.statistics import FactsReader
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.catalog.value_order import Unit, units_of
from sqlagent.catalog.value_reading import ValueReading, unread
from sqlagent.errors import StatementFailed, Unreachable
from sqlagent.events import Ended
from sqlagent.testing import MemoryDatabase
from sqlagent.values import Answer, ColumnRef, Failure, FailureKind, Outcome, Question

SCRIPT = """
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, country TEXT, segment TEXT, note TEXT);
CREATE TABLE suppliers (id INTEGER PRIMARY KEY, name TEXT, country TEXT);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers(id),
  supplier_id INTEGER REFERENCES suppliers(id), ordered_at TIMESTAMP, channel TEXT, amount DECIMAL(10,2));
CREATE TABLE archive (id INTEGER PRIMARY KEY, remark TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
INSERT INTO customers SELECT i, 'Customer ' || i, CASE i % 8 WHEN 0 THEN 'Norway' WHEN 1 THEN 'New Zealand' ELSE 'France' END,
  CASE i % 2 WHEN 0 THEN 'Retail' ELSE 'Wholesale' END, 'note ' || i FROM n;
INSERT INTO suppliers VALUES (1, 'Nordic', 'Norway'), (2, 'Sud', 'France');
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900)
INSERT INTO orders SELECT i, 1 + i % 400, 1 + i % 2, date('2025-01-01', '+' || (i % 300) || ' days') || ' 10:00:00',
  CASE i % 3 WHEN 0 THEN 'web' ELSE 'shop' END, i % 90 FROM n;
"""


class Broken(MemoryDatabase):
    """Fails in statements and values of some tables as told, and goes away after so many looks."""

    def __init__(self, refused: tuple[str, ...] = (), looks: int = 10_000) -> None:
        super().__init__(SCRIPT)
        self.refused = refused
        self.looks = looks
        self.read: list[str] = []

    def _look(self, said: str) -> None:
        self.looks -= 1
        if self.looks < 0:
            raise Unreachable(Failure(FailureKind.LOST, "the server went away"))
        for table in self.refused:
            if table in said:
                raise StatementFailed(Failure(FailureKind.ERROR, f"permission denied for table {table}"))

    def execute(self, sql, limits):
        self._look(sql)
        return super().execute(sql, limits)

    def values(self, table, column, limit, schema=""):
        self._look(table)
        self.read.append(f"{table}.{column}")
        return super().values(table, column, limit, schema)


def partial(database: MemoryDatabase, *read: str) -> ValueIndex:
    """An index of facts, and of the values of some columns alone."""
    reading = ValueReading(database.catalog())
    wanted = [unit for unit in reading.left if unit.what != "values" or f"{unit.table}.{unit.column}" in read]
    rest = [unit for unit in reading.left if unit not in wanted]
    reading.left = wanted
    reading.read(database, per_column=100, seconds=10)
    reading.left = rest
    return ValueIndex.of(reading)


def answered(text: str, database: MemoryDatabase, index: ValueIndex) -> Answer:
    for event in pipeline.answer(Question(text), database=database, catalog=database.catalog(), index=index):
        if isinstance(event, Ended):
            return event.answer
    raise AssertionError("no end")


def test_what_questions_are_about_is_read_first():
    units = [unit for unit in units_of(MemoryDatabase(SCRIPT).catalog()) if unit.what == "values"]
    names = [f"{unit.table}.{unit.column}" for unit in units]
    assert set(names[:3]) == {"customers.country", "suppliers.country", "customers.segment"}
    assert names.index("orders.channel") < names.index("customers.note") < len(names)
    assert names.index("customers.name") < names.index("archive.remark")


def test_reading_goes_on_where_it_stopped_and_reads_nothing_twice():
    database = Broken()
    reading, turns = ValueReading(database.catalog()), 0
    while reading.left:
        once = iter((False, False, False, True))
        reading.read(database, per_column=100, seconds=10, stop=lambda once=once: next(once))
        kept = ValueIndex.from_bytes(ValueIndex.of(reading).to_bytes())
        reading, turns = kept.reading(database.catalog()), turns + 1
    assert turns > 4
    assert len(database.read) == len(set(database.read))
    whole = ValueIndex.build(database.catalog(), MemoryDatabase(SCRIPT), per_column=100)
    assert ValueIndex.of(reading).sizes() == whole.sizes()
    assert (kept.facts, unread(database.catalog(), kept.columns())) == (whole.facts, ())


def test_a_server_that_goes_away_costs_nothing_that_was_read():
    database = Broken(looks=7)
    reading = ValueReading(database.catalog())
    with pytest.raises(Unreachable):
        reading.read(database, per_column=100, seconds=10)
    before, read = len(reading.left), len(database.read)
    assert (reading.failed, read > 0) == ({}, True)
    database.looks = 10_000
    reading = ValueIndex.of(reading).reading(database.catalog())
    assert len(reading.left) == before
    reading.read(database, per_column=100, seconds=10)
    assert (reading.left, len(database.read)) == ([], len(set(database.read)))


def test_a_table_that_is_refused_stops_no_other_and_is_told():
    database = Broken(refused=("customers",))
    index = ValueIndex.build(database.catalog(), database, per_column=100)
    failed = index.progress.failed
    assert {unit.table for unit in failed} == {"customers"}
    assert set(failed.values()) == {"permission denied for table customers"}
    assert "customers.note" not in database.read, "its columns are not tried one by one"
    assert index.lookup("norway")[0].column == ColumnRef("suppliers", "country")


class Interrupted(Broken):
    """Breaks statements about one table off, `kind` says how; the source is there again at once, or not until `returns`."""

    def __init__(
        self, table: str, kind: FailureKind, times: int = 10_000, *, stays_away: bool = False
    ) -> None:
        super().__init__()
        self.table, self.kind, self.times, self.stays_away = table, kind, times, stays_away
        self.is_away = False

    def _look(self, said: str) -> None:
        if self.table in said and self.times and not self.is_away:
            self.times -= 1
            self.is_away = self.stays_away
            error = Unreachable if self.kind is FailureKind.LOST else StatementFailed
            raise error(Failure(self.kind, "broken off"))
        if self.is_away:
            raise Unreachable(Failure(FailureKind.LOST, "nothing answers"))
        super()._look(said)


def kept(reading: ValueReading, database: MemoryDatabase) -> ValueReading:
    """The reading that the next turn resumes from."""
    return ValueIndex.from_bytes(ValueIndex.of(reading).to_bytes()).reading(database.catalog())


def test_a_table_whose_reading_ends_the_connection_is_left_out_and_the_others_are_read():
    database = Interrupted('"customers"', FailureKind.LOST)
    reading = ValueReading(database.catalog())
    reading.read(database, per_column=100, seconds=10)
    assert reading.left == []
    assert {reading.failed[u] for u in reading.failed if u.what == "facts"} == {
        "It was interrupted twice. broken off"
    }
    assert {unit.table for unit in reading.failed} == {"customers"}
    assert ColumnRef("suppliers", "country") in reading.texts


def test_a_table_whose_reading_takes_the_server_away_is_left_out_when_it_does_so_again():
    database = Interrupted('"customers"', FailureKind.LOST, stays_away=True)
    reading = ValueReading(database.catalog())
    reading.read(database, per_column=100, seconds=10, stop=lambda: reading.left[0].table == "customers")
    for _ in range(2):
        with pytest.raises(Unreachable):
            reading.read(database, per_column=100, seconds=10)
        assert reading.failed == {}
        reading = kept(reading, database)  # it is still away
    database.is_away = False
    with pytest.raises(Unreachable, match="nothing answers"):
        reading.read(database, per_column=100, seconds=10)
    assert Unit("facts", "customers") in reading.failed


def test_a_connection_that_is_lost_once_costs_no_column():
    database = Interrupted('"customers"', FailureKind.LOST, times=1)
    reading = ValueReading(database.catalog())
    reading.read(database, per_column=100, seconds=10)
    assert (reading.left, reading.failed, reading.interrupted) == ([], {}, set())


def test_one_column_of_a_small_table_that_ends_the_connection_costs_no_other():
    many = 'SELECT "mood", "remark", "weather"'
    database = Interrupted(many, FailureKind.LOST)
    database._connection.execute("PRAGMA query_only = OFF")
    database._connection.executescript(
        "CREATE TABLE moods (amount INTEGER, mood TEXT, remark TEXT, weather TEXT);"
        "INSERT INTO moods VALUES (1, 'glad', 'x', 'sad');"
    )
    values = database.values
    database.values = lambda table, column, limit, schema="": (
        database._look(many if column == "remark" else column) or values(table, column, limit, schema)
    )
    reading = ValueReading(database.catalog())
    reading.read(database, per_column=100, seconds=10)
    assert {unit.ref for unit in reading.failed if unit.table == "moods"} == {ColumnRef("moods", "remark")}
    assert {ref.column for ref in reading.texts if ref.table == "moods"} == {"mood", "weather"}


def test_a_step_that_is_stopped_in_two_turns_is_left_out():
    database = Interrupted('"customers"', FailureKind.CANCELLED)
    reading, turns = ValueReading(database.catalog()), 0
    while reading.left and turns < 20:
        reading.read(database, per_column=100, seconds=10)
        reading, turns = kept(reading, database), turns + 1
    assert turns < 20
    assert {unit.table for unit in reading.failed} == {"customers"}


def test_an_error_that_nobody_expected_costs_its_step_alone(monkeypatch, caplog):
    database = Broken()
    real = FactsReader.facts

    def facts(self, table):
        return ()[0] if table.name == "suppliers" else real(self, table)

    monkeypatch.setattr(FactsReader, "facts", facts)
    reading = ValueReading(database.catalog())
    reading.read(database, per_column=100, seconds=10)
    words = "Something in Mirror itself broke while reading this. It was logged."
    assert (reading.left, reading.failed) == ([], {Unit("facts", "suppliers"): words})
    assert ColumnRef("suppliers", "country") in reading.texts
    assert "IndexError" in caplog.text


def test_of_a_table_without_rows_no_column_is_read():
    database = Broken()
    index = ValueIndex.build(database.catalog(), database)
    assert "archive.remark" not in database.read
    assert ColumnRef("archive", "remark") in index.columns()


def test_only_what_changed_is_read_again():
    before, after = MemoryDatabase(SCRIPT), Broken()
    index = ValueIndex.build(before.catalog(), before)
    after._connection.execute("PRAGMA query_only = OFF")
    after._connection.executescript(
        "ALTER TABLE customers ADD COLUMN colour TEXT DEFAULT 'blue'; ALTER TABLE customers DROP COLUMN note;"
        "CREATE TABLE shops (id INTEGER PRIMARY KEY, place TEXT); INSERT INTO shops VALUES (1, 'Oslo');"
        "DROP TABLE archive;"
    )
    reading = index.reading(after.catalog())
    assert {unit for unit in reading.left if unit.what != "keys"} == {
        Unit("facts", "customers"), Unit("values", "customers", "colour"),
        Unit("facts", "shops"), Unit("values", "shops", "place"),
    }  # fmt: skip
    reading.read(after, per_column=100, seconds=10)
    assert sorted(after.read) == ["customers.colour", "shops.place"]
    again = ValueIndex.of(reading)
    assert again.lookup("blue") and again.lookup("oslo") and again.lookup("norway")
    assert not again.lookup("note 5")
    assert "archive" not in again.facts.tables


def test_all_is_read_anew_on_request_and_stays_searchable_meanwhile():
    database = MemoryDatabase(SCRIPT)
    reading = ValueIndex.build(database.catalog(), database).reading(database.catalog(), again=True)
    assert reading.left == list(units_of(database.catalog()))
    assert ValueIndex.of(reading).lookup("norway")


@pytest.mark.parametrize(
    ("question", "count"),
    [
        ("How many customers are in Norway?", 50),
        ("how many customers in norway", 50),
        ("How many Norwegian customers are there?", 50),
        ("How many customers are in New Zealand?", 50),
        ("How many retail customers are there?", 200),
        ("How many orders were placed by customers in Norway?", None),
    ],
)
@pytest.mark.parametrize("read", [(), ("suppliers.country",), ("customers.country", "customers.segment")])
def test_a_value_that_is_not_read_yet_is_looked_up(question, count, read):
    database = MemoryDatabase(SCRIPT)
    found = answered(question, database, partial(database, *read))
    whole = answered(question, database, ValueIndex.build(database.catalog(), database))
    assert found.outcome is whole.outcome is Outcome.ANSWERED
    assert found.rows.rows == whole.rows.rows
    assert count is None or found.rows.rows[0][0] == count
    is_told = any("whose values are not read yet" in note for note in found.notes)
    assert is_told == (len(read) < 2)


def test_what_cannot_be_looked_up_makes_an_answer_uncertain():
    database = MemoryDatabase(SCRIPT)
    index = partial(database, "suppliers.country")
    slow = MemoryDatabase(SCRIPT, failures={"value_1": Failure(FailureKind.TIMEOUT, "too slow")})
    found = answered("How many customers are in Norway?", slow, index)
    assert found.outcome is not Outcome.ANSWERED
    assert "customers.country" in found.reason and "not read yet" in found.reason
    assert found.confidence <= 0.2


def test_a_word_that_is_nowhere_is_told_with_what_is_not_read():
    database = MemoryDatabase(SCRIPT)
    found = answered("How many customers are in Atlantis?", database, partial(database))
    assert found.outcome is not Outcome.ANSWERED
    assert "not read yet" in found.reason


def test_look_ups_cost_a_bounded_number_of_statements():
    many = "".join(
        f"CREATE TABLE t{n} (id INTEGER, a TEXT, b TEXT); INSERT INTO t{n} VALUES (1, 'x', 'y');"
        for n in range(60)
    )
    database = MemoryDatabase(SCRIPT + many)
    index = partial(database)
    database.executed.clear()
    answered("How many customers are in Atlantis?", database, index)
    assert len([sql for sql in database.executed if "value_1" in sql]) <= 12


def test_where_all_is_read_and_known_nothing_is_looked_up():
    database = MemoryDatabase(SCRIPT)
    index = ValueIndex.build(database.catalog(), database, per_column=1_000)
    database.executed.clear()
    answered("How many customers are in Norway?", database, index)
    assert not [sql for sql in database.executed if "value_1" in sql]
