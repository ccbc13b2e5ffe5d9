"""The tasks of this subject by their names, for services that send their messages."""

from __future__ import annotations

from mirror.work.leases import Door

make_report = Door("mirror.reports.tasks.make_report")
deliver_report = Door("mirror.reports.tasks.deliver_report")
