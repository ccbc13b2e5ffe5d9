"""Addresses of the pages about tokens and the API."""

from __future__ import annotations

from django.urls import path

from mirror.api import page_views

app_name = "api"
urlpatterns = [
    path("tokens/", page_views.tokens, name="tokens"),
    path("tokens/<int:pk>/revoke/", page_views.revoke, name="revoke"),
    path("api/", page_views.operations, name="operations"),
    path("api/openapi.json", page_views.openapi, name="openapi"),
]
