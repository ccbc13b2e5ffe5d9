"""Refuses SQL that reads tables and columns withheld from the person, in any form.

Fail closed. Next to a table of which columns are withheld, a statement may hold no name that could stand for one of them: no
star, no whole row, no NATURAL JOIN, no renaming by place. A name is let through only where it certainly belongs to another
table. A needless refusal costs an alias; a leak costs the secret. The catalog of the other steps holds no withheld table or
column, so no refusal names one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from sqlagent.guard.lists import lists
from sqlagent.guard.unknown import start_of
from sqlagent.guard.withheld import Withheld, folded
from sqlagent.language.saying import worded
from sqlagent.values import Catalog, Refusal


def withheld_problem(
    root: exp.Expr, tokens: Sequence[Token], catalog: Catalog, withheld: Withheld
) -> Refusal | None:
    """Refuse a statement that reads what is withheld, or of which that is not certain. `catalog` is the narrowed one."""
    look = _Look(root, tokens, catalog, withheld)
    return next(look.problems(), None)


# Expressions that only select rows.
_ROOTS = (exp.Select, exp.SetOperation, exp.Subquery, exp.Values)
# Expressions that read columns without naming them, or by their place.
_ODD = (
    exp.Pivot, exp.Command, exp.Describe, exp.Summarize, exp.PositionalColumn, exp.Columns, exp.Parameter,
    exp.SessionParameter, exp.MatchRecognize,
)  # fmt: skip
# Functions in FROM that read no table.
_SERIES = frozenset(("generate_series", "range", "unnest", "json_each", "json_tree"))
# Names that an engine takes for the key of a table, where none of its columns is called so.
_KEYS = {"sqlite": frozenset(("rowid", "_rowid_", "oid")), "mysql": frozenset(("_rowid",))}
# Functions and types that tell of tables: their comments, definitions, defaults, sizes, and whether they are there.
_TELLING = re.compile(
    r"pg_(?!typeof$|column_size$|client_encoding$).*|(?:obj|col|shobj)_description|to_reg\w+|has_\w+_privilege"
    r"|row_security_active|format_type|reg(?:class|type|proc|procedure|oper|operator|role|namespace|config|dictionary|collation)"
)
_SYSTEM = ("pg_", "sqlite_", "duckdb_", "pragma_")
# Bytes of a name that PostgreSQL reads.
_NAME_BYTES = 63


@dataclass
class _Look:
    """One look through a statement."""

    root: exp.Expr
    tokens: Sequence[Token]
    catalog: Catalog
    withheld: Withheld
    # Names that stand for a table of which something is withheld, and names that certainly stand for something else.
    secret: set[str] = field(default_factory=set)
    open: set[str] = field(default_factory=set)
    columns: set[str] = field(default_factory=set)
    # Where names of tables and their aliases stand in FROM.
    places: set[int] = field(default_factory=set)

    def problems(self) -> Iterator[Refusal]:
        """Find what is wrong, the gravest first."""
        odd = None if isinstance(self.root, _ROOTS) else self.root
        odd = odd or next(iter(self.root.find_all(*_ODD)), None)
        if odd is not None:
            yield _unsure(worded("Only a plain SELECT may be run here."), start_of(odd))
        ctes = {folded(cte.alias) for cte in self.root.find_all(exp.CTE)}
        if clash := sorted(
            name for name in ctes if self._is_table_withheld("", name) or self._hidden("", name)
        ):
            yield _unsure(worded("No CTE may be called {clash} here.", clash=clash[0]), 0)
        # The engine takes the name for the system table wherever the CTE is out of reach.
        if system := sorted(name for name in ctes if name.startswith(_SYSTEM) or name in self._listed()):
            yield _unsure(
                worded("No CTE may be called {system} here, like a system table.", system=system[0]), 0
            )
        yield from self._telling()
        for table in self.root.find_all(exp.Table):
            if (problem := self._table(table, ctes)) is not None:
                yield problem
        if self.dialect == "sqlite":
            for node in self.root.find_all(exp.In):
                if node.args.get("field") is not None:
                    yield _unsure(worded("IN may stand before a list or a SELECT only."), start_of(node))
        if not self.columns:
            return
        self._aliases()
        yield from self._trees()
        self._outputs()
        yield from self._words()

    @property
    def dialect(self) -> str:
        return self.catalog.dialect

    def _listed(self) -> frozenset[str]:
        """The names of system tables that are found without their schema."""
        return frozenset(
            name.rpartition(".")[2]
            for name in lists(self.dialect).tables
            if not name.startswith("information_schema.")
        )

    def _telling(self) -> Iterator[Refusal]:
        """Look for names that PostgreSQL cuts into others, and for what tells of tables by their names."""
        if self.dialect not in ("postgres", "duckdb"):
            return
        for at, token in enumerate(self.tokens):
            if token.token_type in _LITERALS:
                continue
            if self.dialect == "postgres" and len(token.text.encode("utf-8", "replace")) > _NAME_BYTES:
                yield _unsure(
                    worded("A name may have at most {name_bytes} bytes here.", name_bytes=_NAME_BYTES),
                    token.start,
                )
            behind = [one.token_type for one in self.tokens[at + 1 : at + 2]]
            is_used = behind == [TokenType.L_PAREN] or (
                at and self.tokens[at - 1].token_type in (TokenType.DOT, TokenType.DCOLON, TokenType.ALIAS)
            )
            if is_used and _TELLING.fullmatch(folded(token.text)):
                yield _unsure(
                    worded("{text} may not stand here.", text=token.text[:60]),
                    token.start,
                    worded("Look up tables in the schema browser."),
                )

    def _is_table_withheld(self, schema: str, name: str) -> bool:
        return any(_is_named(key, schema, name) for key in self.withheld.tables)

    def _hidden(self, schema: str, name: str) -> frozenset[str]:
        """The withheld columns of every table that a name may stand for."""
        found = (names for key, names in self.withheld.by_table.items() if _is_named(key, schema, name))
        return frozenset().union(*found)

    def _table(self, node: exp.Table, ctes: set[str]) -> Refusal | None:
        """Look at a table in FROM: what it is, and what of it is withheld."""
        if not isinstance(node.this, exp.Identifier):
            name = node.this.name if isinstance(node.this, exp.Anonymous) else ""
            known = isinstance(node.this, exp.GenerateSeries | exp.ExplodingGenerateSeries | exp.Unnest)
            if not known and folded(name) not in _SERIES:
                return _unsure(worded("This function may not stand in FROM here."), start_of(node))
            return None
        name, schema = folded(node.name), folded(node.db)
        alias = folded(node.alias_or_name)
        if not schema and name in ctes:
            self.open.add(alias)
            return None
        known = any(
            folded(table.name) == name
            and (not schema or folded(table.schema or self.catalog.default_schema or schema) == schema)
            for table in self.catalog.tables
        )
        # A name without its schema may be found in any; one that may stand for a withheld table does not pass.
        if node.catalog or not known or self._is_table_withheld(schema, name):
            return Refusal(
                worded("There is no table {name} for you here.", name=node.name[:60]),
                worded("This source shows you no table or view of that name, and system tables neither."),
                worded("Look up the names in the schema browser."),
                start_of(node.this),
                "table",
                node.name,
            )
        hidden = self._hidden(schema, name)
        if not hidden:
            self.open.add(alias)
            return None
        shown = {
            folded(column.name)
            for table in self.catalog.tables
            if _is_named(table.key, schema, name)
            for column in table.columns
        }
        self.columns |= hidden | (_KEYS.get(self.dialect, frozenset()) - shown)
        self.secret |= {alias, name}
        parts = [*node.parts, node.args["alias"].this if node.args.get("alias") else None]
        for part in parts:
            if isinstance(part, exp.Identifier):
                start = start_of(part)
                if start is None:
                    return _unsure(
                        worded("{name} cannot be read with certainty here.", name=node.name[:60]), None
                    )
                self.places.add(start)
        if node.args.get("only"):
            return _unsure(worded("ONLY may not be written here."), start_of(node.this))
        return None

    def _aliases(self) -> None:
        """Sort the names of what stands in brackets: a SELECT shows what it names, brackets around tables show all of theirs."""
        for node in self.root.find_all(exp.Subquery):
            if not node.alias:
                continue
            is_select = isinstance(node.this, exp.Select | exp.SetOperation)
            (self.open if is_select else self.secret).add(folded(node.alias))
        for other in self.root.find_all(exp.Lateral, exp.Unnest, exp.Values):
            if other.alias:
                self.open.discard(folded(other.alias))
        self.open -= self.secret

    def _outputs(self) -> None:
        """Note where outputs get names: a figure may be called like a table, as long as nothing reads it by that name."""
        for select in self.root.find_all(exp.Select):
            for output in select.expressions:
                named = output.args.get("alias") if isinstance(output, exp.Alias) else None
                start = start_of(named) if isinstance(named, exp.Identifier) else None
                if start is not None:
                    self.places.add(start)

    def _trees(self) -> Iterator[Refusal]:
        for star in self.root.find_all(exp.Star):
            if not self._is_star_open(star):
                yield Refusal(
                    worded("* may not be written here."),
                    worded("Not all columns of a table in this statement are shown to you."),
                    worded("Name the columns you want."),
                    start_of(star) or start_of(star.parent) if star.parent is not None else None,
                )
        for alias in self.root.find_all(exp.TableAlias):
            is_named = isinstance(alias.parent, exp.CTE | exp.Values) or (
                isinstance(alias.parent, exp.Subquery)
                and isinstance(alias.parent.this, exp.Select | exp.SetOperation | exp.Values)
            )
            if alias.args.get("columns") and not is_named:
                yield _unsure(
                    worded("Columns may not be renamed in FROM here."), start_of(alias.this or alias)
                )

    def _is_star_open(self, star: exp.Star) -> bool:
        """Say whether a star certainly shows no table of which something is withheld."""
        parent = star.parent
        if isinstance(parent, exp.Count) and parent.this is star:
            return True
        if isinstance(parent, exp.Column) and isinstance(parent.parent, exp.Select):
            owner = parent.args.get("table")
            return owner is not None and not parent.args.get("db") and folded(owner.name) in self.open
        if not isinstance(parent, exp.Select):
            return False
        from_ = parent.args.get("from_")
        if from_ is None or parent.args.get("laterals"):
            return False
        sources = [from_.this, *(join.this for join in parent.args.get("joins") or ())]
        return all(self._is_source_open(source) for source in sources)

    def _is_source_open(self, source: exp.Expr) -> bool:
        if source.args.get("joins") or source.args.get("laterals") or source.args.get("pivots"):
            return False
        is_select = isinstance(source, exp.Subquery) and isinstance(
            source.this, exp.Select | exp.SetOperation
        )
        is_table = isinstance(source, exp.Table) and isinstance(source.this, exp.Identifier)
        name = folded(source.alias_or_name)
        return bool(is_select or (is_table and name in self.open))

    def _words(self) -> Iterator[Refusal]:
        """Look at each word as the engine will: none is a withheld column, and none a whole row."""
        as_names = {TokenType.STRING} if self.dialect in ("sqlite", "duckdb", "spark") else set()
        for at, token in enumerate(self.tokens):
            word = folded(token.text)
            is_text = token.token_type in _LITERALS and token.token_type not in as_names
            if is_text and not (at and self.tokens[at - 1].token_type == TokenType.DOT):
                continue
            if word == "natural" and token.token_type != TokenType.IDENTIFIER:
                yield _unsure(
                    worded("NATURAL JOIN may not be written here."),
                    token.start,
                    worded("Join with ON or USING."),
                )
            if word == "match" and self.dialect == "sqlite" and token.token_type != TokenType.IDENTIFIER:
                # The text behind it may name any column of a table for full-text search.
                yield _unsure(
                    worded("MATCH may not be written here."), token.start, worded("Compare with LIKE.")
                )
            if word in self.columns and not self._belongs_elsewhere(at):
                yield Refusal(
                    worded("There is no column {text} for you here.", text=token.text[:60]),
                    worded(
                        "No table in this statement shows you a column of that name, or the name may stand for one that is not shown."
                    ),
                    worded(
                        "Leave it out. Where another table has it, write its alias before it, and no such name as an output."
                    ),
                    token.start,
                    "column",
                    token.text,
                )
            if word in self.secret and token.start not in self.places and not self._qualifies(at):
                yield _unsure(
                    worded("{text} may not stand here by itself.", text=token.text[:60]),
                    token.start,
                    worded(
                        "Name the columns you want, each with the alias of its table, and call no output like a table."
                    ),
                )

    def _belongs_elsewhere(self, at: int) -> bool:
        """Say whether a name is behind the alias of something that has nothing withheld, and behind nothing else."""
        if at < 2 or self.tokens[at - 1].token_type != TokenType.DOT:
            return False
        is_longer = at > 2 and self.tokens[at - 3].token_type == TokenType.DOT
        return folded(self.tokens[at - 2].text) in self.open and not is_longer

    def _qualifies(self, at: int) -> bool:
        """Say whether a name stands before a dot and a column, and so shows no more than that column."""
        behind = [token.token_type for token in self.tokens[at + 1 : at + 4]]
        is_dotted = len(behind) >= 2 and behind[0] == TokenType.DOT and behind[1] != TokenType.STAR
        is_call = len(behind) == 3 and behind[2] == TokenType.L_PAREN
        return is_dotted and not is_call


_LITERALS = frozenset(
    (
        TokenType.STRING, TokenType.NUMBER, TokenType.BIT_STRING, TokenType.HEX_STRING, TokenType.BYTE_STRING,
        TokenType.NATIONAL_STRING, TokenType.RAW_STRING, TokenType.HEREDOC_STRING, TokenType.UNICODE_STRING,
    )
)  # fmt: skip


def _is_named(key: str, schema: str, name: str) -> bool:
    """Say whether a name may stand for the table of a key. One without a schema may be found in any; names may hold dots."""
    whole = folded(key)
    return name == whole or (whole.endswith(f".{name}") and (not schema or whole == f"{schema}.{name}"))


def _unsure(
    what: str,
    position: int | None,
    advice: str = worded("Write it plainer: SELECT, named columns, FROM, JOIN ON."),
) -> Refusal:
    return Refusal(
        what,
        worded("Part of this source is not shown to you, so its statements are read strictly."),
        advice,
        position,
    )
