"""Whether a program sent the SQL of a thread, so that lists of questions are not filled with it."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("asking", "0015_without_llm")]

    operations = [
        migrations.AddField(
            "thread",
            "is_sent",
            models.BooleanField(default=False, help_text="SQL that a program or an agent sent"),
        ),
    ]
