"""Why a language model failed of late, for administrators."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("llms", "0004_estimated_tokens")]

    operations = [
        migrations.AddField("endpoint", "trouble", models.TextField(blank=True, default="")),
        migrations.AddField("endpoint", "trouble_at", models.DateTimeField(blank=True, null=True)),
    ]
