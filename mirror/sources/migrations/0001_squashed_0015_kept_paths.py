"""Tables of the replaced migrations, made at once in an empty store; a store that has some of them goes on one by one."""

import django.db.models.deletion
import django.utils.timezone
import mirror.sources.kept_paths
import mirror.sources.models
import mirror.secrets
import uuid
from django.conf import settings
from django.db import migrations, models


def mark(apps, schema_editor):
    apps.get_model("sources", "StoreMarker").objects.get_or_create(pk=1)


class Migration(migrations.Migration):
    replaces = [
        ("sources", "0001_initial"),
        ("sources", "0002_stored_index"),
        ("sources", "0003_uploads_drift_limits"),
        ("sources", "0004_what_may_run"),
        ("sources", "0005_upload_work"),
        ("sources", "0006_result_megabytes"),
        ("sources", "0007_source_options"),
        ("sources", "0008_total_chars"),
        ("sources", "0009_powers_and_store_marker"),
        ("sources", "0010_visits"),
        ("sources", "0011_statement_megabytes"),
        ("sources", "0012_index_work"),
        ("sources", "0013_corrections"),
        ("sources", "0014_index_progress"),
        ("sources", "0015_kept_paths"),
    ]

    initial = True

    dependencies = [
        ("people", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Source",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.SlugField(max_length=60, unique=True)),
                ("description", models.CharField(blank=True, max_length=300)),
                (
                    "engine",
                    models.CharField(
                        choices=[
                            ("sqlite", "SQLite"),
                            ("postgres", "PostgreSQL"),
                            ("mysql", "MySQL or MariaDB"),
                            ("duckdb", "DuckDB"),
                            ("spark", "Spark SQL"),
                            ("sqlalchemy", "Other (SQLAlchemy)"),
                        ],
                        max_length=20,
                    ),
                ),
                ("host", models.CharField(blank=True, max_length=255)),
                ("port", models.PositiveIntegerField(blank=True, null=True)),
                (
                    "database",
                    mirror.sources.kept_paths.KeptPathField(
                        help_text="Database name, or the path of a SQLite file", max_length=500
                    ),
                ),
                ("username", models.CharField(blank=True, max_length=128)),
                ("password", mirror.secrets.EncryptedTextField(blank=True, default="")),
                (
                    "privacy",
                    models.CharField(
                        choices=[("schema", "Schema only"), ("masked", "Masked samples"), ("rows", "Rows")],
                        default="schema",
                        max_length=10,
                    ),
                ),
                ("is_sample", models.BooleanField(default=False)),
                (
                    "examples",
                    models.JSONField(
                        blank=True, default=list, help_text="Example questions for the start page"
                    ),
                ),
                ("catalog", models.JSONField(blank=True, null=True)),
                ("catalog_version", models.CharField(blank=True, max_length=64)),
                ("catalog_at", models.DateTimeField(blank=True, null=True)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="sources",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("teams", models.ManyToManyField(blank=True, related_name="sources", to="people.team")),
                ("candidate_rows", models.PositiveIntegerField(blank=True, null=True)),
                ("cell_chars", models.PositiveIntegerField(blank=True, null=True)),
                ("concurrent_runs", models.PositiveSmallIntegerField(blank=True, null=True)),
                (
                    "drift",
                    models.JSONField(
                        blank=True, help_text="What a refresh last found changed (see drift)", null=True
                    ),
                ),
                (
                    "is_upload",
                    models.BooleanField(
                        default=False, help_text="A DuckDB file of Mirror's own, made of files"
                    ),
                ),
                ("result_days", models.PositiveIntegerField(blank=True, null=True)),
                ("result_rows", models.PositiveIntegerField(blank=True, null=True)),
                ("statement_seconds", models.FloatField(blank=True, null=True)),
                (
                    "guarding",
                    models.JSONField(
                        blank=True, default=dict, help_text="What may run, where that differs from usual"
                    ),
                ),
                ("result_megabytes", models.PositiveIntegerField(blank=True, null=True)),
                (
                    "options",
                    models.JSONField(
                        blank=True, default=dict, help_text="Named settings of the engine (OPTIONS)"
                    ),
                ),
                ("total_chars", models.PositiveIntegerField(blank=True, null=True)),
                (
                    "powers",
                    models.JSONField(
                        blank=True, help_text="Powers of its user beyond reading (see powers)", null=True
                    ),
                ),
                (
                    "powers_confirmed",
                    models.JSONField(
                        blank=True,
                        default=list,
                        help_text="Codes of the severe ones that an administrator confirmed",
                    ),
                ),
                ("powers_confirmed_at", models.DateTimeField(blank=True, null=True)),
                (
                    "powers_confirmed_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("statement_megabytes", models.PositiveIntegerField(blank=True, null=True)),
            ],
            options={
                "ordering": ["-is_sample", "name"],
            },
        ),
        migrations.CreateModel(
            name="StoredIndex",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "waiting for a worker"),
                            ("building", "being read"),
                            ("ready", "searchable"),
                            ("failed", "could not be read"),
                        ],
                        default="waiting",
                        max_length=10,
                    ),
                ),
                ("message", models.TextField(blank=True)),
                ("catalog_version", models.CharField(blank=True, max_length=64)),
                ("size", models.PositiveIntegerField(default=0, help_text="Distinct values")),
                ("data", models.BinaryField(blank=True, default=bytes)),
                (
                    "updated_at",
                    models.DateTimeField(
                        default=django.utils.timezone.now, help_text="When values were last kept"
                    ),
                ),
                (
                    "source",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="stored_index",
                        to="sources.source",
                    ),
                ),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                ("lease_token", models.PositiveIntegerField(default=0)),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                ("queued_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("started_at", models.DateTimeField(blank=True, null=True)),
                (
                    "status",
                    models.CharField(
                        choices=[("queued", "Queued"), ("running", "Running"), ("done", "Done")],
                        db_index=True,
                        default="done",
                        max_length=10,
                    ),
                ),
                ("stop_requested", models.BooleanField(default=False)),
                ("waits_turn", models.BooleanField(default=False)),
                ("spared", models.PositiveSmallIntegerField(default=0)),
                ("not_before", models.DateTimeField(blank=True, db_index=True, null=True)),
                ("tries", models.PositiveSmallIntegerField(default=0)),
                ("coverage", models.JSONField(blank=True, default=dict)),
                ("again", models.BooleanField(default=False)),
            ],
        ),
        migrations.CreateModel(
            name="Upload",
            fields=[
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                ("files", models.JSONField(default=list)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="uploads",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "source",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="uploads",
                        to="sources.source",
                    ),
                ),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                ("lease_token", models.PositiveIntegerField(default=0)),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                ("progress", models.CharField(blank=True, max_length=300)),
                ("queued_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("said", models.JSONField(blank=True, default=dict)),
                ("started_at", models.DateTimeField(blank=True, null=True)),
                (
                    "status",
                    models.CharField(
                        choices=[("queued", "Queued"), ("running", "Running"), ("done", "Done")],
                        db_index=True,
                        default="done",
                        max_length=10,
                    ),
                ),
                ("stop_requested", models.BooleanField(default=False)),
                ("waits_turn", models.BooleanField(default=False)),
                ("wish", models.JSONField(blank=True, default=dict)),
                (
                    "work",
                    models.CharField(
                        blank=True, choices=[("read", "reading"), ("make", "making tables")], max_length=10
                    ),
                ),
                ("spared", models.PositiveSmallIntegerField(default=0)),
            ],
        ),
        migrations.CreateModel(
            name="StoreMarker",
            fields=[
                ("id", models.PositiveSmallIntegerField(default=1, primary_key=True, serialize=False)),
                ("mark", models.CharField(default=mirror.sources.models.new_mark, max_length=64)),
            ],
            options={
                "db_table": "mirror_store_marker",
            },
        ),
        migrations.CreateModel(
            name="Visit",
            fields=[
                (
                    "status",
                    models.CharField(
                        choices=[("queued", "Queued"), ("running", "Running"), ("done", "Done")],
                        db_index=True,
                        default="queued",
                        max_length=10,
                    ),
                ),
                ("lease_token", models.PositiveIntegerField(default=0)),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                ("stop_requested", models.BooleanField(default=False)),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("waits_turn", models.BooleanField(default=False)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("queued_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("started_at", models.DateTimeField(blank=True, null=True)),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                (
                    "id",
                    models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False),
                ),
                (
                    "work",
                    models.CharField(
                        choices=[
                            ("test", "testing"),
                            ("connect", "connecting"),
                            ("change", "changing"),
                            ("refresh", "reading the tables again"),
                        ],
                        max_length=10,
                    ),
                ),
                ("wish", models.JSONField(blank=True, default=dict)),
                ("password", mirror.secrets.EncryptedTextField(blank=True, default="")),
                ("said", models.JSONField(blank=True, default=dict)),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="visits",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "source",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="visits",
                        to="sources.source",
                    ),
                ),
                ("spared", models.PositiveSmallIntegerField(default=0)),
            ],
            options={
                "abstract": False,
            },
        ),
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
                (
                    "made_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "taken_back_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
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
        ),
        migrations.RunPython(mark, migrations.RunPython.noop),
    ]
