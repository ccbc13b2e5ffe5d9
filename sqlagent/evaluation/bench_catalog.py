"""Times linking and the built-in generator on a catalog of 1,000 tables and 10,000 columns.

The catalog is made up: 40 things a business keeps, each in 25 areas, so that every word of a question is
in many names. Nothing is stored, so that values are looked for in vain.
"""

from __future__ import annotations

from time import perf_counter

from sqlagent.evaluation.scoring import percentile
from sqlagent.makers.grammar import GrammarSampler
from sqlagent.method.linking import link
from sqlagent.values import Catalog, Column, ForeignKey, Kind, Question, Table

ALLOWED = 2_000.0
"""Milliseconds that a question may take (p95), after the first on the catalog."""

AREAS = (
    "sales", "billing", "store", "web", "partner", "field", "legal", "fleet", "plant", "lab", "retail", "export", "import",
    "travel", "payroll", "media", "clinic", "school", "energy", "rental", "harbour", "hotel", "farm", "loan", "training",
)  # fmt: skip
THINGS = (
    "customer", "order", "product", "invoice", "payment", "supplier", "employee", "contract", "project", "ticket", "event",
    "visit", "shipment", "warehouse", "price", "budget", "asset", "device", "vehicle", "route", "campaign", "lead", "account",
    "transfer", "claim", "policy", "inspection", "task", "team", "department", "region", "city", "review", "refund",
    "subscription", "message", "document", "room", "course", "batch",
)  # fmt: skip
QUESTIONS = (
    "How many customers are there?",
    "How many sales orders does each customer have?",
    "Which 5 plant products have the highest total amount?",
    "What is the average amount of invoices per month in 2024?",
    "List the name and status of hotel rooms with a quantity over 30, sorted by name.",
    "Which partner suppliers have no contract?",
    "Show the clinic visits started after March 2023 with status open.",
    "What is the total amount of payments for each region?",
    "Which departments have more than 3 employees?",
    "Names of fleet vehicles with amount above the average",
    "List customers who have both orders and refunds.",
    "How many school courses and training courses started last year?",
)
ENDINGS = ("", " Thanks.", " Please.", " Tell me.")
"""Each question is asked with each, so that none is remembered."""


def large() -> Catalog:
    """Make up the catalog: ten columns a table, one key to the next thing and one to a neighbouring area."""
    names = [f"{area}_{thing}" for area in AREAS for thing in THINGS]
    return Catalog("sqlite", tuple(_table(n, names) for n in range(len(names))), version="large")


def _table(number: int, names: list[str]) -> Table:
    others = (names[number - 1], names[number - len(THINGS)])
    keys = tuple(ForeignKey((f"{other}_id",), other, ("id",)) for other in others)
    columns = (
        Column("id", "INTEGER", Kind.INTEGER),
        *(Column(key.columns[0], "INTEGER", Kind.INTEGER) for key in keys),
        Column("name", "TEXT", Kind.TEXT),
        Column("status", "TEXT", Kind.TEXT),
        Column(f"{names[number].split('_')[1]}_code", "TEXT", Kind.TEXT),
        Column("started_on", "DATE", Kind.DATE),
        Column("amount", "REAL", Kind.NUMBER),
        Column("quantity", "INTEGER", Kind.INTEGER),
        Column("note", "TEXT", Kind.TEXT),
    )
    return Table(names[number], columns, primary_key=("id",), foreign_keys=keys)


def asked(texts: tuple[str, ...], catalog: Catalog) -> list[tuple[float, float]]:
    """Milliseconds of linking and of sampling eight candidates, a question."""
    times = []
    for text in texts:
        question, began = Question(text), perf_counter()
        linked = link(question, catalog, None)
        between = perf_counter()
        list(GrammarSampler(None).sample(question, linked, count=8))
        times.append((1000 * (between - began), 1000 * (perf_counter() - between)))
    return times


def report() -> str:
    """Print the first question, and p50 and p95 of those after it, beside what is allowed."""
    catalog = large()
    [(linking, sampling)] = asked(QUESTIONS[:1], catalog)
    times = asked(tuple(text + ending for text in QUESTIONS for ending in ENDINGS), catalog)
    columns = sum(len(table.columns) for table in catalog.tables)
    lines = [
        f"a catalog of {len(catalog.tables):,} tables and {columns:,} columns; the first question on it: "
        f"{linking + sampling:.0f} ms",
        f"{'':<12}{'p50 ms':>9}{'p95 ms':>9}{'allowed':>9}",
    ]
    stages = {
        "link": ([t[0] for t in times], ""),
        "sample": ([t[1] for t in times], ""),
        "both": ([sum(t) for t in times], f"{ALLOWED:.0f}"),
    }
    for name, (took, allowed) in stages.items():
        lines.append(f"{name:<12}{percentile(took, 0.5):>9.1f}{percentile(took, 0.95):>9.1f}{allowed:>9}")
    return "\n".join(lines)
