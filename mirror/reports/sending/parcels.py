"""The content of one delivery: the report's sections and files, or a notice in words."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from itertools import islice
from urllib.parse import urlsplit

from django.conf import settings
from django.core.files.storage import default_storage
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language, override
from django.utils.translation import gettext as _

from mirror.delivery.parcel import Attachment, Figure, Parcel, Section
from mirror.delivery.parcel_words import moment_said
from mirror.exports.values import FORMATS
from mirror.people.languages import language_of
from mirror.people.models import QuotaMet, User
from mirror.recent import Recent
from mirror.reports.models import Delivery, Report, ReportFile, ReportRun, RunPart
from mirror.reports.part_words import figure_told, part_sentence
from mirror.reports.reasons import pause_said
from mirror.reports.selectors import run_visible
from mirror.reports.sending.columns import columns_first
from mirror.reports.sending.consents import consent_url
from mirror.reports.sending.holding import charged, quota_words
from mirror.reports.sending.introductions import introduction_of
from mirror.reports.sending.links import link_of_delivery
from mirror.reports.sending.recipients import people_at
from mirror.results.formats import formats_of
from mirror.results.kept_pivots import pivot_table
from mirror.results.opened_files import ResultGone
from mirror.results.rows import columns_of, rows_batches
from mirror.stored_words import row_said, translated
from mirror.zones import zone_of

About = Delivery.About

# Rows of each SQL shown in a message itself; all of them are in the files.
SHOWN_ROWS = 25
# Runs whose sections are kept in this process: a run's deliveries come one after another.
AT_HAND = 4
_sections_kept: Recent[tuple[int, int, str], tuple[Section, ...]] = Recent(AT_HAND)


def parcel_of(delivery: Delivery) -> Parcel:
    """Put together what a delivery carries, from what its run kept, in the language of who gets it."""
    language = _language(delivery)
    with override(language):
        return replace(_parcel(delivery), language=language)


def _language(delivery: Delivery) -> str:
    """The language of the person at a mail address; the owner's where nobody here has it, and for other channels."""
    person = people_at([delivery.to]).first() if delivery.kind == "mail" else None
    return language_of(person or delivery.run.report.owner)


def _parcel(delivery: Delivery) -> Parcel:
    run, report = delivery.run, delivery.run.report
    is_notice, url = delivery.about in Delivery.NOTICES, _url(delivery)
    values, read_at = ("", None) if is_notice else (values_of_run(run), _read_at(run))
    return Parcel(
        uid=str(delivery.uid),
        about=delivery.about,
        title=_title(delivery),
        note="" if is_notice else report.note,
        message=_notice(delivery) if is_notice else row_said(run, "reason"),
        url=url,
        made_at=run.ended_at or run.created_at,
        scheduled_for=None if delivery.about in Delivery.BY_RULE else run.scheduled_for,
        zone=zone_of(report.zone).key,
        sections=() if is_notice else _sections(run),
        values=values,
        read_at=read_at,
        files=()
        if is_notice
        else tuple(_attachment(file, delivery) for file in run.files_in(get_language() or "")),
        attempt=delivery.tries + 1,
        introduction=introduction_of(About(delivery.about), url, _name(report.owner)),
        number=report.pk,
        stop_url=consent_url(delivery.to, to_stop=True) if delivery.kind == "mail" else "",
    )


def _title(delivery: Delivery) -> str:
    """The report's title; nothing that somebody typed stands in a question to a stranger but their name."""
    if delivery.about == About.CONSENT:
        return _("reports from %(name)s") % {"name": _name(charged(delivery))}
    if delivery.about == About.QUOTA:
        return _("reports of %(name)s") % {"name": _name(charged(delivery))}
    return delivery.run.report.title


def _url(delivery: Delivery) -> str:
    if delivery.about == About.CONSENT:
        return consent_url(delivery.to, to_stop=False)
    if _is_closed_to(delivery):
        return ""
    is_quota = delivery.about == About.QUOTA
    place = reverse("reports:sending") if is_quota else reverse("reports:run", args=[delivery.run_id])
    return f"{settings.SITE_URL.rstrip('/')}{place}"


def _is_closed_to(delivery: Delivery) -> bool:
    """Whether a mail goes to somebody here who may not look at the run: its link would find nothing.

    An address of nobody here may be that of a list of people who may.
    """
    if delivery.kind != "mail" or delivery.about not in (About.REPORT, About.ALERT, About.RECOVERED):
        return False
    people = list(people_at([delivery.to]))
    return bool(people) and not any(run_visible(user, delivery.run_id) for user in people)


def values_of_run(run: ReportRun) -> str:
    """Say the values of a run's parameters: each of its parts' once, in their order; empty where no part has any."""
    return "; ".join(dict.fromkeys(part.values for part in run.parts.all() if part.values))


def _read_at(run: ReportRun) -> datetime:
    """When the first of a run's rows were read; when it began, where none are kept."""
    read = [part.result.created_at for part in run.parts.select_related("result") if part.result]
    return min(read, default=run.started_at or run.created_at)


def _sections(run: ReportRun) -> tuple[Section, ...]:
    return _sections_kept.get(
        (run.pk, run.lease_token, get_language() or ""),
        lambda: _sections_made(run),
    )


def _sections_made(run: ReportRun) -> tuple[Section, ...]:
    parts = list(run.parts.select_related("result"))
    differ = len({part.values for part in parts}) > 1
    return tuple(_section(part, part.values if differ else "") for part in parts)


def _section(part: RunPart, values: str) -> Section:
    notes: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    rows: tuple[tuple[object, ...], ...] = ()
    row_count, formats = part.row_count, formats_of(part.result) if part.result is not None else ()
    try:
        if part.result is None:
            raise ResultGone(_("These rows are no longer kept."))
        stored = columns_of(part.result)
        rows = tuple(
            islice((row for batch in rows_batches(part.result, SHOWN_ROWS) for row in batch), SHOWN_ROWS)
        )
        columns, kinds = tuple(column.name for column in stored), tuple(column.kind for column in stored)
        table = pivot_table(part.result, part.chart, formats, SHOWN_ROWS)
        if table is not None:
            columns, kinds, rows = table.columns, table.kinds, table.rows
            row_count, formats = table.row_count, table.formats
    except ResultGone as error:
        notes = (str(error),)
    return Section(
        title=part.title,
        sentence=part_sentence(part),
        columns=columns,
        kinds=kinds,
        rows=rows,
        row_count=row_count,
        truncated=part.truncated,
        image=_image(part),
        notes=notes,
        # A draft says so in its sentence, which figures would take the place of.
        figures=() if part.draft else tuple(Figure(*figure_told(one)) for one in part.figures),
        first=columns_first(part.chart or {}, columns, kinds, rows, part.sql),
        values=values,
        formats=formats,
    )


def _image(part: RunPart) -> bytes | None:
    image = part.image_in(get_language() or "")
    if not image:
        return None
    try:
        with image.open("rb") as file:
            return bytes(file.read())
    except OSError:
        return None


def _attachment(file: ReportFile, delivery: Delivery) -> Attachment:
    return Attachment(
        name=file.name,
        media_type=FORMATS[file.format].media_type,
        size=file.size,
        open=partial(default_storage.open, str(file.file.name), "rb"),
        rows=file.row_count,
        notes=tuple(file.notes),
        url=_link(file, delivery),
    )


def _link(file: ReportFile, delivery: Delivery) -> str:
    """A link for a file that is too large for a mail; none otherwise: what is attached needs none."""
    if delivery.kind != "mail" or file.size <= settings.MAIL_ATTACHMENT_MB * 1_000_000:
        return ""
    hours = 24 * delivery.run.report.keep_days
    token = link_of_delivery(file, delivery.run.report.owner, hours, delivery.uid)
    return f"{settings.SITE_URL.rstrip('/')}{reverse('reports:link', args=[token])}"


# ---------------------------------------------------------------- notices


def _notice(delivery: Delivery) -> str:
    """Say what happened, why, what to do and what comes next."""
    run, report = delivery.run, delivery.run.report
    if delivery.about == About.CONSENT:
        return _question(delivery)
    if delivery.about == About.QUOTA:
        return _quota(delivery)
    if delivery.about == About.HANDED:
        return _(
            "Its owner is no longer here, so this report was handed over to you. It runs as yours from now on."
        )
    if delivery.about == About.PAUSED:
        words = [pause_said(report) or _("The schedule paused itself."), row_said(run, "advice")]
        return _said(*words, _("It does not run until somebody resumes it."))
    if run.outcome == ReportRun.Outcome.FAILED:
        return _said(row_said(run, "reason"), row_said(run, "advice"), _next(report))
    return _said(*_undelivered(run), _next(report))


def _question(delivery: Delivery) -> str:
    """Ask a stranger, in fixed words."""
    person, place = charged(delivery), urlsplit(settings.SITE_URL).netloc
    return _(
        "%(person)s wants to send you reports from %(place)s by mail. Say yes or no on the page below. If you do not know them, leave this be."
    ) % {"person": _name(person), "place": place}


def _quota(delivery: Delivery) -> str:
    """Tell administrators which bounds somebody met within the last hour."""
    found = QuotaMet.objects.filter(person=charged(delivery), at__gt=timezone.now() - timedelta(hours=1))
    said = [quota_words(one) for one in found]
    return _said(*said, _("More is held back, a day at most, and goes out as there is room."))


def _name(person: User) -> str:
    name = person.get_full_name()
    return f"{name} ({person.get_username()})" if name else person.get_username()


def _undelivered(run: ReportRun) -> list[str]:
    """Which deliveries of a run were given up, each with the answer it got last."""
    given_up = run.deliveries.filter(state=Delivery.State.GIVEN_UP).exclude(
        channel=None, about__in=Delivery.NOTICES
    )
    said = [
        _("%(kind)s to %(to)s: %(answer)s")
        % {"kind": row.get_kind_display(), "to": row.to, "answer": _last_answer(row)}
        for row in given_up[:20]
    ]
    return [_("The report was made, but could not be delivered everywhere."), *said]


def _last_answer(row: Delivery) -> str:
    return translated(str(row.answers[-1]["answer"])) if row.answers else _("given up.")


def _next(report: Report) -> str:
    if report.next_at is None:
        return ""
    return _("Next run: %(at)s.") % {"at": moment_said(report.next_at, zone_of(report.zone).key)}


def _said(*words: str) -> str:
    return "\n".join(word for word in words if word)
