"""Texts for runs and versions that ended without an answer of their own."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_noop

from sqlagent.values import FailureKind, Outcome

STOPPED = gettext_noop("Stopped by you.")
GIVEN_UP = "The worker answering this was interrupted {count} times, so it was given up. Ask again to retry."

RUN_STOPPED = {"outcome": Outcome.FAILED, "reason": STOPPED}
VERSION_STOPPED = {"kind": FailureKind.CANCELLED, "message": STOPPED, "position": None, "advice": ""}

RUN_BROKEN = {
    "outcome": Outcome.FAILED,
    "reason": gettext_noop(
        "Something in Mirror itself broke while answering. It was logged; asking again may help."
    ),
}
VERSION_BROKEN = {
    "kind": FailureKind.ERROR,
    "message": gettext_noop("Something in Mirror itself broke while running this. It was logged."),
    "position": None,
    "advice": gettext_noop("Running it again may help."),
}


def run_given_up(died: int) -> dict[str, Any]:
    """The end of a run over which so many workers died."""
    return {"outcome": Outcome.FAILED, "reason": GIVEN_UP.format(count=died)}


def version_given_up(died: int) -> dict[str, Any]:
    """The failure of a version over which so many workers died."""
    return {
        "kind": FailureKind.LOST,
        "message": GIVEN_UP.format(count=died),
        "position": None,
        "advice": "",
    }
