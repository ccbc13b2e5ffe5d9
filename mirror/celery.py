"""The Celery application. Tasks are doors: each fetches a row and calls a service."""

from __future__ import annotations

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "mirror.settings")

app = Celery("mirror")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
