"""A part of a run tells that its SQL was saved from a draft."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("reports", "0004_spared")]

    operations = [
        migrations.AddField(
            "runpart",
            "draft",
            models.TextField(blank=True, help_text="Why its SQL was a draft when it ran"),
        ),
    ]
