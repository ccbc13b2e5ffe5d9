from django.db import migrations, models

# Tables of django-axes, with names and addresses in plain text; a table comes before those that it points to.
AXES = ("axes_accessattemptexpiration", "axes_accessattempt", "axes_accesslog", "axes_accessfailurelog")


class Migration(migrations.Migration):
    dependencies = [
        ("people", "0001_initial"),
    ]

    operations = [
        migrations.CreateModel(
            name="WrongPasswords",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.CharField(max_length=64, unique=True)),
                ("tries", models.PositiveIntegerField(default=0)),
                ("last_at", models.DateTimeField(db_index=True)),
            ],
        ),
        migrations.AlterModelManagers(name="user", managers=[]),
        migrations.RunSQL(
            [f"DROP TABLE IF EXISTS {table}" for table in AXES], reverse_sql=migrations.RunSQL.noop
        ),
    ]
