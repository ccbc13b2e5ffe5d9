"""Django's entry for this subject."""

from django.apps import AppConfig


class PeopleConfig(AppConfig):
    name = "mirror.people"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Hear of signing in."""
        from mirror.people import sign_ins  # noqa: F401
