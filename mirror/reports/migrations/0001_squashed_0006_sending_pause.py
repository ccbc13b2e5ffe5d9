"""Tables of the replaced migrations, made at once in an empty store; a store that has some of them goes on one by one."""

import django.db.models.deletion
import django.utils.timezone
import mirror.secrets
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [
        ("reports", "0001_initial"),
        ("reports", "0002_retries"),
        ("reports", "0003_mail_and_quotas"),
        ("reports", "0004_spared"),
        ("reports", "0005_runpart_draft"),
        ("reports", "0006_sending_pause"),
    ]

    initial = True

    dependencies = [
        ("library", "0003_savedsql_problem"),
        ("people", "0001_initial"),
        ("results", "0002_storedresult_cut_cells"),
        ("sources", "0003_uploads_drift_limits"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Report",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("title", models.CharField(max_length=200)),
                ("note", models.TextField(blank=True)),
                (
                    "formats",
                    models.JSONField(
                        blank=True, default=list, help_text="Names of mirror.exports.values.FORMATS"
                    ),
                ),
                ("schedule", models.JSONField(blank=True, null=True)),
                ("zone", models.CharField(default="UTC", help_text="An IANA time zone", max_length=64)),
                ("next_at", models.DateTimeField(blank=True, db_index=True, null=True)),
                (
                    "missed",
                    models.CharField(
                        choices=[
                            ("last", "Run the last one"),
                            ("all", "Run all of them"),
                            ("skip", "Skip them"),
                        ],
                        default="last",
                        max_length=5,
                    ),
                ),
                (
                    "condition",
                    models.CharField(
                        choices=[
                            ("always", "Always"),
                            ("rows", "Only when there are rows"),
                            ("changed", "Only when the rows changed since they were last sent"),
                            ("threshold", "When a value crosses a threshold (an alert)"),
                        ],
                        default="always",
                        max_length=10,
                    ),
                ),
                (
                    "threshold",
                    models.JSONField(
                        blank=True,
                        default=dict,
                        help_text='{"part", "column", "test", "value", "quiet_hours"}',
                    ),
                ),
                (
                    "is_alerting",
                    models.BooleanField(default=False, help_text="The value was beyond when last looked at"),
                ),
                ("alerted_at", models.DateTimeField(blank=True, null=True)),
                (
                    "sent_fingerprint",
                    models.CharField(blank=True, help_text="Of the rows last sent", max_length=64),
                ),
                (
                    "keep_days",
                    models.PositiveSmallIntegerField(
                        default=30, help_text="Days that rows and files are kept"
                    ),
                ),
                ("is_paused", models.BooleanField(default=False)),
                ("paused_why", models.TextField(blank=True, help_text="Empty: somebody paused it")),
                ("failures", models.PositiveSmallIntegerField(default=0, help_text="Failed runs in a row")),
                ("pause_after", models.PositiveSmallIntegerField(default=5)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("updated_at", models.DateTimeField(auto_now=True)),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="reports",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("teams", models.ManyToManyField(blank=True, related_name="reports", to="people.team")),
            ],
            options={
                "ordering": ["title", "pk"],
            },
        ),
        migrations.CreateModel(
            name="Channel",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("mail", "Mail"),
                            ("webhook", "Webhook"),
                            ("slack", "Slack or compatible"),
                            ("folder", "Folder"),
                            ("s3", "S3 or compatible"),
                        ],
                        max_length=10,
                    ),
                ),
                ("target", models.JSONField(default=dict)),
                ("secret", mirror.secrets.EncryptedTextField(blank=True, default="")),
                ("refused", models.JSONField(blank=True, default=dict)),
                (
                    "report",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="channels",
                        to="reports.report",
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
            },
        ),
        migrations.CreateModel(
            name="ReportPart",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("position", models.PositiveSmallIntegerField(default=0)),
                ("name", models.CharField(max_length=120)),
                ("arguments", models.JSONField(blank=True, default=dict)),
                (
                    "report",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="parts", to="reports.report"
                    ),
                ),
                (
                    "saved",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="report_parts",
                        to="library.savedsql",
                    ),
                ),
            ],
            options={
                "ordering": ["position", "pk"],
            },
        ),
        migrations.CreateModel(
            name="ReportRun",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "status",
                    models.CharField(
                        choices=[("queued", "Queued"), ("running", "Running"), ("done", "Done")],
                        db_index=True,
                        default="queued",
                        max_length=10,
                    ),
                ),
                ("lease_token", models.PositiveIntegerField(default=0)),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                ("stop_requested", models.BooleanField(default=False)),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("waits_turn", models.BooleanField(default=False)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("queued_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("started_at", models.DateTimeField(blank=True, null=True)),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                ("scheduled_for", models.DateTimeField(blank=True, null=True)),
                (
                    "cause",
                    models.CharField(
                        choices=[
                            ("schedule", "on schedule"),
                            ("missed", "missed, made up for"),
                            ("now", "run by hand"),
                            ("test", "test"),
                        ],
                        max_length=10,
                    ),
                ),
                ("not_before", models.DateTimeField(blank=True, db_index=True, null=True)),
                ("tries", models.PositiveSmallIntegerField(default=0)),
                (
                    "outcome",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("made", "made"),
                            ("nothing", "nothing to send"),
                            ("skipped", "skipped"),
                            ("failed", "failed"),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "reason",
                    models.TextField(
                        blank=True, help_text="Why it failed, was skipped or had nothing to send"
                    ),
                ),
                ("advice", models.TextField(blank=True)),
                (
                    "about",
                    models.CharField(blank=True, help_text="report, alert or recovered", max_length=12),
                ),
                ("value", models.TextField(blank=True, help_text="The value a threshold was held against")),
                (
                    "asked_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "report",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="runs", to="reports.report"
                    ),
                ),
                ("fingerprint", models.CharField(blank=True, max_length=64)),
                ("is_reading", models.BooleanField(default=True)),
                ("spared", models.PositiveSmallIntegerField(default=0)),
            ],
            options={
                "ordering": ["-created_at", "-pk"],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("scheduled_for__isnull", False)),
                        fields=("report", "scheduled_for"),
                        name="one_run_a_scheduled_time",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="ReportFile",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("format", models.CharField(max_length=10)),
                ("name", models.CharField(max_length=200)),
                ("file", models.FileField(max_length=300, upload_to="reports/")),
                ("row_count", models.PositiveBigIntegerField(default=0)),
                ("size", models.PositiveBigIntegerField(default=0)),
                (
                    "notes",
                    models.JSONField(
                        blank=True, default=list, help_text="What the reader must know, such as a cut"
                    ),
                ),
                ("expires_at", models.DateTimeField(db_index=True)),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="files",
                        to="reports.reportrun",
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
                "constraints": [models.UniqueConstraint(fields=("run", "name"), name="one_file_a_name")],
            },
        ),
        migrations.CreateModel(
            name="FileLink",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("token_hash", models.CharField(max_length=64, unique=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("expires_at", models.DateTimeField()),
                ("revoked_at", models.DateTimeField(blank=True, null=True)),
                ("opened", models.PositiveIntegerField(default=0)),
                (
                    "made_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "file",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="links",
                        to="reports.reportfile",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Delivery",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "status",
                    models.CharField(
                        choices=[("queued", "Queued"), ("running", "Running"), ("done", "Done")],
                        db_index=True,
                        default="queued",
                        max_length=10,
                    ),
                ),
                ("lease_token", models.PositiveIntegerField(default=0)),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                ("stop_requested", models.BooleanField(default=False)),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("waits_turn", models.BooleanField(default=False)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("queued_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("started_at", models.DateTimeField(blank=True, null=True)),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                ("uid", models.UUIDField(default=uuid.uuid4, editable=False, unique=True)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("mail", "Mail"),
                            ("webhook", "Webhook"),
                            ("slack", "Slack or compatible"),
                            ("folder", "Folder"),
                            ("s3", "S3 or compatible"),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "about",
                    models.CharField(
                        choices=[
                            ("report", "report"),
                            ("alert", "alert"),
                            ("recovered", "recovery"),
                            ("test", "test"),
                            ("failed", "failure notice"),
                            ("paused", "pause notice"),
                            ("handed", "hand-over notice"),
                            ("consent", "question whether mails are wanted"),
                            ("quota", "notice to an administrator"),
                        ],
                        max_length=10,
                    ),
                ),
                (
                    "to",
                    models.CharField(
                        help_text="A mail address, or where to in words; no secret", max_length=500
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "waiting"),
                            ("held", "held back"),
                            ("sent", "sent"),
                            ("given_up", "given up"),
                        ],
                        default="waiting",
                        max_length=10,
                    ),
                ),
                ("not_before", models.DateTimeField(blank=True, db_index=True, null=True)),
                ("sending_at", models.DateTimeField(blank=True, null=True)),
                ("answers", models.JSONField(blank=True, default=list, help_text='[{"at", "ok", "answer"}]')),
                ("sent_at", models.DateTimeField(blank=True, null=True)),
                (
                    "channel",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="deliveries",
                        to="reports.channel",
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="deliveries",
                        to="reports.reportrun",
                    ),
                ),
                ("tries", models.PositiveSmallIntegerField(default=0)),
                (
                    "charged_to",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("held_at", models.DateTimeField(blank=True, null=True)),
                (
                    "held_for",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("consent", "its recipient has not confirmed"),
                            ("quota", "a quota is met"),
                            ("pause", "all sending is paused"),
                        ],
                        max_length=10,
                    ),
                ),
                ("spared", models.PositiveSmallIntegerField(default=0)),
            ],
            options={
                "ordering": ["pk"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("run", "channel", "about", "to"), name="one_delivery_a_recipient"
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(
                            ("about__in", ["test", "failed", "paused", "handed", "consent", "quota"]),
                            ("channel", None),
                        ),
                        fields=("run", "about", "to"),
                        name="one_notice_a_recipient",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="RunPart",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("position", models.PositiveSmallIntegerField()),
                ("attempt", models.PositiveSmallIntegerField(help_text="The run's attempt that made it")),
                ("title", models.CharField(max_length=120)),
                ("sql", models.TextField()),
                ("arguments", models.JSONField(blank=True, default=dict)),
                ("row_count", models.PositiveBigIntegerField(default=0)),
                ("truncated", models.BooleanField(default=False)),
                ("seconds", models.FloatField(default=0)),
                ("sentence", models.TextField(blank=True)),
                ("chart", models.JSONField(blank=True, null=True)),
                ("image", models.FileField(blank=True, max_length=300, upload_to="reports/")),
                (
                    "result",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        to="results.storedresult",
                    ),
                ),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="parts",
                        to="reports.reportrun",
                    ),
                ),
                (
                    "source",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="sources.source",
                    ),
                ),
                ("draft", models.TextField(blank=True, help_text="Why its SQL was a draft when it ran")),
            ],
            options={
                "ordering": ["position"],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("run", "attempt", "position"), name="one_run_part_a_position"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Allowance",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("domain", "Mail domain"),
                            ("address", "Mail address"),
                            ("host", "Private host"),
                        ],
                        max_length=10,
                    ),
                ),
                ("value", models.CharField(max_length=254)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "made_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["kind", "value"],
                "constraints": [
                    models.UniqueConstraint(fields=("kind", "value"), name="one_allowance_a_place")
                ],
            },
        ),
        migrations.CreateModel(
            name="Consent",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("address", models.CharField(max_length=254, unique=True)),
                ("mailbox", models.CharField(db_index=True, max_length=254)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("asked", "not confirmed yet"),
                            ("confirmed", "confirmed"),
                            ("stopped", "stopped"),
                        ],
                        default="asked",
                        max_length=10,
                    ),
                ),
                ("asks", models.PositiveSmallIntegerField(default=0, help_text="Mails that asked it")),
                ("asked_at", models.DateTimeField(blank=True, null=True)),
                ("answered_at", models.DateTimeField(blank=True, null=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "asked_for",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["address"],
            },
        ),
        migrations.CreateModel(
            name="SendingPause",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("began_at", models.DateTimeField(auto_now_add=True)),
                (
                    "began_by",
                    models.CharField(
                        blank=True, help_text="A user name; empty: from a shell", max_length=150
                    ),
                ),
                ("why", models.CharField(blank=True, max_length=300)),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                ("ended_by", models.CharField(blank=True, max_length=150)),
            ],
            options={
                "ordering": ["-pk"],
            },
        ),
    ]
