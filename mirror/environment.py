"""Settings of the environment, read as their type or refused by name.

>>> Environment.parse_value("12", int)
12
"""

from __future__ import annotations

from typing import Any

import environ
from django.core.exceptions import ImproperlyConfigured

FALSE = frozenset({"", "0", "false", "off", "n", "no"})
"""Texts of a switch that is off; `environ` itself takes every unknown text for one."""

NEEDED: dict[type, str] = {int: "a whole number", float: "a number", bool: "true or false"}


class Environment(environ.Env):  # type: ignore[misc]  # the library has no types
    """The environment, whose values stop the start where they are not of their type.

    Raises:
        ImproperlyConfigured: A number or a switch cannot be read; the message names the setting.
    """

    def get_value(self, var: str, cast: Any = None, default: Any = environ.Env.NOTSET, **others: Any) -> Any:
        """Read one setting as `cast`."""
        text = self.ENVIRON.get(var, "")
        known = {*FALSE, *self.BOOLEAN_TRUE_STRINGS}
        try:
            if cast is bool and text.strip().lower() not in known and not text.strip().isdecimal():
                raise ValueError(text)
            return super().get_value(var, cast=cast, default=default, **others)
        except ValueError as error:
            needed = NEEDED.get(cast, "of another kind")
            raise ImproperlyConfigured(f"{var} must be {needed}; it is {text!r}") from error
