"""Django's entry for this subject."""

from django.apps import AppConfig


class UpkeepConfig(AppConfig):
    name = "mirror.upkeep"
    default_auto_field = "django.db.models.BigAutoField"
