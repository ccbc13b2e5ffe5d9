"""Django's entry for this subject."""

from typing import Any

from django.apps import AppConfig
from django.db import transaction
from django.db.models.signals import post_delete


class ReportsConfig(AppConfig):
    name = "mirror.reports"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Make its kinds of work known; say which other mails may go out; let no file outlive its row."""
        from mirror.delivery.mails_beside import mail_judged
        from mirror.reports.work_kinds import Deliveries, ReportRuns
        from mirror.work.kinds import register

        register(ReportRuns, Deliveries)
        mail_judged.connect(_judge, dispatch_uid="reports_mail_judged")
        post_delete.connect(_forget_file, sender="reports.ReportFile", dispatch_uid="forget_report_file")
        post_delete.connect(_forget_image, sender="reports.RunPart", dispatch_uid="forget_report_image")


def _judge(person: Any, uid: str, **_: Any) -> Any:
    from mirror.reports.sending.mails_beside import mail_judge

    return mail_judge(person, uid)


def _forget_file(instance: Any, **_: Any) -> None:
    _forget(instance.file)


def _forget_image(instance: Any, **_: Any) -> None:
    _forget(instance.image)


def _forget(file: Any) -> None:
    if file.name:
        transaction.on_commit(lambda: file.storage.delete(file.name), robust=True)
