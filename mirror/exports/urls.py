"""Addresses of rows to take away."""

from __future__ import annotations

from django.urls import path

from mirror.exports import views

app_name = "exports"
urlpatterns = [
    path("<uuid:pk>/pivot/csv/", views.pivot, name="pivot"),
    path("<uuid:pk>/<str:format>/", views.download, name="download"),
]
