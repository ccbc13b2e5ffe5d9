"""Frame, roles and chosen columns to one tree.

Decides what is selected when nothing is said, which number belongs to which column, what
is grouped by, and how a negation becomes a nested SELECT. Gives None where the parts do
not make a statement; `scoring` decides what is likely.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlagent.language.mentions import Target
from sqlagent.makers.grammar.conditions import Conditions, gather
from sqlagent.makers.grammar.reading import Reading
from sqlagent.makers.grammar.schema import Schema
from sqlagent.makers.grammar.tree import Col, Cond, Order, Query, Term, Via, term_of

_AGG_CUES = {
    "averag": "avg", "mean": "avg", "avg": "avg", "maximum": "max", "max": "max", "highest": "max", "largest": "max",
    "biggest": "max", "most": "max", "oldest": "max", "longest": "max", "top": "max", "minimum": "min", "min": "min",
    "lowest": "min", "smallest": "min", "least": "min", "youngest": "min", "shortest": "min", "total": "sum",
    "sum": "sum", "overal": "sum",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Parts:
    """One way to read a question: its frame, a role and a target for each slot."""

    frame: str
    roles: tuple[str, ...]
    picks: tuple[Target | None, ...]


def compose(reading: Reading, schema: Schema, parts: Parts, distinct: bool = False) -> Query | None:
    """Compose the tree of one reading; None when its parts do not fit together."""
    return _Composer(reading, schema, parts).query(distinct)


class _Composer:
    def __init__(self, reading: Reading, schema: Schema, parts: Parts) -> None:
        self.reading = reading
        self.schema = schema
        self.parts = parts
        self.signs = set(parts.frame.split())

    def query(self, distinct: bool) -> Query | None:
        tables = self._tables("T")
        select = self._select(tables)
        if select is None:
            return None
        found = gather(self.reading, self.schema, self.parts.roles, self.parts.picks, tables)
        if found is None:
            return None
        where = tuple(dict.fromkeys((*self._where(found), *self.reading.given)))
        if distinct and ("G" in self.signs or not all(t.plain for t in select)):
            return None
        query = Query(select=select, tables=tuple(tables), where=where, distinct=distinct)
        if not query.instances():
            return None
        shaped = self._shaped(query, found)
        nested = None if shaped is None else self._nested(shaped, found)
        return None if nested is None else tied(nested, self.reading.ways)

    # ------------------------------------------------------------ what is selected

    def _tables(self, mark: str) -> list[str]:
        out: list[str] = []
        for role, pick in zip(self.parts.roles, self.parts.picks, strict=True):
            if pick is None or pick.column:
                continue
            if (mark == "T" and role in ("T", "TS", "TG")) or role == mark:
                out.append(pick.table)
        return list(dict.fromkeys(out))

    def _select(self, tables: list[str]) -> tuple[Term, ...] | None:
        out: list[Term] = []
        counted = any("S:count" in r for r in self.parts.roles)
        for n, role in enumerate(self.parts.roles):
            pick = self.parts.picks[n]
            slot = self.reading.slots[n]
            if slot.kind == "count":
                if role == "S" or (role == "SD" and not counted):
                    if "C" not in self.signs:
                        return None
                    if not counted:
                        out.append(Term("count"))
            elif role == "TS" and pick is not None:
                out.extend(self._label(pick.table))
            elif pick is not None and pick.column:
                out.extend(self._terms(n, role, Col(pick.table, pick.column)))
        has_count = any(t.agg == "count" for t in out)
        if "C" in self.signs and not has_count:
            out.append(Term("count"))
        if "C" not in self.signs and has_count:
            return None
        if ("A" in self.signs) != any(t.agg not in ("", "count") for t in out):
            return None
        if not out or ("G" in self.signs and not any(t.plain for t in out) and not self._groups()):
            default = self._default(tables)
            if not default:
                return None
            out = [*default, *out] if not out or "G" in self.signs else out
        return self._arranged(list(dict.fromkeys(out)))

    def _arranged(self, out: list[Term]) -> tuple[Term, ...]:
        """The terms in order: as said, but names and periods before numbers; the search tries the other way too."""
        return (*(t for t in out if t.plain), *(t for t in out if not t.plain))

    def _terms(self, number: int, role: str, col: Col) -> list[Term]:
        parts = [p for p in role.split("&") if p == "S" or p.startswith("S:")]
        aggs = [p[2:] for p in parts if p != "S"]
        if len(aggs) > 1:
            aggs.sort(key=lambda a: self._cue_place(number, a.removesuffix("d")))
        cut = self._cut(number)
        names = [Col(col.table, name) for name in col.name.split("&")]
        out = [term_of(c, part=cut) for c in names] if "S" in parts else []
        col = names[0]
        out.extend(term_of(col, a.removesuffix("d") if a == "countd" else a, a == "countd") for a in aggs)
        return out

    def _cut(self, number: int) -> str:
        """The period a slot cuts its date to, if it is one of those."""
        slot = self.reading.slots[number]
        return slot.form if slot.kind == "grain" else ""

    def _cue_place(self, number: int, agg: str) -> int:
        start = self.reading.slots[number].start
        window = range(max(0, start - 9), min(len(self.reading.tokens), start + 6))
        for at in window:
            token = self.reading.tokens[at]
            if _AGG_CUES.get(token.stem, _AGG_CUES.get(token.low)) == agg:
                return at
        return 99

    def _label(self, table: str) -> list[Term]:
        """The column, or the first and last name, that names a table's rows."""
        labels = self.schema.labels(table)[:1]
        return [Term(col=Col(table, name)) for label in labels for name in label.split("&")]

    def _default(self, tables: list[str]) -> list[Term]:
        """The column that names the subject when nothing is said to be shown."""
        owner = (self._each() if "G" in self.signs else "") or (tables[0] if tables else "")
        if not owner:
            owner = next((p.table for p in self.parts.picks if p is not None), "")
        return self._label(owner) if owner else []

    def _each(self) -> str:
        """The table said after "each" or "per"."""
        for slot, role, pick in zip(self.reading.slots, self.parts.roles, self.parts.picks, strict=True):
            before = {t.low for t in self.reading.tokens[max(0, slot.start - 2) : slot.start]}
            if role == "T" and pick is not None and before & {"each", "every", "per", "by"}:
                return pick.table
        return ""

    def _groups(self) -> list[Term]:
        out: list[Term] = []
        for n, (role, pick) in enumerate(zip(self.parts.roles, self.parts.picks, strict=True)):
            if pick is None:
                continue
            if role == "TG":
                key = self.schema.key(pick.table)
                if key is not None:
                    out.append(Term(col=key))
            elif pick.column and "G" in role.split("&"):
                out.append(term_of(Col(pick.table, pick.column), part=self._cut(n)))
        return out

    # ------------------------------------------------------------ conditions, groups, order

    def _where(self, found: Conditions) -> tuple[tuple[Cond, ...], ...]:
        conds = list(dict.fromkeys(found.first))
        if "or" in self.signs and len(conds) >= 2:
            same = _alike(conds)
            if same:
                return (*((c,) for c in conds if c not in same), tuple(same))
            return (*((c,) for c in conds[:-2]), tuple(conds[-2:]))
        clauses: list[tuple[Cond, ...]] = []
        for cond in conds:
            twin = next((n for n, c in enumerate(clauses) if cond.op == "=" and _same_equal(c, cond)), None)
            if twin is None:
                clauses.append((cond,))
            else:
                clauses[twin] = (*clauses[twin], cond)
        return tuple(clauses)

    def _shaped(self, query: Query, found: Conditions) -> Query | None:
        plain = [t for t in query.select if t.plain]
        aggs = [t for t in query.select if not t.plain]
        if (found.limit is not None) and "L" not in self.signs:
            return None
        group: list[Term] = []
        if "G" in self.signs or (aggs and plain):
            group = self._group_key(query, plain)
            if not group:
                return None
        having = tuple(found.having)
        if ("Hc" in self.signs or "Ha" in self.signs) != bool(having):
            return None
        order = self._order()
        if order is None:
            return None
        if group and not order:
            order = [Order(t) for t in group if t.part][:1]
        limit: int | None = None
        if "L" in self.signs:
            limit = found.limit or 1
        return replace(query, group=tuple(group), having=having, order=tuple(order), limit=limit)

    def _group_key(self, query: Query, plain: list[Term]) -> list[Term]:
        named = self._groups()
        if named and not plain:
            return named
        cols = [t for t in plain if t.col is not None]
        owners = {t.col.table for t in cols if t.col is not None}
        others = set(query.tables) - owners
        if len(owners) == 1 and others:
            owner = next(iter(owners))
            key = self.schema.key(owner)
            told = any(self.schema.is_label(t.col) for t in cols if t.col is not None)
            if key is not None and told and Term(col=key) not in cols and self._one_side(owner, others):
                return [Term(col=key), *cols]
        return list(dict.fromkeys([*cols, *named]))

    def _one_side(self, owner: str, others: set[str]) -> bool:
        """Whether rows of the other tables point (directly or not) at rows of this one."""
        for other in others:
            path = self.schema.graph.path(owner, other)
            if path and path[0].target != owner and self._points_at(path[0].target, owner):
                return True
        return False

    def _points_at(self, source: str, target: str) -> bool:
        return any(e.source == source and e.target == target for e in self.schema.graph.edges)

    def _order(self) -> list[Order] | None:
        out: list[Order] = []
        for sign in self.signs:
            if sign in ("Oc-", "Oc+"):
                out.append(Order(Term("count"), sign == "Oc-"))
        for n, (role, pick) in enumerate(zip(self.parts.roles, self.parts.picks, strict=True)):
            if pick is None or not pick.column:
                continue
            for part in role.split("&"):
                col = Col(pick.table, pick.column)
                if part[:2] == "Oa":
                    out.append(Order(term_of(col, part.partition(":")[2] or "sum"), part[2:3] == "-"))
                elif part[:1] in "OX" and part:
                    out.append(Order(term_of(col, part=self._cut(n)), part[1:2] == "-"))
        wants = any(s.startswith("O") for s in self.signs)
        if wants != bool(out):
            return None
        if any(s in ("Oa-", "Oa+") for s in self.signs) != any(o.term.agg not in ("", "count") for o in out):
            return None
        return list(dict.fromkeys(out))

    # ------------------------------------------------------------ nested

    def _nested(self, query: Query, found: Conditions) -> Query | None:
        if "cmp" in self.signs:
            return self._compared(query, found)
        inner_tables = self._tables("T2")
        second = list(dict.fromkeys(found.second))
        if not self.signs & {"not", "both", "union"}:
            if second or inner_tables:
                where = (*query.where, *((c,) for c in second))
                return replace(
                    query, where=where, tables=tuple(dict.fromkeys((*query.tables, *inner_tables)))
                )
            return query
        if not second and not inner_tables and not found.second_having:
            return None
        if "not" in self.signs:
            return self._negated(query, second, inner_tables, found)
        other = replace(
            query,
            where=(*((c,) for c in second), *self.reading.given),
            tables=tuple(dict.fromkeys((*query.tables, *inner_tables))),
            having=tuple(found.second_having),
            order=(),
            limit=None,
        )
        return replace(
            query, compound="intersect" if "both" in self.signs else "union", second=other, distinct=False
        )

    def _negated(
        self, query: Query, second: list[Cond], inner_tables: list[str], found: Conditions
    ) -> Query | None:
        subject = next(
            (t.col.table for t in query.select if t.col is not None), query.tables[0] if query.tables else ""
        )
        targets = list(
            dict.fromkeys([*inner_tables, *(c.term.col.table for c in second if c.term.col is not None)])
        )
        if not subject or not targets:
            return None
        far = next((t for t in targets if t != subject), None)
        if far is None:
            if not second or query.group or any(not t.plain for t in query.select):
                return None
            inner = replace(
                query, where=(*query.where, *((c,) for c in second)), order=(), limit=None, tables=(subject,)
            )
            return replace(query, compound="except", second=replace(inner, where=tuple((c,) for c in second)))
        path = self.schema.graph.path(subject, far)
        if not path:
            return None
        edge = path[0]
        inner_col = Col(edge.target, edge.referenced[0])
        needed = [t for t in targets if t != subject]
        inner = Query(
            select=(Term(col=inner_col),),
            tables=tuple(dict.fromkeys([edge.target, *needed])),
            where=tuple((c,) for c in second),
        )
        if found.second_having:
            inner = replace(inner, group=(Term(col=inner_col),), having=tuple(found.second_having))
        cond = Cond(Term(col=Col(subject, edge.columns[0])), "not in", (), inner)
        kept = tuple(t for t in query.tables if t not in needed or t == subject)
        return replace(query, where=(*query.where, (cond,)), tables=kept)

    def _compared(self, query: Query, found: Conditions) -> Query | None:
        out = query
        done = False
        for role, pick in zip(self.parts.roles, self.parts.picks, strict=True):
            for part in role.split("&"):
                if not part.startswith("A") or pick is None or not pick.column or ":" not in part:
                    continue
                op, agg = part[1:].split(":")
                col = Col(pick.table, pick.column)
                if any(
                    c.query is not None and c.term == term_of(col) for clause in out.where for c in clause
                ):
                    continue
                inner = Query(
                    select=(term_of(col, "" if agg == "one" else agg),),
                    tables=(col.table,),
                    where=tuple((c,) for c in found.second),
                )
                if agg == "one" and not found.second:
                    return None
                out = replace(out, where=(*out.where, (Cond(term_of(col), op, (), inner),)))
                done = True
        return out if done else None


def tied(query: Query, ways: Sequence[Via]) -> Query:
    """The query with the joins to those instances of tables that it looks at."""
    if not ways:
        return query
    taken = set(query.instances())
    second = tied(query.second, ways) if query.second is not None else None
    return replace(query, via=(*query.via, *(way for way in ways if way.target in taken)), second=second)


def _alike(conds: list[Cond]) -> list[Cond]:
    """The conditions on the one column that has several."""
    for cond in conds:
        same = [c for c in conds if c.term == cond.term]
        if len(same) > 1:
            return same
    return []


def _same_equal(clause: tuple[Cond, ...], cond: Cond) -> bool:
    return clause[0].op == "=" and clause[0].term == cond.term and clause[0].values != cond.values
