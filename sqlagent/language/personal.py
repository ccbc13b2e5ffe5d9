"""Which columns and texts are about one person: these are never offered, neither while one types nor to choose from.

Decides by the words of names and by how a text looks; reads nothing.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from sqlagent.language.words import stem


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in text.split())


PEOPLE = _stems(
    "employee staff worker person people personnel customer user agent rep representative student pupil patient member "
    "teacher doctor physician nurse driver player client contact author guest visitor subscriber applicant candidate "
    "tenant resident passenger attendee participant donor borrower reader manager buyer holder owner "
    "beneficiary child parent clerk technician"
)
"""Nouns of people."""

_BUYERS = _stems("customer client")
"""Nouns that are companies as often as people: a column of nothing else may be grouped by."""

_ALWAYS = _stems(
    "email mail phone telephone mobile cell fax surname lastname firstname birth birthday dob born ssn passport iban bic login "
    "username password passwd pwd secret token hash salt address street postcode zip zipcode ip latitude longitude "
    "card cvv signature nickname maiden"
)
"""Words of columns that say something of one person or one place to live, whatever the table is."""

_NAMES = _stems("name fullname first last middle given family initial")
"""Words of columns that bear a name, which is a person's where the table is of people."""

_LOOKS = re.compile(
    r"\S@\S"  # mail
    r"|^\+?[\d\s()./-]{7,}$"  # telephone, account
    r"|^[A-Z]{2}\d{2}(?:\s?[A-Z0-9]{4}){3,}"  # IBAN
    r"|^\d{1,3}(?:\.\d{1,3}){3}$"  # IP address
    r"|^(?:19|20)\d\d-[01]\d-[0-3]\d$"  # a day, such as one of birth
)


def is_personal_column(table: Collection[str], column: Sequence[str]) -> bool:
    """Whether a column is about single persons, by the stems of its table's name and of its own, in their order.

    Example:
        >>> is_personal_column({"custom"}, ["name"]), is_personal_column({"product"}, ["name"])
        (True, False)
        >>> is_personal_column({"custom"}, ["countri"]), is_personal_column({"store"}, ["email"])
        (False, True)
        >>> is_personal_column({"order"}, ["sale", "rep"]), is_personal_column({"order"}, ["custom", "type"])
        (True, False)
    """
    said = set(column)
    if (
        said & _ALWAYS
        or column
        and (column[-1] in PEOPLE - _BUYERS or len(column) > 1 and column[-1] == "by")
    ):
        return True
    return bool(said & _NAMES and (set(table) & PEOPLE or said & PEOPLE))


def looks_personal(text: str) -> bool:
    """Whether a text looks like a mail address, a telephone or account number, an IP address or one day.

    Example:
        >>> [looks_personal(t) for t in ("anna@example.org", "+47 22 33 44 55", "Norway", "A-100")]
        [True, True, False, False]
    """
    return bool(_LOOKS.search(text))
