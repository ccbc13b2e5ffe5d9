from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("llms", "0002_use_and_budgets")]

    operations = [
        migrations.AddField("use", "cached_tokens", models.PositiveBigIntegerField(default=0)),
    ]
