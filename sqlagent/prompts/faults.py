"""Kinds of failures, in words of our own.

A database's message may hold a stored value. This decides which of a few kinds a failure belongs
to, by the code of its driver and else by how its message begins, and has one sentence for each.
`rendering` decides who is told that sentence instead of the message.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from sqlagent.values import Failure, FailureKind

WORDS = {
    "syntax": "Syntax error",
    "unknown_column": "Unknown column",
    "unknown_table": "Unknown table",
    "unknown_function": "Unknown function or operator, or wrong arguments for one",
    "unknown_type": "Unknown type",
    "ambiguous": "Ambiguous name: it stands for more than one column or function",
    "grouping": "A column is neither grouped by nor inside an aggregate",
    "misplaced": "An aggregate, window function or alias stands where none may stand",
    "type": "Type mismatch",
    "columns": "The parts of a set operation, a list or a subquery have different numbers of columns",
    "twice": "The same name is given twice",
    "unsupported": "The database does not support a part of the statement",
    "privilege": "The user of this source may not read a part of the statement",
    "cast": "A value cannot be converted to the type asked for",
    "range": "A value is out of the range of its type",
    "division": "Division by zero",
    "datetime": "A date or time cannot be read in the format given",
    "cardinality": "A subquery used as one value gives several rows",
    "argument": "A function cannot take the value it was given",
    "json": "A text is not JSON, or a path into it is wrong",
    "pattern": "A regular expression or pattern cannot be read",
    "encoding": "A text holds bytes that are no characters",
    "memory": "The statement takes more memory or space than it may",
    "size": "A value is larger than the database allows",
    "unreadable": "The rows hold a value that cannot be read",
    "write": "The statement is not a read",
    "refused": "The statement was refused before it ran: one statement that only reads, on tables of the schema, passes",
    "timeout": "The statement took too long and was stopped",
    "cancelled": "The statement was stopped",
    "lost": "The connection was lost while the statement ran",
    "other": "The database did not run the statement",
}
"""Every kind, and its sentence without a full stop."""

EARLY = frozenset(
    [
        "syntax",
        "unknown_column",
        "unknown_table",
        "unknown_function",
        "unknown_type",
        "ambiguous",
        "grouping",
        "misplaced",
        "type",
        "columns",
        "twice",
        "unsupported",
    ]
)
"""Kinds found before any row is read: the names and the position they tell are the statement's own."""

_KINDS = {
    FailureKind.TIMEOUT: "timeout",
    FailureKind.CANCELLED: "cancelled",
    FailureKind.LOST: "lost",
    FailureKind.REFUSED: "refused",
}

# https://www.postgresql.org/docs/current/errcodes-appendix.html; Spark and others use the same codes.
_SQLSTATES = {
    "42601": "syntax", "42602": "syntax", "42703": "unknown_column", "42P01": "unknown_table",
    "3F000": "unknown_table", "42883": "unknown_function", "42704": "unknown_type", "42702": "ambiguous",
    "42725": "ambiguous", "42803": "grouping", "42P20": "misplaced", "42P10": "misplaced", "42P19": "misplaced",
    "42804": "type", "42846": "type", "42P18": "type", "42P21": "type", "42P22": "type", "42712": "twice",
    "42701": "twice", "42P12": "twice", "0A000": "unsupported", "42501": "privilege", "22P02": "cast",
    "22P03": "cast", "22018": "cast", "22003": "range", "22012": "division", "22007": "datetime",
    "22008": "datetime", "21000": "cardinality", "22023": "argument", "2201W": "argument", "2201X": "argument",
    "2201B": "pattern", "22025": "pattern", "22021": "encoding", "22P05": "encoding", "25006": "write",
}  # fmt: skip
_CLASSES = {
    "22": "argument",
    "2F": "argument",
    "42": "other",
    "53": "memory",
    "54": "size",
    "P0": "argument",
    "0A": "unsupported",
}

# Numbers of MySQL and MariaDB (mysqld_error.h).
_NUMBERS = {
    "1064": "syntax", "1149": "syntax", "1054": "unknown_column", "1146": "unknown_table",
    "1109": "unknown_table", "1049": "unknown_table", "1051": "unknown_table", "1305": "unknown_function",
    "1630": "unknown_function", "1582": "unknown_function", "1583": "unknown_function", "1052": "ambiguous",
    "1055": "grouping", "1140": "grouping", "1056": "misplaced", "1111": "misplaced", "3593": "misplaced",
    "1267": "type", "1271": "type", "1222": "columns", "1241": "columns", "1136": "columns", "1248": "syntax",
    "1060": "twice", "1066": "twice", "1235": "unsupported", "1142": "privilege", "1143": "privilege",
    "1370": "privilege", "1044": "privilege", "1292": "cast", "1366": "cast", "1525": "cast",
    "1690": "range", "1264": "range", "1365": "division", "1411": "datetime", "1242": "cardinality",
    "1210": "argument", "1318": "unknown_function", "3141": "json", "3143": "json", "3144": "json",
    "4037": "json", "4038": "json", "4042": "json", "1139": "pattern", "3685": "pattern", "3688": "pattern",
    "1300": "encoding", "1038": "memory", "1041": "memory", "1114": "memory", "1301": "size", "1153": "size",
}  # fmt: skip

# Classes of DuckDB's driver and of Spark, and names of SQLite's results.
_NAMED = {
    "ParserException": "syntax", "SyntaxException": "syntax", "CatalogException": "unknown_table",
    "BinderException": "type", "TypeMismatchException": "type", "InvalidTypeException": "type",
    "NotImplementedException": "unsupported", "ConversionException": "cast", "OutOfRangeException": "range",
    "DataError": "cast", "InvalidInputException": "argument", "OutOfMemoryException": "memory",
    "PermissionException": "write", "NotSupportedError": "unsupported", "SequenceException": "range",
    "SQLITE_TOOBIG": "size", "SQLITE_NOMEM": "memory", "SQLITE_FULL": "memory", "SQLITE_MISMATCH": "type",
    "UNRESOLVED_COLUMN": "unknown_column", "UNRESOLVED_ROUTINE": "unknown_function",
    "TABLE_OR_VIEW_NOT_FOUND": "unknown_table", "SCHEMA_NOT_FOUND": "unknown_table",
    "PARSE_SYNTAX_ERROR": "syntax", "DATATYPE_MISMATCH": "type", "WRONG_NUM_ARGS": "unknown_function",
    "AMBIGUOUS_REFERENCE": "ambiguous", "MISSING_AGGREGATION": "grouping", "MISSING_GROUP_BY": "grouping",
    "NUM_COLUMNS_MISMATCH": "columns", "CAST_INVALID_INPUT": "cast", "CAST_OVERFLOW": "range",
    "ARITHMETIC_OVERFLOW": "range", "DIVIDE_BY_ZERO": "division", "CANNOT_PARSE_TIMESTAMP": "datetime",
    "SCALAR_SUBQUERY_TOO_MANY_ROWS": "cardinality", "USER_RAISED_EXCEPTION": "argument",
    "SQLITE_AUTH": "write", "SQLITE_READONLY": "write", "SQLITE_RANGE": "argument",
}  # fmt: skip

_NAME = r"""(?P<name>"[^"]+"|'[^']+'|`[^`]+`(?:\.`[^`]+`)*|[^\s"'`(,]+)"""
_BEGINNINGS = tuple(
    (re.compile(pattern.replace("NAME", _NAME), re.IGNORECASE), kind)
    for pattern, kind in (
        (r"no such column: NAME", "unknown_column"),
        (r"column NAME does not exist", "unknown_column"),
        (r"unknown column NAME", "unknown_column"),
        (r"(?:invalid|unresolved) column(?: name)? NAME", "unknown_column"),
        (r"referenced column NAME not found", "unknown_column"),
        (r"(?:table|values list) NAME does not have a column", "unknown_column"),
        (r"a column[^`]{0,80} with name NAME cannot be resolved", "unknown_column"),
        (r"no such table: NAME", "unknown_table"),
        (r"relation NAME does not exist", "unknown_table"),
        (r"missing from-clause entry for table NAME", "unknown_table"),
        (r"referenced table NAME not found", "unknown_table"),
        (r"(?:table|view|table or view|catalog|schema)(?: with name)? NAME (?:does not|doesn't|cannot be)", "unknown_table"),
        (r"the table or view NAME cannot be found", "unknown_table"),
        (r"no such function: NAME", "unknown_function"),
        (r"(?:function|procedure) NAME\(?.* (?:does not|doesn't) exist", "unknown_function"),
        (r"(?:scalar|aggregate|table|window)[\w ]* function with name NAME does not exist", "unknown_function"),
        (r"no function matches the given name and argument types NAME\(", "unknown_function"),
        (r"wrong number of arguments to function NAME\(", "unknown_function"),
        (r"operator does not exist", "unknown_function"),
        (r"type(?: with name)? NAME does not exist", "unknown_type"),
        (r"ambiguous column name: NAME", "ambiguous"),
        (r"(?:column reference|column|reference) NAME (?:in .*)?is ambiguous", "ambiguous"),
        (r"ambiguous reference to column name NAME", "ambiguous"),
        (r"column NAME must appear in the group by", "grouping"),
        (r"(?:misuse of (?:aggregate|window)|aggregate functions are not|where clause cannot|having clause|window functions are not)", "misplaced"),
        (r"selects to the left and right|set operations can only|sub-?select returns \d+ columns|all values must have the same number", "columns"),
        (r"near \"[^\"]*\": syntax error|syntax error|incomplete input|unrecognized token|you have an error in your sql syntax", "syntax"),
        (r"duplicate (?:alias|column name)|table name NAME specified more than once", "twice"),
        (r"cannot (?:compare|mix) values|datatype mismatch|could not choose|cannot apply|data type mismatch", "type"),
        (r"could not convert|invalid input syntax|failed to cast|cast", "cast"),
        (r"integer overflow|overflow|out of range|value out of range", "range"),
        (r"division by zero", "division"),
        (r"malformed json|bad json path|json path|invalid json", "json"),
        (r"string or blob too big", "size"),
        (r"like or glob pattern too complex|invalid regular expression", "pattern"),
        (r"out of memory", "memory"),
        (r"the rows could not be read", "unreadable"),
    )
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Fault:
    """A kind of fault; `names` are those its message tells of, which are not known to be harmless.

    `type` is the type that a value could not be converted to: one of a list.
    """

    kind: str
    names: tuple[str, ...] = ()
    type: str = ""

    @property
    def words(self) -> str:
        """Our sentence for it, without a full stop."""
        return f"{WORDS[self.kind]} ({self.type})" if self.type else WORDS[self.kind]

    @property
    def is_early(self) -> bool:
        """Whether it was found before any row was read."""
        return self.kind in EARLY


def fault_of(failure: Failure) -> Fault:
    """Tell which kind of fault a failure is; the message only chooses among the kinds.

    A driver's code decides. The beginning of the message is read where there is no code, where a
    code says too little, and for the name that an early fault is about.

    Example:
        >>> fault_of(Failure(FailureKind.ERROR, "no such column: nme", code="SQLITE_ERROR"))
        Fault(kind='unknown_column', names=('nme',), type='')
        >>> fault_of(Failure(FailureKind.ERROR, "no such column: 079-05-1120", code="InvalidInputException"))
        Fault(kind='argument', names=(), type='')
    """
    if failure.kind in _KINDS:
        return Fault(_KINDS[failure.kind])
    by_code, code = _by_code(failure.code), failure.code
    found = ((kind, pattern.match(failure.message.lstrip())) for pattern, kind in _BEGINNINGS)
    said = next(((kind, match) for kind, match in found if match), None)
    if said is None or (by_code and said[0] != by_code and not (code in _COARSE and said[0] in EARLY)):
        return Fault(by_code or "other", type=_type_in(failure.message) if by_code == "cast" else "")
    kind, match = said
    if kind == "cast":
        return Fault(kind, type=_type_in(failure.message))
    name = match.groupdict().get("name") if kind in EARLY else None
    return Fault(kind, (re.sub("[\"'`]", "", name).rstrip(".;:"),) if name else ())


_COARSE = frozenset(("BinderException", "CatalogException", "ParserException"))
"""Codes of several kinds of early faults: the message says which."""


_TYPE = re.compile(
    r"(?:type|to|as) \"?(U?INT(?:EGER|\d{1,3})?|BIGINT|SMALLINT|TINYINT|NUMERIC|DECIMAL|REAL|FLOAT|DOUBLE(?: PRECISION)?"
    r"|BOOL(?:EAN)?|DATE|TIME|TIMESTAMP(?: WITH(?:OUT)? TIME ZONE)?|INTERVAL|UUID|JSONB?|BYTEA|BLOB|BIT)\b",
    re.IGNORECASE,
)


def _type_in(message: str) -> str:
    found = _TYPE.findall(message)
    return found[-1].lower() if found else ""


def _by_code(code: str) -> str:
    if code in _NAMED or code in _SQLSTATES or code in _NUMBERS:
        return _NAMED.get(code) or _SQLSTATES.get(code) or _NUMBERS[code]
    if len(code) != 5:
        return ""
    return "json" if code.startswith("2203") else _CLASSES.get(code[:2], "")
