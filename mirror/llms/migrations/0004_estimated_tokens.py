"""How many tokens of a use no server counted."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("llms", "0003_cached_tokens")]

    operations = [
        migrations.AddField("use", "estimated_tokens", models.PositiveBigIntegerField(default=0)),
    ]
