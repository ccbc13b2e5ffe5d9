"""Warehouses that are reached through SQLAlchemy: where each is, what its driver is told, how a session begins.

Trino, Snowflake, BigQuery, Databricks, SQL Server, Oracle and Redshift. No server of any of these can be run beside
the tests, so this module follows the manuals and the drivers' own code, and `docs/connectors.md` says so. People type
names: each part enters a URL or an argument of its own, and none is parsed as more than a name.
"""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from sqlagent.adapters.base import CONNECT_SECONDS
from sqlagent.adapters.failures import unreachable

if TYPE_CHECKING:
    import sqlalchemy as sa


@dataclass(frozen=True, slots=True)
class Place:
    """Where a source is, as it was typed."""

    host: str
    port: int | None
    database: str
    user: str
    password: str
    options: Mapping[str, str]

    def parts(self) -> tuple[str, str]:
        """The two names of a database that is written `catalog.schema`; the second may be empty."""
        first, _, second = self.database.replace("/", ".").partition(".")
        return first, second


@dataclass(frozen=True, slots=True)
class Warehouse:
    """The knowledge of one engine.

    `begins` are statements that begin a session, with `{seconds}`, `{whole_seconds}` or `{milliseconds}` of the deadline put in.
    `scan` is the statement that bounds the `{bytes}` that are read, where the engine has one. `is_held` says that its sessions write nothing.
    `home` names the namespace of names without one, where the dialect does not tell it.
    """

    name: str
    dialect: str
    requirements: str
    options: tuple[str, ...]
    url: Callable[[Place], sa.URL]
    arguments: Callable[[Place], dict[str, Any]]
    more: Callable[[Place], dict[str, Any]] = lambda _: {}
    begins: tuple[str, ...] = ()
    scan: str = ""
    is_held: bool = False
    home: Callable[[Place], str] = lambda _: ""


def _url(place: Place, dialect: str, database: str | None, **query: str) -> sa.URL:
    from sqlalchemy import URL

    said = {name: value for name, value in query.items() if value}
    where = (place.user or None, place.password or None, place.host or None, place.port)
    return URL.create(dialect, *where, database, said)


def _is_plain(place: Place) -> bool:
    return place.options.get("sslmode") == "disable"


# ---------------------------------------------------------------- Trino


def _trino_url(place: Place) -> sa.URL:
    return _url(place, "trino", "/".join(filter(None, place.parts())))


def home_session(host: str, port: int | None) -> Any:
    """A session of `requests` that calls one server alone: Trino's answers name the next address to call, and may redirect.

    It raises `requests.exceptions.InvalidURL` for an address elsewhere, which is not called, and follows no redirect.
    """
    requests = importlib.import_module("requests")
    session = requests.Session()
    send = session.send

    def at_home(request: Any, **options: Any) -> Any:
        there = urlsplit(request.url or "")
        usual = 443 if there.scheme == "https" else 80
        if ((there.hostname or "").lower(), there.port or usual) != (host.lower(), port or usual):
            raise requests.exceptions.InvalidURL("The server named an address elsewhere. It was not called.")
        return send(request, **options | {"allow_redirects": False})

    session.send = at_home
    return session


def _trino_arguments(place: Place) -> dict[str, Any]:
    told: dict[str, Any] = {
        "source": "mirror",
        "request_timeout": CONNECT_SECONDS,
        "max_attempts": 1,
        "http_session": home_session(place.host, place.port),
    }
    if _is_plain(place):
        return {**told, "http_scheme": "http"}
    mode, root = place.options.get("sslmode", ""), place.options.get("sslrootcert", "")
    return {**told, "http_scheme": "https", "verify": False if mode == "require" else root or True}


# ---------------------------------------------------------------- Snowflake


def _snowflake_url(place: Place) -> sa.URL:
    query = {name: place.options.get(name, "") for name in ("warehouse", "role")}
    return _url(place, "snowflake", "/".join(filter(None, place.parts())), **query)


def _snowflake_arguments(_: Place) -> dict[str, Any]:
    return {
        "login_timeout": CONNECT_SECONDS,
        "application": "mirror",
        "session_parameters": {"QUERY_TAG": "mirror", "MULTI_STATEMENT_COUNT": 1},
        # A connection name in a file of this machine's would say where to go.
        "connections_file_path": None,
    }


# ---------------------------------------------------------------- BigQuery

# Where Google gives tokens; a key that names another place would have Mirror call it.
GOOGLE_TOKENS = "https://oauth2.googleapis.com/token"
_KEY = ("client_email", "private_key", "private_key_id", "project_id", "client_id")


def service_account(text: str) -> dict[str, str]:
    """Read the key of a service account, and take of it what signs in. Raises: Unreachable.

    Keys of other kinds can name programs and addresses that the driver would run and call.
    """
    advice = "Paste the JSON file that Google Cloud made for the key of a service account."
    try:
        told = json.loads(text)
    except ValueError:
        raise unreachable("The key is not JSON.", advice) from None
    if not isinstance(told, dict) or told.get("type") != "service_account":
        raise unreachable("The key is not one of a service account.", advice)
    if told.get("token_uri", GOOGLE_TOKENS) != GOOGLE_TOKENS:
        raise unreachable("The key names another place than Google's for signing in.", advice)
    if missing := [name for name in ("client_email", "private_key") if not isinstance(told.get(name), str)]:
        raise unreachable(f"The key has no {missing[0]}.", advice)
    kept = {name: str(told[name]) for name in _KEY if name in told}
    return {"type": "service_account", "token_uri": GOOGLE_TOKENS, **kept}


def _bigquery_url(place: Place) -> sa.URL:
    from sqlalchemy import URL

    project, dataset = place.parts()
    # Without host, user or password: the project stands where a host does.
    query = {"location": place.options["location"]} if place.options.get("location") else {}
    return URL.create("bigquery", host=project, database=dataset or None, query=query)


# ---------------------------------------------------------------- Databricks


def databricks_home(place: Place) -> str:
    """The schema that names without one are of. The dialect tells none, and asks for one called None where none is said."""
    return place.parts()[1] or "default"


def _databricks_url(place: Place) -> sa.URL:
    catalog, _ = place.parts()
    token = Place(place.host, place.port, "", "token", place.password, place.options)
    query = {
        "http_path": place.options.get("http_path", ""),
        "catalog": catalog,
        "schema": databricks_home(place),
    }
    return _url(token, "databricks", None, **query)


def _databricks_arguments(place: Place) -> dict[str, Any]:
    return {
        # The dialect leaves the port of a URL out.
        "_port": place.port or 443,
        "_socket_timeout": 60,
        "user_agent_entry": "mirror",
        "use_cloud_fetch": False,
        # Nothing is told to Databricks but statements.
        "enable_telemetry": False,
        # Two tries with the driver's own pauses took the 8 s that a connection may: a refused one was told as a silent one.
        "_retry_stop_after_attempts_count": 2,
        "_retry_delay_min": 0.1,
        "_retry_delay_default": 1.0,
    }


# ---------------------------------------------------------------- SQL Server, Oracle, Redshift


def _mssql_arguments(place: Place) -> dict[str, Any]:
    encryption = {"disable": "off", "require": "require"}.get(place.options.get("sslmode", ""), "request")
    return {
        "login_timeout": CONNECT_SECONDS,
        "read_only": True,
        "appname": "mirror",
        "encryption": encryption,
    }


def _oracle_arguments(place: Place) -> dict[str, Any]:
    told: dict[str, Any] = {"tcp_connect_timeout": CONNECT_SECONDS, "program": "mirror"}
    if place.options.get("sslmode") in ("", "disable", None):
        return told
    return {**told, "protocol": "tcps", "ssl_server_dn_match": place.options["sslmode"] == "verify-full"}


def _redshift_arguments(place: Place) -> dict[str, Any]:
    told = {"timeout": CONNECT_SECONDS, "application_name": "mirror"}
    if _is_plain(place):
        return {**told, "ssl": False}
    mode = place.options.get("sslmode") or "verify-full"
    return {**told, "ssl": True, "sslmode": "verify-ca" if mode == "verify-ca" else "verify-full"}


WAREHOUSES: dict[str, Warehouse] = {
    "trino": Warehouse(
        "Trino",
        "trino",
        "requirements-trino.txt",
        ("sslmode", "sslrootcert"),
        _trino_url,
        _trino_arguments,
        begins=("SET SESSION query_max_run_time = '{seconds}s'",),
        scan="SET SESSION query_max_scan_physical_bytes = '{bytes}B'",
    ),
    "snowflake": Warehouse(
        "Snowflake",
        "snowflake",
        "requirements-snowflake.txt",
        ("warehouse", "role"),
        _snowflake_url,
        _snowflake_arguments,
        begins=("ALTER SESSION SET STATEMENT_TIMEOUT_IN_SECONDS = {whole_seconds}",),
    ),
    "bigquery": Warehouse(
        "BigQuery",
        "bigquery",
        "requirements-bigquery.txt",
        ("location",),
        _bigquery_url,
        lambda _: {},
        more=lambda place: {"credentials_info": service_account(place.password)},
    ),
    "databricks": Warehouse(
        "Databricks",
        "databricks",
        "requirements-databricks.txt",
        ("http_path",),
        _databricks_url,
        _databricks_arguments,
        begins=("SET STATEMENT_TIMEOUT = {whole_seconds}",),
        home=databricks_home,
    ),
    "mssql": Warehouse(
        "SQL Server",
        "mssql+pymssql",
        "requirements-sqlserver.txt",
        ("sslmode",),
        lambda place: _url(place, "mssql+pymssql", place.database),
        _mssql_arguments,
        begins=("SET LOCK_TIMEOUT {milliseconds}", "SET XACT_ABORT ON"),
    ),
    "oracle": Warehouse(
        "Oracle",
        "oracle+oracledb",
        "requirements-oracle.txt",
        ("sslmode",),
        lambda place: _url(place, "oracle+oracledb", None, service_name=place.database),
        _oracle_arguments,
        begins=("SET TRANSACTION READ ONLY",),
        is_held=True,
    ),
    "redshift": Warehouse(
        "Redshift",
        "redshift+redshift_connector",
        "requirements-redshift.txt",
        ("sslmode",),
        lambda place: _url(place, "redshift+redshift_connector", place.database),
        _redshift_arguments,
        begins=("SET statement_timeout = {milliseconds}",),
    ),
}

# Signs that would be read as more than a name, somewhere on the way.
_MORE = re.compile(r"[=;?{}\\@#&\s'\"]")


def checked(place: Place, engine: str) -> Place:
    """Let names through and nothing that is read as more. Raises: ValueError.

    A password, and the key of a service account, may hold anything.
    """
    typed = {"Host": place.host, "Database": place.database, "User": place.user, **place.options}
    for name, value in typed.items():
        if name != "sslrootcert" and _MORE.search(value.replace("@", "") if name == "User" else value):
            raise ValueError(
                f"{name} takes a name, not a connection string: leave out spaces, quotes and signs such as = and ;."
            )
    if engine == "bigquery" and not re.fullmatch(r"[a-z0-9.:-]+", place.parts()[0]):
        raise ValueError("The database is written project.dataset.")
    return place
