from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("results", "0003_forgotten_file")]

    operations = [
        migrations.AddField(
            model_name="storedresult",
            name="formats",
            field=models.JSONField(
                blank=True,
                default=list,
                help_text="How columns are shown: `sqlagent.values.ColumnFormat` as JSON",
            ),
        ),
    ]
