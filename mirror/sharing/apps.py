"""Django's entry for this subject."""

from django.apps import AppConfig


class SharingConfig(AppConfig):
    name = "mirror.sharing"
    default_auto_field = "django.db.models.BigAutoField"
