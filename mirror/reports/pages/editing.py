"""Data of the page that makes or changes a report."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from mirror.reports.editing.channel_forms import ChannelRows
from mirror.reports.editing.forms import ReportForm
from mirror.reports.editing.part_forms import PartRows
from mirror.reports.editing.schedule_forms import BY_HAND, ScheduleForm, runs_preview
from mirror.reports.models import Report
from mirror.reports.pages.report import Ahead, ahead

# The kinds of schedule as they stand beside each other; the form's own words for them are whole sentences.
KIND_WORDS = {
    BY_HAND: gettext_noop("By hand"),
    "hourly": gettext_noop("Hourly"),
    "daily": gettext_noop("Every day"),
    "weekdays": gettext_noop("Monday to Friday"),
    "weekly": gettext_noop("Days of the week"),
    "monthly": gettext_noop("Day of the month"),
    "last_day": gettext_noop("Last day of the month"),
    "nth_weekday": gettext_noop("First Monday and the like"),
    "yearly": gettext_noop("Once a year"),
    "cron": gettext_noop("Cron"),
}


@dataclass(frozen=True, slots=True)
class NextRuns:
    """The next runs of what is typed, or why there are none."""

    ahead: list[Ahead]
    zone: str
    said: str
    problem: str = ""


def next_runs(form: ScheduleForm) -> NextRuns:
    """Tell the next runs of the schedule that is typed or shown."""
    zone = form.zone_name
    lines = ahead([instant for instant, _ in runs_preview(form)], zone)
    if lines:
        schedule = form.schedule
        return NextRuns(lines, zone, schedule.words() if schedule else "")
    if form.is_bound and form.errors:
        words = dict.fromkeys(str(error) for errors in form.errors.values() for error in errors)
        return NextRuns([], zone, "", " ".join(words))
    if form["kind"].value() == BY_HAND:
        return NextRuns([], zone, _("It runs when somebody presses Run now."))
    return NextRuns([], zone, _("It has no run to come."))


@dataclass(frozen=True, slots=True)
class EditPage:
    """A report being made or changed; `report` is None for a new one."""

    report: Report | None
    form: ReportForm
    parts: PartRows
    when: ScheduleForm
    to: ChannelRows
    next: NextRuns

    def _forms(self) -> Iterator[Any]:
        """The forms in the order they stand on the page."""
        yield from (row.form for row in self.parts.rows if row.form)
        yield self.when
        yield self.form
        yield from (row.form for row in self.to.rows)

    @property
    def is_fresh(self) -> bool:
        """Whether nobody has filled anything in yet."""
        return self.report is None and not self.form.is_bound

    @property
    def has_errors(self) -> bool:
        """Whether something was sent that cannot be kept."""
        if self.parts.problem or any(row.problem and self.form.is_bound for row in self.parts.rows):
            return True
        return any(form.is_bound and form.errors for form in self._forms())

    def forget_errors(self) -> None:
        """Show what was typed without a word about it: a row was added, nothing was sent to be kept."""
        for form in self._forms():
            if form.is_bound:
                form.errors.clear()

    def lead_to_first_error(self) -> None:
        """Let the first field that cannot stand have the focus, unless something is said about the whole."""
        wrong = [form for form in self._forms() if form.is_bound and form.errors]
        if not wrong or self.form.non_field_errors():
            return
        name = next((name for name in wrong[0].fields if name in wrong[0].errors), None)
        if name is not None:
            wrong[0].fields[name].widget.attrs["autofocus"] = True

    @property
    def has_mail_server(self) -> bool:
        """Whether mail can be sent at all."""
        return bool(settings.EMAIL_HOST)

    @property
    def kinds(self) -> list[tuple[str, str, bool]]:
        """The kinds of schedule: value, words, and whether it is the chosen one."""
        chosen = self.when["kind"].value() or BY_HAND
        return [(value, _(words), value == chosen) for value, words in KIND_WORDS.items()]


@dataclass(frozen=True, slots=True)
class SecretPage:
    """Signing secrets made just now: where each belongs, and the secret."""

    report: Report
    secrets: list[tuple[str, str]]
