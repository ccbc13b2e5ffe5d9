"""Files below the data folder are kept relative to it; those of a folder that was moved are found where it is now."""

from pathlib import Path

from django.conf import settings
from django.db import migrations

from mirror.sources.kept_paths import KeptPathField


def paths_keep(apps, schema_editor):
    """Write every path anew, which makes it relative."""
    source_model = apps.get_model("sources", "Source")
    for source in source_model.objects.filter(engine__in=["sqlite", "duckdb"]).only(
        "database", "is_upload", "is_sample"
    ):
        source_model.objects.filter(pk=source.pk).update(database=_here(source))


def _here(source):
    """Where its file is now: a file of Mirror's own that is not where it was lies in the data folder of today."""
    folder, name = Path(settings.VAR_DIR), Path(source.database).name
    own = folder / "uploads" / "sources" / name if source.is_upload else folder / name
    if (source.is_upload or source.is_sample) and not Path(source.database).is_file() and own.is_file():
        return str(own)
    return source.database


def paths_spell_out(apps, schema_editor):
    """Write them absolute again, as the version before kept them."""
    source_model = apps.get_model("sources", "Source")
    for source in source_model.objects.filter(engine__in=["sqlite", "duckdb"]).only("database"):
        with schema_editor.connection.cursor() as cursor:
            cursor.execute(
                "UPDATE sources_source SET database = %s WHERE id = %s", [source.database, source.pk]
            )


class Migration(migrations.Migration):
    dependencies = [("sources", "0014_index_progress")]

    operations = [
        migrations.AlterField(
            "source",
            "database",
            KeptPathField(max_length=500, help_text="Database name, or the path of a SQLite file"),
        ),
        migrations.RunPython(paths_keep, paths_spell_out),
    ]
