"""When two results are the same answer. The cases are files: a new one is a line."""

from __future__ import annotations

import json
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqlagent.method.grouping import asks_order, fingerprint, group_by_execution, same_answer_bird
from sqlagent.rows.cells import alike, cell_key, column_bags
from sqlagent.values import Candidate, Execution, Failure, FailureKind, Rows

CASES = Path(__file__).parent / "cases" / "grouping"


def lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (CASES / name).read_text(encoding="utf-8").splitlines()]


MAKERS: dict[str, Any] = {
    "float": float,
    "decimal": Decimal,
    "date": date.fromisoformat,
    "datetime": datetime.fromisoformat,
    "time": time.fromisoformat,
    "seconds": lambda seconds: timedelta(seconds=seconds),
    "bytes": bytes.fromhex,
    "json": lambda value: value,
    "uuid": UUID,
}


def cell(written: Any) -> Any:
    """Read a cell as the case files write it: `{"decimal": "1.0"}` is Decimal("1.0")."""
    if isinstance(written, dict):
        [(kind, value)] = written.items()
        return MAKERS[kind](value)
    return written


def rows(*cells: tuple[Any, ...], truncated: bool = False) -> Rows:
    return Rows(tuple(f"c{i}" for i in range(len(cells[0]) if cells else 1)), cells, truncated)


def ran(sql: str, result: Rows | Failure) -> Execution:
    return Execution(Candidate(sql), result, sql)


@pytest.mark.parametrize("case", lines("cells.jsonl"), ids=lambda case: case["why"])
def test_cells_are_the_same_when_their_case_says_so(case: dict[str, Any]) -> None:
    assert (cell_key(cell(case["a"])) == cell_key(cell(case["b"]))) is case["same"]


@pytest.mark.parametrize("case", lines("rows.jsonl"), ids=lambda case: case["why"])
def test_results_are_the_same_when_their_case_says_so(case: dict[str, Any]) -> None:
    one, two = (rows(*map(tuple, case[side])) for side in "ab")
    assert (fingerprint(one, case["ordered"]) == fingerprint(two, case["ordered"])) is case["same"]


@pytest.mark.parametrize("case", lines("questions.jsonl"), ids=lambda case: case["question"])
def test_an_order_is_asked_for_when_the_question_says_so(case: dict[str, Any]) -> None:
    assert asks_order(case["question"]) is case["ordered"]


def test_the_key_says_whether_order_counted() -> None:
    one = rows((1,), (2,))
    assert fingerprint(one, True) != fingerprint(one, False)


def test_column_names_do_not_matter() -> None:
    assert fingerprint(Rows(("a",), ((1,),)), False) == fingerprint(Rows(("b",), ((1,),)), False)


def test_a_cut_result_never_equals_a_whole_one() -> None:
    assert fingerprint(rows((1,), truncated=True), False) != fingerprint(rows((1,)), False)


def test_groups_come_largest_first_and_ties_in_order_of_sampling() -> None:
    pool = [ran("a", rows((1,))), ran("b", rows((2,))), ran("c", rows((3,))), ran("d", rows((2,)))]
    groups = group_by_execution(pool, ordered=False)
    assert [[m.sql for m in g.members] for g in groups] == [["b", "d"], ["a"], ["c"]]


def test_failures_form_no_group() -> None:
    pool = [ran("a", Failure(FailureKind.ERROR, "no such table")), ran("b", rows((1,)))]
    assert [g.size for g in group_by_execution(pool, ordered=False)] == [1]


def test_a_million_cells_are_grouped_without_being_kept() -> None:
    large = rows(*((i, float(i)) for i in range(100_000)))
    assert len(fingerprint(large, ordered=False)) < 80


def test_the_benchmark_profile_compares_sets_of_rows() -> None:
    assert same_answer_bird(rows((1,), (1,)), rows((1,)))
    assert not same_answer_bird(rows((1,)), rows((2,)))


CELLS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=5),
    st.decimals(),
    st.binary(max_size=5),
)


@given(CELLS)
def test_every_cell_has_one_key(value: Any) -> None:
    assert cell_key(value) == cell_key(value)


@given(st.lists(st.tuples(CELLS, CELLS), max_size=6), st.randoms())
def test_a_shuffled_bag_is_the_same_answer(cells: list[tuple[Any, Any]], chance: Any) -> None:
    turned = cells[:]
    chance.shuffle(turned)
    assert fingerprint(rows(*cells), False) == fingerprint(rows(*turned), False)


def similarity(one: Rows, other: Rows) -> float:
    """How alike two results are."""
    return alike(column_bags(one), column_bags(other))


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=6))
def test_similarity_is_one_for_the_same_and_never_outside_0_to_1(cells: list[tuple[int, int]]) -> None:
    one, other = rows(*cells), rows(*((a, b + 1) for a, b in cells))
    assert similarity(one, one) == 1.0
    assert 0.0 <= similarity(one, other) == similarity(other, one) <= 1.0


def test_a_permuted_column_is_alike_but_another_answer() -> None:
    one, other = rows((1, "x"), (2, "y")), rows(("x", 1), ("y", 2))
    assert similarity(one, other) == 1.0
    assert fingerprint(one, False) != fingerprint(other, False)
