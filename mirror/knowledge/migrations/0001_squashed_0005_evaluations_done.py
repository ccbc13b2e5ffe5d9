"""Tables of the replaced migrations, made at once in an empty store; a store that has some of them goes on one by one."""

import django.db.models.deletion
import django.utils.timezone
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [
        ("knowledge", "0001_knowledge"),
        ("knowledge", "0002_evaluations"),
        ("knowledge", "0003_shifts"),
        ("knowledge", "0004_refused_proposals"),
        ("knowledge", "0005_evaluations_done"),
    ]

    initial = True

    dependencies = [
        ("sources", "0015_kept_paths"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Evaluation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("terms", models.PositiveIntegerField(default=0, help_text="Terms in force then")),
                ("results", models.JSONField(default=list)),
                (
                    "source",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="evaluations",
                        to="sources.source",
                    ),
                ),
                ("created_at", models.DateTimeField(auto_now_add=True)),
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
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                (
                    "cause",
                    models.CharField(
                        choices=[
                            ("hand", "started by hand"),
                            ("schedule", "on schedule"),
                            ("terms", "after a term changed"),
                            ("shell", "from a shell"),
                        ],
                        default="shell",
                        max_length=10,
                    ),
                ),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                ("lease_token", models.PositiveIntegerField(default=0)),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                ("measured_at", models.DateTimeField(blank=True, null=True)),
                ("not_before", models.DateTimeField(blank=True, db_index=True, null=True)),
                ("problem", models.TextField(blank=True, help_text="Why nothing was measured")),
                ("queued_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("spared", models.PositiveSmallIntegerField(default=0)),
                ("started_at", models.DateTimeField(blank=True, null=True)),
                (
                    "status",
                    models.CharField(
                        choices=[("queued", "Queued"), ("running", "Running"), ("done", "Done")],
                        db_index=True,
                        default="queued",
                        max_length=10,
                    ),
                ),
                ("stop_requested", models.BooleanField(default=False)),
                ("summary", models.JSONField(blank=True, default=dict)),
                (
                    "told",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("", "nothing to tell"),
                            ("waiting", "the mail waits"),
                            ("sent", "sent"),
                            ("given_up", "not sent"),
                        ],
                        default="",
                        max_length=10,
                    ),
                ),
                (
                    "told_answer",
                    models.TextField(
                        blank=True, help_text="What the mail server said, or why no mail went out"
                    ),
                ),
                ("tries", models.PositiveSmallIntegerField(default=0)),
                (
                    "uid",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, help_text="Names the mail to the outside"
                    ),
                ),
                ("waits_turn", models.BooleanField(default=False)),
            ],
            options={
                "ordering": ["-pk"],
            },
        ),
        migrations.CreateModel(
            name="StoredAnswer",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("question", models.TextField()),
                ("sql", models.TextField()),
                (
                    "arguments",
                    models.JSONField(blank=True, default=dict, help_text="Values that were put into its SQL"),
                ),
                ("columns", models.JSONField(blank=True, default=list, help_text="Name and kind of each")),
                ("row_count", models.PositiveIntegerField(blank=True, null=True)),
                ("verified_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("problem", models.TextField(blank=True)),
                ("taken_back_at", models.DateTimeField(blank=True, null=True)),
                (
                    "source",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="verified",
                        to="sources.source",
                    ),
                ),
                (
                    "taken_back_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "verified_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-verified_at", "-pk"],
            },
        ),
        migrations.CreateModel(
            name="StoredTerm",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("phrase", models.CharField(max_length=80)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("name", "a table or column"),
                            ("filter", "a condition"),
                            ("measure", "a figure"),
                            ("value", "a stored value"),
                            ("rule", "a rule for language models"),
                        ],
                        max_length=10,
                    ),
                ),
                ("synonyms", models.JSONField(blank=True, default=list)),
                ("body", models.TextField()),
                ("sql", models.TextField(blank=True)),
                ("unit", models.CharField(blank=True, max_length=20)),
                ("description", models.CharField(blank=True, max_length=300)),
                (
                    "status",
                    models.CharField(
                        choices=[("draft", "draft"), ("force", "in force"), ("retired", "retired")],
                        default="force",
                        max_length=10,
                    ),
                ),
                ("problem", models.TextField(blank=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("updated_at", models.DateTimeField(auto_now=True)),
                (
                    "owner",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "source",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="terms", to="sources.source"
                    ),
                ),
            ],
            options={
                "ordering": ["phrase", "pk"],
            },
        ),
        migrations.CreateModel(
            name="Trial",
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
                ("spared", models.PositiveSmallIntegerField(default=0)),
                ("waits_turn", models.BooleanField(default=False)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("queued_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("started_at", models.DateTimeField(blank=True, null=True)),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                ("wish", models.JSONField(default=dict)),
                ("said", models.JSONField(blank=True, default=dict)),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "source",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="sources.source"
                    ),
                ),
                (
                    "term",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="knowledge.storedterm",
                    ),
                ),
            ],
            options={
                "abstract": False,
            },
        ),
        migrations.CreateModel(
            name="Feedback",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("run", models.PositiveBigIntegerField()),
                ("version", models.PositiveIntegerField(default=1)),
                ("question", models.TextField()),
                ("sql", models.TextField(blank=True)),
                ("arguments", models.JSONField(blank=True, default=dict)),
                ("columns", models.JSONField(blank=True, default=list)),
                ("row_count", models.PositiveIntegerField(blank=True, null=True)),
                ("is_right", models.BooleanField()),
                (
                    "reason",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("figure", "The wrong figure"),
                            ("rows", "Rows are missing, or too many"),
                            ("period", "The wrong period"),
                            ("groups", "Grouped or sorted wrongly"),
                            ("words", "A word was misunderstood"),
                            ("other", "Something else"),
                        ],
                        max_length=10,
                    ),
                ),
                ("should_be", models.TextField(blank=True, help_text="SQL that would have answered")),
                (
                    "state",
                    models.CharField(
                        choices=[("open", "waiting"), ("done", "done"), ("dismissed", "dismissed")],
                        default="open",
                        max_length=10,
                    ),
                ),
                ("made", models.CharField(blank=True, help_text="What was made of it", max_length=20)),
                ("handled_at", models.DateTimeField(blank=True, null=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "handled_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "source",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="feedback",
                        to="sources.source",
                    ),
                ),
            ],
            options={
                "ordering": ["-created_at", "-pk"],
                "constraints": [
                    models.UniqueConstraint(fields=("by", "run", "version"), name="one_feedback_a_version")
                ],
            },
        ),
        migrations.CreateModel(
            name="EvaluationPlan",
            fields=[
                (
                    "source",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="evaluation_plan",
                        serialize=False,
                        to="sources.source",
                    ),
                ),
                (
                    "every",
                    models.CharField(
                        choices=[
                            ("off", "Not by itself"),
                            ("daily", "Each night"),
                            ("weekly", "Each week, in the night to Monday"),
                        ],
                        default="off",
                        max_length=10,
                    ),
                ),
                ("next_at", models.DateTimeField(blank=True, db_index=True, null=True)),
            ],
        ),
        migrations.CreateModel(
            name="Shift",
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
                            ("figure", "its figure jumped"),
                            ("rows", "its number of rows jumped"),
                            ("columns", "its columns changed"),
                        ],
                        max_length=10,
                    ),
                ),
                ("was", models.TextField()),
                ("now", models.TextField()),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("open", "waiting"),
                            ("settled", "right as it is"),
                            ("dismissed", "never again"),
                        ],
                        default="open",
                        max_length=10,
                    ),
                ),
                ("seen_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("handled_at", models.DateTimeField(blank=True, null=True)),
                (
                    "answer",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="shifts",
                        to="knowledge.storedanswer",
                    ),
                ),
                (
                    "handled_by",
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
                "ordering": ["seen_at", "pk"],
                "constraints": [models.UniqueConstraint(fields=("answer", "kind"), name="one_shift_a_kind")],
            },
        ),
        migrations.CreateModel(
            name="RefusedProposal",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.CharField(max_length=64)),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "source",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="sources.source"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("source", "key"), name="one_refusal_a_proposal")
                ],
            },
        ),
    ]
