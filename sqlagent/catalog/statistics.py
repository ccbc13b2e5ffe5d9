"""A few facts about every column of a source: how full, how many different, from where to where.

Decides what is read and how much of it: the first rows of each table, small tables of codes whole,
and which columns hold nothing but another table's keys though nobody declared it. Leaves what the
facts mean to `semantics`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from sqlglot import exp

from sqlagent.errors import StatementFailed
from sqlagent.language.words import name_words, plural_of, split_name, stem
from sqlagent.ports import Database
from sqlagent.values import Catalog, Column, Kind, Limits, Rows, Table

SAMPLE = 20_000
"""Rows of a table that are looked at: enough to tell a code from a name, 20 ms for 20 columns."""

MANY_COLUMNS = 120
"""Columns of one table that are looked at."""

CODES = 400
"""Rows of a table of codes that is read whole."""

STATEMENT_SECONDS = 5.0
"""The limits of one look at a table."""

CONTAINED = 0.9
"""Share of a column's values that another table's key holds where the one points at the other: some
rows point at nobody (0, -1)."""

ORDERED = (Kind.INTEGER, Kind.NUMBER, Kind.TEXT, Kind.DATE, Kind.DATETIME)
_DAY = re.compile(r"[12]\d{3}-[01]\d")
_KEY_WORDS = frozenset({"id", "key", "code", "number", "ref", "reference", "fk", "sk", "uuid", "nr", "cd"})
_LABEL_WORDS = frozenset(
    {"label", "name", "description", "text", "meaning", "title", "value", "lbl", "nm", "dsc", "desc", "txt"}
)


@dataclass(frozen=True, slots=True)
class ColumnFacts:
    """Facts of a column in the looked-at rows: filled cells, different ones, least and greatest as text."""

    filled: int = 0
    distinct: int = 0
    low: str = ""
    high: str = ""


@dataclass(frozen=True, slots=True)
class TableFacts:
    """Rows looked at, whether they are all, facts by column, and the rows themselves of a table of codes.

    `key` names the first column that tells the rows of the whole table apart, where no primary key of one column is declared.
    """

    rows: int = 0
    whole: bool = False
    columns: Mapping[str, ColumnFacts] = field(default_factory=dict)
    content: tuple[tuple[str, ...], ...] = ()
    key: str = ""


@dataclass(frozen=True, slots=True)
class FoundKey:
    """A column whose values are another table's keys, by table key and column name."""

    table: str
    column: str
    target: str
    referenced: str


@dataclass(frozen=True, slots=True)
class Statistics:
    """Facts by table key, and the keys that were found. Empty where nothing could be read."""

    tables: Mapping[str, TableFacts] = field(default_factory=dict)
    keys: tuple[FoundKey, ...] = ()

    def plain(self) -> dict[str, Any]:
        """Give plain data for keeping; `from_plain` gives equal facts back."""
        return {
            "tables": {name: asdict(facts) for name, facts in self.tables.items()},
            "keys": [[k.table, k.column, k.target, k.referenced] for k in self.keys],
        }

    @classmethod
    def from_plain(cls, data: Mapping[str, Any]) -> Statistics:
        """Read what `plain` gave. Raises: KeyError, TypeError where it is something else."""
        tables = {
            str(name): TableFacts(
                int(kept["rows"]),
                bool(kept["whole"]),
                {str(c): ColumnFacts(**facts) for c, facts in kept["columns"].items()},
                tuple(tuple(str(cell) for cell in row) for row in kept["content"]),
                str(kept.get("key", "")),
            )
            for name, kept in data["tables"].items()
        }
        return cls(tables, tuple(FoundKey(*map(str, key)) for key in data["keys"]))


class FactsReader:
    """Reads the facts of one table at a time, and tries one table's keys. Each statement takes `STATEMENT_SECONDS` at most."""

    def __init__(self, catalog: Catalog, database: Database) -> None:
        self.catalog = catalog
        self.database = database
        self._known = -1
        self._owners: list[tuple[Table, Column, tuple[str, ...]]] = []

    def _name(self, name: str) -> str:
        return exp.to_identifier(name, quoted=True).sql(self.catalog.dialect or None)

    def _from(self, table: Table) -> str:
        parts = (table.schema, table.name) if table.schema else (table.name,)
        return ".".join(self._name(part) for part in parts)

    def _ask(self, sql: str, rows: int = 1) -> Rows:
        return self.database.execute(sql, Limits(seconds=STATEMENT_SECONDS, rows=rows))

    def _tried(self, sql: str, rows: int = 1) -> Rows | None:
        """The rows of a statement that may fail. Raises: Unreachable."""
        try:
            return self._ask(sql, rows)
        except StatementFailed:
            return None

    def facts(self, table: Table) -> TableFacts:
        """Look at a table's first rows. Raises: DatabaseError."""
        columns = [c for c in table.columns[:MANY_COLUMNS] if c.kind in ORDERED or c.kind is Kind.BOOLEAN]
        picked = ["COUNT(*)"]
        for column in columns:
            name = self._name(column.name)
            picked += [f"COUNT({name})", f"COUNT(DISTINCT {name})"]
            if column.kind in ORDERED:
                picked += [f"MIN({name})", f"MAX({name})"]
        names = ", ".join(self._name(c.name) for c in columns) or "1"
        sql = f"SELECT {', '.join(picked)} FROM (SELECT {names} FROM {self._from(table)} LIMIT {SAMPLE}) AS looked_at"  # noqa: S608 - quoted names
        read = self._ask(sql)
        cells = iter(read.rows[0])
        rows = int(next(cells) or 0)
        found: dict[str, ColumnFacts] = {}
        for column in columns:
            filled, distinct = int(next(cells) or 0), int(next(cells) or 0)
            low, high = (next(cells), next(cells)) if column.kind in ORDERED else (None, None)
            found[column.name] = ColumnFacts(filled, distinct, _text(low), _text(high))
        if rows == SAMPLE:
            found |= self._ends(table, found)
        whole = rows < SAMPLE
        return TableFacts(
            rows, whole, found, self._content(table, rows), self._key(table, found, rows, whole)
        )

    def _key(self, table: Table, found: Mapping[str, ColumnFacts], rows: int, whole: bool) -> str:
        """The first column called a key that tells the rows of a table without a primary key of one column apart.

        Of a long table the first such column is tried on all rows, since other rows may share what its first ones do not.
        """
        if len(table.primary_key) == 1 or not rows:
            return ""
        for column in table.columns:
            facts = found.get(column.name)
            named = bool(_KEY_WORDS & set(name_words(column.name))) or column is table.columns[0]
            if facts is None or not named or facts.distinct != rows:
                continue
            if whole:
                return column.name
            name = self._name(column.name)
            read = self._tried(f"SELECT COUNT(*), COUNT(DISTINCT {name}) FROM {self._from(table)}")  # noqa: S608 - quoted names
            return column.name if read is not None and read.rows and len(set(read.rows[0])) == 1 else ""
        return ""

    def _ends(self, table: Table, found: Mapping[str, ColumnFacts]) -> dict[str, ColumnFacts]:
        """Where the days of a long table really end: its newest rows are seldom its first."""
        days = [
            c
            for c in table.columns
            if c.name in found and (c.kind in (Kind.DATE, Kind.DATETIME) or _DAY.match(found[c.name].low))
        ][:4]
        out: dict[str, ColumnFacts] = {}
        for column in days:
            name = self._name(column.name)
            read = self._tried(f"SELECT MIN({name}), MAX({name}) FROM {self._from(table)}")  # noqa: S608 - quoted names
            if read is not None and read.rows:
                known = found[column.name]
                low, high = read.rows[0]
                out[column.name] = ColumnFacts(known.filled, known.distinct, _text(low), _text(high))
        return out

    def _content(self, table: Table, rows: int) -> tuple[tuple[str, ...], ...]:
        """The rows of a table of codes, in the order of its columns; empty for any other."""
        words = [set(name_words(c.name)) for c in table.columns]
        is_codes = (
            len(table.columns) <= 8
            and any(w & _KEY_WORDS for w in words)
            and any(w & _LABEL_WORDS for w in words)
        )
        if not is_codes or not 0 < rows <= CODES:
            return ()
        names = ", ".join(self._name(c.name) for c in table.columns)
        read = self._tried(f"SELECT {names} FROM {self._from(table)}", CODES)  # noqa: S608 - quoted names
        return tuple(tuple(_text(cell) for cell in row) for row in read.rows) if read is not None else ()

    def cells(self, table: Table, columns: Sequence[str], rows: int, chars: int) -> Rows:
        """Give some columns of up to so many rows, their cells cut at `chars`. Raises: DatabaseError."""
        names = ", ".join(map(self._name, columns))
        sql = f"SELECT {names} FROM {self._from(table)}"  # noqa: S608 - quoted names
        return self.database.execute(sql, Limits(STATEMENT_SECONDS, rows, chars))

    def found_keys(self, table: Table, tables: Mapping[str, TableFacts]) -> Iterator[FoundKey]:
        """Keys of one table that names suggest and values bear out, one a column. Raises: Unreachable."""
        if table.key not in tables:
            return
        if self._known != len(tables):
            self._known, self._owners = len(tables), list(_owners(self.catalog, tables))
        declared = {c.lower() for key in table.foreign_keys for c in key.columns}
        for column in table.columns:
            if column.name.lower() in declared or table.primary_key == (column.name,):
                continue
            if column.kind not in (Kind.INTEGER, Kind.TEXT, Kind.NUMBER):
                continue
            for owner, key in _suggested(table, column, self._owners):
                if self._holds(table, column, owner, key):
                    yield FoundKey(table.key, column.name, owner.key, key.name)
                    break

    def _holds(self, table: Table, column: Column, owner: Table, key: Column) -> bool:
        name, other = self._name(column.name), self._name(key.name)
        sql = (
            f"SELECT COUNT(*), SUM(CASE WHEN tried.{name} IN (SELECT {other} FROM {self._from(owner)}) THEN 1 ELSE 0 END) "  # noqa: S608 - quoted names
            f"FROM (SELECT DISTINCT {name} FROM (SELECT {name} FROM {self._from(table)} WHERE {name} IS NOT NULL "
            f"LIMIT {SAMPLE}) AS some_rows LIMIT 300) AS tried"
        )
        read = self._tried(sql)
        if read is None or not read.rows or not read.rows[0][0]:
            return False
        return float(read.rows[0][1] or 0) >= CONTAINED * float(read.rows[0][0])


def _owners(
    catalog: Catalog, tables: Mapping[str, TableFacts]
) -> Iterator[tuple[Table, Column, tuple[str, ...]]]:
    """Tables with a single column that tells their rows apart, and the words of their names; without words no name suggests them."""
    for table in catalog.tables:
        facts, noun = tables.get(table.key), _noun(table)
        if facts is None or not facts.rows or not noun:
            continue
        key = table.primary_key[0] if len(table.primary_key) == 1 else facts.key
        yield from ((table, column, noun) for column in table.columns if column.name == key)


_SELF = frozenset(
    stem(w) for w in ("manager", "parent", "supervisor", "boss", "mentor", "referrer", "head", "lead")
)
_STAFF = frozenset(
    stem(w)
    for w in ["employee", "emp", "staff", "personnel", "worker", "user", "person", "people", "crew", "member"]
)
"""Nouns of tables that hold who works there."""

_ROLES = frozenset(
    stem(w)
    for w in [
        "rep",
        "representative",
        "salesperson",
        "salesman",
        "seller",
        "agent",
        "operator",
        "op",
        "foreman",
        "fore",
        "manager",
        "mgr",
        "supervisor",
        "handler",
        "owner",
        "assignee",
        "author",
        "creator",
        "editor",
        "approver",
        "inspector",
        "technician",
        "tech",
        "driver",
        "clerk",
        "buyer",
        "planner",
        "trainer",
        "instructor",
        "coordinator",
        "mechanic",
        "reviewer",
        "auditor",
        "cashier",
        "waiter",
        "captain",
        "lead",
        "head",
        "vet",
        "veterinarian",
        "nurse",
        "doctor",
        "physician",
        "dentist",
        "hygienist",
        "surgeon",
        "therapist",
        "optician",
        "consultant",
        "adviser",
        "advisor",
        "counsellor",
        "teacher",
        "tutor",
        "coach",
        "lecturer",
        "chef",
        "cook",
        "guide",
        "pilot",
        "engineer",
        "developer",
        "designer",
        "stylist",
        "barber",
        "groomer",
        "receptionist",
        "courier",
        "rider",
        "porter",
        "host",
        "officer",
        "underwriter",
        "adjuster",
        "broker",
        "lawyer",
        "attorney",
        "solicitor",
        "accountant",
        "bookkeeper",
        "photographer",
        "translator",
        "picker",
        "packer",
        "welder",
        "fitter",
        "installer",
        "electrician",
        "plumber",
        "surveyor",
        "dispatcher",
    ]
)
"""The roles of somebody who works there, as columns say them."""

_HEADERS = frozenset({"hd", "hdr", "header", "mst", "master", "tbl", "tab"})
"""Ends of table names that are none of the noun."""


def _suggested(
    table: Table, column: Column, owners: list[tuple[Table, Column, tuple[str, ...]]]
) -> list[tuple[Table, Column]]:
    """The keys a column's name suggests, likeliest first."""
    words = [stem(w) for w in name_words(column.name)]
    bare = [w for w in words if w not in _KEY_WORDS]
    ends_as_key = len(bare) < len(words)
    out: list[tuple[int, Table, Column]] = []
    for owner, key, noun in owners:
        if (column.kind is Kind.TEXT) != (key.kind is Kind.TEXT):
            continue
        same = column.name.lower() == key.name.lower() and column.name.lower() not in (
            "id",
            "code",
            "name",
            "key",
        )
        if owner.key == table.key:
            own = {noun[-1], *split_name(key.name)} - _KEY_WORDS
            if ends_as_key and column.name != key.name and set(bare) & (_SELF | own) and set(bare) - own:
                out.append((3, owner, key))  # a row's own number points at no other row
            continue
        if same:
            out.append((0, owner, key))
        elif ends_as_key and (
            _ends_so(column.name, key.name)
            or bare
            and (bare[-1] == noun[-1] or tuple(bare) == noun[-len(bare) :])
        ):
            out.append((1, owner, key))
        elif bare and ends_as_key and len(bare[-1]) >= 3 and noun[-1].startswith(bare[-1]):
            out.append((2, owner, key))
        elif bare and len(bare) == 1 and bare[0] == noun[-1] and column.name.lower() != "name":
            out.append((4, owner, key))
        elif noun[-1] in _STAFF and _is_somebody(column, bare, ends_as_key):
            out.append((5, owner, key))
        elif _is_in_role(column.name, key.name, noun):
            out.append((6, owner, key))
    out.sort(key=lambda found: (found[0], len(found[1].name)))
    return [(owner, key) for _, owner, key in out[:3]]


def _noun(table: Table) -> tuple[str, ...]:
    """The stems of a table's name without an end that says how it is kept: so_hd is the head of an so."""
    words = [stem(word) for word in name_words(table.name)]
    return tuple(words[:-1] if len(words) > 1 and split_name(table.name)[-1] in _HEADERS else words)


def _is_somebody(column: Column, bare: Sequence[str], ends_as_key: bool) -> bool:
    """Whether a column says who did something: rep_no, handled_by."""
    by = len(bare) > 1 and split_name(column.name)[-1] == "by"
    return by or ends_as_key and len(bare) == 1 and bare[0] in _ROLES


_WAYS = frozenset({"from", "to", "in", "out"})
"""Words behind a noun that tell the role of what is pointed at: zone_from, zone_to."""

_AMOUNTS = frozenset(
    stem(w)
    for w in ["min", "max", "num", "number", "no", "count", "cnt", "total", "tot", "avg", "average", "qty", "quantity", "days", "hours", "minutes", "per", "prior", "previous", "past", "first", "last", "next", "of", "is", "has", "price", "rate", "amount"]
)  # fmt: skip
"""Words beside a noun that count or tell something else of it: max_order is a number, no order."""


def _is_in_role(name: str, key: str, noun: Sequence[str]) -> bool:
    """Whether a column bears a role and what is pointed at, without a word for a key: orig_loc points at loc_cd, home_team at teams."""
    parts = split_name(name)
    behind = parts[-1:] if len(parts) > 1 and parts[-1] in _WAYS else []
    *before, said = parts[:-1] if behind else parts
    owned = [piece for piece in split_name(key) if stem(piece) not in _KEY_WORDS][-1:]
    is_named = said in owned or stem(said) == noun[-1] and plural_of(said) != said
    roles = {stem(word) for word in (*before, *behind)}
    is_key = said in _KEY_WORDS or stem(said) in _KEY_WORDS  # prio_cd says nothing of what it points at
    return is_named and not is_key and len(said) > 1 and bool(roles) and not roles & _AMOUNTS


def _ends_so(name: str, key: str) -> bool:
    """Whether a name is a key's own name after words of a role: OrigDepCd points at DepCd, home_depot_id at depot_id."""
    parts, end = split_name(name), split_name(key)
    return len(end) > 1 and len(parts) > len(end) and parts[-len(end) :] == end


def _text(cell: object) -> str:
    return "" if cell is None else str(cell)[:200]
