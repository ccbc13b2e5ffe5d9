"""Tell the audit what was done, in the transaction in which it is done."""

from __future__ import annotations

import logging
from datetime import UTC, date, timedelta
from typing import Any

from django.conf import settings
from django.db import models, transaction
from django.utils import timezone
from django.utils.translation import override

from mirror.audit.acting import acting_now
from mirror.audit.chain import row_hash
from mirror.audit.models import HERE, AuditDay, AuditRow
from mirror.audit.verbs import VERBS
from mirror.phrases import one_line

log = logging.getLogger(__name__)

# Names and values of details are cut to this many characters.
MOST_CHARS = 300


@transaction.atomic
def record(
    verb: str,
    thing: models.Model | str | None = None,
    *,
    by: Any = None,
    is_refused: bool = False,
    **details: Any,
) -> None:
    """Add a row: somebody did, or was refused, something.

    Call it last in the transaction of the act: it holds the day's chain until that ends, and what is rolled back was
    not done. `by` is the actor; by default the request's user. Details are short and hold no row of a source and no secret.
    """
    if verb not in VERBS:
        raise ValueError(f"{verb!r} is not in mirror.audit.verbs")
    acting = acting_now()
    who = by if by is not None else acting.person() if acting else None
    now = timezone.now()
    day = _day_held(now.astimezone(UTC).date())
    row = AuditRow(
        day=day.day,
        number=day.count + 1,
        at=now,
        who_id=getattr(who, "pk", None),
        who=who.get_username() if who is not None else "",
        token=acting.token() if acting else "",
        verb=verb,
        kind=_kind(thing),
        thing_id=str(thing.pk) if isinstance(thing, models.Model) else "",
        thing=one_line(str(thing), MOST_CHARS) if thing is not None else "",
        origin=acting.origin if acting else HERE,
        outcome=AuditRow.Outcome.REFUSED if is_refused else AuditRow.Outcome.DONE,
        details=_in_english(details),
    )
    row.hash = row_hash(row, day.last or day.before)
    row.save(force_insert=True)
    AuditDay.objects.filter(pk=day.pk).update(count=row.number, last=row.hash)


def _in_english(details: dict[str, Any]) -> dict[str, Any]:
    """Details as every reader finds them, whatever language the one who acts reads pages in."""
    with override(settings.LANGUAGE_CODE):
        return {name: _short(value) for name, value in details.items()}


def _day_held(today: date) -> AuditDay:
    """The chain that rows go to now, locked until the transaction ends; never an earlier one than the last."""
    while True:
        held = AuditDay.objects.select_for_update().order_by("-day").first()
        if held is None or held.day < today:
            # The one before is held meanwhile, so that nobody adds to it any more.
            before = (held.last or held.before) if held else ""
            AuditDay.objects.get_or_create(day=today, defaults={"before": before})
            held = AuditDay.objects.select_for_update().get(day=today)
        # Somebody may have begun the next day while this one was waited for.
        if not AuditDay.objects.filter(day__gt=held.day).exists():
            return held


def _kind(thing: models.Model | str | None) -> str:
    return thing._meta.verbose_name_raw[:30] if isinstance(thing, models.Model) else ""


def _short(value: Any) -> Any:
    if isinstance(value, bool | int | None):
        return value
    if isinstance(value, list | tuple | set):
        return [_short(one) for one in list(value)[:50]]
    return one_line(str(value), MOST_CHARS)


@transaction.atomic
def days_end() -> int:
    """End the days of the audit that are older than `AUDIT_DAYS`; returns how many rows went. 0 keeps all."""
    if not settings.AUDIT_DAYS:
        return 0
    oldest = timezone.now().astimezone(UTC).date() - timedelta(days=settings.AUDIT_DAYS)
    ended = AuditDay.objects.filter(day__lt=oldest)
    if not ended.exists():
        return 0
    # Rows refuse it one by one: days end as a whole.
    rows: models.QuerySet[AuditRow] = models.QuerySet(AuditRow).filter(day__in=ended.values("day"))
    count = int(rows._raw_delete(rows.db))
    ended.delete()
    record("ended days of the audit", rows=count, before=f"{oldest:%Y-%m-%d}")
    log.info("%d rows of the audit from before %s ended", count, oldest)
    return count
