"""Tables of the replaced migrations, made at once in an empty store; a store that has some of them goes on one by one."""

import django.db.models.deletion
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [
        ("results", "0001_initial"),
        ("results", "0002_storedresult_cut_cells"),
        ("results", "0003_forgotten_file"),
    ]

    initial = True

    dependencies = [
        ("sources", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="StoredResult",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                ("file", models.FileField(upload_to="results/%Y/%m/%d/")),
                ("columns", models.JSONField()),
                ("row_count", models.PositiveIntegerField()),
                ("truncated", models.BooleanField(default=False)),
                ("seconds", models.FloatField(default=0)),
                ("size", models.PositiveBigIntegerField(default=0)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("expires_at", models.DateTimeField(db_index=True)),
                (
                    "owner",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="results",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "source",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="results",
                        to="sources.source",
                    ),
                ),
                (
                    "cut_cells",
                    models.PositiveIntegerField(default=0, help_text="Cells longer than a cell may be"),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ForgottenFile",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=200)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
            ],
        ),
    ]
