from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("sources", "0007_source_options"),
    ]

    operations = [
        migrations.AddField(
            model_name="source",
            name="total_chars",
            field=models.PositiveIntegerField(blank=True, null=True),
        ),
    ]
