"""A run keeps what of its hint the answer does without."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("asking", "0009_run_after")]

    operations = [
        migrations.AddField(
            "run",
            "unused_hint",
            models.JSONField(
                blank=True, default=list, help_text="Parts of the hint that the answer does without"
            ),
        )
    ]
