"""The body of a clause read against a catalog: a column, conditions with the way to them, or a formula.

The text is parsed as one expression and taken apart; nothing of it is ever run. Only comparisons, aggregates and
arithmetic over columns of the catalog have a meaning.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, product

from sqlglot import exp
from sqlglot.errors import SqlglotError

from sqlagent.catalog.hints.clauses import QUOTED
from sqlagent.catalog.hints.naming import Names
from sqlagent.catalog.hints.terms import Formula, Literal, Meaning, Test, Total, Way
from sqlagent.values import ColumnRef, Kind

MEANINGS = 6
"""Meanings of one body at most; one of more is not told apart by its names."""

_COMPARED: Mapping[type[exp.Expr], str] = {
    exp.EQ: "=", exp.NEQ: "!=", exp.LT: "<", exp.GT: ">", exp.LTE: "<=", exp.GTE: ">=", exp.Like: "like",
}  # fmt: skip
_TURNED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
_AGGREGATES: Mapping[type[exp.Expr], str] = {
    exp.Count: "count", exp.Sum: "sum", exp.Avg: "avg", exp.Min: "min", exp.Max: "max",
}  # fmt: skip
_ARITHMETIC: Mapping[str, type[exp.Binary]] = {
    "DIVIDE": exp.Div, "MULTIPLY": exp.Mul, "SUBTRACT": exp.Sub, "ADD": exp.Add,
}  # fmt: skip
_WHERE = re.compile(r"\bwhere\b", re.IGNORECASE)
_FILLER = re.compile(r"^\s*(?:the|a|an)\s+", re.IGNORECASE)


class NoMeaning(ValueError):
    """A body that means nothing here; its text is the part at fault."""


def meanings(body: str, names: Names) -> tuple[Meaning, ...]:
    """Give what a body may mean; empty where it is broken or names nothing here."""
    if said := names.said(_FILLER.sub("", body)):
        return tuple(Meaning(shown=(ref,)) for ref in said) if len(said) <= MEANINGS else ()
    return _read(body, names) or _read(_with_names(body, names), names)


def _read(body: str, names: Names) -> tuple[Meaning, ...]:
    """The meanings that an expression may have; nothing where it is empty."""
    tree = _parsed(body) if body else None
    if tree is None:
        return ()
    for quoted in list(tree.find_all(exp.Literal)):  # 'weight_kg' > 500
        compared = (
            isinstance(quoted.parent, (exp.Predicate, exp.Between, exp.In)) and quoted.parent.this is quoted
        )
        if quoted.is_string and compared and names.columns(quoted.name):
            quoted.replace(exp.column(quoted.name, quoted=True))
    columns = [c for c in tree.find_all(exp.Column) if not isinstance(c.this, exp.Star)]
    try:
        options = [(column, _options(column, names)) for column in columns]
        if not any(refs for _, refs in options):
            return ()
        return _kept(_each(tree, options, names))
    except NoMeaning:
        return ()


_WORDS = re.compile(r"(?<![\w.])[^\W\d]\w*(?: +\w+){1,4}")


def _with_names(body: str, names: Names) -> str:
    """The body with names of columns that are written in several words ("weight kg > 500") as one each; empty where there are none."""

    def joined(words: re.Match[str]) -> str:
        said = words.group().split(" ")
        for first in range(len(said) - 1):
            for end in range(len(said), first + 1, -1):
                if found := names.exactly(" ".join(said[first:end])):
                    return " ".join((*said[:first], f'"{found}"', *said[end:]))
        return words.group()

    out, at = "", 0
    for quoted in QUOTED.finditer(body):
        out += _WORDS.sub(joined, body[at : quoted.start()]) + quoted.group()
        at = quoted.end()
    out += _WORDS.sub(joined, body[at:])
    return out if out != body else ""


def _parsed(body: str) -> exp.Expr | None:
    """A body as one expression; "A where B" is both A and B."""
    text, at = "", 0
    for quoted in QUOTED.finditer(body):
        text += _WHERE.sub(" AND ", body[at : quoted.start()]) + quoted.group()
        at = quoted.end()
    text += _WHERE.sub(" AND ", body[at:])
    try:
        return exp.maybe_parse(
            _FILLER.sub("", text).strip().rstrip("."), into=exp.Condition, dialect="sqlite"
        )
    except (SqlglotError, RecursionError, ValueError):
        return None


def _options(column: exp.Column, names: Names) -> list[ColumnRef]:
    """The columns that a name may be; none where it stands for a text that was not quoted ("status = Open")."""
    found = names.columns(column.name, column.table)
    if found:
        return found
    parent = column.parent
    if isinstance(parent, (exp.EQ, exp.NEQ, exp.In)) and parent.this is not column and not column.table:
        return []
    raise NoMeaning(column.sql())


def _each(
    tree: exp.Expr, options: Sequence[tuple[exp.Column, Sequence[ColumnRef]]], names: Names
) -> Iterator[Meaning]:
    """The meaning that each choice of columns gives, those in the fewest tables first."""
    open_to: list[Sequence[ColumnRef | None]] = [refs or [None] for _, refs in options]
    choices = sorted(islice(product(*open_to), 200), key=lambda one: len({ref.table for ref in one if ref}))
    for choice in choices:
        chosen = {
            id(column): ref for (column, _), ref in zip(options, choice, strict=True) if ref is not None
        }
        try:
            yield _Reader(chosen, names).meaning(tree)
        except NoMeaning:
            continue


def _kept(found: Iterator[Meaning]) -> tuple[Meaning, ...]:
    """Those in the fewest tables; none where there are too many."""
    all_of = list(dict.fromkeys(found))
    fewest = min((len(one.tables()) for one in all_of), default=0)
    kept = tuple(one for one in all_of if len(one.tables()) == fewest)
    return kept if len(kept) <= MEANINGS else ()


@dataclass(slots=True)
class _Reader:
    """Reads a tree with each of its names chosen."""

    chosen: Mapping[int, ColumnRef]
    names: Names
    totals: list[Total] = field(default_factory=list)

    def meaning(self, tree: exp.Expr) -> Meaning:
        """The parts that AND joins: columns, aggregates, comparisons and joins. Raises: NoMeaning."""
        shown: list[ColumnRef] = []
        tests: list[tuple[Test, ...]] = []
        ways: list[Way] = []
        agg = ""
        parts = list(self._parts(tree))
        for part in parts:
            if isinstance(part, exp.Column):
                shown.append(self._column(part))
            elif type(part) in _AGGREGATES and isinstance(part.this, exp.Column) and not agg:
                agg = _AGGREGATES[type(part)]
                shown.append(self._column(part.this))
            elif (way := self._way(part)) is not None:
                ways.append(way)
            elif len(parts) == 1 and not _is_test(part):
                return Meaning(formula=self._formula(part))
            else:
                tests.append(self._clause(part))
        shown, more = self._keys(shown, tests) if not agg else (shown, [])
        return Meaning(tuple(shown), agg, tuple(tests), (*ways, *more))

    def _parts(self, tree: exp.Expr) -> Iterator[exp.Expr]:
        if isinstance(tree, exp.Paren):
            yield from self._parts(tree.this)
        elif isinstance(tree, exp.And):
            yield from self._parts(tree.this)
            yield from self._parts(tree.expression)
        elif isinstance(tree, exp.EQ) and isinstance(tree.this, exp.EQ):  # a = b = 7
            yield tree.this
            yield exp.EQ(this=tree.this.expression, expression=tree.expression)
        else:
            yield tree

    def _column(self, node: exp.Expr) -> ColumnRef:
        found = self.chosen.get(id(node))
        if found is None:
            raise NoMeaning(node.sql())
        return found

    def _keys(
        self, shown: list[ColumnRef], tests: Sequence[tuple[Test, ...]]
    ) -> tuple[list[ColumnRef], list[Way]]:
        """ "eye_id where colour.id = 7": a key that points at what is tested is the way there."""
        tested = {test.column.table for clause in tests for test in clause}
        kept, ways = [], []
        for ref in shown:
            edge = next(
                (
                    e
                    for e in self.names.graph.around(ref.table)
                    if e.columns == (ref.column,) and e.target in tested
                ),
                None,
            )
            if edge is None:
                kept.append(ref)
            else:
                ways.append(Way(ref, ColumnRef(edge.target, edge.referenced[0])))
        return kept, ways

    def _way(self, part: exp.Expr) -> Way | None:
        """A column equal to one of another table; the key comes first."""
        if not isinstance(part, exp.EQ):
            return None
        one, other = self.chosen.get(id(part.this)), self.chosen.get(id(part.expression))
        if one is None or other is None or one.table == other.table:
            return None
        for edge in self.names.graph.edges:
            for source, target in ((one, other), (other, one)):
                ends = (edge.source, edge.columns, edge.target, edge.referenced)
                if ends == (source.table, (source.column,), target.table, (target.column,)):
                    return Way(source, target)
        raise NoMeaning("a join that no key makes")

    def _clause(self, part: exp.Expr) -> tuple[Test, ...]:
        """One comparison, or several of which one holds. Raises: NoMeaning."""
        if isinstance(part, exp.Paren):
            return self._clause(part.this)
        if isinstance(part, exp.Or):
            return (*self._clause(part.this), *self._clause(part.expression))
        if isinstance(part, exp.In) and part.expressions and not part.args.get("query"):
            tests = [self._test(exp.EQ, part.this, one) for one in part.expressions]
            return (Test(tests[0].column, "in", tuple(t.values[0] for t in tests)),)
        if isinstance(part, exp.Between):
            low, high = (self._test(exp.GTE, part.this, part.args[end]) for end in ("low", "high"))
            return (Test(low.column, "between", (*low.values, *high.values)),)
        if isinstance(part, exp.Is) and isinstance(part.expression, exp.Null):
            return (Test(self._column(part.this), "null"),)
        if isinstance(part, exp.Not):
            inner = self._clause(part.this)
            if len(inner) == 1 and inner[0].op in ("null", "=", "like"):
                turned = {"null": "not null", "=": "!=", "like": "not like"}[inner[0].op]
                return (replace(inner[0], op=turned),)
            raise NoMeaning(part.sql())
        if type(part) in _COMPARED:
            test = self._test(type(part), part.this, part.expression)
            return (replace(test, op="not like") if part.args.get("negate") else test,)
        raise NoMeaning(part.sql())

    def _test(self, kind: type[exp.Expr], left: exp.Expr, right: exp.Expr) -> Test:
        op = _COMPARED[kind]
        if id(left) not in self.chosen and id(right) in self.chosen:
            left, right, op = right, left, _TURNED.get(op, op)
        column = self._column(left)
        if isinstance(right, exp.Null) and op in ("=", "!="):
            return Test(column, "null" if op == "=" else "not null")
        if (other := self.chosen.get(id(right))) is not None:
            if other.table != column.table or op == "like":
                raise NoMeaning(right.sql())
            return Test(column, op, (), other)
        return self._literal(column, op, _literal(right))

    def _literal(self, column: ColumnRef, op: str, value: Literal) -> Test:
        """A comparison whose text is spelled as it is stored. Raises: NoMeaning where it is not stored."""
        is_number = self.names.kinds.get(column) in (Kind.INTEGER, Kind.NUMBER)
        if isinstance(value, str) and is_number and op not in ("=", "!=", "like"):
            value = _number(value)
        if not isinstance(value, str) or op not in ("=", "!="):
            return Test(column, op, (value,))
        stored = self.names.stored(column, value)
        if stored is not None:
            return Test(column, op, (stored,))
        if (behind := self.names.behind(column, value)) is not None:
            return Test(behind[0], op, (behind[1],))
        if self.names.is_read(column) and self.names.is_text(column):
            raise NoMeaning(f"{value} is not stored")
        if is_number:
            value = _number(value)
        return Test(column, op, (value,))

    # ------------------------------------------------------------ formulas

    def _formula(self, tree: exp.Expr) -> Formula:
        """A formula with its columns numbered, its functions written as arithmetic. Raises: NoMeaning."""
        columns: list[ColumnRef] = []
        tests: list[Test] = []
        self.totals.clear()
        built = self._computed(tree, columns, tests)
        if not columns:
            raise NoMeaning(tree.sql())
        outer = built.find(exp.AggFunc) is not None
        bare = any(c.find_ancestor(exp.AggFunc) is None for c in built.find_all(exp.Column))
        if outer and bare:
            raise NoMeaning(tree.sql())
        shape = built.transform(
            lambda node: exp.column(f"f{node.meta['total']}") if isinstance(node, exp.AggFunc) else node
        )
        totals = tuple(self.totals) if outer else ()
        return Formula(
            built.sql(),
            tuple(columns),
            tuple(dict.fromkeys(tests)),
            outer,
            totals,
            shape.sql() if outer else "",
        )

    def _computed(self, node: exp.Expr, columns: list[ColumnRef], tests: list[Test]) -> exp.Expr:
        if isinstance(node, exp.Paren):
            return exp.Paren(this=self._computed(node.this, columns, tests))
        if isinstance(node, exp.Literal) and not node.is_string:
            return node.copy()
        if isinstance(node, exp.Column):
            return _numbered(self._column(node), columns)
        pair = _pair(node)
        if pair is not None:
            kind, left, right = pair
            one, other = (self._computed(side, columns, tests) for side in (left, right))
            if kind is exp.Div:
                whole = exp.Mul(this=exp.Literal.number("1.0"), expression=exp.Paren(this=one))
                return exp.Div(
                    this=whole, expression=exp.func("NULLIF", exp.Paren(this=other), exp.Literal.number(0))
                )
            return kind(this=exp.Paren(this=one), expression=exp.Paren(this=other))
        if (
            isinstance(node, exp.Anonymous)
            and node.name.upper() in _ARITHMETIC
            and len(node.expressions) == 1
        ):
            return self._computed(node.expressions[0], columns, tests)  # DIVIDE(a / b)
        if type(node) in _AGGREGATES:
            return self._aggregate(node, columns, tests)
        raise NoMeaning(node.sql())

    def _aggregate(self, node: exp.Expr, columns: list[ColumnRef], tests: list[Test]) -> exp.Expr:
        """An aggregate of rows that meet a condition is one of CASE; the sum of a condition counts them."""
        kind, inner = type(node), node.this
        if len(list(node.find_all(exp.AggFunc))) > 1:
            raise NoMeaning(node.sql())
        if isinstance(inner, exp.Star):
            return self._told(node.copy(), Total("rows"))
        if isinstance(inner, exp.Distinct) and len(inner.expressions) == 1:
            (one,) = inner.expressions
            distinct = exp.Distinct(expressions=[self._computed(one, columns, tests)])
            if kind is not exp.Count:
                raise NoMeaning(node.sql())
            return self._told(kind(this=distinct), self._total("distinct", one, ()))
        parts = list(self._parts(inner))
        figures = [part for part in parts if not _is_test(part)]
        held = [self._clause(part) for part in parts if _is_test(part) and self._way(part) is None]
        if len(figures) > 1 or not figures and kind not in (exp.Sum, exp.Count):
            raise NoMeaning(node.sql())
        agg = _AGGREGATES[kind]
        if not held:
            return self._told(
                kind(this=self._computed(figures[0], columns, tests)), self._total(agg, figures[0], ())
            )
        tests += [test for clause in held for test in clause]
        condition = exp.and_(*(exp.or_(*(_test_sql(t, columns) for t in clause)) for clause in held))
        if not figures or kind is exp.Count or kind is exp.Sum and self._is_no_number(figures[0]):
            case = exp.Case(ifs=[exp.If(this=condition, true=exp.Literal.number(1))])
            return self._told(exp.Count(this=case), Total("rows", tests=tuple(held)))
        case = exp.Case(ifs=[exp.If(this=condition, true=self._computed(figures[0], columns, tests))])
        return self._told(kind(this=case), self._total(agg, figures[0], tuple(held)))

    def _total(self, agg: str, node: exp.Expr, tests: tuple[tuple[Test, ...], ...]) -> Total:
        """One aggregate with the columns of its own."""
        own: list[ColumnRef] = []
        sql = self._computed(node, own, []).sql()
        return Total(agg, sql, tuple(own), tests)

    def _told(self, built: exp.Expr, total: Total) -> exp.Expr:
        """An aggregate that bears its place among the formula's."""
        built.meta["total"] = len(self.totals)
        self.totals.append(total)
        return built

    def _is_no_number(self, node: exp.Expr) -> bool:
        """Whether what is summed cannot be: a text, or a key."""
        column = self.chosen.get(id(node))
        return column is not None and self.names.is_text(column)


def _is_test(node: exp.Expr) -> bool:
    return isinstance(node, (exp.Predicate, exp.Connector, exp.Not)) or (
        isinstance(node, exp.Paren) and _is_test(node.this)
    )


def _pair(node: exp.Expr) -> tuple[type[exp.Binary], exp.Expr, exp.Expr] | None:
    """The two sides of arithmetic, written with a sign or as a function."""
    if isinstance(node, (exp.Add, exp.Sub, exp.Mul, exp.Div)):
        return type(node), node.this, node.expression
    kind = _ARITHMETIC.get(node.name.upper()) if isinstance(node, exp.Anonymous) else None
    if kind is None or len(node.expressions) != 2:
        return None
    return kind, node.expressions[0], node.expressions[1]


def _literal(node: exp.Expr) -> Literal:
    """A literal of a tree; a name that is none of the catalog's is a text. Raises: NoMeaning."""
    if isinstance(node, exp.Neg) and isinstance(node.this, exp.Literal) and not node.this.is_string:
        return -_number(node.this.name)
    if isinstance(node, exp.Literal):
        return str(node.this) if node.is_string else _number(node.name)
    if isinstance(node, exp.Column) and not node.table:
        return node.name
    raise NoMeaning(node.sql())


def _number(text: str) -> int | float:
    try:
        return int(text) if text.isdecimal() and len(text) < 19 else float(text)
    except ValueError as error:
        raise NoMeaning(text) from error


def _numbered(column: ColumnRef, columns: list[ColumnRef]) -> exp.Column:
    if column not in columns:
        columns.append(column)
    return exp.column(f"c{columns.index(column)}")


def _test_sql(test: Test, columns: list[ColumnRef]) -> exp.Expr:
    """A comparison inside of a formula. Raises: NoMeaning for those that are not plain."""
    left = _numbered(test.column, columns)
    kind = next((k for k, op in _COMPARED.items() if op == test.op), None)
    if kind is None or len(test.values) != 1:
        raise NoMeaning(test.op)
    return kind(this=left, expression=exp.convert(test.values[0]))
