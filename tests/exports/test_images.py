"""Charts as images: every mark, both renderers, nothing of nothing, and a browser that is never in the way."""

from __future__ import annotations

import math
import os
import re
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from django.utils.translation import override
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mirror.exports import images
from mirror.exports.images import browser, paper_style
from sqlagent.telling import charting
from sqlagent.values import Chart, Rows
from tests import warm

ROOT = Path(__file__).resolve().parents[2]
MONTHS = [date(2025, month, 1) for month in range(1, 13)]
REGIONS = Rows(
    ("month", "region", "orders"),
    tuple((m, r, n) for m in MONTHS for n, r in enumerate("ABC", start=m.month)),
)
CITIES = Rows(
    ("city", "sales", "cost"), tuple((c, n * 7 + 3, n) for n, c in enumerate(["Oslo", "Rome", "Bern"]))
)
NAMES = Rows(("product", "sales"), tuple((f"a product with a long name {n}", n) for n in range(25)))
SPREAD = Rows(("city", "price"), tuple((["Oslo", "Rome", "Bern"][n % 3], n * n % 97) for n in range(60)))
REVENUE = Rows(("month", "revenue"), tuple((m, m.month * 80_000.5) for m in MONTHS))
CHARTS = {
    "bars": (CITIES, {"mark": "bar", "x": "city", "y": ["sales"]}),
    "bars side by side": (CITIES, {"mark": "bar", "x": "city", "y": ["sales", "cost"]}),
    "bars that lie": (NAMES, {"mark": "bar", "x": "product", "y": ["sales"]}),
    "bars in heaps": (
        REGIONS,
        {"mark": "bar", "x": "month", "y": ["orders"], "series": "region", "aggregate": "sum"},
    ),
    "lines": (REGIONS, {"mark": "line", "x": "month", "y": ["orders"], "series": "region"}),
    "areas": (
        REGIONS,
        {"mark": "area", "x": "month", "y": ["orders"], "series": "region", "aggregate": "sum"},
    ),
    "figures of other sizes": (
        Rows(("month", "orders", "revenue"), tuple((m, m.month, m.month * 4_000) for m in MONTHS)),
        {"mark": "line", "x": "month", "y": ["orders", "revenue"]},
    ),
    "points": (CITIES, {"mark": "scatter", "x": "sales", "y": ["cost"]}),
    "slices": (CITIES, {"mark": "pie", "x": "city", "y": ["sales"]}),
    "counts": (NAMES, {"mark": "histogram", "x": "sales"}),
    "a number": (Rows(("revenue",), ((1234.5,),)), {"mark": "number", "y": ["revenue"]}),
    "boxes": (SPREAD, {"mark": "box", "x": "city", "y": ["price"]}),
    "boxes that lie": (
        Rows(("product", "price"), tuple((f"a long name {n % 3}", n * n) for n in range(40))),
        {"mark": "box", "x": "product", "y": ["price"]},
    ),
    "one box": (SPREAD, {"mark": "box", "y": ["price"]}),
    "a heatmap": (REGIONS, {"mark": "heatmap", "x": "month", "y": ["orders"], "series": "region"}),
    "bars with a line": (
        Rows(("month", "orders", "rate"), tuple((m, m.month * 900, m.month / 9) for m in MONTHS)),
        {"mark": "combo", "x": "month", "y": ["orders", "rate"]},
    ),
    "a number with its past": (
        Rows(("month", "orders"), tuple((m, m.month * 9 - 4) for m in MONTHS)),
        {"mark": "number", "x": "month", "y": ["orders"]},
    ),
    "shares": (
        REGIONS,
        {
            "mark": "bar",
            "x": "month",
            "y": ["orders"],
            "series": "region",
            "aggregate": "sum",
            "stack": "share",
        },
    ),
    "a map": (
        Rows(("country", "sales"), (("Norway", 3), ("Germany", 9), ("Malta", 1), ("Atlantis", 4))),
        {"mark": "map", "x": "country", "y": ["sales"]},
    ),
    "points on a map": (
        Rows(("lat", "lon", "sales"), ((59.9, 10.7, 4), (41.9, 12.5, 9))),
        {"mark": "map", "x": "lon", "y": ["lat", "sales"]},
    ),
    "small charts": (
        REGIONS,
        {"mark": "line", "x": "month", "y": ["orders"], "series": "region", "stack": "small"},
    ),
    "small charts of bars, with a line": (
        Rows(
            ("city", "kind", "sales"),
            tuple((c, k, n + m) for n, c in enumerate("ABCDE") for m, k in enumerate("xyz")),
        ),
        {"mark": "bar", "x": "kind", "y": ["sales"], "series": "city", "stack": "small", "line": "3"},
    ),
    "a scale of powers, with a line": (
        CITIES,
        {"mark": "bar", "x": "city", "y": ["sales"], "scale": "log", "line": "12"},
    ),
    "a line to compare with": (CITIES, {"mark": "bar", "x": "city", "y": ["sales"], "line": "12"}),
    "places of which some are named": (
        Rows(("hour", "day", "people"), tuple((f"h{h:02}", d, h + d) for h in range(24) for d in (1, 2))),
        {"mark": "heatmap", "x": "hour", "y": ["people"], "series": "day"},
    ),
    "ups and downs": (
        Rows(("month", "orders"), tuple(zip(MONTHS, (18, 13, 16, 21), strict=False))),
        {"mark": "line", "x": "month", "y": ["orders"]},
    ),
    "years": (
        Rows(("year", "sales"), tuple((year, year % 7) for year in range(2015, 2026))),
        {"mark": "line", "x": "year", "y": ["sales"]},
    ),
    "words that mean something elsewhere": (
        Rows(("city", "sales"), (("$5 to $9", 1), ("<b>x</b>\x07", 2), ("_{a}^b", 3), (None, None))),
        {"mark": "bar", "x": "city", "y": ["sales"], "title": "$a_b$ & <i>\r\n", "note": "100 % \\frac"},
    ),
}


@pytest.fixture(autouse=True)
def rested(monkeypatch):
    """No pause from another test, and no browser left for the next."""
    monkeypatch.setattr(images, "_pause_until", 0.0)
    yield
    browser.close()


def size_of(png: bytes | None) -> tuple[int, int]:
    assert png is not None
    assert png.startswith(b"\x89PNG\r\n")
    return struct.unpack(">II", png[16:24])


@pytest.mark.parametrize("name", CHARTS)
def test_every_chart_is_drawn_without_a_browser(name, settings):
    settings.CHART_IMAGES = "simple"
    rows, chart = CHARTS[name]
    width, height = size_of(images.chart_image(chart, rows, width=600, height=300, scale=1))
    assert width == 600
    assert height > 300 if name in ("bars that lie", "figures of other sizes") else height == 300


def test_marks_of_one_number_a_place_are_drawn_at_their_places(monkeypatch):
    """Boxes, cells, lines over bars and named places lie where the figure says, not one after the other."""
    boxes = drawn("boxes", monkeypatch)[0]
    assert [text.get_text() for text in boxes.get_xticklabels()] == ["Bern", "Rome", "Oslo"]
    assert boxes.get_xlabel() == "City"
    heat, scale = drawn("a heatmap", monkeypatch)
    assert [text.get_text() for text in heat.texts] == [str(n + m) for n in range(1, 4) for m in range(12)]
    assert heat.yaxis_inverted()
    assert scale.get_yticks().size > 2
    bars, lines = drawn("bars with a line", monkeypatch)
    assert len(bars.patches) == 12
    assert [len(line.get_ydata()) for line in lines.lines] == [12]
    assert lines.get_ylabel() == "Rate"
    assert [text.get_text() for text in bars.get_legend().get_texts()] == ["Orders", "Rate"]
    words, past = drawn("a number with its past", monkeypatch)
    assert [text.get_text() for text in words.texts] == ["104 Orders", "+9 (+9.5%) since 2025-11-01"]
    assert len(past.lines[0].get_ydata()) == 12
    shares = drawn("shares", monkeypatch)[0]
    assert max(bar.get_y() + bar.get_height() for bar in shares.patches) == pytest.approx(100)
    powers = drawn("a scale of powers, with a line", monkeypatch)[0]
    assert powers.get_yscale() == "log"
    assert 0 < powers.get_ylim()[0] < 3
    small = drawn("small charts", monkeypatch)
    assert [axes.get_title(loc="left") for axes in small] == ["C", "B", "A"]
    assert {axes.get_ylim() for axes in small} == {small[0].get_ylim()}
    assert [list(axes.lines[0].get_ydata())[:2] for axes in small] == [[3, 4], [2, 3], [1, 2]]
    bars = drawn("small charts of bars, with a line", monkeypatch)
    assert [axes.axison for axes in bars] == [True] * 5 + [False]
    assert all(axes.yaxis_inverted() and len(axes.lines) == 1 for axes in bars[:5])
    many = drawn("places of which some are named", monkeypatch)[0]
    named = {text.get_text(): at for text, at in zip(many.get_xticklabels(), many.get_xticks(), strict=True)}
    rows, chart = CHARTS["places of which some are named"]
    order = charting.figure(Chart(**{**chart, "y": ("people",)}), rows)["layout"]["xaxis"]["categoryarray"]
    assert len(named) == 12
    assert all(order[int(at)] == text for text, at in named.items())


def test_without_a_browser_a_map_is_bars_and_says_so(monkeypatch):
    bars = drawn("a map", monkeypatch)[0]
    assert [text.get_text() for text in bars.get_xticklabels()] == ["Germany", "Atlantis", "Norway", "Malta"]
    assert any(images.NO_MAP in text.get_text() for text in bars.figure.texts)
    points = drawn("points on a map", monkeypatch)[0]
    assert list(points.lines[0].get_ydata()) == [59.9, 41.9]


def test_months_are_said_in_the_language_of_the_reader(monkeypatch):
    """Both renderers wrote "Mar" and "Oct" where the words beside them were German."""
    said = {}
    for language in ("en", "de"):
        with override(language):
            axes = drawn("lines", monkeypatch)[0]
            said[language] = [text.get_text() for text in axes.get_xticklabels()]
    assert "Mar" in said["en"] and "Mär" not in said["en"]
    assert "Mär" in said["de"] and "Mar" not in said["de"]

    rows, chart = CHARTS["lines"]
    with override("de"):
        figure = images._said(charting.check(Chart.read(chart), rows), rows)
        laid = paper_style.laid_out(figure, 600, 300)
    config = laid["layout"]["meta"].pop("config")
    ((language, words),) = config["locales"].items()
    assert (config["locale"], words["format"]["shortMonths"][2], words["format"]["days"][0]) == (
        language,
        "Mär",
        "Sonntag",
    )
    english = browser.draw(laid, 600, 300, 1)
    laid["layout"]["meta"]["config"] = config
    assert browser.draw(laid, 600, 300, 1) != english


@pytest.mark.parametrize(
    ("heading", "title"),
    [
        ("Orders by month, 2025", ""),
        ("orders BY Month", ""),
        ("Orders of 2025", "Orders by month"),
        ("", "Orders by month"),
    ],
)
def test_a_title_that_the_heading_says_already_is_left_out(monkeypatch, heading, title):
    paper = drawn("ups and downs", monkeypatch, heading=heading)[0].figure
    assert [text.get_text() for text in paper.texts] == ([title] if title else [])


def test_a_label_of_a_low_point_stands_below_the_line(monkeypatch):
    axes = drawn("ups and downs", monkeypatch)[0]
    sides = {text.get_text(): text.xyann[1] for text in axes.texts}
    assert {word: side < 0 for word, side in sides.items()} == {
        "18": False,
        "13": True,
        "16": False,
        "21": False,
    }


def drawn(name: str, monkeypatch, **how: str) -> list[Axes]:
    """Axes that matplotlib drew."""
    rows, chart = CHARTS[name]
    papers = []
    whole = Figure.savefig
    monkeypatch.setattr(
        Figure, "savefig", lambda paper, *a, **k: (papers.append(paper), whole(paper, *a, **k))
    )
    monkeypatch.setattr(images, "_by_browser", lambda *_: None)
    images.chart_image(chart, rows, **how)
    monkeypatch.undo()
    return papers[0].axes


def test_charts_are_drawn_by_the_browser_and_it_stays_for_the_next(settings):
    settings.CHART_IMAGES = "plotly"
    processes = set()
    for rows, chart in (CHARTS["lines"], CHARTS["words that mean something elsewhere"], CHARTS["slices"]):
        assert size_of(images.chart_image(chart, rows, width=600, height=300, scale=2)) == (1200, 600)
        processes.add(browser._browser._kaleido.subprocess.pid)
    assert len(processes) == 1


def test_a_browser_that_nobody_needs_ends_with_all_its_processes_and_the_next_chart_starts_another(settings):
    settings.CHART_IMAGES, settings.CHART_BROWSER_SECONDS = "plotly", 0.2
    rows, chart = CHARTS["bars"]
    assert images.chart_image(chart, rows)
    first = browser._browser._kaleido.subprocess.pid if browser._browser else 0
    assert until(lambda: browser._browser is None)
    assert not first or until(lambda: not session_of(first))
    settings.CHART_BROWSER_SECONDS = 60
    assert images.chart_image(chart, rows)
    assert browser._browser._kaleido.subprocess.pid != first


@pytest.mark.parametrize("how", ["simple", "auto"])
@pytest.mark.parametrize(
    ("chart", "rows"),
    [
        (None, CITIES),
        ({}, CITIES),
        ({"mark": "none", "note": "nothing"}, CITIES),
        ({"mark": "bar", "x": "city", "y": ["sales"]}, Rows(("city", "sales"), ())),
        ({"mark": "bar", "x": "gone", "y": ["sales"]}, CITIES),
        ({"mark": "flower", "x": "city", "y": ["sales"]}, CITIES),
    ],
)
def test_a_chart_of_nothing_is_none(chart, rows, how, settings):
    settings.CHART_IMAGES = how
    assert images.chart_image(chart, rows) is None


def test_a_browser_that_hangs_is_given_up_and_a_plainer_chart_comes_in_time(settings, monkeypatch):
    settings.CHART_IMAGES = "auto"
    rows, chart = CHARTS["bars"]
    assert images.chart_image(chart, rows)
    process = browser._browser._kaleido.subprocess
    assert len(session_of(process.pid)) > 2
    os.killpg(process.pid, signal.SIGSTOP)
    monkeypatch.setattr(browser, "SECONDS", 0.5)
    monkeypatch.setattr(browser, "CLOSE_SECONDS", 0.5)
    began = time.monotonic()
    assert size_of(images.chart_image(chart, rows, width=600, height=300, scale=1)) == (600, 300)
    assert time.monotonic() - began < 10
    assert until(lambda: not session_of(process.pid))
    assert browser._browser is None
    assert images.chart_image(chart, rows), "while it has a pause no browser is started"
    assert browser._browser is None


def test_without_a_chromium_charts_are_drawn_all_the_same(settings, monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    for how in ("auto", "plotly"):
        settings.CHART_IMAGES = how
        rows, chart = CHARTS["bars"]
        assert images.chart_image(chart, rows)
        assert browser._browser is None


def test_the_browser_ends_with_its_process_however_that_ends():
    code = """
import django, time
django.setup()
from mirror.exports.images import browser, chart_image
from tests.exports.test_images import CHARTS
rows, chart = CHARTS["bars"]
assert chart_image(chart, rows)
print(browser._browser._kaleido.subprocess.pid, flush=True)
time.sleep(60)
"""
    process = warm.Popen(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=os.environ
        | {"DJANGO_SETTINGS_MODULE": "tests.settings", "CHART_IMAGES": "plotly", "PYTHONPATH": "."},
        stdout=subprocess.PIPE,
    )
    chromium = int(process.stdout.readline())
    assert len(session_of(chromium)) > 2
    process.kill()
    process.wait(10)
    assert until(lambda: not session_of(chromium))


def session_of(pid: int) -> list[int]:
    """The processes of a session, without those that have ended."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, _, session = stat.read_text().rsplit(")", 1)[1].split()[:4]
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(session) == pid and state != "Z":
            found.append(int(stat.parent.name))
    return found


def until(happens: Callable[[], bool], seconds: float = 10) -> bool:
    end = time.monotonic() + seconds
    while not happens() and time.monotonic() < end:
        time.sleep(0.05)
    return happens()


# ---------------------------------------------------------------- colours


def test_a_legend_above_the_chart_has_room_under_its_title():
    """Lying bars of several series: the legend stood on the title."""
    rows = Rows(
        ("customer", "channel", "n"),
        tuple(
            (f"A customer with a long name {n}", f"channel {m}", n + m) for n in range(14) for m in range(3)
        ),
    )
    figure = charting.figure(Chart("bar", "customer", ("n",), "channel", title="Orders"), rows)
    assert figure["layout"]["legend"]["y"] == 1
    one, two = (paper_style.laid_out(figure, width, 400)["layout"]["margin"]["t"] for width in (720, 300))
    assert one == 44 + 22 and two == 44 + 44


def test_numbers_on_cells_are_read_well_on_every_shade():
    rows = Rows(("x", "y", "n"), tuple((f"x{n % 12}", f"y{n // 12}", n) for n in range(144)))
    figure = charting.figure(Chart("heatmap", "x", ("n",), "y"), rows)
    parts = paper_style.laid_out(figure, 720, 400)["data"]
    assert {part["textfont"]["color"] for part in parts} == set(paper_style.INKS)
    assert [part["showscale"] for part in parts] == [True, False]
    cells = [[cell for row in part["z"] for cell in row] for part in parts]
    assert [[cell for cell in both if cell is not None] for both in zip(*cells, strict=True)] == [
        [cell] for row in figure["data"][0]["z"] for cell in row
    ]
    written = [[text for row in part["text"] for text in row] for part in parts]
    assert ["".join(both) for both in zip(*written, strict=True)] == [
        text for row in figure["data"][0]["text"] for text in row
    ]
    for part in parts:
        assert (part["zmin"], part["zmax"]) == (0, 143)
        ink = paper_style._parts(part["textfont"]["color"])
        shades = [paper_style._shade(cell / 143) for row in part["z"] for cell in row if cell is not None]
        assert min(paper_style.contrast(shade, ink) for shade in shades) >= 4.5


@pytest.mark.parametrize("cells", [[[None, None]], [[7, 7]], [[7, None]], []])
def test_a_heatmap_of_one_shade_or_none_stays_one(cells):
    labels = [["" if cell is None else str(cell) for cell in row] for row in cells]
    parts = paper_style._inked({"type": "heatmap", "z": cells, "text": labels, "texttemplate": "%{text}"})
    assert [(part["z"], part["text"]) for part in parts] == [(cells, labels)]


def test_the_colours_are_those_of_the_style_sheet_by_day():
    css = (ROOT / "frontend/static/css/tokens.css").read_text()
    found = {
        name: rgb(*map(float, numbers))
        for name, *numbers in re.findall(r"--([\w-]+): light-dark\(oklch\(([\d.]+)% ([\d.]+) ([\d.]+)\)", css)
    }
    assert tuple(found[f"series-{n}"] for n in range(1, 9)) == paper_style.SERIES
    assert tuple(found[f"scale-{n}"] for n in range(1, 6)) == paper_style.SCALE
    names = ("panel", "text", "text-muted", "line", "line-strong", "sunken")
    ours = tuple(getattr(paper_style, name) for name in ("PANEL", "TEXT", "MUTED", "LINE", "STRONG", "LAND"))
    assert tuple(map(found.get, names)) == ours


def rgb(light: float, chroma: float, hue: float) -> str:
    """OKLCH to sRGB, as Björn Ottosson defines it (2020)."""
    a, b = chroma * math.cos(math.radians(hue)), chroma * math.sin(math.radians(hue))
    l, m, s = (  # noqa: E741
        (light / 100 + x * a + y * b) ** 3
        for x, y in (
            (0.3963377774, 0.2158037573),
            (-0.1055613458, -0.0638541728),
            (-0.0894841775, -1.2914855480),
        )
    )
    linear = (
        4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
        -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
        -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s,
    )
    curved = (12.92 * c if c <= 0.0031308 else 1.055 * c ** (1 / 2.4) - 0.055 for c in linear)
    return "#" + "".join(f"{round(255 * min(1.0, max(0.0, c))):02x}" for c in curved)


def test_a_value_stands_at_its_bar_only_where_it_fits_whole() -> None:
    rows = Rows(
        ("quarter", "region", "revenue"),
        tuple((f"Q{q}", region, 100_296 + q * n) for q in range(1, 5) for n, region in enumerate("ABC")),
    )
    chart = Chart("bar", x="quarter", y=("revenue",), series="region", stack="group")
    figure = charting.figure(charting.check(chart, rows), rows)
    assert all("text" in one for one in paper_style.words_whole(figure, 1_400)["data"])
    assert not any("text" in one for one in paper_style.words_whole(figure, 720)["data"])


def test_a_browser_that_does_not_come_up_is_started_once_more(settings, monkeypatch):
    settings.CHART_IMAGES = "auto"
    begun, tries = browser._Browser._first_drawn, []

    async def drawn(self, figure, opts):
        tries.append(figure)
        if len(tries) == 1:
            raise RuntimeError("The browser seemed to close immediately after starting.")
        return await begun(self, figure, opts)

    monkeypatch.setattr(browser._Browser, "_first_drawn", drawn)
    rows, chart = CHARTS["bars"]
    assert size_of(images.chart_image(chart, rows, width=600, height=300, scale=2)) == (1200, 600)
    assert len(tries) == 2
    assert browser._browser is not None


def test_numbers_of_axes_are_shortened_by_english_letters_in_english_alone():
    figure = charting.figure(Chart(mark="line", x="month", y=("revenue",)), REVENUE)
    english = paper_style.laid_out(figure, 720, 400)
    with override("de"):
        german = paper_style.laid_out(figure, 720, 400)
    looks = [drawn["layout"]["template"]["layout"]["yaxis"] for drawn in (english, german)]
    assert [look.get("exponentformat") for look in looks] == [None, "none"], (
        "900.000, as on pages, and not 0,9M"
    )
    assert browser.draw(english, 720, 400, 1) != browser.draw(german, 720, 400, 1)
