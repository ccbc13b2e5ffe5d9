"""Errors of ours in reading or writing a question: each costs what was being made, and is logged without a word of the question."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from traceback import extract_tb
from typing import TypeVar

log = logging.getLogger(__name__)

Made = TypeVar("Made")


def spared(make: Callable[[], Made], otherwise: Made, expected: tuple[type[Exception], ...] = ()) -> Made:
    """Make something, or give what stands otherwise where that ends in an error of ours; errors that are expected are raised on."""
    try:
        return make()
    except expected:
        raise
    except Exception as fault:  # noqa: BLE001 - whatever a rule of ours runs into, a person gets a draft and the log the place
        _log(fault)
        return otherwise


def _log(fault: Exception) -> None:
    """Log an error by its kind and place: its message may hold words of a question, or values."""
    last = extract_tb(fault.__traceback__)[-1]
    log.error("The analyst failed: %s at %s:%s", type(fault).__name__, Path(last.filename).name, last.lineno)
