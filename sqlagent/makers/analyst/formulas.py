"""Shapes of formulas: arithmetic over names `c0`, `c1`, ... of columns or `f0`, `f1`, ... of figures, and nothing else.

Decides what a shape may hold, as it is written into SQL; a stored one is looked at again before it is used.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_SHAPE = re.compile(r"(?:[cf]\d{1,2}|\d{1,15}(?:\.\d{1,15})?|NULLIF|[-+*/(), ])+")
_NAME = re.compile(r"\b[cf](\d{1,2})\b")
_ALONE = re.compile(r"(?<!NULLIF)\(([cf]\d{1,2}|\d+(?:\.\d+)?)\)")
_TWICE = re.compile(r"(?<!NULLIF)\(\(((?:[^()]|\([^()]*\))*)\)\)")
_GUARDED = re.compile(r"NULLIF\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*), 0\)")
_WHOLE = re.compile(r"\b1\.0 \* ")
DIVIDED = "1.0 * f0 / NULLIF(f1, 0)"
"""The shape of one figure divided by another."""

LONGEST = 400
"""Characters of a shape at most."""


def is_shape(shape: str, names: int) -> bool:
    """Whether a text is arithmetic over so many names.

    Example:
        >>> is_shape("1.0 * (f0 - f1) / NULLIF(f0, 0)", 2), is_shape("f0 - f2", 2), is_shape("f0; DROP TABLE x", 1)
        (True, False, False)
    """
    if not 0 < len(shape) <= LONGEST or not _SHAPE.fullmatch(shape) or shape.count("(") != shape.count(")"):
        return False
    used = {int(number) for number in _NAME.findall(shape)}
    return bool(used) and max(used) < names


def plain(shape: str) -> str:
    """A shape without brackets around one name, and without two around one thing.

    Example:
        >>> plain("1.0 * (((f0) - (f1))) / NULLIF((f0), 0)")
        '1.0 * (f0 - f1) / NULLIF(f0, 0)'
    """
    before = ""
    while shape != before:
        before, shape = shape, _TWICE.sub(r"(\1)", _ALONE.sub(r"\1", shape))
    return shape


def filled(shape: str, cells: Sequence[str]) -> str:
    """A shape with its names exchanged.

    Example:
        >>> filled("f0 - f1", ["SUM(a)", "SUM(b)"])
        'SUM(a) - SUM(b)'
    """
    return _NAME.sub(lambda name: cells[int(name[1])], shape)


def told(shape: str, names: Sequence[str]) -> str:
    """A shape as people write it: without brackets around one name and what guards a division.

    Example:
        >>> told("1.0 * ((f0) - (f1)) / NULLIF((f0), 0)", ["price", "cost"])
        '(price - cost) / price'
    """
    bare, before = plain(_WHOLE.sub("", shape)), ""
    while bare != before:
        before, bare = bare, plain(_GUARDED.sub(r"\1", bare))
    return filled(bare, names)
