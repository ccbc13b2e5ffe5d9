"""Django's entry for this subject."""

from typing import Any

from django.apps import AppConfig
from django.db.models.signals import post_delete


class ResultsConfig(AppConfig):
    name = "mirror.results"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """See to it that no file outlives its row, whatever deletes the row: also a source or a user."""
        post_delete.connect(_forget_file, sender="results.StoredResult", dispatch_uid="forget_file")


def _forget_file(instance: Any, **_: Any) -> None:
    from mirror.results.result_files import file_forget

    if instance.file.name:
        file_forget(instance.file.name)
