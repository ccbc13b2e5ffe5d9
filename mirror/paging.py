"""A list shown a page at a time: where in it a page is, and the addresses of the pages beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Page


@dataclass(frozen=True, slots=True)
class Pager:
    """Data of `parts/_pager.html`: page `number` of `count`, and which of all `total` rows are on it."""

    number: int
    count: int
    total: int
    first_row: int
    last_row: int
    previous_url: str
    next_url: str


def pager_of(found: Page[Any], *, place: str = "", **asked: object) -> Pager:
    """Say where a page is in its list. `asked` is what was asked for besides; `place` is where on the page the list begins.

    Example:
        >>> from django.core.paginator import Paginator
        >>> pager_of(Paginator("abcde", 2).page(2), q="a b", source=None)
        Pager(number=2, count=3, total=5, first_row=3, last_row=4, previous_url='?q=a+b', next_url='?q=a+b&page=3')
    """

    def address(number: int) -> str:
        named = {**asked, "page": number if number > 1 else ""}
        return "?" + urlencode({name: value for name, value in named.items() if value}) + place

    return Pager(
        number=found.number,
        count=found.paginator.num_pages,
        total=found.paginator.count,
        first_row=found.start_index(),
        last_row=found.end_index(),
        previous_url=address(found.number - 1) if found.has_previous() else "",
        next_url=address(found.number + 1) if found.has_next() else "",
    )
