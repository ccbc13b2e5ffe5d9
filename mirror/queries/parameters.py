"""Parameters of saved SQL: what kinds there are, and how values enter the SQL.

A value becomes a typed literal in the parsed SQL; text is never pasted into text. So no value
can end a literal, add a clause or name a column, whatever it holds.

A date may be said in words (`dates`); it is read as of a day that the caller may choose.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Any

import sqlglot
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from sqlglot import exp

from mirror.queries.dates import date_read
from sqlagent.sql.literals import ODD
from sqlagent.values import Catalog, Kind

KINDS = {
    "text": gettext_lazy("Text"),
    "number": gettext_lazy("Number"),
    "date": gettext_lazy("Date"),
    "boolean": gettext_lazy("Yes or no"),
}
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,39}")

_YES, _NO = frozenset(("true", "yes", "on", "1")), frozenset(("false", "no", "off", "0"))


class ParameterError(ValueError):
    """A parameter or its value cannot be used; the message is fit to be shown."""


def names_used(sql: str, dialect: str) -> tuple[str, ...]:
    """List the parameters that SQL refers to as `:name`, in order, each once.

    SQL that cannot be parsed gives none: the guard is the one to say what is wrong with it.

    Example:
        >>> names_used("SELECT ':no' FROM t WHERE a = :year AND b > :year", "sqlite")
        ('year',)
    """
    try:
        trees = sqlglot.parse(sql, dialect=dialect)
    except ODD:
        return ()
    found = (node.name for tree in trees if tree for node in tree.find_all(exp.Placeholder, bfs=False))
    return tuple(dict.fromkeys(name for name in found if name))


SQL_CHARS = 100_000
"""Longer than any SQL a person writes, short enough to parse in a blink."""

NAMES = 200
""":names of one text up to which each gets a field."""

DIGITS = 400
"""Digits before or after the point of a number that somebody gives: more than any database keeps."""


def parameters_found(
    sql: str, dialect: str, catalog: Catalog | None = None, known: Sequence[Mapping[str, Any]] = ()
) -> list[dict[str, Any]]:
    """List the :names of SQL as parameters: as `known` has them, else of the kind of what they are compared with.

    Example:
        >>> [(one["name"], one["kind"]) for one in parameters_found("SELECT 1 WHERE 2 > :n LIMIT :most", "sqlite")]
        [('n', 'number'), ('most', 'number')]
    """
    told = {str(parameter["name"]): dict(parameter) for parameter in known}
    if len(sql) > SQL_CHARS:
        return []
    try:
        trees = [tree for tree in sqlglot.parse(sql, dialect=dialect) if tree]
    except ODD:
        return []
    kinds: dict[str, str] = {}
    for tree in trees:
        for node in tree.find_all(exp.Placeholder, bfs=False):
            if node.name and NAME.fullmatch(node.name):
                kinds[node.name] = kinds.get(node.name) or _kind_beside(node, tree, catalog)
            if len(kinds) > NAMES:
                return []
    return [
        told.get(name) or {"name": name, "kind": kind or "text", "label": "", "default": ""}
        for name, kind in sorted(kinds.items(), key=lambda one: sql.find(f":{one[0]}"))
    ]


def _kind_beside(node: exp.Placeholder, tree: exp.Expr, catalog: Catalog | None) -> str:
    """The kind of what a placeholder is compared with, cast to or counts; empty where nothing says."""
    parent = node.parent
    if isinstance(parent, exp.Cast):
        return _KIND_OF_TYPE.get(parent.to.this.name.lower(), "")
    if isinstance(parent, (exp.Limit, exp.Offset, exp.Add, exp.Sub, exp.Mul, exp.Div)):
        return "number"
    if not isinstance(parent, (exp.Binary, exp.Between, exp.In)):
        return ""
    for side in parent.iter_expressions():
        if isinstance(side, exp.Literal):
            return "text" if side.is_string else "number"
        if isinstance(side, exp.Column) and catalog is not None:
            return _kind_of_column(side, tree, catalog)
    return ""


def _kind_of_column(column: exp.Column, tree: exp.Expr, catalog: Catalog) -> str:
    for named in tree.find_all(exp.Table):
        if column.table and column.table.lower() not in (named.alias.lower(), named.name.lower()):
            continue
        table = catalog.table(named.name, named.db)
        if table is not None and (found := table.column(column.name)) is not None:
            return _KIND_OF_COLUMN.get(found.kind, "text")
    return ""


_KIND_OF_COLUMN = {
    Kind.INTEGER: "number",
    Kind.NUMBER: "number",
    Kind.DATE: "date",
    Kind.DATETIME: "date",
    Kind.BOOLEAN: "boolean",
}
_KIND_OF_TYPE = {
    "int": "number",
    "bigint": "number",
    "decimal": "number",
    "double": "number",
    "float": "number",
    "date": "date",
    "timestamp": "date",
    "boolean": "boolean",
}


def parameters_check(sql: str, parameters: Sequence[Mapping[str, Any]], dialect: str) -> None:
    """Refuse parameters that do not fit the SQL or themselves. Raises: ParameterError."""
    declared = [str(parameter["name"]) for parameter in parameters]
    for parameter in parameters:
        if not NAME.fullmatch(str(parameter["name"])):
            raise ParameterError(
                _("“%(parameter)s” cannot be a parameter's name: use letters, digits and _, a letter first.")
                % {"parameter": parameter["name"]}
            )
        if parameter.get("default") not in (None, ""):
            value_read(parameter, parameter["default"])
    if len(set(declared)) < len(declared):
        raise ParameterError(_("Two parameters have the same name."))
    used = names_used(sql, dialect)
    for name in used:
        if name not in declared:
            raise ParameterError(
                _("The SQL uses :%(name)s, but there is no parameter of that name.") % {"name": name}
            )
    for name in declared:
        if name not in used:
            raise ParameterError(
                _("The SQL does not use :%(name)s. Use it, or remove the parameter.") % {"name": name}
            )


def value_read(
    parameter: Mapping[str, Any], typed: Any, today: date | None = None
) -> str | Decimal | date | bool:
    """Read a value as its parameter's kind. Raises: ParameterError in plain words.

    A date may be words, read as of `today`: the date in the server's zone now when none is given.

    Example:
        >>> value_read({"name": "from", "kind": "date"}, "2026-02-28")
        datetime.date(2026, 2, 28)
    """
    kind, shown = parameter["kind"], parameter.get("label") or parameter["name"]
    text = str(typed).strip()
    if kind == "number":
        try:
            number = Decimal(text)
        except InvalidOperation:
            raise ParameterError(
                _("“%(typed)s” is not a number (%(shown)s).") % {"typed": typed, "shown": shown}
            ) from None
        if not number.is_finite() or abs(number.adjusted()) > DIGITS:
            raise ParameterError(
                _("“%(typed)s” is not a number (%(shown)s).") % {"typed": typed, "shown": shown}
            )
        return number
    if kind == "date":
        try:
            return date_read(text, today or timezone.localdate())
        except ValueError as error:
            raise ParameterError(f"{shown}: {error}") from None
    if kind == "boolean":
        if text.lower() not in _YES | _NO:
            raise ParameterError(
                _("“%(typed)s” is neither yes nor no (%(shown)s).") % {"typed": typed, "shown": shown}
            )
        return text.lower() in _YES
    if kind != "text":
        raise ParameterError(
            _("“%(kind)s” is no kind of parameter. Known: %(kinds)s.")
            % {"kind": kind, "kinds": ", ".join(KINDS)}
        )
    if "\x00" in str(typed):
        raise ParameterError(
            _("The value of %(shown)s holds a character that no database takes.") % {"shown": shown}
        )
    return str(typed)


def sql_bind(
    sql: str,
    parameters: Sequence[Mapping[str, Any]],
    arguments: Mapping[str, Any],
    dialect: str,
    today: date | None = None,
) -> str:
    """Put values in the places of `:name`, as literals of their kind.

    A value that is missing or empty is its parameter's default; a text may be empty. Dates in words are as
    of `today`, or of the date in the server's zone now.
    Raises: ParameterError when one is missing, of the wrong kind or unknown, or the SQL cannot be parsed.

    Example:
        >>> sql_bind("SELECT :who", [{"name": "who", "kind": "text", "default": ""}], {"who": "O'Hara"}, "sqlite")
        "SELECT 'O''Hara'"
    """
    declared = {str(parameter["name"]): parameter for parameter in parameters}
    for name in arguments:
        if name not in declared:
            raise ParameterError(_("There is no parameter “%(name)s”.") % {"name": name})
    try:
        trees = [tree for tree in sqlglot.parse(sql, dialect=dialect) if tree]
    except ODD as error:
        raise ParameterError(
            _("The SQL cannot be read: %(why)s")
            % {"why": next(iter(str(error).splitlines()), "its parts do not fit together")}
        ) from None
    if len(trees) != 1:
        raise ParameterError(_("Saved SQL is one statement."))

    def bound(node: exp.Expression) -> exp.Expression:
        if not isinstance(node, exp.Placeholder) or not node.name:
            return node
        if node.name not in declared:
            raise ParameterError(
                _("The SQL uses :%(name)s, but there is no parameter of that name.") % {"name": node.name}
            )
        return _literal(_value(declared[node.name], arguments, today))

    return trees[0].transform(bound).sql(dialect=dialect, pretty="\n" in sql)


def dates_fixed(
    parameters: Sequence[Mapping[str, Any]], arguments: Mapping[str, Any], today: date | None = None
) -> dict[str, Any]:
    """Give the arguments with every date in words, typed or by default, as the day it is on `today`.

    A run is then told, and repeated, with the days it was run with. A text that is no date stays as it is:
    `sql_bind` says why it is refused.

    Example:
        >>> dates_fixed([{"name": "since", "kind": "date", "default": "yesterday"}], {}, date(2026, 3, 1))
        {'since': '2026-02-28'}
    """
    fixed = dict(arguments)
    for parameter in parameters:
        given = fixed.get(parameter["name"]) or parameter.get("default")
        if parameter["kind"] == "date" and given:
            with suppress(ParameterError):
                fixed[parameter["name"]] = str(value_read(parameter, given, today))
    return fixed


def _value(
    parameter: Mapping[str, Any], arguments: Mapping[str, Any], today: date | None
) -> str | Decimal | date | bool:
    given = arguments.get(parameter["name"])
    if given in (None, ""):
        given = parameter.get("default")
    if given is None or (given == "" and parameter["kind"] != "text"):
        raise ParameterError(
            _("Give a value for %(name)s.") % {"name": parameter.get("label") or parameter["name"]}
        )
    return value_read(parameter, given, today)


def _literal(value: str | Decimal | date | bool) -> exp.Expression:
    if isinstance(value, bool):
        return exp.true() if value else exp.false()
    if isinstance(value, Decimal):
        number = exp.Literal.number(format(value.copy_abs(), "f"))
        return exp.Paren(this=exp.Neg(this=number)) if value < 0 else number
    if isinstance(value, date):
        return exp.cast(exp.Literal.string(value.isoformat()), "date")
    return exp.Literal.string(value)
