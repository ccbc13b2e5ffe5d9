"""Addresses of help for editors."""

from __future__ import annotations

from django.urls import path

from mirror.queries import views

app_name = "queries"
urlpatterns = [
    path("<int:pk>/format/", views.format_sql, name="format_sql"),
    path("<int:pk>/check/", views.check_sql, name="check_sql"),
    path("<int:pk>/complete/", views.complete_sql, name="complete_sql"),
]
