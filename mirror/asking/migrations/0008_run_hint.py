"""A run keeps the hint that was given with its question."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("asking", "0007_version_base")]

    operations = [
        migrations.AddField(
            "run",
            "hint",
            models.TextField(
                blank=True, default="", help_text="What its words mean, as it was typed with it"
            ),
        )
    ]
