"""Frames as JSON: the same frame comes back, and what is broken, unknown or gone is refused in plain words."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sqlagent.catalog.semantics import derive
from sqlagent.catalog.value_index import ValueIndex
from sqlagent.errors import FrameError
from sqlagent.makers.analyst.answering import understand
from sqlagent.makers.analyst.chips import changed, chips, title_of
from sqlagent.makers.analyst.reading import GRAIN_PHRASES
from sqlagent.makers.analyst.source import Source
from sqlagent.makers.analyst.stored_frames import frame_of, plain
from sqlagent.testing import MemoryDatabase

CASES = Path(__file__).parent / "cases" / "analyst"
QUESTIONS = [json.loads(line) for line in (CASES / "questions.jsonl").read_text().splitlines()]
TODAY = date(2026, 1, 5)


def _sources() -> dict[str, Source]:
    made = {}
    for name in ("cafes", "workshop", "garden"):
        database = MemoryDatabase((CASES / f"{name}.sql").read_text())
        index = ValueIndex.build(database.catalog(), database)
        made[name] = Source(derive(database.catalog(), index), index)
    return made


SOURCES = _sources()
FRAMES = [
    (case["db"], found.frame)
    for case in QUESTIONS
    for found in understand(case["question"], SOURCES[case["db"]], TODAY)[1]
]


def through_json(frame, source: Source):
    return frame_of(json.loads(json.dumps(plain(frame, source.model))), source.model)


def test_every_frame_of_the_cases_comes_back_as_it_was():
    assert len(FRAMES) > 100
    for name, frame in FRAMES:
        assert through_json(frame, SOURCES[name]) == frame


@pytest.mark.parametrize("grain", sorted({*GRAIN_PHRASES, "weekend"}))
def test_every_grain_that_can_be_typed_comes_back_as_it_was(grain: str):
    source = SOURCES["cafes"]
    frames = [found.frame for found in understand(f"revenue by {grain}", source, TODAY)[1]]
    assert frames
    for frame in frames:
        assert through_json(frame, source) == frame


@settings(max_examples=20)
@given(st.data())
def test_a_frame_changed_any_number_of_times_comes_back_as_it_was(data):
    name, frame = data.draw(st.sampled_from(FRAMES))
    source = SOURCES[name]
    for _ in range(data.draw(st.integers(1, 3))):
        choices = [(one.slot, a.key) for one in chips(frame, source, TODAY) for a in one.alternatives]
        if not choices:
            return
        slot, key = data.draw(st.sampled_from(choices))
        frame = changed(frame, slot, key, source, TODAY).frame
        assert through_json(frame, source) == frame


def stored() -> tuple[dict, Source]:
    frame = next(f for name, f in FRAMES if name == "garden" and f.by and f.where)
    return json.loads(json.dumps(plain(frame, SOURCES["garden"].model))), SOURCES["garden"]


@pytest.mark.parametrize(
    "data",
    [None, 7, "frame", [], {}, {"form": 1}, {"form": 1, "frame": None}, {"form": 1, "frame": {}},
     {"form": 1, "frame": {"anchor": 3}}, {"form": 1, "frame": {"anchor": "Product", "more": 1}},
     {"form": 1, "frame": {"anchor": "Product", "limit": True}}, {"form": 1, "frame": {"anchor": "Product", "cost": "x"}},
     {"form": 1, "frame": {"anchor": "Product", "measures": {}}},
     {"form": 1, "frame": {"anchor": "Product", "measures": [{"agg": "sum(x); drop", "anchor": "Product"}]}},
     {"form": 1, "frame": {"anchor": "Product", "where": [{"op": "in", "slots": [{"field": {"table": "Product"}}]}]}},
     {"form": 1, "frame": {"anchor": "Product", "where": [{"op": "period", "period": {"first": "soon", "until": None, "grain": "year"}}]}}],
    ids=str,
)  # fmt: skip
def test_what_is_no_frame_is_refused(data):
    with pytest.raises(FrameError, match="stored frame"):
        frame_of(data, SOURCES["garden"].model)


def test_a_frame_of_another_form_says_to_ask_again():
    data, source = stored()
    with pytest.raises(FrameError, match="another version of Mirror. Ask the question again"):
        frame_of({**data, "form": 2}, source.model)


def test_a_column_a_table_and_a_way_that_have_gone_are_named():
    data, source = stored()
    shown = data["frame"]["by"][0]["shown"][0]
    column = shown["field"]
    fields = {
        table: tuple(f for f in some if (table, f.column) != (column["table"], column["column"]))
        for table, some in source.model.fields.items()
    }
    with pytest.raises(FrameError, match=rf"column {column['table']}\.{column['column']} is no longer there"):
        frame_of(data, replace(source.model, fields=fields))
    with pytest.raises(FrameError, match="The way from .* is no longer there"):
        frame_of(data, replace(source.model, relations=()))
    things = {name: thing for name, thing in source.model.things.items() if name != data["frame"]["anchor"]}
    with pytest.raises(FrameError, match=f"table {data['frame']['anchor']} is no longer there"):
        frame_of(data, replace(source.model, things=things))


def test_parts_without_end_are_refused_and_do_not_end_the_process():
    deep: dict = {"op": "all"}
    for _ in range(200):
        deep = {"op": "all", "parts": [deep]}
    with pytest.raises(FrameError, match="nested too deeply"):
        frame_of({"form": 1, "frame": {"anchor": "Product", "where": [deep]}}, SOURCES["garden"].model)


@pytest.mark.parametrize("by", [None, [], [{"shown": [], "said": "mood"}]], ids=str)
def test_columns_of_values_without_the_column_they_are_of_are_refused(by):
    data, source = stored()
    frame = {**data["frame"], "pivot": ["A", "B"]} | ({"by": by} if by is not None else {})
    if by is None:
        del frame["by"]
    with pytest.raises(FrameError, match="stored frame"):
        frame_of({"form": 1, "frame": frame}, source.model)


def test_columns_of_values_without_figures_are_refused():
    data, source = stored()
    frame = {name: part for name, part in data["frame"].items() if name != "measures"}
    with pytest.raises(FrameError, match="makes columns of values, and does not say of what"):
        frame_of({"form": 1, "frame": {**frame, "pivot": ["A"]}}, source.model)


def places(data, at=()):
    """Every place of a stored frame: the keys and numbers that lead to it."""
    for key in data if isinstance(data, dict) else range(len(data)):
        yield (*at, key)
        if isinstance(data[key], dict | list):
            yield from places(data[key], (*at, key))


@settings(max_examples=60)
@given(st.data())
def test_a_frame_that_lost_a_part_is_told_and_offered_otherwise_or_refused(data):
    name, own = data.draw(st.sampled_from(FRAMES))
    source = SOURCES[name]
    whole = json.loads(json.dumps(plain(own, source.model)))
    *way, last = data.draw(st.sampled_from(list(places(whole["frame"]))))
    place = whole["frame"]
    for key in way:
        place = place[key]
    if isinstance(place[last], list) and data.draw(st.booleans()):
        place[last] = []
    else:
        del place[last]
    if data.draw(st.booleans()):
        whole["frame"]["pivot"] = ["A", "B"]
    try:
        read = frame_of(whole, source.model)
        assert title_of(read)
        assert chips(read, source, TODAY)
    except FrameError as error:
        assert str(error)


@given(st.data())
def test_a_frame_with_anything_put_into_it_is_refused_or_read(data):
    """Arbitrary values in a stored frame cause only a plain refusal."""
    whole, source = stored()
    whole = copy.deepcopy(whole)
    place = whole["frame"]
    while True:
        key = data.draw(st.sampled_from(sorted(place) if isinstance(place, dict) else range(len(place))))
        inner = place[key]
        if isinstance(inner, dict | list) and inner and data.draw(st.booleans()):
            place = inner
            continue
        place[key] = data.draw(
            st.one_of(
                st.none(),
                st.booleans(),
                st.integers(),
                st.floats(),
                st.text(max_size=8),
                st.just([]),
                st.just({}),
            )
        )
        break
    try:
        frame_of(whole, source.model)
    except FrameError as error:
        assert str(error)
