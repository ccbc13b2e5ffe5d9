"""The instrument: what it reads, what it prints, what it writes, and that it is the same each time."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from random import Random
from typing import Any

import pytest

from sqlagent.catalog.keys import KeyGraph
from sqlagent.evaluation.__main__ import main
from sqlagent.evaluation.bench_catalog import QUESTIONS, asked, large
from sqlagent.evaluation.items import BadInput, Item, gold_is_ordered, read_items
from sqlagent.evaluation.kinds import kind
from sqlagent.evaluation.mutations import mutations
from sqlagent.evaluation.scoring import bootstrap, calibration, gap_closed, mcnemar, percentile
from sqlagent.evaluation.selecting import drawn
from sqlagent.language import mentions
from sqlagent.makers.grammar.scoring import weights
from sqlagent.values import Catalog, Column, ForeignKey, Question, Table

PORT = """
CREATE TABLE ships (id INTEGER PRIMARY KEY, name TEXT, flag TEXT, tonnage INTEGER);
INSERT INTO ships VALUES (1, 'Aurora', 'Norway', 900), (2, 'Borealis', 'Norway', 400),
    (3, 'Calypso', 'Malta', 1200), (4, 'Dione', 'Malta', 700), (5, 'Eos', 'Malta', 100);
"""
RIGHT, WRONG = (
    "SELECT COUNT(*) FROM ships WHERE flag = 'Malta'",
    "SELECT COUNT(*) FROM ships WHERE flag = 'malta'",
)
POOL = [
    {
        "id": "1",
        "db": "port",
        "question": "How many ships are from Malta?",
        "hint": "",
        "gold": RIGHT,
        "ordered": False,
        "candidates": [
            {"system": "a", "sql": WRONG},
            {"system": "b", "sql": WRONG},
            {"system": "c", "sql": RIGHT},
        ],
    },
    {
        "id": "2",
        "db": "port",
        "question": "List the names of ships sorted by tonnage.",
        "hint": "",
        "gold": "SELECT name FROM ships ORDER BY tonnage",
        "candidates": [
            {"system": "a", "sql": "SELECT name FROM ships ORDER BY tonnage"},
            {"system": "b", "sql": "SELECT name FROM ships ORDER BY tonnage DESC"},
            {"system": "c", "sql": "DROP TABLE ships"},
        ],
    },
    {
        "id": "3",
        "db": "port",
        "question": "Who?",
        "gold": "SELECT 1 FROM ships",
        "candidates": [{"sql": "nonsense"}],
    },
]


@pytest.fixture
def databases(tmp_path: Path) -> Path:
    folder = tmp_path / "databases" / "port"
    folder.mkdir(parents=True)
    connection = sqlite3.connect(folder / "port.sqlite")
    connection.executescript(PORT)
    connection.close()
    return folder.parent


def written(path: Path, lines: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def select(
    tmp_path: Path, databases: Path, *more: str, pool: list[dict[str, Any]] = POOL
) -> list[dict[str, Any]]:
    out = tmp_path / "out.jsonl"
    file = written(tmp_path / "pool.jsonl", pool)
    code = main(["select", "--pool", str(file), "--databases", str(databases), "--json", str(out), *more])
    assert code == 0
    return read(out)


@pytest.mark.parametrize("mode", ["fast", "faithful"])
def test_select_chooses_one_candidate_a_question_as_it_is(
    tmp_path: Path, databases: Path, capsys: pytest.CaptureFixture[str], mode: str
) -> None:
    lines = select(tmp_path, databases, "--mode", mode)
    assert [line["id"] for line in lines] == ["1", "2", "3"]
    assert all({"id", "sql", "confidence", "groups", "seconds"} <= set(line) for line in lines)
    assert lines[0]["sql"] in (RIGHT, WRONG)
    assert lines[1]["sql"].startswith("SELECT name FROM ships ORDER BY tonnage")
    assert (lines[2]["sql"], lines[2]["confidence"], lines[2]["groups"]) == (None, 0.0, [])
    table = capsys.readouterr().out
    for word in ("port", "overall", "mean", "vote", "oracle", "gap closed", "bootstrap"):
        assert word in table


def test_select_finds_the_stored_value_where_the_vote_does_not(
    tmp_path: Path, databases: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert select(tmp_path, databases, pool=POOL[:1])[0]["sql"] == RIGHT
    overall = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("overall"))
    assert overall.split()[1:7] == ["1", "33.33", "0.00", "0.00", "100.00", "100.00"]


def test_select_prints_the_same_with_the_same_seed(
    tmp_path: Path, databases: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    printed, chosen = [], []
    for processes in ("1", "1", "2"):
        lines = select(tmp_path, databases, "--sample", "2", "--seed", "7", "--processes", processes)
        chosen.append([(line["sql"], line["confidence"]) for line in lines])
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1] == printed[2]
    assert chosen[0] == chosen[1] == chosen[2]


def test_what_selects_never_sees_gold_order_or_who_wrote_a_candidate(tmp_path: Path, databases: Path) -> None:
    changed = [
        {**line, "ordered": True, "candidates": [{**c, "system": "z"} for c in line["candidates"]]}
        for line in POOL
    ]
    one = [line["sql"] for line in select(tmp_path, databases)]
    assert one == [line["sql"] for line in select(tmp_path, databases, pool=changed)]


def test_a_gold_that_does_not_run_is_told_and_counts_as_never_right(
    tmp_path: Path, databases: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = {**POOL[0], "gold": "SELECT nothing FROM nowhere"}
    assert len(select(tmp_path, databases, pool=[broken, POOL[1]])) == 2
    assert "gold SQL of 1 does not run" in capsys.readouterr().err


def test_nothing_is_written_to_a_database_while_measuring(tmp_path: Path, databases: Path) -> None:
    before = (databases / "port" / "port.sqlite").read_bytes()
    select(tmp_path, databases)
    assert (databases / "port" / "port.sqlite").read_bytes() == before


def test_answer_reports_outcomes_cost_times_and_calibration(
    tmp_path: Path, databases: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    questions = [
        {"id": "1", "db": "port", "question": "How many ships are from Malta?", "gold": RIGHT},
        {"id": "2", "db": "port", "question": "What is the weather in the mountains tomorrow?"},
    ]
    out, file = tmp_path / "out.jsonl", written(tmp_path / "q.jsonl", questions)
    assert main(["answer", "--questions", str(file), "--databases", str(databases), "--json", str(out)]) == 0
    printed = capsys.readouterr()
    for word in ("EX", "oracle", "outcomes:", "calls: 0", "Brier", "unanswerable questions: 1 of 1"):
        assert word in printed.out
    assert "p95" in printed.err
    first, second = read(out)
    assert (first["outcome"], second["outcome"], second["sql"]) == ("answered", "unanswerable", None)
    assert first["sql"] in first["pool"]
    assert "Malta" in first["sql"]


def test_answer_tells_what_was_right_by_kind_and_where_the_time_went(
    tmp_path: Path, databases: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = {
        "How many ships are from Malta?": RIGHT,
        "How many ships are from Norway?": "SELECT 7",
        "How many ships are there for each flag?": "SELECT flag, COUNT(*) FROM ships GROUP BY flag",
        "List the names of ships sorted by tonnage.": "SELECT name FROM ships ORDER BY tonnage",
    }
    file = written(
        tmp_path / "q.jsonl",
        [{"id": q, "db": "port", "question": q, "gold": gold} for q, gold in asked.items()],
    )
    assert main(["answer", "--questions", str(file), "--databases", str(databases)]) == 0
    printed = capsys.readouterr()
    rows = {line.split()[0]: line.split()[1:] for line in printed.out.splitlines() if line.strip()}
    assert rows["questions"] == ["EX", "bird", "first", "oracle", "8", "oracle"]
    assert rows["simple"] == ["2", "50.00", "50.00", "50.00", "50.00", "50.00"]
    assert (rows["group"][:2], rows["order"][:2], rows["overall"][:2]) == (
        ["1", "100.00"], ["1", "100.00"], ["4", "75.00"]
    )  # fmt: skip
    assert not {"nested", "set", "join", "unread"} & set(rows)
    times = {line.split()[0]: line.split()[1:] for line in printed.err.splitlines() if line.strip()}
    assert {"link", "sample", "execute", "rank"} <= set(times)
    assert all(float(times[stage][1]) > 0 for stage in ("link", "sample"))


@pytest.mark.parametrize(
    ("gold", "expected"),
    [
        ("SELECT a FROM t WHERE b = 1", "simple"),
        ("SELECT a FROM t ORDER BY b LIMIT 1", "order"),
        ("SELECT t.a FROM t JOIN u ON t.id = u.id ORDER BY u.b", "join"),
        ("SELECT t.a, COUNT(*) FROM t JOIN u ON t.id = u.id GROUP BY t.a", "group"),
        ("SELECT a FROM t WHERE b IN (SELECT b FROM u GROUP BY b)", "nested"),
        ("SELECT a FROM t WHERE b IN (SELECT b FROM u) INTERSECT SELECT a FROM u", "set"),
        ("SELEC x FRO (", "unread"),
    ],
)
def test_a_gold_is_of_the_hardest_kind_whose_mark_it_bears(gold: str, expected: str) -> None:
    assert kind(gold, "sqlite") == expected


ABLATED = [
    {"id": "1", "db": "port", "question": "How many malta ships are there?", "gold": RIGHT},
    {
        "id": "2",
        "db": "port",
        "question": "How many vessels are there?",
        "gold": "SELECT COUNT(*) FROM ships",
    },
]


def test_ablate_tells_what_a_part_adds_and_puts_everything_back(
    tmp_path: Path, databases: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (dict(mentions.SYNONYMS), dict(weights().rank), KeyGraph._guessed)
    file = written(tmp_path / "q.jsonl", ABLATED)
    assert main(["ablate", "--questions", str(file), "--databases", str(databases)]) == 0
    assert (mentions.SYNONYMS, weights().rank, KeyGraph._guessed) == before
    lines = [line.rsplit(maxsplit=6) for line in capsys.readouterr().out.splitlines()[1:]]
    shares = {part: ex for part, ex, *_ in lines}
    assert shares["all parts"] == "100.0"
    assert shares["without the value index"] == shares["without synonyms"] == "50.0"
    assert {"without the judge", "without guessed keys", "without the learned order of the beam"} <= set(
        shares
    )


def test_a_question_about_ten_thousand_columns_is_read() -> None:
    """How long that may take is held by `python -m sqlagent.evaluation bench`, on a machine that does nothing else."""
    catalog = large()
    assert (len(catalog.tables), sum(len(table.columns) for table in catalog.tables)) == (1_000, 10_000)
    asked(QUESTIONS[:1], catalog)
    times = asked(QUESTIONS[:6], catalog)
    assert all(linking > 0 and sampling > 0 for linking, sampling in times)


def test_guard_writes_a_verdict_a_line_in_order(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "schema.sqlite.sql").write_text(
        "CREATE TABLE ships (id INTEGER, name TEXT);", encoding="utf-8"
    )
    cases = [
        {"dialect": "sqlite", "sql": "SELECT name FROM ships", "allow": True, "why": "plain"},
        {"dialect": "sqlite", "sql": "DROP TABLE ships", "allow": False, "why": "writes"},
    ]
    file, out = written(tmp_path / "cases.jsonl", cases), tmp_path / "out.jsonl"
    assert main(["guard", "--cases", str(file), "--schemas", str(tmp_path), "--json", str(out)]) == 0
    verdicts = read(out)
    assert [v["allow"] for v in verdicts] == [True, False]
    assert (verdicts[0]["why"], bool(verdicts[1]["why"])) == ("", True)
    assert "overall" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ("", "holds no questions"),
        ("{", "line 1: not JSON"),
        ("[1]", "line 1: an object is expected"),
        ('{"id": "1", "db": "port"}', "'question' is missing"),
        ('{"id": "1", "db": "port", "question": "Who?"}', "'candidates' is missing"),
    ],
    ids=["nothing", "not JSON", "no object", "no question", "no candidates"],
)
def test_a_bad_file_is_refused_with_the_line_that_is_wrong(
    tmp_path: Path, databases: Path, capsys: pytest.CaptureFixture[str], lines: str, words: str
) -> None:
    file = tmp_path / "pool.jsonl"
    file.write_text(lines, encoding="utf-8")
    assert main(["select", "--pool", str(file), "--databases", str(databases)]) == 2
    assert words in capsys.readouterr().err


def test_a_missing_file_and_a_missing_database_are_named(
    tmp_path: Path, databases: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["select", "--pool", str(tmp_path / "no.jsonl"), "--databases", str(databases)]) == 2
    assert "no.jsonl" in capsys.readouterr().err
    file = written(tmp_path / "pool.jsonl", [{**POOL[0], "db": "harbour"}])
    assert main(["select", "--pool", str(file), "--databases", str(databases)]) == 2
    assert "harbour" in capsys.readouterr().err


def test_an_llm_that_is_not_set_is_asked_for_by_name(
    tmp_path: Path, databases: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("LLM_BASE_URL", "LLM_API_KEY", "LLM_MODEL"):
        monkeypatch.delenv(name, raising=False)
    file = written(tmp_path / "q.jsonl", [POOL[0]])
    assert main(["answer", "--questions", str(file), "--databases", str(databases), "--llm", "env"]) == 2
    assert "LLM_MODEL" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("gold", "ordered", "counts"),
    [
        ("SELECT a FROM t ORDER BY a", None, True),
        ("SELECT a FROM (SELECT a FROM t ORDER BY a)", None, False),
        ("SELECT a FROM t UNION SELECT b FROM t ORDER BY 1", None, True),
        ("SELECT a FROM t", None, False),
        ("SELECT a FROM t ORDER BY a", False, False),
        ("SELECT a FROM t", True, True),
    ],
)
def test_order_counts_as_the_line_says_or_by_the_outermost_order_by(
    gold: str, ordered: bool | None, counts: bool
) -> None:
    assert gold_is_ordered(Item("1", "d", Question("?"), gold, ordered), "sqlite") is counts


def test_a_draw_depends_on_seed_and_question_alone() -> None:
    item = Item("1", "d", Question("?"), candidates=tuple("abcdefgh"))
    assert drawn(item, 3, 5) == drawn(item, 3, 5)
    assert len({drawn(item, 3, seed) for seed in range(9)}) > 1
    assert drawn(item, None, 5) == drawn(item, 99, 5) == item.candidates


def test_figures_are_what_they_are_called() -> None:
    assert mcnemar([True] * 5 + [False], [False] * 5 + [True]) == pytest.approx(0.21875)
    assert mcnemar([True], [True]) == 1.0
    assert gap_closed(85.0, 80.0, 90.0) == 50.0
    assert gap_closed(85.0, 90.0, 90.0) == 0.0
    assert percentile([1, 2, 3, 4], 0.95) == 4
    low, high = bootstrap([True] * 30 + [False] * 10, [False] * 40)
    assert 50 < low < 75 < high < 95
    brier, error, curve = calibration([(0.95, True)] * 8 + [(0.95, False)] * 2)
    assert brier == pytest.approx(0.8 * 0.05**2 + 0.2 * 0.95**2)
    assert error == pytest.approx(0.15)
    assert curve == [(pytest.approx(0.95), pytest.approx(0.8), 10)]


SHOP = Catalog(
    "sqlite",
    (
        Table("shops", (Column("id"), Column("name"), Column("city")), primary_key=("id",)),
        Table(
            "sales",
            (Column("shop_id"), Column("total"), Column("day")),
            foreign_keys=(ForeignKey(("shop_id",), "shops", ("id",)),),
        ),
    ),
)


@pytest.mark.parametrize(
    "gold",
    [
        "SELECT name, city FROM shops WHERE city = 'Oslo' AND id > 3",
        "SELECT city, COUNT(*) FROM shops GROUP BY city HAVING COUNT(*) > 2 ORDER BY 2 DESC LIMIT 1",
        "SELECT name FROM shops EXCEPT SELECT s.name FROM shops s JOIN sales t ON t.shop_id = s.id",
        "SELECT COUNT(*) FROM shops",
    ],
)
def test_mutations_are_the_same_for_a_seed_all_different_and_never_the_gold(gold: str) -> None:
    one, two = (list(mutations(gold, SHOP, Random(3))) for _ in range(2))
    assert one == two
    assert len(set(one)) == len(one) >= 3
    assert gold not in one


def test_text_that_is_no_sql_has_no_mutations() -> None:
    assert list(mutations("SELEC x FRO", SHOP, Random(1))) == []


def test_a_pool_is_read_without_the_names_of_systems(tmp_path: Path) -> None:
    [item, *_] = read_items(written(tmp_path / "pool.jsonl", POOL), pool=True)
    assert item.candidates == (WRONG, WRONG, RIGHT)
    assert "system" not in repr(item)


def test_questions_need_no_candidates(tmp_path: Path) -> None:
    file = written(tmp_path / "q.jsonl", [{"id": "1", "db": "port", "question": "Who?"}])
    assert read_items(file)[0].gold is None
    with pytest.raises(BadInput):
        read_items(file, pool=True)
