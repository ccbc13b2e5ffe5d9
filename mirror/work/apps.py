"""Django's entry for this subject."""

from django.apps import AppConfig


class WorkConfig(AppConfig):
    name = "mirror.work"
