"""The picture of a chart, for mails and PDF; none rather than a failed report where it cannot be drawn."""

from __future__ import annotations

import logging

from mirror.asking.services.charts import Drawn
from mirror.exports.images import chart_image
from mirror.exports.values import ExportError
from sqlagent.values import Rows

log = logging.getLogger(__name__)


def picture(drawn: Drawn, rows: Rows) -> bytes | None:
    """Draw a chart as PNG; None when there is nothing to draw, or it cannot be drawn."""
    if drawn.figure is None:
        return None
    try:
        return chart_image(drawn.chart, rows)
    except ExportError as error:
        log.warning("A chart could not be drawn as a picture: %s", error)
        return None
