"""Looks for SQL that the guard and an engine read differently: comments, quotes, white space, encodings, nesting.

    .venv/bin/python -m tests.engines.differ --minutes 60

A text is made of pieces that readers disagree on. Where the guard lets it through, the text it sends
is run, and so is the statement that its parser understood, written out anew by the parser. Both must give the
same rows: otherwise the engine read something that the guard did not. A seed gives the same texts again.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import sqlglot
from sqlglot.errors import SqlglotError

from sqlagent import guard
from sqlagent.adapters.base import Row
from sqlagent.errors import DatabaseError
from sqlagent.ports import SourceDatabase
from sqlagent.values import Catalog, Limits
from tests.engines.labs import LABS

COMMON = (
    *(
        "'a'",
        "'it''s'",
        "''",
        "'--'",
        "'/*'",
        "'*/'",
        "'\n'",
        "'\\'",
        "'\\\\'",
        "'a\\'b'",
        "'\u3000'",
        "'ü'",
        "'\ufeff'",
    ),
    *('"a"', '"name"', '"a""b"', '"--"', "'\"'", '"\'"', "`a`", "[a]", "`'`", "'`'"),
    *(
        "/*",
        "*/",
        "/**/",
        "/* a */",
        "/*/",
        "/*/* a */*/",
        "/*! a */",
        "/*+ a */",
        "--",
        "-- a\n",
        "--a\n",
        "--\n",
        "# a\n",
        "--\r",
    ),
    *(
        " ",
        "\n",
        "\t",
        "\r",
        "\f",
        "\v",
        "\r\n",
        "\u00a0",
        "\u3000",
        "\u2028",
        "\u0085",
        "\ufeff",
        "\u200b",
        "\x1c",
        "\x00",
    ),
    *("1", "2.5", ".5", "1.", "1e1", "1_0", "-1", "- -1", "--1", "+1", "1 2", "1a", "007"),
    *(
        ",",
        ",",
        ",",
        "+",
        "-",
        "*",
        "/",
        "||",
        "=",
        "<>",
        "!=",
        "<",
        "(",
        ")",
        "(1)",
        "(SELECT 1)",
        ";",
        "|",
        "&",
        "%",
        "~",
        "::text",
    ),
    *(
        "name",
        "id",
        "NULL",
        "AS a",
        "AS b",
        "FROM customers",
        "FROM customers c",
        "WHERE id = 1",
        "UNION SELECT 1",
        "c.id",
        "é",
    ),
    *(
        "upper('a')",
        "length('b')",
        "coalesce(NULL, 1)",
        "CASE WHEN 1=1 THEN 2 END",
        "NOT 1=1",
        "ſ",
        "K",
        "ＳＥＬＥＣＴ",
    ),
)
OWN = {
    "postgres": ("E'\\''", "E'a\\\\'", "e'\\x41'", "U&'\\0041'", "U&\"a\"", "$$a$$", "$t$'$t$", "$t$ $$ $t$", "B'1'", "X'1F'", "N'a'", "E'a'\n'b'", "'a'\n'b'", "'a' 'b'", "1::int4", "->", "@>", "$1"),
    "duckdb": ("E'\\''", "E'\\n'", "$$a$$", "$t$'$t$", "x'41'", "'a'\n'b'", "{'a': 1}", "[1, 2]", "1::INT", "a:1", "->", "0b11"),
    "mysql": ("'\\''", "'\\\\'", "\"it's\"", "\"\\\"\"", "_utf8mb4'a'", "N'a'", "x'41'", "b'1'", "0b1", "'a' 'b'", "'a'\n'b'", "/*!50000 a */", "/*M! a */", "--\u3000", "'\\%'", "'\\_'", "@a", "DIV", "count (1)"),
    "sqlite": ("x'41'", "[name]", "[a b]", '"nmae"', "`name`", "'a' COLLATE nocase", "1 NOTNULL", "->'a'", "?1", ":a", "@a", "$a"),
}  # fmt: skip
LIMITS = Limits(seconds=1.0, rows=50)


@dataclass
class Found:
    """Counts and findings of a search."""

    engine: str
    texts: int = 0
    passed: int = 0
    ran: int = 0
    different: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        listed = "".join(f"\n  read in two ways: {sql!r}" for sql in self.different)
        return (
            f"{self.engine}: {self.texts:,} texts, {self.passed:,} passed the guard, {self.ran:,} of those ran, "
            f"{len(self.different)} read in two ways{listed}"
        )


def text(engine: str, chance: random.Random) -> str:
    """Make a text of pieces, mostly joined by spaces."""
    pieces = COMMON + OWN[engine]
    few = [chance.choice(pieces) for _ in range(chance.randint(1, 9))]
    if chance.random() < 0.7:
        few = [piece for piece in few if piece not in "()"]
    glue = chance.choice((" ", " ", "", "/**/", "\n"))
    first = chance.choice(
        ("SELECT", "SELECT", "SELECT", "WITH x AS (SELECT 1) SELECT", "(SELECT", "/* a */ SELECT")
    )
    made = f"{first} {glue.join(few)}"
    return made + ")" if first == "(SELECT" else made


def search(
    engine: str,
    database: SourceDatabase,
    catalog: Catalog,
    seed: int,
    seconds: float,
    at_most: int = 10**9,
) -> Found:
    """Try texts for so long or so many, and tell what was found."""
    chance, found = random.Random(seed), Found(engine)
    until = time.monotonic() + seconds
    while time.monotonic() < until and found.texts < at_most:
        sql = text(engine, chance)
        found.texts += 1
        passed = guard.check(sql, catalog)
        if isinstance(passed, guard.Refusal):
            continue
        found.passed += 1
        try:
            sent = database.execute(passed.sent, LIMITS)
        except DatabaseError:
            continue
        found.ran += 1
        if not is_read_alike(database, passed.sent, sent.rows):
            found.different.append(sql)
    return found


def is_read_alike(database: SourceDatabase, sent: str, rows: Sequence[Row]) -> bool:
    """Say whether the statement as the parser understood it gives the same rows.

    The parser cannot write out SQL that it takes only in a second form (`sqlagent.guard.reading`).
    """
    try:
        tree = sqlglot.parse_one(sent, dialect=database.dialect)
        understood = database.execute(tree.sql(dialect=database.dialect, comments=False), LIMITS).rows
    except SqlglotError:
        return True
    except DatabaseError:
        return False
    return sorted(map(repr, understood)) == sorted(map(repr, rows))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--minutes", type=float, default=60, help="for all engines together")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--engine", choices=sorted(LABS), action="append")
    options = parser.parse_args()
    engines = options.engine or sorted(LABS)
    print(f"seed {options.seed}")
    for engine in engines:
        database = LABS[engine](Path(tempfile.mkdtemp()) / "lab").connect()
        seconds = options.minutes * 60 / len(engines)
        print(search(engine, database, database.catalog(), options.seed, seconds), flush=True)


if __name__ == "__main__":
    main()
