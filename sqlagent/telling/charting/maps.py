"""Maps: countries in the colour of their figure, and points at coordinates. Rows without a place are counted and named.

A country too small for a shape is a dot where it stands. Points stand at a column of longitudes along, and one of latitudes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from sqlagent.language.saying import number, spaced, worded, worded_count
from sqlagent.rows.columns import Role, in_words, is_additive, number_of, profile, profiles
from sqlagent.telling.charting.captions import measure_of, named_some
from sqlagent.telling.charting.markup import Json
from sqlagent.telling.charting.places import (
    Country,
    coordinate_columns,
    country_column,
    country_of,
    is_longitude,
)
from sqlagent.telling.charting.points import MAX_POINTS, label, points_of
from sqlagent.values import Cell, Chart, Kind, Rows

ROOM, SHARE, AROUND = 3, 0.08, 220
"""Degrees around the places of a map, at least and as a share of what they span, and from which the world is shown."""
WIDER = 1.4
"""How much wider than high a map is at least."""
DOT, LARGEST = 9, 34
"""Pixels across: a point without a figure, and the one of the largest."""


@dataclass(frozen=True, slots=True)
class Place:
    """A country on a map with its figure. `cells` are the values of the column that name it, mostly one."""

    country: Country
    cells: tuple[Cell, ...]
    value: float


@dataclass(frozen=True, slots=True)
class Located:
    """The countries of a chart, largest figure first: `shapes` of the map, `dots` for those without one, and values that are `lost`."""

    shapes: tuple[Place, ...]
    dots: tuple[Place, ...]
    lost: tuple[Cell, ...]

    @property
    def traces(self) -> list[tuple[Place, ...]]:
        """The places of each trace that has some: areas first, then dots."""
        return [places for places in (self.shapes, self.dots) if places]


def is_of_coordinates(chart: Chart, rows: Rows) -> bool:
    """Say whether a map has points at coordinates; else it has countries."""
    return profile(rows, chart.x).kind in (Kind.INTEGER, Kind.NUMBER)


def on_map(chart: Chart, rows: Rows) -> Chart | None:
    """A map of these rows with the figure of a chart, or the first there is; None where no column holds countries or coordinates.

    Example:
        >>> on_map(Chart("bar", "country", ("sales",)), Rows(("country", "sales"), (("Norway", 3), ("Chad", 5), ("Peru", 4)))).y
        ('sales',)
        >>> on_map(Chart("none"), Rows(("lat", "lon"), ((59.9, 10.7), (55.7, 12.6)))).x
        'lon'
    """
    columns = profiles(rows)
    spots = coordinate_columns(rows, columns)
    measures = [
        c.name
        for c in columns
        if c.role == Role.MEASURE and c.nulls < len(rows.rows) and c not in (spots or ())
    ]
    figures = [name for name in (*chart.y, *measures) if name in measures][:1]
    if spots is not None:
        latitude, longitude = spots
        return Chart("map", longitude.name, (latitude.name, *figures))
    country = country_column(rows, columns)
    if country is None or not (figures or chart.aggregate == "count"):
        return None
    aggregate = chart.aggregate
    if aggregate == "none" and country.distinct + bool(country.nulls) < len(rows.rows):
        aggregate = "sum" if is_additive(figures[0]) else "mean"
    return Chart("map", country.name, tuple(figures) if aggregate != "count" else (), aggregate=aggregate)


def check_map(chart: Chart, rows: Rows) -> Chart:
    """Check the columns of a map. Raises: ValueError, in words fit to be shown beside the form."""
    chart = replace(chart, series="", stack="", scale="", line="")
    if not chart.x:
        raise ValueError("A map needs a column of countries, or one of longitudes, along.")
    if is_of_coordinates(chart, rows):
        if not 1 <= len(chart.y) <= 2:
            raise ValueError(
                "A map of points takes longitudes along, and as height latitudes, with a figure at most."
            )
        # Of two columns any order is understood: the form lists them as the rows have them.
        named = sorted(chart.y, key=lambda name: not _is_latitude(name))
        if is_longitude(named[0]) or not any(_spots(replace(chart, y=tuple(named)), rows)):
            raise ValueError(f'"{chart.x}" and "{named[0]}" are no longitudes and latitudes of places.')
        words = f"{in_words(named[1])} by place" if len(named) > 1 else "Where the rows are"
        return replace(chart, y=tuple(named), aggregate="none", title=chart.title or words)
    if len(chart.y) > 1:
        raise ValueError("A map of countries takes one figure.")
    if not chart.y and chart.aggregate != "count":
        raise ValueError("Choose a figure for the map, or count the rows.")
    if not located(chart, rows).traces:
        raise ValueError(f'"{chart.x}" holds no countries that the map knows, by name or by code.')
    return chart


def _is_latitude(name: str) -> bool:
    return "lat" in in_words(name).lower()


def located(chart: Chart, rows: Rows) -> Located:
    """Find the countries of a chart. Two names of one are added up where their figure can be, else averaged."""
    found = points_of(chart, rows)
    (values,) = found.values.values() if found.values else ([],)
    known: dict[Country, list[tuple[Cell, float]]] = {}
    lost: list[Cell] = []
    for cell, value in zip(found.xs, values, strict=True):
        country = country_of(cell)
        if country is None:
            lost.append(cell)
        elif value is not None:
            known.setdefault(country, []).append((cell, value))
    adds = chart.aggregate in ("sum", "count") or (
        chart.aggregate == "none" and bool(chart.y) and is_additive(chart.y[0])
    )
    places = [
        Place(
            country,
            tuple(cell for cell, _ in pairs),
            math.fsum(v for _, v in pairs) / (1 if adds else len(pairs)),
        )
        for country, pairs in known.items()
    ]
    places.sort(key=lambda place: -place.value)
    shapes, dots = (
        tuple(place for place in places if place.country.is_dot == is_dot) for is_dot in (False, True)
    )
    return Located(shapes, dots, tuple(lost))


def map_note(chart: Chart, rows: Rows) -> str:
    """Say in words what has no place on a map, and whose figures were put together."""
    if is_of_coordinates(chart, rows):
        count = len(rows.rows) - sum(1 for _ in _spots(chart, rows))
        notes: list[str] = []
        if count:
            notes.append(
                worded_count(
                    "{count} of {all} rows has no place on the map.",
                    "{count} of {all} rows have no place on the map.",
                    count,
                    count=number(f"{count:,}"),
                    all=number(f"{len(rows.rows):,}"),
                )
            )
        if len(rows.rows) - count > MAX_POINTS:
            notes.append(
                worded(
                    "{max_points} of {value} points shown.",
                    max_points=number(f"{MAX_POINTS:,}"),
                    value=number(f"{len(rows.rows) - count:,}"),
                )
            )
        return spaced(*notes)
    found, points = located(chart, rows), points_of(chart, rows)
    notes = []
    if found.lost:
        lost = named_some([label(cell) for cell in found.lost])
        notes.append(
            worded_count(
                "{count} of {all} places is not on the map: {lost}.",
                "{count} of {all} places are not on the map: {lost}.",
                len(found.lost),
                count=number(f"{len(found.lost):,}"),
                all=number(f"{len(points.xs):,}"),
                lost=lost,
            )
        )
    several = [place for places in found.traces for place in places if len(place.cells) > 1]
    if several:
        names = named_some([" and ".join(label(cell) for cell in place.cells) for place in several])
        notes.append(worded("Names of one country count together: {names}.", names=names))
    if points.hidden:
        notes.append(
            worded(
                "{hidden} values that share a place with another are not drawn: choose an aggregate.",
                hidden=number(f"{points.hidden:,}"),
            )
        )
    return spaced(*notes)


def country_traces(
    chart: Chart, rows: Rows, said: Callable[[float], str], drawn: Callable[[float], float | int | None]
) -> list[Json]:
    """Countries in the colours of one scale; `said` writes a figure, `drawn` makes it a number of JSON."""
    traces: list[Json] = []
    found = located(chart, rows)
    for places in found.traces:
        told: Json = {
            "name": measure_of(chart),
            "hovertext": [f"{label(place.cells[0])}: {said(place.value)}" for place in places],
            "hoverinfo": "text",
        }
        numbers = [drawn(place.value) for place in places]
        if places is found.shapes:
            where: Json = {"locations": [place.country.iso3 for place in places], "locationmode": "ISO-3"}
            traces.append({"type": "choropleth", **where, "z": numbers, "coloraxis": "coloraxis"} | told)
        else:
            spots = [place.country.bounds for place in places]
            where = {"lat": [south for south, *_ in spots], "lon": [west for _, west, *_ in spots]}
            marker = {"color": numbers, "coloraxis": "coloraxis", "size": DOT}
            traces.append({"type": "scattergeo", "mode": "markers", **where, "marker": marker} | told)
    return traces


def _spots(chart: Chart, rows: Rows) -> Iterable[tuple[tuple[Cell, ...], float, float]]:
    """The rows that have a place, with their latitude and longitude."""
    x, y = rows.columns.index(chart.x), rows.columns.index(chart.y[0])
    for row in rows.rows:
        latitude, longitude = number_of(row[y]), number_of(row[x])
        if latitude is not None and longitude is not None and abs(latitude) <= 90 and abs(longitude) <= 180:
            yield row, latitude, longitude


def spots_drawn(chart: Chart, rows: Rows) -> list[tuple[tuple[Cell, ...], float, float]]:
    """The rows that are points of a map, the largest figure first, so that small points lie over large ones."""
    spots = list(_spots(chart, rows))
    if len(chart.y) > 1:
        at = rows.columns.index(chart.y[1])
        spots.sort(key=lambda spot: -(number_of(spot[0][at]) or 0.0))
    return spots[:MAX_POINTS]


def point_trace(chart: Chart, rows: Rows, said: Callable[[str, Cell], str]) -> Json:
    """Points at their coordinates, the size of their figure; `said` writes a cell of a column."""
    spots = spots_drawn(chart, rows)
    names = [column for column in profiles(rows) if column.role == Role.CATEGORY]
    name = max(names, key=lambda column: column.distinct).index if names else None
    trace: Json = {
        "type": "scattergeo",
        "mode": "markers",
        "name": in_words(chart.y[-1]),
        "lat": [latitude for _, latitude, _ in spots],
        "lon": [longitude for _, _, longitude in spots],
        "hovertext": [_told(chart, rows, name, spot[0], said) for spot in spots],
        "hoverinfo": "text",
    }
    if len(chart.y) > 1:
        at = rows.columns.index(chart.y[1])
        sizes = [max(0.0, number_of(row[at]) or 0.0) for row, _, _ in spots]
        most = max(sizes, default=0.0) or 1.0
        # The area of a point is its figure, as eyes compare areas.
        trace["marker"] = {"size": [round(max(4.0, LARGEST * math.sqrt(size / most)), 1) for size in sizes]}
    else:
        trace["marker"] = {"size": DOT}
    return trace


def _told(
    chart: Chart, rows: Rows, name: int | None, row: Sequence[Cell], said: Callable[[str, Cell], str]
) -> str:
    where = ", ".join(said(column, row[rows.columns.index(column)]) for column in (chart.y[0], chart.x))
    begun = f"{label(row[name])}: " if name is not None else ""
    if len(chart.y) < 2:
        return f"{begun}{where}"
    return f"{begun}{said(chart.y[1], row[rows.columns.index(chart.y[1])])} ({where})"


def geo(chart: Chart, rows: Rows) -> Json:
    """The layout of a map: as near as its places allow, the world where they are around it. Far parts of a country (Guiana) widen nothing."""
    if is_of_coordinates(chart, rows):
        boxes = [
            (latitude, longitude, latitude, longitude) for _, latitude, longitude in spots_drawn(chart, rows)
        ]
    else:
        boxes = [place.country.bounds for places in located(chart, rows).traces for place in places]
    south, west, north, east = (pick(box[n] for box in boxes) for n, pick in enumerate((min, min, max, max)))
    room = max(ROOM, (north - south) * SHARE, (east - west) * SHARE)
    south, north = max(-90, south - room), min(90, north + room)
    # Charts are wider than high, and a degree of longitude is shorter in the north.
    wide = WIDER * (north - south) / max(0.2, math.cos(math.radians((north + south) / 2)))
    beside = max(room, (wide - (east - west)) / 2)
    west, east = max(-180, west - beside), min(180, east + beside)
    if east - west > AROUND:
        west, east, south, north = -180, 180, min(south, -56), max(north, 84)
    latitudes, longitudes = [round(south, 1), round(north, 1)], [round(west, 1), round(east, 1)]
    return {
        "projection": {"type": "natural earth1"},
        "showframe": False,
        "lataxis": {"range": latitudes},
        "lonaxis": {"range": longitudes},
    }
