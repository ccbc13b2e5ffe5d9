"""Forms about a report's schedule. Of the fields only those of the chosen kind count."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django import forms
from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext_lazy

from mirror.library.widgets import OfferingInput
from mirror.reports.models import Report
from mirror.reports.schedule.checks import CHECKS
from mirror.reports.schedule.intervals import interval_check
from mirror.reports.schedule.times import (
    DAYS,
    FIELDS,
    KINDS,
    MONTHS,
    NTH,
    Schedule,
    ScheduleError,
    zone_read,
    zones,
)

BY_HAND = ""


def _zones_offered() -> list[tuple[str, str]]:
    return [(name, name.replace("_", " ")) for name in zones()]


def _zone_here() -> str:
    return str(settings.TIME_ZONE)


def _lazy(words: Mapping[str, str]) -> list[tuple[str, Any]]:
    return [(name, gettext_lazy(said)) for name, said in words.items()]


class ScheduleForm(forms.Form):
    """A schedule, or that there is none: then a report runs by hand only.

    `cleaned_schedule` is the typed schedule, None for by hand. Fields that the chosen kind does not use are ignored,
    valid or not, and kept for when the kind is changed back.
    """

    kind = forms.ChoiceField(
        label=gettext_lazy("Runs"),
        choices=[(BY_HAND, gettext_lazy("Only when somebody runs it")), *_lazy(KINDS)],
        required=False,
        initial="weekdays",
    )
    every = forms.IntegerField(
        label=gettext_lazy("Hours between runs"),
        required=False,
        initial=1,
        help_text=gettext_lazy("1 to 23, counted from midnight: every 5 hours is at 0, 5, 10, 15 and 20."),
        widget=forms.NumberInput(attrs={"min": 1, "max": 23}),
    )
    minute = forms.IntegerField(
        label=gettext_lazy("At minute"),
        required=False,
        initial=0,
        widget=forms.NumberInput(attrs={"min": 0, "max": 59}),
    )
    days = forms.MultipleChoiceField(
        label=gettext_lazy("On"),
        required=False,
        choices=_lazy(DAYS),
        initial=["mon"],
        widget=forms.CheckboxSelectMultiple,
    )
    nth = forms.ChoiceField(
        label=gettext_lazy("Which of the month"),
        required=False,
        choices=[(name, gettext_lazy(name.capitalize())) for name in NTH],
        initial="first",
    )
    month = forms.TypedChoiceField(
        label=gettext_lazy("Month"),
        required=False,
        choices=[(number, gettext_lazy(name)) for number, name in enumerate(MONTHS, start=1)],
        coerce=int,
        empty_value=None,
        initial=1,
    )
    day = forms.IntegerField(
        label=gettext_lazy("Day"),
        required=False,
        initial=1,
        help_text=gettext_lazy("A month that lacks it has its run on its last day."),
        widget=forms.NumberInput(attrs={"min": 1, "max": 31}),
    )
    time = forms.TimeField(
        label=gettext_lazy("At"),
        required=False,
        initial="08:00",
        input_formats=["%H:%M", "%H:%M:%S"],
        widget=forms.TimeInput(attrs={"type": "time"}, format="%H:%M"),
        error_messages={"invalid": gettext_lazy("Write the time of day as 08:00.")},
        help_text=gettext_lazy(
            "A time that daylight saving skips runs just after the change; one that comes twice runs once."
        ),
    )
    cron = forms.CharField(
        label=gettext_lazy("Cron line"),
        required=False,
        widget=forms.TextInput(attrs={"class": "mono", "spellcheck": "false", "placeholder": "0 8 * * 1-5"}),
        help_text=gettext_lazy(
            "Minute, hour, day of the month, month, day of the week. L is the last day, LW the last weekday."
        ),
    )
    zone = forms.CharField(
        label=gettext_lazy("Time zone"),
        required=False,
        initial=_zone_here,
        widget=OfferingInput(_zones_offered),
        help_text=gettext_lazy("Also says which day it is for dates in words."),
    )
    starts_on = forms.DateField(
        label=gettext_lazy("From"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        error_messages={"invalid": gettext_lazy("Write the date as 2026-02-28.")},
    )
    ends_on = forms.DateField(
        label=gettext_lazy("Until"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
        error_messages={"invalid": gettext_lazy("Write the date as 2026-02-28.")},
        help_text=gettext_lazy("The last day on which it runs."),
    )
    missed = forms.ChoiceField(
        label=gettext_lazy("If runs were missed while Mirror was down"),
        required=False,
        choices=Report.Missed.choices,
        initial=Report.Missed.LAST,
    )

    cleaned_schedule: Schedule | None = None

    def __init__(self, *args: Any, by_staff: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.by_staff = by_staff

    @classmethod
    def of_report(cls, report: Report) -> ScheduleForm:
        """Show a report's schedule as it is kept, whether or not it can still be read."""
        kept = report.schedule or {"kind": BY_HAND}
        return cls(initial={**kept, "zone": report.zone, "missed": report.missed})

    def clean_missed(self) -> str:
        """Run the last one, where nothing was chosen."""
        return self.cleaned_data["missed"] or str(Report.Missed.LAST)

    def clean(self) -> dict[str, Any]:
        """Make the schedule, or say beside each field what is wrong with it."""
        cleaned = super().clean() or self.cleaned_data
        if "kind" not in cleaned:
            return cleaned
        kind = cleaned["kind"]
        for name in CHECKS:
            if name not in FIELDS.get(kind, ()):
                self.errors.pop(name, None)
                cleaned.pop(name, None)
        if kind == BY_HAND:
            for name in ("starts_on", "ends_on"):
                self.errors.pop(name, None)
        if "days" in cleaned:
            cleaned["days"] = tuple(cleaned["days"])
        self._check("zone", zone_read)
        for name in FIELDS.get(kind, ()):
            self._check(name, CHECKS[name])
        if kind != BY_HAND and not self.errors:
            try:
                schedule = _schedule(cleaned)
                interval_check(schedule, is_staff=self.by_staff)
                self.cleaned_schedule = schedule
            except ScheduleError as error:
                self.add_error(error.field or None, str(error))
        return cleaned

    def _check(self, name: str, check: Any) -> None:
        if name in self.errors:
            return
        try:
            check(self.cleaned_data.get(name))
        except ScheduleError as error:
            self.add_error(name, str(error))

    @property
    def schedule(self) -> Schedule | None:
        """The schedule typed, or shown at first; None when by hand or when it cannot be."""
        if self.is_bound:
            return self.cleaned_schedule if self.is_valid() else None
        shown = {name: self.get_initial_for_field(field, name) for name, field in self.fields.items()}
        if shown["kind"] == BY_HAND:
            return None
        try:
            return Schedule.from_json({name: shown[name] for name in Schedule.__dataclass_fields__})
        except ScheduleError:
            return None

    @property
    def zone_name(self) -> str:
        """The time zone typed or shown, where it is one; else the server's."""
        try:
            return zone_read(str(self["zone"].value() or "").strip()).key
        except ScheduleError:
            return _zone_here()

    @property
    def details(self) -> list[tuple[forms.BoundField, str]]:
        """The fields that only some kinds use, each with those kinds, space between them."""
        return [
            (self[name], " ".join(kind for kind, names in FIELDS.items() if name in names))
            for name in self.fields
            if name in CHECKS
        ]


def runs_preview(
    form: ScheduleForm, now: datetime | None = None, count: int = 5
) -> list[tuple[datetime, str]]:
    """List the next runs of what was typed or shown: each instant, and its local time with the zone's abbreviation.

    Empty when it runs by hand, never again, or cannot be; `form.errors` says why it cannot.
    """
    schedule = form.schedule
    if schedule is None:
        return []
    zone = ZoneInfo(schedule.zone)
    runs = schedule.upcoming(now or timezone.now(), count)
    return [(run, _local(run.astimezone(zone))) for run in runs]


def _local(moment: datetime) -> str:
    return f"{moment:%A} {moment.day} {moment:%B %Y, %H:%M %Z}"


def _schedule(cleaned: dict[str, Any]) -> Schedule:
    return Schedule(**{name: cleaned[name] for name in Schedule.__dataclass_fields__ if name in cleaned})
