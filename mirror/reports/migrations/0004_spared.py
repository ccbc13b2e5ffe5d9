"""Attempts that ended for no fault of their row, as the store was away, are told apart."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("reports", "0003_mail_and_quotas")]

    operations = [
        migrations.AddField("reportrun", "spared", models.PositiveSmallIntegerField(default=0)),
        migrations.AddField("delivery", "spared", models.PositiveSmallIntegerField(default=0)),
    ]
