"""Addresses of comments."""

from __future__ import annotations

from django.urls import path

from mirror.comments import views

app_name = "comments"
urlpatterns = [
    path("questions/<int:pk>/", views.write, {"kind": "run"}, name="run"),
    path("questions/<int:pk>/people/", views.people, {"kind": "run"}, name="run_people"),
    path("dashboards/<int:pk>/", views.write, {"kind": "dashboard"}, name="dashboard"),
    path("dashboards/<int:pk>/people/", views.people, {"kind": "dashboard"}, name="dashboard_people"),
    path("<int:pk>/edit/", views.edit, name="edit"),
    path("<int:pk>/delete/", views.delete, name="delete"),
    path("mails/", views.mails, name="mails"),
]
