from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("sources", "0010_visits"),
    ]

    operations = [
        migrations.AddField(
            model_name="source",
            name="statement_megabytes",
            field=models.PositiveIntegerField(blank=True, null=True),
        ),
    ]
