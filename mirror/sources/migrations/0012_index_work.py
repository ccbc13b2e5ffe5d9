"""Value indexes are made as work is: leased, handed back, given up. Unfinished ones are queued anew."""

from django.db import migrations, models
from django.utils import timezone


def queue_unfinished(apps, schema_editor):
    """Let a worker come for what none had finished."""
    indexes = apps.get_model("sources", "StoredIndex").objects
    indexes.filter(state__in=["waiting", "building"]).update(status="queued")


class Migration(migrations.Migration):
    dependencies = [("sources", "0011_statement_megabytes")]

    operations = [
        migrations.AddField("storedindex", "attempts", models.PositiveSmallIntegerField(default=0)),
        migrations.AddField(
            "storedindex",
            "created_at",
            models.DateTimeField(auto_now_add=True, default=timezone.now),
            preserve_default=False,
        ),
        migrations.AddField("storedindex", "ended_at", models.DateTimeField(blank=True, null=True)),
        migrations.AddField("storedindex", "lease_token", models.PositiveIntegerField(default=0)),
        migrations.AddField("storedindex", "lease_until", models.DateTimeField(blank=True, null=True)),
        migrations.AddField("storedindex", "queued_at", models.DateTimeField(default=timezone.now)),
        migrations.AddField("storedindex", "started_at", models.DateTimeField(blank=True, null=True)),
        migrations.AddField(
            "storedindex",
            "status",
            models.CharField(
                choices=[("queued", "Queued"), ("running", "Running"), ("done", "Done")],
                db_index=True,
                default="done",
                max_length=10,
            ),
        ),
        migrations.AddField("storedindex", "stop_requested", models.BooleanField(default=False)),
        migrations.AddField("storedindex", "waits_turn", models.BooleanField(default=False)),
        *(
            migrations.AddField(model, "spared", models.PositiveSmallIntegerField(default=0))
            for model in ("storedindex", "upload", "visit")
        ),
        migrations.RunPython(queue_unfinished, migrations.RunPython.noop),
    ]
