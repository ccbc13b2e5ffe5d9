"""The name of a computed column: the heading people read above it.

Decides names only. Columns that are stored keep theirs; nothing refers to a heading, so it can
never change what a statement means.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from sqlagent.makers.grammar.tree import Term

_SAID = {"sum": "total", "avg": "average", "min": "lowest", "max": "highest", "count": "number_of"}


def heading(term: Term, taken: Collection[str] = ()) -> str:
    """Name an aggregate or a period; empty for a stored column, and where the name is `taken`.

    `taken` are lower-case names of the columns around, and headings given before.

    Example:
        >>> from sqlagent.makers.grammar.tree import Col
        >>> heading(Term("sum", Col("sale", "amount"))), heading(Term("count")), heading(Term(part="month"))
        ('total_amount', 'count', 'month')
        >>> heading(Term(col=Col("sale", "amount")))
        ''
    """
    if term.part and not term.agg:
        name = term.part
    elif not term.agg:
        return ""
    elif term.col is None:
        name = "count"
    else:
        said = [term.col.name, *([term.other.name] if term.other else [])]
        name = "_".join([_SAID[term.agg], *said])
    name = re.sub(r"\W+", "_", name).strip("_").lower()
    return "" if name in taken or len(name) > 60 else name
