"""Visibility of threads and runs, and the rows of the store that their pages show.

A person sees their own runs while they see the source; a team that shares a
source does not see what its members ask. Where its owner shares it, alone or with its thread, members
of these teams who see its source look at it and change nothing.
"""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from django.db.models import Count, Exists, F, Max, OuterRef, Prefetch, Q, QuerySet, Subquery

from mirror.asking.models import Run, Step, Thread, Version
from mirror.knowledge.models import StoredAnswer
from mirror.people.selectors import teams_of
from mirror.sources.selectors import sources_visible
from mirror.sources.sight import is_in_sight, read_in_sight
from mirror.work.leases import Status

if TYPE_CHECKING:
    from mirror.library.models import SavedSql
    from mirror.people.models import User
    from mirror.sources.models import Source

# Fields of a run that can be large and that no list shows.
LARGE = ("sent", "readings", "usage", "notes")
# Steps further back than this many are not shown; no run makes so many.
STEPS = 1_000


def threads_visible_to(user: User) -> QuerySet[Thread]:
    """The user's own threads about sources they still see, newest first."""
    threads = Thread.objects.filter(read_in_sight(user), owner=user, source__in=sources_visible(user))
    return threads.select_related("source").defer("source__catalog")


def runs_visible_to(user: User) -> QuerySet[Run]:
    """The user's own runs about sources they still see, newest first."""
    in_sight = read_in_sight(user, "thread__source", "thread__sight")
    runs = Run.objects.filter(in_sight, thread__owner=user, thread__source__in=sources_visible(user))
    return runs.select_related("thread__source", "thread__owner", "saved").defer("thread__source__catalog")


def run_visible(user: User, pk: int) -> Run | None:
    """The run of `runs_visible_to` with this id, in one statement where its source has no rules."""
    runs = Run.objects.filter(pk=pk, thread__owner=user, thread__source__in=sources_visible(user))
    run = runs.select_related("thread__source").defer("thread__source__catalog").first()
    if run is None or not is_in_sight(user, run.thread.source, run.thread.sight):
        return None
    run.thread.owner = user
    return run


def runs_shared_with(user: User) -> QuerySet[Run]:
    """Runs of others that are shared with a team of the user's, alone or with their thread, about sources the user sees; newest first."""
    teams = teams_of(user)
    alone = Run.teams.through.objects.filter(team__in=teams).values("run")
    threads = Thread.teams.through.objects.filter(team__in=teams).values("thread")
    runs = Run.objects.filter(Q(pk__in=alone) | Q(thread__in=threads)).exclude(thread__owner=user)
    in_sight = read_in_sight(user, "thread__source", "thread__sight")
    seen = runs.filter(in_sight, thread__source__in=sources_visible(user), thread__owner__is_active=True)
    return seen.select_related("thread__source", "thread__owner").defer("thread__source__catalog")


def threads_shared_with(user: User) -> QuerySet[Thread]:
    """Threads of others that are shared as a whole with a team of the user's, about sources the user sees; newest first."""
    shared = Thread.teams.through.objects.filter(team__in=teams_of(user)).values("thread")
    threads = Thread.objects.filter(pk__in=shared, owner__is_active=True).exclude(owner=user)
    seen = threads.filter(read_in_sight(user), source__in=sources_visible(user))
    return seen.select_related("source", "owner").defer("source__catalog")


def versions_visible_to(user: User) -> QuerySet[Version]:
    """The versions of runs the user sees."""
    versions = Version.objects.filter(run__in=runs_visible_to(user).values("pk"))
    related = ("result", "run__thread__source", "run__thread__owner", "run__saved")
    return versions.select_related(*related).defer("run__thread__source__catalog")


def version_of_saved(user: User, saved: SavedSql) -> Version | None:
    """The newest version of the user's own runs that still has rows, of saved SQL as it is now: run from the library, or what it was saved from."""
    of_it = Q(run__saved=saved)
    if not saved.parameters:
        of_it |= Q(run__thread__source=saved.source)
    done = versions_visible_to(user).filter(of_it, sql=saved.sql, status=Status.DONE)
    return done.exclude(result=None).order_by("-pk").first()


def questions_asked(user: User, source: Source, most: int) -> list[str]:
    """List the last questions of a user on a source, each once and as it stands alone."""
    runs = runs_visible_to(user).filter(thread__source=source, status=Status.DONE).exclude(question="")
    texts = runs.order_by("-pk").values_list("question", flat=True)[: most * 3]
    return list(dict.fromkeys(texts))[:most]


def runs_recent(user: User, count: int) -> list[Run]:
    """List the last runs of a user; SQL that programs sent is apart."""
    runs = runs_visible_to(user).filter(thread__is_sent=False).defer("thread__source__catalog", *LARGE)
    return list(_with_verified(runs).prefetch_related(_versions())[:count])


def runs_found(
    user: User,
    words: str = "",
    source: str = "",
    *,
    outcome: str = "",
    since: date | None = None,
    until: date | None = None,
    is_sent: bool = False,
) -> QuerySet[Run]:
    """Runs of the user's history whose question, SQL or thread holds every word: asked by people, or SQL that programs sent.

    Days are those of the server's time zone, both included.
    """
    found = runs_visible_to(user).filter(thread__is_sent=is_sent).defer("thread__source__catalog", *LARGE)
    if source:
        found = found.filter(thread__source__name=source)
    if outcome:
        found = found.filter(outcome=outcome)
    if since:
        found = found.filter(created_at__date__gte=since)
    if until:
        found = found.filter(created_at__date__lte=until)
    for word in words.split()[:8]:
        found = found.filter(
            Q(asked__icontains=word)
            | Q(question__icontains=word)
            | Q(hint__icontains=word)
            | Q(thread__title__icontains=word)
            | Exists(Version.objects.filter(run=OuterRef("pk"), sql__icontains=word))
        )
    return _with_verified(found).order_by("-created_at", "-pk").prefetch_related(_versions())


def thread_by_thread(runs: QuerySet[Run]) -> QuerySet[Run]:
    """Order runs so that those of one thread stand together: pinned threads first, then by their newest question."""
    newest = Run.objects.filter(thread=OuterRef("thread")).order_by("-pk").values("pk")[:1]
    return runs.annotate(thread_newest=Subquery(newest)).order_by(
        "-thread__is_pinned", "-thread_newest", "-pk"
    )


def threads_recent(user: User, count: int) -> list[tuple[Thread, int, int]]:
    """A user's pinned threads and then the others, those asked in last first, each with its newest run and its source's owner, by id; SQL that programs sent is apart."""
    threads = threads_visible_to(user).filter(is_sent=False)
    threads = threads.annotate(newest=Max("runs"), source_owner=F("source__owner")).exclude(newest=None)
    ordered = threads.order_by("-is_pinned", "-newest")
    return [(thread, thread.newest, thread.source_owner) for thread in ordered[:count]]


def thread_runs(thread: Thread) -> list[Run]:
    """The runs of a thread as a conversation: oldest first, each with its versions."""
    runs = thread.runs.select_related("thread__source").defer("thread__source__catalog", *LARGE)
    return list(_with_verified(runs).order_by("pk").prefetch_related(_versions()))


def run_path(run: Run) -> list[Run]:
    """The questions that a run was asked after, oldest first, without what they gave."""
    known = {one.pk: one for one in run.thread.runs.select_related("thread").defer(*LARGE)}
    path: list[Run] = []
    after = run.after_id
    while after is not None and after in known and len(path) < len(known):
        path.append(known[after])
        after = known[after].after_id
    return path[::-1]


def run_newest(thread: Thread) -> Run | None:
    """The question of a thread that was asked last."""
    return thread.runs.defer(*LARGE).order_by("-pk").first()


def steps_of(run: Run) -> list[Step]:
    """The steps of a run so far, in order."""
    return list(run.steps.all()[:STEPS])


def versions_of(run: Run) -> list[Version]:
    """The versions of a run, the one that is shown first; their figures are read when asked for."""
    return list(run.versions.select_related("result").defer("figure"))


def run_mark(pk: int) -> str | None:
    """A word that changes whenever a page that follows a run must; `done` when it has ended, None when gone."""
    run = Run.objects.filter(pk=pk).annotate(step_count=Count("steps")).defer(*LARGE).first()
    if run is None or run.is_ended:
        return None if run is None else str(Status.DONE)
    words = [
        run.status,
        run.attempts,
        run.step_count,
        "stopping" * run.stop_requested,
        "long" * run.waits_long,
        "turn" * run.waits_turn,
    ]
    return "-".join(str(word) for word in words if word != "")


def _with_verified(runs: QuerySet[Run]) -> QuerySet[Run]:
    """Runs that say of themselves whether their source `has_verified` answers, so that none are read for those without."""
    answers = StoredAnswer.objects.filter(source=OuterRef("thread__source"), taken_back_at=None, problem="")
    return runs.annotate(has_verified=Exists(answers))


def _versions() -> Prefetch[str]:
    return Prefetch("versions", Version.objects.select_related("result").defer("figure"))
