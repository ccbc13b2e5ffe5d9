"""Settings of the worker and the beat that tests kill: Mirror's own, a storage that waits, a quick tick."""

import mirror.celery
from mirror.settings import *  # noqa: F403

mirror.celery.LAST_SECONDS = 2

STORAGES = {"default": {"BACKEND": "tests.reports.held_storage.HeldStorage"}}
CELERY_BEAT_MAX_LOOP_INTERVAL = 0.5
CELERY_BEAT_SCHEDULE = {
    "tick": {"task": "mirror.reports.tasks.tick_reports", "schedule": 0.5},
    "recover": {"task": "mirror.work.tasks.recover", "schedule": 0.5},
}
