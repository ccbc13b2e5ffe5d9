"""The tasks of this subject by their names, for services that send their messages."""

from __future__ import annotations

from mirror.work.leases import Door

answer_run = Door("mirror.asking.tasks.answer_run")
run_version = Door("mirror.asking.tasks.run_version")
