"""Questions with gold SQL, pools of candidates, and the databases they are about.

Decides what a line of a file must hold and how a database is found by its name. Gold SQL and
`ordered` stay in here and in `scoring`; nothing that selects ever receives them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from sqlagent.adapters import open_database
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.errors import DatabaseError
from sqlagent.ports import Database
from sqlagent.values import Catalog, Question


class BadInput(Exception):
    """A file, a line or a database that cannot be measured with; the message says why."""


@dataclass(frozen=True, slots=True)
class Item:
    """One question of a file. `gold` is None where it cannot be answered from its schema.

    `golds` are all accepted answers where a line holds several; `tags` are the families it belongs to.
    """

    id: str
    db: str
    question: Question
    gold: str | None = None
    ordered: bool | None = None
    candidates: tuple[str, ...] = ()
    golds: tuple[str, ...] | None = None
    tags: tuple[str, ...] = ()


def read_items(path: Path, *, pool: bool = False) -> list[Item]:
    """Read questions from a file of JSON lines; a pool's lines also hold candidates.

    The author of a candidate is dropped here. Raises: BadInput with the line that is wrong.
    """
    items = [_item(place, line, pool) for place, line in json_lines(path)]
    if not items:
        raise BadInput(f"{path} holds no questions.")
    return items


def json_lines(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Read a file of JSON objects, one a line, each with its place. Raises: BadInput."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path} cannot be read: {error}") from error
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            found = json.loads(line)
        except ValueError as error:
            raise BadInput(f"{path}, line {number}: not JSON ({error}).") from error
        if not isinstance(found, dict):
            raise BadInput(f"{path}, line {number}: an object is expected.")
        yield f"{path}, line {number}", found


def write_lines(path: Path, lines: Iterable[Mapping[str, Any]]) -> None:
    """Write JSON objects, one a line. Raises: BadInput."""
    try:
        with path.open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    except OSError as error:
        raise BadInput(f"{path} cannot be written: {error.strerror}") from error


def _item(place: str, line: dict[str, Any], pool: bool) -> Item:
    for name in ("id", "db", "question"):
        if not line.get(name):
            raise BadInput(f"{place}: '{name}' is missing.")
    if pool and not isinstance(line.get("candidates"), list):
        raise BadInput(f"{place}: 'candidates' is missing; a pool's lines hold a list of them.")
    candidates = tuple(
        str(c["sql"] if isinstance(c, dict) else c) for c in line.get("candidates", []) if c and _sql_of(c)
    )
    ordered = line.get("ordered")
    golds = tuple(str(sql) for sql in line["golds"]) if isinstance(line.get("golds"), list) else None
    gold = golds[0] if golds else line.get("gold")
    tags = line.get("tags") or ([line["family"]] if line.get("family") else [])
    return Item(
        id=str(line["id"]),
        db=str(line["db"]),
        question=Question(str(line["question"]), hint=str(line.get("hint") or "")),
        gold=str(gold) if gold else None,
        ordered=bool(ordered) if ordered is not None else None,
        candidates=candidates,
        golds=golds,
        tags=tuple(str(tag) for tag in tags),
    )


def _sql_of(candidate: object) -> str:
    return str(candidate.get("sql") or "") if isinstance(candidate, dict) else str(candidate)


def gold_is_ordered(item: Item, dialect: str) -> bool:
    """Tell whether the order of the gold's rows counts: as the line says, else by its outermost ORDER BY."""
    if item.ordered is not None:
        return item.ordered
    try:
        tree = sqlglot.parse_one(item.gold or "", dialect=dialect)
    except (SqlglotError, RecursionError):
        return False
    return isinstance(tree, exp.Query) and tree.args.get("order") is not None


@dataclass(frozen=True, slots=True)
class Source:
    """A database under measurement: opened, its catalog read, its values indexed."""

    database: Database
    catalog: Catalog
    index: ValueIndex | None


@dataclass(slots=True)
class Databases:
    """Databases by name: a folder of SQLite files, or a PostgreSQL URL whose databases bear the names."""

    place: str
    opened: dict[str, Source] = field(default_factory=dict)

    def source(self, name: str) -> Source:
        """Open a database once and keep it. Raises: BadInput."""
        if name not in self.opened:
            database = self.open(name)
            try:
                catalog = database.catalog()
                self.opened[name] = Source(database, catalog, ValueIndex.build(catalog, database))
            except DatabaseError as error:
                raise BadInput(f"The database '{name}' cannot be read: {error}") from error
        return self.opened[name]

    def open(self, name: str) -> Database:
        """Open a database by its name, and read nothing of it. Raises: BadInput."""
        if self.place.startswith(("postgres://", "postgresql://")):
            url = urlsplit(self.place)
            return open_database(
                "postgres",
                host=url.hostname or "",
                port=url.port,
                database=name,
                user=unquote(url.username or ""),
                password=unquote(url.password or ""),
            )
        folder = Path(self.place)
        for path in (
            folder / name / f"{name}.sqlite",
            folder / f"{name}.sqlite",
            folder / name / f"{name}.db",
        ):
            if path.is_file():
                return open_database("sqlite", database=str(path))
        raise BadInput(f"There is no database '{name}' in {self.place}: {name}/{name}.sqlite is expected.")

    def close(self) -> None:
        """Give back what was opened."""
        for source in self.opened.values():
            source.database.close()
        self.opened.clear()
