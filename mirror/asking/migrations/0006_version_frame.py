"""A version keeps the frame of its SQL, so that people change the reading instead of the question."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("asking", "0005_run_is_thinking")]

    operations = [
        migrations.AddField(
            "version",
            "frame",
            models.JSONField(null=True, blank=True, help_text="The analyst's reading, as JSON of its own"),
        ),
        migrations.AddField("version", "change", models.CharField(max_length=300, blank=True, default="")),
        migrations.AddField("version", "title", models.CharField(max_length=200, blank=True, default="")),
        migrations.AlterField(
            "version",
            "origin",
            models.CharField(
                max_length=10,
                choices=[
                    ("answer", "Answer"),
                    ("edit", "Edit"),
                    ("reading", "Reading"),
                    ("saved", "Saved"),
                    ("change", "Change"),
                ],
            ),
        ),
    ]
