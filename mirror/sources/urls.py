"""Addresses of sources."""

from __future__ import annotations

from django.urls import path

from mirror.sources import guard_views, limit_views, upload_views, views

app_name = "sources"
urlpatterns = [
    path("", views.sources, name="list"),
    path("connect/", views.connect, name="connect"),
    path("test/", views.test, name="test"),
    path("upload/", upload_views.upload, name="upload"),
    path("upload/<uuid:pk>/", upload_views.review, name="review"),
    path("upload/<uuid:pk>/forget/", upload_views.forget, name="forget"),
    path("<int:pk>/upload/", upload_views.upload, name="upload_more"),
    path("<int:pk>/", views.source, name="source"),
    path("<int:pk>/names/", views.names, name="names"),
    path("<int:pk>/edit/", views.edit, name="edit"),
    path("<int:pk>/test/", views.test, name="test_changed"),
    path("<int:pk>/limits/", limit_views.limits, name="limits"),
    path("<int:pk>/may-run/", guard_views.may_run, name="may_run"),
    path("<int:pk>/share/", views.share, name="share"),
    path("<int:pk>/powers/", views.confirm_powers, name="confirm_powers"),
    path("<int:pk>/refresh/", views.refresh, name="refresh"),
    path("<int:pk>/delete/", views.delete, name="delete"),
]
