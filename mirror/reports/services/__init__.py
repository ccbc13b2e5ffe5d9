"""What can happen to reports, their runs, files and deliveries."""

from mirror.reports.services.editing import (
    report_create,
    report_delete,
    report_hand_over,
    report_pause,
    report_resume,
    report_share,
    report_update,
)
from mirror.reports.services.errors import LinkGone, ReportError
from mirror.reports.services.links import link_make, link_open, link_revoke
from mirror.reports.services.running import (
    delivery_again,
    recipient_allow,
    report_run_now,
    report_test,
    run_send_again,
    run_stop,
)

__all__ = [
    "LinkGone",
    "ReportError",
    "delivery_again",
    "link_make",
    "link_open",
    "link_revoke",
    "recipient_allow",
    "report_create",
    "report_delete",
    "report_hand_over",
    "report_pause",
    "report_resume",
    "report_run_now",
    "report_share",
    "report_test",
    "report_update",
    "run_send_again",
    "run_stop",
]
