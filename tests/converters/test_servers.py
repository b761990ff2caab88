# ruff: noqa: E501 - scripts and cells as they stand
"""PostgreSQL and MariaDB, real servers on loopback: ``eval "$(.ci/start-servers)"`` starts them."""

from __future__ import annotations

import datetime
import decimal
import os

import pandas as pd
import pytest

import boxkit
from boxkit.box import ForeignKey
from boxkit.errors import SourceError

sqlalchemy = pytest.importorskip("sqlalchemy", reason="sqlalchemy is not installed")

POSTGRES = """
DROP SCHEMA IF EXISTS other CASCADE; DROP SCHEMA IF EXISTS public CASCADE; CREATE SCHEMA public; CREATE SCHEMA other;
CREATE TYPE mood AS ENUM ('sad', 'happy');
CREATE TABLE parent(a INTEGER, b TEXT, PRIMARY KEY (a, b));
CREATE TABLE "order"(id BIGINT PRIMARY KEY, x INTEGER, y TEXT, "na me%" TEXT, price NUMERIC(10, 2), at TIMESTAMPTZ, day DATE,
  tags TEXT[], doc JSONB, raw BYTEA, m mood, boss BIGINT REFERENCES "order"(id), u UUID, ok BOOLEAN,
  FOREIGN KEY (x, y) REFERENCES parent(a, b));
COMMENT ON TABLE "order" IS 'what was sold'; COMMENT ON COLUMN "order".price IS 'in euros';
CREATE TABLE other.item(id INTEGER PRIMARY KEY, order_id BIGINT REFERENCES public."order"(id));
CREATE VIEW v AS SELECT id, price FROM "order"; CREATE MATERIALIZED VIEW mv AS SELECT 1 AS one;
INSERT INTO parent VALUES (1, 'é');
INSERT INTO "order" VALUES (9007199254740993, 1, 'é', 'it''s 5%', 1.50, '2024-02-29 12:00+02', '0044-03-15 BC', '{a,b}',
  '{"k": [1, null]}', '\\x00ff', 'happy', NULL, '00000000-0000-0000-0000-000000000001', true),
  (2, NULL, NULL, NULL, NULL, NULL, '2024-01-31', NULL, NULL, NULL, NULL, 9007199254740993, NULL, NULL);
INSERT INTO other.item VALUES (1, 2);
"""
MARIADB = """
DROP TABLE IF EXISTS item; DROP TABLE IF EXISTS `order`; DROP TABLE IF EXISTS parent; DROP VIEW IF EXISTS v;
CREATE TABLE parent(a INTEGER, b VARCHAR(9), PRIMARY KEY (a, b));
CREATE TABLE `order`(id BIGINT PRIMARY KEY, x INTEGER, y VARCHAR(9), `na me%` TEXT, price DECIMAL(10, 2) COMMENT 'in euros', at DATETIME,
  day DATE, kind ENUM('a', 'b'), flags SET('p', 'q'), raw BLOB, boss BIGINT, big BIGINT UNSIGNED,
  FOREIGN KEY (x, y) REFERENCES parent(a, b), FOREIGN KEY (boss) REFERENCES `order`(id)) COMMENT 'what was sold';
CREATE VIEW v AS SELECT id, price FROM `order`;
INSERT INTO parent VALUES (1, 'é');
INSERT INTO `order` VALUES (9007199254740993, 1, 'é', 'it''s 5%', 1.50, '2024-02-29 12:00:00', '2024-02-29', 'a', 'p,q', X'00ff', NULL, 18446744073709551615),
  (2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 9007199254740993, 1);
"""


def server(variable: str, script: str) -> str:
    url = os.environ.get(variable, "")
    if not url:
        pytest.skip(f'no server in {variable}: eval "$(.ci/start-servers)" starts one')
    engine = sqlalchemy.create_engine(url)
    with engine.begin() as connection:
        for statement in script.split(";\n"):
            for part in statement.split("; ") if "INSERT" not in statement else [statement]:
                if part.strip():
                    connection.exec_driver_sql(part.replace("%", "%%"), ())
    engine.dispose()
    return url


@pytest.fixture
def postgres() -> str:
    return server("BOXKIT_POSTGRES", POSTGRES)


@pytest.fixture
def mariadb() -> str:
    return server("BOXKIT_MARIADB", MARIADB)


def row(frame: pd.DataFrame, at: int) -> dict[str, object]:
    return {label: None if pd.isna(value := frame[label].tolist()[at]) else value for label in frame}


def test_postgres_is_read_whole(postgres: str) -> None:
    boxes = boxkit.load(postgres)
    assert set(boxes) == {"order", "parent", "v", "mv", "other_item"}
    assert boxes["order"].description == "what was sold" and boxes["order"].field("price").description == "in euros"
    assert set(boxes.foreign_keys) == {
        ForeignKey("order", ("x", "y"), "parent", ("a", "b")),
        ForeignKey("order", ("boss",), "order", ("id",)),
        ForeignKey("other_item", ("order_id",), "order", ("id",)),
    }
    frame = boxes["order"].frame
    first = row(frame, 0)
    assert first["day"] == "0044-03-15 BC" and row(frame, 1)["day"] == "2024-01-31"
    assert [note.field for note in boxes.notes if note.kind == "cast"] == ["day"]
    assert (
        first["id"] == 9007199254740993 and first["price"] == decimal.Decimal("1.50") and first["na me%"] == "it's 5%"
    )
    assert first["tags"] == '["a","b"]' and first["doc"] == '{"k": [1, null]}' and first["raw"] == b"\x00\xff"
    assert first["m"] == "happy" and first["u"] == "00000000-0000-0000-0000-000000000001" and first["ok"] is True
    assert first["at"] == datetime.datetime(2024, 2, 29, 10, tzinfo=datetime.UTC)
    assert row(frame, 1)["boss"] == 9007199254740993 and row(frame, 1)["x"] is None
    assert boxes["other_item"].count() == 1


def held(url: str, kind: str, value: str, literal: str = "%s") -> tuple[object, list[str], str]:
    """What becomes of a value in a column of that type: the cell, the notes on it, and the column's dtype."""
    engine = sqlalchemy.create_engine(url)
    with engine.begin() as connection:
        connection.exec_driver_sql("DROP TABLE IF EXISTS one")
        connection.exec_driver_sql(f"CREATE TABLE one(x {kind}, n INTEGER)", ())
        connection.exec_driver_sql(f"INSERT INTO one VALUES ({literal}, 1), (NULL, 2)", (value,))
    reading = boxkit.load(url, tables=["one"])["one"].reader.read()
    with engine.begin() as connection:
        connection.exec_driver_sql("DROP TABLE one")
    engine.dispose()
    assert reading.frame["n"].tolist() == [1, 2] and reading.frame["x"].isna()[1]
    said = [note.message for note in reading.notes if note.field == "x"]
    return reading.frame["x"].tolist()[0], said, str(reading.frame["x"].dtype)


@pytest.mark.parametrize(
    ("kind", "value", "cell"),
    [
        ("DATE", "infinity", "infinity"),
        ("TIMESTAMP", "-infinity", "-infinity"),
        ("TIME", "24:00:00", "24:00:00"),
        ("INTERVAL", "1 month 2 days", "1 mon 2 days"),
        ("INTERVAL", "400 days", datetime.timedelta(days=400)),
        ("TIMESTAMPTZ", "1850-06-01 12:00+00", datetime.datetime(1850, 6, 1, 12, tzinfo=datetime.UTC)),
        ("JSONB", '{"a": 9007199254740993.5}', '{"a": 9007199254740993.5}'),
        ("JSON", "null", "null"),
        ("JSON", '"x"', '"x"'),
        ("NUMERIC[]", "{1.10,NULL}", "[1.10,null]"),
        ("NUMERIC(20, 0)", "12345678901234567890", 12345678901234567890),
        ("NUMERIC", "0.10", decimal.Decimal("0.10")),
        ("INT4RANGE", "[1,5)", "[1,5)"),
        ("INET", "10.0.0.1/8", "10.0.0.1/8"),
        ("POINT", "(1,2)", "(1,2)"),
        ("BIT(4)", "0101", "0101"),
    ],
)
def test_values_of_postgres_that_python_would_change_are_as_the_server_has_them(
    postgres: str, kind: str, value: str, cell: object
) -> None:
    found, said, dtype = held(postgres, kind, value)
    assert found == cell and type(found).__name__ in (type(cell).__name__, "Timedelta", "Timestamp")
    is_odd = kind in ("DATE", "TIMESTAMP", "TIME", "INTERVAL") and isinstance(cell, str)
    assert any("no counterpart" in each for each in said) == is_odd
    assert kind != "TIMESTAMPTZ" or dtype == "datetime64[us, UTC]"


def test_not_a_number_is_told_apart_from_null_in_a_note(postgres: str) -> None:
    _, said, _ = held(postgres, "DOUBLE PRECISION", "NaN")
    assert "1 cell is NaN" in said[0]


@pytest.mark.parametrize(
    ("kind", "value", "literal", "cell"),
    [
        ("BIT(8)", "65", "b'01000001'", 65),
        ("YEAR", "1999", "%s", 1999),
        ("TIME", "-30:00:01", "%s", -datetime.timedelta(hours=30, seconds=1)),
        ("DECIMAL(20, 0)", "12345678901234567890", "%s", 12345678901234567890),
        ("BIGINT UNSIGNED", "18446744073709551615", "%s", 18446744073709551615),
        ("DATE", "2024-00-00", "%s", "2024-00-00"),
        ("JSON", '{"a": 1.10}', "%s", '{"a": 1.10}'),
        ("VARCHAR(9) CHARACTER SET latin1", "\u00e9", "%s", "\u00e9"),
    ],
)
def test_values_of_mariadb_are_as_the_server_has_them(
    mariadb: str, kind: str, value: str, literal: str, cell: object
) -> None:
    if "%" not in literal:
        literal = f"IF(%s, {literal}, NULL)"
    assert held(mariadb, kind, value, literal)[0] == cell


def test_mariadb_is_read_whole(mariadb: str) -> None:
    boxes = boxkit.load(mariadb)
    assert set(boxes) == {"order", "parent", "v"}
    assert boxes["order"].description == "what was sold" and boxes["order"].field("price").description == "in euros"
    assert set(boxes.foreign_keys) == {
        ForeignKey("order", ("x", "y"), "parent", ("a", "b")),
        ForeignKey("order", ("boss",), "order", ("id",)),
    }
    first = row(boxes["order"].frame, 1)
    assert first["id"] == 9007199254740993 and first["big"] == 18446744073709551615 and first["na me%"] == "it's 5%"
    assert (
        first["price"] == decimal.Decimal("1.50")
        and first["raw"] == b"\x00\xff"
        and first["day"] == datetime.date(2024, 2, 29)
    )


@pytest.mark.parametrize("kind", ["postgres", "mariadb"])
def test_a_server_is_only_read_and_its_changes_are_seen(kind: str, request: pytest.FixtureRequest) -> None:
    url = request.getfixturevalue(kind)
    engine = sqlalchemy.create_engine(url)
    boxes = boxkit.load(engine)
    reader = boxes["parent"].reader
    with reader.server.connect() as connection, pytest.raises(sqlalchemy.exc.DBAPIError, match=r"(?i)read.only"):
        connection.exec_driver_sql("INSERT INTO parent VALUES (5, 'z')")
    assert boxes["parent"].count() == 1
    engine.dispose()


def test_declared_types_and_collations_of_servers_are_theirs(postgres: str, mariadb: str) -> None:
    fields = {each.label: (each.type, each.declared) for each in boxkit.load(postgres)["order"].fields}
    assert fields["price"] == ("decimal", "numeric(10,2)") and fields["tags"] == ("text", "text[]")
    assert fields["doc"] == ("text", "jsonb") and fields["at"][1] == "timestamp with time zone"
    boxes = boxkit.load(mariadb)
    fields = {each.label: each.declared for each in boxes["order"].fields}
    assert fields["big"].endswith("unsigned") and fields["kind"] == "enum('a','b')"
    assert boxes["order"].field("y").collation and not boxes["order"].field("x").collation
    said = [note.message for note in boxes.notes if "SQL compares" in note.message]
    assert len(said) == 1 and "case" in said[0] and boxes["order"].field("y").collation in said[0]


def test_an_address_without_a_server_says_where_and_hides_the_password() -> None:
    with pytest.raises(SourceError) as caught:
        boxkit.load("postgresql://me:secret@127.0.0.1:1/none")
    assert "127.0.0.1:1" in str(caught.value) and "secret" not in str(caught.value)


GUARDED = {
    "postgres": "DROP ROLE IF EXISTS guarded; CREATE ROLE guarded LOGIN PASSWORD 'right'",
    "mariadb": "CREATE OR REPLACE USER guarded IDENTIFIED BY 'right'",
}


@pytest.mark.parametrize("kind", ["postgres", "mariadb"])
def test_a_wrong_password_is_told_and_not_shown(kind: str, request: pytest.FixtureRequest) -> None:
    url = sqlalchemy.make_url(request.getfixturevalue(kind))
    engine = sqlalchemy.create_engine(url)
    with engine.begin() as connection:
        for statement in GUARDED[kind].split("; "):
            connection.exec_driver_sql(statement, ())
    engine.dispose()
    wrong = url.set(username="guarded", password="wrong-secret")
    with pytest.raises(SourceError, match="check the user and the password") as caught:
        boxkit.load(wrong.render_as_string(hide_password=False))
    assert "wrong-secret" not in str(caught.value) and "guarded" in str(caught.value)


@pytest.mark.parametrize("kind", ["postgres", "mariadb"])
@pytest.mark.parametrize(
    ("part", "hint"),
    [({"username": "nobody", "password": "secret"}, "the password"), ({"database": "absent"}, "name of the database")],
)
def test_a_wrong_user_or_database_is_told(
    kind: str, part: dict[str, str], hint: str, request: pytest.FixtureRequest
) -> None:
    url = sqlalchemy.make_url(request.getfixturevalue(kind)).set(**part)
    with pytest.raises(SourceError, match=hint) as caught:
        boxkit.load(url.render_as_string(hide_password=False))
    assert "secret" not in str(caught.value)
