"""A version knows the :names of its SQL and of which kind each is."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("asking", "0010_run_unused_hint")]

    operations = [
        migrations.AddField(
            "version",
            "parameters",
            models.JSONField(blank=True, default=list, help_text="Its :names and of which kind each is"),
        )
    ]
