"""The questions of one evaluation, told one beside another: the SQL of the answer, that which was verified, and where they differ."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _

from mirror.sources.catalogs import catalog_read
from mirror.stored_words import said_now
from sqlagent.sql.differences import differences
from sqlagent.sql.formatting import formatted
from sqlagent.values import Catalog

if TYPE_CHECKING:
    from mirror.sources.models import Source


@dataclass(frozen=True, slots=True)
class QuestionLine:
    """One question of an evaluation: right or wrong, how it was, both statements and in which clauses they differ."""

    question: str
    is_right: bool
    change: str
    is_same_sql: bool
    outcome: str
    terms: str
    problem: str
    sql: str
    expected: str
    differences: Sequence[str]


def is_changed(one: Mapping[str, Any]) -> bool:
    """Whether a question is answered otherwise than the last time."""
    return one.get("before") is not None and bool(one["before"]) != bool(one["right"])


def results_shown(results: Iterable[Mapping[str, Any]], show: str) -> list[Mapping[str, Any]]:
    """Those results that a reader wants to see: what got worse first, then what is wrong."""
    chosen = [
        one
        for one in results
        if show == "all" or (show == "changed" and is_changed(one)) or (show == "wrong" and not one["right"])
    ]
    return sorted(chosen, key=lambda one: (not (is_changed(one) and not one["right"]), bool(one["right"])))


def lines_of(source: Source, results: Iterable[Mapping[str, Any]]) -> list[QuestionLine]:
    """Lay out some results."""
    catalog = catalog_read(source.catalog) if source.catalog else Catalog(source.engine, ())
    return [_line(one, catalog) for one in results]


def _line(one: Mapping[str, Any], catalog: Catalog) -> QuestionLine:
    sql, expected = str(one.get("sql", "")), str(one.get("expected", ""))
    is_right, bare = bool(one["right"]), bool(one.get("bare"))
    change = ""
    if is_changed(one):
        change = _("wrong before") if is_right else _("right before")
    terms = ""
    if is_right != bare and not one.get("problem"):
        terms = _("right by the terms alone") if is_right else _("right without the terms")
    same = " ".join(sql.split()) == " ".join(expected.split())
    found = (
        ()
        if is_right or not sql or not expected
        else tuple(said_now(one) for one in differences(sql, expected, catalog))
    )
    return QuestionLine(
        str(one["question"]),
        is_right,
        change,
        same,
        str(one.get("outcome", "")),
        terms,
        str(one.get("problem", "")),
        formatted(sql, catalog.dialect) or sql,
        formatted(expected, catalog.dialect) or expected,
        found,
    )
