"""Django's entry for this subject."""

from django.apps import AppConfig


class AgentsConfig(AppConfig):
    name = "mirror.agents"
    default_auto_field = "django.db.models.BigAutoField"
