from django.db import migrations, models


def flattened(apps, schema_editor):
    """Terms that were kept by the version that brought them become one list."""
    for row in apps.get_model("knowledge", "Improvement").objects.exclude(learnt={}):
        terms = list(dict.fromkeys(pk for pks in row.learnt.values() for pk in pks))
        row.learnt = {"terms": terms}
        row.save(update_fields=["learnt"])


class Migration(migrations.Migration):
    dependencies = [("knowledge", "0008_evaluations_with_llm")]

    operations = [
        migrations.AddField(
            model_name="improvement",
            name="with_llm",
            field=models.BooleanField(
                default=False, help_text="A language model edits and answers, on the budget of who asked"
            ),
        ),
        migrations.AddField(
            model_name="improvement", name="shown", field=models.JSONField(blank=True, default=dict)
        ),
        migrations.AddField(
            model_name="improvement", name="used", field=models.JSONField(blank=True, default=dict)
        ),
        migrations.AddField(
            model_name="storedanswer",
            name="is_example",
            field=models.BooleanField(
                default=False, help_text="Language models are shown it with every question"
            ),
        ),
        migrations.RunPython(flattened, migrations.RunPython.noop),
    ]
