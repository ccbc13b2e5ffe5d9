"""The content of a list: its columns, each once or all, or how many rows there are instead."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sqlagent.catalog.semantics import Kind, Role
from sqlagent.language.saying import worded
from sqlagent.language.words import plural_of, singular
from sqlagent.makers.analyst import telling
from sqlagent.makers.analyst.chips.values import REMOVE, Option, Part
from sqlagent.makers.analyst.frames import Frame, Measure, Slot
from sqlagent.makers.analyst.source import Source


def column_parts(frame: Frame, source: Source) -> Iterator[Part]:
    """Give a chip for the rows that are listed, and one for each column."""
    if frame.measures:
        return
    thing = source.model.things[frame.listed]
    many = plural_of(singular(thing.said))
    options = []
    counted = replace(
        frame, measures=(Measure("rows", frame.anchor, said=many),), columns=(), distinct=False, order=None,
        limit=None, offset=0, per=(),
    )  # fmt: skip
    if thing.kind is not Kind.LINES and frame.listed == frame.anchor:
        options.append(
            Option(
                worded("number of {many}", many=many),
                "rows",
                "",
                counted,
                worded("{many} counted, not listed", many=many),
            )
        )
    if frame.columns:
        turned = replace(frame, distinct=not frame.distinct)
        words = worded("repeats too") if frame.distinct else worded("each different one once")
        options.append(Option(words, "distinct", "", turned, worded("listed: {words}", words=words)))
    label = "different" if frame.distinct else "list of"
    yield Part("rows", "measure", label, many, tuple(options))
    for place, slot in enumerate(frame.columns):
        left = (*frame.columns[:place], *frame.columns[place + 1 :])
        said = telling.column(slot)
        choices = [
            Option(words, key, "Another column", _showing(frame, (*frame.columns[:place], other, *frame.columns[place + 1 :])), worded("{words} shown instead of {said}", words=words, said=said))
            for words, key, other in _columns(frame, source)
        ]  # fmt: skip
        if left:
            choices.append(
                Option(
                    "Remove this column",
                    REMOVE,
                    "",
                    _showing(frame, left),
                    worded("{said} not shown", said=said),
                )
            )
        yield Part(f"column:{place}", "column", "", said, tuple(choices))


def _showing(frame: Frame, columns: tuple[Slot, ...]) -> Frame:
    """The list with other columns; it is one of a link's rows where what it listed is no longer its first column."""
    return replace(frame, columns=columns, with_empty=frame.with_empty and columns[0] == frame.columns[0])


def columns_added(frame: Frame, source: Source) -> Iterator[Option]:
    """Columns that a list may show too."""
    if frame.measures or not frame.columns:
        return
    for words, key, slot in _columns(frame, source):
        added = replace(frame, columns=(*frame.columns, slot))
        yield Option(words, key, "Show too", added, worded("{words} shown too", words=words))


def _columns(frame: Frame, source: Source) -> Iterator[tuple[str, str, Slot]]:
    """Columns of the listed rows and the names of what they point at, those that are shown left out."""
    for one in source.model.fields[frame.anchor]:
        slot = Slot(one)
        if one.role is not Role.FOREIGN and slot not in frame.columns:
            yield one.said, f"column:{one.column}", slot
    for relation in source.graph.out[frame.anchor]:
        for slot in source.shown(relation.target, (relation,)):
            if slot not in frame.columns and source.names(relation.target):
                way = ",".join(relation.columns)
                yield telling.column(slot), f"column:{way}>{slot.field.column}", slot
