"""Maps: countries by names and codes, dots for those too small for a shape, points at coordinates, and what has no place told."""

from __future__ import annotations

import json

import plotly.graph_objects as go
import pytest

from sqlagent.rows.columns import profiles
from sqlagent.telling.charting import check, drill, figure, others, suggest
from sqlagent.telling.charting.places import coordinate_columns, country_column, country_of
from sqlagent.values import Chart, Kind, Rows

SALES = Rows(
    ("country", "sales"),
    (
        ("Norway", 3),
        ("United Kingdom", 9),
        ("Malta", 1.5),
        ("Atlantis", 4),
        ("DE", 20),
        ("fra", 13),
        ("Chad", None),
    ),
)
MAP = Chart("map", "country", ("sales",))
STORES = Rows(
    ("store", "lat", "lng", "sales"),
    (("Oslo", 59.9, 10.7, 4), ("Rome", 41.9, 12.5, 16), ("Nowhere", None, 1.0, 2), ("Mars", 10.0, 999.0, 2)),
    kinds=(Kind.TEXT, Kind.NUMBER, Kind.NUMBER, Kind.INTEGER),
)


@pytest.mark.parametrize(
    ("text", "iso3"),
    [
        ("Norway", "NOR"),
        (" norway ", "NOR"),
        ("NO", "NOR"),
        ("nor", "NOR"),
        ("The Netherlands", "NLD"),
        ("Côte d'Ivoire", "CIV"),
        ("Cote d’Ivoire", "CIV"),
        ("Korea, South", "KOR"),
        ("South Korea", "KOR"),
        ("Bosnia & Herzegovina", "BIH"),
        ("Congo", "COG"),
        ("DR Congo", "COD"),
        ("UK", "GBR"),
        ("U.S.A.", "USA"),
        ("Kosovo", "XKX"),
        ("England", None),
        ("Oslo", None),
        ("", None),
        (7, None),
    ],
)
def test_countries_are_known_by_names_and_codes(text, iso3) -> None:
    found = country_of(text)
    assert (found.iso3 if found else None) == iso3


@pytest.mark.parametrize(
    ("name", "cells", "is_one"),
    [
        ("market", ("Norway", "Sweden", "Chad"), True),
        ("country", ("NO", "SE"), True),
        ("nation_code", ("NOR", "SWE", "XXX", "DNK", "FIN", "ISL"), True),
        ("state", ("CA", "DE", "AL", "IN"), False),
        ("first_name", ("Chad", "Jordan", "Anna", "Georgia", "Ola"), False),
        ("country", ("Norway", "x", "y"), False),
        ("city", ("Oslo", "Rome", "Bern"), False),
    ],
)
def test_a_column_is_of_countries_where_most_values_are_and_codes_are_called_so(name, cells, is_one) -> None:
    rows = Rows((name, "n"), tuple((cell, n) for n, cell in enumerate(cells)))
    assert (country_column(rows, profiles(rows)) is not None) == is_one


def test_a_map_is_offered_and_never_the_first_choice() -> None:
    chart = suggest(SALES)
    assert chart.mark == "bar"
    (found,) = (other for other in others(chart, SALES) if other.mark == "map")
    assert (found.x, found.y) == ("country", ("sales",))
    spots = suggest(STORES)
    assert spots.mark != "map"
    (found,) = (other for other in others(spots, STORES) if other.mark == "map")
    assert (found.x, found.y, found.title) == ("lng", ("lat", "sales"), "Sales by place")
    cities = Rows(("city", "n"), (("Oslo", 1), ("Rome", 2), ("Bern", 3)))
    assert not [other for other in others(suggest(cities), cities) if other.mark == "map"]


def test_the_figure_of_the_chart_is_the_one_on_the_map() -> None:
    rows = Rows(
        ("country", "a", "revenue"), tuple((c, n, n * 9) for n, c in enumerate(("Chad", "Peru", "Mali")))
    )
    (found,) = (one for one in others(Chart("bar", "country", ("revenue",)), rows) if one.mark == "map")
    assert found.y == ("revenue",)


def test_countries_have_the_colour_of_their_figure_small_ones_a_dot_and_lost_ones_are_named() -> None:
    chart = check(MAP, SALES)
    assert chart.note == "1 of 7 places is not on the map: Atlantis."
    drawn = figure(chart, SALES)
    shapes, dots = drawn["data"]
    assert (shapes["type"], shapes["locations"], shapes["z"]) == (
        "choropleth",
        ["DEU", "FRA", "GBR", "NOR"],
        [20, 13, 9, 3],
    )
    assert shapes["hovertext"][:2] == ["DE: 20", "fra: 13"]
    assert (dots["type"], dots["lat"], dots["lon"]) == ("scattergeo", [35.89], [14.44])
    assert shapes["coloraxis"] == dots["marker"]["coloraxis"] == "coloraxis"
    assert drawn["layout"]["title"]["subtitle"]["text"] == chart.note
    go.Figure(drawn)
    json.dumps(drawn, allow_nan=False)


def test_names_of_one_country_count_together_and_that_is_told() -> None:
    rows = Rows(("country", "sales"), (("UK", 2), ("United Kingdom", 9), ("Peru", 1)))
    chart = check(MAP, rows)
    assert figure(chart, rows)["data"][0]["z"] == [11, 1]
    assert chart.note == "Names of one country count together: United Kingdom and UK."
    assert drill(chart, rows)["points"] == [[[None], ["== Peru"]]]


def test_rows_are_added_up_or_counted() -> None:
    rows = Rows(
        ("country", "city", "sales"), (("Peru", "a", 2), ("Peru", "b", 3), ("Chad", "c", 4), ("Mali", "d", 1))
    )
    (found,) = (one for one in others(Chart("bar", "city", ("sales",)), rows) if one.mark == "map")
    assert found.aggregate == "sum" and figure(found, rows)["data"][0]["z"] == [5, 4, 1]
    counted = check(Chart("map", "country", aggregate="count"), rows)
    assert figure(counted, rows)["data"][0]["z"] == [2, 1, 1]


def test_points_stand_at_their_coordinates_in_the_size_of_their_figure() -> None:
    chart = check(Chart("map", "lng", ("sales", "lat")), STORES)
    assert chart.y == ("lat", "sales"), "the form lists columns as the rows have them"
    assert chart.note == "2 of 4 rows have no place on the map."
    drawn = figure(chart, STORES)
    (points,) = drawn["data"]
    assert (points["lat"], points["lon"]) == ([41.9, 59.9], [12.5, 10.7])
    assert points["marker"]["size"][1] == pytest.approx(points["marker"]["size"][0] / 2), "areas are compared"
    assert points["hovertext"][0] == "Rome: 16 (41.9, 12.5)"
    found = drill(chart, STORES)
    assert found["points"] == [[["= 12.5", "= 41.9"], ["= 10.7", "= 59.9"]]]
    (low, high), (west, east) = (drawn["layout"]["geo"][axis]["range"] for axis in ("lataxis", "lonaxis"))
    assert low < 41.9 and high > 59.9 and west < 10.7 and east > 12.5 and east - west < 90
    go.Figure(drawn)


def test_places_around_the_world_show_the_world() -> None:
    rows = Rows(("country", "n"), (("Canada", 1), ("Japan", 2), ("Peru", 3)))
    assert figure(check(Chart("map", "country", ("n",)), rows), rows)["layout"]["geo"]["lonaxis"][
        "range"
    ] == [-180, 180]


def test_coordinates_are_told_by_name_and_range() -> None:
    far = Rows(("lat", "lng"), ((120.0, 10.0), (5.0, 6.0)))
    assert coordinate_columns(far, profiles(far)) is None
    plate = Rows(("platform", "longest"), ((1, 2), (3, 4)))
    assert coordinate_columns(plate, profiles(plate)) is None


@pytest.mark.parametrize(
    ("chart", "rows", "words"),
    [
        (Chart("map", "city", ("n",)), Rows(("city", "n"), (("Oslo", 1),)), "no countries"),
        (Chart("map", "country", ("sales",)), Rows(("country", "sales"), (("Peru", None),)), "no countries"),
        (Chart("map", "country", ("a", "b")), Rows(("country", "a", "b"), (("Peru", 1, 2),)), "one figure"),
        (Chart("map", "country"), SALES, "figure"),
        (Chart("map", "sales", ("sales",)), Rows(("country", "sales"), (("Peru", 900),)), "no longitudes"),
        (Chart("map", "", ("sales",)), SALES, "countries"),
    ],
)
def test_a_map_of_nothing_is_refused_in_words(chart, rows, words) -> None:
    with pytest.raises(ValueError, match=words):
        check(chart, rows)


def test_names_mean_no_markup() -> None:
    rows = Rows(("store", "lat", "lon"), (("<b>x</b>", 1.5, 2.5), ("y", 3.5, 4.5)))
    assert figure(check(Chart("map", "lon", ("lat",)), rows), rows)["data"][0]["hovertext"][0].startswith(
        "&lt;b&gt;"
    )
