"""The reason of a run as a code. Runs of before are known by the words of their reasons, this once."""

from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor

SAID = {
    "so many parts may have been meant otherwise": "unsure",
    "Not sure that this is what was meant": "unsure",
    "it is understood in English only": "language",
}


def name_reasons(apps: Apps, editor: BaseDatabaseSchemaEditor) -> None:
    """Give runs of before the codes of their reasons."""
    runs = apps.get_model("asking", "Run")._default_manager.using(editor.connection.alias)
    for words, why in SAID.items():
        runs.filter(outcome__in=("ambiguous", "unanswerable"), reason__contains=words).update(why=why)


class Migration(migrations.Migration):
    dependencies = [("asking", "0016_thread_is_sent")]

    operations = [
        migrations.AddField(
            "run",
            "why",
            models.CharField(
                blank=True,
                default="",
                max_length=20,
                help_text="The reason as a code, where a page knows a way on",
            ),
        ),
        migrations.RunPython(name_reasons, migrations.RunPython.noop),
    ]
