"""Threads that stand first."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("asking", "0017_run_why")]

    operations = [
        migrations.AddField(
            "thread",
            "is_pinned",
            models.BooleanField(default=False, help_text="Stands first in History and beside every page"),
        ),
    ]
