"""Evaluations become work that is started by hand, on a schedule or after a term changed."""

import uuid

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("knowledge", "0001_knowledge"),
        ("sources", "0015_kept_paths"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
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
        migrations.RenameField(
            model_name="evaluation",
            old_name="at",
            new_name="created_at",
        ),
        migrations.AddField(
            model_name="evaluation",
            name="asked_by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="evaluation",
            name="attempts",
            field=models.PositiveSmallIntegerField(default=0),
        ),
        migrations.AddField(
            model_name="evaluation",
            name="cause",
            field=models.CharField(
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
        migrations.AddField(
            model_name="evaluation",
            name="ended_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="evaluation",
            name="lease_token",
            field=models.PositiveIntegerField(default=0),
        ),
        migrations.AddField(
            model_name="evaluation",
            name="lease_until",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="evaluation",
            name="measured_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="evaluation",
            name="not_before",
            field=models.DateTimeField(blank=True, db_index=True, null=True),
        ),
        migrations.AddField(
            model_name="evaluation",
            name="problem",
            field=models.TextField(blank=True, help_text="Why nothing was measured"),
        ),
        migrations.AddField(
            model_name="evaluation",
            name="queued_at",
            field=models.DateTimeField(default=django.utils.timezone.now),
        ),
        migrations.AddField(
            model_name="evaluation",
            name="spared",
            field=models.PositiveSmallIntegerField(default=0),
        ),
        migrations.AddField(
            model_name="evaluation",
            name="started_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="evaluation",
            name="status",
            field=models.CharField(
                choices=[("queued", "Queued"), ("running", "Running"), ("done", "Done")],
                db_index=True,
                default="queued",
                max_length=10,
            ),
        ),
        migrations.AddField(
            model_name="evaluation",
            name="stop_requested",
            field=models.BooleanField(default=False),
        ),
        migrations.AddField(
            model_name="evaluation",
            name="summary",
            field=models.JSONField(blank=True, default=dict),
        ),
        migrations.AddField(
            model_name="evaluation",
            name="told",
            field=models.CharField(
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
        migrations.AddField(
            model_name="evaluation",
            name="told_answer",
            field=models.TextField(
                blank=True, help_text="What the mail server said, or why no mail went out"
            ),
        ),
        migrations.AddField(
            model_name="evaluation",
            name="tries",
            field=models.PositiveSmallIntegerField(default=0),
        ),
        migrations.AddField(
            model_name="evaluation",
            name="uid",
            field=models.UUIDField(
                default=uuid.uuid4, editable=False, help_text="Names the mail to the outside"
            ),
        ),
        migrations.AddField(
            model_name="evaluation",
            name="waits_turn",
            field=models.BooleanField(default=False),
        ),
    ]
