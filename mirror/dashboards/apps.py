"""Django's entry for this subject."""

from django.apps import AppConfig


class DashboardsConfig(AppConfig):
    name = "mirror.dashboards"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Make its kinds of work known."""
        from mirror.dashboards.work_kinds import PdfExports, Supplies
        from mirror.work.kinds import register

        register(Supplies, PdfExports)
