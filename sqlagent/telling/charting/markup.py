"""The JSON of a figure, and its texts escaped: Plotly reads <b>, <a href> and the like in titles, names and labels."""

from __future__ import annotations

import html
from typing import Any

Json = dict[str, Any]


class Markup(str):
    """A text with markup of ours, whose parts are escaped already."""

    __slots__ = ()


def harmless(part: Any) -> Any:
    """Escape every text of a figure but markup of our own: the one place where that is done."""
    if isinstance(part, dict):
        return {key: harmless(value) for key, value in part.items()}
    if isinstance(part, list):
        return [harmless(value) for value in part]
    if isinstance(part, Markup):
        return str(part)
    return escaped(part) if isinstance(part, str) else part


def escaped(text: str) -> str:
    """Take the meaning from markup: Plotly reads <b>, <a href> and the like in any label."""
    return html.escape("".join(c for c in text if c >= " " or c == "\t"), quote=False)
