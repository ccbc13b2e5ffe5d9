"""Addresses of services, for administrators."""

from __future__ import annotations

from django.urls import path

from mirror.api import account_views

app_name = "services"
urlpatterns = [
    path("", account_views.accounts, name="services"),
    path("<int:pk>/another/", account_views.give_another, name="another"),
    path("<int:pk>/end/", account_views.end, name="end"),
    path("tokens/<int:pk>/revoke/", account_views.revoke, name="revoke"),
]
