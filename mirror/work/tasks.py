"""The door a worker comes in by: one task for all kinds of work, and one that sees to it that nothing is lost."""

from __future__ import annotations

from typing import Any

from celery import shared_task

from mirror.work.kinds import KINDS, REQUEST, Kind


@shared_task(bind=True)
def work(self: Any, kind: str, pk: Any) -> None:
    """Do the work of a row, if no other worker has it. Lines of the log name the request that sent the message."""
    from mirror.logs import lines_about
    from mirror.work.doing import work_do

    request = (self.request.headers or {}).get(REQUEST)
    with lines_about(**({"request": request} if request else {})):
        work_do(kind, pk)


@shared_task
def recover() -> None:
    """Hand back what dead workers left, and send again what no worker came for."""
    from mirror.work.recovery import work_recover

    work_recover()


def _understand(kind: Kind, name: str) -> None:
    """Take messages that were queued under an earlier name."""

    @shared_task(name=name)
    def earlier(told: Any) -> None:
        pk = kind.earlier_pk(told)
        if pk is not None:
            work(kind.name, pk)


for _kind in KINDS.values():
    for _name in _kind.earlier:
        _understand(_kind, _name)
shared_task(name="mirror.asking.tasks.recover_runs")(recover.run)
