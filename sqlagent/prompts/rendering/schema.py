"""Tables, columns, examples and stored values as a language model may see them, and what frames a task."""

from __future__ import annotations

import re
from functools import lru_cache

from sqlagent import prompts
from sqlagent.prompts.rendering.fencing import CELL_CHARS, name_in, neutral, one_line, shape, table_in
from sqlagent.sql import literals
from sqlagent.values import (
    Catalog,
    Column,
    ColumnRef,
    ForeignKey,
    Kind,
    LinkedSchema,
    LlmMessage,
    Question,
    Table,
)

ENGINES = {
    "sqlite": "SQLite",
    "postgres": "PostgreSQL",
    "mysql": "MySQL",
    "duckdb": "DuckDB",
    "spark": "Spark SQL",
    "tsql": "SQL Server",
    "clickhouse": "ClickHouse",
    "bigquery": "BigQuery",
    "starrocks": "StarRocks",
    "singlestore": "SingleStore",
}

COMMENT_CHARS = 240
"""A comment is a sentence, with what the model of the source knows; longer ones are cut so that none fills a prompt."""

EXAMPLES = 6
"""Example values shown of one column: three as a rule, more only where a column holds few different ones."""

SCHEMA_CHARS = 48_000
"""About 12,000 tokens of schema. Beyond it, examples go first, then comments, then far tables' plain columns."""

_QUOTE = "'"


@lru_cache(maxsize=32)
def schema_text(catalog: Catalog, privacy: str, style: str = "cards") -> str:
    """Render tables, columns, keys, comments and (where allowed) examples.

    The same catalog, level and style give the same bytes, so that a serving engine's prefix
    cache pays for them once. `cards` is close to M-Schema (XiYan-SQL); `ddl` is CREATE TABLE.
    A text beyond `SCHEMA_CHARS` is made again with less: no examples, no comments, and at
    last keys only for the tables at the end, which linking puts there as the least likely.
    """
    draw = _ddl if style == "ddl" else _card
    text = ""
    for examples, comments in ((privacy != "schema", True), (False, True), (False, False)):
        level = privacy if examples else "schema"
        text = "\n\n".join(draw(table, catalog.dialect, level, comments) for table in catalog.tables)
        if len(text) <= SCHEMA_CHARS:
            return text
    kept: list[str] = []
    for table in catalog.tables:
        full = draw(table, catalog.dialect, "schema", False)
        if sum(map(len, kept)) + len(full) > SCHEMA_CHARS:
            keyed = {c for key in table.foreign_keys for c in key.columns} | set(table.primary_key)
            columns = tuple(c for c in table.columns if c.name in keyed)
            full = f"Table {table_in(table, catalog.dialect)}: {len(table.columns)} columns, among them " + (
                ", ".join(name_in(c.name, catalog.dialect) for c in columns) or "none that is a key"
            )
        kept.append(full)
    return "\n\n".join(kept)[: SCHEMA_CHARS * 2]


def _card(table: Table, dialect: str, privacy: str, comments: bool) -> str:
    lines = [("View " if table.is_view else "Table ") + table_in(table, dialect)]
    if comments and table.comment:
        lines[0] += f" -- {one_line(table.comment, COMMENT_CHARS)}"
    for column in table.columns:
        parts = [f"  {name_in(column.name, dialect)} {type_text(column.type, privacy)}".rstrip()]
        if column.name in table.primary_key:
            parts.append("primary key" if len(table.primary_key) == 1 else "part of the primary key")
        parts += [f"-> {target}" for target in _targets(table, column, dialect)]
        if comments and column.comment:
            parts.append(f"-- {one_line(column.comment, COMMENT_CHARS)}")
        if examples := _examples(table, column, privacy):
            parts.append(examples)
        lines.append("; ".join(parts))
    lines += [f"  key {_key(key, dialect)}" for key in table.foreign_keys if len(key.columns) > 1]
    return "\n".join(lines)


def _ddl(table: Table, dialect: str, privacy: str, comments: bool) -> str:
    lines = []
    for column in table.columns:
        line = f"  {name_in(column.name, dialect)} {type_text(column.type, privacy)}".rstrip()
        if table.primary_key == (column.name,):
            line += " PRIMARY KEY"
        notes = [one_line(column.comment, COMMENT_CHARS)] if comments and column.comment else []
        if examples := _examples(table, column, privacy):
            notes.append(examples)
        lines.append(line + "," + (f" -- {'; '.join(notes)}" if notes else ""))
    if len(table.primary_key) > 1:
        lines.append(f"  PRIMARY KEY ({', '.join(name_in(c, dialect) for c in table.primary_key)}),")
    lines += [f"  FOREIGN KEY {_key(key, dialect)}," for key in table.foreign_keys]
    head = f"CREATE {'VIEW' if table.is_view else 'TABLE'} {table_in(table, dialect)} ("
    if comments and table.comment:
        head += f" -- {one_line(table.comment, COMMENT_CHARS)}"
    return "\n".join([head, *lines, ");"])


def _targets(table: Table, column: Column, dialect: str) -> list[str]:
    return [
        f"{name_in(key.table, dialect)}.{name_in(key.referenced[0], dialect)}"
        for key in table.foreign_keys
        if len(key.columns) == 1 and key.columns[0].lower() == column.name.lower() and key.referenced
    ]


def _key(key: ForeignKey, dialect: str) -> str:
    here = ", ".join(name_in(c, dialect) for c in key.columns)
    there = ", ".join(name_in(c, dialect) for c in key.referenced)
    return f"({here}) REFERENCES {name_in(key.table, dialect)} ({there})"


def type_text(type_: str, privacy: str) -> str:
    """Write a column's type; the labels of an ENUM or SET are stored values and go out as such.

    Example:
        >>> type_text("enum('Oslo','O''Hara')", "rows"), type_text("enum('Oslo','O''Hara')", "masked")
        ("enum('Oslo','O''Hara')", "enum('Aaaa','A?Aaaa')")
        >>> type_text("enum('Oslo','O''Hara')", "schema"), type_text("decimal(10,2)", "schema")
        ('enum(…)', 'decimal(10,2)')
    """
    if privacy != "rows":
        label = r"'(?:[^'\\]|''|\\.)*(?:'|\Z)"
        if privacy == "masked":
            type_ = re.sub(
                label, lambda found: f"'{shape(found[0].strip(_QUOTE)).replace(_QUOTE, '?')}'", type_
            )
            type_ = type_.replace("??", "?")
        else:
            type_ = re.sub(rf"{label}(?:\s*,\s*{label})*", "…", type_)
    return one_line(type_, 40)


def _examples(table: Table, column: Column, privacy: str) -> str:
    """Show example values, numbers bare and texts quoted; the numbers of keys say nothing and stay out."""
    number = column.kind in (Kind.INTEGER, Kind.NUMBER)
    key = column.name in table.primary_key or any(column.name in k.columns for k in table.foreign_keys)
    if privacy not in ("masked", "rows") or not column.examples or (key and number):
        return ""
    texts = [one_line(example, CELL_CHARS) for example in column.examples[:EXAMPLES]]
    if privacy == "masked":
        texts = list(dict.fromkeys(map(shape, texts)))
    lead = "like" if privacy == "masked" else "e.g."
    return f"{lead} " + ", ".join(text if number else f"'{text}'" for text in texts)


def system_message(
    linked: LinkedSchema, privacy: str, style: str = "cards", wide: bool = False
) -> LlmMessage:
    """Render the message that opens every call about a question: the same bytes each time.

    `wide` shows the whole catalog, the linked tables first, instead of the linked part.
    """
    catalog = linked.catalog
    if wide:
        near = {table.key for table in catalog.tables}
        rest = tuple(table for table in linked.full.tables if table.key not in near)
        catalog = type(catalog)(catalog.dialect, (*catalog.tables, *rest), catalog.version)
    notes = f"dialect_{catalog.dialect}"
    text = prompts.render(
        "system",
        engine=ENGINES.get(catalog.dialect, catalog.dialect.capitalize() or "SQL"),
        schema=schema_text(catalog, privacy, style),
        dialect_notes=prompts.source(notes if notes in prompts.names() else "dialect_other"),
    )
    return LlmMessage("system", text)


def task_text(question: Question, linked: LinkedSchema, privacy: str) -> str:
    """Render the question with what is known about its words; opens every user message."""
    return prompts.render(
        "task",
        question=neutral(question.text),
        hint=neutral(question.hint),
        values=values_text(question, linked, privacy),
    )


def values_text(question: Question, linked: LinkedSchema, privacy: str) -> str:
    """Say where the question's words are stored, one line a match; empty where nothing matched.

    Below `rows` a stored spelling stays here: the line names the column and the words as
    typed, and `literals.bind` puts the stored spelling into the SQL afterwards.
    """
    lines: list[str] = []
    for words, match in literals.typed(question, linked):
        where, words = _column_in(match.column, linked.full), one_line(words, CELL_CHARS)
        if privacy == "rows":
            lines.append(f"- \"{words}\": {where} = '{one_line(match.value, CELL_CHARS)}' is stored")
        else:
            lines.append(f"- \"{words}\": may be a value of {where}; write it as '{words}'")
    return "\n".join(dict.fromkeys(lines))


def _column_in(column: ColumnRef, catalog: Catalog) -> str:
    table = next((t for t in catalog.tables if t.key == column.table), None)
    of = table_in(table, catalog.dialect) if table else one_line(column.table, CELL_CHARS)
    return f"{of}.{name_in(column.column, catalog.dialect)}"
