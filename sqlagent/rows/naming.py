"""Which numbers name things, and are written without marks of thousands: years, keys, codes, numbers of months.

Pages, mails, PDF files and workbooks all ask here.
"""

from __future__ import annotations

import re

_NAMES = re.compile(
    r"(?:^|[_\s.])(?:id|ids|pk|fk|key|oid|rowid|code|sku|isbn|ean|iban|number|no|nr|zip|zipcode|postcode|postal_code|plz|phone|fax"
    r"|year|yr|jahr|season|year_?month|yyyymm|month|monat|quarter|week|period|date_key)$"
    r"|^year_of_\w+$",
    re.IGNORECASE,
)
_CAMEL = re.compile(r"[a-z](?:ID|Id|Key|Code|Number|No|Nr|Year|Month)$")
# Figures of a time: "revenue_last_year", "orders per month", "total_number".
_FIGURES = re.compile(
    r"^(?:count|sum|total|avg|average|mean|num|median)(?:[_\s]|$)"
    r"|(?:^|[_\s])(?:per|this|last|previous|prev|prior|next|current|same|each|a|by|over|of_the)[_\s](?:year|yr|season|month|quarter|week|period)$",
    re.IGNORECASE,
)


def names_things(column: str) -> bool:
    """Say whether the numbers of a column name things rather than count: grouping "2,024" or "10,248" would mislead.

    Example:
        >>> [name for name in ("order_year", "customerId", "zip", "yearmonth", "month", "year_of_birth") if not names_things(name)]
        []
        >>> [name for name in ("revenue", "sales_last_year", "orders per month", "total_number", "paid") if names_things(name)]
        []
    """
    return bool(_NAMES.search(column) or _CAMEL.search(column)) and not _FIGURES.search(column)
