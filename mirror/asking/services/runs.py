"""Ask, ask again, stop: what people do to runs. The work itself is a worker's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.contrib.humanize.templatetags.humanize import intcomma
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.utils.translation import gettext as _

from mirror.asking.errors import AskingError
from mirror.asking.models import TITLE_CHARS, Run, Thread, Version
from mirror.asking.services.given_up import RUN_STOPPED
from mirror.asking.services.paths import version_followed
from mirror.asking.services.queue_bounds import queue_check
from mirror.asking.services.run_spans import traceparent_read
from mirror.audit.acting import origin_now
from mirror.library.selectors import may_run
from mirror.library.services import dates_fixed
from mirror.phrases import one_line, unhidden
from mirror.sources.selectors import ask_check
from mirror.sources.sight import sight_of
from mirror.work.kinds import send
from mirror.work.leases import Status, end_unheld
from sqlagent.language.unseen import unseen

if TYPE_CHECKING:
    from mirror.library.models import SavedSql
    from mirror.people.models import User
    from mirror.sources.models import Source


# As long as a question may be by default: the longest hints of benchmarks have 600.
HINT_CHARS = 2_000
# Seen by what they do: line ends, tabs, and what joins the letters of some scripts.
_SEEN = "\n\r\t\u200c\u200d"


def question_check(text: str) -> str:
    """The question as it will be asked. Raises: AskingError when it is empty or too long."""
    text = unhidden(text.replace("\x00", "")).strip()
    if not text:
        raise AskingError(_("Type a question first, for example “How many orders were there in 2024?”"))
    if len(text) > settings.QUESTION_CHARS:
        raise AskingError(
            _(
                "This question has %(count)s characters; the longest taken has %(most)s. "
                "Shorten it, or ask it in two steps."
            )
            % {"count": intcomma(len(text)), "most": intcomma(settings.QUESTION_CHARS)}
        )
    return text


def hint_check(text: str) -> str:
    """The hint as it will be given with a question. Raises: AskingError when it is too long or hides characters."""
    text = text.replace("\r\n", "\n").strip()
    if len(text) > HINT_CHARS:
        raise AskingError(
            _(
                "This hint has %(count)s characters; the longest taken has %(most)s. "
                "Keep to what the question needs."
            )
            % {"count": intcomma(len(text)), "most": intcomma(HINT_CHARS)}
        )
    if letter := unseen(text, besides=_SEEN):
        raise AskingError(
            _("This hint holds a character that cannot be seen (%(letter)s). Type it without that character.")
            % {"letter": letter}
        )
    return text


@transaction.atomic
def run_ask(owner: User, source: Source, question: str, hint: str = "", *, traceparent: str = "") -> Run:
    """Ask a question, as a new thread; a hint says what its words mean, a `traceparent` below which span it stands.

    Raises: AskingError; PermissionDenied for a viewer.
    """
    ask_check(owner, source)
    text, hint = question_check(question), hint_check(hint)
    queue_check(owner)
    sight = sight_of(owner, source).key
    thread = Thread.objects.create(owner=owner, source=source, title=one_line(text, 200), sight=sight)
    return _asked(thread, text, hint, traceparent=traceparent)


@transaction.atomic
def run_follow(
    run: Run,
    question: str,
    hint: str = "",
    version: Version | None = None,
    *,
    in_new_thread: bool = False,
    traceparent: str = "",
) -> Run:
    """Ask a follow-up on a run's page, where this version of it is shown, else the one it shows now. Raises: AskingError.

    It goes on from that, whatever else was asked in the thread; `in_new_thread` it begins one of its own.
    """
    ask_check(run.thread.owner, run.thread.source)
    text, hint = question_check(question), hint_check(hint)
    queue_check(run.thread.owner)
    shown = version_followed(run, version or run.versions.first())
    thread = run.thread
    if in_new_thread:
        thread = Thread.objects.create(
            owner=thread.owner,
            source=thread.source,
            title=one_line(text, TITLE_CHARS),
            sight=thread.sight,
        )
    return _asked(thread, text, hint, after=run, follows=shown, traceparent=traceparent)


def _asked(
    thread: Thread,
    text: str,
    hint: str,
    *,
    after: Run | None = None,
    follows: Version | None = None,
    traceparent: str = "",
) -> Run:
    run = Run.objects.create(
        thread=thread,
        asked=text,
        question=text,
        hint=hint,
        after=after,
        follows=follows,
        traceparent=traceparent_read(traceparent),
    )
    send(run)
    return run


@transaction.atomic
def run_again(run: Run) -> Run:
    """Ask the same question once more, with the same hint, at the same place of the same thread. Raises: AskingError."""
    ask_check(run.thread.owner, run.thread.source)
    text = question_check(run.asked or run.question)
    queue_check(run.thread.owner)
    return _asked(run.thread, text, run.hint, after=run.after, follows=run.follows)


def run_stop(run: Run) -> None:
    """Stop a run: at once while it waits, within half a second while it works."""
    if Run.objects.filter(pk=run.pk).exclude(status=Status.DONE).update(stop_requested=True):
        run.refresh_from_db()
        if run.status == Status.QUEUED:
            end_unheld(run, **RUN_STOPPED)


@transaction.atomic
def run_saved(owner: User, saved: SavedSql, arguments: dict[str, Any], *, is_sent: bool = False) -> Run:
    """Run saved SQL with values for its parameters, as a thread of its own; dates in words become days now.

    It `is_sent` where a program or an agent asked for it.

    Raises: AskingError; PermissionDenied where they may not run it.
    """
    if not may_run(owner, saved):
        raise PermissionDenied(
            _("You may not run “%(name)s” on %(source)s.") % {"name": saved.name, "source": saved.source.name}
        )
    queue_check(owner)
    arguments = dates_fixed(saved.parameters, arguments)
    title = saved.name[:200]
    sight = sight_of(owner, saved.source).key
    thread = Thread.objects.create(
        owner=owner, source=saved.source, title=title, is_sent=is_sent, sight=sight
    )
    run = Run.objects.create(
        thread=thread,
        asked="",
        question=saved.question,
        saved=saved,
        status=Status.DONE,
        reason=saved.draft,
        saying={"reason": saved.saying["draft"]} if "draft" in saved.saying else {},
    )
    version = Version.objects.create(
        run=run,
        number=1,
        origin=Version.Origin.SAVED,
        sql=saved.sql,
        arguments=arguments,
        chart=saved.chart,
        asked_from=origin_now(),
    )
    send(version)
    return run
