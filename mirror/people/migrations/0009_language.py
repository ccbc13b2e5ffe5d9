from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("people", "0008_passkeys")]

    operations = [
        migrations.AddField("user", "language", models.CharField(blank=True, default="", max_length=10)),
        migrations.AddField(
            "user", "browser_language", models.CharField(blank=True, default="", max_length=10)
        ),
    ]
