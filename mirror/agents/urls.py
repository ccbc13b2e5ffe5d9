"""The page of a source about agents."""

from __future__ import annotations

from django.urls import path

from mirror.agents import views

app_name = "agents"
urlpatterns = [
    path("<int:pk>/agents/", views.agents, name="agents"),
]
