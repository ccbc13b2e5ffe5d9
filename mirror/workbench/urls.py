"""Addresses of the SQL page."""

from __future__ import annotations

from django.urls import path

from mirror.workbench import glance_views, views

app_name = "workbench"
urlpatterns = [
    path("", views.start, name="start"),
    path("new/", views.new, name="new"),
    path("<int:pk>/", views.tab, name="tab"),
    path("<int:pk>/keep/", views.keep, name="keep"),
    path("<int:pk>/run/", views.run, name="run"),
    path("<int:pk>/change/", views.change, name="change"),
    path("<int:pk>/close/", views.close, name="close"),
    path("<int:pk>/reopen/", views.reopen, name="reopen"),
    path("<int:pk>/explain/", glance_views.explain, name="explain"),
    path("versions/<int:pk>/", views.version, name="version"),
    path("versions/<int:pk>/stop/", views.version_stop, name="version_stop"),
    path("versions/<int:pk>/again/", views.version_again, name="version_again"),
    path("versions/<int:pk>/save/", views.save, name="save"),
    path("tree/<int:pk>/", glance_views.tree, name="tree"),
    path("table/<int:pk>/", glance_views.peek, name="peek"),
    path("glances/<int:pk>/", glance_views.glance, name="glance"),
    path("glances/<int:pk>/stop/", glance_views.glance_stop, name="glance_stop"),
]
