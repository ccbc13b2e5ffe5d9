"""Values that people give for the :names of SQL, at the ends of what a number can be."""

from __future__ import annotations

import pytest

from mirror.queries.parameters import NAMES, ParameterError, parameters_found, sql_bind, value_read

NUMBER = {"name": "n", "kind": "number"}


@pytest.mark.parametrize("typed", ["1e99999999", "-1e99999999", "1e999999", "1e-999999", "NaN", "Infinity"])
def test_a_number_that_no_database_keeps_is_refused(typed: str) -> None:
    with pytest.raises(ParameterError, match="is not a number"):
        value_read(NUMBER, typed)


@pytest.mark.parametrize("typed", ["0", "-7", "1e30", "-0.000001", "123456789012345678901234567890.5"])
def test_a_number_is_bound_with_all_its_digits(typed: str) -> None:
    sql = sql_bind("SELECT :n AS n", [NUMBER], {"n": typed}, "sqlite")
    assert "e" not in sql.partition("AS")[0].partition("SELECT")[2].lower()


def test_a_text_with_more_names_than_anybody_fills_in_has_none() -> None:
    names = [f":n{n}" for n in range(NAMES + 1)]
    assert len(parameters_found(f"SELECT {', '.join(names[:-1])}", "sqlite")) == NAMES
    assert parameters_found(f"SELECT {', '.join(names)}", "sqlite") == []
