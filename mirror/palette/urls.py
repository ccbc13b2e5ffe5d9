"""Addresses of the palette."""

from __future__ import annotations

from django.urls import path

from mirror.palette import views

app_name = "palette"
urlpatterns = [
    path("", views.palette, name="palette"),
    path("keys/", views.keys, name="keys"),
]
