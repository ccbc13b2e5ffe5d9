"""Figures and values of a run, in words; whether workbooks get a chart of their own."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("reports", "0006_sending_pause")]

    operations = [
        migrations.AddField(
            "report",
            "native_chart",
            models.BooleanField(default=False, help_text="Excel files get a chart made of their cells"),
        ),
        migrations.AddField(
            "runpart",
            "values",
            models.TextField(blank=True, help_text="The values of its parameters, in words"),
        ),
        migrations.AddField(
            "runpart",
            "figures",
            models.JSONField(blank=True, default=list, help_text='[{"name", "number", "said", "change"}]'),
        ),
    ]
