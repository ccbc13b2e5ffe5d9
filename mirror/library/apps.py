"""Django's entry for this subject."""

from typing import Any

from django.apps import AppConfig


class LibraryConfig(AppConfig):
    name = "mirror.library"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Look at saved SQL again whenever its source's tables were read anew."""
        from mirror.sources.signals import catalog_read_anew

        catalog_read_anew.connect(_look_again, dispatch_uid="library_look_again")


def _look_again(source: Any, catalog: Any, **_: Any) -> None:
    from mirror.library.services import problems_keep

    problems_keep(source, catalog)
