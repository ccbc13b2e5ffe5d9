"""Tells from a database's own word for a type what a column holds."""

from __future__ import annotations

import re

from sqlagent.values import Kind

_EXACT: dict[str, Kind] = {
    **dict.fromkeys(("bool", "boolean"), Kind.BOOLEAN),
    **dict.fromkeys(("date", "date32"), Kind.DATE),
    **dict.fromkeys(("time", "timetz", "time with time zone", "time without time zone"), Kind.TIME),
    **dict.fromkeys(("year", "oid", "serial", "bigserial", "smallserial"), Kind.INTEGER),
    **dict.fromkeys(("name", "citext", "uuid", "xml", "inet", "cidr", "string", "enum", "set"), Kind.TEXT),
    **dict.fromkeys(("bytea", "blob", "binary", "varbinary", "bit", "bit varying", "varbit"), Kind.BINARY),
    **dict.fromkeys(("json", "jsonb", "interval", "point", "polygon", "geometry", "geography"), Kind.OTHER),
}
_PATTERNS: tuple[tuple[str, Kind], ...] = (
    (r"datetime|timestamp", Kind.DATETIME),
    (r"^date\b", Kind.DATE),
    (r"^time\b", Kind.TIME),
    (r"^bool", Kind.BOOLEAN),
    (r"^u?(tiny|small|medium|big|huge)?int(eger|\d+)?( unsigned| signed)?( zerofill)?$", Kind.INTEGER),
    (r"char|text|clob|string|^enum|^set\b", Kind.TEXT),
    (r"blob|binary|bytea", Kind.BINARY),
    (r"^(dec|numeric|number|real|float|double|money|fixed)", Kind.NUMBER),
)


def kind_of(declared: str) -> Kind:
    """Tell what a column of this declared type holds; arrays and the unknown are OTHER.

    Example:
        >>> [str(kind_of(t)) for t in ("numeric(10,2)", "character varying(20)", "timestamp with time zone")]
        ['number', 'text', 'datetime']
        >>> [str(kind_of(t)) for t in ("INT UNSIGNED", "integer[]", "STRUCT(a INTEGER)", "")]
        ['integer', 'other', 'other', 'other']
    """
    word = declared.strip().lower()
    if word.endswith("]") or re.match(r"(struct|map|union|list|row)\b", word):
        return Kind.OTHER
    word = re.sub(r"\s*\([^)]*\)", "", word).strip()
    if word in _EXACT:
        return _EXACT[word]
    return next((kind for pattern, kind in _PATTERNS if re.search(pattern, word)), Kind.OTHER)


def sqlite_kind_of(declared: str) -> Kind:
    """Tell what a column holds in SQLite, where any word may be a type.

    Words that other databases know mean what they mean there, BIT what it does in SQL Server; the rest follow SQLite's
    affinity rules (https://sqlite.org/datatype3.html#determination_of_column_affinity).

    Example:
        >>> str(sqlite_kind_of("NVARCHAR2(10)")), str(sqlite_kind_of("POINTS INT")), str(sqlite_kind_of(""))
        ('text', 'integer', 'other')
    """
    if declared.strip().lower() == "bit":
        return Kind.BOOLEAN
    kind = kind_of(declared)
    if kind is not Kind.OTHER or not declared.strip():
        return kind
    rules = (
        ("int", Kind.INTEGER),
        ("char|clob|text", Kind.TEXT),
        ("blob", Kind.BINARY),
        ("real|floa|doub|num|dec", Kind.NUMBER),
    )
    return next((kind for pattern, kind in rules if re.search(pattern, declared.lower())), Kind.OTHER)
