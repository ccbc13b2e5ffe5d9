-- Functions, a view and a sequence that somebody could have made, named to be taken for the engine's own.
SET NAMES utf8mb4;
CREATE TABLE evil_log (t varchar(80));
CREATE SEQUENCE evil_seq;
CREATE VIEW evil_view AS SELECT Host, User, Priv FROM mysql.global_priv;
CREATE DATABASE IF NOT EXISTS otherdb;
CREATE TABLE otherdb.secrets (a int);
DELIMITER //
CREATE FUNCTION evil() RETURNS int BEGIN INSERT INTO lab.evil_log VALUES ('evil'); RETURN 1; END//
CREATE FUNCTION otherdb.evil() RETURNS int RETURN lab.evil()//
CREATE FUNCTION otherdb.now() RETURNS int RETURN lab.evil()//
CREATE FUNCTION mysql.evil() RETURNS int RETURN lab.evil()//
CREATE FUNCTION evil_int(a int) RETURNS int RETURN evil()//
CREATE AGGREGATE FUNCTION evil_agg(a int) RETURNS int BEGIN DECLARE n int DEFAULT 0; DECLARE CONTINUE HANDLER FOR NOT FOUND RETURN evil(); LOOP FETCH GROUP NEXT ROW; SET n = n + 1; END LOOP; END//
CREATE FUNCTION `lower`(a text) RETURNS int RETURN evil()//
CREATE FUNCTION `sleep`(a int) RETURNS int RETURN evil()//
CREATE FUNCTION `sum`(a int) RETURNS int RETURN evil()//
CREATE FUNCTION `count`(a int) RETURNS int RETURN evil()//
CREATE FUNCTION `max`(a int) RETURNS int RETURN evil()//
CREATE FUNCTION `min`(a int) RETURNS int RETURN evil()//
CREATE FUNCTION `now`() RETURNS int RETURN evil()//
CREATE FUNCTION `ｌower`(a text) RETURNS int RETURN evil()//
CREATE FUNCTION `ѕum`(a int) RETURNS int RETURN evil()//
CREATE FUNCTION `ﬁnd`(a int) RETURNS int RETURN evil()//
CREATE FUNCTION `kelvin`(a int) RETURNS int RETURN evil()//
CREATE FUNCTION `loweŕ`(a text) RETURNS int RETURN evil()//
CREATE FUNCTION `Kelvin`(a int) RETURNS int RETURN evil()//
CREATE ROLE evil_role//
CREATE PROCEDURE evil_proc() BEGIN DO evil(); END//
DELIMITER ;
SET sql_mode = ORACLE;
DELIMITER //
CREATE PACKAGE evil_pkg AS FUNCTION f(a int) RETURN int; END//
CREATE PACKAGE BODY evil_pkg AS FUNCTION f(a int) RETURN int AS BEGIN RETURN evil(); END; END//
DELIMITER ;
