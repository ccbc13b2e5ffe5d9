"""Turns of work: each share, a source or a person, bounds the work that runs on it at once.

Work that finds a share full stays queued and says so. Finished work starts the next: of the queued, the one that holds
least of everything else, and of these the longest-queued. Work that somebody waits for goes first: background work takes
no turn while it queues, and leaves it one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from threading import Event as Flag
from typing import Any

from django.apps import apps
from django.db import models, transaction
from django.db.models import Count, Min, Q, QuerySet
from django.utils import timezone

from mirror.work.kinds import KINDS, Kind, Share, kind_of, tell
from mirror.work.leases import Lease, Leased, Status, claim

# Queued rows considered when one has ended, the longest-queued.
LOOKED_AT = 50
# Pause between two looks for room by work that wants its turn back (seconds).
ROOM_SECONDS = 0.25

_WAITS = Q(status=Status.QUEUED, waits_turn=True)


def turn_take(model: type[Leased], pk: Any) -> Lease | None:
    """Take a queued row if all that it shares has room for it.

    None when another worker has it, it has ended, is put off or gone. None too when it has to wait: then it is marked so.
    """
    kind = kind_of(model)
    with transaction.atomic():
        # Held until the claim is kept, so that two workers count one after the other.
        if all(_has_room(share, part, kind, pk) for share, part in _parts(kind, pk)):
            return claim(model, pk, **kind.afresh)
        model._default_manager.filter(pk=pk, status=Status.QUEUED).update(waits_turn=True)
        return None


def turn_pass(lease: Lease) -> None:
    """Start work that waits for the shares of a row whose work has ended or was put off."""
    kind = kind_of(lease.model)
    _let_in([(share, key) for share in kind.shares for key in _keys(kind, share, lease.pk, counted=True)])


def turn_leave(lease: Lease, **fields: Any) -> None:
    """Write fields by which a row leaves a share, and start others there. Raises: LeaseLost."""
    kind = kind_of(lease.model)
    before = {(share, key) for share in kind.shares for key in _keys(kind, share, lease.pk, counted=True)}
    lease.write(**fields)
    after = {(share, key) for share in kind.shares for key in _keys(kind, share, lease.pk, counted=True)}
    _let_in([one for one in before if one not in after])


def turn_is_wanted(lease: Lease) -> bool:
    """Say whether work that somebody waits for is under way, or waits, on what a row shares: time to give way to it."""
    kind = kind_of(lease.model)
    places = [(share, key) for share in kind.shares for key in _keys(kind, share, lease.pk)]
    return any(
        _working_of(other, share, key) or _rows(other, share, key).filter(_WAITS).exists()
        for share, key in places
        for other in _kinds(share)
        if not other.is_background
    )


def turn_enter(lease: Lease, cancelled: Flag, **fields: Any) -> None:
    """Write what makes a row take part again, once there is room. Comes back early when `cancelled` is set.

    Goes before all that is queued. Raises: LeaseLost.
    """
    kind, is_in = kind_of(lease.model), False

    def enter() -> None:
        nonlocal is_in
        is_in = all(_is_free(share, part, kind, lease.pk) for share, part in _parts(kind, lease.pk))
        if is_in:
            lease.write(**fields)

    while True:
        lease.keep(enter)
        if is_in or cancelled.wait(ROOM_SECONDS):
            return


def _let_in(places: list[tuple[Share, Any]]) -> None:
    told: dict[tuple[Kind, Any], list[tuple[Share, Any]]] = {}
    for share, key in places:
        with transaction.atomic():
            # A row that is turned away at this moment is queued once this lock is held.
            _hold(share, [key])
            coming = [place for places in told.values() for place in places]
            following = _next(share, key, coming)
        if following is not None and following not in told:
            other, pk = following
            told[following] = [(one, key) for one in other.shares for key in _keys(other, one, pk)]
            tell(other, pk)


def _next(share: Share, key: Any, coming: list[tuple[Share, Any]]) -> tuple[Kind, Any] | None:
    """Next row for a freed place, by kind and key; `coming` are the places of rows told already."""
    waiting = [
        (kind.is_background, held, since, kind, pk)
        for kind in _kinds(share)
        for held, since, pk in _waiting(kind, share, key)
    ]
    following = sorted(waiting, key=lambda one: one[:3])
    return next(((kind, pk) for *_, kind, pk in following if _fits(kind, pk, coming)), None)


def _waiting(kind: Kind, share: Share, key: Any) -> Iterator[tuple[int, datetime, Any]]:
    """The longest waiting row of each that shares something else, such as a person, with how much of that is held.

    So of a thousand that one person queued one is looked at.
    """
    rows = _rows(kind, share, key).filter(_WAITS)
    others = [other for other in kind.shares if other is not share]
    if not others:
        longest = rows.order_by("created_at").values_list("pk", "created_at").distinct()
        yield from ((0, since, pk) for pk, since in longest[:LOOKED_AT])
        return
    paths = [kind.shares[other].path for other in others]
    groups = rows.order_by().values_list(*paths).annotate(since=Min("created_at")).order_by("since")
    oldest = {tuple(keys): since for *keys, since in groups[:LOOKED_AT]}
    if not oldest:
        return
    held = [_held(other, {keys[at] for keys in oldest}) for at, other in enumerate(others)]
    heads = rows.filter(created_at__in=set(oldest.values())).order_by("created_at", "pk")
    for pk, since, *shared in heads.values_list("pk", "created_at", *paths):
        keys = tuple(shared)
        if oldest.pop(keys, None) is not None:
            yield sum(of.get(key, 0) for of, key in zip(held, keys, strict=True)), since, pk


def _held(share: Share, keys: set[Any]) -> Counter[Any]:
    """How much each of these holds of a share: one statement for each kind, however many they are."""
    held: Counter[Any] = Counter()
    for kind in _kinds(share):
        path = kind.shares[share].path
        rows = kind.model._default_manager.filter(
            _under_way(), kind.shares[share].counted, **{f"{path}__in": keys}
        )
        counted = rows.order_by().values_list(path).annotate(rows=Count("pk", distinct=True))
        held.update(dict(counted))
    return held


def _fits(kind: Kind, pk: Any, coming: list[tuple[Share, Any]]) -> bool:
    """Say whether a row that waits would be taken now, as far as can be told without holding what it shares."""
    parts = _parts(kind, pk, is_held=False)
    return all(_has_room(share, part, kind, pk, coming.count((share, part.pk))) for share, part in parts)


def _has_room(share: Share, part: models.Model, kind: Kind, pk: Any, coming: int = 0) -> bool:
    if not _is_free(share, part, kind, pk, coming):
        return False
    if not kind.is_background:
        return True
    kinds = _kinds(share)
    behind = sum(_working_of(one, share, part.pk) for one in kinds if one.is_background)
    somebody_waits = any(
        _rows(one, share, part.pk).filter(_WAITS).exists() for one in kinds if not one.is_background
    )
    return behind < max(1, share.most(part) - 1) and not somebody_waits


def _is_free(share: Share, part: models.Model, kind: Kind, pk: Any, coming: int = 0) -> bool:
    return _working(share, part.pk, but=(kind, pk)) + coming < share.most(part)


def _working(share: Share, key: Any, but: tuple[Kind, Any] | None = None) -> int:
    return sum(_working_of(kind, share, key, but) for kind in _kinds(share))


def _working_of(kind: Kind, share: Share, key: Any, but: tuple[Kind, Any] | None = None) -> int:
    rows = _rows(kind, share, key).filter(_under_way(), kind.shares[share].counted)
    if but is not None and but[0] is kind:
        rows = rows.exclude(pk=but[1])
    return rows.values("pk").distinct().count()


def _under_way() -> Q:
    return Q(status=Status.RUNNING, lease_until__gte=timezone.now())


def _kinds(share: Share) -> list[Kind]:
    return [kind for kind in KINDS.values() if share in kind.shares]


def _rows(kind: Kind, share: Share, key: Any) -> QuerySet[Leased]:
    return kind.model._default_manager.filter(**{kind.shares[share].path: key})


def _keys(kind: Kind, share: Share, pk: Any, *, counted: bool = False) -> list[Any]:
    """The keys of what a row shares, in order; with `counted`, only where it takes part."""
    way = kind.shares[share]
    rows = kind.model._default_manager.filter(pk=pk, **{f"{way.path}__isnull": False})
    if counted:
        rows = rows.filter(way.counted)
    return sorted(set(rows.order_by().values_list(way.path, flat=True)))


def _parts(kind: Kind, pk: Any, *, is_held: bool = True) -> Iterator[tuple[Share, models.Model]]:
    """The shares of a row; held until the transaction ends. Always in one order, so that two never wait for each other."""
    for share in sorted(kind.shares, key=lambda one: one.model):
        for part in _hold(share, _keys(kind, share, pk), is_held=is_held):
            yield share, part


def _hold(share: Share, keys: list[Any], *, is_held: bool = True) -> list[models.Model]:
    rows = apps.get_model(share.model)._default_manager.filter(pk__in=keys).only("pk", *share.fields)
    # A key is no reason to wait: rows that point to this one are made all the time.
    return list((rows.select_for_update(no_key=True) if is_held else rows).order_by("pk"))
