"""Allowed statements of a source: the guard with what was decided for it. The one place that asks the guard.

Kept as `{"functions": [...], "refused": [...]}`: further functions that administrators allow, and
the kinds of statements that are switched off. Writing statements are refused for everybody.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from django.db import transaction
from django.utils.translation import gettext as _

from mirror.audit.services import record
from mirror.sources.catalogs import catalog_read
from mirror.sources.sight import withheld_now
from mirror.sources.signals import policy_changed
from sqlagent import guard
from sqlagent.guard import KINDS, Passed, Policy, Refusal

if TYPE_CHECKING:
    from mirror.people.models import User
    from mirror.sources.models import Source
    from sqlagent.values import Catalog

__all__ = [
    "KINDS",
    "Passed",
    "Refusal",
    "function_problem",
    "functions_of",
    "policy_of",
    "policy_set",
    "policy_whole",
    "sql_check",
    "sql_check_whole",
]

log = logging.getLogger(__name__)


class PolicyRefused(ValueError):
    """A change of the allowed statements that is refused; the message is fit to be shown."""


def policy_of(source: Source) -> Policy:
    """Give what was decided for a source, and what is withheld from who has it in hand; a kind no longer known is left out."""
    return replace(policy_whole(source), withheld=withheld_now(source))


def policy_whole(source: Source) -> Policy:
    """Give the settings of a source for all users."""
    kept = source.guarding or {}
    return Policy(
        functions=frozenset(kept.get("functions", ())),
        refused=frozenset(kept.get("refused", ())) & frozenset(KINDS),
    )


def sql_check(source: Source, sql: str, catalog: Catalog) -> Passed | Refusal:
    """Let one read-only statement through, or refuse it, as the source's policy says."""
    return guard.check(sql, catalog, policy_of(source))


def sql_check_whole(source: Source, sql: str, catalog: Catalog) -> Passed | Refusal:
    """Say whether SQL would pass for who sees the whole source: for its state, and never to run it."""
    return guard.check(sql, catalog, policy_whole(source))


def functions_of(source: Source, dialect: str) -> frozenset[str]:
    """The functions that SQL on a source may call: those of its dialect's list, and those that were allowed besides."""
    return guard.functions_listed(dialect) | policy_of(source).functions


def function_problem(function: str, engine: str) -> str:
    """Say why a function cannot be allowed, in a sentence; nothing when it can."""
    if why := guard.never_allowed(function, engine):
        return _("%(why)s This is never allowed.") % {"why": why}
    return (
        _("%(function)s may be called already.") % {"function": function}
        if guard.listed(function, engine)
        else ""
    )


def policy_set(source: Source, functions: Iterable[str], refused: Iterable[str], by: User) -> None:
    """Keep what may run on a source. Raises: PolicyRefused; nothing changes then.

    Only administrators add functions; people who may change the source remove them, and switches
    kinds of statements off and on.
    """
    kept = policy_of(source).functions
    wanted = {name.lower() for name in functions}
    added = sorted(wanted - kept)
    if added and not by.is_staff:
        raise PolicyRefused(
            _("Only administrators allow further functions (%(added)s).") % {"added": ", ".join(added)}
        )
    problems = [problem for name in added if (problem := function_problem(name, source.engine))]
    if problems:
        raise PolicyRefused(" ".join(problems))
    source.guarding = {"functions": sorted(wanted), "refused": sorted(set(refused) & set(KINDS))}
    with transaction.atomic():
        source.save(update_fields=["guarding"])
        if source.catalog:
            policy_changed.send(type(source), source=source, catalog=catalog_read(source.catalog))
        record("changed what may run", source, by=by, **source.guarding)
    log.info("What may run on source %s was changed by user %s: %s", source.pk, by.pk, source.guarding)
