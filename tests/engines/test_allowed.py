"""Functions somebody made and an administrator allowed: the guard lets them through, the session still guarantees."""

from __future__ import annotations

from pathlib import Path

import pytest

from sqlagent import guard
from sqlagent.errors import DatabaseError
from sqlagent.values import Limits
from tests.engines.labs import LABS

MADE = {
    "postgres": (
        "CREATE FUNCTION vat_of(amount numeric) RETURNS numeric STABLE LANGUAGE sql AS 'SELECT amount * 0.25'",
        "CREATE FUNCTION wipe_lines() RETURNS bigint SECURITY DEFINER LANGUAGE sql AS "
        "'DELETE FROM line_notes; SELECT count(*) FROM line_notes'",
    ),
    "mysql": (
        "CREATE FUNCTION vat_of(amount decimal(12, 2)) RETURNS decimal(12, 4) DETERMINISTIC NO SQL "
        "RETURN amount * 0.25",
        "CREATE FUNCTION wipe_lines() RETURNS int DETERMINISTIC MODIFIES SQL DATA "
        "BEGIN DELETE FROM line_notes; RETURN 1; END",
    ),
}
POLICY = guard.Policy(functions=frozenset({"vat_of", "wipe_lines"}))


@pytest.mark.parametrize("engine", sorted(MADE))
def test_an_allowed_function_computes_and_one_that_writes_is_stopped_by_the_session(
    engine: str, tmp_path: Path
) -> None:
    lab = LABS[engine](tmp_path / "lab")
    for statement in MADE[engine]:
        lab.look(statement)
    database, before = lab.connect(), lab.state()
    catalog = database.catalog()
    for sql in ("SELECT vat_of(amount) FROM orders", "SELECT wipe_lines()"):
        assert isinstance(guard.check(sql, catalog), guard.Refusal)
        assert isinstance(guard.check(sql, catalog, POLICY), guard.Passed)
    taxed = database.execute("SELECT vat_of(amount) FROM orders ORDER BY 1", Limits()).rows
    assert [float(row[0]) for row in taxed] == [1.8125, 3.125, 24.9975]
    for who, door in lab.doors().items():
        with pytest.raises(DatabaseError, match=r"read.only|READ ONLY|not called in a superuser's session"):
            door.execute("SELECT wipe_lines()", Limits())
        assert lab.state() == before, who
