"""Stored values on a source's page: how many are searchable, of which columns, and which are not."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from mirror.phrases import joined
from mirror.sources.models import StoredIndex
from mirror.stored_words import translated
from mirror.tunnel_words import TUNNEL_WORDS
from mirror.work.leases import Status

# Tables named at once; the others are counted.
TABLES_TOLD = 20
# Columns named of one table.
COLUMNS_TOLD = 5


@dataclass(frozen=True, slots=True)
class Refused:
    """A table of which something could not be read, and why."""

    table: str
    columns: str
    words: str


@dataclass(frozen=True, slots=True)
class IndexPage:
    """How the reading of a source's values stands, in words; while it `is_going_on` so many columns are `read` `of` all.

    `tried_at` is when a source that could not be read is tried again.
    """

    said: str
    goes_on: str
    read: int
    of: int
    is_going_on: bool
    tried_at: datetime | None
    trouble: str
    is_any_read: bool
    refused: list[Refused]
    refused_more: int
    empty: str
    parts: int

    @property
    def has_more(self) -> bool:
        """There is more to tell than one line."""
        return bool(self.refused or self.empty or self.parts)


def index_page(index: StoredIndex | None) -> IndexPage:
    """Tell how the reading stands; of an index made before that was kept, how many values are searchable."""
    if index is None:
        return IndexPage(_("not read yet"), "", 0, 0, False, None, "", False, [], 0, "", 0)
    kept = index.coverage
    failed = kept.get("failed", {})
    refused = [
        Refused(name, _columns(told), told["words"]) for name, told in list(failed.items())[:TABLES_TOLD]
    ]
    empty = kept.get("empty", [])
    more = (
        ngettext(
            "%(names)s and %(count)s more table",
            "%(names)s and %(count)s more tables",
            len(empty) - TABLES_TOLD,
        )
        % {"names": ", ".join(empty[:TABLES_TOLD]), "count": intcomma(len(empty) - TABLES_TOLD)}
        if len(empty) > TABLES_TOLD
        else ""
    )
    return IndexPage(
        said=_said(index),
        goes_on=_goes_on(index),
        read=int(kept.get("read", 0)),
        of=int(kept.get("of", 0)),
        is_going_on=index.status != Status.DONE and index.state != StoredIndex.State.FAILED,
        tried_at=index.not_before
        if index.state == StoredIndex.State.FAILED and index.status == Status.QUEUED
        else None,
        trouble=translated(index.message, TUNNEL_WORDS) if index.state == StoredIndex.State.FAILED else "",
        is_any_read=bool(index.catalog_version),
        refused=refused,
        refused_more=len(failed) - len(refused),
        empty=more or joined(empty),
        parts=int(kept.get("parts", 0)),
    )


def _said(index: StoredIndex) -> str:
    """How much is searchable; the columns where not all of them are read."""
    if not index.catalog_version:
        return str(index.get_state_display())
    said = _("%(count)s searchable") % {"count": intcomma(index.size)}
    read, of = index.coverage.get("read", 0), index.coverage.get("of", 0)
    if read >= of:
        return said
    columns = {"said": said, "read": intcomma(read), "of": intcomma(of)}
    return _("%(said)s; values of %(read)s of %(of)s columns are read") % columns


def _goes_on(index: StoredIndex) -> str:
    """The next step of reading, where there is one."""
    if index.state == StoredIndex.State.FAILED:
        return _("reading is tried again") if index.status == Status.QUEUED else _("reading stopped")
    if index.status == Status.DONE:
        full = index.coverage.get("is_full")
        return _("no more are kept of so many values") if full else ""
    if not index.catalog_version:
        return ""
    is_whole = index.coverage.get("read") == index.coverage.get("of")
    return _("they are being read anew") if index.again or is_whole else _("reading goes on")


def _columns(told: dict[str, Any]) -> str:
    names = told["columns"]
    more = len(names) - COLUMNS_TOLD
    if more <= 0:
        return joined(names)
    words = ngettext("%(names)s and %(count)s more column", "%(names)s and %(count)s more columns", more)
    return words % {"names": ", ".join(names[:COLUMNS_TOLD]), "count": intcomma(more)}
