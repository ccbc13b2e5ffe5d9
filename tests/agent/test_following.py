"""Follow-ups: cases by rule, and what a language model's reply may do."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from sqlagent.errors import Cancelled, LlmUnreachable
from sqlagent.evaluation.chain_causes import kind_of
from sqlagent.evaluation.chains import Chain, follow, read_chains, report
from sqlagent.evaluation.gold_frames import questions_of
from sqlagent.evaluation.items import BadInput, Databases, Item
from sqlagent.makers import followups
from sqlagent.makers.analyst.source import source_of
from sqlagent.makers.following import chart_typed, question_in, stand_alone, why_named, why_typed
from sqlagent.testing import ScriptedLlm
from sqlagent.values import Catalog, Column, Kind, Question, Table, Turn

CASES = Path(__file__).parent / "cases" / "following"


def read(name: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in (CASES / f"{name}.jsonl").read_text().splitlines()]


def table(name: str, *columns: Column) -> Table:
    return Table(name, columns)


def text(name: str, *examples: str) -> Column:
    return Column(name, "TEXT", Kind.TEXT, examples=examples)


def number(name: str) -> Column:
    return Column(name, "REAL", Kind.NUMBER)


SHOP = Catalog(
    "sqlite",
    (
        table(
            "customers",
            text("name"),
            text("country", "Germany", "France", "Norway"),
            text("email"),
            text("city"),
        ),
        table("orders", text("status", "completed", "cancelled"), number("total_amount"), text("order_date")),
        table("products", text("name"), number("price"), number("weight"), text("brand", "Nike", "Puma")),
        table("categories", text("name")),
        table("stores", text("name"), text("region")),
        table("employees", text("name"), number("salary"), text("hired")),
    ),
)
GERMANS = Turn(
    "How many customers are from Germany?", "SELECT count(*) FROM customers WHERE country = 'Germany'"
)


@pytest.mark.parametrize("case", read("rewritten"), ids=lambda c: f"{c['before']} + {c['typed']}")
def test_a_follow_up_is_rewritten_by_rule(case: dict[str, str]) -> None:
    turn = Turn(case["before"], case.get("sql", ""))
    question = stand_alone(case["typed"], (turn,), SHOP, None)
    assert question.text == case["text"]


@pytest.mark.parametrize("case", read("whole"), ids=lambda c: c["typed"])
def test_a_question_that_stands_by_itself_is_left_alone(case: dict[str, str]) -> None:
    llm = ScriptedLlm("How wrong is this?")
    question = stand_alone(case["typed"], (Turn(case["before"], ""),), SHOP, llm)
    assert (question.text, question.typed, llm.calls) == (case["typed"], "", 0)


@pytest.mark.parametrize(
    ("typed", "is_whole"),
    [
        ("how much revenue did this customer bring", True),
        ("how many orders did those customers place", False),
        ("and what did that cost us", False),
        ("who have never placed orders", False),
        ("Who has never placed orders?", True),
        ("who hired in 2024", False),
        ("who hired in 2024?", True),
        ("how many orders is that in total", False),
        ("number of orders too", False),
        ("average per order", False),
        ("total amount by customer", False),
        ("total amount of orders by customer", True),
    ],
)
def test_a_fragment_is_told_from_a_question(typed: str, is_whole: bool) -> None:
    """A figure or a condition without a noun of its own speaks of what was asked before; "did this customer" has its noun."""
    assert followups.stands_alone(typed, SHOP) is is_whole


def test_the_first_question_of_a_thread_is_left_alone() -> None:
    assert stand_alone("only 2024", (), SHOP, ScriptedLlm("x?")) == Question("only 2024")


def test_what_was_typed_and_the_hint_are_kept() -> None:
    typed = Question("what about  France?", hint="France is FR")
    question = stand_alone(typed, (GERMANS,), SHOP, None)
    assert question == Question("How many customers are from France?", "France is FR", "what about France?")


def test_follow_ups_of_follow_ups_add_up() -> None:
    turns: list[Turn] = [Turn("What was the revenue by country?", "")]
    for typed in ("only 2024", "by month instead", "what about 2023?", "and by store", "top 3"):
        turns.append(Turn(stand_alone(typed, turns, SHOP, None).text, ""))
    assert turns[-1].question == "What was the revenue by month and store in 2023, top 3 only?"


@pytest.mark.parametrize(
    "typed", ["", "?", "\x00", "by", "only", "what about", "instead", "'" * 50, "and " * 400]
)
def test_no_text_is_too_odd_to_rewrite(typed: str) -> None:
    for turn in (GERMANS, Turn("", ""), Turn("?", "not sql '")):
        assert isinstance(stand_alone(typed, (turn,), SHOP, None).text, str)


def test_the_llm_is_asked_once_and_its_question_taken() -> None:
    llm = ScriptedLlm("How many customers are from Germany and ordered in 2024?")
    question = stand_alone("only those who ordered in 2024", (GERMANS,), SHOP, llm)
    assert question.text == "How many customers are from Germany and ordered in 2024?"
    assert question.typed == "only those who ordered in 2024"
    assert llm.calls == 1


@pytest.mark.parametrize(
    ("reply", "text"),
    [
        ("**Question:** How many are from France?", "How many are from France?"),
        ('{"question": "How many are from France?"}', "How many are from France?"),
        ("<think>France?</think>\nHow many are from France?", "How many are from France?"),
        ('Here is the rewritten question:\n\n"How many are from France?"', "How many are from France?"),
        ("```\nHow many are from France?\n```", "How many are from France?"),
        ("How many are from France?\nI replaced Germany.", "How many are from France?"),
        ("", ""),
        ("```sql\nSELECT 1\n```", ""),
        ("<think>well", ""),
        ("x" * 5_000, ""),
    ],
)
def test_the_reader_of_rewritten_questions_is_patient(reply: str, text: str) -> None:
    assert question_in(reply) == text


@pytest.mark.parametrize("reply", ["", "SELECT count(*) FROM customers", LlmUnreachable("gone")])
def test_rules_step_in_where_the_llm_gives_no_question(reply: str | LlmUnreachable) -> None:
    question = stand_alone("what about France?", (GERMANS,), SHOP, ScriptedLlm([reply]))
    assert question.text == "How many customers are from France?"


def test_stopping_a_run_is_not_taken_for_silence() -> None:
    with pytest.raises(Cancelled):
        stand_alone("what about France?", (GERMANS,), SHOP, ScriptedLlm([Cancelled("stop")]))


def test_earlier_sql_goes_to_the_llm_without_stored_values_the_person_never_typed() -> None:
    llm = ScriptedLlm("How many customers are from France?")
    turn = Turn(
        "How many customers are from Norge?", "SELECT count(*) FROM customers WHERE country = 'Norway'"
    )
    stand_alone("what about France?", (turn,), SHOP, llm)
    sent = llm.requests[0].messages[0].text
    assert "Norge" in sent and "Norway" not in sent
    stand_alone("what about France?", (turn,), SHOP, llm, privacy="rows")
    assert "'Norway'" in llm.requests[1].messages[0].text


def test_a_plural_that_names_a_table_is_known_as_one() -> None:
    assert followups.Names(SHOP).is_table("category") and not followups.Names(SHOP).is_table("price")


CHAINS = [(name, case) for name in ("chains", "slopes") for case in read(name)]
"""Those of `chains` were read while follow-ups were written, those of `slopes` never."""


@pytest.fixture(scope="module")
def chains_folder(tmp_path_factory):
    """The small schemas of the analyst's tests as files, as the evaluation reads them."""
    folder = tmp_path_factory.mktemp("chains")
    for name in {chain["db"] for _, chain in CHAINS}:
        (folder / name).mkdir()
        with closing(sqlite3.connect(folder / name / f"{name}.sqlite")) as database:
            database.executescript(next((CASES.parent).glob(f"*/{name}.sql")).read_text())
            database.commit()
    return folder


@pytest.mark.parametrize(("name", "chain"), CHAINS, ids=[chain["chain"] for _, chain in CHAINS])
def test_chains_of_five_turns(chains_folder, name, chain):
    """Turns marked as missed are known to go wrong: one that comes right loses its mark."""
    (read_back,) = [one for one in read_chains(CASES / f"{name}.jsonl") if one.id == chain["chain"]]
    said = [one.judged.right for one in follow([read_back], str(chains_folder))]
    assert said == [not turn.get("missed", False) for turn in chain["turns"]]


@pytest.mark.parametrize(
    ("before", "now", "kind"),
    [
        ("SELECT COUNT(*) FROM a", "SELECT k, COUNT(*) FROM a GROUP BY k", "group added"),
        ("SELECT k, SUM(x) FROM a GROUP BY k", "SELECT m, SUM(x) FROM a GROUP BY m", "other groups"),
        ("SELECT SUM(x) FROM a", "SELECT SUM(x) FROM a WHERE k = 'b'", "narrowed"),
        ("SELECT SUM(x) FROM a", "SELECT SUM(x) FROM a AS t WHERE t.k <> 'b'", "left out"),
        ("SELECT SUM(x) FROM a WHERE k = 'b'", "SELECT SUM(x) FROM a WHERE k = 'c'", "other value"),
        ("SELECT SUM(x) FROM a", "SELECT SUM(x) FROM a WHERE d LIKE '2025%'", "period"),
        ("SELECT SUM(x) FROM a WHERE d LIKE '2025%'", "SELECT SUM(x) FROM a WHERE d LIKE '2024%'", "other period"),
        ("SELECT k, SUM(x) FROM a GROUP BY k", "SELECT k, SUM(x) FROM a GROUP BY k ORDER BY 2 DESC LIMIT 3", "first few"),
        ("SELECT k, SUM(x) FROM a GROUP BY k", "SELECT k, AVG(x) FROM a GROUP BY k", "other figure"),
        ("SELECT k, COUNT(*) FROM a GROUP BY k", "SELECT k, COUNT(*), AVG(x) FROM a GROUP BY k", "figure beside"),
        ("SELECT k, COUNT(*) FROM a GROUP BY k", "SELECT k, 100.0 * COUNT(*) / SUM(COUNT(*)) OVER () FROM a GROUP BY k", "share"),
        ("SELECT n FROM a WHERE k = 1", "SELECT COUNT(*) FROM a WHERE k = 1", "counted"),
    ],
)  # fmt: skip
def test_the_kind_of_a_change_is_told_by_the_golds(before, now, kind):
    assert kind_of([before], [now], "sqlite") == kind


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("SELECT Category, SUM(ListPrice) FROM Product GROUP BY Category", "List price by category"),
        (
            "SELECT a.AgentName, COUNT(*) AS n FROM SalesOrderHeader o JOIN Agent a ON a.AgentID = o.AgentID "
            "WHERE strftime('%Y', o.OrderDate) = '2025' GROUP BY a.AgentID ORDER BY n DESC LIMIT 3",
            "Top 3 agents by number of sales orders, 2025",
        ),
        ("SELECT COUNT(*) FROM Customer WHERE CreatedDate >= '2025-01-01' AND CreatedDate < '2026-01-01'", "Number of customers, 2025"),
        ("SELECT COUNT(*) FROM Customer WHERE CustomerID IN (SELECT CustomerID FROM SalesOrderHeader)", None),
        ("SELECT SUM(OrderQty) OVER () FROM SalesOrderLine", None),
        ("SELECT", None),
    ],
)  # fmt: skip
def test_a_frame_is_read_back_from_plain_sql_alone(chains_folder, sql, said):
    opened = Databases(str(chains_folder)).source("garden")
    assert next(questions_of(sql, source_of(opened.catalog, opened.index)), None) == said


def test_a_follow_up_of_what_was_misunderstood_is_asked_by_itself(chains_folder):
    golds = ("SELECT COUNT(*) FROM Customer", "SELECT City, COUNT(*) FROM Customer GROUP BY City")
    items = [
        Item(f"a-{n}", "garden", Question(text), gold=gold, golds=(gold,))
        for n, (text, gold) in enumerate(zip(("zorgs of flurbs", "by city"), golds, strict=True))
    ]
    _, later = follow([Chain("a", "garden", tuple(items))], str(chains_folder))
    assert (later.before, later.alone, later.kind) == (False, True, "group added")
    assert (
        "rightly changed after a right turn, those after a wrong one asked by themselves: 1 of 1"
        in report([later])
    )


@pytest.mark.parametrize(
    "line",
    [
        {"db": "cafes", "turns": []},
        {"chain": "a", "db": "cafes", "turns": [{"question": "sales", "golds": []}]},
        {"chain": "a", "db": "cafes", "turns": [{"question": "sales"}, {"golds": []}]},
    ],
)
def test_a_chain_that_is_none_is_told_with_its_line(tmp_path, line):
    (tmp_path / "chains.jsonl").write_text(json.dumps(line))
    with pytest.raises(BadInput, match="line 1"):
        read_chains(tmp_path / "chains.jsonl")


@pytest.mark.parametrize(
    ("typed", "mark"),
    [
        ("As a table.", "none"),
        ("as lines", "line"),
        ("can you draw it as a bar chart?", "bar"),
        ("make it a pie chart", "pie"),
        ("turn this into a heat map", "heatmap"),
        ("as one number", "number"),
        ("in small charts please", "small"),
        ("show it as small multiples", "small"),
        ("sales of small charts", ""),
        ("by table", ""),
        ("show the lines", ""),
        ("order lines", ""),
        ("as a table by month", ""),
        ("as before", ""),
    ],
)
def test_another_form_of_what_is_shown_is_told_from_a_question(typed: str, mark: str) -> None:
    assert chart_typed(typed) == mark


@pytest.mark.parametrize(
    ("typed", "is_why", "named"),
    [
        ("why?", True, ""),
        ("why did it fall in February?", True, "February"),
        ("and why is this so high in the last quarter", True, ""),
        ("what happened during May 2025", True, "May 2025"),
        ("why did it drop for Norway", True, "Norway"),
        ("why do customers return shoes in May", False, ""),
        ("what changed hands", False, ""),
    ],
)
def test_why_is_told_from_a_question_with_the_period_it_names(typed: str, is_why: bool, named: str) -> None:
    assert (why_typed(typed), why_named(typed)) == (is_why, named)
