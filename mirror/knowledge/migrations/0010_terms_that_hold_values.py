from django.db import migrations, models


def marked(apps, schema_editor):
    """Terms that improvements brought so far hold what verified SQL held."""
    terms = apps.get_model("knowledge", "StoredTerm").objects
    terms.filter(description="learnt from verified answers").update(holds_values=True)


class Migration(migrations.Migration):
    dependencies = [("knowledge", "0009_improvements_with_llm")]

    operations = [
        migrations.AddField(
            model_name="storedterm",
            name="holds_values",
            field=models.BooleanField(
                default=False, help_text="Made of verified SQL: its values are masked as stored ones are"
            ),
        ),
        migrations.RunPython(marked, migrations.RunPython.noop),
    ]
