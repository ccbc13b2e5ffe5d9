"""Rows that are no money as a chip: left out within figures of several tables and bounds, or counted though sums of money leave them out."""

from __future__ import annotations

from collections.abc import Iterator

from sqlagent.language.saying import in_commas, worded
from sqlagent.makers.analyst.chips.values import REMOVE, Option, Part
from sqlagent.makers.analyst.frames import COUNTING, OFF, Frame
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.voids import all_counted, left_out_again, left_out_of

_AND = worded(" and ")


def off_parts(frame: Frame, source: Source) -> Iterator[Part]:
    """Give a chip for the rows that are left out within figures or bounds, and one for those that are counted all the same."""
    words = in_commas(list(left_out_of(frame)), _AND)
    if words and not any(one.said.startswith(OFF) for one in frame.where):
        said = worded("without {words}", words=words)
        option = Option(
            "Remove this filter",
            REMOVE,
            "",
            all_counted(frame),
            worded("filter removed: {condition}", condition=said),
        )
        yield Part("off", "filter", "", said, (option,))
    counted = [flag.removeprefix(COUNTING) for flag in frame.flags if flag.startswith(COUNTING)]
    if counted:
        said = worded("including {words}", words=in_commas(counted, _AND))
        again = left_out_again(frame, source)
        option = Option(
            "Leave these out",
            REMOVE,
            "",
            again,
            worded(
                "filter added: {condition}",
                condition=worded("without {words}", words=in_commas(counted, _AND)),
            ),
        )
        yield Part("counting", "filter", "", said, (option,))
