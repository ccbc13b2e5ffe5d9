"""Addresses of asking and answering."""

from __future__ import annotations

from django.urls import path

from mirror.asking import events, export_views, saved_views, sql_views, thread_views, version_views, views

app_name = "asking"
urlpatterns = [
    path("", views.ask, name="ask"),
    path("suggest/", views.suggest, name="suggest"),
    path("history/", thread_views.history, name="history"),
    path("threads/<int:pk>/", thread_views.thread, name="thread"),
    path("threads/<int:pk>/export/<str:format>/", export_views.thread_export, name="thread_export"),
    path("threads/<int:pk>/rename/", thread_views.thread_rename, name="thread_rename"),
    path("threads/<int:pk>/pin/", thread_views.thread_pin, name="thread_pin"),
    path("threads/<int:pk>/delete/", thread_views.thread_delete, name="thread_delete"),
    path("runs/<int:pk>/", views.run, name="run"),
    path("runs/<int:pk>/live/", views.run_live, name="run_live"),
    path("runs/<int:pk>/events/", events.run_events, name="run_events"),
    path("runs/<int:pk>/stop/", views.stop, name="stop"),
    path("runs/<int:pk>/again/", views.again, name="again"),
    path("runs/<int:pk>/follow/", views.follow, name="follow"),
    path("runs/<int:pk>/edit/", version_views.edit, name="edit"),
    path("runs/<int:pk>/readings/<int:index>/use/", version_views.use_reading, name="use_reading"),
    path("runs/<int:pk>/sent/", views.sent, name="sent"),
    path("in-words/<int:pk>/change/", sql_views.change_sql, name="change_sql"),
    path("in-words/asked/<uuid:pk>/", sql_views.llm_change, name="llm_change"),
    path("in-words/asked/<uuid:pk>/stop/", sql_views.llm_change_stop, name="llm_change_stop"),
    path("in-words/<int:pk>/explain/", sql_views.explain_sql, name="explain_sql"),
    path("in-words/<int:pk>/tell/", sql_views.tell_sql, name="tell_sql"),
    path("in-words/told/<uuid:pk>/", sql_views.llm_telling, name="llm_telling"),
    path("in-words/told/<uuid:pk>/stop/", sql_views.llm_telling_stop, name="llm_telling_stop"),
    path("saved/<int:pk>/run/", saved_views.run_saved, name="run_saved"),
    path("saved/<int:pk>/last/", saved_views.saved_last, name="saved_last"),
    path("versions/<int:pk>/", version_views.version, name="version"),
    path("versions/<int:pk>/stop/", version_views.version_stop, name="version_stop"),
    path("versions/<int:pk>/again/", version_views.version_again, name="version_again"),
    path("versions/<int:pk>/undo/", version_views.version_undo, name="version_undo"),
    path("versions/<int:pk>/change/", version_views.change, name="change"),
    path("versions/<int:pk>/chart/", version_views.chart, name="chart"),
    path("versions/<int:pk>/verify/", version_views.verify, name="version_verify"),
    path("versions/<int:pk>/feedback/", version_views.feedback, name="version_feedback"),
    path("versions/<int:pk>/save/", version_views.save, name="save"),
]
