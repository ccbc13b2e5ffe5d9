"""Owners' corrections of their sources' models."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


def _person(**kwargs):
    return models.ForeignKey(
        null=True,
        on_delete=django.db.models.deletion.SET_NULL,
        related_name="+",
        to=settings.AUTH_USER_MODEL,
        **kwargs,
    )


class Migration(migrations.Migration):
    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("sources", "0012_index_work"),
    ]

    operations = [
        migrations.CreateModel(
            name="StoredCorrection",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("subject", models.CharField(max_length=20)),
                ("table", models.CharField(blank=True, max_length=400)),
                ("column", models.CharField(blank=True, max_length=400)),
                ("value", models.CharField(blank=True, max_length=400)),
                ("told", models.CharField(blank=True, max_length=400)),
                ("made_at", models.DateTimeField(auto_now_add=True)),
                ("taken_back_at", models.DateTimeField(blank=True, null=True)),
                ("made_by", _person()),
                ("taken_back_by", _person(blank=True)),
                (
                    "source",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="corrections",
                        to="sources.source",
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("taken_back_at", None)),
                        fields=("source", "subject", "table", "column", "value"),
                        name="one_correction_in_force",
                    )
                ],
            },
        )
    ]
