"""The tasks of this subject by their names, for services that send their messages."""

from __future__ import annotations

from mirror.work.leases import Door

index_build = Door("mirror.sources.tasks.index_build")
upload_work = Door("mirror.sources.tasks.upload_work")
visit_work = Door("mirror.sources.tasks.visit_work")
