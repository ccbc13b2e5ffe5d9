"""Values are read in turns: what was read is kept beside how far that came, and reading is tried again later."""

from django.db import migrations, models
from django.utils import timezone


class Migration(migrations.Migration):
    dependencies = [("sources", "0013_corrections")]

    operations = [
        migrations.AddField(
            "storedindex", "not_before", models.DateTimeField(blank=True, db_index=True, null=True)
        ),
        migrations.AddField("storedindex", "tries", models.PositiveSmallIntegerField(default=0)),
        migrations.AddField("storedindex", "coverage", models.JSONField(blank=True, default=dict)),
        migrations.AddField("storedindex", "again", models.BooleanField(default=False)),
        migrations.AlterField(
            "storedindex",
            "updated_at",
            models.DateTimeField(default=timezone.now, help_text="When values were last kept"),
        ),
    ]
