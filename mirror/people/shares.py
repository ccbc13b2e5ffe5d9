"""Shares of workers: so much work of one person is done at once, whoever else waits."""

from __future__ import annotations

from django.conf import settings

from mirror.work.kinds import Share

PERSON = Share("people.User", most=lambda _: settings.CONCURRENT_RUNS_PER_PERSON)
