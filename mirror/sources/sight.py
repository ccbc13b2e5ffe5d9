"""The sight of a source, by person: names that its owner withholds from teams, and the login by which its rows are read.

A source in memory is seen by somebody (`seen_by`) or whole (`seen_whole`). One of which neither was said shows what no rule
withholds from any team, and where teams have logins it opens nothing: work that forgot to say it sees too little and never too
much.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import Any

from django.core.exceptions import PermissionDenied
from django.db.models import Q
from django.utils.translation import gettext as _

from mirror.people.models import User
from mirror.people.selectors import teams_of
from mirror.recent import Recent
from mirror.sources import selectors
from mirror.sources.logins import NOBODY, OWN, Login, login_of
from mirror.sources.models import Source, StoredIndex, TeamRole, WithheldName
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.guard.withheld import NOTHING, Withheld, folded, narrowed
from sqlagent.values import Catalog, ColumnRef, Subject

_Rows = list[tuple[int, str, str]]
# Narrowed value indexes that are kept.
AT_HAND = 8
_indexes: Recent[tuple[int, str], tuple[ValueIndex, ValueIndex]] = Recent(AT_HAND)
# How the key of a sight by a team's login begins; those of withheld names are hexadecimal.
BY_LOGIN = "L"


@dataclass(frozen=True, slots=True)
class Sight:
    """One person's sight of a source: all but what is `withheld`, in rows that are read by a `login`. True where it is not all."""

    withheld: Withheld = NOTHING
    login: Login = OWN

    def __bool__(self) -> bool:
        return bool(self.withheld) or not self.login.is_own

    @property
    def key(self) -> str:
        """A key that is equal where the same is seen, in every process; empty where all is. Rows that were read are stamped with it."""
        if self.login.is_own:
            return self.withheld.key
        told = "\0".join((self.withheld.key, self.login.name, self.login.problem))
        return BY_LOGIN + hashlib.sha256(told.encode("utf-8", "replace")).hexdigest()[:31]


WHOLE = Sight()


def withheld_of(user: User, source: Source) -> Withheld:
    """Say what of a source is withheld from somebody: what every team withholds by which they see it; from its owner nothing.

    Teams that are viewers do not widen the sight of somebody who asks by another team.
    """
    if not source.withholds or selectors.may_change(user, source):
        return NOTHING
    rows = _rows(source)
    teams = list(source.teams.filter(pk__in=teams_of(user).values("pk")).values_list("pk", flat=True))
    viewers = set(source.team_roles.filter(role=TeamRole.Role.VIEWER).values_list("team", flat=True))
    counted = [team for team in teams if team not in viewers] or teams
    if not counted:
        return _all(rows)
    each = [_all([row for row in rows if row[0] == team]) for team in counted]
    tables = frozenset.intersection(*(one.tables for one in each))
    columns = frozenset(
        column
        for one in each
        for column in one.columns
        if all(column in other.columns or column.table in other.tables for other in each)
    )
    return Withheld(tables, columns)


def sight_of(user: User, source: Source) -> Sight:
    """Say what somebody sees of a source, and by which login."""
    return Sight(withheld_of(user, source), login_of(user, source))


def seen_by(user: User, source: Source) -> Source:
    """Give the same source, as somebody sees it from now on."""
    source.__dict__["_sight"] = sight_of(user, source)
    return source


def seen_whole(source: Source) -> Source:
    """Give the same source, seen whole and read by its own user: for its owner's work, and a shell."""
    source.__dict__["_sight"] = WHOLE
    return source


def seen_by_login(source: Source, name: str) -> Source:
    """Give the same source, as its own user (an empty name) or the login of a team reads it: for what is read for all who have it."""
    source.__dict__["_sight"] = Sight(login=Login(name))
    return source


def sight_now(source: Source) -> Sight:
    """Say what the work sees that has this source in its hands; as little as any where nobody said whose work it is."""
    said = source.__dict__.get("_sight")
    if isinstance(said, Sight):
        return said
    withheld = _all(_rows(source)) if source.withholds else NOTHING
    return Sight(withheld, NOBODY if source.maps_logins else OWN)


def withheld_now(source: Source) -> Withheld:
    """Say which names are withheld from the work that has this source in its hands."""
    return sight_now(source).withheld


def sees_whole(user: User, source: Source) -> bool:
    """Say whether somebody sees all of a source, by its own user."""
    return not sight_of(user, source)


def may_correct(user: User, source: Source) -> bool:
    """Say whether somebody may say what is known of a source: its owner, editors, and administrators who ask it; all see it whole."""
    teaches = selectors.may_edit(user, source) or (user.is_staff and selectors.may_ask(user, source))
    return teaches and sees_whole(user, source)


def part_withheld(user: User, source: Source) -> str:
    """Say that somebody sees a source in part; empty where they see it whole."""
    return (
        ""
        if sees_whole(user, source)
        else _("Part of %(name)s is not shown to your team.") % {"name": source.name}
    )


def whole_check(user: User, source: Source) -> None:
    """Demand that nothing of a source is withheld from somebody: for what may tell of all of it. Raises: PermissionDenied."""
    if not sees_whole(user, source):
        raise PermissionDenied(
            _("Part of %(name)s is not shown to your team, and this page may tell of all of it.")
            % {"name": source.name}
        )


def sources_in_part(user: User) -> dict[int, str]:
    """Name the sources, by their ids, that somebody sees in part or by a team's login, each with the key of what they see."""
    ruled = Q(withholds=True) | Q(maps_logins=True)
    with_rules = selectors.sources_visible(user).filter(ruled).exclude(owner=user)
    found = {source.pk: sight_of(user, source).key for source in with_rules}
    return {pk: key for pk, key in found.items() if key}


def read_in_sight(user: User, source: str = "source", sight: str = "sight") -> Q:
    """The condition on rows with a source and the key of what was seen when they were made: the same is seen now.

    Somebody from whom nothing is withheld sees all that is theirs, but what was read by another login. A rule that changed hides
    what was read before it.
    """
    parts = sources_in_part(user)
    found = ~Q(**{f"{source}__in": list(parts)}) & ~Q(**{f"{sight}__startswith": BY_LOGIN})
    for pk, key in parts.items():
        found |= Q(**{source: pk, sight: key})
    return found


def is_in_sight(user: User, source: Source, key: str) -> bool:
    """Say of one row whether `read_in_sight` lets it through; without a statement where the source has no rules."""
    now = sight_of(user, source).key
    return key == now if now else not key.startswith(BY_LOGIN)


def catalog_shown(kept: dict[str, Any] | None, sight: Sight) -> dict[str, Any] | None:
    """Give a catalog as it is kept, without what a sight leaves out."""
    if not kept or not sight:
        return kept
    withheld = sight.withheld
    tables = [table for table in kept["tables"] if _key(table) not in withheld.tables]
    if withheld:
        tables = [_table_shown(table, withheld) for table in tables]
    if not sight.login.is_own:
        tables = [{**table, "row_estimate": None} for table in tables]
    return {**kept, "tables": tables}


def catalog_seen(catalog: Catalog, sight: Sight) -> Catalog:
    """Give a catalog without what a sight leaves out: withheld names, and what tells of rows that the source's own user reads.

    Those are counts of rows, and what its owner says of stored values. The version tells of the sight.
    """
    shown = narrowed(catalog, sight.withheld)
    if sight.login.is_own:
        return shown
    return replace(
        shown,
        tables=tuple(replace(table, row_estimate=None) for table in shown.tables),
        corrections=tuple(one for one in shown.corrections if one.subject is not Subject.LABEL),
        version=f"{shown.version} by {sight.key}",
    )


def index_seen(source: Source) -> StoredIndex | None:
    """Tell how the making of the value index stands that who has the source in hand reads by; its bytes are left unread."""
    login = sight_now(source).login
    return None if login.problem else selectors.index_state(source, login.name)


def says_withheld(source: Source, text: str) -> bool:
    """Say whether a text says a name that is withheld from who has the source in hand, also as words: “job title”."""
    said = folded(text)
    return any(name in said or name.replace("_", " ") in said for name in withheld_now(source).names)


def index_narrowed(source: Source, index: ValueIndex | None, catalog: Catalog) -> ValueIndex | None:
    """Give stored values of the columns of a narrowed catalog alone, made anew of them, with the facts of tables that are whole."""
    withheld = withheld_now(source)
    if index is None or not withheld:
        return index
    known = _indexes.get(
        (source.pk, sight_now(source).key), lambda: (index, ValueIndex.of(index.reading(catalog)))
    )
    if known[0] is not index or known[1].version != catalog.version:
        return ValueIndex.of(index.reading(catalog))
    return known[1]


def names_of(source: Source) -> dict[str, tuple[str, str]]:
    """Give the tables of a source, and their columns with them, by their names in small letters, as `name_key` makes them."""
    found: dict[str, tuple[str, str]] = {}
    for table in (source.catalog or {}).get("tables", ()):
        found[folded(_key(table))] = (_key(table), "")
        for column in table["columns"]:
            found[folded(f"{_key(table)}.{column['name']}")] = (_key(table), column["name"])
    return found


def name_key(name: str) -> str:
    """Make a typed name comparable with those of `names_of`."""
    return folded(name)


def _rows(source: Source) -> _Rows:
    rows = WithheldName.objects.filter(source=source).order_by("table", "column")
    return list(rows.values_list("team", "table", "column"))


def _all(rows: _Rows) -> Withheld:
    tables = frozenset(table for _, table, column in rows if not column)
    columns = frozenset(ColumnRef(table, column) for _, table, column in rows if column)
    return Withheld(tables, frozenset(one for one in columns if one.table not in tables))


def _key(table: dict[str, Any]) -> str:
    return f"{table['schema']}.{table['name']}" if table["schema"] else str(table["name"])


def _table_shown(table: dict[str, Any], withheld: Withheld) -> dict[str, Any]:
    hidden = withheld.by_table.get(_key(table), frozenset())
    keys = [key for key in table["foreign_keys"] if not _points_at_withheld(table, key, hidden, withheld)]
    columns = [column for column in table["columns"] if folded(column["name"]) not in hidden]
    primary = [] if hidden & {folded(name) for name in table["primary_key"]} else table["primary_key"]
    comment = table["comment"] if not hidden else ""
    return {**table, "columns": columns, "foreign_keys": keys, "primary_key": primary, "comment": comment}


def _points_at_withheld(
    table: dict[str, Any], key: dict[str, Any], hidden: frozenset[str], withheld: Withheld
) -> bool:
    schema = key["schema"] or table["schema"]
    there = f"{schema}.{key['table']}" if schema else key["table"]
    names = {folded(name) for name in key["referenced"]}
    return bool(
        hidden & {folded(name) for name in key["columns"]}
        or there in withheld.tables
        or names & withheld.by_table.get(there, frozenset())
    )
