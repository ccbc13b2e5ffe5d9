"""SQL changed in words by a language model: what it is shown, and which of its replies is a change."""

from __future__ import annotations

import pytest

from sqlagent.errors import LlmUnreachable
from sqlagent.makers import llm_rewriting
from sqlagent.makers.llm_rewriting import llm_rewritten
from sqlagent.prompts import rendering
from sqlagent.testing import ScriptedLlm
from sqlagent.values import Catalog, Column, ColumnRef, ForeignKey, LinkedSchema, Question, Table, ValueMatch

STORES = Table("stores", (Column("id", "INTEGER"), Column("country", "TEXT"), Column("Net Size", "INTEGER")))
SALES = Table(
    "sales",
    (Column("store_id", "INTEGER"), Column("amount", "REAL")),
    foreign_keys=(ForeignKey(("store_id",), "stores", ("id",)),),
)
SQL = """SELECT country, AVG(amount) AS "Secret Mean" -- for the board
FROM stores JOIN sales ON store_id = id
WHERE country <> 'Atlantis' AND amount > 12345 AND country <> :country
GROUP BY country
LIMIT 10"""
WISH = Question("only stores in the Nordics")


def catalog(dialect: str = "sqlite") -> Catalog:
    return Catalog(dialect, (STORES, SALES))


def changed(reply: object, *, privacy: str = "schema", sql: str = SQL, wish: Question = WISH):
    llm = ScriptedLlm(lambda request: reply(request) if callable(reply) else reply)
    return llm_rewritten(wish, sql, LinkedSchema(catalog(), catalog()), llm, privacy=privacy), llm


def in_nordics(request) -> str:
    """Change the statement that was sent, as a model that keeps every other letter does."""
    sent = request.messages[-1].text
    sql = sent.partition("<sql>\n")[2].partition("\n</sql>")[0]
    return f"```sql\n{sql.replace('GROUP BY', 'AND country IN (' + repr('Norway') + ', ' + repr('Sweden') + ')' + chr(10) + 'GROUP BY')}\n```"


def test_a_wish_that_no_rule_knows_changes_the_statement_and_keeps_what_was_hidden() -> None:
    found, llm = changed(in_nordics)
    assert found.sql == SQL.replace("GROUP BY", "AND country IN ('Norway', 'Sweden')\nGROUP BY")
    assert (found.clauses, found.why, found.declined) == (("condition",), "", "")
    sent = "\n".join(message.text for message in llm.requests[0].messages)
    assert "only stores in the Nordics" in sent and "sales" in sent
    assert all(hidden not in sent for hidden in ("Atlantis", "12345", "Secret Mean", "for the board"))
    assert "LIMIT 10" in sent and ":country" in sent and llm.requests[0].purpose == "rewrite"


def test_where_rows_may_be_shown_nothing_is_hidden() -> None:
    found, llm = changed(in_nordics, privacy="rows")
    assert "'Atlantis'" in llm.requests[0].messages[-1].text and "AND country IN" in found.sql


def test_what_was_typed_is_spelled_as_it_is_stored() -> None:
    wish = Question("only norge")
    value = ValueMatch("norge", ColumnRef("stores", "country"), "Norway", 1.0)
    linked = LinkedSchema(catalog(), catalog(), values=(value,))
    llm = ScriptedLlm(lambda _: "```sql\nSELECT country FROM stores WHERE country = 'norge'\n```")
    assert llm_rewritten(wish, "SELECT country FROM stores", linked, llm).sql.endswith("country = 'Norway'")


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("I am not sure what you mean.", llm_rewriting.NO_SELECT),
        ("", llm_rewriting.NO_SELECT),
        ("```sql\nDELETE FROM stores\n```", llm_rewriting.NO_SELECT),
        ("```sql\nSELECT 1; DROP TABLE stores\n```", llm_rewriting.NO_SELECT),
        ("```sql\nSELECT country FROM stores WHERE country = :mine\n```", llm_rewriting.NOT_TAKEN),
        ("```sql\nSELECT country FROM stores WHERE country = :hidden_9\n```", llm_rewriting.NOT_TAKEN),
        ("```sql\nSELECT country FROM stores WHERE country LIKE ':hidden_3'\n```", llm_rewriting.NOT_TAKEN),
        (lambda r: f"```sql\n{SQL}\n```", llm_rewriting.UNCHANGED),
        (LlmUnreachable("no reply from 10.0.0.7"), "The language model did not reply."),
    ],
)
def test_a_reply_that_is_no_change_is_told_in_plain_words(reply: object, why: str) -> None:
    def script(request):
        if isinstance(reply, Exception):
            raise reply
        return reply(request) if callable(reply) else reply

    found, _ = changed(script, privacy="rows" if callable(reply) else "schema")
    assert (found.sql, found.why) == ("", why)


def test_a_model_that_declines_is_quoted() -> None:
    found, _ = changed("UNANSWERABLE: no table tells of the weather.")
    assert (found.sql, found.why, found.declined) == ("", "", "no table tells of the weather.")


def test_a_pivot_and_sql_that_cannot_be_read_are_not_sent() -> None:
    for sql in ("SELECT 'open", "PIVOT sales ON Atlantis USING sum(amount)", "SELECT 1 AS hidden_1"):
        found, llm = changed(in_nordics, sql=sql)
        assert found.why == rendering.NOT_SENT and not llm.requests


@pytest.mark.parametrize("dialect", ["sqlite", "postgres", "mysql", "duckdb", "spark", "tsql"])
def test_hidden_sql_comes_back_as_it_was_in_every_dialect(dialect: str) -> None:
    quote = "`" if dialect in ("mysql", "spark") else '"'
    sql = SQL.replace('"', quote) + "\n-- it's over"
    linked = LinkedSchema(catalog(dialect), catalog(dialect))
    hidden = rendering.hidden_sql(sql, WISH, linked, "masked")
    assert hidden is not None and "Atlantis" not in hidden.text and "over" not in hidden.text
    assert hidden.shown(hidden.text) == sql
    moved = hidden.text.replace(
        "\nFROM", " FROM"
    )  # the comment to the end of its line would take FROM with it
    assert "-- for the board\n FROM" in hidden.shown(moved)
