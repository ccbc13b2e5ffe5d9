"""Names that a wish may use of one statement: its outputs, and the columns of the tables that it reads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from sqlglot import exp

from sqlagent.catalog.semantics import Field, Kind, Role
from sqlagent.language.words import name_words, stem, tokenise
from sqlagent.makers.analyst.dialects import Dialect
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.rewriting.layout import Layout
from sqlagent.sql.expressions import sources, sums_rows


@dataclass(frozen=True, slots=True)
class Output:
    """One output: its place, its SQL without its name, its name, and whether it sums rows up."""

    number: int
    sql: str
    name: str
    tree: exp.Expr
    is_figure: bool

    @property
    def said(self) -> str:
        """The output in few words."""
        return self.name or self.sql


@dataclass(frozen=True, slots=True)
class Known:
    """A column as the statement's SQL names it, with the table's name there; `joins` are those that it needs first, from the table `begins`."""

    field: Field
    sql: str
    before: str = ""
    joins: tuple[str, ...] = ()
    begins: str = ""

    @property
    def said(self) -> str:
        """The column in few words."""
        return self.sql


class Named:
    """A statement beside its source: what its words may name."""

    def __init__(self, layout: Layout, source: Source) -> None:
        self.layout = layout
        self.source = source
        self.dialect = Dialect(source.model.dialect, source.model.calendar)

    @cached_property
    def outputs(self) -> tuple[Output, ...]:
        """The outputs, in their order; none where one is a star."""
        trees = self.layout.tree.expressions
        if any(
            isinstance(one, exp.Star) or isinstance(one, exp.Column) and isinstance(one.this, exp.Star)
            for one in trees
        ):
            return ()
        items = self.layout.items("expressions")
        if len(items) != len(trees):
            return ()
        found = []
        for number, one in enumerate(trees):
            inner = one.this if isinstance(one, exp.Alias) else one
            bare = inner.sql(dialect=self.layout.dialect, comments=False)
            name = (
                one.alias if isinstance(one, exp.Alias) else one.name if isinstance(one, exp.Column) else ""
            )
            found.append(Output(number, bare, name, inner, sums_rows(inner)))
        return tuple(found)

    @cached_property
    def is_grouped(self) -> bool:
        """Whether rows are summed up: by GROUP BY, or by an aggregate over all."""
        return self.layout.tree.args.get("group") is not None or any(one.is_figure for one in self.outputs)

    @cached_property
    def columns(self) -> tuple[Known, ...]:
        """The columns of the tables that are read, without those of statements in their place."""
        read = [*sources(self.layout.tree)]
        ctes = {one.alias.lower() for one in self.layout.tree.ctes}
        found: list[Known] = []
        for one in read:
            if not isinstance(one, exp.Table) or not one.db and one.name.lower() in ctes:
                continue
            key = self._key(one)
            alias = one.args["alias"].this if one.args.get("alias") else one.this
            before = alias.sql(dialect=self.layout.dialect)
            for field in self.source.model.fields.get(key, ()):
                own = self.dialect.quoted(field.column)
                found.append(Known(field, f"{before}.{own}" if len(read) > 1 else own, before))
        return tuple(found)

    def _key(self, table: exp.Table) -> str:
        low = table.name.lower()
        keys = [key for key in self.source.model.things if key.lower() in (low, f"{table.db.lower()}.{low}")]
        if table.db:
            keys = [key for key in keys if "." in key] or keys
        return keys[0] if keys else ""

    def output(self, words: str) -> list[Output]:
        """The outputs that words name: those called exactly so, else those whose names have the same stems."""
        meant = stems(words)
        exact = [one for one in self.outputs if one.name.lower() == words.strip().lower()]
        return exact or [one for one in self.outputs if one.name and stems_of_name(one.name) == meant]

    def column(self, words: str, among: Sequence[Known] | None = None) -> list[Known]:
        """The columns that words name, among those of the statement's tables: by their own name, or with their table's before it."""
        columns = self.columns if among is None else among
        low, meant = words.strip().lower(), stems(words)
        exact = [one for one in columns if low in (one.field.column.lower(), one.sql.lower())]
        return exact or [one for one in columns if meant in self._called(one.field)]

    def display(self, words: str, among: Sequence[Known]) -> list[Known]:
        """The column that tells the things apart which words name: the name of a category."""
        meant, things = stems(words), self.source.model.things
        named = {
            one.table: one.display[0]
            for one in things.values()
            if one.noun == meant and len(one.display) == 1
        }
        return [one for one in among if named.get(one.field.table) == one.field.column]

    def _called(self, field: Field) -> Iterator[tuple[str, ...]]:
        noun = self.source.model.things[field.table].noun
        for own in {field.words, stems_of_name(field.column), *(stems(one) for one in field.also)}:
            yield own
            yield (*noun, *own)

    def is_table(self, words: str) -> bool:
        """Whether words are what the rows of a table that is read are called, or an output."""
        meant = stems(words)
        nouns = {self.source.model.things[one.field.table].noun for one in self.columns}
        return not meant or meant in nouns or bool(self.output(words)) or bool(self.column(words))

    def shown_by(self, output: Output) -> Known | None:
        """The one column that an output shows as it is; None for anything else."""
        if not isinstance(output.tree, exp.Column):
            return None
        known = [one for one in self.columns if self.is_same(one, output.tree)]
        return known[0] if len(known) == 1 else None

    @cached_property
    def times(self) -> tuple[Known, ...]:
        """The columns that hold a time."""
        return tuple(one for one in self.columns if one.field.role is Role.TIME)

    def time(self) -> Known | str:
        """The column that a period is meant of, or the reason why there is none that is sure.

        One that the statement looks at already comes first, then the only one, then the one that the rows happen at which the figures
        are of, then that of the only events among its tables, then that of its first table. Figures of a statement in the place of a table have no time here.
        """
        if not self.times:
            return "No table that this statement reads itself has a column of times."
        counted = self._counted()
        if hidden := counted - {one.before.strip('"`').lower() for one in self.columns}:
            return f"The figures come from {', '.join(sorted(hidden))}, whose times stand inside of it: change the SQL there."
        if len(self.times) == 1:
            return self.times[0]
        used = self._used()
        seen = [one for one in self.times if any(self.is_same(one, other) for other in used)]
        if len(seen) == 1:
            return seen[0]
        usual = [
            one
            for one in self.times
            if self.source.model.things[one.field.table].default_time == one.field.column
        ]
        of_figures = [one for one in usual if one.before.strip('"`').lower() in counted]
        if len(counted) == 1 and len(of_figures) == 1:
            return of_figures[0]
        events = [one for one in usual if self.source.model.things[one.field.table].kind is Kind.EVENT]
        if counted and len(events) == 1:  # figures of orders and their lines happen when the orders do
            return events[0]
        first = self.columns[0].field.table
        own = [one for one in usual if one.field.table == first]
        if len(usual) == 1 or len(own) == 1:
            return (usual if len(usual) == 1 else own)[0]
        names = ", ".join(one.sql for one in self.times)
        return f"Several columns may be meant by a time: {names}. Name one in the SQL first."

    def time_elsewhere(self) -> Field | None:
        """The time at which the rows happen that are counted or listed, where no table here has it: order lines happen when their orders do.

        None where a table here that things happen in has a time of its own.
        """
        counted = self._counted()
        read = {one.field.table: one.before.strip('"`').lower() for one in self.columns}
        kinds = {table: self.source.model.things[table].kind for table in read}
        happening = [table for table, kind in kinds.items() if kind in (Kind.EVENT, Kind.LINES)]
        times = {table: self.source.time_of(table) for table in happening}
        if any(time is not None and time.field.table in read for time in times.values()):
            return None
        of_figures = [t for t in happening if read[t] in counted] or happening
        found = {time.field for t in of_figures if (time := times[t]) is not None}
        return found.pop() if len(found) == 1 else None

    def _counted(self) -> set[str]:
        """The tables, as the statement names them, that the columns of its figures are of."""
        return {
            column.table.lower()
            for one in self.outputs
            if one.is_figure
            for column in one.tree.find_all(exp.Column)
            if column.table
        }

    def effects(self, column: Known) -> str:
        """Side effects of a condition on a column, in words: it ends an outer join, changes what windows count, or leaves a subquery."""
        said = ""
        begins = column.begins or column.before
        if begins.strip('"`').lower() in self._optional:
            said += f"; rows without {begins}, which the outer join kept, go"
        windows = self.layout.tree.find(exp.Window) is not None
        if windows and not self.is_grouped:
            said += "; windows count the rows that are left"
        return said + self.apart

    @property
    def apart(self) -> str:
        """That a figure is computed by a statement of its own, which no change of the rows reaches; empty where none is."""
        inner = any(one.tree.find(exp.Query) is not None for one in self.outputs)
        return "; the subquery among the outputs still reads all its rows" if inner else ""

    @cached_property
    def _optional(self) -> set[str]:
        """The tables, as the statement names them, whose rows an outer join may lack."""
        from_, found = self.layout.tree.args.get("from_"), set[str]()
        before = [from_.this.alias_or_name.lower()] if from_ is not None else []
        for join in self.layout.tree.args.get("joins") or []:
            side, own = str(join.args.get("side") or "").upper(), join.this.alias_or_name.lower()
            found.update([own] if side in ("LEFT", "FULL") else [])
            found.update(before if side in ("RIGHT", "FULL") else [])
            before.append(own)
        return found

    def _used(self) -> list[exp.Column]:
        found: list[exp.Column] = []
        for clause in ("expressions", "where", "group", "order"):
            parts = self.layout.tree.args.get(clause) or []
            for one in parts if isinstance(parts, list) else [parts]:
                found += one.find_all(exp.Column)
        return found

    def is_same(self, known: Known, column: exp.Column) -> bool:
        """Whether a column of the statement is a known one."""
        if column.name.lower() != known.field.column.lower():
            return False
        if not column.table:
            return sum(one.field.column.lower() == column.name.lower() for one in self.columns) == 1
        alias = known.sql.rpartition(".")[0].strip('"`').lower()
        return not alias or alias == column.table.lower()

    def is_of(self, known: Known, node: exp.Expr) -> bool:
        """Whether a known column is the only one of an expression."""
        columns = [*node.find_all(exp.Column)]
        return bool(columns) and all(self.is_same(known, one) for one in columns)


def stems(words: str) -> tuple[str, ...]:
    """The stems of words, without articles."""
    found = [one.low for one in tokenise(words) if one.kind != "mark"]
    return tuple(
        stem(part) for one in found if one not in ("the", "a", "an", "of") for part in one.split("_") if part
    )


def stems_of_name(name: str) -> tuple[str, ...]:
    """The stems of a name."""
    return tuple(stem(one) for one in name_words(name))
