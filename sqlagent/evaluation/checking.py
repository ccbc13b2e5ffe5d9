"""Tells of how many gold statements the checks of meaning doubt something: each should be right, so each doubt is to be read."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from sqlagent.catalog.statistics import FactsReader, Statistics, TableFacts
from sqlagent.errors import DatabaseError
from sqlagent.evaluation.items import BadInput, Databases, json_lines
from sqlagent.evaluation.progress import Bar
from sqlagent.ports import Database
from sqlagent.sql.meaning import CHECKS, doubts
from sqlagent.values import Catalog


def checks(questions: Path, databases: str) -> str:
    """Check every gold SQL of a file and print how many are doubted by which check, then each doubt. Raises: BadInput."""
    lines = [(place, line) for place, line in json_lines(questions) if line.get("gold")]
    bar = Bar(len(lines), "checks")
    places, opened = Databases(databases), dict[str, tuple[Catalog, Statistics]]()
    counts: Counter[str] = Counter()
    doubted, told = 0, []
    for place, line in lines:
        name = str(line.get("db") or "")
        if not name:
            raise BadInput(f"{place}: 'db' is missing.")
        if name not in opened:
            database = places.open(name)
            catalog = database.catalog()
            opened[name] = catalog, _facts(catalog, database)
        found = doubts(str(line["gold"]), *opened[name])
        doubted += bool(found)
        for one in found:
            counts[one.check] += 1
            told.append(
                f"  {line.get('id', '')} {name}: {one.check}: {one.words}\n      {' '.join(str(line['gold']).split())}"
            )
        bar.step()
    figures = ", ".join(f"{counts[name]} {name}" for name in CHECKS)
    share = 100 * doubted / max(1, len(lines))
    return "\n".join(
        [*told, f"{doubted:,} of {len(lines):,} statements ({share:.2f} %) are doubted: {figures}"]
    )


def _facts(catalog: Catalog, database: Database) -> Statistics:
    reader, found = FactsReader(catalog, database), dict[str, TableFacts]()
    for table in catalog.tables:
        try:
            found[table.key] = reader.facts(table)
        except DatabaseError:
            continue
    return Statistics(found)
