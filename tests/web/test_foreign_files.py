"""Files of dbt and Snowflake: metrics, names, filters and verified queries are taken over and told otherwise; views are written."""

from __future__ import annotations

import json
from io import StringIO

import pytest
import yaml
from django.core.management import call_command

from mirror.knowledge import answer_services, term_services
from mirror.knowledge.dbt_files import dbt_entries
from mirror.knowledge.foreign_entries import Foreign
from mirror.knowledge.knowledge_files import read_file
from mirror.knowledge.models import StoredAnswer, StoredTerm
from mirror.knowledge.term_services import TermWish

pytestmark = pytest.mark.django_db


def run(*arguments: str) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


def ref(name: str, **more):
    return {"name": name, "filter": None, "alias": None, **more}


def metric(name: str, kind: str, filter=None, **params):
    return {"name": name, "type": kind, "type_params": params, "filter": filter, "description": f"the {name}"}


def where(*templates: str):
    return {"where_filters": [{"where_sql_template": one} for one in templates]}


LINES = {
    "name": "sold_lines",
    "node_relation": {"alias": "order_lines", "schema_name": "public", "relation_name": "db.public.order_lines"},
    "entities": [{"name": "line", "type": "primary", "expr": "id"}, {"name": "order", "type": "foreign", "expr": "order_id"}],
    "measures": [
        {"name": "paid", "agg": "sum", "expr": "amount"},
        {"name": "lines", "agg": "sum", "expr": "1"},
        {"name": "baskets", "agg": "count_distinct", "expr": "order_id"},
        {"name": "typical", "agg": "percentile", "expr": "amount"},
        {"name": "stock", "agg": "sum", "expr": "quantity", "non_additive_dimension": {"name": "day"}},
    ],
    "dimensions": [
        {"name": "pieces", "type": "categorical", "expr": "quantity", "meta": {"synonyms": ["units sold"]}},
        {"name": "quantity", "type": "categorical", "expr": None},
        {"name": "is_large", "type": "categorical", "expr": "amount > 100"},
    ],
}  # fmt: skip
ORDERS = {
    "name": "orders",
    "node_relation": {"alias": "orders"},
    "entities": [{"name": "order", "type": "primary", "expr": "id"}],
    "dimensions": [{"name": "state", "type": "categorical", "expr": "status"}],
    "measures": [],
}
METRICS = [
    metric("clean_takings", "simple", where("{{ Dimension('order__state') }} = 'delivered'"), measure=ref("paid")),
    metric("line_count", "simple", measure=ref("lines")),
    metric("worth_of_basket", "ratio", numerator=ref("all_takings"), denominator=ref("basket_count")),
    metric("all_takings", "simple", measure=None, expr="amount",
           metric_aggregation_params={"semantic_model": "sold_lines", "agg": "sum"}),
    metric("basket_count", "simple", measure=ref("baskets")),
    metric("per_line", "derived", expr="taken / counted - 1",
           metrics=[ref("all_takings", alias="taken"), ref("line_count", alias="counted")]),
    metric("grown", "derived", expr="a - b",
           metrics=[ref("all_takings", alias="a"), ref("all_takings", alias="b", offset_window="1 month")]),
    metric("running", "cumulative", measure=ref("paid")),
    metric("middle", "simple", measure=ref("typical")),
    metric("stocked", "simple", measure=ref("stock")),
    metric("round_a", "derived", expr="x", metrics=[ref("round_b", alias="x")]),
    metric("round_b", "derived", expr="x", metrics=[ref("round_a", alias="x")]),
    metric("strange", "simple", where("{{ Metric('a', group_by=['b']) }} > 5"), measure=ref("paid")),
    metric("missing", "simple", measure=ref("nothing")),
]  # fmt: skip
DBT = {
    "semantic_models": [LINES, ORDERS],
    "metrics": METRICS,
    "saved_queries": [{"name": "weekly"}],
    "project_configuration": {},
}


def test_a_semantic_manifest_gives_its_metrics_and_names_and_tells_the_rest(alice, shop, tmp_path):
    path = tmp_path / "semantic_manifest.json"
    path.write_text(json.dumps(DBT))
    said = run("knowledge", "import", "shop", str(path))
    kept = {one.phrase: one for one in StoredTerm.objects.all()}
    assert kept["clean takings"].sql == "SUM(order_lines.amount) FILTER(WHERE orders.status = 'delivered')"
    assert kept["clean takings"].description == "the clean_takings"
    assert kept["line count"].sql == "COUNT(order_lines.id)"
    assert kept["basket count"].sql == "COUNT(DISTINCT order_lines.order_id)"
    assert kept["all takings"].sql == "SUM(order_lines.amount)"
    quotient = "CAST(SUM(order_lines.amount) AS REAL) / NULLIF(COUNT({}), 0)"
    assert kept["worth of basket"].sql == quotient.format("DISTINCT order_lines.order_id")
    assert kept["per line"].sql == quotient.format("order_lines.id") + " - 1"
    assert kept["sold lines"].sql == "order_lines" and kept["state"].sql == "orders.status"
    assert kept["pieces"].sql == "order_lines.quantity" and kept["pieces"].synonyms == ["units sold"]
    assert len(kept) == 9, sorted(kept)
    for name, why in (
        ("grown", "earlier time"), ("running", "A cumulative metric"), ("middle", "aggregate percentile"),
        ("stocked", "may not be added up"), ("round_a", "made of itself"), ("strange", "which is not read"),
        ("missing", "is not in the file"), ("sold_lines.is_large", "computed"), ("sold_lines.order", "A key is told"),
        ("weekly", "saved query"),
    ):  # fmt: skip
        assert any(name in line and why in line for line in said.splitlines()), (name, why)
    assert "only here" not in run("knowledge", "diff", "shop", str(path))


def test_a_projects_manifest_gives_the_same_and_synonyms_of_models(alice, shop, tmp_path):
    nodes = {
        "model.shop.orders": {
            "resource_type": "model", "name": "orders", "description": "All orders", "meta": {"synonyms": ["purchases"]},
            "columns": {"status": {"name": "status", "description": "how it stands", "meta": {"synonyms": ["stage"]}}},
        },
        "test.shop.x": {"resource_type": "test", "name": "x", "meta": {"synonyms": ["nothing"]}},
    }  # fmt: skip
    manifest = {
        "metadata": {"dbt_schema_version": "v12"},
        "nodes": nodes,
        "semantic_models": {"semantic_model.shop.lines": LINES, "semantic_model.shop.orders": ORDERS},
        "metrics": {f"metric.shop.{one['name']}": one for one in METRICS},
    }
    path = tmp_path / "manifest.json"
    path.write_text(json.dumps(manifest))
    said = run("knowledge", "import", "shop", str(path))
    kept = {one.phrase: one.sql for one in StoredTerm.objects.all()}
    assert kept["purchases"] == "orders" and kept["stage"] == "orders.status" and "nothing" not in kept
    assert kept["clean takings"].startswith("SUM(") and "2 descriptions" in said


def test_an_engine_without_filters_gets_a_case():
    found = dbt_entries(DBT, "mysql")
    (sql,) = [one["sql"] for one in found.terms if one["phrase"] == "clean takings"]
    assert sql == "SUM(CASE WHEN orders.status = 'delivered' THEN order_lines.amount END)"


VIEW = """
name: shop_view
custom_instructions: Leave out test orders.
tables:
- name: lines
  synonyms: [sold rows]
  base_table: {database: shop, schema: public, table: order_lines}
  primary_key: {columns: [id]}
  facts:
  - {name: paid, expr: amount, synonyms: [outlay]}
  - {name: weighted, expr: amount * quantity}
  measures:
  - {name: turnover, expr: amount, default_aggregation: sum, synonyms: [whole takings]}
  - {name: profitish, expr: amount - quantity, data_type: number}
  metrics:
  - {name: weighted_takings, expr: SUM(weighted), description: by quantity}
  - {name: row_number, expr: COUNT(*)}
  - {name: paid_per_row, expr: lines.turnover / COUNT(*)}
  - {name: ranked, expr: SUM(SUM(paid)) OVER (ORDER BY paid)}
- name: buyers
  base_table: {database: shop, schema: public, table: customers}
  dimensions:
  - {name: land, expr: country}
  filters:
  - {name: nordic, synonyms: [northern], expr: "land IN ('Norway', 'Sweden')"}
  - {name: broken, expr: "land IN ("}
relationships:
- {name: lines_to_buyers, left_table: lines, right_table: buyers}
metrics:
- {name: twice_turnover, expr: lines.turnover * 2}
- {name: lost, expr: SUM(nowhere.paid)}
verified_queries:
- name: by land
  question: buyers by land
  sql: "SELECT land, COUNT(*) AS n FROM __buyers WHERE land ILIKE 'N%' GROUP BY 1;"
- name: joined
  question: most paid
  sql: "WITH best AS (SELECT l.id, l.paid FROM lines AS l) SELECT MAX(paid) FROM best"
- {name: broken, question: what is broken, sql: "SELECT ("}
- {name: deleting, question: what is deleted, sql: "DELETE FROM buyers"}
"""


def test_a_semantic_view_gives_its_metrics_filters_names_and_queries(alice, shop, tmp_path):
    path = tmp_path / "view.yaml"
    path.write_text(VIEW)
    said = run("knowledge", "import", "shop", str(path))
    kept = {one.phrase: one for one in StoredTerm.objects.all()}
    assert kept["turnover"].sql == "SUM(order_lines.amount)" and kept["turnover"].synonyms == [
        "whole takings"
    ]
    assert kept["weighted takings"].sql == "SUM((order_lines.amount * order_lines.quantity))"
    assert kept["row number"].sql == "COUNT(order_lines.id)"
    assert "SUM(order_lines.amount)" in kept["paid per row"].sql and " / " in kept["paid per row"].sql
    assert kept["twice turnover"].sql == "SUM(order_lines.amount) * 2"
    assert kept["nordic"].sql == "customers.country IN ('Norway', 'Sweden')"
    assert kept["lines"].sql == "order_lines" and kept["lines"].synonyms == ["sold rows"]
    assert kept["paid"].sql == "order_lines.amount" and kept["paid"].synonyms == ["outlay"]
    assert kept["land"].sql == "customers.country" and kept["about shop view"].kind == "rule"
    for name, why in (
        ("weighted", "computed"), ("profitish", "computed"), ("ranked", "of a window"), ("broken", "condition cannot"),
        ("lost", "does not hold"), ("lines_to_buyers", "A key is told"), ("what is broken", "cannot be read"),
        ("what is deleted", "cannot be read"),
    ):  # fmt: skip
        assert any(name in line and why in line for line in said.splitlines()), (name, why, said)
    rows = {one.question: one.sql for one in StoredAnswer.objects.all()}
    assert set(rows) == {"buyers by land", "most paid"}
    assert "FROM customers" in rows["buyers by land"] and "country" in rows["buyers by land"]
    assert "order_lines AS l" in rows["most paid"] and "l.amount AS paid" in rows["most paid"]


def test_the_verified_queries_of_a_view_run_on_the_source(alice, shop, shop_file):
    import sqlite3

    found = read_file(VIEW, "sqlite")
    with sqlite3.connect(shop_file) as db:
        for one in found.verified:
            assert db.execute(one["sql"]).fetchall(), one


def test_knowledge_is_written_as_a_view_that_is_read_back_alike(alice, shop, tmp_path):
    for wish, sql in (
        (TermWish("net takings", "measure", "x", ("clean takings",), "what was paid"),
         "SUM(order_lines.amount) FILTER(WHERE order_lines.quantity > 1)"),
        (TermWish("paid online", "measure", "x"), "SUM(order_lines.amount) FILTER(WHERE orders.channel = 'web')"),
        (TermWish("nordic", "filter", "x"), "customers.country IN ('Norway', 'Sweden')"),
        (TermWish("lone", "filter", "x"), "customers.country = 'Norway' AND orders.channel = 'web'"),
        (TermWish("land", "name", "x"), "customers.country"),
        (TermWish("buyers", "name", "x"), "customers"),
        (TermWish("house rule", "rule", "Leave out tests."), "Leave out tests."),
        (TermWish("unfinished", "filter", "x", status="draft"), "customers.country = 'Chile'"),
    ):  # fmt: skip
        term_services.term_save(shop, wish, sql, alice)
    sql = "SELECT country, COUNT(*) AS n FROM customers GROUP BY country"
    answer_services.answer_verify(shop, "customers by country", sql, alice)
    path = tmp_path / "view.yaml"
    said = run("knowledge", "export", "shop", str(path), "--form", "snowflake")
    assert "unfinished: It is draft" in said and "lone: A filter of a semantic view is of one table" in said
    view = yaml.safe_load(path.read_text())
    tables = {one["name"]: one for one in view["tables"]}
    assert tables["customers"]["primary_key"] == {"columns": ["id"]}
    assert {one["name"] for one in tables["order_lines"]["metrics"]} == {"net_takings"}
    assert view["custom_instructions"] == "Leave out tests." and len(view["verified_queries"]) == 1
    assert any(one["left_table"] == "order_lines" for one in view["relationships"])
    again = path.read_text()
    run("knowledge", "export", "shop", str(path), "--form", "snowflake")
    assert path.read_text() == again
    before = {one.phrase: one.sql for one in StoredTerm.objects.filter(status="force")}
    StoredTerm.objects.all().delete()
    StoredAnswer.objects.all().delete()
    run("knowledge", "import", "shop", str(path))
    after = {one.phrase: one.sql for one in StoredTerm.objects.all()}
    assert after.pop("about shop") == before.pop("house rule") and before.pop("lone")
    for phrase, condition in (
        ("net takings", "order_lines.quantity > 1"),
        ("paid online", "orders.channel = 'web'"),
    ):
        assert before.pop(phrase).endswith(f"FILTER(WHERE {condition})")
        assert after.pop(phrase) == f"SUM(CASE WHEN {condition} THEN order_lines.amount END)"
    assert after == before
    assert StoredAnswer.objects.get().question == "customers by country"


@pytest.mark.parametrize(
    "text",
    [
        "semantic_models: [1, null, {}]\nmetrics: [{name: a}, {type: simple}, 5]",
        "semantic_models: {}\nmetrics: {a: {name: a, type: ratio, type_params: {numerator: b}}}",
        "tables: [{base_table: 5}, {base_table: {}, metrics: [{name: x}, 5], dimensions: {a: 1}}]\nmetrics: 7",
        "tables: [{name: a, base_table: {table: a}, filters: [{}], measures: [{name: 'SELECT ('}]}]\nverified_queries: [{}, 1]",
    ],
)
def test_files_that_hold_nonsense_are_told_and_break_nothing(text):
    found = read_file(text, "sqlite")
    assert isinstance(found.terms, tuple) and isinstance(Foreign(found.terms).left, tuple)
