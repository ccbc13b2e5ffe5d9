from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("health", "0002_heartbeat_queues")]

    operations = [
        migrations.AddField("heartbeat", "memory", models.PositiveBigIntegerField(blank=True, null=True)),
        migrations.AddField("heartbeat", "part", models.CharField(blank=True, default="", max_length=20)),
        migrations.AddField("heartbeat", "started_at", models.DateTimeField(blank=True, null=True)),
    ]
