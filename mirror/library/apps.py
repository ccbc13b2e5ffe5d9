"""Django's entry for this subject."""

from django.apps import AppConfig


class LibraryConfig(AppConfig):
    name = "mirror.library"
    default_auto_field = "django.db.models.BigAutoField"
