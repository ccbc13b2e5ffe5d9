"""Functions that somebody made in a PostgreSQL database, and calls of them where no name tells.

Objects with numbers below 16384 came with the server. Functions of trusted extensions are on the guard's lists.
Types, operators and casts of any extension do as its author meant. They count only where a superuser owns them, as
the owner of an extension may put objects of his own into it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, LiteralString

_TRUSTED = """
    btree_gin btree_gist citext cube earthdistance fuzzystrmatch hstore intarray isn ltree pg_trgm pgcrypto postgis
    postgis_raster postgis_topology timescaledb timescaledb_toolkit unaccent uuid-ossp vector
"""
TRUSTED = _TRUSTED.split()
# Operators that PostgreSQL looks up by their sign for words: IN, LIKE, BETWEEN, USING, IS DISTINCT FROM, NULLIF, CASE.
BEHIND_WORDS = ["=", "<>", "<", "<=", ">", ">=", "~~", "!~~", "~~*", "!~~*", "~", "!~", "~*", "!~*"]

# Names are those of pg_catalog alone while this runs: an operator of somebody's could hide what was made. No value
# is cast but as PostgreSQL's own casts do: one that somebody made would be called here.
ALONE: LiteralString = """
SELECT current_setting('search_path'), set_config('search_path', 'pg_catalog', true)
"""
BACK: LiteralString = "SELECT pg_catalog.set_config('search_path', %s, true)"

# `acting` are types whose values call somebody's functions when they are compared, cast or sorted, and all that
# has such a part. A domain over a plain type whose check calls one is `checked`: only making a value calls it.
MADE: LiteralString = """
WITH RECURSIVE masters AS (
  SELECT oid FROM pg_roles WHERE rolsuper
), extended AS (
  SELECT d.classid, d.objid, e.extname = ANY(%(trusted)s) AS is_trusted
  FROM pg_depend AS d JOIN pg_extension AS e ON e.oid = d.refobjid
  WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'
), function AS (
  SELECT p.oid, p.proname::text AS name, EXISTS (
    SELECT FROM extended AS x WHERE x.classid = 'pg_proc'::regclass AND x.objid = p.oid AND x.is_trusted
  ) AND p.proowner IN (SELECT oid FROM masters) AS is_trusted
  FROM pg_proc AS p WHERE p.oid >= 16384
), operator AS (
  SELECT o.oid, o.oprname::text AS name, o.oprleft, o.oprright, x.objid IS NOT NULL AS is_brought,
         COALESCE(x.is_trusted, false) AS is_trusted
  FROM pg_operator AS o LEFT JOIN extended AS x
    ON x.classid = 'pg_operator'::regclass AND x.objid = o.oid AND o.oprowner IN (SELECT oid FROM masters)
  WHERE o.oid >= 16384
), own_cast AS (
  SELECT k.castsource, k.casttarget, k.castcontext FROM pg_cast AS k
  WHERE k.oid >= 16384 AND k.castfunc <> 0 AND NOT EXISTS (
    SELECT FROM extended AS x JOIN pg_proc AS p ON p.oid = k.castfunc AND p.proowner IN (SELECT oid FROM masters)
    WHERE x.classid = 'pg_cast'::regclass AND x.objid = k.oid)
), order_class AS (
  SELECT c.opcintype FROM pg_opclass AS c
  WHERE c.oid >= 16384 AND c.opcdefault AND NOT EXISTS (
    SELECT FROM extended AS x WHERE x.classid = 'pg_opclass'::regclass AND x.objid = c.oid
       AND c.opcowner IN (SELECT oid FROM masters))
), own_type AS (
  SELECT t.oid, t.typname::text AS name, t.typtype, t.typcategory, t.typbasetype, t.typelem,
         x.objid IS NOT NULL AS is_brought, COALESCE(x.is_trusted, false) AS is_trusted
  FROM pg_type AS t LEFT JOIN extended AS x
    ON x.classid = 'pg_type'::regclass AND x.objid = t.oid AND t.typowner IN (SELECT oid FROM masters)
  WHERE t.oid >= 16384
), domain AS (
  SELECT t.oid, t.name, t.typbasetype < 16384 AND t.typcategory <> 'A' AS is_plain
  FROM own_type AS t WHERE t.typtype = 'd' AND EXISTS (
    SELECT FROM pg_constraint AS k JOIN pg_depend AS d ON d.classid = 'pg_constraint'::regclass AND d.objid = k.oid
    LEFT JOIN function AS f ON d.refclassid = 'pg_proc'::regclass AND f.oid = d.refobjid
    LEFT JOIN operator AS o ON d.refclassid = 'pg_operator'::regclass AND o.oid = d.refobjid
    WHERE k.contypid = t.oid AND (NOT f.is_trusted OR NOT o.is_trusted)
    UNION ALL SELECT FROM pg_constraint AS k,
      LATERAL regexp_matches(k.conbin::text, ':(?:funcid|opfuncid) ([0-9]+)', 'g') AS called
      JOIN pg_proc AS p ON concat(p.oid) = called[1]
    WHERE k.contypid = t.oid AND p.oid < 16384 AND p.provolatile = 'v')
), part(inner_type, whole) AS (
  SELECT typelem, oid FROM own_type WHERE typcategory = 'A' AND typelem <> 0
  UNION ALL SELECT typbasetype, oid FROM own_type WHERE typtype = 'd'
  UNION ALL SELECT rngsubtype, rngtypid FROM pg_range
  UNION ALL SELECT a.atttypid, c.reltype FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid
    WHERE a.atttypid >= 16384 AND a.attnum > 0 AND NOT a.attisdropped AND c.reltype <> 0
), touched(oid) AS (
  SELECT n FROM operator, unnest(ARRAY[oprleft, oprright]) AS n WHERE NOT is_brought
  UNION ALL SELECT n FROM own_cast, unnest(ARRAY[castsource, casttarget]) AS n
  UNION ALL SELECT opcintype FROM order_class
), acting(oid) AS (
  SELECT oid FROM own_type WHERE NOT is_brought AND (typtype = 'b' AND typcategory <> 'A' OR typtype IN ('r', 'm')
    AND EXISTS (SELECT FROM pg_range WHERE rngtypid >= 16384
                AND (rngcanonical >= 16384 OR rngsubdiff >= 16384 OR rngsubopc >= 16384)))
  UNION SELECT oid FROM touched WHERE oid >= 16384
  UNION SELECT t.typelem FROM touched JOIN own_type AS t USING (oid) WHERE t.typcategory = 'A'
  UNION SELECT oid FROM domain WHERE NOT is_plain
  UNION SELECT whole FROM domain JOIN part ON inner_type = domain.oid
  UNION SELECT whole FROM acting JOIN part ON inner_type = acting.oid
)
SELECT 'routine', name, oid::int8 FROM function WHERE NOT is_trusted
UNION SELECT CASE WHEN o.name = ANY(%(words)s) THEN 'operator' ELSE 'routine' END, o.name, NULL FROM operator AS o
WHERE NOT o.is_trusted AND o.oprleft < 16384 AND o.oprright < 16384
  AND NOT EXISTS (SELECT FROM pg_operator AS own WHERE own.oid < 16384 AND own.oprname = o.name
                  AND own.oprleft = o.oprleft AND own.oprright = o.oprright)
UNION SELECT CASE WHEN (typtype = 'e' OR typtype = 'd' AND typbasetype < 16384)
                   AND oid NOT IN (SELECT oid FROM acting) AND oid NOT IN (SELECT oid FROM domain)
                   AND NOT EXISTS (SELECT FROM own_type AS other WHERE other.name = own_type.name AND other.oid <> own_type.oid)
                  THEN 'type' ELSE 'routine' END, name, NULL
FROM own_type WHERE typtype IN ('b', 'd', 'e', 'r', 'm') AND typcategory <> 'A' AND NOT is_trusted
UNION SELECT 'checked', name, oid::int8 FROM domain WHERE is_plain AND oid NOT IN (SELECT oid FROM acting)
UNION SELECT 'acting', '', oid::int8 FROM acting
UNION SELECT CASE WHEN k.castcontext = 'i' OR t.typcategory = 'S' THEN 'cast' ELSE 'target' END,
             format_type(k.castsource, NULL) || ' to ' || format_type(k.casttarget, NULL), NULL
FROM own_cast AS k JOIN pg_type AS t ON t.oid = k.casttarget WHERE k.castsource < 16384 AND k.casttarget < 16384
UNION SELECT 'order', format_type(opcintype, NULL), NULL FROM order_class WHERE opcintype < 16384
UNION SELECT 'order', format_type(s.amproclefttype, NULL), NULL FROM pg_amproc AS s
WHERE s.oid >= 16384 AND s.amprocfamily < 16384 AND s.amproc >= 16384
  AND s.amproc NOT IN (SELECT objid FROM extended WHERE classid = 'pg_proc'::regclass)
UNION SELECT 'field', a.attname::text, NULL FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid
WHERE c.relkind = 'c' AND a.attnum > 0 AND NOT a.attisdropped
UNION SELECT 'called', p.proname::text, NULL FROM pg_proc AS p
WHERE p.oid < 16384 AND p.provolatile <> 'i' AND p.pronargs > 0 AND p.pronargs - p.pronargdefaults <= 1
UNION SELECT 'tree', tree.code, tree.relation::int8 FROM (
  SELECT indexprs::text, indrelid FROM pg_index WHERE indexprs IS NOT NULL
  UNION ALL SELECT indpred::text, indrelid FROM pg_index WHERE indpred IS NOT NULL
  UNION ALL SELECT conbin::text, conrelid FROM pg_constraint WHERE contype = 'c' AND conrelid <> 0
  UNION ALL SELECT partexprs::text, partrelid FROM pg_partitioned_table WHERE partexprs IS NOT NULL
  UNION ALL SELECT to_jsonb(s) ->> 'stxexprs', stxrelid FROM pg_statistic_ext AS s
) AS tree(code, relation)
WHERE tree.code LIKE '%%:funcid %%' OR tree.code LIKE '%%:opfuncid %%'
UNION SELECT 'planned', '', relation::int8 FROM (
  SELECT i.indrelid, unnest(i.indclass) FROM pg_index AS i
  UNION ALL SELECT p.partrelid, unnest(p.partclass) FROM pg_partitioned_table AS p
) AS sorted(relation, class)
WHERE class >= 16384 AND class NOT IN (SELECT objid FROM extended WHERE classid = 'pg_opclass'::regclass)
UNION SELECT 'own', p.oid::regprocedure::text, NULL FROM pg_proc AS p JOIN pg_language AS l ON l.oid = p.prolang
WHERE p.pronamespace = 'pg_catalog'::regnamespace
  AND (p.oid < 16384 AND l.lanname NOT IN ('internal', 'c', 'sql')
       OR p.oid >= 16384 AND p.oid NOT IN (SELECT objid FROM extended WHERE classid = 'pg_proc'::regclass))
UNION SELECT 'body', p.prosrc || ' ' || COALESCE(to_jsonb(p) ->> 'prosqlbody', ''), p.oid::int8 FROM pg_proc AS p
JOIN pg_language AS l ON l.oid = p.prolang AND l.lanname = 'sql' WHERE p.oid >= 16384
ORDER BY 1, 2
"""
# Tables and views whose planning plans one of these: parents of a table, and views that name it.
REACHED: LiteralString = """
WITH RECURSIVE step(oid, next) AS (
  SELECT inhrelid, inhparent FROM pg_inherits
  UNION ALL SELECT d.refobjid, r.ev_class FROM pg_depend AS d JOIN pg_rewrite AS r ON r.oid = d.objid
    WHERE d.classid = 'pg_rewrite'::regclass AND d.refclassid = 'pg_class'::regclass
), reached(oid) AS (
  SELECT unnest(%(planned)s::oid[]) UNION SELECT next FROM reached JOIN step USING (oid)
)
SELECT oid::int8 FROM reached
"""
_UNSEEN = {
    "operator": "the operator {}",
    "cast": "the cast of {}",
    "order": "the order of {}",
    "own": "the function pg_catalog.{}",
}
# Names that the grammar has for a type, beside those the server writes.
_ALIASES = {
    "integer": ("int", "int4"), "bigint": ("int8",), "smallint": ("int2",), "boolean": ("bool",), "real": ("float4",),
    "double": ("float", "float8"), "numeric": ("decimal", "dec"), "character": ("char", "bpchar", "varchar", "nchar"),
    "national": ("nchar",), "timestamp": ("timestamptz",), "time": ("timetz",), "bit": ("varbit",),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Made:
    """Functions and types that somebody made, by a catalog; `checked` and `acting` are numbers of types, `planned` of tables."""

    routines: tuple[str, ...]
    types: tuple[str, ...]
    fields: tuple[str, ...]
    called: tuple[str, ...]
    unseen: tuple[str, ...]
    checked: frozenset[int]
    acting: frozenset[int]
    planned: frozenset[int]


def read_made(ask: Callable[..., Iterable[tuple[Any, ...]]]) -> Made:
    """Read what somebody made, with PostgreSQL's own names alone."""
    ((path, _),) = ask(ALONE)
    found: dict[str, list[tuple[str, int]]] = defaultdict(list)
    for what, name, number in ask(MADE, {"trusted": TRUSTED, "words": BEHIND_WORDS}):
        found[what].append((name, number))
    routines = {number: name for name, number in found["routine"] if number is not None}
    unfolded = _unfolded(routines, found["body"])
    planned = {table for _, table in found["planned"]}
    planned |= {table for tree, table in found["tree"] if folds(tree, routines.keys(), unfolded)}
    if planned:
        planned = {table for (table,) in ask(REACHED, {"planned": sorted(planned)})}
    list(ask(BACK, (path,)))

    def names(what: str) -> list[str]:
        return [name for name, _ in found[what]]

    targets = {name for cast in names("target") for name in _names(cast.partition(" to ")[2])}
    return Made(
        tuple(sorted({*names("routine"), *targets})),
        tuple(names("type")),
        tuple(names("field")),
        tuple(names("called")),
        tuple(words.format(name) for what, words in _UNSEEN.items() for name in names(what)),
        frozenset(number for _, number in found["checked"]),
        frozenset(number for _, number in found["acting"]),
        frozenset(planned),
    )


_WORDS = re.compile(r"\w+")
_NODES = re.compile(r"\\.|\{(\w*)|(\})|:(?:funcid|opfuncid) ([0-9]+)", re.DOTALL)


def _unfolded(routines: Mapping[int, str], bodies: Iterable[tuple[str, int]]) -> set[int]:
    """List the functions that PostgreSQL may put in place of a call and that call others of somebody's."""
    numbers = set(map(str, routines))
    names = {name.lower() for name in routines.values()}
    found = set()
    for body, number in bodies:
        words = set(_WORDS.findall(body.lower()))
        if number in routines and (words & names - {routines[number].lower()} or words & numbers):
            found.add(number)
    return found


def folds(tree: str, made: Container[int], unfolded: Container[int]) -> bool:
    """Say whether an expression calls one of these functions for values that are known when a statement is planned.

    PostgreSQL computes such calls while it plans, as the user who asks. `tree` is an expression as pg_node_tree writes it.

    Example:
        >>> folds("{FUNCEXPR :funcid 20000 :args ({CONST :constvalue 4}) }", {20000}, ())
        True
        >>> folds("{FUNCEXPR :funcid 20000 :args ({VAR :varno 1}) }", {20000}, ())
        False
    """
    open_nodes: list[list[bool]] = []
    for node in _NODES.finditer(tree):
        opened, closed, called = node.groups()
        if opened is not None:
            open_nodes.append([False, opened == "VAR"])
        elif called is not None and open_nodes:
            if int(called) in unfolded:
                return True
            open_nodes[-1][0] |= int(called) in made
        elif closed is not None and open_nodes:
            is_made, has_column = open_nodes.pop()
            if is_made and not has_column:
                return True
            if open_nodes:
                open_nodes[-1][1] |= has_column
    return False


def _names(written: str) -> set[str]:
    """List the names that may stand for a type which the server writes like this.

    Example:
        >>> sorted(_names("integer[]")), sorted(_names("double precision"))
        (['int', 'int4', 'integer'], ['double', 'double precision', 'float', 'float8'])
    """
    name = written.removesuffix("[]").replace('"', "")
    first = name.partition(" ")[0]
    return {name, first, *_ALIASES.get(first, ())}
