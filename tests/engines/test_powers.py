"""Rights of a source's user beyond reading are told, and the statements offered make a user without them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from sqlagent.adapters import open_database
from sqlagent.adapters.mysql_powers import powers_of
from sqlagent.adapters.sqlalchemy import check_reads
from sqlagent.errors import DatabaseError
from sqlagent.ports import SourceDatabase
from sqlagent.values import PASSWORD_HERE, SEVERITIES, Check, FailureKind, Limits, Power, Severity
from tests import servers
from tests.engines.file_labs import DuckdbLab, SqliteLab
from tests.engines.labs import AlchemyMysqlLab, AlchemyPostgresLab
from tests.engines.mysql_lab import MysqlLab
from tests.engines.postgres_lab import PostgresLab


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> PostgresLab:
    return PostgresLab(tmp_path_factory.mktemp("powers"))


@pytest.fixture(scope="module")
def mysql(tmp_path_factory: pytest.TempPathFactory) -> MysqlLab:
    return MysqlLab(tmp_path_factory.mktemp("powers"))


@pytest.fixture
def user(lab: PostgresLab) -> Iterator[str]:
    """A role that nobody granted anything, in a database where PUBLIC keeps nothing for it."""
    with closing(lab.server.connect(lab.database)) as db:
        db.execute(f"CREATE ROLE plain LOGIN PASSWORD '{servers.PASSWORD}'")
        db.execute(f'GRANT CONNECT ON DATABASE "{lab.database}" TO plain')
        for step in lab.connect(user="plain").check().reader:
            if step.is_for_everybody:
                db.execute(step.sql)
    yield "plain"
    with closing(lab.server.connect(lab.database)) as db:
        db.execute("DROP OWNED BY plain; DROP ROLE plain")


def codes(check: Check) -> set[str]:
    return {power.code for power in check.powers}


# ---------------------------------------------------------------- PostgreSQL

GIVEN = {
    "ALTER ROLE plain SUPERUSER": "superuser",
    "ALTER ROLE plain CREATEROLE": "create_roles",
    "ALTER ROLE plain CREATEDB": "create_databases",
    "ALTER ROLE plain REPLICATION": "replication",
    "ALTER ROLE plain BYPASSRLS": "bypass_row_security",
    "GRANT pg_write_all_data TO plain": "write_all_data",
    "GRANT pg_read_server_files TO plain": "server_files",
    "GRANT pg_write_server_files TO plain": "server_files",
    "GRANT pg_execute_server_program TO plain": "programs",
    "GRANT pg_signal_backend TO plain": "signal",
    "GRANT INSERT ON customers TO plain": "write",
    "GRANT UPDATE (name) ON customers TO plain": "write",
    "GRANT TRIGGER ON customers TO plain": "write",
    "GRANT USAGE ON SEQUENCE orders_id_seq TO plain": "sequences",
    "GRANT CREATE ON SCHEMA public TO plain": "create",
    'GRANT CREATE ON DATABASE "{database}" TO plain': "create",
    'GRANT TEMPORARY ON DATABASE "{database}" TO plain': "temporary",
    "GRANT EXECUTE ON FUNCTION lo_create(oid) TO plain": "large_objects",
    "ALTER ROLE plain NOINHERIT; GRANT writer TO plain": "become",
    "CREATE TABLE own_table (a int); ALTER TABLE own_table OWNER TO plain": "own",
    "CREATE FUNCTION d() RETURNS int SECURITY DEFINER LANGUAGE sql AS 'SELECT 1'": "definer_functions",
    "CREATE EXTENSION dblink": "dangerous_functions",
    "CREATE FUNCTION c(int) RETURNS int LANGUAGE internal AS 'int4abs'": "dangerous_functions",
}
# Rights that some of them imply.
ALONG = {"write_all_data": {"write", "sequences"}, "signal": {"own_sessions"}}
TAKEN = """
DROP TABLE IF EXISTS own_table; DROP FUNCTION IF EXISTS d(); DROP FUNCTION IF EXISTS c(int);
DROP EXTENSION IF EXISTS dblink; ALTER ROLE plain NOSUPERUSER INHERIT; DROP OWNED BY plain
"""


@pytest.mark.parametrize("sql", GIVEN)
def test_what_a_role_was_given_is_told_by_its_code(lab: PostgresLab, user: str, sql: str) -> None:
    assert lab.connect(user=user).check().powers == ()
    with closing(lab.server.connect(lab.database)) as db:
        db.execute(sql.format(database=lab.database))
        try:
            check = lab.connect(user=user).check()
            assert codes(check) - ALONG.get(GIVEN[sql], set()) == {GIVEN[sql]}
            assert check.powers[0].words[0].islower()
            assert not check.powers[0].words.endswith(".")
            assert bool(check.writable) == (check.powers[0].severity is not Severity.MILD)
        finally:
            db.execute(TAKEN)


def test_the_severest_is_told_first_and_one_nobody_weighed_is_severe(lab: PostgresLab) -> None:
    found = [power.severity for power in lab.connect().check().powers]
    assert found == sorted(found, key=list(Severity).index)
    assert found[0] is Severity.SEVERE
    assert found[-1] is Severity.MILD
    assert Power("something new", "").severity is Severity.SEVERE


def test_a_reader_is_made_where_names_are_odd_and_dangerous_functions_are_there(tmp_path: Path) -> None:
    server = servers.postgres_server()
    database = """Odd "base"; --"""
    with closing(server.connect()) as db:
        db.execute('CREATE DATABASE "Odd ""base""; --"')
        db.execute('CREATE ROLE "An ""owner"""')
    with closing(server.connect(database)) as db:
        db.execute(
            'CREATE SCHEMA "S ""1"; CREATE TABLE "S ""1"."T;" (a int); CREATE TABLE public.open (a int)'
        )
        db.execute('ALTER TABLE "S ""1"."T;" OWNER TO "An ""owner"""')
        db.execute('GRANT USAGE, CREATE ON SCHEMA "S ""1" TO "An ""owner"""')
        db.execute("GRANT INSERT, UPDATE ON public.open TO PUBLIC; CREATE EXTENSION dblink")
        db.execute("CREATE FUNCTION \"f'\"(a int) RETURNS int SECURITY DEFINER LANGUAGE sql AS 'SELECT 1'")
        where = {"host": server.host, "port": server.port, "database": database}
        owner = open_database("postgres", **where, user=server.user, password=servers.PASSWORD)
        steps = owner.check().reader
        assert [step.is_for_everybody for step in steps] == [False, True]
        for step in steps:
            db.execute(step.sql)
        try:
            reader = open_database("postgres", **where, user="mirror_reader", password=PASSWORD_HERE)
            assert reader.check().powers == reader.check().reader == ()
            db.execute('SET ROLE "An ""owner"""; CREATE TABLE "S ""1".later (a int); RESET ROLE')
            assert {table.key for table in reader.catalog().tables} == {'S "1.T;', 'S "1.later', "open"}
            assert owner.check().reader[0].sql.startswith('CREATE ROLE "mirror_reader_2" LOGIN')
        finally:
            db.execute("DROP OWNED BY mirror_reader; DROP ROLE mirror_reader")


def test_who_stores_large_objects_goes_on_storing_them(lab: PostgresLab) -> None:
    with closing(lab.server.connect()) as db:
        db.execute("CREATE DATABASE objects")
    with closing(lab.server.connect("objects")) as db:
        db.execute("SET ROLE writer; SELECT lo_create(7); RESET ROLE")
        for step in lab.connect(user="owner", database="objects").check().reader:
            db.execute(step.sql)
        db.execute("DROP OWNED BY mirror_reader; DROP ROLE mirror_reader")
    with psycopg.connect(**signed_in(lab, "writer", servers.PASSWORD, "objects")) as db:
        assert db.execute("SELECT lo_create(8)").fetchall() == [(8,)]


def signed_in(lab: PostgresLab, user: str, password: str, database: str = "") -> dict[str, object]:
    where = {"host": lab.server.host, "port": lab.server.port, "dbname": database or lab.database}
    return {**where, "user": user, "password": password}


# ---------------------------------------------------------------- what the session of PostgreSQL holds

ACTING = (
    "SELECT set_config('role', 'none', false)",
    "SELECT set_config('role', 'owner', true), pg_read_file('PG_VERSION')",
    "SELECT 1 LIMIT length(set_config('role', 'none', false))",
    "SELECT ('none').upper FROM (SELECT set_config('role', 'none', true)) AS x",
    "SELECT (0.01).pg_sleep",
    "SELECT /* /*/ 1 -- */ */ set_config('role', 'none', true)",
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity",
    "SELECT pg_catalog . pg_reload_conf ()",
    "SELECT 1 WHERE set_config('role', 'none', true) IN (SELECT 'x')",
    "SELECT * FROM ts_stat('SELECT set_config(''role'', ''none'', true)::tsvector')",
    "SELECT sum(1) OVER (ROWS length(set_config('role', 'none', true)) PRECEDING)",
    "EXPLAIN ANALYZE SELECT set_config('role', 'none', true)",
    "EXPLAIN (ANALYZE, VERBOSE) SELECT set_config('role', 'none', true)",
    "TABLE calling",
    "SELECT reaching()",
    "SELECT t.reaching FROM (SELECT 1) AS t",
    "SELECT dblink_connect('x', 'dbname=postgres')",
)


@pytest.fixture(scope="module")
def traps(lab: PostgresLab) -> Iterator[None]:
    with closing(lab.server.connect(lab.database)) as db:
        db.execute("CREATE VIEW calling AS SELECT set_config('role', 'none', true)")
        db.execute("CREATE FUNCTION reaching() RETURNS int SECURITY DEFINER LANGUAGE sql AS 'SELECT 1'")
        db.execute(
            "CREATE FUNCTION reaching(record) RETURNS int SECURITY DEFINER LANGUAGE plpgsql AS 'BEGIN RETURN 1; END'"
        )
        db.execute("CREATE EXTENSION dblink")
        yield
        db.execute("DROP VIEW calling; DROP FUNCTION reaching(); DROP FUNCTION reaching(record)")
        db.execute("DROP EXTENSION dblink")


@pytest.mark.parametrize("sql", ACTING)
def test_a_superusers_statement_takes_no_power_back(lab: PostgresLab, traps: None, sql: str) -> None:
    with pytest.raises(DatabaseError, match="not called in a superuser's session") as caught:
        lab.connect(user="owner").execute(sql, Limits(seconds=3))
    assert caught.value.failure.kind is FailureKind.REFUSED


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT name, upper(country), random(), now() FROM customers ORDER BY 1",
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9) SELECT * FROM n",
        "SELECT count(*) FROM pg_locks, pg_stat_user_tables",
        "SELECT pg_total_relation_size('orders'), gen_random_uuid(), clock_timestamp()",
        "EXPLAIN ANALYZE SELECT * FROM orders",
        "explain (costs off) TABLE orders",
        "SHOW search_path",
        "VALUES (1), (2)",
    ],
)
def test_a_superusers_reads_run(lab: PostgresLab, sql: str) -> None:
    assert lab.connect(user="owner").execute(sql, Limits()).rows


def test_looking_first_leaves_nothing_in_the_servers_log_and_places_of_mistakes_right(
    lab: PostgresLab,
) -> None:
    database, mark = lab.connect(user="owner"), "looked at first"
    assert database.execute(f"SELECT '{mark}' AS x", Limits()).rows == ((mark,),)
    assert mark not in (lab.server.folder / "log").read_text()
    for sql in ("SELECT name FORM customers", "EXPLAIN SELECT name FORM customers"):
        with pytest.raises(DatabaseError) as caught:
            database.execute(sql, Limits())
        assert caught.value.failure.position == sql.index("customers")


def test_functions_and_tables_of_others_do_not_come_before_postgres_own(lab: PostgresLab, user: str) -> None:
    """A path with pg_catalog last calls functions of any user who may create them in place of PostgreSQL's."""
    with closing(lab.server.connect(lab.database)) as db:
        db.execute("CREATE FUNCTION public.upper(text) RETURNS text LANGUAGE sql AS 'SELECT ''shadow'''")
        db.execute(
            "CREATE FUNCTION public.set_config(text, text, boolean) RETURNS text LANGUAGE sql AS 'SELECT 1/0'"
        )
        db.execute("CREATE TABLE public.pg_roles (rolname text, rolsuper boolean)")
        db.execute("GRANT SELECT ON customers TO plain; GRANT USAGE ON SCHEMA archive TO plain")
        db.execute("ALTER ROLE plain SET search_path = public, archive, pg_catalog")
        try:
            for who in ("plain", "owner"):
                database = lab.connect(user=who)
                asked = "SELECT upper('a'), current_schema(), count(*), count(1) FROM customers"
                assert database.execute(asked, Limits()).rows == (("A", "public", 3, 3),)
                assert database.catalog().default_schema == "public"
                assert database.catalog().table("customers").schema == ""
            found = lab.connect(user="plain").execute("SELECT current_setting('search_path')", Limits()).rows
            assert found == (("public, archive, pg_temp",),)
        finally:
            db.execute(
                "DROP FUNCTION public.upper(text); DROP FUNCTION public.set_config(text, text, boolean)"
            )
            db.execute("DROP TABLE public.pg_roles; ALTER ROLE plain RESET search_path")


def test_a_path_that_begins_elsewhere_has_its_first_schema_as_home(lab: PostgresLab, user: str) -> None:
    with closing(lab.server.connect(lab.database)) as db:
        db.execute("GRANT USAGE ON SCHEMA archive TO plain; GRANT SELECT ON archive.old_orders TO plain")
        db.execute('ALTER ROLE plain SET search_path = nowhere, "$user", pg_catalog, archive')
        try:
            database = lab.connect(user="plain")
            assert database.execute("SELECT current_schema(), count(*) FROM old_orders", Limits()).rows == (
                ("archive", 1),
            )
            assert database.catalog().default_schema == "archive"
        finally:
            db.execute("ALTER ROLE plain RESET search_path")


def test_a_superusers_statement_may_not_fill_the_servers_disk(lab: PostgresLab) -> None:
    asked = "SELECT current_setting('temp_file_limit')"
    assert lab.connect(user="owner").execute(asked, Limits()).rows == (("10GB",),)
    assert lab.connect().execute(asked, Limits()).rows == (("-1",),), "a plain role may not say so"


# ---------------------------------------------------------------- MySQL and MariaDB


@pytest.mark.parametrize(
    ("privilege", "code"),
    [
        ("FILE", "server_files"),
        ("SUPER", "administer"),
        ("PROCESS", "other_statements"),
        ("RELOAD", "administer"),
        ("SHUTDOWN", "administer"),
        ("CREATE USER", "create_roles"),
        ("INSERT", "write"),
        ("DELETE", "write"),
        ("CREATE", "change_tables"),
        ("DROP", "change_tables"),
        ("ALTER", "change_tables"),
        ("TRIGGER", "change_tables"),
        ("EVENT", "change_tables"),
        ("EXECUTE", "routines"),
        ("CREATE TEMPORARY TABLES", "temporary"),
        ("LOCK TABLES", "lock_tables"),
        ("REPLICATION SLAVE", "replication"),
        ("BINLOG MONITOR", "server_facts"),
        ("SELECT", "password_hashes"),
        ("SHOW DATABASES", ""),
    ],
)
def test_what_a_user_of_mysql_was_given_is_told_by_its_code(
    mysql: MysqlLab, privilege: str, code: str
) -> None:
    mysql.look(f"CREATE USER given IDENTIFIED BY '{servers.PASSWORD}'")
    try:
        mysql.look(f"GRANT {privilege} ON *.* TO given; GRANT SELECT ON {mysql.database}.* TO given")
        check = mysql.connect(user="given").check()
        assert codes(check) == ({code} if code else set())
        assert bool(check.reader) == bool(code)
    finally:
        mysql.look("DROP USER given")


def test_the_owner_of_a_mysql_server_is_said_to_do_everything(mysql: MysqlLab) -> None:
    check = mysql.connect(user=mysql.server.user).check()
    assert {"administer", "grant", "password_hashes"} <= codes(check)
    assert f"`{mysql.database}`" in check.advice_sql
    assert mysql.archive not in check.advice_sql, "who sees the whole server is asked about one database"


def test_a_role_that_may_be_taken_is_told(mysql: MysqlLab) -> None:
    mysql.look(
        f"CREATE ROLE boss; GRANT ALL ON *.* TO boss; CREATE USER given IDENTIFIED BY '{servers.PASSWORD}'"
    )
    mysql.look(f"GRANT boss TO given; GRANT SELECT ON {mysql.database}.* TO given")
    try:
        assert "become" in codes(mysql.connect(user="given").check())
    finally:
        mysql.look("DROP USER given; DROP ROLE boss")


def test_an_underscore_in_a_name_opens_no_other_database(mysql: MysqlLab) -> None:
    mysql.look(
        "CREATE DATABASE a_b; CREATE TABLE a_b.t (a int); CREATE DATABASE axb; CREATE TABLE axb.t (a int)"
    )
    check = mysql.connect(user=mysql.server.user, database="a_b").check()
    mysql.look(check.advice_sql)
    try:
        reader = mysql.connect(user="mirror_reader", password=PASSWORD_HERE, database="a_b")
        assert reader.check().powers == ()
        assert {table.key for table in reader.catalog().tables} == {"t"}
        with pytest.raises(DatabaseError):
            reader.execute("SELECT * FROM axb.t", Limits())
    finally:
        mysql.look("DROP USER 'mirror_reader'@'%'; DROP DATABASE a_b; DROP DATABASE axb")


def test_a_privilege_that_nobody_has_heard_of_is_severe() -> None:
    (power,) = powers_of(["GRANT QUANTUM_ADMIN ON *.* TO `ann`@`%`"])
    assert (power.code, power.severity) == ("administer", Severity.SEVERE)


@pytest.mark.parametrize(
    "space", ["\u3000", "\u0085", "\u00a0", "\u1680", "\u2003", "\u2028", "\u202f", "\u205f"]
)
def test_two_dashes_before_a_space_that_is_not_ascii_hide_nothing(mysql: MysqlLab, space: str) -> None:
    """To the server they are two minus signs, and what follows runs."""
    target = mysql.watch / "evil"
    with pytest.raises(DatabaseError) as caught:
        mysql.connect(user=mysql.server.user).execute(
            f"SELECT 1 --{space}x INTO OUTFILE '{target}'\nFROM (SELECT 1 AS `{space}x`) AS t", Limits()
        )
    assert caught.value.failure.kind is FailureKind.REFUSED
    assert not target.exists()


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1 --\u3000x INTO OUTFILE '/tmp/evil'",
        "SELECT 1 --x INTO OUTFILE '/tmp/evil'",
        "SELECT 1 # '\n INTO OUTFILE '/tmp/evil' -- '",
    ],
)
def test_the_long_tail_reads_comments_in_every_way_there_is(sql: str) -> None:
    with pytest.raises(DatabaseError, match="INTO is not a read"):
        check_reads(sql)
    assert check_reads("SELECT 'into' AS a, b #> '{c}' -- into\nFROM t") == "select"


@pytest.mark.parametrize("sql", ["SHOW GRANTS", "show /* x */ grants for current_user", "SHOW CREATE USER"])
def test_no_session_shows_the_hash_of_a_password(mysql: MysqlLab, sql: str) -> None:
    with pytest.raises(DatabaseError, match="password hash"):
        mysql.connect().execute(sql, Limits())


def test_the_driver_of_mysql_takes_one_statement_and_no_local_file(mysql: MysqlLab) -> None:
    from pymysql.constants import CLIENT

    with closing(mysql.connect()._called()) as connection:
        assert not connection.client_flag & (CLIENT.MULTI_STATEMENTS | CLIENT.LOCAL_FILES)


# ---------------------------------------------------------------- the others


@pytest.mark.parametrize("kind", [AlchemyPostgresLab, AlchemyMysqlLab])
def test_the_long_tail_tells_powers_where_the_server_can_be_asked(kind: type, tmp_path: Path) -> None:
    lab = kind(tmp_path / f"tail_{kind.engine}")
    strong = lab.connect(user=lab.server.user).check()
    assert any(power.severity is Severity.SEVERE for power in strong.powers)
    assert "mirror_reader" in strong.advice_sql
    direct = open_database(kind.engine, **lab.where())
    assert lab.connect().check().powers == direct.check().powers


@pytest.mark.parametrize("kind", [SqliteLab, DuckdbLab])
def test_a_file_that_could_be_written_is_said_mildly(
    kind: type, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lab = kind(tmp_path / "lab")
    (power,) = lab.connect().check().powers
    assert (power.code, power.severity) == ("file_writable", Severity.MILD)
    monkeypatch.setattr("os.access", lambda path, mode: False)  # root may write whatever its mode
    assert lab.connect().check().powers == ()


def test_every_code_is_weighed() -> None:
    import re

    text = "".join(
        (Path(__file__).parents[2] / "sqlagent" / "adapters" / name).read_text()
        for name in (
            "postgres_powers.py",
            "mysql_powers.py",
            "spark_catalog.py",
            "sqlalchemy_catalog.py",
            "base.py",
        )
    )
    named = set(re.findall(r'Power\("(\w+)"', text))
    assert named
    assert named <= set(SEVERITIES)


# ---------------------------------------------------------------- the store


MARKED = (
    "CREATE TABLE mirror_store_marker (mark varchar(64)); INSERT INTO mirror_store_marker VALUES ('{mark}')"
)


def refuses(database: SourceDatabase) -> bool:
    """Whether each way into it is refused as the store."""
    found = []
    for ask in (database.check, database.catalog, lambda: database.execute("SELECT 1", Limits())):
        try:
            ask()
        except DatabaseError as error:
            assert "Mirror's own store" in error.failure.message
            assert error.failure.kind is FailureKind.REFUSED
            found.append(True)
        else:
            found.append(False)
    assert len(set(found)) == 1
    return found[0]


@pytest.mark.parametrize("dialect", ["", "postgresql+psycopg"])
def test_a_postgres_store_is_refused_by_whichever_role_and_spelling(dialect: str) -> None:
    server, mark = servers.postgres_server(), "a" * 32
    base = f"store_{len(dialect)}"
    with closing(server.connect()) as db:
        db.execute(f"CREATE DATABASE {base}")
        db.execute(f"CREATE DATABASE other_{base}")
        db.execute(f"CREATE ROLE of_{base} LOGIN PASSWORD 'x'")
    with closing(server.connect(base)) as db:
        db.execute("CREATE SCHEMA kept; SET search_path = kept; " + MARKED.format(mark=mark))
    where = {"port": server.port, "store_mark": mark, "options": {"dialect": dialect} if dialect else {}}
    engine = "sqlalchemy" if dialect else "postgres"
    for host in ("127.0.0.1", "localhost"):
        for who, password in ((server.user, servers.PASSWORD), (f"of_{base}", "x")):
            signed = {**where, "host": host, "user": who, "password": password}
            assert refuses(open_database(engine, **signed, database=base))
            assert not refuses(open_database(engine, **signed, database=f"other_{base}"))
    owner = {**where, "host": "127.0.0.1", "user": server.user, "password": servers.PASSWORD}
    assert not refuses(open_database(engine, **{**owner, "store_mark": "b" * 32}, database=base))


@pytest.mark.parametrize("dialect", ["", "mariadb+pymysql"])
def test_a_mysql_store_is_refused(dialect: str) -> None:
    server, mark = servers.mariadb_server(), "a" * 32
    base = f"store_{len(dialect)}"
    with closing(server.connect()) as db:
        db.query(f"CREATE DATABASE {base}")
    with closing(server.connect(base)) as db:
        db.query(MARKED.format(mark=mark))
    where = {"host": server.host, "port": server.port, "user": server.user, "password": servers.PASSWORD}
    where |= {"options": {"dialect": dialect} if dialect else {}, "database": base}
    engine = "sqlalchemy" if dialect else "mysql"
    assert refuses(open_database(engine, **where, store_mark=mark))
    assert not refuses(open_database(engine, **where, store_mark="b" * 32))


def test_a_copy_of_a_sqlite_store_is_refused(tmp_path: Path) -> None:
    import sqlite3

    path = tmp_path / "copy.sqlite3"
    with closing(sqlite3.connect(path)) as db:
        db.executescript(MARKED.format(mark="a" * 32))
    assert refuses(open_database("sqlite", database=str(path), store_mark="a" * 32))
    assert not refuses(open_database("sqlite", database=str(path), store_mark="b" * 32))
