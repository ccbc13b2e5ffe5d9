"""Operations on reports, their runs, files and deliveries."""

from mirror.reports.editing.of_dashboard import dashboard_note, dashboard_sendable
from mirror.reports.editing.report_changes import (
    report_create,
    report_delete,
    report_hand_over,
    report_pause,
    report_resume,
    report_share,
    report_take_over,
    report_update,
)
from mirror.reports.errors import LinkGone, ReportError
from mirror.reports.making.by_hand import (
    delivery_again,
    recipient_allow,
    report_run_now,
    report_run_send_again,
    report_run_stop,
    report_test,
)
from mirror.reports.making.report_files import files_expire
from mirror.reports.making.report_runs import report_run_break, report_run_make
from mirror.reports.schedule.looking_ahead import source_look, sources_to_look_at
from mirror.reports.schedule.ticking import reports_due_make, schedules_heal
from mirror.reports.sending.allowances import allowance_add, allowance_remove
from mirror.reports.sending.consents import ConsentGone, consent_confirm, consent_read, consent_stop
from mirror.reports.sending.delivering import delivery_break, delivery_make
from mirror.reports.sending.links import file_taken, link_make, link_open, link_revoke
from mirror.reports.sending.pausing import sending_pause, sending_resume

__all__ = [
    "ConsentGone",
    "LinkGone",
    "ReportError",
    "allowance_add",
    "allowance_remove",
    "consent_confirm",
    "consent_read",
    "consent_stop",
    "dashboard_note",
    "dashboard_sendable",
    "delivery_again",
    "delivery_break",
    "delivery_make",
    "file_taken",
    "files_expire",
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
    "report_take_over",
    "report_test",
    "report_update",
    "reports_due_make",
    "report_run_break",
    "report_run_make",
    "report_run_send_again",
    "report_run_stop",
    "schedules_heal",
    "sending_pause",
    "sending_resume",
    "source_look",
    "sources_to_look_at",
]
