"""Django's entry for this subject."""

from django.apps import AppConfig


class LlmsConfig(AppConfig):
    name = "mirror.llms"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Make its kind of work known."""
        from mirror.llms.work_kinds import EndpointTests
        from mirror.work.kinds import register

        register(EndpointTests)
