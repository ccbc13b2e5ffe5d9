"""Keep a report's channels: checked, and a secret never with another place than it was given for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _

from mirror.delivery import channels as ways
from mirror.delivery.errors import ChannelError
from mirror.delivery.reach import Reach
from mirror.reports.errors import ReportError
from mirror.reports.models import Channel, Report
from mirror.reports.sending.allowances import reach_of
from mirror.reports.sending.recipients import refusals_of

ChannelsGiven = Sequence[tuple[str, dict[str, Any], str | None]]

MOST_REFUSED_NAMED = 5


@dataclass(frozen=True, slots=True)
class _Kept:
    """A channel as it will be: the row it continues, if any."""

    row: Channel | None
    kind: str
    target: dict[str, Any]
    secret: str


def channels_check(report: Report, given: ChannelsGiven) -> list[_Kept]:
    """Clean what was typed and find the row each channel continues. Raises: ReportError."""
    if len(given) > settings.REPORT_CHANNELS:
        raise ReportError(
            _("A report goes out by at most %(report_channels)s channels; this has %(given)s.")
            % {"report_channels": settings.REPORT_CHANNELS, "given": len(given)}
        )
    left = [] if report._state.adding else list(report.channels.all())
    for kind, *_rest in given:
        if kind not in Channel.Kind.values:
            raise ReportError(
                _("“%(kind)s” is no kind of channel. Known: %(values)s.")
                % {"kind": kind, "values": ", ".join(Channel.Kind.values)}
            )
    rows = _continued(left, given)
    reach = reach_of(report.owner)
    checked = [
        _checked(report, row, kind, target, secret, reach)
        for row, (kind, target, secret) in zip(rows, given, strict=True)
    ]
    _recipients_check(checked)
    return checked


def _recipients_check(checked: Sequence[_Kept]) -> None:
    """Refuse addresses that may get no mail, and too many of them. Raises: ReportError."""
    mails = [one.target["to"] for one in checked if one.kind == Channel.Kind.MAIL]
    addresses = list(dict.fromkeys(address for to in mails for address in to))
    if len(addresses) > settings.REPORT_RECIPIENTS:
        raise ReportError(
            _("These are %(addresses)s recipients; a report goes to %(report_recipients)s at most.")
            % {"addresses": len(addresses), "report_recipients": settings.REPORT_RECIPIENTS}
        )
    if refused := refusals_of(addresses):
        raise ReportError(" ".join(refused[:MOST_REFUSED_NAMED]))


def _checked(
    report: Report,
    row: Channel | None,
    kind: str,
    target: dict[str, Any],
    secret: str | None,
    reach: Reach,
) -> _Kept:
    label = Channel.Kind(kind).label
    earlier = row.secret if row is not None else ""
    kept = earlier if secret is None else secret
    if kind == Channel.Kind.WEBHOOK and not kept:
        kept = ways.new_secret()
    try:
        cleaned = ways.check(kind, target, kept, by_staff=report.owner.is_staff, reach=reach)
    except ChannelError as error:
        raise ReportError(f"{label}: {error}") from None
    # A Slack address is itself the secret: its target says nothing of where it leads.
    is_elsewhere = row is not None and row.target != cleaned and kind != Channel.Kind.SLACK
    if secret is None and earlier and is_elsewhere:
        raise ReportError(
            _("%(label)s: type its secret again, because it goes to another place now.") % {"label": label}
        )
    return _Kept(row, kind, cleaned, kept)


def channels_keep(report: Report, kept: Sequence[_Kept]) -> None:
    """Write channels down; those no longer named go."""
    rows = [one.row.pk for one in kept if one.row is not None]
    report.channels.exclude(pk__in=rows).delete()
    for one in kept:
        row = one.row or Channel(report=report)
        row.kind, row.target, row.secret = one.kind, one.target, one.secret
        if one.kind == Channel.Kind.MAIL:
            row.refused = {to: why for to, why in row.refused.items() if to in one.target.get("to", ())}
        row.save()


def _continued(left: list[Channel], given: ChannelsGiven) -> list[Channel | None]:
    """The row of each channel: first those that stay as they are, then others of the same kind in order."""
    rows: list[Channel | None] = [None] * len(given)
    for is_same in (True, False):
        for number, (kind, target, _secret) in enumerate(given):
            if rows[number] is None:
                fits = (row for row in left if row.kind == kind and (row.target == target or not is_same))
                row = rows[number] = next(fits, None)
                if row is not None:
                    left.remove(row)
    return rows
