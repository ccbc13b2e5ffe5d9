"""Which texts a spreadsheet would run as a formula, and how a CSV cell is written so that it does not.

The rule is here once: as regular expressions that Python's `re` and DuckDB's RE2 both read, and as the
function and the SQL expression made of them. A text is *live* when a spreadsheet that opens a CSV file
might take it for more than text: it begins with = + - @ (OWASP, "CSV Injection"), their full-width and
small forms (which East Asian versions take for the same), or with a tab or a line's end; spaces, control
and invisible characters before the sign do not hide it. Such a text gets an apostrophe before it. Texts
that are plain numbers are never touched, nor is a single dash, which stands for "nothing" in many a table.

XLSX needs none of this: its cells have types, and a text there is never run.
"""

from __future__ import annotations

import re

# Spaces, controls and what is not seen, which a reader may strip before it looks at a cell.
_BLANK = "\\x00-\x20\x7f-\xa0\xad\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff"
# = + - @, the typographic minus, then the small and the full-width forms.
_SIGN = r"=+\-@" + "\u2212\ufe62\ufe63\ufe66\ufe6b\uff0b\uff0d\uff1d\uff20"

# A text that might be run. Both patterns mean the same to `re` and to RE2.
LIVE = rf"^(?:[\t\r\n]|[{_BLANK}]*[{_SIGN}])"
# A number to a reader of any country, or a lone dash.
PLAIN_NUMBER = r" *(?:[+\-]?(?:[0-9][0-9.,]*|\.[0-9]+)(?:[eE][+\-]?[0-9]+)?%?|-) *"
# Texts that must stand in quotes: those with an end of a cell or a line, to readers that split at ; or tab or | too, and spaces
# at the edge. And what must be looked at: a sign, nothing at all.
_SPECIAL = rf"""[,;|"\t\r\n\x00]|^[{_BLANK}{_SIGN}]|[{_BLANK}]$|^$"""

_begins_live = re.compile(LIVE).match
_is_plain_number = re.compile(PLAIN_NUMBER).fullmatch
_is_special = re.compile(_SPECIAL).search


def is_live(text: str) -> bool:
    """Tell whether a spreadsheet might run a text.

    Example:
        >>> is_live("=1+1"), is_live("+47 22 22 55 55"), is_live("-1.5e3"), is_live("1+1")
        (True, True, False, False)
    """
    return bool(_begins_live(text)) and not _is_plain_number(text)


def defused(text: str) -> str:
    """Give a text as it may stand in a CSV file: with an apostrophe before it if it is live.

    Example:
        >>> defused("=1+1"), defused(" @SUM(A1)"), defused("-5"), defused("-"), defused("a=b")
        ("'=1+1", "' @SUM(A1)", '-5', '-', 'a=b')
    """
    return "'" + text if is_live(text) else text


def csv_text(text: str) -> str:
    """Write a text as a cell of a CSV file: defused, and in quotes where it needs them or is empty.

    Example:
        >>> csv_text("Oslo"), csv_text("=1+1"), csv_text('a "b", c'), csv_text("")
        ('Oslo', '"\\'=1+1"', '"a ""b"", c"', '""')
    """
    if not _is_special(text):
        return text
    return '"' + defused(text).replace('"', '""') + '"'


def csv_text_sql(column: str) -> str:
    """The expression of DuckDB that is `csv_text` of a column, or NULL for NULL. `column` is SQL of ours."""
    live = f"regexp_matches({column}, {sql_literal(LIVE)})"
    plain = f"regexp_full_match({column}, {sql_literal(PLAIN_NUMBER)})"
    safe = f"CASE WHEN {live} AND NOT {plain} THEN '''' || {column} ELSE {column} END"
    quoted = f"""'"' || replace({safe}, '"', '""') || '"'"""
    return f"CASE WHEN regexp_matches({column}, {sql_literal(_SPECIAL)}) THEN {quoted} ELSE {column} END"


def sql_literal(text: str) -> str:
    """Write a text of ours as a literal of SQL."""
    return "'" + text.replace("'", "''") + "'"
