"""Comments beside the columns of a SQLite table: whose they are, and which codes they explain."""

from __future__ import annotations

import pytest

from sqlagent.adapters.sqlite_comments import column_comments
from sqlagent.catalog.semantics.comments import labels_in


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("CREATE TABLE t (a INT, b TEXT)", {}),
        ("CREATE TABLE t (a INT /* one, two */, b TEXT)", {"a": "one, two"}),
        ("CREATE TABLE t (a INT, -- of a\n b TEXT -- of b\n)", {"a": "of a", "b": "of b"}),
        ("CREATE TABLE t (\n -- above a\n a INT,\n b TEXT)", {"a": "above a"}),
        ("CREATE TABLE t (\"A b\" DECIMAL(8, 2), -- money\n c TEXT DEFAULT '-- none')", {"a b": "money"}),
        ("CREATE TABLE t (a TEXT CHECK (a IN ('x', 'y')) /* x yes, y no */)", {"a": "x yes, y no"}),
        ("CREATE TABLE t (a INT /* never closed", {"a": "never closed"}),
        ("CREATE TABLE t AS SELECT 1", {}),
        ("", {}),
    ],
)
def test_a_comment_belongs_to_the_definition_beside_it(statement, expected):
    assert column_comments(statement) == expected


@pytest.mark.parametrize(
    ("comment", "stored", "expected"),
    [
        ("BK booked, DN done", ["BK", "DN"], (("BK", "booked"), ("DN", "done"))),
        ("status: 1=open; 2=closed; 3 = on hold", ["1", "2", "3"], (("1", "open"), ("2", "closed"), ("3", "on hold"))),
        ("NS = no show", ["NS", "DN"], (("NS", "no show"),)),
        ("A - active, C - closed", ["A", "C"], (("A", "active"), ("C", "closed"))),
        ("one of A, C or X", ["A", "C", "X"], ()),
        ("A customer's status, I think", ["A", "I"], ()),
        ("in euros", ["1", "2"], ()),
        ("A same, B same", ["A", "B"], ()),
        ("", ["A"], ()),
        ("A yes", [], ()),
    ],
)  # fmt: skip
def test_only_what_explains_stored_values_gives_labels(comment, stored, expected):
    assert labels_in(comment, stored) == expected
