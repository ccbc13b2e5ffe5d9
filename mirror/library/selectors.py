"""Which saved SQL somebody may look at."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.db.models import Q, QuerySet

from mirror.library.models import SavedSql, SavedSqlEdit
from mirror.people.models import User
from mirror.people.selectors import teams_of
from mirror.queries.parameters import ParameterError, sql_bind
from mirror.sources import guarding
from mirror.sources.catalogs import catalog_read
from mirror.sources.models import Source
from mirror.sources.selectors import asked_by, may_ask, sources_asked, sources_visible
from mirror.sources.sight import seen_by, withheld_now
from mirror.stored_words import said_now
from sqlagent.language.saying import spaced
from sqlagent.values import Catalog

# The value of a parameter without a default when only the names around it matter.
ANY_VALUE = {"text": "text", "number": "1", "date": "2000-01-01", "boolean": "yes"}


def saved_visible(user: User, search: str = "", broken: str = "", folder: str = "") -> QuerySet[SavedSql]:
    """List the saved SQL somebody owns, or shares by a team together with its source.

    All words of `search` must be found, in name, folder, description, question, SQL (so by tables and columns too) or source;
    with `broken`, only what no longer runs on the source of that name; with `folder`, what lies in it.
    """
    shared = SavedSql.teams.through.objects.filter(team__in=teams_of(user)).values("savedsql")
    sources = sources_visible(user).values("pk")
    found = SavedSql.objects.filter(Q(owner=user) | Q(pk__in=shared, source__in=sources))
    for word in search.split():
        found = found.filter(
            Q(name__icontains=word)
            | Q(folder__icontains=word)
            | Q(description__icontains=word)
            | Q(question__icontains=word)
            | Q(sql__icontains=word)
            | Q(source__name__icontains=word)
        )
    if broken:
        found = found.filter(source__name=broken).exclude(problem="")
    if folder:
        found = found.filter(folder=folder)
    return found.select_related("source", "owner").defer("source__catalog")


def folders_of(user: User) -> list[str]:
    """List the folders of the saved SQL that somebody sees, by name."""
    named = saved_visible(user).exclude(folder="").order_by("folder")
    return list(named.values_list("folder", flat=True).distinct())


def edits_of(saved: SavedSql) -> list[SavedSqlEdit]:
    """List the edits of saved SQL, newest first; none where it was not changed since before edits were kept."""
    return list(saved.edits.select_related("by"))


def edit_number(saved: SavedSql) -> int:
    """Give the number of the last edit; 0 where none was kept."""
    last = saved.edits.order_by("-number").values_list("number", flat=True).first()
    return last or 0


def broken_by(source: Source, catalog: Catalog) -> dict[int, str]:
    """Say which saved SQL of a source its catalog lets no longer run, and why, by primary key.

    Parameters stand at their defaults, or at any value of their kind. About 5 ms each.
    """
    found = {}
    for saved in SavedSql.objects.filter(source=source).only("pk", "sql", "parameters"):
        problem = problem_of(source, saved.sql, saved.parameters, catalog)
        if problem:
            found[saved.pk] = problem
    return found


def sql_is_shown(user: User, saved: SavedSql) -> bool:
    """Say whether saved SQL, with any values, reads only what somebody sees of its source."""
    source = seen_by(user, saved.source)
    if not withheld_now(source):
        return True
    catalog = catalog_read(source.catalog) if source.catalog else None
    return catalog is not None and not _problem(
        source, saved.sql, saved.parameters, catalog, guarding.sql_check
    )


def problem_of(source: Source, sql: str, parameters: Sequence[Mapping[str, Any]], catalog: Catalog) -> str:
    """Say why saved SQL does not run on a source with this catalog; nothing when it does."""
    return _problem(source, sql, parameters, catalog, guarding.sql_check_whole)


def _problem(
    source: Source,
    sql: str,
    parameters: Sequence[Mapping[str, Any]],
    catalog: Catalog,
    check: Callable[[Source, str, Catalog], guarding.Passed | guarding.Refusal],
) -> str:
    arguments = {
        str(parameter["name"]): ANY_VALUE[parameter["kind"]]
        for parameter in parameters
        if parameter.get("default") in (None, "")
    }
    try:
        bound = sql_bind(sql, parameters, arguments, catalog.dialect)
    except ParameterError as error:
        return str(error)
    checked = check(source, bound, catalog)
    return said_now(spaced(checked.what, checked.why)) if isinstance(checked, guarding.Refusal) else ""


def may_change(user: User, saved: SavedSql) -> bool:
    """Say whether somebody may edit, share and delete saved SQL: its owner alone."""
    return saved.owner_id == user.pk


def may_write(user: User, saved: SavedSql) -> bool:
    """Say whether somebody may change the texts of saved SQL and vouch for it: its owner, while they may ask its source."""
    return may_change(user, saved) and may_ask(user, saved.source)


def may_run(user: User, saved: SavedSql) -> bool:
    """Say whether somebody may run saved SQL (`runnable`)."""
    return runnable(user, SavedSql.objects.filter(pk=saved.pk)).exists()


def runnable(user: User, found: QuerySet[SavedSql]) -> QuerySet[SavedSql]:
    """Of saved SQL, what somebody may run: who asks a source any on it, a viewer what an owner wrote who may write SQL there.

    SQL that its owner wrote before becoming a viewer is so run by no viewer, the owner among them.
    """
    asked, seen = sources_asked(user).values("pk"), sources_visible(user).values("pk")
    return found.filter(Q(source__in=asked) | (Q(source__in=seen) & asked_by("owner")))
