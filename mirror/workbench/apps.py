"""Django's entry for this subject."""

from django.apps import AppConfig


class WorkbenchConfig(AppConfig):
    name = "mirror.workbench"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Make its kind of work known."""
        from mirror.work.kinds import register
        from mirror.workbench.work_kinds import Glances

        register(Glances)
