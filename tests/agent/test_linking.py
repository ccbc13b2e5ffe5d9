"""Questions are linked to the part of a catalog they are about; words that find nothing are named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sqlagent.catalog.value_index import ValueIndex
from sqlagent.method.linking import link
from sqlagent.testing import MemoryDatabase
from sqlagent.values import Catalog, Column, Kind, Question, Table

CASES = Path(__file__).parent / "cases" / "linking"
LINES = [json.loads(line) for line in (CASES / "links.jsonl").read_text().splitlines() if line.strip()]
SCHEMAS = {line["schema"]: line["script"] for line in LINES if "script" in line}
QUESTIONS = [line for line in LINES if "question" in line]


@pytest.fixture(scope="module")
def sources() -> dict[str, tuple[Catalog, ValueIndex]]:
    out = {}
    for name, script in SCHEMAS.items():
        database = MemoryDatabase(script)
        catalog = database.catalog()
        out[name] = (catalog, ValueIndex.build(catalog, database))
    return out


@pytest.mark.parametrize("case", QUESTIONS, ids=[q["question"][:60] for q in QUESTIONS])
def test_words_link_to_what_they_name(case: dict, sources: dict[str, tuple[Catalog, ValueIndex]]) -> None:
    catalog, index = sources[case["schema"]]
    linked = link(Question(case["question"]), catalog, index)
    for words, target in case.get("links", {}).items():
        found = [
            f"{k.table}.{k.column}={k.value}" if k.value else f"{k.table}.{k.column}" if k.column else k.table
            for k in linked.links
            if k.words.lower() == words.lower()
        ]
        assert target in found, (words, found)
    assert list(linked.unlinked) == case.get("unlinked", list(linked.unlinked))


def test_words_of_the_note_of_what_was_not_understood_find_nothing_and_are_not_missed() -> None:
    catalog = Catalog("sqlite", (Table("trips", (Column("id", kind=Kind.INTEGER),)),))
    linked = link(Question("trips to Narnia (not understood: by moon instead)"), catalog, None)
    assert linked.unlinked == ("Narnia",)


def test_links_say_where_the_words_stand(sources: dict[str, tuple[Catalog, ValueIndex]]) -> None:
    catalog, index = sources["port"]
    question = Question("Which ships sail from Oslo?")
    for one in link(question, catalog, index).links:
        assert question.text[one.start : one.end] == one.words


def test_a_large_catalog_is_cut_to_what_matters() -> None:
    tables = tuple(
        Table(f"table{n}", (Column("id", "INTEGER", Kind.INTEGER), Column(f"field{n}", "TEXT", Kind.TEXT)))
        for n in range(60)
    )
    wanted = Table("planets", (Column("id", "INTEGER", Kind.INTEGER), Column("mass", "REAL", Kind.NUMBER)))
    linked = link(Question("Which planets have a mass above 5?"), Catalog("sqlite", (*tables, wanted)), None)
    assert "planets" in {t.name for t in linked.catalog.tables}
    assert len(linked.catalog.tables) < 20
    assert len(linked.full.tables) == 61


@pytest.mark.parametrize(
    "text",
    [
        "",
        "?",
        "😀" * 3_000,
        "a" * 10_000,
        "SELECT * FROM ships; DROP TABLE ships",
        "\x00\ud800",
        "¿Cuántos barcos hay?",
    ],
)
def test_any_text_links_without_an_error(text: str, sources: dict[str, tuple[Catalog, ValueIndex]]) -> None:
    catalog, index = sources["port"]
    link(Question(text), catalog, index)


def test_an_empty_catalog_links_nothing() -> None:
    assert link(Question("How many ships?"), Catalog("sqlite", ()), None).links == ()
