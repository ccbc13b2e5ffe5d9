"""Addresses of upkeep."""

from __future__ import annotations

from django.urls import path

from mirror.upkeep import views

app_name = "upkeep"
urlpatterns = [
    path("people/<int:pk>/owned/", views.owned, name="owned"),
    path("audit/", views.audit, name="audit"),
]
