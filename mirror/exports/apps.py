"""Django's entry for this subject."""

from django.apps import AppConfig


class ExportsConfig(AppConfig):
    name = "mirror.exports"
