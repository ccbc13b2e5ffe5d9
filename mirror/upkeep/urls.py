"""Addresses of upkeep."""

from __future__ import annotations

from django.urls import path

from mirror.upkeep import status_views, views

app_name = "upkeep"
urlpatterns = [
    path("people/<int:pk>/owned/", views.owned, name="owned"),
    path("metrics", status_views.metrics, name="metrics"),
    path("status/", status_views.status, name="status"),
    path("audit/", views.audit, name="audit"),
]
