"""Rename, pin, share and delete threads."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from django.contrib.humanize.templatetags.humanize import intcomma
from django.db import transaction
from django.utils.translation import gettext as _

from mirror.asking.errors import AskingError, StillWorking
from mirror.asking.models import TITLE_CHARS, Run, Thread, Version
from mirror.audit.services import record
from mirror.people.services import teams_share
from mirror.phrases import one_line
from mirror.results.models import StoredResult
from mirror.results.services import result_delete
from mirror.work.leases import Status

if TYPE_CHECKING:
    from mirror.people.models import Team, User


def thread_rename(thread: Thread, title: str) -> None:
    """Give a thread another title. Raises: AskingError where nothing is left of it, or it is too long."""
    title = one_line(title)
    if not title:
        raise AskingError(_("Type a title first."))
    if len(title) > TITLE_CHARS:
        words = _("This title has %(count)s characters; the longest taken has %(most)s.")
        raise AskingError(words % {"count": intcomma(len(title)), "most": TITLE_CHARS})
    thread.title = title
    thread.save(update_fields=["title"])


def thread_pin(thread: Thread, *, is_pinned: bool) -> None:
    """Let a thread stand first, or where its newest question puts it."""
    thread.is_pinned = is_pinned
    thread.save(update_fields=["is_pinned"])


@transaction.atomic
def thread_share(thread: Thread, teams: Iterable[Team], by: User) -> None:
    """Let members of exactly these of the teams that `by` is in look at a thread; others stay as they are."""
    told = teams_share(thread, teams, by)
    record("shared a thread", thread, by=by, teams=told, source=thread.source.name)


@transaction.atomic
def run_share(run: Run, teams: Iterable[Team], by: User) -> None:
    """Let members of exactly these of the teams that `by` is in look at one question; others stay as they are."""
    told = teams_share(run, teams, by)
    record("shared a question", run, by=by, teams=told, source=run.thread.source.name)


@transaction.atomic
def thread_delete(thread: Thread, by: User) -> None:
    """Delete a thread with its questions, SQL and rows; saved SQL and cards made of it stay. Raises: StillWorking."""
    versions = Version.objects.filter(run__thread=thread)
    working = (thread.runs.exclude(status=Status.DONE), versions.exclude(status=Status.DONE))
    if any(rows.exists() for rows in working):
        raise StillWorking(
            _("Something of this thread is still being worked on. Stop it, or wait for it to end.")
        )
    pk = thread.pk
    thread_end(thread)
    # Its title, which is what was asked, goes with it.
    record("deleted a thread", f"thread {pk}", by=by, source=thread.source.name)


@transaction.atomic
def thread_end(thread: Thread) -> None:
    """End a thread that nothing works on, with the rows that nothing else shows."""
    versions = Version.objects.filter(run__thread=thread)
    results = list(StoredResult.objects.filter(pk__in=versions.exclude(result=None).values("result")))
    thread.delete()
    for result in results:
        if not _is_used(result):
            result_delete(result)


def _is_used(result: StoredResult) -> bool:
    """Whether another row, of any subject, shows these rows."""
    links = StoredResult._meta.related_objects
    managers = ((link.related_model._default_manager, link.field.name) for link in links)
    return any(rows.filter(**{field: result}).exists() for rows, field in managers)
