"""Which numbers name things, and are written without marks of thousands: years, keys, codes, numbers of months.

Pages, mails, PDF files and workbooks all ask here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from functools import lru_cache
from typing import Any

from sqlagent.rows.columns import in_words, is_additive, is_aggregate

_NAMES = re.compile(
    r"(?:^|[_\s.])(?:id|ids|pk|fk|key|oid|rowid|code|sku|isbn|isin|imei|ean\d*|gtin\d*|upc|iban|vin|number|no|nr|zip|zipcode|postcode"
    r"|postal_code|plz|phone|telephone|fax|msisdn|year|yr|jahr|season|year_?month|year_?week|yyyymm(?:dd)?|yyyyww|month|monat|quarter"
    r"|week|period|date_key|(?:bank|customer|ledger|gl|debit|credit)_?account)$"
    r"|^(?:year|month|quarter|week)[_\s]of[_\s]|^(?:account|konto)$|^(?:(?:customer|contact|work|home|private)[_\s])?mobile$",
    re.IGNORECASE,
)
_CAMEL = re.compile(r"[a-z](?:ID|Id|Key|Code|Number|No|Nr|Year|Month)$")
# Endings run together: "orderid", "CUSTNO", "birthyear", "kundennummer".
_RUN_TOGETHER = re.compile(r"(?:^|[_\s.])[^\W_]{2,}(?:id|no|nr|year|jahr|nummer|code)$", re.IGNORECASE)
_OTHER_WORDS = re.compile(
    r"(?:paid|laid|raid|solid|liquid|fluid|hybrid|valid|covid|casino|piano|volcano|(?:last|this|next|prev|per)(?:year|jahr)"
    r"|(?:^|[_\s.])(?:\w*(?:max|min|top|avg)bid|grid|avoid|void|rapid|acid|said|maid|plaid))$",
    re.IGNORECASE,
)
# Figures of a time: "revenue_last_year", "orders per month", "total_number".
_FIGURES = re.compile(
    r"^(?:count|sum|total|avg|average|mean|num|median|number of)(?:[_\s]|$)"
    r"|(?:^|[_\s])per[_\s]\w+$"
    r"|(?:^|[_\s])(?:this|last|previous|prev|prior|next|current|same|each|a|by|over|of_the)[_\s](?:year|yr|season|month|quarter|week|period)$",
    re.IGNORECASE,
)
_FIRST_YEAR, _LAST_YEAR = 1900, 2100
# Digits from which on numbers of one length are taken for keys.
_LONG = 8


@lru_cache(maxsize=1_000)
def names_things(column: str) -> bool:
    """Say whether the numbers of a column name things rather than count: grouping "2,024" or "10,248" would mislead.

    Example:
        >>> [name for name in ("order_year", "customerId", "zip", "yearmonth", "month", "year_of_birth", "MAX(year)", "CUSTNO") if not names_things(name)]
        []
        >>> [name for name in ("revenue", "sales_last_year", "orders per month", "total_number", "paid", "COUNT(id)") if names_things(name)]
        []
    """
    called = in_words(column) if "(" in column else column
    if _FIGURES.search(called):
        return False
    if _NAMES.search(called) or _CAMEL.search(called):
        return True
    return bool(_RUN_TOGETHER.search(called)) and not _OTHER_WORDS.search(called)


def are_names(column: str, values: Sequence[Any]) -> bool:
    """Say whether whole numbers look like years or keys, in a column whose name tells no figure: one number alone tells nothing.

    Example:
        >>> are_names("founded", [1987, 2011]), are_names("badge", [40012345, 40012399]), are_names("badge", [7, 40012399])
        (True, True, False)
        >>> are_names("orders", [1987, 2011]), are_names("founded", [2011])
        (False, False)
    """
    found = [value for value in values if value is not None]
    if not all(map(_is_whole, found)) or len(numbers := set(found)) < 2:
        return False
    is_long = len({len(str(abs(int(number)))) for number in numbers}) == 1 and all(
        abs(number) >= 10 ** (_LONG - 1) for number in numbers
    )
    are_years = all(_FIRST_YEAR <= number <= _LAST_YEAR for number in numbers)
    return (is_long or are_years) and not (
        is_additive(column) or is_aggregate(column) or _FIGURES.search(column)
    )


def _is_whole(value: Any) -> bool:
    if isinstance(value, Decimal):
        return value.is_finite() and value.as_tuple().exponent == 0
    return isinstance(value, int) and not isinstance(value, bool)
