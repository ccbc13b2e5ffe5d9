"""Knowledge as a file that a repository keeps, and how well a source's verified questions are answered."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from mirror.knowledge import answer_services, knowledge_files
from mirror.knowledge.knowledge_files import FileRefused, read_file
from mirror.knowledge.models import Evaluation, StoredAnswer, StoredTerm

pytestmark = pytest.mark.django_db

NORDIC = "SELECT country, COUNT(*) AS customers FROM customers WHERE country IN ('Norway', 'Sweden') GROUP BY country"
FILE = f"""
mirror: knowledge
version: 1
source: shop
notes: {{a: b}}
terms:
- {{phrase: clean takings, kind: measure, sql: "SUM(amount) FILTER (WHERE status = 'delivered')", synonyms: [pure takings], unit: EUR}}
- {{phrase: double takings, kind: measure, sql: clean_takings * 2}}
- {{phrase: nordic, kind: filter, sql: "country IN ('Norway', 'Sweden')", status: draft}}
- {{phrase: house rule, kind: rule, sql: Leave out tests.}}
- {{phrase: broken, kind: filter, sql: colour = 1}}
- {{phrase: x, kind: filter, sql: newsletter = 1}}
- {{phrase: numbered, kind: filter, sql: 5}}
- {{phrase: listed, kind: filter, sql: newsletter = 1, synonyms: {{a: 1}}}}
- {{phrase: strange, kind: filter, sql: newsletter = 1, grain: day}}
- {{phrase: fancy, kind: spell, sql: newsletter = 1}}
- just a text
verified:
- {{question: nordic customers by country, sql: "{NORDIC}"}}
- {{question: deleting, sql: DELETE FROM customers}}
- {{question: nothing}}
"""


def run(*arguments: str) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


@pytest.fixture
def written(tmp_path):
    path = tmp_path / "shop.yaml"
    path.write_text(FILE)
    return path


def test_a_file_is_taken_over_entry_by_entry_and_what_is_left_out_says_why(alice, shop, written, tmp_path):
    said = run("knowledge", "import", "shop", str(written))
    assert "5 new" in said and "10 left out" in said.splitlines()[-1]
    for why in ("no column colour", "One letter", "“sql” is no text", "no list of texts", "does not know grain",
                "Choose what it stands for", "no entry of names", "“sql” is missing", "this part of a file", "DELETE"):  # fmt: skip
        assert why in said, why
    assert StoredTerm.objects.get(phrase="double takings").sql.startswith("(SUM(order_lines.amount)")
    assert StoredTerm.objects.get(phrase="nordic").status == "draft"
    assert {one.owner for one in StoredTerm.objects.all()} == {alice}
    # Written, it is the same again, and taking it over once more changes nothing.
    again = tmp_path / "again.yaml"
    run("knowledge", "export", "shop", str(again))
    assert run("knowledge", "import", "shop", str(again)) == "5 same.\n"
    assert run("knowledge", "diff", "shop", str(again)) == "5 same.\n"
    first = again.read_text()
    run("knowledge", "export", "shop", str(again))
    assert again.read_text() == first
    # Differences are told before the import.
    again.write_text(first.replace("unit: EUR", "unit: USD").replace("phrase: nordic", "phrase: northern"))
    said = run("knowledge", "diff", "shop", str(again))
    assert "changed   clean takings" in said and "new       northern" in said and "only here nordic" in said
    run("knowledge", "import", "shop", str(again))
    assert StoredTerm.objects.get(phrase="clean takings").unit == "USD"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "does not begin"),
        ("[1, 2]", "does not begin"),
        ("mirror: knowledge\nversion: 2", "version 2"),
        ("mirror: [unclosed", "no YAML"),
        ("mirror: knowledge\nversion: 1\nterms: {}\nverified: 5", "no list"),
        ("a: &a [1]\nb: *a", "aliases"),
        ("!!python/object/apply:os.system ['true']", "no YAML"),
        ("[" * 2_000, "no YAML"),
        ("{" * 200_000, "no YAML"),
        ('{"metrics": ' + "1" * 5_000_001, "no JSON"),
        ("mirror: knowledge\nversion: 1\nterms:\n" + "- {}\n" * 10_001, "at most 10,000"),
    ],
)
def test_what_is_no_file_of_ours_is_refused_whole(text, why):
    with pytest.raises(FileRefused, match=why):
        read_file(text)


def test_a_file_that_is_too_large_or_away_is_refused_in_words(shop, tmp_path, monkeypatch):
    monkeypatch.setattr(knowledge_files, "MOST_BYTES", 10)
    with pytest.raises(FileRefused, match="more than 10 bytes"):
        read_file("mirror: knowledge")
    for arguments, why in (
        (("import", "shop", str(tmp_path / "away.yaml")), "cannot be read"),
        (("export", "shop", str(tmp_path / "no" / "where.yaml")), "cannot be written"),
        (("diff", "nowhere", "x"), "no source named"),
    ):
        with pytest.raises(CommandError, match=why):
            run("knowledge", *arguments)


def test_the_verified_questions_are_asked_as_if_they_were_not_with_the_terms_and_without(
    alice, shop, written
):
    with pytest.raises(CommandError, match="no verified answers"):
        run("evaluate", "shop")
    run("knowledge", "import", "shop", str(written))
    StoredTerm.objects.filter(phrase="nordic").update(status="force")
    answer_services.answer_verify(shop, "colours by mood", "SELECT 1 AS one", alice)
    said = run("evaluate", "shop")
    assert "right                     1 of 2  50.0 %" in said
    assert "without the terms         0 of 2  0.0 %; 1 won, 0 lost of 2, exact McNemar p = 1" in said
    assert "colours by mood" in said and "since" not in said
    StoredTerm.objects.all().delete()
    found = json.loads(run("evaluate", "shop", "--json"))
    assert found["since"] == {"won": 0, "lost": 1, "of": 2, "p": 1.0}
    assert Evaluation.objects.count() == 2 and StoredAnswer.objects.count() == 2


OSSIE = """
version: 0.2.0.dev0
semantic_model:
- name: shop_model
  ai_context: {instructions: Leave out test orders.}
  relationships:
  - {name: lines_to_orders, from: lines, to: orders, from_columns: [order_id], to_columns: [id]}
  datasets:
  - name: lines
    source: db.public.order_lines
    ai_context: {synonyms: [basket rows, sold things]}
    fields:
    - {name: paid, expression: {dialects: [{dialect: ANSI_SQL, expression: amount}]}, ai_context: {synonyms: [price paid, outlay]}}
    - {name: doubled, expression: {dialects: [{dialect: ANSI_SQL, expression: amount * 2}]}}
    - {name: order_id, expression: {dialects: [{dialect: ANSI_SQL, expression: order_id}]}}
  - name: orders
    source: db.public.orders
    fields:
    - {name: status, expression: {dialects: [{dialect: ANSI_SQL, expression: status}]}, ai_context: {synonyms: [outlay]}}
  metrics:
  - name: gross_takings
    description: All that was paid
    expression: {dialects: [{dialect: ANSI_SQL, expression: SUM(lines.paid)}]}
    ai_context: {synonyms: [whole takings]}
  - {name: twice, expression: {dialects: [{dialect: ANSI_SQL, expression: SUM(lines.doubled) / COUNT(DISTINCT lines.order_id)}]}}
  - {name: broken, expression: {dialects: [{dialect: MDX, expression: whatever}]}}
"""


def test_an_ossie_file_gives_its_metrics_and_synonyms_and_tells_the_rest(alice, shop, tmp_path):
    path = tmp_path / "shop.ossie.yaml"
    path.write_text(OSSIE)
    said = run("knowledge", "import", "shop", str(path))
    assert "6 new" in said
    for why in ("lines_to_orders: A key is told", "lines.doubled: A field computed", "broken: No expression"):
        assert why in said
    kept = {one.phrase: one for one in StoredTerm.objects.all()}
    assert kept["gross takings"].sql == "SUM(order_lines.amount)"
    assert kept["gross takings"].synonyms == ["whole takings"] and kept["gross takings"].status == "force"
    assert "SUM((order_lines.amount * 2))" in kept["twice"].sql
    assert "COUNT(DISTINCT order_lines.order_id)" in kept["twice"].sql
    assert kept["basket rows"].sql == "order_lines" and kept["price paid"].sql == "order_lines.amount"
    # A phrase of two terms would give every question two readings.
    assert kept["price paid"].status == kept["outlay"].status == "draft"
    assert kept["about shop model"].kind == "rule"
