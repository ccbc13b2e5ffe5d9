"""Tables of the replaced migrations, made at once in an empty store; a store that has some of them goes on one by one."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [
        ("asking", "0001_initial"),
        ("asking", "0002_initial"),
        ("asking", "0003_waits_turn"),
        ("asking", "0004_run_privacy"),
        ("asking", "0005_run_is_thinking"),
        ("asking", "0006_version_frame"),
        ("asking", "0007_version_base"),
        ("asking", "0008_run_hint"),
        ("asking", "0009_run_after"),
        ("asking", "0010_run_unused_hint"),
        ("asking", "0011_version_parameters"),
        ("asking", "0012_run_known"),
        ("asking", "0013_version_asked_from"),
    ]

    initial = True

    dependencies = [
        ("library", "0001_initial"),
        ("results", "0001_initial"),
        ("sources", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Thread",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("title", models.CharField(max_length=200)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="threads",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "source",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="threads",
                        to="sources.source",
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at"],
            },
        ),
        migrations.CreateModel(
            name="Version",
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
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("queued_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("started_at", models.DateTimeField(blank=True, null=True)),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                ("number", models.PositiveIntegerField()),
                (
                    "origin",
                    models.CharField(
                        choices=[
                            ("answer", "Answer"),
                            ("edit", "Edit"),
                            ("reading", "Reading"),
                            ("saved", "Saved"),
                            ("change", "Change"),
                        ],
                        max_length=10,
                    ),
                ),
                ("sql", models.TextField()),
                (
                    "arguments",
                    models.JSONField(blank=True, default=dict, help_text="Values of the SQL's parameters"),
                ),
                ("chart", models.JSONField(blank=True, null=True)),
                ("figure", models.JSONField(blank=True, null=True)),
                ("sentence", models.TextField(blank=True)),
                (
                    "failure",
                    models.JSONField(blank=True, help_text="kind, message, position, advice", null=True),
                ),
                (
                    "result",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        to="results.storedresult",
                    ),
                ),
                ("waits_turn", models.BooleanField(default=False)),
                ("spared", models.PositiveSmallIntegerField(default=0)),
                (
                    "frame",
                    models.JSONField(
                        blank=True, help_text="The analyst's reading, as JSON of its own", null=True
                    ),
                ),
                ("change", models.CharField(blank=True, default="", max_length=300)),
                ("title", models.CharField(blank=True, default="", max_length=200)),
                ("shown", models.PositiveIntegerField(default=1)),
                (
                    "base",
                    models.ForeignKey(
                        blank=True,
                        help_text="The version that this one was made of",
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="made_of_it",
                        to="asking.version",
                    ),
                ),
                (
                    "parameters",
                    models.JSONField(
                        blank=True, default=list, help_text="Its :names and of which kind each is"
                    ),
                ),
                (
                    "asked_from",
                    models.CharField(
                        blank=True,
                        default="",
                        help_text="An address; empty: a shell or a worker",
                        max_length=64,
                    ),
                ),
            ],
            options={
                "ordering": ["-shown", "-number"],
            },
        ),
        migrations.CreateModel(
            name="Run",
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
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("queued_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("started_at", models.DateTimeField(blank=True, null=True)),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                ("asked", models.TextField(blank=True)),
                ("question", models.TextField(blank=True)),
                ("outcome", models.CharField(blank=True, max_length=14)),
                ("reason", models.TextField(blank=True)),
                ("confidence", models.FloatField(blank=True, null=True)),
                ("agreement_size", models.PositiveIntegerField(default=0)),
                ("agreement_pool", models.PositiveIntegerField(default=0)),
                ("sentence", models.TextField(blank=True)),
                ("readings", models.JSONField(blank=True, default=list)),
                ("notes", models.JSONField(blank=True, default=list)),
                ("usage", models.JSONField(blank=True, default=dict)),
                (
                    "llm",
                    models.CharField(blank=True, help_text="Empty: the built-in generator", max_length=120),
                ),
                (
                    "sent",
                    models.JSONField(blank=True, default=list, help_text="Exactly what was sent to the LLM"),
                ),
                (
                    "saved",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="runs",
                        to="library.savedsql",
                    ),
                ),
                (
                    "thread",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="runs", to="asking.thread"
                    ),
                ),
                ("waits_turn", models.BooleanField(default=False)),
                ("privacy", models.CharField(blank=True, help_text="The level that applied", max_length=10)),
                (
                    "is_thinking",
                    models.BooleanField(
                        default=False, help_text="Waits for the LLM, and holds no turn of its source"
                    ),
                ),
                ("spared", models.PositiveSmallIntegerField(default=0)),
                (
                    "follows",
                    models.ForeignKey(
                        blank=True,
                        help_text="What was shown when this was asked as a follow-up",
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="followed_by",
                        to="asking.version",
                    ),
                ),
                (
                    "hint",
                    models.TextField(
                        blank=True, default="", help_text="What its words mean, as it was typed with it"
                    ),
                ),
                (
                    "after",
                    models.ForeignKey(
                        blank=True,
                        help_text="The question on whose page this was asked as a follow-up",
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="then",
                        to="asking.run",
                    ),
                ),
                (
                    "unused_hint",
                    models.JSONField(
                        blank=True, default=list, help_text="Parts of the hint that the answer does without"
                    ),
                ),
                (
                    "known",
                    models.JSONField(
                        blank=True,
                        default=dict,
                        help_text="Terms of the source that it says, and verified answers: see kept_steps",
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at"],
            },
        ),
        migrations.CreateModel(
            name="Step",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("kind", models.CharField(max_length=20)),
                ("data", models.JSONField()),
                ("at", models.DateTimeField(auto_now_add=True)),
                (
                    "run",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="steps", to="asking.run"
                    ),
                ),
            ],
            options={
                "ordering": ["number"],
                "constraints": [models.UniqueConstraint(fields=("run", "number"), name="one_step_a_number")],
            },
        ),
        migrations.AddField(
            model_name="version",
            name="run",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="versions", to="asking.run"
            ),
        ),
        migrations.AddConstraint(
            model_name="version",
            constraint=models.UniqueConstraint(fields=("run", "number"), name="one_version_a_number"),
        ),
    ]
