"""A version knows which one it was made of, so that changes are taken back step by step; a follow-up knows what it followed."""

from django.db import migrations, models


def _chained(apps, schema_editor):
    """Base each earlier change on the version before it."""
    version = apps.get_model("asking", "Version")
    version.objects.update(shown=models.F("number"))
    for one in version.objects.filter(origin="change").only("pk", "run_id", "number").iterator():
        before = version.objects.filter(run_id=one.run_id, number__lt=one.number).order_by("-number").first()
        version.objects.filter(pk=one.pk).update(base=before)


class Migration(migrations.Migration):
    dependencies = [("asking", "0006_version_frame")]

    operations = [
        migrations.AlterModelOptions("version", {"ordering": ["-shown", "-number"]}),
        migrations.AddField("version", "shown", models.PositiveIntegerField(default=1)),
        migrations.AddField(
            "version",
            "base",
            models.ForeignKey(
                "asking.version",
                on_delete=models.SET_NULL,
                null=True,
                blank=True,
                related_name="made_of_it",
                help_text="The version that this one was made of",
            ),
        ),
        migrations.AddField(
            "run",
            "follows",
            models.ForeignKey(
                "asking.version",
                on_delete=models.SET_NULL,
                null=True,
                blank=True,
                related_name="followed_by",
                help_text="What was shown when this was asked as a follow-up",
            ),
        ),
        migrations.RunPython(_chained, migrations.RunPython.noop),
    ]
