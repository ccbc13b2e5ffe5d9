"""Data of the pages of the library."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from difflib import unified_diff
from itertools import zip_longest

from django.core.paginator import Page
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from mirror.library import selectors
from mirror.library.forms import ArgumentsForm
from mirror.library.models import SavedSql, SavedSqlEdit
from mirror.paging import Pager, pager_of
from mirror.people.models import User
from mirror.sources.selectors import sources_visible

# Comparing takes the square of the lines.
DIFF_LINES = 4_000


@dataclass(frozen=True, slots=True)
class SavedPage:
    """One saved SQL, and the form that runs it again."""

    saved: SavedSql
    edits: int
    arguments: ArgumentsForm
    may_change: bool
    may_write: bool
    may_run: bool
    sees_source: bool
    team_names: list[str]

    @property
    def why_not(self) -> str:
        """Why somebody may not run it, where they may not."""
        name = self.saved.source.name
        if self.sees_source:
            words = _(
                "On %(name)s you run SQL of people who write SQL there, and its owner does not. "
                "Ask the owner of %(name)s."
            )
            return words % {"name": name}
        return _("Its source, %(name)s, is not shared with you any more. Ask its owner.") % {"name": name}


def saved_page(user: User, saved: SavedSql, arguments: ArgumentsForm) -> SavedPage:
    """Lay out saved SQL for somebody. `arguments` is the form: fresh, or with what is wrong with what was typed."""
    return SavedPage(
        saved=saved,
        edits=selectors.edit_number(saved),
        arguments=arguments,
        may_change=selectors.may_change(user, saved),
        may_write=selectors.may_write(user, saved),
        may_run=selectors.may_run(user, saved),
        sees_source=sources_visible(user).filter(pk=saved.source_id).exists(),
        team_names=list(saved.teams.values_list("name", flat=True)),
    )


@dataclass(frozen=True, slots=True)
class SavedListPage:
    """Saved SQL, a page at a time."""

    rows: list[SavedSql]
    search: str
    broken: str
    folder: str
    folders: list[str]
    pager: Pager


def saved_list_page(
    user: User, found: Page[SavedSql], search: str, broken: str = "", folder: str = ""
) -> SavedListPage:
    """Lay out one page of what a search found."""
    return SavedListPage(
        rows=list(found),
        search=search,
        broken=broken,
        folder=folder,
        folders=selectors.folders_of(user),
        pager=pager_of(found, q=search, broken=broken, folder=folder),
    )


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line of a difference: `+` came, `-` went, anything else stayed."""

    sign: str
    text: str


@dataclass(frozen=True, slots=True)
class EditView:
    """One edit: by whom and when, what is different from the one before, and whether its texts are those of now."""

    number: int
    by: str
    at: datetime
    restores: int | None
    said: list[str]
    lines: list[DiffLine]
    sql: str
    is_now: bool


@dataclass(frozen=True, slots=True)
class EditsPage:
    """The edits of saved SQL, newest first."""

    saved: SavedSql
    edits: list[EditView]
    may_write: bool


@dataclass(frozen=True, slots=True)
class MeanwhilePage:
    """The saved text, changed while somebody else was editing, against the one they typed."""

    number: int
    by: str
    at: datetime
    name: str
    description: str
    sql: str
    parameters: str
    lines: list[DiffLine]


def edits_page(user: User, saved: SavedSql) -> EditsPage:
    """Lay out the history of saved SQL."""
    edits = selectors.edits_of(saved)
    return EditsPage(
        saved=saved,
        edits=[_edit(edit, before, saved) for edit, before in zip_longest(edits, edits[1:])],
        may_write=selectors.may_write(user, saved),
    )


def meanwhile_page(saved: SavedSql, typed_sql: str) -> MeanwhilePage:
    """Lay out the texts that are kept now, and how the SQL that was typed differs from them."""
    last = selectors.edits_of(saved)[0]
    return MeanwhilePage(
        number=last.number,
        by=_who(last),
        at=last.at,
        name=last.name,
        description=last.description,
        sql=last.sql,
        parameters=_told(last.parameters),
        lines=_lines(last.sql, typed_sql),
    )


def _edit(edit: SavedSqlEdit, before: SavedSqlEdit | None, saved: SavedSql) -> EditView:
    said = []
    if before is not None:
        if edit.name != before.name:
            words = _("Name: “%(before)s” became “%(now)s”")
            said.append(words % {"before": before.name, "now": edit.name})
        if edit.description != before.description:
            said.append(
                _("Description: “%(text)s”") % {"text": edit.description}
                if edit.description
                else _("Description taken away")
            )
        if edit.parameters != before.parameters:
            said.append(_("Parameters: %(list)s") % {"list": _told(edit.parameters)})
    now = (saved.name, saved.description, saved.sql, saved.parameters)
    return EditView(
        number=edit.number,
        by=_who(edit),
        at=edit.at,
        restores=edit.restores,
        said=said,
        lines=_lines(before.sql, edit.sql) if before is not None and before.sql != edit.sql else [],
        sql=edit.sql,
        is_now=(edit.name, edit.description, edit.sql, edit.parameters) == now,
    )


def _who(edit: SavedSqlEdit) -> str:
    if edit.by is None:
        return _("somebody")
    return edit.by.called


def _told(parameters: list[dict[str, str]]) -> str:
    named = [
        f":{one['name']} ({one['kind']}{', ' + one['default'] if one.get('default') else ''})"
        for one in parameters
    ]
    return ", ".join(named) or pgettext("parameters", "none")


def _lines(before: str, after: str) -> list[DiffLine]:
    """The lines of two texts as a difference with three lines around each change; a text of many thousand lines is shown whole."""
    old, new = before.splitlines(), after.splitlines()
    if len(old) + len(new) > DIFF_LINES:
        return [*(DiffLine("-", line) for line in old), *(DiffLine("+", line) for line in new)]
    told = list(unified_diff(old, new, lineterm="", n=3))[2:]
    return [DiffLine("…", "") if line.startswith("@@") else DiffLine(line[0], line[1:]) for line in told]
