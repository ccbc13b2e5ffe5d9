"""The fit of the deterministic judge: its training data, its features, and the report on held-out questions."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import numpy as np
import pytest

from sqlagent.evaluation import fit_ranker
from sqlagent.evaluation.fit_ranker import NAMES, VOTE, held_out, sturdy, weigh
from sqlagent.evaluation.items import BadInput
from sqlagent.evaluation.ranker_choices import (
    FIVE,
    FULL,
    ONLY,
    WITHOUT_FIVE,
    WITHOUT_FULL,
    Choice,
    family,
    read_generated,
    read_pool,
)


def choice(
    right: dict[str, float], wrong: dict[str, float], pool: str = "spider_dev", **how: object
) -> Choice:
    """A question with two groups of the same size, of which the first is right."""
    given = {"db": "a", "kind": FULL, "sizes": (2, 2), "oracle": True, "weight": 1.0} | how
    return Choice(pool=pool, features=(right, wrong), right=(True, False), empty=(False, False), **given)  # type: ignore[arg-type]


def speaking(name: str, pool: str, times: int, *, against: bool = False, **how: object) -> list[Choice]:
    """Questions in which a feature speaks against the wrong group, or against the right one."""
    has, none = {name: 1.0}, {name: 0.0}
    return [choice(*((has, none) if against else (none, has)), pool, **how) for _ in range(times)]


def test_the_vote_always_counts_and_nothing_that_nobody_confirms() -> None:
    assert set(sturdy([], [])) == VOTE
    assert set(sturdy(speaking("empty", "spider_dev", 30), [])) == VOTE | {"empty"}, (
        "the others have no such feature"
    )
    assert set(sturdy(speaking("empty", "spider_dev", 5), [])) == VOTE, (
        "five questions are too few to stand alone"
    )


def test_a_feature_counts_that_two_kinds_confirm_and_none_contradicts() -> None:
    pools = speaking("star", "spider_dev", 5) + speaking("star", "bird_dev", 5)
    assert "star" in sturdy(pools, [])
    assert "star" in sturdy(speaking("star", "bird_dev", 5), speaking("star", "spider_train", 5))
    assert "star" not in sturdy(pools, speaking("star", "spider_train", 9, against=True))
    assert "star" not in sturdy(
        speaking("star", "spider_dev", 5), speaking("star", "spider_train", 1, against=True)
    )


def test_a_feature_that_speaks_for_a_candidate_is_tested_in_its_own_direction() -> None:
    for_it = speaking("select_asked", "spider_dev", 9, against=True) + speaking(
        "select_asked", "bird_dev", 9, against=True
    )
    assert "select_asked" in sturdy(for_it, [])
    assert "select_asked" not in sturdy(speaking("select_asked", "spider_dev", 30), [])


def test_weights_keep_to_their_direction_and_a_beam_does_not_vote() -> None:
    names = ("log_share", "empty", "select_asked")
    wrong_way = speaking("empty", "spider_dev", 20, against=True)
    assert list(weigh(wrong_way, [], [], names)) == [0, 0, 0]
    beam = [choice({"log_share": 0.0}, {"log_share": -3.0}, "spider_train") for _ in range(50)]
    assert weigh(wrong_way, beam, [], names)[0] == 0
    as_pools = weigh([*wrong_way, *beam], [], [], names)
    assert as_pools[0] > 0


def test_what_was_left_out_is_chosen_in_with_the_weights_of_the_others() -> None:
    kinds = [
        *speaking("empty", "spider_dev", 9, db="a"), *speaking("empty", "spider_dev", 9, db="b"),
        *speaking("empty", "spider_dev", 3, db="a", kind=ONLY, family="codes"),
        *speaking("empty", "spider_dev", 9, db="b", kind=WITHOUT_FULL, family="codes"),
    ]  # fmt: skip
    every = [c for pool in ("spider_dev", "bird_dev", "bird_minidev") for c in _in(kinds, pool)]
    every += _as(every, FIVE)
    lines = held_out(every, [], []).splitlines()
    first = next(line for line in lines if line.startswith("spider_dev"))
    assert first.split()[1:7] == ["18", "50.00", "100.00", "100.00", "100.0", "%"], (
        "ties of the vote are averaged"
    )
    assert lines[-1].split()[:5] == ["bird_minidev", "3", "50.00", "100.00", "100.00"]


def _in(choices: list[Choice], pool: str) -> list[Choice]:
    return [
        Choice(c.db, pool, c.features, c.right, c.empty, c.weight, c.kind, c.family, c.sizes, c.oracle)
        for c in choices
    ]


def _as(choices: list[Choice], kind: str) -> list[Choice]:
    return [
        Choice(c.db, c.pool, c.features, c.right, c.empty, c.weight, kind, "", c.sizes, c.oracle)
        for c in choices
        if c.kind == FULL
    ]


def test_a_thin_lead_leaves_the_vote_its_winner() -> None:
    contested = choice({}, {}, sizes=(3, 1))
    assert fit_ranker._taken(contested, [1.0, 1.2], 0.0) == 1
    assert fit_ranker._taken(contested, [1.0, 1.2], 0.3) == 0
    assert fit_ranker._taken(choice({}, {}), [1.0, 1.2], 9.0) == 1, "of the largest the better one"


def test_families_tell_relatives() -> None:
    assert len({family("nl2sql360/RESDSQL_3B"), family("nl2sql360/resdsql_text2sql_base")}) == 1
    assert family("dts/Mistral-7B") == family("nl2sql360/SFT_Llama3_8B") != family("tasql/GPT-4")
    assert family("dpc/GPT-5#1") == family("dpc/GPT-5#4") != family("dpc/CHESS#1")


ROWS = "CREATE TABLE city (name TEXT, land TEXT); INSERT INTO city VALUES ('Oslo', 'Norway'), ('Bergen', 'Norway'), ('Lyon', 'France');"
RIGHT, WRONG = "SELECT COUNT(*) FROM city WHERE land = 'Norway'", "SELECT COUNT(*) FROM city"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "databases" / "towns").mkdir(parents=True)
    connection = sqlite3.connect(tmp_path / "databases" / "towns" / "towns.sqlite")
    connection.executescript(ROWS)
    connection.close()
    systems = ["dpc/CHESS#1", "dpc/CHESS#2", "dpc/CHESS#3", "dpc/CHESS#4", "dpc/GPT-5#1", "dpc/GPT-5#2"]
    candidates = [{"system": one, "sql": RIGHT if n < 3 else WRONG} for n, one in enumerate(systems)]
    line = {
        "id": "1",
        "db": "towns",
        "question": "How many cities are in Norway?",
        "gold": RIGHT,
        "ordered": False,
    }
    (tmp_path / "pool.jsonl").write_text(
        json.dumps(line | {"candidates": [*candidates, {"system": "x/y", "sql": ""}]})
    )
    (tmp_path / "questions.jsonl").write_text(json.dumps(line))
    return tmp_path


def test_a_pool_is_read_whole_in_draws_and_by_families(folder: Path) -> None:
    choices = read_pool(folder, folder)
    kinds = {(c.kind, c.family) for c in choices}
    assert kinds == {
        (FULL, ""), (FIVE, ""), (ONLY, "chess"),
        (WITHOUT_FULL, "chess"), (WITHOUT_FULL, "gpt-5"), (WITHOUT_FIVE, "chess"), (WITHOUT_FIVE, "gpt-5"),
    }  # fmt: skip
    whole = choices[0]
    assert sorted(zip(whole.sizes, whole.right, strict=True)) == [(3, False), (3, True)] and whole.oracle
    without = next(c for c in choices if (c.kind, c.family) == (WITHOUT_FULL, "chess"))
    assert without.sizes == (2,) and not without.oracle
    assert next(c for c in choices if c.kind == ONLY).weight == 0
    assert [c.features for c in read_pool(folder, folder)] == [c.features for c in choices], (
        "the same each time"
    )


def test_what_the_generator_writes_is_read_with_what_is_right(folder: Path) -> None:
    (found,) = read_generated(folder)
    assert (
        len(found.features) >= 2
        and any(found.right)
        and not all(found.right)
        and found.pool == "spider_train"
    )


def test_a_fit_writes_few_weights_in_their_direction(folder: Path, tmp_path: Path) -> None:
    data = tmp_path / "data"
    for name in ("spider_dev", "bird_dev", "bird_minidev", "spider_train"):
        (data / name).mkdir(parents=True)
        (data / name / "databases").symlink_to(folder / "databases")
        for file in ("pool.jsonl", "questions.jsonl"):
            (data / name / file).write_text((folder / file).read_text())
    for name in ("spider_dev",):  # a second database, so that one can be left out
        line = json.loads((folder / "pool.jsonl").read_text()) | {"id": "2", "db": "villages"}
        (folder / "databases" / "villages").mkdir()
        shutil_copy(folder / "databases/towns/towns.sqlite", folder / "databases/villages/villages.sqlite")
        with (data / name / "pool.jsonl").open("a") as file:
            file.write("\n" + json.dumps(line))
    out = tmp_path / "ranker.json"
    report = fit_ranker.fit(data, out)
    kept = json.loads(out.read_text())["weights"]
    assert kept and set(kept) <= set(NAMES)
    assert all((value >= 0) == (name in fit_ranker.UP) for name, value in kept.items())
    assert f"sturdy features of {len(NAMES)}" in report and "pools of one family alone" in report
    with pytest.raises(BadInput, match="cannot be written"):
        fit_ranker.fit(data, tmp_path / "nowhere" / "ranker.json")


def shutil_copy(one: Path, other: Path) -> None:
    other.write_bytes(one.read_bytes())


def test_the_weights_that_are_shipped_are_those_of_sturdy_features() -> None:
    from sqlagent.makers.judging import weights

    assert len(weights()) <= 32 and set(weights()) <= set(NAMES)
    assert all(np.isfinite(value) for value in weights().values())
