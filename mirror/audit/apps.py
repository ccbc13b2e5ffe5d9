"""Django's entry for this subject."""

from django.apps import AppConfig


class AuditConfig(AppConfig):
    name = "mirror.audit"
    default_auto_field = "django.db.models.BigAutoField"
