"""Completions at a place of SQL, best first, and the kind that is wanted there.

Columns that can be seen come before tables, tables that a key joins before others, keywords last.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.tokenizer_core import TokenType

from sqlagent.language.lexicon import words_of
from sqlagent.sql.completing.blocks import Block, Field, is_name, resolve, word
from sqlagent.sql.completing.joining import join_offers, shared_offers, table_offers
from sqlagent.sql.completing.known import Known
from sqlagent.sql.completing.offers import (
    ALIAS,
    COLUMN,
    FUNCTION,
    NAME,
    TABLE,
    Completion,
    Here,
    Scored,
    column_offer,
    fitness,
    keyword_offers,
    name_offer,
    type_of,
)
from sqlagent.sql.completing.places import place_of
from sqlagent.values import Term, TermKind

# As many as one looks through.
MOST = 50
Values = Callable[[str, str], Collection[str]]
"""The stored texts of a column that may be shown, by its table's key and its name."""

_FIRST = ("SELECT", "WITH", "EXPLAIN")
_AFTER = {
    "": ("SELECT",),
    "SELECT": ("FROM", "DISTINCT", "CASE", "AS"),
    "FROM": ("JOIN", "LEFT JOIN", "INNER JOIN", "CROSS JOIN", "ON", "WHERE", "GROUP BY", "ORDER BY", "LIMIT", "AS"),
    "WHERE": ("AND", "OR", "NOT", "IN", "IS NULL", "IS NOT NULL", "LIKE", "BETWEEN", "EXISTS", "GROUP BY", "ORDER BY", "LIMIT"),
    "GROUP": ("HAVING", "ORDER BY", "LIMIT"),
    "HAVING": ("AND", "OR", "ORDER BY", "LIMIT"),
    "QUALIFY": ("ORDER BY", "LIMIT"),
    "ORDER": ("ASC", "DESC", "NULLS LAST", "LIMIT"),
    "LIMIT": ("OFFSET",),
}  # fmt: skip
_ENDS = ("UNION ALL", "UNION", "EXCEPT", "INTERSECT")
_COMPARES = frozenset({"=", "<>", "!=", "<", ">", "<=", ">=", "LIKE", "ILIKE", "==", "<=>"})
_COUNTED = ("count", "sum", "avg", "min", "max")


def complete(
    text: str,
    at: int,
    known: Known,
    values: Values | None = None,
    most: int = MOST,
    terms: Sequence[Term] = (),
) -> list[Completion]:
    """Offer how SQL may go on at a place of it, best first. `terms` are the source's own, offered where what they are made of is read."""
    place = place_of(text, at, known.dialect)
    if place is None or place.quote == "`" and known.dialect not in ("mysql", "spark", "sqlite", "bigquery"):
        return []
    here = Here(place, known)
    if place.is_text:
        return _values(here, values)[:most] if values is not None else []
    ranked = sorted((*_ranked(here), *_terms(here, terms)), key=lambda one: -one[0])
    offered: dict[tuple[str, str], Completion] = {}
    for _, found in ranked:
        offered.setdefault((found.label.lower(), found.kind if found.kind == "join" else ""), found)
        if len(offered) >= most:
            break
    return list(offered.values())


# ---------------------------------------------------------------- terms

_OF_GROUPS, _OF_ROWS = ("SELECT", "HAVING", "ORDER"), ("WHERE", "HAVING", "SELECT")


def _terms(here: Here, terms: Sequence[Term]) -> Iterator[Scored]:
    """Terms whose words begin as what was typed, written out under the names that tables have here."""
    block, typed = here.block, here.place.word
    if not terms or block is None or not typed or here.place.quote or here.said() == ".":
        return
    if here.clause not in {*_OF_GROUPS, *_OF_ROWS} or not _wants_operand(here):
        return
    for term in terms:
        wanted = _OF_GROUPS if term.kind is TermKind.MEASURE else _OF_ROWS
        if term.kind in (TermKind.RULE, TermKind.NAME) or here.clause not in wanted:
            continue
        fit, phrase = max(
            ((fitness(typed, phrase), phrase) for phrase in term.phrases), key=lambda one: one[0]
        )
        if fit and (sql := _written_out(here, term)):
            note = term.description or term.body
            yield 12 + fit, Completion(phrase, sql, "term", note, here.place.start)


def _written_out(here: Here, term: Term) -> str:
    """A term's SQL under the names of here; empty where a table of it is not read, or cannot be told from another."""
    assert here.block is not None
    try:
        tree = sqlglot.parse_one(f"SELECT {term.body}", dialect=here.known.dialect)
    except (SqlglotError, RecursionError, ValueError):
        return ""
    for column in tree.find_all(exp.Column):
        reads = [
            r
            for r in here.block.reads
            if r.table is not None and r.table.name.lower() == column.table.lower()
        ]
        if len(reads) > 1 or not reads and here.block.reads:
            return ""
        name = reads[0].name if reads else ""
        if name:
            column.set("table", exp.to_identifier(name, quoted=here.known.written(name) != name))
            column.set("db", None)
    written: str = tree.expressions[0].sql(here.known.dialect)
    return written


# ---------------------------------------------------------------- what is wanted


def _ranked(here: Here) -> Iterator[Scored]:
    for score, found in _wanted(here):
        fit = fitness(here.place.word, found.label)
        if fit:
            yield score + fit, found


def _wanted(here: Here) -> Iterator[Scored]:
    if here.said() == ".":
        yield from _behind_dot(here)
        return
    if here.block is None or not here.clause:
        yield from keyword_offers(here, _FIRST if not here.place.before else _AFTER[""], 5)
        return
    if here.clause == "FROM":
        yield from _in_from(here)
        return
    if here.clause in ("LIMIT", "OFFSET", "FETCH"):
        yield from keyword_offers(here, _AFTER["LIMIT"], 5)
        return
    yield from _in_expression(here)


def _behind_dot(here: Here) -> Iterator[Scored]:
    owner = here.back(2)
    if owner is None:
        return
    name = owner.text.lower()
    for block in here.scopes():
        for read in block.reads:
            if read.name.lower() == name and read.fields:
                yield from ((COLUMN, column_offer(here, one)) for one in _ordered(here, read.fields))
                return
    if here.clause == "FROM":
        for table in here.known.catalog.tables:
            if (table.schema or here.known.catalog.default_schema).lower() == name:
                yield TABLE, name_offer(here, table.name, "table", table.comment)
        return
    known = here.known.table(name)
    if known is not None:
        yield from ((30, column_offer(here, Field(one.name, known, one))) for one in known.columns)


def _in_from(here: Here) -> Iterator[Scored]:
    assert here.block is not None
    before, said = here.back(), here.said()
    if said in ("FROM", "JOIN", "LATERAL") or said == "," and not _in_condition(here):
        yield from table_offers(here)
    elif said == "USING" or said == "(" and here.said(2) == "USING" or said == "," and _in_using(here):
        yield from shared_offers(here)
    elif said == "ON" or said in ("AND", "OR", "NOT", "(") and _in_condition(here):
        yield from join_offers(here, here.read_before())
        yield from _in_expression(here)
    elif _in_condition(here):
        yield from _in_expression(here)
    elif before is not None and (is_name(before) or before.token_type is TokenType.R_PAREN):
        read = here.read_before()
        behind_join = read is not None and len(here.block.reads) > 1 and read is not here.block.reads[0]
        if behind_join and read is not None and read.on is None:
            for score, found in join_offers(here, read):
                yield (
                    score,
                    Completion(f"ON {found.label}", f"ON {found.insert}", "join", found.note, found.start),
                )
            yield from keyword_offers(here, ("ON", "USING", "AS"), 15)
        yield from keyword_offers(here, (*_AFTER["FROM"], *_ENDS), 5)


def _in_condition(here: Here) -> bool:
    """The cursor stands behind ON of the last thing that is read before it."""
    read = here.read_before()
    if read is None or read.on is None or read.on >= here.place.before:
        return False
    return not any(
        word(here.place.tokens[n]) in ("JOIN", "LEFT", "RIGHT", "FULL", "CROSS", "INNER")
        for n in range(read.on + 1, here.place.before)
    )


def _in_using(here: Here) -> bool:
    read = here.read_before()
    return read is not None and read.on is not None and word(here.place.tokens[read.on]) == "USING"


# ---------------------------------------------------------------- expressions


def _in_expression(here: Here) -> Iterator[Scored]:
    assert here.block is not None
    clause, wants_value = here.clause, _wants_operand(here)
    beside = _beside(here)
    if wants_value:
        yield from _columns(here, beside)
        if clause in ("GROUP", "ORDER", "HAVING", "QUALIFY"):
            for one in here.block.gives:
                if one.column is None:
                    yield ALIAS + 4, name_offer(here, one.name, "alias", "of this SELECT")
        for block in here.scopes():
            for read in block.reads:
                if read.name and not here.place.quote:
                    yield (
                        NAME,
                        name_offer(
                            here, read.name, "alias", read.table.name if read.table is not None else ""
                        ),
                    )
        if not here.block.reads and not here.place.quote:
            yield from _any_columns(here)
        if not here.place.quote:
            for name in here.known.functions:
                common = 3 if name in _COUNTED else 0
                yield (
                    FUNCTION + common,
                    Completion(f"{name}()", f"{name}(", "function", "function", here.place.start),
                )
        yield from keyword_offers(here, ("NULL", "TRUE", "FALSE", "CASE"), 1)
    words = _AFTER.get(clause, ())
    after = _ENDS if clause in ("WHERE", "GROUP", "HAVING") else ()
    yield from keyword_offers(here, (*words, *after), 1 if wants_value else 6)


def _wants_operand(here: Here) -> bool:
    """A value may begin here: a column, a function; not right behind one, where an operator is wanted."""
    token = here.back()
    if token is None:
        return True
    if token.token_type in (TokenType.R_PAREN, TokenType.NUMBER, TokenType.STRING, TokenType.IDENTIFIER):
        return False
    said = word(token)
    if not (said[:1].isalpha() or said[:1] == "_"):
        return True
    return said in _BEFORE_OPERANDS


_BEFORE_OPERANDS = words_of(
    """
    SELECT DISTINCT ALL WHERE AND OR NOT ON BY HAVING WHEN THEN ELSE CASE IN LIKE ILIKE BETWEEN QUALIFY IS
    GROUP ORDER INTERVAL FILTER EXISTS ANY SOME RETURNING PARTITION
    """
)


def _beside(here: Here) -> Field | None:
    """The column that is compared with what is typed."""
    if here.said() not in _COMPARES:
        return None
    return _column_before(here, 2)


def _column_before(here: Here, steps: int) -> Field | None:
    """The column that ends so many tokens before the cursor."""
    token = here.back(steps)
    if token is None or not is_name(token):
        return None
    owner = here.back(steps + 2) if here.said(steps + 1) == "." else None
    return resolve(here.block, token.text, owner.text if owner is not None else "")


def _columns(here: Here, beside: Field | None) -> Iterator[Scored]:
    """The columns that can be seen, by the block they are seen from; one that two sources have with the source's name."""
    for depth, block in enumerate(here.scopes()):
        every = [one.name.lower() for read in block.reads for one in read.fields]
        joined = set(_keys_to(here, beside)) if beside is not None else set()
        taken = {
            one.name.lower() for inner in _inside(here, depth) for read in inner.reads for one in read.fields
        }
        for number, read in enumerate(block.reads):
            for place, one in enumerate(_ordered(here, read.fields)):
                doubled = every.count(one.name.lower()) > 1 or one.name.lower() in taken
                score = COLUMN - depth * 6 - number * 0.05 - place * 0.001
                if joined and one.table is not None and one.column is not None:
                    score += 8 if (one.table.key, one.column.name.lower()) in joined else 0
                if here.clause == "GROUP" and any(
                    mine.name.lower() == one.name.lower() and mine.column is not None for mine in block.gives
                ):
                    score += 6
                if doubled and read.name and not here.place.quote:
                    words = f"{here.known.written(read.name)}.{here.known.written(one.name)}"
                    yield score, Completion(words, words, "column", type_of(one), here.place.start)
                else:
                    yield score, column_offer(here, one)


def _inside(here: Here, depth: int) -> list[Block]:
    return [block for n, block in enumerate(here.scopes()) if n < depth]


def _keys_to(here: Here, beside: Field) -> Iterator[tuple[str, str]]:
    """The columns that a key joins with one."""
    if beside.table is None or beside.column is None:
        return
    for edge in here.known.around(beside.table):
        for mine, theirs in zip(edge.columns, edge.referenced, strict=False):
            if mine.lower() == beside.column.name.lower():
                yield edge.target, theirs.lower()


def _any_columns(here: Here) -> Iterator[Scored]:
    """Columns of every table, where nothing is read from yet; only by what was typed of one."""
    if not here.place.word:
        return
    for table in here.known.catalog.tables:
        for column in table.columns:
            if fitness(here.place.word, column.name):
                yield 16, column_offer(here, Field(column.name, table, column))


def _ordered(here: Here, fields: Iterable[Field]) -> Iterator[Field]:
    """Fields, each name once."""
    seen: set[str] = set()
    for one in fields:
        if one.name.lower() not in seen:
            seen.add(one.name.lower())
            yield one


# ---------------------------------------------------------------- values


def _values(here: Here, values: Values) -> list[Completion]:
    """Stored texts of the column that a text is compared with; those that begin as it does come first."""
    column = _compared(here)
    if column is None or column.table is None or column.column is None:
        return []
    low = here.place.word.lower()
    texts = [text for text in values(column.table.key, column.column.name) if low in text.lower()]
    texts.sort(key=lambda text: (not text.lower().startswith(low), text.lower()))
    end = "" if here.place.is_closed else "'"
    note = f"{column.table.name}.{column.column.name}"
    return [
        Completion(text, text.replace("'", "''") + end, "value", note, here.place.start) for text in texts
    ]


def _compared(here: Here) -> Field | None:
    """The column that the text at the cursor is compared with, by a sign or in a list."""
    said = here.said()
    if said in _COMPARES:
        return _column_before(here, 3 if here.said(2) == "NOT" else 2)
    steps = 1
    while (token := here.back(steps)) is not None and (
        token.token_type is TokenType.STRING or token.token_type is TokenType.COMMA
    ):
        steps += 1
    if here.said(steps) == "(" and here.said(steps + 1) == "IN":
        return _column_before(here, steps + (3 if here.said(steps + 2) == "NOT" else 2))
    return None
