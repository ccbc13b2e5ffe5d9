"""Reports as a Django application."""

from django.apps import AppConfig


class ReportsConfig(AppConfig):
    name = "mirror.reports"
