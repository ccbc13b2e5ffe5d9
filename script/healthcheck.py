"""Says by its exit code whether the part of Mirror in this container lives: the web server answers, its workers left a sign of life.

A part of another container that is down makes this one no less alive: that is what `GET /healthz` tells.
"""

from __future__ import annotations

import os
import sys
import urllib.error
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Queues of a role; a worker here has to consume each of them.
QUEUES = {"worker": ("celery", "intake"), "reports": ("reports",), "deliveries": ("deliveries",)}


def web_lives(port: str, *, with_all: bool) -> bool:
    """Ask the web server; `with_all`: everything else has to be up too."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(f"http://127.0.0.1:{port}/healthz", timeout=10) as answer:
            return bool(answer.status == 200)
    except urllib.error.HTTPError as error:
        return error.code == 503 and not with_all
    except OSError:
        return False


def workers_live(role: str) -> bool:
    """Look for fresh signs of life of this machine's workers."""
    sys.path.insert(0, str(ROOT))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "mirror.settings")
    import django

    django.setup()
    import socket
    from datetime import timedelta

    from django.utils import timezone

    from mirror.health.models import Heartbeat
    from mirror.health.services import DEAD_SECONDS

    fresh = Heartbeat.objects.filter(
        worker__endswith=f"@{socket.gethostname()}",
        at__gt=timezone.now() - timedelta(seconds=2 * DEAD_SECONDS),
    )
    taken = {queue for queues in fresh.values_list("queues", flat=True) for queue in queues}
    return taken >= set(QUEUES[role])


def main() -> int:
    """Give 0 for alive, 1 for not."""
    role, port = os.environ.get("MIRROR_ROLE", ""), os.environ.get("MIRROR_PORT", "8000")
    if role in QUEUES:
        return 0 if workers_live(role) else 1
    if role in ("", "web"):
        return 0 if web_lives(port, with_all=not role) else 1
    return 0  # the scheduler is the container's first process: it ends with it


if __name__ == "__main__":
    sys.exit(main())
