"""Rows for cards: asked for once for each SQL with its values, read and drawn by a worker, kept until they are read anew.

A card shows its stored rows at once; a worker reads those that are missing.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from mirror.asking.kept_steps import failure_json, not_kept_json, rows_preview
from mirror.asking.models import Version
from mirror.asking.services.charts import DRAWN_ROWS, chart_drawn
from mirror.asking.services.given_up import VERSION_BROKEN, VERSION_STOPPED
from mirror.dashboards.models import Drawing, Supply
from mirror.queries.running import (
    NOT_ANY_MORE,
    KeptRows,
    NotRun,
    NotRunWhy,
    Values,
    sql_run,
    statement_limits,
)
from mirror.results.models import StoredResult
from mirror.results.opened_files import ResultGone
from mirror.results.rows import rows_of
from mirror.results.services import result_delete
from mirror.sources.catalogs import catalog_read
from mirror.sources.guarding import Refusal, sql_check
from mirror.sources.selectors import sources_visible
from mirror.sources.sight import seen_by, sight_now, withheld_now
from mirror.storable import storable
from mirror.work.kinds import send
from mirror.work.leases import Lease, LeaseLost, Status, end_unheld
from mirror.work.store import store_keep
from mirror.work.watching import Watch

if TYPE_CHECKING:
    from mirror.people.models import User
    from mirror.sources.models import Source

log = logging.getLogger(__name__)

# Rows that stand on a card; all of them are a run away.
PREVIEW_ROWS = 50
# Ways in which the rows of one SQL are drawn.
DRAWINGS = 20
STOPPED = VERSION_STOPPED | {"message": gettext_noop("Somebody stopped it before its rows were there.")}
UNSHOWN = gettext_noop("Part of what this shows is withheld from your team.")
# Rows that nobody has asked for are forgotten after this.
FORGOTTEN_AFTER = timedelta(days=90)


@dataclass(frozen=True, slots=True)
class Wish:
    """Rows that somebody wants to see: SQL with its values on a source as they see it, and how it is drawn, if it is.

    One that is not `is_asked` is given as it is: nothing is read or drawn for it.
    """

    source: Source
    sql: str
    question: str = ""
    chart: dict[str, Any] | None = None
    is_drawn: bool = True
    is_asked: bool = True

    @property
    def key(self) -> str:
        """Hash of the SQL, its database and its login: a source that was pointed at another database has other rows."""
        one, login = self.source, sight_now(self.source).login
        place = [one.pk, one.engine, one.host, one.port, one.database, one.username, one.options]
        place += [one.tunnel] if one.tunnel else []
        if not login.is_own:
            place.append(["login", login.name, login.problem])
        return key_of(json.dumps([place, self.sql], sort_keys=True))

    @property
    def drawing_key(self) -> str:
        """Hash of the question and the chart."""
        return key_of(json.dumps([self.question, self.chart], sort_keys=True))


@dataclass(frozen=True, slots=True)
class Supplied:
    """The rows of a wish, kept or on their way, and their drawing. `refused` says why nobody reads them."""

    supply: Supply | None
    drawing: Drawing | None = None
    refused: str = ""


def wishes_supply(user: User, wishes: Sequence[Wish]) -> list[Supplied]:
    """Give what is kept for each wish, and have a worker read what was never read. Equal SQL is read once."""
    if not wishes:
        return []
    unshown = wishes_unshown(user, wishes)
    if unshown:
        left = [wish for wish in wishes if wish.key not in unshown]
        given = dict(zip((id(wish) for wish in left), wishes_supply(user, left), strict=True))
        return [given.get(id(wish)) or Supplied(None, refused=unshown[wish.key]) for wish in wishes]
    keys = {wish.key for wish in wishes}
    supplies = _supplies(keys)
    refused = ""
    if missing := [wish for wish in wishes if wish.is_asked and wish.key not in supplies]:
        refused = _supplies_add(user, missing)
        if not refused:
            supplies = _supplies(keys)
    drawings = _drawings(supplies.values(), wishes)
    return [
        Supplied(
            supplies.get(wish.key),
            drawings.get((wish.key, wish.drawing_key)) if wish.is_drawn else None,
            "" if wish.key in supplies else refused,
        )
        for wish in wishes
    ]


def wishes_unshown(user: User, wishes: Sequence[Wish]) -> dict[str, str]:
    """Say by the keys of wishes why somebody is shown none of their rows: they read what is withheld, or no login is known.

    From here on the wishes are that person's: their sources are seen by them.
    """
    found = {}
    for wish in wishes:
        source = seen_by(user, wish.source)
        if why := sight_now(source).login.problem:
            found[wish.key] = why
        elif withheld_now(source):
            catalog = catalog_read(source.catalog) if source.catalog else None
            if catalog is None or isinstance(sql_check(source, wish.sql, catalog), Refusal):
                found[wish.key] = _(UNSHOWN)
    return found


def _supplies(keys: set[str]) -> dict[str, Supply]:
    return {one.key: one for one in Supply.objects.filter(key__in=keys).select_related("result")}


def _supplies_add(user: User, wishes: list[Wish]) -> str:
    """Queue what is missing; says why not where too much of the person's waits already."""
    missing = {wish.key: wish for wish in wishes}
    waiting = Supply.objects.filter(owner=user).exclude(status=Status.DONE).count()
    if waiting + len(missing) > settings.QUEUED_PER_PERSON:
        words = _("%(count)s statements of yours are on their way already. Wait until some have ended.")
        return words % {"count": waiting}
    made = [Supply(source=wish.source, owner=user, key=key, sql=wish.sql) for key, wish in missing.items()]
    with transaction.atomic():
        Supply.objects.bulk_create(made, ignore_conflicts=True)
        for one in Supply.objects.filter(key__in=missing, status=Status.QUEUED, attempts=0):
            send(one)
    return ""


def _drawings(supplies: Iterable[Supply], wishes: Sequence[Wish]) -> dict[tuple[str, str], Drawing]:
    """Drawings of kept rows, by keys of rows and drawing; a worker makes missing ones."""
    by_key = {one.key: one for one in supplies}
    by_id = {one.pk: one for one in by_key.values()}
    wanted = {(wish.key, wish.drawing_key): wish for wish in wishes if wish.is_drawn and wish.key in by_key}
    asked = {(wish.key, wish.drawing_key) for wish in wishes if wish.is_asked}
    if not wanted:
        return {}
    found = {
        place: one
        for one in Drawing.objects.filter(supply__in=list(by_id))
        if (place := (by_id[one.supply_id].key, one.key)) in wanted
    }
    missing = {
        place: Drawing(supply=by_key[place[0]], key=place[1], question=wish.question, wish=wish.chart)
        for place, wish in wanted.items()
        if place not in found and place in asked
    }
    if missing:
        Drawing.objects.bulk_create(missing.values(), ignore_conflicts=True)
    undrawn = {
        by_key[key].pk: by_key[key]
        for (key, way), one in (found | missing).items()
        if (key, way) in asked and by_key[key].result_id is not None and one.of != by_key[key].result_id
    }
    # One that broke while it was drawn is not drawn again by itself.
    _queue(one for one in undrawn.values() if one.failure is None)
    return found


def supplies_refresh(user: User, supplies: Iterable[Supply]) -> int:
    """Have rows read anew; the old ones stay until then. Says how many were queued: what is on its way already is left."""
    return _queue(supplies, owner=user, is_to_run=True)


def _queue(supplies: Iterable[Supply], **fields: Any) -> int:
    count = 0
    now = timezone.now()
    for one in supplies:
        if not one.is_ended:
            continue
        with transaction.atomic():
            queued = Supply.objects.filter(pk=one.pk, status=Status.DONE).update(
                status=Status.QUEUED,
                lease_token=F("lease_token") + 1,
                attempts=0,
                spared=0,
                stop_requested=False,
                created_at=now,
                queued_at=now,
                started_at=None,
                ended_at=None,
                **fields,
            )
            if not queued:
                continue
            send(one)
        count += 1
        one.status, one.created_at, one.started_at = Status.QUEUED, now, None
        for name, value in fields.items():
            setattr(one, name, value)
    return count


def supply_stop(supply: Supply) -> None:
    """Stop reading rows: at once while they wait, with the statement in the database while it runs. Older rows stay."""
    if Supply.objects.filter(pk=supply.pk).exclude(status=Status.DONE).update(stop_requested=True):
        supply.refresh_from_db()
        if supply.status == Status.QUEUED:
            end_unheld(supply, failure=STOPPED, is_to_run=False)


def supply_begin(user: User, wish: Wish, result: StoredResult | None) -> None:
    """Keep rows that a run brought as those of its SQL, where there are none, so that a card has them at once."""
    if result is None:
        return
    if sight_now(seen_by(user, wish.source)).key != result.sight:
        return  # it was read by another login, or when more was shown
    fields = {"source": wish.source, "owner": user, "sql": wish.sql, "result": result}
    state = {"status": Status.QUEUED, "is_to_run": False}
    supply, is_new = Supply.objects.get_or_create(key=wish.key, defaults=fields | state)
    if is_new:
        send(supply)


def supply_do(lease: Lease) -> None:
    """Read the rows of a taken supply where they are wanted, and draw them in every way that cards ask for."""
    kept: StoredResult | None = None
    try:
        with Watch(lease) as watch:
            supply = Supply.objects.select_related("source", "owner", "result").get(pk=lease.pk)
            old, found = supply.result, None
            if supply.is_to_run or old is None:
                found = _ran(supply, watch)
                kept = found.result if isinstance(found, KeptRows) else None
            if watch.is_lost:
                raise LeaseLost(f"Supply {lease.pk} is held by another worker")
            if watch.is_stopped:
                _forget(kept)
                lease.end(failure=STOPPED, is_to_run=False)
            elif isinstance(found, NotRun):
                unkept = found.why is NotRunWhy.UNKEPT
                told = not_kept_json(found.failure) if unkept else failure_json(found.failure)
                lease.end(failure=storable(told), is_to_run=False)
            elif kept is not None:
                lease.end(result=kept, preview=_drawn(supply, kept), failure=None, is_to_run=False)
                _forget(old)
            elif old is not None:
                lease.end(preview=_drawn(supply, old), is_to_run=False)
    except ResultGone:
        with suppress(LeaseLost):  # kept no more: the card offers to run it again
            lease.end(result=None, is_to_run=False)
    except (LeaseLost, Supply.DoesNotExist) as error:
        _forget(kept)
        log.info("Supply %s was given up: %s", lease.pk, error)


def supply_break(lease: Lease) -> None:
    """End a supply that met an error nobody expected."""
    with suppress(LeaseLost):
        lease.end(failure=VERSION_BROKEN, is_to_run=False)


def _ran(supply: Supply, watch: Watch) -> KeptRows | NotRun:
    if not sources_visible(supply.owner).filter(pk=supply.source_id).exists():
        return NotRun(NotRunWhy.REFUSED, NOT_ANY_MORE)
    source = seen_by(supply.owner, supply.source)
    # Else their login is another one now, or the source leads elsewhere.
    if Wish(source, supply.sql).key != supply.key:
        return NotRun(NotRunWhy.REFUSED, NOT_ANY_MORE)
    return sql_run(source, supply.sql, Values(), statement_limits(source), supply.owner, watch=watch)


def _drawn(supply: Supply, result: StoredResult) -> dict[str, Any]:
    """Draw rows as they are wished for; gives the first of them, for cards to show. Raises: ResultGone."""
    rows = rows_of(result, DRAWN_ROWS)
    for one in list(supply.drawings.order_by("-pk")[:DRAWINGS]):
        if one.of == result.pk:
            continue
        drawn = chart_drawn(rows, one.question, one.wish, sql=supply.sql).fields()
        store_keep(partial(Drawing.objects.filter(pk=one.pk).update, of=result.pk, **drawn))
    return dict(storable(rows_preview(rows, PREVIEW_ROWS)))


def _forget(result: StoredResult | None) -> None:
    """Delete rows that no run shows."""
    if result is not None and not Version.objects.filter(result=result).exists():
        result_delete(result)


def supplies_tidy() -> int:
    """Forget what was read so long ago that its rows are gone, and drawings with it; says how many."""
    old = Supply.objects.filter(
        status=Status.DONE, result=None, ended_at__lt=timezone.now() - FORGOTTEN_AFTER
    )
    return old.delete()[0]


def key_of(text: str) -> str:
    """A short name that is equal for equal texts."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
