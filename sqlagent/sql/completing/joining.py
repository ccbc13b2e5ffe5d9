"""Tables that may be read at the cursor, and the conditions that join them with those before."""

from __future__ import annotations

from collections.abc import Iterator

from sqlagent.catalog.keys import Edge
from sqlagent.sql.completing.blocks import Read
from sqlagent.sql.completing.offers import (
    COLUMN,
    JOIN,
    TABLE,
    Completion,
    Here,
    Scored,
    column_offer,
    keyword_offers,
    name_offer,
)


def table_offers(here: Here) -> Iterator[Scored]:
    """Tables, schemas and names of WITH; tables that a key joins with those before are worth more, those read already less."""
    assert here.block is not None
    reads = [read for read in here.block.reads if read.begins < here.place.before]
    joinable = {edge.target: edge for read in reads for edge in _edges(here, read)}
    for name, cte in here.block.ctes.items():
        yield 30, name_offer(here, cte.name or name, "table", "named in this statement")
    for table in here.known.catalog.tables:
        edge = joinable.get(table.key)
        note = (
            f"joined by {edge.columns[0]}"
            if edge is not None
            else table.comment or ("view" if table.is_view else "")
        )
        insert = here.known.path(table) if not here.place.quote else here.written(table.name)
        score = TABLE + (0 if edge is None else 4 if edge.guessed else 6)
        if any(read.table is table for read in reads):
            score -= 3
        yield (
            score,
            Completion(table.key if table.schema else table.name, insert, "table", note, here.place.start),
        )
    if here.known.schemas and not here.place.quote:
        for schema in here.known.schemas.values():
            yield 8, name_offer(here, schema, "table", "schema")
    if here.said() in ("FROM", "JOIN"):
        yield from keyword_offers(here, ("SELECT", "LATERAL"), 1)


def _edges(here: Here, read: Read) -> Iterator[Edge]:
    for table in {one.table.key: one.table for one in read.fields if one.table is not None}.values():
        yield from here.known.around(table)


def join_offers(here: Here, read: Read | None) -> Iterator[Scored]:
    """Conditions that join what was named last with what was named before it: by keys, else by columns called alike."""
    if read is None or here.block is None or here.place.quote:
        return
    others = [one for one in here.block.reads if one is not read and one.begins < read.begins]
    for rank, other in enumerate(reversed(others)):
        by_keys = list(_by_keys(here, read, other))
        for here_names, there_names, guessed in by_keys:
            words = " AND ".join(
                f"{here.known.written(other.name)}.{here.known.written(there)} = "
                f"{here.known.written(read.name)}.{here.known.written(mine)}"
                for mine, there in zip(here_names, there_names, strict=True)
            )
            note = "names alike" if guessed else "key"
            yield (
                JOIN - rank - (5 if guessed else 0),
                Completion(words, words, "join", note, here.place.start),
            )


def _by_keys(here: Here, read: Read, other: Read) -> Iterator[tuple[tuple[str, ...], tuple[str, ...], bool]]:
    """The columns of two sources by which a key joins their tables, as they are named here."""
    told = set()
    for edge in _edges(here, read):
        mine = _named(read, edge.source, edge.columns)
        theirs = _named(other, edge.target, edge.referenced)
        if mine and theirs and (mine, theirs) not in told:
            told.add((mine, theirs))
            yield mine, theirs, edge.guessed
    if not told:
        for name in (one.name for one in read.fields if one.name.lower().endswith(("id", "key", "code"))):
            if name.lower() != "id" and any(one.name.lower() == name.lower() for one in other.fields):
                yield (name,), (name,), True


def _named(read: Read, key: str, columns: tuple[str, ...]) -> tuple[str, ...]:
    """The names of columns of a table in a source; empty unless all are there."""
    names = []
    for column in columns:
        found = next(
            (
                one.name
                for one in read.fields
                if one.table is not None and one.table.key == key and one.column is not None
                and one.column.name.lower() == column.lower()
            ),
            None,
        )  # fmt: skip
        if found is None:
            return ()
        names.append(found)
    return tuple(names)


def shared_offers(here: Here) -> Iterator[Scored]:
    """Columns that the last source has in common with the others."""
    read = here.read_before()
    if read is None or here.block is None:
        return
    others = {f.name.lower() for one in here.block.reads if one is not read for f in one.fields}
    for one in read.fields:
        if one.name.lower() in others:
            yield COLUMN + 5, column_offer(here, one)
