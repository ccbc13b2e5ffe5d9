"""Addresses of the library."""

from __future__ import annotations

from django.urls import path

from mirror.library import views

app_name = "library"
urlpatterns = [
    path("", views.saved_list, name="list"),
    path("<int:pk>/", views.saved, name="saved"),
    path("<int:pk>/edit/", views.edit, name="edit"),
    path("<int:pk>/edits/", views.edits, name="edits"),
    path("<int:pk>/edits/<int:number>/restore/", views.restore, name="restore"),
    path("<int:pk>/share/", views.share, name="share"),
    path("<int:pk>/verify/", views.verify, name="verify"),
    path("<int:pk>/delete/", views.delete, name="delete"),
]
