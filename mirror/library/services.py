"""Operations on saved SQL: saved, changed, shared, verified, let go. Running it is a run's business."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from mirror.audit.services import record
from mirror.library import selectors
from mirror.library.models import SavedSql, SavedSqlEdit
from mirror.library.signals import sql_shared
from mirror.people.models import Team, User
from mirror.people.services import teams_share
from mirror.queries.parameters import ParameterError, dates_fixed, names_used, parameters_check, sql_bind
from mirror.sources.catalogs import catalog_read
from mirror.sources.models import Source
from sqlagent.values import Catalog

__all__ = [
    "ChangedMeanwhile",
    "ParameterError",
    "dates_fixed",
    "sql_bind",
    "sql_delete",
    "sql_restore",
    "sql_save",
    "sql_share",
    "sql_update",
    "sql_verify",
]


class ChangedMeanwhile(Exception):
    """Somebody kept another edit since the one that was being changed."""


@transaction.atomic
def sql_save(
    owner: User,
    source: Source,
    name: str,
    sql: str,
    *,
    description: str = "",
    question: str = "",
    parameters: Sequence[Mapping[str, Any]] | None = None,
    chart: dict[str, Any] | None = None,
    draft: str = "",
    saying: Mapping[str, Any] | None = None,
) -> SavedSql:
    """Keep SQL under a name. Raises: ParameterError when parameters and SQL do not fit.

    With no `parameters`, each `:name` in the SQL becomes a text parameter. `draft` says why its answer is one, and `saying` the
    parts of that text.
    """
    kept = (
        [
            {"name": used, "kind": "text", "default": "", "label": ""}
            for used in names_used(sql, source.engine)
        ]
        if not parameters
        else [dict(parameter) for parameter in parameters]
    )
    parameters_check(sql, kept, source.engine)
    saved = SavedSql.objects.create(
        owner=owner,
        source=source,
        name=name,
        description=description,
        question=question,
        sql=sql,
        parameters=kept,
        chart=chart,
        draft=draft,
        saying=dict(saying or {}),
    )
    _edit_keep(saved, owner)
    return saved


@transaction.atomic
def sql_update(
    saved: SavedSql,
    *,
    name: str,
    description: str,
    sql: str,
    parameters: Sequence[Mapping[str, Any]],
    by: User,
    folder: str | None = None,
    changes: int | None = None,
    restores: SavedSqlEdit | None = None,
) -> SavedSql:
    """Keep what was changed, as a new edit where a text did. Raises: ParameterError, ChangedMeanwhile; nothing changes then.

    `changes` is the number of the edit that it was made of. Changed SQL is no longer verified, as somebody vouched for another
    text, and no longer what a draft was found to be; the SQL of an edit that it `restores` is a draft if it was one then.
    """
    kept = [dict(parameter) for parameter in parameters]
    parameters_check(sql, kept, saved.source.engine)
    # Two edits at once: the second waits here, and is told.
    SavedSql.objects.select_for_update().get(pk=saved.pk)
    saved.refresh_from_db()
    if changes is not None and changes != selectors.edit_number(saved):
        raise ChangedMeanwhile
    if not saved.edits.exists():  # saved before edits were kept
        _edit_keep(saved, None, at=saved.updated_at)
    is_same = (name, description, sql, kept) == (saved.name, saved.description, saved.sql, saved.parameters)
    if sql != saved.sql:
        saved.verified_by = saved.verified_at = None
        saved.draft, saved.saying = (restores.draft, restores.saying) if restores else ("", {})
        if saved.problem and saved.source.catalog:
            saved.problem = selectors.problem_of(saved.source, sql, kept, catalog_read(saved.source.catalog))
    saved.name, saved.description, saved.sql, saved.parameters = name, description, sql, kept
    saved.folder = saved.folder if folder is None else folder
    saved.save()
    if not is_same:
        edit = _edit_keep(saved, by, restores=restores)
        record("changed saved SQL", saved, by=by, edit=edit.number, restores=edit.restores)
    return saved


def sql_restore(saved: SavedSql, edit: SavedSqlEdit, by: User) -> SavedSql:
    """Go back to the texts of an earlier edit, as a new one. Raises: ParameterError."""
    return sql_update(
        saved,
        name=edit.name,
        description=edit.description,
        sql=edit.sql,
        parameters=edit.parameters,
        by=by,
        restores=edit,
    )


def _edit_keep(
    saved: SavedSql,
    by: User | None,
    *,
    at: datetime | None = None,
    restores: SavedSqlEdit | None = None,
) -> SavedSqlEdit:
    return SavedSqlEdit.objects.create(
        saved=saved,
        number=selectors.edit_number(saved) + 1,
        by=by,
        at=at or timezone.now(),
        name=saved.name,
        description=saved.description,
        sql=saved.sql,
        parameters=saved.parameters,
        draft=saved.draft,
        saying=saved.saying,
        restores=restores.number if restores else None,
    )


@transaction.atomic
def sql_verify(saved: SavedSql, by: User) -> None:
    """Vouch for saved SQL: it is no draft then, until its SQL is changed."""
    saved.verified_by, saved.verified_at, saved.draft = by, timezone.now(), ""
    saved.save(update_fields=["verified_by", "verified_at", "draft"])
    record("verified saved SQL", saved, by=by)


def problems_keep(source: Source, catalog: Catalog) -> int:
    """Keep with each saved SQL of a source why it no longer runs, or that it does; return how many do not."""
    broken = selectors.broken_by(source, catalog)
    for saved in SavedSql.objects.filter(source=source).only("pk", "problem"):
        if saved.problem != broken.get(saved.pk, ""):
            SavedSql.objects.filter(pk=saved.pk).update(problem=broken.get(saved.pk, ""))
    return len(broken)


@transaction.atomic
def sql_share(saved: SavedSql, teams: Iterable[Team], by: User) -> int:
    """Share with exactly these of the teams that `by` is in; others stay as they are. Gives how many people are told by mail.

    A team sees it when the source is shared with its members too.
    """
    before = set(saved.teams.all())
    record("shared saved SQL", saved, by=by, teams=teams_share(saved, teams, by))
    told = sql_shared.send(SavedSql, saved=saved, before=[team.pk for team in before], by=by)
    return sum(int(count or 0) for _, count in told)


@transaction.atomic
def sql_delete(saved: SavedSql) -> None:
    """Let saved SQL go. Runs that were made from it stay."""
    pk = saved.pk
    saved.delete()
    saved.pk = pk  # which is gone from the store, and named in the audit
    record("deleted saved SQL", saved)
