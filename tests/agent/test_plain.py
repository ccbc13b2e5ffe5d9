"""Bytes from a child process decode to plain values and nothing else."""

from __future__ import annotations

import pickle
from datetime import date
from decimal import Decimal
from enum import Enum

import pytest

from sqlagent.adapters.children.plain import NotPlain, plain
from sqlagent.forks.frames import Torn
from sqlagent.values.candidates import Failure, FailureKind
from sqlagent.values.source import Kind


class Attribute:
    """Something that is written as an attribute of something else, as Python 3.11.0 to 3.11.3 writes members of an enumeration."""

    def __init__(self, of: object, name: object) -> None:
        self.parts = of, name

    def __reduce__(self) -> tuple[object, tuple[object, object]]:
        return getattr, self.parts


@pytest.mark.parametrize(
    "value", [1, "x", None, Decimal("1.50"), date(2026, 1, 5), Kind.NUMBER, [Kind.TEXT, {"a": (b"b",)}]]
)
def test_plain_values_are_read_as_they_were_written(value):
    assert plain(pickle.dumps(value, protocol=5)) == value


def test_members_of_enumerations_are_read_as_every_python_writes_them():
    assert plain(pickle.dumps(Attribute(Kind, "NUMBER"))) is Kind.NUMBER
    failed = plain(pickle.dumps([Attribute(FailureKind, name) for name in FailureKind.__members__]))
    assert failed == list(FailureKind)


@pytest.mark.parametrize(
    ("of", "name"),
    [(Kind, "__class__"), (Kind, "mro"), (Kind, "nothing"), (Kind, 1), (Decimal, "from_float"), (Failure, "__init__"), ("text", "join"), (Kind.TEXT, "value")],
)  # fmt: skip
def test_no_attribute_of_anything_is_read(of, name):
    with pytest.raises((NotPlain, Torn)):
        plain(pickle.dumps(Attribute(of, name)))


@pytest.mark.parametrize("what", [print, eval, Enum, getattr])
def test_what_is_not_on_the_list_is_refused(what):
    data = pickle.dumps(what)
    if what is getattr:
        assert plain(data) is not getattr
        return
    with pytest.raises(NotPlain):
        plain(data)


def test_a_message_without_an_end_is_torn():
    with pytest.raises(Torn):
        plain(pickle.dumps([1, 2, 3])[:-1])
