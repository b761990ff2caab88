"""One read-only query passes, whatever its names and texts; nothing that changes or reaches outside does."""

from __future__ import annotations

import pytest

from boxkit.errors import UnsafeSQL
from boxkit.sqlguard import check

pytest.importorskip("sqlglot", reason="needs the extra `sql`")


@pytest.mark.parametrize(
    ("sql", "dialect"),
    [
        ('SELECT * FROM "user"', "sqlite"),
        ("SELECT version, `update` FROM `user`", "mysql"),
        ("SELECT REPLACE(a, 'x', '') FROM t WHERE b = '-- ; DROP TABLE t'", "sqlite"),
        ("-- a comment\n/* and another */ SELECT 1;", "sqlite"),
        ("SELECT 1; -- done", "sqlite"),
        ("SELECT 1;;", "sqlite"),
        ("WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 5) SELECT x FROM c", "sqlite"),
        ("VALUES (1), (2)", "sqlite"),
        ("(SELECT 1) UNION (SELECT 2)", "postgres"),
        ("SELECT a::int FROM s.t ORDER BY 1 OFFSET 2", "postgres"),
        ("SELECT date('now'), count(*) FILTER (WHERE a) OVER (PARTITION BY b) FROM t", "sqlite"),
        ("SELECT * FROM pragma_table_info('t')", "sqlite"),
        ("PRAGMA table_info(t)", "sqlite"),
        ("PRAGMA main.foreign_key_list('t')", "sqlite"),
        ("PRAGMA user_version", "sqlite"),
        ("TABLE t", "postgres"),
        ("FROM t SELECT a", "duckdb"),
        ("PIVOT t ON a USING sum(b)", "duckdb"),
        ("SELECT {'a': 1, 'b': [2]} AS s", "duckdb"),
        ("SELECT created, deleted, insert_time FROM t", "sqlite"),
    ],
)
def test_a_query_that_only_reads_passes(sql, dialect):
    check(sql, dialect)


@pytest.mark.parametrize(
    ("sql", "dialect"),
    [
        ("", "sqlite"),
        ("-- nothing", "sqlite"),
        ("SELECT 1; SELECT 2", "sqlite"),
        ("SELECT 1; DROP TABLE t", "postgres"),
        ("DELETE FROM t", "sqlite"),
        ("REPLACE INTO t VALUES (1)", "sqlite"),
        ("INSERT INTO t SELECT * FROM u", "sqlite"),
        ("UPDATE t SET a = 1", "sqlite"),
        ("CREATE TABLE t AS SELECT 1", "sqlite"),
        ("ATTACH 'x.db' AS x", "sqlite"),
        ("DETACH x", "sqlite"),
        ("PRAGMA user_version = 3", "sqlite"),
        ("PRAGMA user_version(3)", "sqlite"),
        ("PRAGMA journal_mode = WAL", "sqlite"),
        ("PRAGMA writable_schema(1)", "sqlite"),
        ("VACUUM INTO 'copy.db'", "sqlite"),
        ("SELECT load_extension('x')", "sqlite"),
        ("SELECT LOAD_EXTENSION ('x')", "sqlite"),
        ("BEGIN", "sqlite"),
        ("EXPLAIN ANALYZE DELETE FROM t", "postgres"),
        ("WITH gone AS (DELETE FROM t RETURNING *) SELECT * FROM gone", "postgres"),
        ("SELECT * INTO new FROM t", "postgres"),
        ("SELECT * FROM t FOR UPDATE", "postgres"),
        ("SELECT pg_read_file('/etc/passwd')", "postgres"),
        ("SELECT pg_catalog.pg_read_file('/etc/passwd')", "postgres"),
        ("SELECT nextval('s')", "postgres"),
        ("COPY t TO PROGRAM 'sh'", "postgres"),
        ("COPY (SELECT 1) TO '/tmp/x'", "postgres"),
        ("DO $$ BEGIN END $$", "postgres"),
        ("CALL f()", "postgres"),
        ("SET ROLE admin", "postgres"),
        ("SELECT 1 INTO OUTFILE '/tmp/x'", "mysql"),
        ("SELECT 1 INTO @a", "mysql"),
        ("SELECT @a := 1", "mysql"),
        ("SELECT load_file('/etc/passwd')", "mysql"),
        ("SELECT * FROM t LOCK IN SHARE MODE", "mysql"),
        ("SELECT * FROM read_csv('/etc/passwd')", "duckdb"),
        ("SELECT * FROM read_text('/etc/passwd')", "duckdb"),
        ("SELECT * FROM (SELECT getenv('HOME'))", "duckdb"),
        ("INSTALL httpfs", "duckdb"),
        ("LOAD httpfs", "duckdb"),
        ("EXPORT DATABASE 'x'", "duckdb"),
        ("SELECT 1\0; DROP TABLE t", "sqlite"),
        ("SELECT ((((", "sqlite"),
    ],
)
def test_what_changes_locks_or_reaches_outside_is_refused(sql, dialect):
    with pytest.raises(UnsafeSQL) as caught:
        check(sql, dialect)
    assert str(caught.value)


def test_a_deeply_nested_statement_is_refused_not_crashed_on():
    with pytest.raises(UnsafeSQL):
        check("SELECT " + "(" * 5000 + "1" + ")" * 5000)
