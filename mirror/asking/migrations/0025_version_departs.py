from django.db import migrations, models
from django.db.models import Q

MOST = 300
EDITED, CHANGED = "edited SQL", "changed: "


def departures_tell(apps, schema_editor):
    """Say of versions that are kept how they depart from their question; words of changes that were typed over are not known."""
    versions = apps.get_model("asking", "Version").objects.using(schema_editor.connection.alias)
    departing = versions.filter(origin__in=("edit", "change")).exclude(
        Q(run__question="") & Q(run__saved=None)
    )
    said = {}
    for version in departing.order_by("run_id", "number").iterator():
        same = versions.filter(run=version.run_id, sql=version.sql).order_by("number").first()
        before = said.get(version.base_id, "")
        if same.pk != version.pk:
            departs = said.get(same.pk, "")
        elif version.origin == "edit" or not version.change or before == EDITED:
            departs = EDITED
        else:
            departs = f"{before}; {version.change}" if before else f"{CHANGED}{version.change}"
        said[version.pk] = departs if len(departs) <= MOST else EDITED
        if said[version.pk]:
            versions.filter(pk=version.pk).update(departs=said[version.pk])


class Migration(migrations.Migration):
    dependencies = [("asking", "0024_llm_tellings")]

    operations = [
        migrations.AddField(
            model_name="version",
            name="departs",
            field=models.CharField(
                blank=True,
                default="",
                help_text="How its SQL departs from what its run is called, in words",
                max_length=300,
            ),
        ),
        migrations.RunPython(departures_tell, migrations.RunPython.noop),
    ]
