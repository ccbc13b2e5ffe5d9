"""Mirror's Django project: one folder a subject."""

from mirror.celery import app as celery_app

__all__ = ["VERSION", "celery_app"]

VERSION = "0.1.0"
