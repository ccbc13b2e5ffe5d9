"""Django's entry for this subject."""

from typing import Any

from django.apps import AppConfig


class LibraryConfig(AppConfig):
    name = "mirror.library"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Look at saved SQL again whenever its source's tables, or what may run there, changed."""
        from mirror.sources.signals import catalog_read_anew, policy_changed

        for signal in (catalog_read_anew, policy_changed):
            signal.connect(_look_again, dispatch_uid="library_look_again")


def _look_again(source: Any, catalog: Any, **_: Any) -> None:
    from mirror.library.services import problems_keep

    problems_keep(source, catalog)
