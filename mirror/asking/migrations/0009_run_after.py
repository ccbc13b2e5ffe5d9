"""A question knows the one that it was asked after, so that a thread may branch."""

from django.db import migrations, models


def _chained(apps, schema_editor):
    """A follow-up of before came after the question it followed, else after the one asked before it."""
    run = apps.get_model("asking", "Run")
    version = apps.get_model("asking", "Version")
    followed = dict(version.objects.filter(followed_by__isnull=False).values_list("pk", "run_id"))
    kept = run.objects.order_by("pk").values_list("pk", "thread_id", "follows_id", "asked", "question")
    before = {}
    for pk, thread, follows, asked, question in kept.iterator():
        earlier = followed.get(follows) or (before.get(thread) if asked and asked != question else None)
        if earlier is not None:
            run.objects.filter(pk=pk).update(after=earlier)
        before[thread] = pk


class Migration(migrations.Migration):
    dependencies = [("asking", "0008_run_hint")]

    operations = [
        migrations.AddField(
            "run",
            "after",
            models.ForeignKey(
                "asking.run",
                on_delete=models.SET_NULL,
                null=True,
                blank=True,
                related_name="then",
                help_text="The question on whose page this was asked as a follow-up",
            ),
        ),
        migrations.RunPython(_chained, migrations.RunPython.noop),
    ]
