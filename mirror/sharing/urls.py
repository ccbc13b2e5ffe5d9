"""Addresses of sharing, and of links that work without signing in."""

from __future__ import annotations

from django.urls import path

from mirror.sharing import pdf_views, views

app_name = "sharing"
urlpatterns = [
    path("", views.links, name="links"),
    path("questions/<int:pk>/", views.share, {"kind": "run"}, name="run"),
    path("questions/<int:pk>/link/", views.link_make, {"kind": "run"}, name="run_link"),
    path("threads/<int:pk>/", views.share, {"kind": "thread"}, name="thread"),
    path("threads/<int:pk>/link/", views.link_make, {"kind": "thread"}, name="thread_link"),
    path("dashboards/<int:pk>/", views.share, {"kind": "dashboard"}, name="dashboard"),
    path("dashboards/<int:pk>/link/", views.link_make, {"kind": "dashboard"}, name="dashboard_link"),
    path("links/<uuid:pk>/revoke/", views.link_revoke, name="link_revoke"),
    path("mails/", views.mails, name="mails"),
    path("open/<str:token>/", views.link, name="link"),
    path("open/<str:token>/pdf/<str:seen>/", pdf_views.link_pdf_ask, name="link_pdf_ask"),
    path("open/<str:token>/pdf/<str:seen>/<int:pk>/", pdf_views.link_pdf, name="link_pdf"),
    path("open/<str:token>/pdf/<str:seen>/<int:pk>/file/", pdf_views.link_pdf_file, name="link_pdf_file"),
    path("open/<str:token>/now/<str:seen>/", views.link, name="link_now"),
]
