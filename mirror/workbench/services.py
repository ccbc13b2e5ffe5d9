"""Operations on a tab: opened, typed into, run, closed. Nothing that was typed is lost."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import timedelta
from typing import TYPE_CHECKING

from django.contrib.humanize.templatetags.humanize import intcomma
from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _

from mirror.asking.models import Version
from mirror.asking.services.versions import run_of_sql, version_edit, versions_edit
from mirror.phrases import one_line
from mirror.queries.parameters import SQL_CHARS
from mirror.storable import storable
from mirror.workbench.errors import TabChanged, WorkbenchError
from mirror.workbench.models import Tab
from mirror.workbench.selectors import source_of, tabs_open
from sqlagent.sql.statements import statement_at, statements

if TYPE_CHECKING:
    from mirror.people.models import User
    from mirror.sources.models import Source

# Tabs of one person that are open at once, and how long a closed one is kept.
TABS, CLOSED_FOR = 40, timedelta(days=90)
# Statements of one text that are run one after the other.
STATEMENTS = 20
_FROM = re.compile(r"\b(?:from|join|update|into)\s+[\"`\[]?([\w.]+)", re.IGNORECASE)


def tab_new(owner: User, source: Source | None, sql: str = "", title: str = "") -> Tab:
    """Open a tab. Raises: WorkbenchError when too many are open, or the text is too long."""
    sql = sql_typed(sql)
    Tab.objects.filter(owner=owner, closed_at__lt=timezone.now() - CLOSED_FOR).delete()
    if len(tabs_open(owner)) >= TABS:
        words = _("%(count)s tabs are open already. Close one first; closed tabs are kept.")
        raise WorkbenchError(words % {"count": TABS})
    return Tab.objects.create(owner=owner, source=source, sql=sql, title=one_line(title, 80))


def sql_typed(text: str) -> str:
    """The text of a tab as it is kept. Raises: WorkbenchError when it is too long."""
    text = str(storable(text.replace("\r\n", "\n")))
    if len(text) > SQL_CHARS:
        words = _("This text has %(count)s characters; a tab keeps %(most)s. Put the rest in another tab.")
        raise WorkbenchError(words % {"count": intcomma(len(text)), "most": intcomma(SQL_CHARS)})
    return text


def tab_keep(tab: Tab, sql: str, revision: int | None = None) -> int:
    """Keep what was typed, if nobody kept another text since `revision`; gives the new revision. Raises: TabChanged."""
    sql = sql_typed(sql)
    same = Tab.objects.filter(pk=tab.pk)
    if revision is not None:
        same = same.filter(revision=revision)
    kept = same.exclude(sql=sql).update(sql=sql, revision=F("revision") + 1, used_at=timezone.now())
    tab.refresh_from_db()
    if not kept and tab.sql != sql:
        raise TabChanged(_("This tab was changed in another window."))
    return tab.revision


def tab_change(tab: Tab, title: str, source: Source | None) -> None:
    """Name a tab, and choose its source; SQL that ran on another source stays in the history of questions."""
    tab.title = one_line(title, 80)
    if source is not None and source.pk != tab.source_id:
        tab.source, tab.run, tab.arguments = source, None, {}
    tab.save(update_fields=["title", "source", "run", "arguments", "used_at"])


def tab_close(tab: Tab) -> None:
    """Close a tab: an empty one is gone, any other is kept to be opened again."""
    if not tab.sql.strip():
        tab.delete()
        return
    tab.closed_at = timezone.now()
    tab.save(update_fields=["closed_at"])


def tab_reopen(tab: Tab) -> None:
    """Open a closed tab again. Raises: WorkbenchError when too many are open."""
    if tab.closed_at is not None and len(tabs_open(tab.owner)) >= TABS:
        raise WorkbenchError(_("%(count)s tabs are open already. Close one first.") % {"count": TABS})
    tab.closed_at = None
    tab.save(update_fields=["closed_at", "used_at"])


def tab_run(
    tab: Tab,
    part: str,
    arguments: Mapping[str, str] | None = None,
    *,
    at: int | None = None,
    every: bool = False,
) -> Version:
    """Run a text on the tab's source: the statement at `at` of several, or with `every` one after the other.

    Statements that still run here are stopped. Raises: WorkbenchError, AskingError.
    """
    source = source_of(tab)
    if source is None:
        raise WorkbenchError(_("Choose a source first: the one of this tab is not there for you any more."))
    texts = [one.text for one in statements(part, source.engine)]
    if len(texts) > STATEMENTS and every:
        words = _("There are %(count)s statements; at most %(most)s run at once.")
        raise WorkbenchError(words % {"count": len(texts), "most": STATEMENTS})
    if len(texts) > 1 and not every:
        texts = [statement_at(part, len(part) if at is None else at, source.engine).text]
    values = dict(arguments or {})
    with transaction.atomic():
        Tab.objects.select_for_update().get(pk=tab.pk)
        tab.refresh_from_db()
        if tab.run is None or tab.run.thread.source_id != source.pk:
            tab.run = run_of_sql(tab.owner, source, tab.title or part)
        tab.arguments = {**tab.arguments, **values}
        tab.save(update_fields=["run", "arguments", "used_at"])
    if len(texts) > 1:
        return versions_edit(tab.run, texts, values)
    return version_edit(tab.run, texts[0] if texts else part, values)


def statement_meant(tab: Tab, part: str, at: int | None) -> str:
    """The statement that somebody means: the part they chose, else the one at a place of the tab's text."""
    if part.strip():
        return part
    dialect = tab.source.engine if tab.source is not None else ""
    place = len(tab.sql) if at is None else at
    return statement_at(tab.sql, place, dialect).text


def tab_label(tab: Tab) -> str:
    """The name of a tab: its name, else the table it reads first.

    Example:
        >>> tab_label(Tab(sql="SELECT * FROM main.orders")), tab_label(Tab(sql="SELECT 1")), tab_label(Tab())
        ('orders', 'SELECT 1', 'New SQL')
    """
    if tab.title:
        return tab.title
    found = _FROM.search(tab.sql)
    return found[1].rpartition(".")[2] if found else one_line(tab.sql, 24) or _("New SQL")
