"""One column as a language model may see it: its type, its example values, and whether anything is known of it."""

from __future__ import annotations

import re

from sqlagent.catalog.examples import READ
from sqlagent.prompts.rendering.fencing import CELL_CHARS, one_line, shape
from sqlagent.values import Column, Kind, Seen, Table

EXAMPLES = 6
"""Example values shown of one column: three as a rule, more only where a column holds few different ones."""

LEGENDS = {
    "rows": f"`all:` lists every value of a column, `in {READ} rows:` every value of the first {READ} rows, `e.g.` a few of many. ",
    "masked": "`like 'Aaaa 99'` shows the form of values, not values: A and a are letters, 9 is a digit. ",
}
"""How example values are to be read, by level of privacy."""

UNKNOWN = "meaning not recorded"

_QUOTE = "'"
_SAYS_NOTHING = re.compile(
    r"(?!q[1-4]$|h[12]$)(?:[a-z]{1,2}|col|column|field|var|attr|attribute|val|value)_?\d+", re.I
)
_PLAIN_CODES = frozenset("yntfm")


def note_text(table: Table, column: Column, privacy: str) -> str:
    """Say of a column without a comment that nothing is known of it, where its name says nothing (A2) or its codes do not.

    Example:
        >>> district = Table("district", (Column("A2", "TEXT"), Column("name", "TEXT")))
        >>> [note_text(district, column, "schema") for column in district.columns]
        ['meaning not recorded', '']
    """
    if _is_key(table, column):
        return ""
    if _SAYS_NOTHING.fullmatch(column.name):
        return UNKNOWN
    codes = {example.casefold() for example in column.examples}
    is_coded = column.has_all_examples and len(codes) > 1 and column.kind is Kind.TEXT
    if privacy == "schema" or not is_coded or codes <= _PLAIN_CODES:
        return ""
    return f"codes, {UNKNOWN}" if all(len(code) == 1 and not code.isdigit() for code in codes) else ""


def examples_text(table: Table, column: Column, privacy: str) -> str:
    """Show example values, numbers bare and texts quoted, and say whether these are all.

    The numbers of keys say nothing and stay out.
    """
    number = column.kind in (Kind.INTEGER, Kind.NUMBER)
    if privacy not in ("masked", "rows") or (number and _is_key(table, column)):
        return ""
    if not column.examples:
        return _nothing(table, column)
    if column.is_read_whole and all(_is_said(column, example) for example in column.examples):
        return ""
    shown = column.examples if column.is_read_whole else column.examples[:EXAMPLES]
    texts = [one_line(example, CELL_CHARS) for example in shown]
    if privacy == "masked":
        texts = list(dict.fromkeys(map(shape, texts)))
    lead = "like" if privacy == "masked" else _lead(table, column)
    return f"{lead} " + ", ".join(text if number else f"'{text}'" for text in texts)


def _is_said(column: Column, example: str) -> bool:
    """Tell whether the comment lists this code with its label, or is about a flag."""
    return column.comment.startswith("a flag:") or bool(
        re.search(rf"(?:codes:|,) {re.escape(example)} = ", column.comment)
    )


def _is_key(table: Table, column: Column) -> bool:
    return column.name in table.primary_key or any(column.name in k.columns for k in table.foreign_keys)


def _lead(table: Table, column: Column) -> str:
    if column.is_read_whole:
        return "all:"
    if not column.has_all_examples or len(column.examples) > EXAMPLES:
        return "e.g."
    return "all:" if table.seen is Seen.WHOLE else f"in {READ} rows:"


def _nothing(table: Table, column: Column) -> str:
    """Say that a column holds nothing, as far as rows were looked at."""
    if column.kind is Kind.BINARY or table.seen not in (Seen.FIRST, Seen.WHOLE):
        return ""
    return "no value in any row" if table.seen is Seen.WHOLE else f"no value in the first {READ} rows"


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
