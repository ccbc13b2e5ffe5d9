"""From where a version was asked for, so that the audit tells it of what its worker is refused."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("asking", "0012_run_known")]

    operations = [
        migrations.AddField(
            "version",
            "asked_from",
            models.CharField(
                blank=True, default="", help_text="An address; empty: a shell or a worker", max_length=64
            ),
        ),
    ]
