"""Evaluations that were made before they were work stay, as done."""

import uuid

from django.db import migrations


def evaluations_done(apps, schema_editor):
    Evaluation = apps.get_model("knowledge", "Evaluation")
    for row in Evaluation.objects.all():
        row.status = "done"
        row.uid = uuid.uuid4()
        row.measured_at = row.ended_at = row.started_at = row.created_at
        row.summary = {
            "asked": len(row.results),
            "right": sum(bool(one.get("right")) for one in row.results),
            "bare": sum(bool(one.get("bare")) for one in row.results),
        }
        row.save()


def left_alone(apps, schema_editor):
    pass


class Migration(migrations.Migration):
    dependencies = [("knowledge", "0004_refused_proposals")]
    operations = [migrations.RunPython(evaluations_done, left_alone)]
