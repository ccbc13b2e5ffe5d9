"""The picture of a chart, for mails and PDF; none rather than a failed report where it cannot be drawn.

Drawing costs more than all the rest of a small report (0.18 of 0.25 s, measured 2026-11), and several reports
of one saved SQL often run in one minute: a picture drawn a moment ago is given again.
"""

from __future__ import annotations

import hashlib
import json
import logging

from django.utils.translation import get_language

from mirror.asking.services.charts import Drawn
from mirror.exports.images import chart_image
from mirror.exports.values import ExportError
from mirror.recent import Recent
from sqlagent.values import Rows

log = logging.getLogger(__name__)

# Pictures kept in this process: some 60 kB each.
AT_HAND = 32
# Pixels of a mail, and how many of the picture each is: on a phone it is shown 340 wide, and words have to be read there.
WIDTH, HEIGHT, SCALE = 560, 360, 2.4
_pictures: Recent[str, bytes | None] = Recent(AT_HAND)


def picture(drawn: Drawn, rows: Rows, heading: str = "") -> bytes | None:
    """Draw a chart as PNG, for under a heading; None when there is nothing to draw, or it cannot be drawn."""
    if drawn.figure is None:
        return None
    drawing = json.dumps([drawn.figure, get_language(), heading], default=repr)
    key = hashlib.sha256(drawing.encode()).hexdigest()
    return _pictures.get(key, lambda: _drawn(drawn, rows, heading))


def _drawn(drawn: Drawn, rows: Rows, heading: str) -> bytes | None:
    try:
        return (
            chart_image(drawn.chart, rows, width=WIDTH, height=HEIGHT, scale=SCALE, heading=heading) or None
        )
    except ExportError as error:
        log.warning("A chart could not be drawn as a picture: %s", error)
        return None
