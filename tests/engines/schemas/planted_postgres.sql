-- Functions, types, operators and views that somebody could have made, named to be taken for the engine's own.
-- Each function that begins with evil_, or stands behind one of these names, writes to evil_log.
CREATE EXTENSION dblink; CREATE EXTENSION tablefunc; CREATE EXTENSION xml2; CREATE EXTENSION adminpack; CREATE EXTENSION pageinspect;
CREATE EXTENSION pg_prewarm; CREATE EXTENSION pgrowlocks; CREATE EXTENSION pgcrypto; CREATE EXTENSION fuzzystrmatch; CREATE EXTENSION pg_trgm;
CREATE EXTENSION postgres_fdw; CREATE EXTENSION file_fdw; CREATE EXTENSION pg_surgery; CREATE EXTENSION pg_visibility; CREATE EXTENSION pg_walinspect;
CREATE SCHEMA shadow;
CREATE TABLE evil_log (t text);
-- every planted function writes to evil_log
CREATE FUNCTION evil_mark(text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN INSERT INTO evil_log VALUES ($1); RETURN true; END $$;
CREATE FUNCTION evil() RETURNS int LANGUAGE plpgsql AS $$ BEGIN PERFORM evil_mark('evil'); RETURN 1; END $$;
CREATE FUNCTION evil(customers) RETURNS text LANGUAGE plpgsql AS $$ BEGIN PERFORM evil_mark('evil'); RETURN 'x'; END $$;
CREATE FUNCTION to_json_evil(customers) RETURNS text LANGUAGE sql AS $$ SELECT evil_mark('x')::text $$;
CREATE FUNCTION evil_many(VARIADIC anyarray) RETURNS int LANGUAGE sql AS 'SELECT evil()';
CREATE FUNCTION evil_any(anyelement) RETURNS int LANGUAGE sql AS 'SELECT evil()';
CREATE FUNCTION evil_row(customers) RETURNS customers LANGUAGE sql AS 'SELECT evil(); SELECT $1';
CREATE FUNCTION evil_int(a int DEFAULT 1) RETURNS int LANGUAGE sql AS 'SELECT evil()';
CREATE FUNCTION evil_name(name) RETURNS int LANGUAGE sql AS 'SELECT evil()';
CREATE FUNCTION evil_immut(int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(1); RETURN 1; END $$;
CREATE FUNCTION evil_var(VARIADIC int[]) RETURNS int LANGUAGE sql AS 'SELECT evil()';
CREATE FUNCTION evil_set() RETURNS SETOF int LANGUAGE sql AS 'SELECT evil()';
CREATE FUNCTION evil_ts() RETURNS timestamp LANGUAGE sql AS 'SELECT evil(); SELECT now()::timestamp';
CREATE FUNCTION evil_rec() RETURNS record LANGUAGE sql AS 'SELECT ROW(evil())';
CREATE FUNCTION evil_bin(int, int) RETURNS boolean LANGUAGE sql AS 'SELECT evil() > 0';
CREATE FUNCTION evil_bin(customers, customers) RETURNS boolean LANGUAGE sql AS 'SELECT evil() > 0';
CREATE FUNCTION evil_bint(text, text) RETURNS text LANGUAGE sql AS 'SELECT evil()::text';
CREATE FUNCTION evil_un(int) RETURNS int LANGUAGE sql AS 'SELECT evil()';
CREATE PROCEDURE evil_proc() LANGUAGE sql AS 'SELECT evil()';
CREATE DOMAIN evil_dom AS text CHECK (evil_mark(VALUE));
CREATE DOMAIN evil_text AS text CHECK (evil_mark(VALUE));
CREATE TYPE evil_comp AS (a evil_dom, b text);
CREATE TYPE evil_range AS RANGE (SUBTYPE = int4, MULTIRANGE_TYPE_NAME = evil_multi);
CREATE FUNCTION evil_cast(customers) RETURNS evil_comp LANGUAGE sql AS $$ SELECT evil(); SELECT ROW('x', 'y')::evil_comp $$;
CREATE CAST (customers AS evil_comp) WITH FUNCTION evil_cast(customers);
CREATE DOMAIN shadow.text AS pg_catalog.text CHECK (public.evil_mark(VALUE));
CREATE DOMAIN "Text" AS pg_catalog.text CHECK (public.evil_mark(VALUE));
CREATE DOMAIN shadow.int4 AS pg_catalog.int4 CHECK (public.evil_mark(VALUE::text));
CREATE FUNCTION ev_sf(int, int) RETURNS int LANGUAGE sql AS 'SELECT evil()';
DO $$
DECLARE n text; o text;
BEGIN
  FOREACH n IN ARRAY ARRAY['shadow.lower', '"Lower"', '"LOWER"', 'public."lower' || chr(8205) || '"', 'public."lower' || chr(769) || '"', 'ｌower', 'coﬁg', '"normalize"', 'shadow.xmlparse', '"cast"', 'shadow.pgx'] LOOP
    EXECUTE format('CREATE FUNCTION %s(text) RETURNS text LANGUAGE sql AS ''SELECT evil()::text''', n);
  END LOOP;
  FOREACH n IN ARRAY ARRAY['ѕum', 'mın', '"mİn"', 'kelvin', '"' || chr(8490) || 'elvin"', 'pg_ſleep', '"row"', '"array"', '"substring"', '"exists"', '"in"', '"not"', '"and"', '"grouping"', '"xmlforest"'] LOOP
    IF n NOT IN ('"grouping"') THEN EXECUTE format('CREATE FUNCTION %s(int) RETURNS int LANGUAGE sql AS ''SELECT evil()''', n); END IF;
  END LOOP;
  EXECUTE 'CREATE FUNCTION "grouping"(int) RETURNS int LANGUAGE sql AS ''SELECT evil()''';
  FOREACH n IN ARRAY ARRAY['shadow."coalesce"', '"coalesce"', '"nullif"', '"greatest"', 'shadow.generate_series'] LOOP
    EXECUTE format('CREATE FUNCTION %s(int, int) RETURNS int LANGUAGE sql AS ''SELECT evil()''', n);
  END LOOP;
  FOREACH n IN ARRAY ARRAY['shadow.sum', 'shadow.max', 'evil_agg', '"Count"', 'shadow.count'] LOOP
    EXECUTE format('CREATE AGGREGATE %s(int) (SFUNC = ev_sf, STYPE = int, INITCOND = ''0'')', n);
  END LOOP;
  EXECUTE 'CREATE FUNCTION ev_sf0(int) RETURNS int LANGUAGE sql AS ''SELECT evil()''';
  EXECUTE 'CREATE AGGREGATE shadow.count(*) (SFUNC = ev_sf0, STYPE = int, INITCOND = ''0'')';
  EXECUTE 'CREATE AGGREGATE "Count"(*) (SFUNC = ev_sf0, STYPE = int, INITCOND = ''0'')';
  EXECUTE 'CREATE FUNCTION "current_date"() RETURNS int LANGUAGE sql AS ''SELECT evil()''';
  EXECUTE 'CREATE FUNCTION public.now() RETURNS int LANGUAGE sql AS ''SELECT evil()''';
  EXECUTE 'CREATE AGGREGATE evil_star(*) (SFUNC = ev_sf0, STYPE = int, INITCOND = ''0'')';
  EXECUTE 'CREATE AGGREGATE mode_evil(ORDER BY int) (SFUNC = ev_sf, STYPE = int, INITCOND = ''0'')';
  EXECUTE 'CREATE AGGREGATE shadow.row_number(*) (SFUNC = ev_sf0, STYPE = int, INITCOND = ''0'')';
  EXECUTE 'CREATE FUNCTION "extract"(text, text) RETURNS int LANGUAGE sql AS ''SELECT evil()''';
  EXECUTE 'CREATE FUNCTION shadow."left"(text, int) RETURNS int LANGUAGE sql AS ''SELECT evil()''';
  EXECUTE 'CREATE FUNCTION trim_evil(text) RETURNS int LANGUAGE sql AS ''SELECT evil()''';
  FOREACH o IN ARRAY ARRAY['public.===', 'shadow.=', 'shadow.+', 'shadow.<', 'public.<<<', 'public.@#@', 'public.<=>~', 'public.|/|/', 'public.!=-@', 'public.+-@+-'] LOOP
    EXECUTE format('CREATE OPERATOR %s (FUNCTION = evil_bin, LEFTARG = int, RIGHTARG = int)', o);
  END LOOP;
  EXECUTE 'CREATE OPERATOR public.=== (FUNCTION = evil_bin, LEFTARG = customers, RIGHTARG = customers)';
  EXECUTE 'CREATE OPERATOR public.~~~ (FUNCTION = evil_bint, LEFTARG = text, RIGHTARG = text)';
  EXECUTE 'CREATE OPERATOR shadow.@@ (FUNCTION = evil_un, RIGHTARG = int)';
  EXECUTE 'CREATE OPERATOR public.@@@ (FUNCTION = evil_un, RIGHTARG = int)';
END $$;
CREATE FUNCTION evil_cmp(int, int) RETURNS int IMMUTABLE LANGUAGE plpgsql AS $$ BEGIN PERFORM evil(); RETURN 0; END $$;
CREATE OPERATOR CLASS evil_bt FOR TYPE int4 USING btree AS OPERATOR 1 public.<<<, OPERATOR 3 shadow.=, FUNCTION 1 evil_cmp(int, int);
CREATE OPERATOR CLASS evil_bt2 FOR TYPE int4 USING btree AS OPERATOR 1 shadow.<, OPERATOR 3 public.===, FUNCTION 1 evil_cmp(int, int);
CREATE FUNCTION evil_star(evil_comp) RETURNS int LANGUAGE sql AS 'SELECT evil()';
CREATE VIEW shadow.customers AS SELECT evil() AS id;
CREATE VIEW evil_view AS SELECT rolpassword FROM pg_authid;
CREATE MATERIALIZED VIEW evil_mv AS SELECT 1 AS a;
CREATE UNIQUE INDEX ON evil_mv (a);
CREATE TABLE evil_orders (customer_id int, ordered_at timestamp, amount numeric);
CREATE TABLE evil_part (a int, b int GENERATED ALWAYS AS (a + 1) STORED);
CREATE SEQUENCE evil_seq;
CREATE SERVER evil_files FOREIGN DATA WRAPPER file_fdw;
CREATE FOREIGN TABLE evil_ft (l text) SERVER evil_files OPTIONS (filename '/etc/passwd', delimiter E'\x01');
CREATE FUNCTION "lower_"(text) RETURNS text LANGUAGE sql AS 'SELECT $1';
CREATE TABLE tdom (id int, a evil_dom, b evil_dom[], c evil_comp);
INSERT INTO tdom VALUES (1, 'x', '{x}', ROW('x', 'y'));
-- Tables can be read by those who read the rest, or they would be no part of anybody's catalog. Views that call a
-- function and tables over files do it for whoever may read them: that is their owner's doing, and nobody is granted them.
GRANT SELECT ON tdom, evil_orders, evil_part, evil_mv TO PUBLIC;
