"""Django's entry for this subject."""

from typing import Any

from django.apps import AppConfig
from django.db.models.signals import post_delete

from mirror import confined

# Adapters of most sources.
DRIVERS = [f"sqlagent.adapters.{name}" for name in ("sqlite_engine", "duckdb_engine", "postgres", "mysql")]


class SourcesConfig(AppConfig):
    name = "mirror.sources"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """See to it that no uploaded file outlives its row, and that what reads files and databases is at hand.

        Its kinds of work are made known.
        """
        from mirror.sources.work_kinds import Indexes, Uploads, Visits
        from mirror.work.kinds import register

        confined.preload(
            "mirror.sources.confined_reads", "mirror.sources.uploads.confined_plans", "openpyxl", *DRIVERS
        )
        register(Indexes, Uploads, Visits)
        for sender in ("sources.Source", "sources.Upload"):
            post_delete.connect(_forget_files, sender=sender, dispatch_uid=f"forget_files_{sender}")


def _forget_files(instance: Any, **_: Any) -> None:
    from mirror.sources.uploading import files_forget

    files_forget(instance)
