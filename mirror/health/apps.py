"""Django's entry for this subject."""

from django.apps import AppConfig


class HealthConfig(AppConfig):
    name = "mirror.health"
    default_auto_field = "django.db.models.BigAutoField"
