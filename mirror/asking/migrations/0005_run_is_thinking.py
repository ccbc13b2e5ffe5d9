"""A question that waits for its language model leaves its turn of the source to others; attempts that a store ended are told apart."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("asking", "0004_run_privacy")]

    operations = [
        migrations.AddField(
            "run",
            "is_thinking",
            models.BooleanField(
                default=False, help_text="Waits for the LLM, and holds no turn of its source"
            ),
        ),
        migrations.AddField("run", "spared", models.PositiveSmallIntegerField(default=0)),
        migrations.AddField("version", "spared", models.PositiveSmallIntegerField(default=0)),
    ]
