"""Addresses of sources."""

from __future__ import annotations

from django.urls import path

from mirror.sources import (
    access_views,
    guard_views,
    limit_views,
    login_views,
    model_views,
    upload_views,
    views,
    visit_views,
    withholding_views,
)

app_name = "sources"
urlpatterns = [
    path("", views.sources, name="list"),
    path("access/", access_views.access, name="access"),
    path("connect/", views.connect, name="connect"),
    path("test/", views.test, name="test"),
    path("visits/<uuid:pk>/", visit_views.visit, name="visit"),
    path("visits/<uuid:pk>/stop/", visit_views.stop, name="visit_stop"),
    path("upload/", upload_views.upload, name="upload"),
    path("upload/<uuid:pk>/", upload_views.review, name="review"),
    path("upload/<uuid:pk>/forget/", upload_views.forget, name="forget"),
    path("<int:pk>/upload/", upload_views.upload, name="upload_more"),
    path("<int:pk>/", views.source, name="source"),
    path("<int:pk>/columns/", views.columns, name="columns"),
    path("<int:pk>/names/", views.names, name="names"),
    path("<int:pk>/values/", views.values, name="values"),
    path("<int:pk>/edit/", views.edit, name="edit"),
    path("<int:pk>/test/", views.test, name="test_changed"),
    path("<int:pk>/limits/", limit_views.limits, name="limits"),
    path("<int:pk>/may-run/", guard_views.may_run, name="may_run"),
    path("<int:pk>/model/", model_views.model, name="model"),
    path("<int:pk>/model/calendar/", model_views.calendar, name="model_calendar"),
    path("<int:pk>/model/table/", model_views.model_table, name="model_table"),
    path("<int:pk>/model/column/", model_views.model_column, name="model_column"),
    path("<int:pk>/model/<int:correction>/take-back/", model_views.take_back, name="take_back"),
    path("<int:pk>/share/", views.share, name="share"),
    path("<int:pk>/withhold/", withholding_views.withhold, name="withhold"),
    path("<int:pk>/logins/", login_views.logins, name="logins"),
    path("<int:pk>/logins/<int:team>/take/", login_views.login_take, name="login_take"),
    path("<int:pk>/powers/", views.confirm_powers, name="confirm_powers"),
    path("<int:pk>/refresh/", views.refresh, name="refresh"),
    path("<int:pk>/delete/", views.delete, name="delete"),
]
