"""Looks for stored values in prompts below *rows*: random and hostile runs over a marked database.

    .venv/bin/python -m tests.engines.taint --runs 10000

Every stored value of the lab is a mark found nowhere else. A run is the whole pipeline with a scripted
language model: questions that misspell marks, follow-ups on SQL that somebody edited, samples that cast,
pivot, raise errors, explain and alias, repairs that do it again, judges and auditors who talk nonsense. Half of the
runs go without the guard, so that what it refuses today is tried as well. A prompt that holds a mark
(as it is, in another case, backwards, in hexadecimal or base64) that nobody typed, nor the model guessed, is a finding.
"""

from __future__ import annotations

import argparse
import base64
import json
import random
import re
import sqlite3
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from unittest.mock import patch

import duckdb

from sqlagent import guard, pipeline
from sqlagent.adapters import open_database
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.events import Ended
from sqlagent.guard.rebuilding import Rebuilt
from sqlagent.ports import SourceDatabase
from sqlagent.testing import ScriptedLlm
from sqlagent.values import Budget, Catalog, LlmRequest, Outcome, Question, Turn
from tests import servers

ENGINES = ("sqlite", "duckdb", "postgres", "mysql")
# Runs of ten on each engine: what runs in this process is faster.
SHARES = {"sqlite": 5, "duckdb": 3, "postgres": 1, "mysql": 1}
ROWS = 24
STATEMENT_SECONDS = 2.0

# ---------------------------------------------------------------- a marked database


class Marks:
    """Stored values nobody would type: each text, number and date is made once."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.all: list[str] = []

    def word(self) -> str:
        """A name that can be said, eight letters long: Kravosti."""
        pairs = "".join(self.chance.choice("bdfgklmnprstvz") + self.chance.choice("aeiou") for _ in range(4))
        return self._kept(pairs.capitalize())

    def number(self) -> int:
        """A number of eight digits."""
        return int(self._kept(str(self.chance.randint(20_000_000, 99_999_999))))

    def ssn(self) -> str:
        """A number that is a text: 123-45-6789."""
        digits = str(self.chance.randint(100_000_000, 999_999_999))
        return self._kept(f"{digits[:3]}-{digits[3:5]}-{digits[5:]}")

    def day(self) -> str:
        """A date far from any question."""
        year, month = self.chance.randint(1700, 1890), self.chance.randint(1, 12)
        return self._kept(f"{year}-{month:02}-{self.chance.randint(1, 28):02}")

    def note(self) -> str:
        """A text that poses as something else: a message, a drawing of DuckDB's, a quote, a prompt."""
        word = self.word()
        return self.chance.choice(
            (
                f"no such column: {word}",
                f'near "{word}": syntax error',
                f"x\n\nLINE 1: SELECT '{word}'\n        ^",
                f'O\'{word} "{word}" `{word}`',
                f"</error> {word} <question>",
                f'{{"{word}": [1, "{word}"]}}',
                f"$.{word}[",
                f"(({word}",
                f'column "{word}" does not exist',
                f"{word} é ü हिन्दी",
                f"read-only mode {word}",
                f"%{word}",
            )
        )

    def _kept(self, text: str) -> str:
        if text in self.all:
            raise ValueError(f"{text} was made twice")
        self.all.append(text)
        return text


def rows(marks: Marks) -> dict[str, list[tuple[object, ...]]]:
    """Make the rows of the three tables."""
    cities = [(number, marks.word(), marks.ssn()) for number in range(1, 7)]
    statuses = [marks.word() for _ in range(3)]
    people = [
        (i, f"{marks.word()} {marks.word()}", marks.ssn(), marks.note(), marks.day(), 1 + i % 6,
         marks.number(), statuses[i % 3])
        for i in range(1, ROWS + 1)
    ]  # fmt: skip
    visits = [(i, 1 + i % ROWS, marks.number() / 100, marks.word()) for i in range(1, ROWS + 1)]
    return {"city": cities, "person": people, "visit": visits}


TABLES = """
CREATE TABLE city (id INTEGER PRIMARY KEY, name VARCHAR(80), code VARCHAR(20));
CREATE TABLE person (id INTEGER PRIMARY KEY, full_name VARCHAR(80), ssn VARCHAR(20) DEFAULT '{default}',
    note VARCHAR(200), born DATE, city_id INTEGER REFERENCES city (id), salary INTEGER,
    status {status} CHECK (status IN ({labels})));
CREATE TABLE visit (id INTEGER PRIMARY KEY, person_id INTEGER REFERENCES person (id), paid DECIMAL(12, 2), reason VARCHAR(40));
CREATE VIEW rich AS SELECT full_name, salary FROM person WHERE note <> '{default}';
"""


@dataclass
class Marked:
    """One marked database, opened; `marks` are its stored values."""

    engine: str
    marks: list[str]
    database: SourceDatabase
    catalog: Catalog
    index: ValueIndex
    close: Callable[[], None]


@contextmanager
def marked(engine: str, folder: Path, seed: int = 7) -> Iterator[Marked]:
    """Make the engine's marked database and open it through its adapter."""
    marks = Marks(seed)
    data = rows(marks)
    statuses = list(dict.fromkeys(str(row[7]) for row in data["person"]))
    labels = ", ".join(f"'{label}'" for label in statuses)
    kind = {"mysql": f"ENUM({labels})", "duckdb": f"ENUM({labels})"}.get(engine, "VARCHAR(40)")
    script = TABLES.format(default=marks.word(), status=kind, labels=labels)
    inserts = [
        f"INSERT INTO {table} VALUES " + ", ".join(_values(row, engine) for row in found)  # noqa: S608 - a lab
        for table, found in data.items()
    ]
    opened, close = MAKERS[engine](folder, [*script.split(";\n"), *inserts])
    try:
        catalog = opened.catalog()
        yield Marked(engine, marks.all, opened, catalog, ValueIndex.build(catalog, opened), close)
    finally:
        opened.close()
        close()


def _values(row: tuple[object, ...], engine: str) -> str:
    cells = (repr(c) if not isinstance(c, str) else _text(c, engine) for c in row)
    return f"({', '.join(cells)})"


def _text(text: str, engine: str) -> str:
    doubled = text.replace("'", "''")
    return "'" + (doubled.replace("\\", "\\\\") if engine == "mysql" else doubled) + "'"


def _sqlite(folder: Path, script: list[str]) -> tuple[SourceDatabase, Callable[[], None]]:
    path = folder / "marked.sqlite3"
    with closing(sqlite3.connect(path)) as db:
        db.executescript(";\n".join(script))
    return open_database("sqlite", database=str(path)), lambda: None


def _duckdb(folder: Path, script: list[str]) -> tuple[SourceDatabase, Callable[[], None]]:
    path = folder / "marked.duckdb"
    with closing(duckdb.connect(str(path))) as db:
        for sql in filter(str.strip, script):
            db.execute(sql)
    return open_database("duckdb", database=str(path)), lambda: None


def _postgres(folder: Path, script: list[str]) -> tuple[SourceDatabase, Callable[[], None]]:
    server, name = servers.postgres_server(), f"marked_{time.time_ns()}"
    with closing(server.connect()) as db:
        db.execute(f'CREATE DATABASE "{name}"')
    with closing(server.connect(name)) as db:
        for sql in filter(str.strip, script):
            db.execute(sql)

    def drop() -> None:
        with closing(server.connect()) as db:
            db.execute(f'DROP DATABASE "{name}" WITH (FORCE)')

    where = {"host": server.host, "port": server.port, "user": server.user, "password": servers.PASSWORD}
    return open_database("postgres", database=name, **where), drop


def _mysql(folder: Path, script: list[str]) -> tuple[SourceDatabase, Callable[[], None]]:
    server, name = servers.mariadb_server(), f"marked_{time.time_ns()}"
    with closing(server.connect()) as db, db.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {name} CHARACTER SET utf8mb4")
    with closing(server.connect(name)) as db, db.cursor() as cursor:
        for sql in filter(str.strip, script):
            cursor.execute(sql)
        db.commit()

    def drop() -> None:
        with closing(server.connect()) as db, db.cursor() as cursor:
            cursor.execute(f"DROP DATABASE {name}")

    where = {"host": server.host, "port": server.port, "user": server.user, "password": servers.PASSWORD}
    return open_database("mysql", database=name, **where), drop


MAKERS = {"sqlite": _sqlite, "duckdb": _duckdb, "postgres": _postgres, "mysql": _mysql}

# ---------------------------------------------------------------- SQL that wants to tell

COLUMNS = {
    "city": ("id", "name", "code"),
    "person": ("id", "full_name", "ssn", "note", "born", "city_id", "salary", "status"),
    "visit": ("id", "person_id", "paid", "reason"),
}
TEXTS = ("full_name", "ssn", "note", "status")

# {t}: a text column of person; {m}: a word of the question; {a}: an alias.
EVERYWHERE = (
    "SELECT {t} FROM person",
    "SELECT count(*) FROM person WHERE {t} = '{m}'",
    "SELECT {t} AS {a}, count(*) FROM person GROUP BY {t}",
    "SELECT full_name FROM person WHERE LOWER({t}) = LOWER('{m}') OR UPPER({t}) IN ('{M}')",
    "SELECT p.full_name, c.name FROM person p JOIN city c ON c.id = p.city_id WHERE c.name = '{m}'",
    "SELECT count(*) FROM person p JOIN city c ON c.id = p.city_id WHERE LOWER(c.name) = '{m}'",
    "SELECT '{m}' AS said, {t} FROM person WHERE {t} IN ('{m}', 'x')",
    "SELECT max({t}), min(salary), max(born) FROM person",
    "SELECT max({t}) FROM person",
    "SELECT * FROM person",
    "SELECT * FROM rich",
    "SELECT status, sum(salary) FROM person GROUP BY status ORDER BY 2",
    "SELECT {t}, nme FROM person",
    "SELECT nonsense({t}) FROM person",
    "SELECT {t} FROM persn",
    "SELECT id FROM person p JOIN city c ON c.id = p.city_id",
    "SELECT {t}, count(*) FROM person",
    "SELECT (SELECT {t} FROM person) FROM city",
    "SELECT FROM person WHERE",
    "SELECT {t} FROM person WHERE {t} = '{m}",
    "SELECT {t} FROM person -- {m}",
    "SELECT CAST({t} AS INTEGER) FROM person",
    "SELECT CAST({t} AS DATE) FROM person",
    "SELECT salary * 1000000000 * salary * salary * salary FROM person",
    "SELECT salary / (salary - salary) FROM person",
    "SELECT {t} FROM person UNION SELECT id, name FROM city",
    "EXPLAIN SELECT {t} FROM person WHERE {t} = '{m}'",
    "SELECT {t} FROM person; SELECT 1",
    "UPDATE person SET note = ssn",
    "SELECT {t} FROM person WHERE {t} LIKE 'a' ESCAPE {t}",
    "WITH x AS (SELECT {t} AS v FROM person) SELECT v FROM x WHERE v > 'K'",
    "SELECT count(*) FROM person WHERE born = '{m}' AND salary > 1234567",
    "SELECT full_name FROM person WHERE salary = (SELECT max(salary) FROM person)",
    "SELECT 'a' AS \"{a} {m}\", {t} FROM person LIMIT 3",
)

OWN = {
    "sqlite": (
        "SELECT json_extract('{{}}', note) FROM person",
        "SELECT json_extract('{{}}', {t}) FROM person",
        "SELECT json({t}) FROM person",
        "SELECT note -> {t} FROM person",
        "SELECT json_set('[]', note, 1) FROM person",
        "SELECT * FROM json_each((SELECT group_concat({t}) FROM person))",
        "SELECT * FROM json_tree((SELECT note FROM person WHERE note LIKE '{{%'))",
        "SELECT abs(-9223372036854775807 - 1), {t} FROM person",
        "SELECT strftime({t}, 'now') FROM person",
        "SELECT group_concat({t}, '|') FROM person",
        "SELECT printf({t}) FROM person",
        "SELECT full_name FROM person WHERE full_name REGEXP {t}",
        "SELECT full_name FROM person WHERE full_name MATCH {t}",
        "SELECT \"{m}\" FROM person",
        "EXPLAIN QUERY PLAN SELECT * FROM person WHERE full_name = '{m}'",
        "SELECT sql FROM sqlite_master",
        "PRAGMA table_info(person)",
    ),
    "duckdb": (
        "SELECT error(string_agg({t}, ',')) FROM person",
        "SELECT error('no such column: ' || max({t})) FROM person",
        "SELECT error('x' || chr(10) || chr(10) || 'LINE 1: SELECT' || chr(10) || repeat(' ', 12) || '^' || max({t})) FROM person",
        "SELECT error('read-only mode ' || max({t})) FROM person",
        "SELECT CASE WHEN true THEN error({t}) END FROM person",
        "PIVOT person ON {t} USING sum(salary)",
        "PIVOT person ON {t} USING sum(salary) AS total, max(born) AS last GROUP BY city_id",
        "PIVOT person ON ssn, status USING count(*)",
        "SELECT * FROM (PIVOT person ON {t} USING max(salary) GROUP BY id)",
        "WITH p AS (PIVOT person ON {t} USING count(*)) SELECT * FROM p",
        "SELECT * FROM person PIVOT (sum(salary) FOR status IN (SELECT DISTINCT status FROM person))",
        "UNPIVOT person ON ssn, note",
        "SELECT {t}::INTEGER FROM person",
        "SELECT {t}::DATE, salary::DATE FROM person",
        "SELECT {t}::UUID FROM person",
        "SELECT {t}::JSON FROM person",
        "SELECT note::STRUCT(a INTEGER) FROM person",
        "SELECT ({t} || '')::INTERVAL FROM person",
        "SELECT CAST(full_name AS ENUM('a', 'b')) FROM person",
        "SELECT 'x'::ENUM('a') FROM person WHERE status = '{m}'",
        "SELECT status = full_name, status::VARCHAR::TINYINT FROM person",
        "SELECT strptime({t}, '%d') FROM person",
        "SELECT strftime(born, {t}) FROM person",
        "SELECT date_part({t}, born) FROM person",
        "SELECT date_trunc({t}, born) FROM person",
        "SELECT regexp_matches('a', {t}) FROM person",
        "SELECT regexp_extract('a', note, 9) FROM person",
        "SELECT json_extract(note, {t}) FROM person",
        "SELECT json_extract('{{}}', '$.' || {t}) FROM person",
        "SELECT from_json(note, {t}) FROM person",
        "SELECT printf({t}, 1) FROM person",
        "SELECT format({t}, 1) FROM person",
        "SELECT make_date(salary, 1, 1) FROM person",
        "SELECT chr(salary) FROM person",
        "SELECT current_setting({t}) FROM person",
        "SELECT salary::TINYINT FROM person",
        "SELECT unhex({t}) FROM person",
        "SELECT list_aggregate([1], {t}) FROM person",
        "SELECT bitstring({t}, 3) FROM person",
        "SELECT quantile_cont(salary, salary) FROM person",
        "SELECT unnest({{'{m}': ssn}}) FROM person",
        "SELECT MAP([{t}], [1]) FROM person",
        "SUMMARIZE person",
        "DESCRIBE person",
        "EXPLAIN ANALYZE SELECT * FROM person WHERE full_name = '{m}'",
        "SELECT * FROM duckdb_tables()",
        "SELECT * FROM duckdb_constraints()",
        "SELECT enum_range(NULL::ENUM('a')), enum_code(status) FROM person",
        "SELECT COLUMNS(c -> c LIKE '{m}%') FROM person",
        "SELECT * FROM query('SELECT ' || (SELECT {t} FROM person LIMIT 1))",
        "SELECT '{m}'::DATE, {t} FROM person",
    ),
    "postgres": (
        "SELECT {t}::integer FROM person",
        "SELECT {t}::date FROM person",
        "SELECT {t}::uuid FROM person",
        "SELECT {t}::jsonb FROM person",
        "SELECT note::json -> 'a' FROM person",
        "SELECT {t}::interval FROM person",
        "SELECT {t}::point FROM person",
        "SELECT {t}::inet FROM person",
        "SELECT {t}::regclass FROM person",
        "SELECT {t}::xml FROM person",
        "SELECT ('{{' || {t})::int[] FROM person",
        "SELECT to_date({t}, 'YYYY') FROM person",
        "SELECT to_number({t}, '999') FROM person",
        "SELECT to_timestamp({t}, {t}) FROM person",
        "SELECT date_trunc({t}, born) FROM person",
        "SELECT extract(year FROM {t}::timestamp) FROM person",
        "SELECT 'a' ~ ('(' || {t}) FROM person",
        "SELECT regexp_replace('a', note, '', {t}) FROM person",
        "SELECT to_tsquery({t}) FROM person",
        "SELECT format({t}) FROM person",
        "SELECT chr(salary) FROM person",
        "SELECT make_date(salary, 1, 1) FROM person",
        "SELECT salary::smallint FROM person",
        "SELECT born AT TIME ZONE {t} FROM person",
        "SELECT decode({t}, {t}) FROM person",
        "SELECT convert_from({t}::bytea, {t}) FROM person",
        "SELECT jsonb_path_query('[1]', {t}::jsonpath) FROM person",
        "SELECT set_config({t}, 'x', false) FROM person",
        "SELECT current_setting({t}) FROM person",
        "SELECT pg_get_viewdef('rich'::regclass)",
        "SELECT most_common_vals::text::integer FROM pg_stats WHERE tablename = 'person'",
        "SELECT conname, pg_get_constraintdef(oid)::integer FROM pg_constraint",
        "SELECT string_agg({t}, ',')::integer FROM person",
        "SELECT * FROM json_to_record('{{\"a\": 1}}') AS x(\"{m}\" int)",
        "SELECT (p).* FROM person p",
        "SELECT row_to_json(p)::text::int FROM person p",
        "SELECT width_bucket(salary, salary, salary, 2) FROM person",
        "EXPLAIN ANALYZE SELECT * FROM person WHERE full_name = '{m}'",
        "SELECT repeat({t}, -1) || lpad({t}, 3) AS {a} FROM person",
        "SELECT percentile_cont(salary) WITHIN GROUP (ORDER BY salary) FROM person GROUP BY salary",
    ),
    "mysql": (
        "SELECT extractvalue(1, concat('~', {t})) FROM person",
        "SELECT updatexml(1, concat('~', (SELECT max({t}) FROM person)), 1)",
        "SELECT CAST({t} AS SIGNED) FROM person",
        "SELECT json_extract(note, {t}) FROM person",
        "SELECT json_extract('{{}}', concat('$', {t})) FROM person",
        "SELECT json_keys({t}) FROM person",
        "SELECT 'a' REGEXP concat('(', {t}) FROM person",
        "SELECT full_name REGEXP {t} FROM person",
        "SELECT exp(salary) FROM person",
        "SELECT ~0 + salary FROM person",
        "SELECT st_geomfromtext({t}) FROM person",
        "SELECT str_to_date({t}, '%Y'), {t} FROM person",
        "SELECT convert_tz(now(), {t}, 'UTC') FROM person",
        "SELECT count(*) FROM person GROUP BY concat({t}, floor(rand(0) * 2))",
        "SELECT inet_aton({t}), uuid_to_bin({t}) FROM person",
        "SELECT CONVERT({t} USING ascii), {t} + 0 AS {a} FROM person",
        "SELECT {t} COLLATE latin1_bin FROM person",
        "SELECT gtid_subset({t}, {t}) FROM person",
        "SELECT name_const({t}, 1) FROM person",
        "SELECT {t} \"{m}\" FROM person",
        "EXPLAIN SELECT * FROM person WHERE full_name = '{m}'",
        "ANALYZE SELECT * FROM person WHERE status = '{m}'",
        "SHOW COLUMNS FROM person",
        "SELECT column_type FROM information_schema.columns WHERE table_name = 'person'",
    ),
}  # fmt: skip

QUESTIONS = (
    "How many people are called {m}?",
    "How many persons live in {m}?",
    "Which persons of {m} have a salary over {n}?",
    "List the full name of every person with status {m}",
    "What is the ssn of {m}?",
    "Show visits with reason {m} by city",
    "How many visits in 1999?",
    "total salary by status",
    "person born on {m}",
    "which city has code {m}",
)
FOLLOWING = (
    "only {m}",
    "what about {m}?",
    "by city instead",
    "and the oldest?",
    "the same for {m}",
    "sort by it",
)
EDITED = (
    "SELECT * FROM person WHERE full_name = '{s}'",
    "SELECT * FROM person WHERE salary = {s9} -- {s}",
    'SELECT "{s}" FROM (SELECT 1) AS x /* {s} */',
    "SELECT count(*) FROM city WHERE name IN ('{s}', '{s}') AND code = '{s}'",
    "SELECT {s} FROM (PIVOT person ON status USING count(*))",
    "SELECT 'unclosed {s}",
    "SELECT N'{s}', 1 AS '{s}' FROM person",
)


# ---------------------------------------------------------------- a run


def slipped(text: str, chance: random.Random) -> str:
    """Misspell a mark: one letter or digit another, so that the value index finds the stored one."""
    at = chance.randrange(1, len(text))
    while not text[at].isalnum():
        at = chance.randrange(1, len(text))
    other = chance.choice("123456789" if text[at].isdigit() else "aeioubdgklmnprst")
    return text[:at] + (other if other != text[at] else "y" if other.isalpha() else "0") + text[at + 1 :]


class Hostile:
    """A language model that samples SQL at random, to learn what is stored or by mistake."""

    def __init__(self, engine: str, words: str, chance: random.Random) -> None:
        self.engine, self.words, self.chance = engine, words, chance

    def __call__(self, request: LlmRequest) -> str:
        purpose = request.purpose.partition(":")[0] if ":" in request.purpose else request.purpose
        seen = request.messages[-1].text
        if purpose in ("sample", "repair"):
            return self._sql_reply(seen)
        if purpose == "follow":
            return self.chance.choice(QUESTIONS).format(m=self.words, n=10)
        if request.purpose == "judge:audit":
            return self._verdict(seen)
        letters = re.findall(r"^\[(\w+)\]", seen, re.MULTILINE)
        self.chance.shuffle(letters)
        return self.chance.choice(
            (
                json.dumps({"order": letters, "better": self.chance.choice("AB"), "confidence": 0.9}),
                json.dumps({"marks": {name: self.chance.randint(0, 100) for name in letters}}),
                "nonsense",
            )
        )

    def _sql_reply(self, seen: str) -> str:
        if self.chance.random() < 0.03:
            return "UNANSWERABLE: nothing of this is stored"
        sql = self.sql()
        if self.chance.random() < 0.1:  # says again what it was shown
            sql = f"SELECT '{''.join(c for c in seen[-300:] if c not in chr(39) + chr(10))}' AS seen, ({sql})"
        return f"```sql\n{sql}\n```"

    def sql(self) -> str:
        """One statement of the engine's, or of all."""
        text = self.chance.choice(OWN[self.engine] if self.chance.random() < 0.6 else EVERYWHERE)
        sql = text.format(
            t=self.chance.choice(TEXTS),
            m=self.words,
            M=self.words.upper(),
            a=self.chance.choice(("v", "total")),
        )
        roll = self.chance.random()
        if roll < 0.08:
            return sql.replace(" FROM", ", " + self.chance.choice(TEXTS) + " FROM", 1)
        if roll < 0.12:
            cut = self.chance.randrange(7, len(sql))
            return sql[:cut] + sql[cut + self.chance.randint(1, 4) :]
        return sql

    def _verdict(self, seen: str) -> str:
        said = [line for line in seen.splitlines() if line.strip()]
        unmet = [self.chance.choice(said), f"use '{self.words}'", "a filter on the customer's city"]
        return self.chance.choice(
            (
                json.dumps({"verdict": "missing", "reason": "no", "unmet": unmet}),
                json.dumps({"verdict": "missing", "reason": "no", "unmet": []}),
                json.dumps({"verdict": "present", "reason": "yes", "unmet": []}),
                "no verdict",
            )
        )


@dataclass
class Findings:
    """Prompts that the runs sent, and stored values in them."""

    runs: int = 0
    prompts: int = 0
    leaks: list[tuple[str, str, str, str]] = field(default_factory=list)
    purposes: Counter[str] = field(default_factory=Counter)
    statuses: Counter[str] = field(default_factory=Counter)

    def __str__(self) -> str:
        shown = "".join(f"\n  {' | '.join(leak)}" for leak in self.leaks[:20])
        stages = ", ".join(f"{count:,} {name}" for name, count in self.purposes.most_common())
        ended = ", ".join(f"{count:,} {name}" for name, count in self.statuses.most_common())
        return (
            f"{self.runs:,} runs sent {self.prompts:,} prompts ({stages}); statements: {ended}; "
            f"{len(self.leaks)} held a stored value{shown}"
        )


class Watch:
    """Finds marks in texts; a text that was looked through is not looked through again."""

    def __init__(self, marks: list[str]) -> None:
        self.forms = {mark: _forms(mark) for mark in marks}
        self.clean: set[int] = set()

    def found(self, text: str, typed: str) -> list[str]:
        """The marks that stand in a text and were not typed."""
        key = hash((text, typed))
        if key in self.clean:
            return []
        low = text.casefold()
        bare = re.sub(r"[\W_]+", "", low)
        held = [m for m, forms in self.forms.items() if any(form in low or form in bare for form in forms)]
        found = [mark for mark in held if not any(form in typed.casefold() for form in self.forms[mark])]
        if not found:
            self.clean.add(key)
        return found


def _forms(mark: str) -> tuple[str, ...]:
    low = mark.casefold()
    bare = re.sub(r"\W", "", low)
    coded = base64.b64encode(mark.encode()).decode().rstrip("=")[:-1].casefold()
    return tuple({low, bare, low[::-1], mark.encode().hex(), coded})


def run(lab: Marked, watch: Watch, seed: int, findings: Findings, is_small: bool = False) -> None:
    """One random run: a question or a follow-up, answered under a level below *rows*.

    A small one has two samples a round, at most two rounds and seldom drafts, and takes a quarter of the time.
    """
    chance = random.Random(seed)
    mark = chance.choice(lab.marks)
    words = mark if chance.random() < 0.1 else slipped(mark, chance)
    typed = chance.choice(QUESTIONS).format(m=words, n=chance.randint(1, 9) * 1_000)
    asked, turns = Question(typed), ()
    if chance.random() < 0.35:
        other = chance.choice(lab.marks)
        edited = chance.choice(EDITED).format(s=other, s9=other if other.isdigit() else 87654321)
        earlier = typed if chance.random() < 0.9 else edited
        turns = (
            Turn(earlier, edited),
            Turn(typed, Hostile(lab.engine, slipped(other, chance), chance).sql()),
        )
        asked = Question(chance.choice(FOLLOWING).format(m=words))
        typed = f"{typed}\n{earlier}"
    llm = ScriptedLlm(Hostile(lab.engine, words, chance))
    budget = Budget(
        samples=2 if is_small else 4,
        wave=2 if is_small else chance.choice((2, 4)),
        rounds=chance.choice((0, 1) if is_small else (0, 1, 1, 2)),
        mode=chance.choice(("fast", "fast", "faithful")),
        statement_seconds=STATEMENT_SECONDS,
        drafts=2 if chance.random() < (0.02 if is_small else 0.2) else 0,
    )
    privacy = chance.choice(("schema", "masked"))
    away = (
        patch.object(
            guard, "check", lambda sql, *_: guard.Passed(sql, sql, Rebuilt(sql, (0,), (0,), 0, len(sql), ()))
        )
        if chance.random() < 0.5
        else nullcontext()
    )
    with away:
        events = list(
            pipeline.answer(
                asked, database=lab.database, catalog=lab.catalog, index=lab.index, llm=llm, turns=turns,
                budget=budget, privacy=privacy,
            )
        )  # fmt: skip
    answer = events[-1].answer if isinstance(events[-1], Ended) else None
    assert answer is not None and answer.outcome in Outcome
    findings.runs += 1
    findings.prompts += llm.calls
    for event in events:
        if (execution := getattr(event, "execution", None)) is not None:
            findings.statuses[execution.status] += 1
    for request in llm.requests:
        findings.purposes[request.purpose.partition(":")[0]] += 1
        for message in request.messages:
            for leaked in watch.found(message.text, f"{typed}\n{asked.text}\n{words}"):
                at = message.text.casefold().find(leaked.casefold())
                near = " ".join(message.text[max(0, at - 80) : at + 60].split())
                findings.leaks.append((lab.engine, f"seed {seed}", f"{request.purpose} {leaked}", near))


def hunt(engine: str, folder: Path, runs: int, seed: int = 0, is_small: bool = False) -> Findings:
    """Make runs on one engine; the same seed makes the same runs."""
    findings = Findings()
    with marked(engine, folder) as lab:
        watch = Watch(lab.marks)
        for number in range(runs):
            run(lab, watch, seed + number, findings, is_small)
    return findings


def main() -> None:
    """Hunt on the engines named and tell what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=10_000)
    parser.add_argument("--engines", nargs="*", default=list(ENGINES), choices=ENGINES)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    whole = sum(SHARES[engine] for engine in options.engines)
    leaks = 0
    for engine in options.engines:
        began = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            found = hunt(engine, Path(folder), options.runs * SHARES[engine] // whole, options.seed)
        leaks += len(found.leaks)
        print(f"{engine}: {found} ({time.monotonic() - began:.0f} s)", flush=True)  # noqa: T201 - a command
    raise SystemExit(1 if leaks else 0)


if __name__ == "__main__":
    main()
