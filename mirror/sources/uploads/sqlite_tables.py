"""Read the tables of an uploaded SQLite file as sheets of rows of text.

Only tables that hold rows themselves are read: a view, a virtual table or a computed column would run what the file says.
SQLite asks before each step of a statement (`_allow`), and nothing but reading a column of the one table is allowed. Nothing is
written, no other file is opened, and a call that fails says why in words.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from mirror.sources.uploads.bounds import LINE_CHARS, MAX_COLUMNS, TEXT_BYTES, UPLOAD_TABLES
from mirror.sources.uploads.raw_tables import DeclaredKey, NoTable, RawKeys, RawTable, Row, float_text
from mirror.sources.uploads.types import quoted
from mirror.sources.uploads.wording import figure
from sqlagent.errors import without_folders
from sqlagent.language.saying import in_commas, template, worded

# ValueError is a name that is no text, or an error of SQLite that quotes one (seen by damaging files, 2026-11).
DAMAGED = (sqlite3.Error, ValueError)
# Bytes of the header that say that the last changes may stand in a file beside it.
_WRITE_VERSION, _WAL = 18, 2
# Things that are named, of those that are left out; characters of a name and of an error that are told.
_NAMED, _NAME_CHARS, _SAID_CHARS = 5, 100, 300
# A row may be as long as a line of text, in bytes of up to four a character.
_ROW_BYTES = 4 * LINE_CHARS
# SQLite writes these words itself, however the statement was typed.
_TABLE, _VIRTUAL = "CREATE TABLE ", "CREATE VIRTUAL TABLE "
# Tables in which an index of words (fts3 to fts5) or of places (rtree) keeps itself, by what follows its name.
_PARTS = (
    *("data", "idx", "content", "docsize", "config", "segments", "segdir", "stat"),
    *("node", "parent", "rowid"),
)
# A column that is computed when it is read, and one that no SELECT * shows (`PRAGMA table_xinfo`).
_COMPUTED, _HIDDEN = 2, 1


def sqlite_sheets(path: Path, notes: list[str]) -> Iterator[RawTable]:
    """The tables of a file in their order; omissions are added to `notes`. One that cannot be read says why.

    Raises: NoTable.
    """
    if _may_lack_changes(path):
        notes.append(
            worded(
                "It was written with a log beside it (-wal): changes that stand only there are missing. "
                "Close the program that writes it, or run PRAGMA wal_checkpoint, and upload it again."
            )
        )
    try:
        with closing(_opened(path)) as db:
            names = _names(db, notes)
            for name in names:
                yield _sheet_or_why(db, name, notes)
    except NoTable:
        raise
    except DAMAGED as error:
        raise _unread(error) from None


def _names(db: sqlite3.Connection, notes: list[str]) -> list[str]:
    """The names of its tables. They are read from the schema as it is written: what lists them in SQLite looks into views."""
    db.set_authorizer(_allow("sqlite_master"))
    listed = db.execute("SELECT name, type, substr(sql, 1, 40) FROM main.sqlite_master").fetchall()
    named = [(str(name), str(kind), str(sql).upper()) for name, kind, sql in listed if name and sql]
    names = sorted(
        {
            name
            for name, kind, sql in named
            if kind == "table" and sql.startswith(_TABLE) and not name.lower().startswith("sqlite_")
        }
    )
    if len(names) > UPLOAD_TABLES:
        raise NoTable(
            worded(
                "It has {count} tables; the limit for a file is {most}.",
                count=figure(len(names)),
                most=figure(UPLOAD_TABLES),
            )
        )
    virtual = sorted({name for name, _, sql in named if sql.startswith(_VIRTUAL)})
    shadows = {f"{one}_{part}" for one in virtual for part in _PARTS}
    names = [name for name in names if name not in shadows]
    for said, left_out in (
        (
            template("Views are left out: {names}."),
            sorted({name for name, kind, _ in named if kind == "view"}),
        ),
        (template("Virtual tables are left out: {names}."), virtual),
    ):
        if left_out:
            notes.append(worded(said, names=_listed(left_out)))
    if not names:
        raise NoTable(worded("There is no table in this SQLite file."))
    return names


def _listed(names: list[str]) -> str:
    some = in_commas([_told(name) for name in names[:_NAMED]])
    if len(names) <= _NAMED:
        return some
    return worded("{names} and {count} more", names=some, count=figure(len(names) - _NAMED))


def _told(name: str, most: int = _NAME_CHARS) -> str:
    """A name as it is told: in one line, not too long, and without signs that are not seen or turn a line around."""
    return "".join(sign for sign in " ".join(name.split()) if sign.isprintable())[:most]


def _allow(table: str) -> Callable[..., int]:
    """The steps that a statement may take: read columns of one table, by itself and not by a view or a function."""

    def allowed(action: int, first: str | None, second: str | None, base: str | None, by: str | None) -> int:
        is_ours = by is None and base in (None, "main")
        is_read = action == sqlite3.SQLITE_READ and first is not None and first.lower() == table.lower()
        is_asked = action == sqlite3.SQLITE_PRAGMA and first in ("table_xinfo", "foreign_key_list")
        is_cut = action == sqlite3.SQLITE_FUNCTION and second == "substr" and table == "sqlite_master"
        if is_ours and (action == sqlite3.SQLITE_SELECT or is_read or is_asked or is_cut):
            return sqlite3.SQLITE_OK
        return sqlite3.SQLITE_DENY

    return allowed


def _opened(path: Path) -> sqlite3.Connection:
    """Open a file for reading alone, as nobody else writes it, with nothing of its schema trusted."""
    db = sqlite3.connect(f"file:{quote(str(path))}?mode=ro&immutable=1", uri=True, cached_statements=0)
    db.text_factory = lambda raw: raw.decode("utf-8", "replace")
    db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _ROW_BYTES)
    db.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    for pragma in ("trusted_schema = OFF", "cell_size_check = ON", "mmap_size = 0", "query_only = ON"):
        db.execute(f"PRAGMA {pragma}")
    return db


def _may_lack_changes(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(_WRITE_VERSION + 1)[-1:] == bytes([_WAL])


def _sheet_or_why(db: sqlite3.Connection, table: str, notes: list[str]) -> RawTable:
    title = _told(table) or "table"
    try:
        return _sheet(db, table, notes)
    except NoTable as error:
        return RawTable(title, iter(()), problem=error.said)
    except DAMAGED as error:
        return RawTable(title, iter(()), problem=_unread(error, title).said)


def _sheet(db: sqlite3.Connection, table: str, notes: list[str]) -> RawTable:
    db.set_authorizer(_allow(table))
    title = _told(table)
    found = db.execute(f"PRAGMA main.table_xinfo({quoted(table)})").fetchall()
    held = [(name, hidden) for _, name, _, _, _, _, hidden in found if hidden != _HIDDEN]
    if any("\ufffd" in name for name, _ in held) or "\ufffd" in table:
        raise NoTable(
            worded(
                "The table {title} has a name that is no text. Rename it, and upload the file again.",
                title=title,
            )
        )
    computed = [name for name, hidden in held if hidden == _COMPUTED]
    if computed:
        notes.append(
            worded("{table}: computed columns are left out: {names}.", table=title, names=_listed(computed))
        )
    columns = [name for name, hidden in held if hidden != _COMPUTED]
    if len(columns) > MAX_COLUMNS:
        raise NoTable(
            worded(
                "{title} has {count} columns; the limit is {most}.",
                title=title,
                count=figure(len(columns)),
                most=figure(MAX_COLUMNS),
            )
        )
    sheet = RawTable(title or "table", iter(()), [_told(name) for name in columns])
    sheet.rows = _rows(db, table, columns, sheet)
    primary = [name for at, name in sorted((key, name) for _, name, _, _, _, key, _ in found if key)]
    sheet.keys = RawKeys(table, tuple(columns), tuple(primary), _foreign(db, table))
    return sheet


def _foreign(db: sqlite3.Connection, table: str) -> tuple[DeclaredKey, ...]:
    """The keys that a table declares, in their order."""
    parts: dict[int, list[tuple[int, str, str, str | None]]] = {}
    for key, place, target, own, other, *_rest in db.execute(
        f"PRAGMA main.foreign_key_list({quoted(table)})"
    ):
        parts.setdefault(key, []).append((place, target, own, other))
    found = []
    for key in sorted(parts, reverse=True):
        rows = sorted(parts[key], key=lambda row: row[0])
        referenced = tuple(other for *_, other in rows if other is not None)
        found.append(DeclaredKey(tuple(own for _, _, own, _ in rows), rows[0][1], referenced))
    return tuple(found)


def _rows(db: sqlite3.Connection, table: str, columns: list[str], sheet: RawTable) -> Iterator[Row]:
    # A name behind that of its table is a column or an error: alone and in quotes SQLite takes one that it misses for a text.
    chosen = ", ".join(f"one.{quoted(name)}" for name in columns)
    texts = 0
    try:
        db.set_authorizer(_allow(table))
        for number, cells in enumerate(db.execute(f"SELECT {chosen} FROM main.{quoted(table)} AS one"), 1):  # noqa: S608
            row = [_text(cell, sheet) for cell in cells]
            texts += sum(map(len, filter(None, row)))
            if texts > TEXT_BYTES:
                raise NoTable(
                    worded(
                        "Its texts are more than {most} MB, the limit.",
                        most=figure(TEXT_BYTES // 1000000),
                    )
                )
            for place, cell in enumerate(cells):
                if isinstance(cell, str) and cell:
                    sheet.texts[place] = number
            yield number, row
    except NoTable:
        raise
    except DAMAGED as error:
        raise _unread(error, sheet.title) from None


def _text(cell: object, sheet: RawTable) -> str | None:
    if cell is None or cell == "":
        return None
    if isinstance(cell, bytes):
        sheet.binary += 1
        return None
    if isinstance(cell, float):
        return float_text(cell)
    # A store that is PostgreSQL takes no NUL, and nobody sees one.
    return str(cell).replace("\x00", "") or None


def _unread(error: Exception, table: str = "") -> NoTable:
    is_sqlite = isinstance(error, sqlite3.Error)
    said = _told(without_folders(str(error)), _SAID_CHARS) if is_sqlite else worded("its names are no text")
    if "too big" in said:
        return NoTable(
            worded(
                "A row of {table} is larger than {most} MB, the limit.",
                table=table,
                most=figure(_ROW_BYTES // 1000000),
            )
        )
    where = (
        worded("The table {table} of this SQLite file", table=table) if table else worded("This SQLite file")
    )
    return NoTable(
        worded(
            "{where} cannot be read: {reason}. It may be damaged or encrypted. Write it anew with VACUUM INTO, or save its tables as CSV.",
            where=where,
            reason=said,
        )
    )
