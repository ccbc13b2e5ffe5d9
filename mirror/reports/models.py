"""Reports: what is sent to whom and when, every run of them, every file, every delivery; and who lets mails come.

The rows are the truth. A run exists once for each report and scheduled time, a delivery once
for each run, channel and recipient, whatever the number of beats, workers and retries.
"""

from __future__ import annotations

import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.fields.files import FieldFile
from django.utils.translation import gettext_lazy

from mirror.secrets import EncryptedTextField
from mirror.work.leases import Retried


class Report(models.Model):
    """Saved SQL, one or several, sent on a schedule.

    `schedule` is what `schedule.Schedule.to_json` gives, or None for a report sent by hand only;
    `next_at` the first scheduled time that no run was made for yet (None: it never fires again, or
    waits for somebody). Seen by its owner and the members of its teams; changed by its owner.
    """

    class Missed(models.TextChoices):
        """The fate of scheduled times that passed while nothing ran."""

        LAST = "last", gettext_lazy("Run the last one")
        ALL = "all", gettext_lazy("Run all of them")
        SKIP = "skip", gettext_lazy("Skip them")

    class Condition(models.TextChoices):
        """When a run is worth sending."""

        ALWAYS = "always", gettext_lazy("Always")
        ROWS = "rows", gettext_lazy("Only when there are rows")
        CHANGED = "changed", gettext_lazy("Only when the rows changed since they were last sent")
        THRESHOLD = "threshold", gettext_lazy("When a value crosses a threshold (an alert)")

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="reports")
    teams = models.ManyToManyField("people.Team", blank=True, related_name="reports")
    title = models.CharField(max_length=200)
    note = models.TextField(blank=True)
    formats = models.JSONField(default=list, blank=True, help_text="Names of mirror.exports.values.FORMATS")
    schedule = models.JSONField(null=True, blank=True)
    zone = models.CharField(max_length=64, default="UTC", help_text="An IANA time zone")
    next_at = models.DateTimeField(null=True, blank=True, db_index=True)
    missed = models.CharField(max_length=5, choices=Missed, default=Missed.LAST)
    native_chart = models.BooleanField(default=False, help_text="Excel files get a chart made of their cells")
    condition = models.CharField(max_length=10, choices=Condition, default=Condition.ALWAYS)
    threshold = models.JSONField(
        default=dict, blank=True, help_text='{"part", "column", "test", "value", "quiet_hours"}'
    )
    is_alerting = models.BooleanField(default=False, help_text="The value was beyond when last looked at")
    alerted_at = models.DateTimeField(null=True, blank=True)
    sent_fingerprint = models.CharField(max_length=64, blank=True, help_text="Of the rows last sent")
    keep_days = models.PositiveSmallIntegerField(default=30, help_text="Days that rows and files are kept")
    is_paused = models.BooleanField(default=False)
    paused_why = models.TextField(blank=True, help_text="Empty: somebody paused it")
    failures = models.PositiveSmallIntegerField(default=0, help_text="Failed runs in a row")
    pause_after = models.PositiveSmallIntegerField(default=5)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["title", "pk"]

    def __str__(self) -> str:
        return self.title


class ReportPart(models.Model):
    """One saved SQL of a report, with the values of its parameters.

    `arguments` are kept as typed, relative dates as words: they are read anew for each scheduled
    time. `saved` is None once the saved SQL was deleted; `name` is what it was called.
    """

    report = models.ForeignKey(Report, on_delete=models.CASCADE, related_name="parts")
    position = models.PositiveSmallIntegerField(default=0)
    saved = models.ForeignKey(
        "library.SavedSql", on_delete=models.SET_NULL, null=True, related_name="report_parts"
    )
    name = models.CharField(max_length=120)
    arguments = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering = ["position", "pk"]

    def __str__(self) -> str:
        return self.name


class Channel(models.Model):
    """A way a report goes out. Each has its own deliveries; one that is dead stops no other.

    `target` says where to, as `channels.check` cleaned it (mail: `{"to": [addresses]}`); nothing in it
    is secret. `secret` is the signing key, token or secret address. `refused` are recipients
    whose server refused them for good, with its words; nothing is sent to them until somebody says so.
    """

    class Kind(models.TextChoices):
        MAIL = "mail", gettext_lazy("Mail")
        WEBHOOK = "webhook", gettext_lazy("Webhook")
        SLACK = "slack", gettext_lazy("Slack or compatible")
        FOLDER = "folder", gettext_lazy("Folder")
        S3 = "s3", gettext_lazy("S3 or compatible")

    report = models.ForeignKey(Report, on_delete=models.CASCADE, related_name="channels")
    kind = models.CharField(max_length=10, choices=Kind)
    target = models.JSONField(default=dict)
    secret = EncryptedTextField(blank=True, default="")
    refused = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return self.get_kind_display()


class ReportRun(Retried):
    """One making of a report: its rows, its files, what it said. `status` DONE means made or given up.

    `fingerprint` is that of its rows, where the report's condition asks for one; `is_reading` while it
    may still ask its sources, and counts among what runs on them at once.
    """

    class Cause(models.TextChoices):
        SCHEDULE = "schedule", gettext_lazy("on schedule")
        MISSED = "missed", gettext_lazy("missed, made up for")
        NOW = "now", gettext_lazy("run by hand")
        TEST = "test", "test"

    class Outcome(models.TextChoices):
        MADE = "made", "made"
        NOTHING = "nothing", gettext_lazy("nothing to send")
        SKIPPED = "skipped", "skipped"
        FAILED = "failed", "failed"

    report = models.ForeignKey(Report, on_delete=models.CASCADE, related_name="runs")
    scheduled_for = models.DateTimeField(null=True, blank=True)
    cause = models.CharField(max_length=10, choices=Cause)
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    fingerprint = models.CharField(max_length=64, blank=True)
    is_reading = models.BooleanField(default=True)
    outcome = models.CharField(max_length=10, choices=Outcome, blank=True)
    reason = models.TextField(blank=True, help_text="Why it failed, was skipped or had nothing to send")
    saying = models.JSONField(
        default=dict,
        blank=True,
        help_text="What its English texts are made of, to say them in other languages",
    )
    advice = models.TextField(blank=True)
    about = models.CharField(max_length=12, blank=True, help_text="report, alert or recovered")
    value = models.TextField(blank=True, help_text="The value a threshold was held against")

    class Meta:
        ordering = ["-created_at", "-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["report", "scheduled_for"],
                condition=Q(scheduled_for__isnull=False),
                name="one_run_a_scheduled_time",
            )
        ]

    def __str__(self) -> str:
        return f"Run {self.pk} of {self.report}"

    def files_in(self, language: str = "") -> list[ReportFile]:
        """Its files in a language where there are some, else those in that of the owner."""
        files = list(self.files.all())
        return [one for one in files if language and one.language == language] or [
            one for one in files if not one.language
        ]


class RunPart(models.Model):
    """The result of one SQL of a run: the SQL as it ran, its rows, its chart, its sentence.

    `figures` are its numbers where it gave nothing else: each with its name, exactly, for reading, and how it changed.
    """

    run = models.ForeignKey(ReportRun, on_delete=models.CASCADE, related_name="parts")
    position = models.PositiveSmallIntegerField()
    attempt = models.PositiveSmallIntegerField(help_text="The run's attempt that made it")
    title = models.CharField(max_length=120)
    sql = models.TextField()
    arguments = models.JSONField(default=dict, blank=True)
    values = models.TextField(blank=True, help_text="The values of its parameters, in words")
    source = models.ForeignKey("sources.Source", on_delete=models.SET_NULL, null=True, related_name="+")
    login = models.CharField(
        max_length=128, blank=True, default="", help_text="The login of a team that read its rows"
    )
    result = models.ForeignKey("results.StoredResult", on_delete=models.SET_NULL, null=True, blank=True)
    row_count = models.PositiveBigIntegerField(default=0)
    truncated = models.BooleanField(default=False)
    seconds = models.FloatField(default=0)
    draft = models.TextField(blank=True, help_text="Why its SQL was a draft when it ran")
    sentence = models.TextField(blank=True)
    saying = models.JSONField(
        default=dict,
        blank=True,
        help_text="What its English texts are made of, to say them in other languages",
    )
    chart = models.JSONField(null=True, blank=True)
    figures = models.JSONField(default=list, blank=True, help_text='[{"name", "number", "said", "change"}]')
    image = models.FileField(upload_to="reports/", blank=True, max_length=300)
    images = models.JSONField(
        default=dict, blank=True, help_text="Its picture in other languages than the owner's, by language"
    )

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["run", "attempt", "position"], name="one_run_part_a_position")
        ]

    def __str__(self) -> str:
        return self.title

    def image_in(self, language: str) -> FieldFile:
        """Its picture in a language where there is one, else in that of the owner."""
        name = self.images.get(language)
        return FieldFile(self, self.image.field, name) if name else self.image


class ReportFile(models.Model):
    """A file that a run made. It goes when `expires_at` is past.

    It is in the language of the report's owner, or in the `language` of others who get the report.
    """

    run = models.ForeignKey(ReportRun, on_delete=models.CASCADE, related_name="files")
    format = models.CharField(max_length=10)
    name = models.CharField(max_length=200)
    language = models.CharField(max_length=10, blank=True, default="")
    file = models.FileField(upload_to="reports/", max_length=300)
    row_count = models.PositiveBigIntegerField(default=0)
    size = models.PositiveBigIntegerField(default=0)
    notes = models.JSONField(default=list, blank=True, help_text="What the reader must know, such as a cut")
    expires_at = models.DateTimeField(db_index=True)

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["run", "name", "language"], name="one_file_a_name")]

    def __str__(self) -> str:
        return self.name


class FileLink(models.Model):
    """A link to one file that works without signing in, until it expires or is revoked.

    Only the hash of its token is kept.
    """

    file = models.ForeignKey(ReportFile, on_delete=models.CASCADE, related_name="links")
    token_hash = models.CharField(max_length=64, unique=True)
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    opened = models.PositiveIntegerField(default=0)


class Delivery(Retried):
    """One sending to one place: a recipient, an address, a folder. `status` DONE means sent or given up.

    `uid` names it to the outside: in a mail's Message-ID and a webhook's header, the same at each attempt.
    `sending_at` is set just before the channel may have taken it and cleared with its answer: an
    attempt that died in between may have arrived, and is sent again.

    One that is HELD back is queued for when it is looked at again; `held_at` is since when. `charged_to` is whose quota
    it counts for: the report's owner when it was queued (None: the owner now).
    """

    class About(models.TextChoices):
        REPORT = "report", "report"
        ALERT = "alert", "alert"
        RECOVERED = "recovered", "recovery"
        TEST = "test", "test"
        FAILED = "failed", gettext_lazy("failure notice")
        PAUSED = "paused", gettext_lazy("pause notice")
        HANDED = "handed", gettext_lazy("hand-over notice")
        CONSENT = "consent", gettext_lazy("question whether mails are wanted")
        QUOTA = "quota", gettext_lazy("notice to an administrator")

    # Notices, in place of the result of a run; these and tests go to a person, by no channel.
    NOTICES = (About.FAILED, About.PAUSED, About.HANDED, About.CONSENT, About.QUOTA)
    # Deliveries that Mirror sends by its own rules alone: nobody sends them again by hand.
    BY_RULE = (About.CONSENT, About.QUOTA)
    TO_PERSON = (About.TEST, *NOTICES)

    class State(models.TextChoices):
        WAITING = "waiting", "waiting"
        HELD = "held", gettext_lazy("held back")
        SENT = "sent", "sent"
        GIVEN_UP = "given_up", gettext_lazy("given up")

    class Held(models.TextChoices):
        """Why a delivery is held back."""

        CONSENT = "consent", gettext_lazy("its recipient has not confirmed")
        QUOTA = "quota", gettext_lazy("a quota is met")
        PAUSE = "pause", gettext_lazy("all sending is paused")

    uid = models.UUIDField(default=uuid.uuid4, unique=True, editable=False)
    run = models.ForeignKey(ReportRun, on_delete=models.CASCADE, related_name="deliveries")
    channel = models.ForeignKey(
        Channel, on_delete=models.SET_NULL, null=True, blank=True, related_name="deliveries"
    )
    kind = models.CharField(max_length=10, choices=Channel.Kind)
    about = models.CharField(max_length=10, choices=About)
    to = models.CharField(max_length=500, help_text="A mail address, or where to in words; no secret")
    state = models.CharField(max_length=10, choices=State, default=State.WAITING)
    held_for = models.CharField(max_length=10, choices=Held, blank=True)
    held_at = models.DateTimeField(null=True, blank=True)
    charged_to = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    sending_at = models.DateTimeField(null=True, blank=True)
    answers = models.JSONField(default=list, blank=True, help_text='[{"at", "ok", "answer"}]')
    sent_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["run", "channel", "about", "to"], name="one_delivery_a_recipient"
            ),
            # Deliveries whose channel was removed keep their rows, and may have gone to one address.
            models.UniqueConstraint(
                fields=["run", "about", "to"],
                condition=Q(
                    channel=None, about__in=["test", "failed", "paused", "handed", "consent", "quota"]
                ),
                name="one_notice_a_recipient",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} to {self.to}"


class Consent(models.Model):
    """Whether an outside mail address wants reports from here: asked once, and its word is kept.

    `address` is in small letters; `mailbox` is the same without what stands after a plus, since both are read by one
    person. One that STOPPED gets nothing any more, for good.
    """

    class State(models.TextChoices):
        ASKED = "asked", gettext_lazy("not confirmed yet")
        CONFIRMED = "confirmed", "confirmed"
        STOPPED = "stopped", "stopped"

    address = models.CharField(max_length=254, unique=True)
    mailbox = models.CharField(max_length=254, db_index=True)
    state = models.CharField(max_length=10, choices=State, default=State.ASKED)
    asks = models.PositiveSmallIntegerField(default=0, help_text="Mails that asked it")
    asked_at = models.DateTimeField(null=True, blank=True)
    asked_for = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    answered_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["address"]

    def __str__(self) -> str:
        return self.address


class Allowance(models.Model):
    """A place that an administrator allowed for everybody's reports, besides those of the settings."""

    class Kind(models.TextChoices):
        DOMAIN = "domain", gettext_lazy("Mail domain")
        ADDRESS = "address", gettext_lazy("Mail address")
        HOST = "host", gettext_lazy("Private host")

    kind = models.CharField(max_length=10, choices=Kind)
    value = models.CharField(max_length=254)
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["kind", "value"]
        constraints = [models.UniqueConstraint(fields=["kind", "value"], name="one_allowance_a_place")]

    def __str__(self) -> str:
        return self.value


class SendingPause(models.Model):
    """All sending stopped: nothing goes out and no schedule runs while a row has no end. Rows stay as history."""

    began_at = models.DateTimeField(auto_now_add=True)
    began_by = models.CharField(max_length=150, blank=True, help_text="A user name; empty: from a shell")
    why = models.CharField(max_length=300, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    ended_by = models.CharField(max_length=150, blank=True)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return self.why or "Sending is paused"
