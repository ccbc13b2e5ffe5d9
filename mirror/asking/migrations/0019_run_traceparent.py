"""Runs below a caller's span."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("asking", "0018_thread_is_pinned")]

    operations = [
        migrations.AddField(
            "run",
            "traceparent",
            models.CharField(
                blank=True,
                default="",
                help_text="The caller's span, as W3C Trace Context says it",
                max_length=55,
            ),
        ),
    ]
