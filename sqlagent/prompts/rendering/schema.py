"""Tables and their keys as a language model may see them, and what frames a task."""

from __future__ import annotations

from functools import lru_cache

from sqlagent import prompts
from sqlagent.prompts.rendering.columns import LEGENDS, examples_text, note_text, type_text
from sqlagent.prompts.rendering.fencing import name_in, neutral, one_line, table_in
from sqlagent.prompts.rendering.knowing import hint_text, rules_text, terms_text, verified_text
from sqlagent.prompts.rendering.matches import values_text
from sqlagent.values import Catalog, Column, ForeignKey, LinkedSchema, LlmMessage, Question, Seen, Table

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

SCHEMA_CHARS = 48_000
"""About 12,000 tokens of schema. Beyond it, examples go first, then comments, then far tables' plain columns."""

KEY_LEGEND = "`a -> t.b` says that column a refers to column b of table t. "
"""How cards show keys; CREATE TABLE says REFERENCES."""

_SEEN = {Seen.EMPTY: "no rows", Seen.UNREAD: "values not read"}


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
    lines = [
        ("View " if table.is_view else "Table ") + table_in(table, dialect) + _about(table, privacy, comments)
    ]
    for column in table.columns:
        parts = [f"  {name_in(column.name, dialect)} {type_text(column.type, privacy)}".rstrip()]
        if column.name in table.primary_key:
            parts.append("primary key" if len(table.primary_key) == 1 else "part of the primary key")
        parts += [f"-> {target}" for target in _targets(table, column, dialect)]
        about, examples = _notes(table, column, privacy, comments)
        parts += [f"-- {about}"] * bool(about) + [examples] * bool(examples)
        lines.append("; ".join(parts))
    lines += [f"  key {_key(key, dialect)}" for key in table.foreign_keys if len(key.columns) > 1]
    return "\n".join(lines)


def _ddl(table: Table, dialect: str, privacy: str, comments: bool) -> str:
    lines: list[tuple[str, str]] = []
    for column in table.columns:
        line = f"  {name_in(column.name, dialect)} {type_text(column.type, privacy)}".rstrip()
        if table.primary_key == (column.name,):
            line += " PRIMARY KEY"
        lines.append((line, "; ".join(filter(None, _notes(table, column, privacy, comments)))))
    if len(table.primary_key) > 1:
        lines.append((f"  PRIMARY KEY ({', '.join(name_in(c, dialect) for c in table.primary_key)})", ""))
    lines += [(f"  FOREIGN KEY {_key(key, dialect)}", "") for key in table.foreign_keys]
    head = f"CREATE {'VIEW' if table.is_view else 'TABLE'} {table_in(table, dialect)} ("
    last = len(lines) - 1
    drawn = [
        line + ("," if at < last else "") + (f" -- {notes}" if notes else "")
        for at, (line, notes) in enumerate(lines)
    ]
    return "\n".join([head + _about(table, privacy, comments), *drawn, ");"])


def _about(table: Table, privacy: str, comments: bool) -> str:
    """Say what a table's comment says, and where no value of it can be shown, why."""
    said = [one_line(table.comment, COMMENT_CHARS)] if comments and table.comment else []
    if privacy != "schema" and table.seen in _SEEN:
        said.append(_SEEN[table.seen])
    return f" -- {'; '.join(said)}" if said else ""


def _notes(table: Table, column: Column, privacy: str, comments: bool) -> tuple[str, str]:
    """Say what is known of a column's meaning, or that nothing is; and show its examples."""
    about = ""
    if comments:
        about = (
            one_line(column.comment, COMMENT_CHARS) if column.comment else note_text(table, column, privacy)
        )
    return about, examples_text(table, column, privacy)


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


def system_message(
    linked: LinkedSchema, privacy: str, style: str = "cards", wide: bool = False
) -> LlmMessage:
    """Render the message that opens every call about a question: the same bytes each time.

    `wide` shows the whole catalog, the linked tables first, instead of the linked part, unless that was trimmed.
    """
    catalog = linked.catalog
    if wide and not linked.is_trimmed:
        near = {table.key for table in catalog.tables}
        rest = tuple(table for table in linked.full.tables if table.key not in near)
        catalog = type(catalog)(catalog.dialect, (*catalog.tables, *rest), catalog.version)
    notes = f"dialect_{catalog.dialect}"
    text = prompts.render(
        "system",
        engine=ENGINES.get(catalog.dialect, catalog.dialect.capitalize() or "SQL"),
        schema=schema_text(catalog, privacy, style),
        legend=("" if style == "ddl" else KEY_LEGEND) + LEGENDS.get(privacy, ""),
        dialect_notes=prompts.source(notes if notes in prompts.names() else "dialect_other"),
    )
    return LlmMessage("system", text)


def task_text(question: Question, linked: LinkedSchema, privacy: str) -> str:
    """Render the question with what is known about its words; opens every user message."""
    return prompts.render(
        "task",
        question=neutral(question.text),
        hint=neutral(hint_text(question, privacy)),
        values=values_text(question, linked, privacy),
        rules=rules_text(linked, privacy),
        terms=terms_text(question, linked, privacy),
        verified=verified_text(question, linked, privacy),
    )
