"""Addresses of dashboards."""

from __future__ import annotations

from django.urls import path

from mirror.dashboards import pdf_views, views, why_views

app_name = "dashboards"
urlpatterns = [
    path("", views.dashboards, name="list"),
    path("new/", views.new, name="new"),
    path("add/", views.add, name="add"),
    path("<int:pk>/", views.dashboard, name="dashboard"),
    path("<int:pk>/now/", views.now, name="now"),
    path("<int:pk>/edit/", views.edit, name="edit"),
    path("<int:pk>/settings/", views.settings, name="settings"),
    path("<int:pk>/text/", views.text, name="text"),
    path("<int:pk>/refresh/", views.refresh, name="refresh"),
    path("<int:pk>/delete/", views.delete, name="delete"),
    path("<int:pk>/pdf/", pdf_views.pdf_ask, name="pdf_ask"),
    path("pdf/<int:pk>/", pdf_views.pdf, name="pdf"),
    path("pdf/<int:pk>/file/", pdf_views.pdf_file, name="pdf_file"),
    path("explore/<int:pk>/", views.explore, name="explore"),
    path("explore/<int:pk>/now/", views.explore_now, name="explore_now"),
    path("explore/<int:pk>/refresh/", views.explore_refresh, name="explore_refresh"),
    path("explore/<int:pk>/why/", why_views.explore_why, name="explore_why"),
    path("explore/<int:pk>/why/ask/", why_views.explore_why_ask, name="explore_why_ask"),
    path("why/<int:pk>/", why_views.why, name="why"),
    path("why/<int:pk>/ask/", why_views.why_ask, name="why_ask"),
    path("cards/<int:pk>/", views.card, name="card"),
    path("cards/<int:pk>/refresh/", views.card_refresh, name="card_refresh"),
    path("cards/<int:pk>/stop/", views.card_stop, name="card_stop"),
    path("cards/<int:pk>/change/", views.card_change, name="card_change"),
    path("cards/<int:pk>/move/", views.card_move, name="card_move"),
    path("cards/<int:pk>/remove/", views.card_remove, name="card_remove"),
]
