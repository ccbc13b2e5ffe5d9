"""The knowledge of a source, made once for many completions: its tables by name, its joins, the functions that may be called."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable

from sqlagent.catalog.keys import Edge, KeyGraph
from sqlagent.language.lexicon import words_of
from sqlagent.values import Catalog, Table

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LOW = re.compile(r"[a-z_][a-z0-9_]*")
# Words that name nothing without quotes in some engine.
RESERVED = words_of(
    """
    all and any as asc between by case cast check column constraint create cross current_date current_time
    current_timestamp default delete desc distinct else end except exists false fetch for foreign from full
    group having in index inner insert intersect interval into is join key left like limit natural not null
    offset on or order outer over partition primary range references right row rows select set table then to
    true union unique update user using values view when where window with
    """
)


class Known:
    """A catalog for completing. `found` are keys that nobody declared: table, column, table, column."""

    def __init__(
        self,
        catalog: Catalog,
        functions: Collection[str] = (),
        found: Iterable[tuple[str, str, str, str]] = (),
    ) -> None:
        self.catalog = catalog
        self.dialect = catalog.dialect
        self.functions = tuple(sorted(functions))
        self.tables: dict[str, Table] = {}
        self.schemas: dict[str, str] = {}
        for table in catalog.tables:
            self.tables.setdefault(table.name.lower(), table)
        for table in catalog.tables:
            self.tables[table.key.lower()] = table
            if table.schema:
                self.schemas.setdefault(table.schema.lower(), table.schema)
            elif catalog.default_schema:
                self.tables[f"{catalog.default_schema}.{table.name}".lower()] = table
        self._around: dict[str, list[Edge]] = defaultdict(list)
        edges = [*KeyGraph(catalog).edges]
        edges += [Edge(one, (here,), other, (there,)) for one, here, other, there in found]
        seen = set()
        for edge in edges:
            for one in (edge, edge.reversed()):
                mark = (one.source, one.columns, one.target, one.referenced)
                if mark not in seen:
                    seen.add(mark)
                    self._around[one.source].append(one)

    def table(self, name: str) -> Table | None:
        """A table by its name as it is written, with or without its schema."""
        return self.tables.get(name.lower())

    def around(self, table: Table) -> list[Edge]:
        """The joins out of a table, declared ones first."""
        return self._around.get(table.key, [])

    def written(self, name: str) -> str:
        """A name as it has to be written: quoted where it means nothing or another without.

        Example:
            >>> Known(Catalog("sqlite", ())).written("order"), Known(Catalog("mysql", ())).written("my id")
            ('"order"', '`my id`')
        """
        plain = _LOW if self.dialect == "postgres" else _PLAIN
        if plain.fullmatch(name) and name.lower() not in RESERVED:
            return name
        mark = "`" if self.dialect in ("mysql", "spark", "bigquery", "hive") else '"'
        return mark + name.replace(mark, mark * 2) + mark

    def path(self, table: Table) -> str:
        """A table's name as it has to be written, with its schema where it needs one."""
        name = self.written(table.name)
        return f"{self.written(table.schema)}.{name}" if table.schema else name
