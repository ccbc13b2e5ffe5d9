"""Addresses of what a team knows of a source."""

from __future__ import annotations

from django.urls import path

from mirror.knowledge import evaluation_views, improving_views, posing_views, views

app_name = "knowledge"
urlpatterns = [
    path("<int:pk>/knowledge/", views.terms, name="terms"),
    path("<int:pk>/knowledge/terms/new/", views.term, name="term_new"),
    path("<int:pk>/knowledge/terms/<int:term>/", views.term, name="term"),
    path("<int:pk>/knowledge/terms/<int:term>/status/", views.status, name="term_status"),
    path("<int:pk>/knowledge/terms/<int:term>/delete/", views.delete, name="term_delete"),
    path("<int:pk>/knowledge/trials/<int:trial>/", views.trial, name="trial"),
    path("<int:pk>/knowledge/trials/<int:trial>/save/", views.save, name="trial_save"),
    path("<int:pk>/knowledge/trials/<int:trial>/change/", views.change, name="trial_change"),
    path("<int:pk>/knowledge/answers/", views.answers, name="answers"),
    path("<int:pk>/knowledge/answers/<int:answer>/take-back/", views.take_back, name="take_back"),
    path("<int:pk>/knowledge/answers/<int:answer>/no-example/", views.example_end, name="example_end"),
    path("<int:pk>/knowledge/questions/", posing_views.questions, name="questions"),
    path("<int:pk>/knowledge/questions/new/", posing_views.pose, name="questions_new"),
    path("<int:pk>/knowledge/questions/<int:round>/", posing_views.decide, name="questions_decide"),
    path("<int:pk>/knowledge/evaluations/", evaluation_views.evaluations, name="evaluations"),
    path("<int:pk>/knowledge/evaluations/new/", evaluation_views.evaluate, name="evaluate"),
    path("<int:pk>/knowledge/evaluations/plan/", evaluation_views.plan, name="evaluation_plan"),
    path("<int:pk>/knowledge/evaluations/<int:evaluation>/", evaluation_views.evaluation, name="evaluation"),
    path(
        "<int:pk>/knowledge/evaluations/<int:evaluation>/stop/",
        evaluation_views.stop,
        name="evaluation_stop",
    ),
    path("<int:pk>/knowledge/improving/", improving_views.improving, name="improving"),
    path("<int:pk>/knowledge/improving/start/", improving_views.start, name="improving_start"),
    path("<int:pk>/knowledge/improving/stop/", improving_views.stop, name="improving_stop"),
    path("<int:pk>/knowledge/shifts/<int:shift>/", views.shift, name="shift"),
    path("<int:pk>/knowledge/proposals/refuse/", views.refuse, name="proposal_refuse"),
    path("<int:pk>/knowledge/feedback/", views.feedback, name="feedback"),
    path("<int:pk>/knowledge/feedback/<int:given>/", views.feedback_do, name="feedback_do"),
]
