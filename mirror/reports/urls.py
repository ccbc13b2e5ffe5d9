"""Addresses of reports, their runs and files, of links that work without signing in, and of what is allowed."""

from __future__ import annotations

from django.urls import path

from mirror.reports.views import consents as consent_views
from mirror.reports.views import editing as edit_views
from mirror.reports.views import files as file_views
from mirror.reports.views import reports as views
from mirror.reports.views import runs as run_views
from mirror.reports.views import sending as sending_views

app_name = "reports"
urlpatterns = [
    path("", views.report_list, name="list"),
    path("new/", edit_views.new, name="new"),
    path("ahead/", edit_views.ahead, name="ahead"),
    path("<int:pk>/", views.report, name="report"),
    path("<int:pk>/history/", views.history, name="history"),
    path("<int:pk>/edit/", edit_views.edit, name="edit"),
    path("<int:pk>/secret/", edit_views.secret, name="secret"),
    path("<int:pk>/run/", views.run_now, name="run_now"),
    path("<int:pk>/test/", views.test, name="test"),
    path("<int:pk>/pause/", views.pause, name="pause"),
    path("<int:pk>/resume/", views.resume, name="resume"),
    path("<int:pk>/recipients/", views.recipient_allow, name="recipient_allow"),
    path("<int:pk>/share/", views.share, name="share"),
    path("<int:pk>/hand-over/", views.hand_over, name="hand_over"),
    path("<int:pk>/take-over/", views.take_over, name="take_over"),
    path("<int:pk>/delete/", views.delete, name="delete"),
    path("runs/<int:pk>/", run_views.run, name="run"),
    path("runs/<int:pk>/live/", run_views.run_live, name="run_live"),
    path("runs/<int:pk>/deliveries/", run_views.deliveries, name="deliveries"),
    path("runs/<int:pk>/stop/", run_views.stop, name="run_stop"),
    path("runs/<int:pk>/again/", run_views.send_again, name="send_again"),
    path("runs/<int:pk>/images/<int:part>/", run_views.image, name="image"),
    path("deliveries/<int:pk>/again/", run_views.delivery_again, name="delivery_again"),
    path("files/<int:pk>/", file_views.download, name="file"),
    path("files/<int:pk>/link/", file_views.link_make, name="link_make"),
    path("links/<int:pk>/revoke/", file_views.link_revoke, name="link_revoke"),
    path("sending/", sending_views.sending, name="sending"),
    path("sending/allow/", sending_views.allow, name="allow"),
    path("sending/<int:pk>/disallow/", sending_views.disallow, name="disallow"),
    path("mails/<str:token>/", consent_views.consent, name="consent"),
    path("mails/<str:token>/stop/", consent_views.consent_stop, name="consent_stop"),
    path("link/<str:token>/", file_views.link, name="link"),
]
