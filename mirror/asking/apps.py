"""Django's entry for this subject."""

from django.apps import AppConfig


class AskingConfig(AppConfig):
    name = "mirror.asking"
    default_auto_field = "django.db.models.BigAutoField"
