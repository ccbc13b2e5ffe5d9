"""Parts of a question that its SQL certainly leaves out: a year, a share, a grain, a negation, a second question.

It looks for few words, those whose absence shows in the text of the SQL. Nothing found proves nothing.
"""

from __future__ import annotations

import re

_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_KEY_SUMMED = re.compile(r"\bSUM\(\s*(?:DISTINCT\s+)?(?:\"?\w+\"?\.)?\"?(?:\w*_)?id\"?\s*\)", re.IGNORECASE)
_NEEDED = (
    (re.compile(r"\b(?:share|percent|percentage|proportion)\b|%", re.IGNORECASE), re.compile(r"/")),
    (re.compile(r"\b(?:average|avg|mean)\b", re.IGNORECASE), re.compile(r"\bAVG\b|/", re.IGNORECASE)),
    (
        re.compile(r"\bmedian\b", re.IGNORECASE),
        re.compile(r"MEDIAN|PERCENTILE|ROW_NUMBER|NTILE", re.IGNORECASE),
    ),
    (
        re.compile(r"\b(?:not|never|without|except|excluding|exclude|unpaid|unsold|unused)\b", re.IGNORECASE),
        re.compile(r"\bNOT\b|<>|!=|\bEXCEPT\b|\bIS\s+NULL\b|=\s*0\b|=\s*'(?:no|false|n)'", re.IGNORECASE),
    ),
    (
        re.compile(
            r"\b(?:per|by|each|every) (?:day|week|month|quarter|year)\b|\b(?:monthly|weekly|daily|quarterly|yearly)\b",
            re.IGNORECASE,
        ),
        re.compile(r"\bGROUP\s+BY\b|\bPARTITION\s+BY\b|/", re.IGNORECASE),
    ),
    (
        re.compile(r"\bhow much\b", re.IGNORECASE),
        re.compile(r"^(?!\s*SELECT\s+COUNT\([^)]*\)(?:\s+AS\s+\S+)?\s+FROM\b)", re.IGNORECASE),
    ),
    (
        re.compile(r"\band (?:how (?:much|many)|what|which|who)\b", re.IGNORECASE),
        re.compile(r"^\s*SELECT\b[^()]*(?:\([^()]*\)[^()]*)*,.*\bFROM\b", re.IGNORECASE | re.DOTALL),
    ),
)


def leftovers(question: str, sql: str) -> list[str]:
    """List words of a question that its SQL leaves out, as they are written.

    Example:
        >>> leftovers("What share of sales came from each channel in 2025?", "SELECT channel, SUM(amount) FROM sales GROUP BY channel")
        ['share', '2025']
        >>> leftovers("revenue per month", "SELECT SUM(amount) FROM sales")
        ['per month']
        >>> leftovers("How many invoices are there?", "SELECT COUNT(*) FROM invoices")
        []
    """
    found = [
        asked[0] for needed, shown in _NEEDED if (asked := needed.search(question)) and not shown.search(sql)
    ]
    found += [year for year in _YEAR.findall(question) if year not in sql]
    return list(dict.fromkeys(found))


def sums_a_key(sql: str) -> bool:
    """Say whether SQL adds up numbers that only identify rows.

    Example:
        >>> sums_a_key("SELECT SUM(d.visitor_id) FROM donations AS d"), sums_a_key("SELECT SUM(paid) FROM t")
        (True, False)
    """
    return _KEY_SUMMED.search(sql) is not None
