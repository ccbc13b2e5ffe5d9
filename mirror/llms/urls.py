"""Addresses of language models."""

from __future__ import annotations

from django.urls import path

from mirror.llms import use_views, views

app_name = "llms"
urlpatterns = [
    path("", views.endpoints, name="list"),
    path("new/", views.endpoint_new, name="new"),
    path("use/", use_views.use, name="use"),
    path("use/budget/", use_views.budget_set, name="budget_set"),
    path("use/budget/<int:pk>/remove/", use_views.budget_remove, name="budget_remove"),
    path("test/", views.settings_test, name="settings_test"),
    path("tests/<uuid:pk>/", views.tested, name="tested"),
    path("tests/<uuid:pk>/stop/", views.test_stop, name="test_stop"),
    path("<int:pk>/", views.endpoint_edit, name="edit"),
    path("<int:pk>/test/", views.endpoint_test, name="test"),
    path("<int:pk>/move/", views.endpoint_move, name="move"),
    path("<int:pk>/remove/", views.endpoint_remove, name="remove"),
]
