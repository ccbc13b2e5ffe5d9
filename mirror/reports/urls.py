"""Addresses of reports, their runs and files, of links that work without signing in, and of what is allowed."""

from __future__ import annotations

from django.urls import path

from mirror.reports.views import consents, dashboards, editing, files, reports, runs, sending

app_name = "reports"
urlpatterns = [
    path("", reports.report_list, name="list"),
    path("new/", editing.new, name="new"),
    path("of-dashboard/<int:pk>/", dashboards.of_dashboard, name="of_dashboard"),
    path("ahead/", editing.ahead, name="ahead"),
    path("<int:pk>/", reports.report, name="report"),
    path("<int:pk>/history/", reports.history, name="history"),
    path("<int:pk>/edit/", editing.edit, name="edit"),
    path("<int:pk>/secret/", editing.secret, name="secret"),
    path("<int:pk>/run/", reports.run_now, name="run_now"),
    path("<int:pk>/test/", reports.test, name="test"),
    path("<int:pk>/pause/", reports.pause, name="pause"),
    path("<int:pk>/resume/", reports.resume, name="resume"),
    path("<int:pk>/recipients/", reports.recipient_allow, name="recipient_allow"),
    path("<int:pk>/share/", reports.share, name="share"),
    path("<int:pk>/hand-over/", reports.hand_over, name="hand_over"),
    path("<int:pk>/take-over/", reports.take_over, name="take_over"),
    path("<int:pk>/delete/", reports.delete, name="delete"),
    path("runs/<int:pk>/", runs.run, name="run"),
    path("runs/<int:pk>/live/", runs.run_live, name="run_live"),
    path("runs/<int:pk>/deliveries/", runs.deliveries, name="deliveries"),
    path("runs/<int:pk>/stop/", runs.stop, name="run_stop"),
    path("runs/<int:pk>/again/", runs.send_again, name="send_again"),
    path("runs/<int:pk>/images/<int:part>/", runs.image, name="image"),
    path("deliveries/<int:pk>/again/", runs.delivery_again, name="delivery_again"),
    path("files/<int:pk>/", files.download, name="file"),
    path("files/<int:pk>/link/", files.link_make, name="link_make"),
    path("links/<int:pk>/revoke/", files.link_revoke, name="link_revoke"),
    path("sending/", sending.sending, name="sending"),
    path("sending/switch/", sending.switch, name="sending_switch"),
    path("sending/allow/", sending.allow, name="allow"),
    path("sending/<int:pk>/disallow/", sending.disallow, name="disallow"),
    path("mails/<str:token>/", consents.consent, name="consent"),
    path("mails/<str:token>/stop/", consents.consent_stop, name="consent_stop"),
    path("link/<str:token>/", files.link, name="link"),
]
