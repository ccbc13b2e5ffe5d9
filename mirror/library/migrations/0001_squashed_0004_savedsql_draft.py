"""Tables of the replaced migrations, made at once in an empty store; a store that has some of them goes on one by one."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [
        ("library", "0001_initial"),
        ("library", "0002_initial"),
        ("library", "0003_savedsql_problem"),
        ("library", "0004_savedsql_draft"),
    ]

    initial = True

    dependencies = [
        ("people", "0001_initial"),
        ("sources", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="SavedSql",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=120)),
                ("description", models.TextField(blank=True)),
                ("question", models.TextField(blank=True)),
                ("sql", models.TextField()),
                ("parameters", models.JSONField(blank=True, default=list)),
                ("chart", models.JSONField(blank=True, null=True)),
                ("verified_at", models.DateTimeField(blank=True, null=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("updated_at", models.DateTimeField(auto_now=True)),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="saved_sql",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "source",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="saved_sql",
                        to="sources.source",
                    ),
                ),
                ("teams", models.ManyToManyField(blank=True, related_name="saved_sql", to="people.team")),
                (
                    "verified_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "problem",
                    models.TextField(
                        blank=True, help_text="Why it no longer runs since the source's tables changed"
                    ),
                ),
                (
                    "draft",
                    models.TextField(
                        blank=True,
                        help_text="Why the answer it was saved from was a draft; empty once its SQL was changed or verified",
                    ),
                ),
            ],
            options={
                "ordering": ["-updated_at"],
            },
        ),
    ]
