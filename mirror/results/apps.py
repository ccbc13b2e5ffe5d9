"""Django's entry for this subject."""

from django.apps import AppConfig


class ResultsConfig(AppConfig):
    name = "mirror.results"
    default_auto_field = "django.db.models.BigAutoField"
