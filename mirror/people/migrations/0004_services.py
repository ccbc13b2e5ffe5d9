from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("people", "0003_quotas")]

    operations = [
        migrations.AddField("user", "is_service", models.BooleanField(default=False)),
    ]
