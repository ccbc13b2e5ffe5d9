"""Which version a store is of: the migrations that were applied to it, held against those of this code."""

from __future__ import annotations

from django.db import DEFAULT_DB_ALIAS, connections
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

Named = dict[str, list[str]]


def applied(alias: str = DEFAULT_DB_ALIAS) -> Named:
    """The migrations of this code's subjects that were applied to a store, by subject; none in an empty one."""
    loader = MigrationLoader(None, ignore_no_migrations=True)
    done = MigrationRecorder(connections[alias]).applied_migrations()
    named: Named = {}
    for app, name in sorted(done):
        if app in loader.migrated_apps:
            named.setdefault(app, []).append(name)
    return named


def unknown(named: Named) -> list[str]:
    """Those of a store that this code does not have: a newer one made them."""
    loader = MigrationLoader(None, ignore_no_migrations=True)
    replaced = {key for migration in loader.disk_migrations.values() for key in migration.replaces}
    known = {*loader.disk_migrations, *replaced}
    return [f"{app}.{name}" for app, names in named.items() for name in names if (app, name) not in known]


def missing(named: Named) -> list[str]:
    """Those of this code that a store does not have yet; one that stands for others is there when they are."""
    loader = MigrationLoader(None, ignore_no_migrations=True)
    done = {(app, name) for app, names in named.items() for name in names}
    return [
        f"{app}.{name}"
        for (app, name), migration in sorted(loader.disk_migrations.items())
        if (app, name) not in done and not (migration.replaces and done.issuperset(migration.replaces))
    ]


def last(named: Named) -> list[tuple[str, str]]:
    """The migrations of a store that no other of its own subject builds upon, of those that were made one by one."""
    loader = MigrationLoader(None, ignore_no_migrations=True)
    found = []
    for app, names in named.items():
        built_on = {
            parent
            for name in names
            for parent in loader.disk_migrations[app, name].dependencies
            if parent[0] == app
        }
        found += [
            (app, name)
            for name in names
            if (app, name) not in built_on and not loader.disk_migrations[app, name].replaces
        ]
    return found
