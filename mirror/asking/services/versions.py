"""SQL of a run that people change, choose or run again; each is a version with its own rows.

An earlier version is never changed, so nothing that was typed or shown is lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from django.contrib.humanize.templatetags.humanize import intcomma
from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from mirror.asking.errors import AskingError, StillWorking
from mirror.asking.models import CHANGE_CHARS, TITLE_CHARS, Run, Thread, Version, headed
from mirror.asking.services.charts import DRAWN_ROWS, chart_drawn, chart_formats
from mirror.asking.services.data_ends import data_ends
from mirror.asking.services.departures import CHANGED, changes_told, departure, wishes_kept
from mirror.asking.services.frames import frame_title, version_changed
from mirror.asking.services.queue_bounds import queue_check
from mirror.asking.services.statements import statement_end, statement_ran, statement_stop, statement_watched
from mirror.audit.acting import Acting, acting_as, origin_now
from mirror.audit.models import HERE
from mirror.library import services as library
from mirror.library.selectors import may_run
from mirror.phrases import one_line
from mirror.queries.helping import sql_parameters
from mirror.queries.parameters import SQL_CHARS
from mirror.queries.running import KeptRows, NotRun, Values
from mirror.results.formats import formats_chosen_of_chart
from mirror.results.kept_pivots import chart_pivoted
from mirror.results.pivots import PivotWish
from mirror.results.rows import rows_of
from mirror.results.services import formats_keep
from mirror.sources.selectors import ask_check
from mirror.sources.sight import sight_of
from mirror.storable import storable
from mirror.stored_words import sayings
from mirror.work.kinds import send
from mirror.work.leases import Lease, Status
from mirror.work.watching import Watch
from sqlagent.errors import FrameError

if TYPE_CHECKING:
    from mirror.library.models import SavedSql
    from mirror.people.models import User
    from mirror.results.models import StoredResult
    from mirror.sources.models import Source


@transaction.atomic
def sql_ask(
    owner: User,
    source: Source,
    sql: str,
    arguments: dict[str, Any] | None = None,
    *,
    title: str = "",
) -> Version:
    """Run SQL that a program or an agent sent, as a thread of its own without a question. Raises: AskingError, PermissionDenied."""
    ask_check(owner, source)
    return version_edit(run_of_sql(owner, source, title or sql, is_sent=True), sql, arguments)


def run_of_sql(owner: User, source: Source, title: str, *, is_sent: bool = False) -> Run:
    """Make a run without a question, whose versions are what somebody wrote, or a program sent."""
    title = one_line(title, 200) or "SQL"
    sight = sight_of(owner, source).key
    thread = Thread.objects.create(owner=owner, source=source, title=title, is_sent=is_sent, sight=sight)
    return Run.objects.create(thread=thread, asked="", question="", status=Status.DONE)


def version_edit(
    run: Run,
    sql: str,
    arguments: dict[str, Any] | None = None,
    base: Version | None = None,
    wishes: Sequence[str] = (),
) -> Version:
    """Run SQL that somebody typed over `base`, with values for its :names; one that is not given is as it was there.

    `wishes` are changes in words that they say to have accepted; they are kept with the version where they make this SQL of the base's.
    The base is the version shown last where none is given. Raises: AskingError when the SQL is empty or too long.
    """
    base = base or run.versions.first()
    change = "; ".join(wishes_kept(run, base.sql, sql, wishes)) if base is not None and wishes else ""
    return versions_edit(run, [sql], arguments, base, change)


def versions_edit(
    run: Run,
    sqls: list[str],
    arguments: dict[str, Any] | None = None,
    base: Version | None = None,
    change: str = "",
) -> Version:
    """Run statements that somebody typed, each as a version of its own; gives the last. Raises: AskingError when one is empty or too long."""
    ask_check(run.thread.owner, run.thread.source)
    typed = [_typed(sql) for sql in sqls]
    base = base or run.versions.first()
    values = {**(base.arguments if base else {}), **(arguments or {})}
    for sql in typed:
        _check_values(run, sql, values)
    _check_ended(run)
    _supersede(run)
    made = [
        version_add(run, Version.Origin.EDIT, sql, values, change=change, base=base, supersedes=False)
        for sql in typed
    ]
    return made[-1]


def _typed(sql: str) -> str:
    sql = str(storable(sql.replace("\r\n", "\n").strip()))
    if not sql:
        raise AskingError(_("There is no SQL to run. Type a SELECT statement, or take an earlier version."))
    if len(sql) > SQL_CHARS:
        words = _("This SQL has %(count)s characters; the longest taken has %(most)s.")
        raise AskingError(words % {"count": intcomma(len(sql)), "most": intcomma(SQL_CHARS)})
    return sql


def _check_values(run: Run, sql: str, values: dict[str, Any]) -> None:
    """Demand a text for each :name that takes one: nothing is equal to an empty one. Raises: AskingError."""
    known = run.saved.parameters if run.saved else ()
    for one in sql_parameters(run.thread.source, sql, known):
        if one["kind"] == "text" and not (values.get(one["name"]) or one.get("default")):
            raise AskingError(_("Give a value for %(name)s.") % {"name": one.get("label") or one["name"]})


def reading_use(run: Run, index: int) -> Version:
    """Make another reading of the question the answer. Raises: AskingError when there is no such reading."""
    if not 0 <= index < len(run.readings):
        raise AskingError(_("This run has no such reading."))
    reading = run.readings[index]
    frame = reading.get("frame")
    title = frame_title(run.thread.source, frame) if frame else ""
    return version_add(run, Version.Origin.READING, reading["sql"], {}, frame=frame, title=title)


def version_change(version: Version, slot: str, key: str) -> Version:
    """Run what a version was understood as with one slot changed. Raises: AskingError where that is not offered."""
    ask_check(version.run.thread.owner, version.run.thread.source)
    try:
        done = version_changed(version, slot, key)
    except FrameError as error:
        raise AskingError(str(error)) from None
    chart = version.chart if done.keeps_chart and version.chart else chart_formats(version.chart)
    origin, run = Version.Origin.CHANGE, version.run
    return version_add(
        run, origin, done.sql, {}, chart, frame=done.frame, change=done.said, title=done.title, base=version
    )


def version_before(version: Version) -> Version | None:
    """Give the version that another is taken back to: of edited SQL the nearest it was made of that nobody edited, of a change the one it was made of.

    Of another reading that was chosen it is what was found first. None for that, and for SQL that was edited where there was none.
    """
    if version.origin == Version.Origin.READING:
        return version.run.versions.filter(origin=Version.Origin.ANSWER).order_by("number").first()
    if version.origin not in (Version.Origin.CHANGE, Version.Origin.EDIT):
        return None
    base = version.base
    while base is not None and base.origin == Version.Origin.EDIT:
        base = base.base
    return base


def version_undo(version: Version) -> Version:
    """Take a changed or edited version, or another reading, back: show the one before it again. Nothing is lost, and no version is added.

    Only one whose rows never came (it was stopped, or failed) is run again. Raises: AskingError where there is none before.
    """
    before = version_before(version)
    if before is None:
        raise AskingError(_("There is no change to take back here."))
    return version_show(before)


def version_show(version: Version) -> Version:
    """Show a version again; one whose rows never came is run again, as a version of its own. Raises: AskingError."""
    if version.result_id is None:
        return version_again(version)
    run = version.run
    _check_ended(run)
    _supersede(run)
    with transaction.atomic():
        Run.objects.select_for_update().get(pk=run.pk)
        version.shown = _highest(run, "shown") + 1
        version.save(update_fields=["shown"])
    return version


def version_again(version: Version) -> Version:
    """Run a version's SQL once more, for rows of now. Raises: AskingError."""
    return version_add(
        version.run,
        Version.Origin(version.origin),
        version.sql,
        version.arguments,
        version.chart,
        frame=version.frame,
        change=version.change,
        title=version.title,
        base=version.base,
    )


def version_save(
    version: Version, *, name: str, description: str = "", pivot: PivotWish | None = None
) -> SavedSql:
    """Keep a version's SQL in the library, with its question, parameters and chart, and that it is a draft.

    A `pivot` of its rows, which somebody looked at, is kept with it and with the version. Raises: AskingError; PermissionDenied for a viewer.
    """
    run = version.run
    ask_check(run.thread.owner, run.thread.source)
    parameters = version.parameters or (run.saved.parameters if run.saved else None)
    if pivot is not None and version.result is not None:
        version.chart = chart_pivoted(version.chart, pivot, version.result)
        Version.objects.filter(pk=version.pk).update(chart=version.chart)
    try:
        return library.sql_save(
            run.thread.owner,
            run.thread.source,
            name,
            version.sql,
            description=description,
            question=headed(run.question, version) if run.question else "",
            parameters=parameters,
            # It was looked at when it was saved: other rows are drawn like it, where they can be.
            chart=version.chart and {**version.chart, "chosen": True},
            draft=version.draft,
            saying=version.draft_saying,
        )
    except ValueError as error:
        raise AskingError(str(error)) from None


def version_run(lease: Lease) -> None:
    """Run a taken version: through the guard, read-only, with a deadline and a row cap; its rows are drawn and told."""
    version = Version.objects.select_related("run__thread__source", "run__thread__owner").get(pk=lease.pk)
    owner = version.run.thread.owner
    with statement_watched(lease) as watch, acting_as(Acting(lambda: owner, version.asked_from or HERE)):
        statement_end(lease, watch, _ran(version, watch), lambda result: _drawn(version, result))


def _supersede(run: Run) -> None:
    """Stop the statements of this run: a new version replaces the one they are for."""
    for working in run.versions.exclude(status=Status.DONE):
        statement_stop(working)


def version_add(
    run: Run,
    origin: Version.Origin,
    sql: str,
    arguments: dict[str, Any],
    chart: dict[str, Any] | None = None,
    *,
    frame: dict[str, Any] | None = None,
    change: str = "",
    title: str = "",
    base: Version | None = None,
    supersedes: bool = True,
) -> Version:
    """Add a version and have it run. With `supersedes`, statements of this run are stopped. Its chart is as the last one where none is given.

    Raises: AskingError while the question is still being answered, or when too much waits; PermissionDenied where its owner
    may not run it.
    """
    if not is_saved_of(run, sql):
        ask_check(run.thread.owner, run.thread.source)
    _check_ended(run)
    if supersedes:
        _supersede(run)
    queue_check(run.thread.owner)
    parameters = sql_parameters(run.thread.source, sql, run.saved.parameters if run.saved else ())
    if run.saved is None:
        arguments = {one["name"]: arguments[one["name"]] for one in parameters if one["name"] in arguments}
    with transaction.atomic():
        Run.objects.select_for_update().get(pk=run.pk)
        number = _highest(run, "number") + 1
        if chart is None:
            earlier = run.versions.exclude(chart=None).first()
            chart = earlier.chart if earlier else None
        departs = departure(run, origin, sql, change, base)
        version = Version.objects.create(
            run=run,
            number=number,
            shown=_highest(run, "shown") + 1,
            base=base,
            origin=origin,
            sql=sql,
            arguments=arguments,
            parameters=parameters,
            chart=chart,
            frame=frame,
            change=change[:CHANGE_CHARS],
            title=title[:TITLE_CHARS],
            saying=sayings(title=title, change=change, departs=changes_told(departs, change, base)),
            departs=departs,
            asked_from=origin_now(),
        )
        send(version)
    return version


def is_saved_of(run: Run, sql: str) -> bool:
    """Say whether SQL is that of the saved SQL a run is of, as it is now, and the run's owner may run it."""
    saved = run.saved
    return saved is not None and saved.sql == sql and may_run(run.thread.owner, saved)


def _check_ended(run: Run) -> None:
    if not run.is_ended:
        raise StillWorking(_("This question is still being answered. Stop it first, or wait for its answer."))


def _highest(run: Run, name: str) -> int:
    return run.versions.aggregate(last=Max(name))["last"] or 0


def _ran(version: Version, watch: Watch) -> KeptRows | NotRun:
    thread, saved = version.run.thread, version.run.saved
    parameters = version.parameters or (saved.parameters if saved is not None else ())
    names = {one["name"] for one in parameters}
    values = Values(parameters, {name: one for name, one in version.arguments.items() if name in names})
    is_saved = is_saved_of(version.run, version.sql)
    return statement_ran(
        thread.source, version.sql, values, thread.owner, watch, is_saved=is_saved, sight=thread.sight
    )


def _drawn(version: Version, result: StoredResult) -> dict[str, Any]:
    asked = version.title or version.run.question
    formats_keep(result, formats_chosen_of_chart(version.chart))
    rows = rows_of(result, DRAWN_ROWS)
    ends = data_ends(version.run.thread.source, version.frame, rows)
    title, change = _titled(version)
    drawn = chart_drawn(
        rows,
        asked,
        version.chart,
        sql=version.sql,
        title=title,
        first=ends.told,
        change=change,
        part=ends.part,
    )
    made = drawn.fields()
    return made | {"saying": version.saying | made["saying"]}


def _titled(version: Version) -> tuple[str, str]:
    """The title of a version's rows, and its change in words: rows of changed SQL are called as those of its base."""
    if not version.departs.startswith(CHANGED) or version.origin != Version.Origin.EDIT:
        return version.title, ""
    base = version.base
    while base is not None and base.origin == Version.Origin.EDIT:
        base = base.base
    return base.title if base is not None else "", version.departs.removeprefix(CHANGED)
