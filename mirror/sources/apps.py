"""Django's entry for this subject."""

from django.apps import AppConfig


class SourcesConfig(AppConfig):
    name = "mirror.sources"
    default_auto_field = "django.db.models.BigAutoField"
