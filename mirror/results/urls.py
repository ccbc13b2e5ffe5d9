"""Addresses of stored rows."""

from __future__ import annotations

from django.urls import path

from mirror.results import views

app_name = "results"
urlpatterns = [
    path("<uuid:pk>/", views.rows, name="rows"),
    path("<uuid:pk>/cell/", views.cell, name="cell"),
    path("<uuid:pk>/pivot/", views.pivot, name="pivot"),
    path("<uuid:pk>/columns/", views.columns, name="columns"),
    path("<uuid:pk>/columns/<int:number>/", views.column, name="column"),
    path("<uuid:pk>/columns/<int:number>/format/", views.column_format, name="column_format"),
]
