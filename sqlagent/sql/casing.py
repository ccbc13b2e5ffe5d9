"""How engines tell names of tables apart by case, and the form in which such names are compared."""

from __future__ import annotations

import string
from enum import Enum

from sqlglot.dialects.dialect import Dialect, NormalizationStrategy

from sqlagent.values import Catalog

_LETTERS = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)


def ascii_low(name: str) -> str:
    """Lower a name as engines do, and no letter beyond ASCII: the Kelvin sign is no k for them.

    Example:
        >>> ascii_low("Café") == "café", ascii_low("\\u212aey") == "key"
        (True, False)
    """
    return name.lower() if name.isascii() else name.translate(_LETTERS)


class Cases(Enum):
    """How an engine tells names of tables apart by case, as sqlglot knows its dialects."""

    IGNORED = "never"
    POSTGRES = "quoted ones; plain names are in small letters, and so is the catalog"
    LOWER = "quoted ones; plain names are in small letters"
    UPPER = "quoted ones; plain names are in capitals, and in small letters in the catalog"
    EXACT = "always"

    def written(self, name: str, *, is_quoted: bool) -> str:
        """Bring a name of a table or CTE, as it is written, to the form that names are compared in.

        Example:
            >>> Cases.UPPER.written("Orders", is_quoted=False), Cases.UPPER.written("ORDERS", is_quoted=True)
            ('orders', 'orders')
            >>> Cases.UPPER.written("orders", is_quoted=True)
            '"orders'
        """
        if self is Cases.EXACT or (self is Cases.POSTGRES and is_quoted):
            return name
        if self in (Cases.IGNORED, Cases.POSTGRES) or not is_quoted:
            return ascii_low(name)
        plain = name.upper() if self is Cases.UPPER else ascii_low(name)
        return ascii_low(name) if name == plain else f'"{name}'

    def told(self, name: str, *, is_quoted: bool) -> str:
        """Bring the catalog's name of a table to the form that a name written so is compared in."""
        if self in (Cases.EXACT, Cases.POSTGRES):
            return name
        if self is Cases.IGNORED or not is_quoted:
            return ascii_low(name)
        return name if name == ascii_low(name) else self.written(name, is_quoted=True)


def cases_of(catalog: Catalog) -> Cases:
    """Say how the engine of a catalog tells names apart; servers of MySQL say it of themselves."""
    if catalog.exact_names or catalog.dialect == "bigquery":
        return Cases.EXACT
    known = Dialect.get(catalog.dialect)
    if known is None or catalog.dialect == "mysql":
        return Cases.IGNORED
    return (
        Cases.POSTGRES
        if catalog.dialect == "postgres"
        else _STRATEGIES.get(known.NORMALIZATION_STRATEGY, Cases.IGNORED)
    )


_STRATEGIES = {
    NormalizationStrategy.LOWERCASE: Cases.LOWER,
    NormalizationStrategy.UPPERCASE: Cases.UPPER,
    NormalizationStrategy.CASE_SENSITIVE: Cases.EXACT,
}
