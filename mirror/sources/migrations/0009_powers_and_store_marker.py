import django.db.models.deletion
import mirror.sources.models
from django.conf import settings
from django.db import migrations, models


def mark(apps, schema_editor):
    apps.get_model("sources", "StoreMarker").objects.get_or_create(pk=1)


class Migration(migrations.Migration):
    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("sources", "0008_total_chars"),
    ]

    operations = [
        migrations.CreateModel(
            name="StoreMarker",
            fields=[
                ("id", models.PositiveSmallIntegerField(default=1, primary_key=True, serialize=False)),
                ("mark", models.CharField(default=mirror.sources.models.new_mark, max_length=64)),
            ],
            options={"db_table": "mirror_store_marker"},
        ),
        migrations.AddField(
            model_name="source",
            name="powers",
            field=models.JSONField(
                blank=True, help_text="Powers of its user beyond reading (see powers)", null=True
            ),
        ),
        migrations.AddField(
            model_name="source",
            name="powers_confirmed",
            field=models.JSONField(
                blank=True, default=list, help_text="Codes of the severe ones that an administrator confirmed"
            ),
        ),
        migrations.AddField(
            model_name="source",
            name="powers_confirmed_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="source",
            name="powers_confirmed_by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.RunPython(mark, migrations.RunPython.noop),
    ]
