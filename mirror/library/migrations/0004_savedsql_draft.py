"""Saved SQL tells that it was saved from a draft."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("library", "0003_savedsql_problem")]

    operations = [
        migrations.AddField(
            "savedsql",
            "draft",
            models.TextField(
                blank=True,
                help_text="Why the answer it was saved from was a draft; empty once its SQL was changed or verified",
            ),
        ),
    ]
