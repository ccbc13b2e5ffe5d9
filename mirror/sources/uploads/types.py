"""The types a column can have: which texts they take, when they are guessed, how they are cast.

A type is guessed only where it loses nothing: `007` and `+47 22` stay text, and `01/02/2026` is
a date only when another cell shows which part is the month. A person may choose more than that.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import gettext_noop

_DAY_TIME = r"[ T][0-9]{1,2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?"
_ISO = r"[0-9]{4}[-/][0-9]{1,2}[-/][0-9]{1,2}"
_SHORT = r"[0-9]{1,2}[./-][0-9]{1,2}[./-][0-9]{4}"
_DAY_FIRST = r"(1[3-9]|2[0-9]|3[01])[./-].*|[0-9]{1,2}\.[0-9]{1,2}\..*"
_MONTH_FIRST = r"[0-9]{1,2}[/-](1[3-9]|2[0-9]|3[01])[/-].*"
_TURN = r"regexp_replace({v}, '^([0-9]+)[./-]([0-9]+)[./-]([0-9]+)', '{order}')"
_ISO_TEXT = r"regexp_replace({v}, '^([0-9]+)[-/]([0-9]+)[-/]([0-9]+)', '\1-\2-\3')"


@dataclass(frozen=True, slots=True)
class ColumnType:
    """A type of column. `takes` is what it can read, `guessed` what it is guessed from.

    At least one cell must match `shown` for a guess. `text` turns a trimmed cell `{v}` into what
    DuckDB casts to `type`; for decimals the type is found from the digits there are.
    """

    label: str
    takes: str
    guessed: str
    type: str
    text: str = "{v}"
    shown: str = ""
    is_number: bool = False


def _turned(order: str) -> str:
    return _TURN.replace("{order}", order)


# In the order they are guessed; the first that every cell fits is taken.
KINDS: dict[str, ColumnType] = {
    "boolean": ColumnType(
        gettext_noop("Yes or no"),
        "(?i)(true|false|yes|no|t|f|y|n|0|1)",
        "(?i)(true|false|yes|no)",
        "BOOLEAN",
        is_number=True,
    ),
    "integer": ColumnType(
        gettext_noop("Whole number"), "[+-]?[0-9]{1,38}", "-?(0|[1-9][0-9]{0,37})", "HUGEINT", is_number=True
    ),
    "decimal": ColumnType(
        gettext_noop("Decimal number: 1,234.56"),
        r"[+-]?([0-9]+|[0-9]{1,3}(,[0-9]{3})+|[0-9]*\.[0-9]+|[0-9]{1,3}(,[0-9]{3})+\.[0-9]+)",
        r"-?(0|[1-9][0-9]*)(\.[0-9]+)?|-?[1-9][0-9]{0,2}(,[0-9]{3})*\.[0-9]+",
        "DECIMAL",
        "replace({v}, ',', '')",
        is_number=True,
    ),
    "decimal_comma": ColumnType(
        gettext_noop("Decimal number: 1.234,56"),
        r"[+-]?([0-9]+|[0-9]{1,3}(\.[0-9]{3})+|[0-9]*,[0-9]+|[0-9]{1,3}(\.[0-9]{3})+,[0-9]+)",
        r"-?(0|[1-9][0-9]*|[1-9][0-9]{0,2}(\.[0-9]{3})+)(,[0-9]+)?",
        "DECIMAL",
        "replace(replace({v}, '.', ''), ',', '.')",
        shown=r".*,([0-9]{1,2}|[0-9]{4,})|.*\.[0-9]{3},[0-9]+|.*\.[0-9]{3}\.[0-9]{3}",
        is_number=True,
    ),
    "float": ColumnType(
        gettext_noop("Floating-point number"),
        r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?",
        r"-?(0|[1-9][0-9]*)(\.[0-9]+)?|-?[0-9](\.[0-9]+)?[eE][+-]?[0-9]+",
        "DOUBLE",
        is_number=True,
    ),
    "date": ColumnType(gettext_noop("Date: 2026-02-28"), _ISO, _ISO, "DATE", _ISO_TEXT),
    "date_dmy": ColumnType(
        gettext_noop("Date, day first: 28.2.2026"),
        _SHORT,
        _SHORT,
        "DATE",
        _turned(r"\3-\2-\1"),
        shown=_DAY_FIRST,
    ),
    "date_mdy": ColumnType(
        gettext_noop("Date, month first: 2/28/2026"),
        _SHORT,
        _SHORT,
        "DATE",
        _turned(r"\3-\1-\2"),
        shown=_MONTH_FIRST,
    ),
    "timestamp": ColumnType(
        gettext_noop("Date and time"),
        f"{_ISO}({_DAY_TIME})?",
        f"{_ISO}({_DAY_TIME})?",
        "TIMESTAMP",
        _ISO_TEXT,
    ),
    "timestamp_dmy": ColumnType(
        gettext_noop("Date and time, day first"),
        f"{_SHORT}({_DAY_TIME})?",
        f"{_SHORT}({_DAY_TIME})?",
        "TIMESTAMP",
        _turned(r"\3-\2-\1"),
        shown=_DAY_FIRST,
    ),
    "timestamp_mdy": ColumnType(
        gettext_noop("Date and time, month first"),
        f"{_SHORT}({_DAY_TIME})?",
        f"{_SHORT}({_DAY_TIME})?",
        "TIMESTAMP",
        _turned(r"\3-\1-\2"),
        shown=_MONTH_FIRST,
    ),
    "timestamptz": ColumnType(
        gettext_noop("Date and time with zone"),
        rf"{_ISO}{_DAY_TIME} ?(Z|[+-][0-9]{{2}}(:?[0-9]{{2}})?)",
        rf"{_ISO}{_DAY_TIME} ?(Z|[+-][0-9]{{2}}(:?[0-9]{{2}})?)",
        "TIMESTAMPTZ",
        _ISO_TEXT,
    ),
    "time": ColumnType(
        gettext_noop("Time of day"),
        r"[0-9]{1,2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?",
        r"[0-9]{1,2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?",
        "TIME",
    ),
    "text": ColumnType(gettext_noop("Text"), "", "", "VARCHAR"),
}
# A column of a file that has types of its own, left as it is.
NATIVE = "native"
# Digits that a decimal of DuckDB has at most.
DECIMAL_DIGITS = 38
# Whole numbers with points between thousands, which are decimals of three digits just as well.
THOUSANDS_OR_DECIMALS = r"-?[1-9][0-9]{0,2}(\.[0-9]{3})?|0"
# Both ways round, and nothing to tell which.
UNCLEAR_DATE = ("date_dmy", "date_mdy")


def literal(text: str) -> str:
    """Write text as a literal of DuckDB."""
    return "'" + text.replace("'", "''") + "'"


def quoted(name: str) -> str:
    """Quote an identifier for DuckDB."""
    return '"' + name.replace('"', '""') + '"'


def trimmed(column: str) -> str:
    """A staged cell without the spaces around it; NULL when nothing is left."""
    return f"nullif(trim({quoted(column)}, ' \t\n\r\u00a0'), '')"


def value_text(kind: ColumnType, column: str) -> str:
    """The text of a cell as DuckDB casts it."""
    return kind.text.replace("{v}", trimmed(column))


def matches(pattern: str, column: str) -> str:
    """Say of a cell that it matches; NULL for an empty one."""
    return f"regexp_full_match({trimmed(column)}, {literal(pattern)})"


def misfits(code: str, column: str, *, is_guess: bool = False) -> str:
    """The condition that a cell is not of a kind: an empty one always is."""
    if code == "text":
        return "false"
    kind = KINDS[code]
    is_fit = matches(kind.guessed if is_guess else kind.takes, column)
    if kind.type != "DECIMAL":  # how many digits a decimal needs is looked at apart
        is_fit += f" AND TRY_CAST({value_text(kind, column)} AS {kind.type}) IS NOT NULL"
    return f"{trimmed(column)} IS NOT NULL AND NOT coalesce({is_fit}, false)"


def digit_counts(code: str, column: str) -> tuple[str, str]:
    """How many digits a cell has before and after its point."""
    text = value_text(KINDS[code], column)
    return (
        f"length(ltrim(split_part({text}, '.', 1), '+-'))",
        f"length(split_part({text}, '.', 2))",
    )
