"""Django's entry for this subject."""

from django.apps import AppConfig


class AskingConfig(AppConfig):
    name = "mirror.asking"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Make its kinds of work known."""
        from mirror.asking.kinds import Runs, Versions
        from mirror.work.kinds import register

        register(Runs, Versions)
