"""Foreign keys that nobody declared, and links across sources."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from pathlib import Path

import pandas as pd
import pytest

import boxkit
from boxkit.box import BoxSet, ForeignKey
from boxkit.converters.discover import discover_keys
from boxkit.converters.keynames import name_evidence
from boxkit.converters.keywords import words
from boxkit.converters.links import MAX_LINKS


def found(boxes: BoxSet) -> set[str]:
    return {str(key) for key in boxes.foreign_keys}


@pytest.mark.parametrize(
    ("column", "table", "key", "parent", "least"),
    [
        ("CustomerId", "orders", "customer_id", "customers", 1.0),
        ("camera_lens_id", "photos", "id", "camera_lens", 1.0),
        ("mailed_to_address_id", "mails", "address_id", "addresses", 0.9),
        ("home_team_id", "match", "id", "team", 0.9),
        ("Country", "cities", "Code", "countries", 1.0),
        ("reports_to", "employee", "employee_id", "employee", 0.7),
    ],
)
def test_names_that_mean_a_key(column: str, table: str, key: str, parent: str, least: float) -> None:
    assert name_evidence(column, table, key, parent)[0] >= least


@pytest.mark.parametrize(
    ("column", "table", "key", "parent"),
    [
        ("id", "a", "id", "b"),
        ("name", "a", "name", "b"),
        ("price", "order", "id", "customer"),
        ("year", "a", "year", "b"),
    ],
)
def test_names_that_mean_nothing(column: str, table: str, key: str, parent: str) -> None:
    assert name_evidence(column, table, key, parent)[0] == 0.0


def test_words_of_names() -> None:
    assert words("HTMLCustomerIDs") == ("html", "customer", "id") and words("ref_countries") == ("ref", "country")


def frames() -> dict[str, pd.DataFrame]:
    return {
        "customers": pd.DataFrame({"customer_id": [11, 12, 13], "name": ["A", "B", "C"]}),
        "orders": pd.DataFrame({"order_id": [1, 2, 3, 4], "customer_id": [11, 11, 13, 12], "total": [11, 12, 13, 11]}),
        "items": pd.DataFrame({"order_id": [1, 1, 2, 4], "quantity": [1, 2, 3, 4]}),
    }


def test_keys_are_found_with_evidence_and_numbers_that_only_happen_to_fit_are_not() -> None:
    boxes = boxkit.load(frames())
    assert found(boxes) == {
        "orders['customer_id'] -> customers['customer_id']",
        "items['order_id'] -> orders['order_id']",
    }
    assert all(key.origin == "inferred" and key.evidence and key.confidence < 1 for key in boxes.foreign_keys)
    assert not boxkit.load(frames(), discover=False).foreign_keys


def test_a_few_values_without_a_parent_leave_a_dangling_key_and_many_leave_none() -> None:
    made = frames()
    made["orders"]["customer_id"] = [11, 12, 13, 99]
    (key,) = (key for key in boxkit.load(made).foreign_keys if key.box == "orders")
    assert key.dangling and "75%" in key.evidence
    made["orders"]["customer_id"] = [95, 96, 97, 13]
    assert not [key for key in boxkit.load(made).foreign_keys if key.box == "orders"]


def test_long_tables_are_verified_in_full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("boxkit.converters.keyvalues.SAMPLE_ROWS", 10)
    parents = pd.DataFrame({"thing_id": range(100, 200)})
    good = pd.DataFrame({"thing_id": [100, 199] * 50})
    assert found(boxkit.load({"things": parents, "uses": good})) == {"uses['thing_id'] -> things['thing_id']"}
    bad = pd.DataFrame({"thing_id": [*range(100, 110), *range(1000, 1090)]})
    assert not found(boxkit.load({"things": parents, "uses": bad}))


def ends(keys: Iterable[ForeignKey]) -> set[tuple[str, str, str, str]]:
    return {
        (key.box, own, key.parent, theirs)
        for key in keys
        for own, theirs in zip(key.fields, key.parent_fields, strict=False)
    }


@pytest.mark.parametrize("part", ["dev", "train, where nothing was tuned"])
def test_declared_keys_of_real_databases_are_found_again(data: Path, part: str) -> None:
    there = sorted(path.stem for path in data.glob("spider/database/*/*.sqlite"))
    train = {each["db_id"] for each in json.loads((data / "spider" / "train_spider.json").read_text())}
    training = [name for name in there if name in train]
    right = wrong = missed = 0
    for name in training[1::2] if part != "dev" else set(there) - train:
        boxes = boxkit.load(data / "spider" / "database" / name / f"{name}.sqlite", discover=False)
        declared = ends(key for key in boxes.foreign_keys if key.parent in boxes)
        again = ends(discover_keys(BoxSet(boxes.values())))
        right, wrong, missed = (
            right + len(declared & again),
            wrong + len(again - declared),
            missed + len(declared - again),
        )
    assert right / (right + wrong) >= 0.95 and right / (right + missed) >= 0.95


def test_undeclared_keys_of_the_olist_sample(data: Path) -> None:
    boxes = boxkit.load(*data.glob("olist_nc/**/olist_*.csv"))
    keys = {str(key).replace("olist_", "").replace("_dataset", "") for key in boxes.foreign_keys}
    assert keys >= {
        "order_items['order_id'] -> orders['order_id']",
        "order_items['product_id'] -> products['product_id']",
        "order_items['seller_id'] -> sellers['seller_id']",
        "orders['customer_id'] -> customers['customer_id']",
        "order_payments['order_id'] -> orders['order_id']",
        "order_reviews['order_id'] -> orders['order_id']",
    }
    assert all(key.origin == "linked" for key in boxes.foreign_keys)


def test_a_database_that_declares_nothing_is_searched(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "x.sqlite") as connection:
        for name, frame in frames().items():
            frame.to_sql(name, connection, index=False)
    connection.close()
    boxes = boxkit.load(tmp_path / "x.sqlite")
    assert len(boxes.foreign_keys) == 2 and not any(box.is_read for box in boxes.values())


def test_text_and_integer_ends_of_a_key_are_a_hint_with_the_cast() -> None:
    made = frames()
    made["orders"]["customer_id"] = made["orders"]["customer_id"].astype(str)
    boxes = boxkit.load(made)
    (note,) = (note for note in boxes.notes if "cast before merging" in note.message)
    assert eval(note.fix, {"pd": pd, "orders": boxes["orders"].frame}).tolist() == [11, 11, 13, 12]


CITIES = ["Oslo", "Paris", "Zürich", "St. Gallen", "Rome", "Bern"]


def test_values_shared_letter_by_letter_link_two_sources() -> None:
    sales = pd.DataFrame({"place": [*CITIES, "Oslo"], "sold": range(7)})
    world = pd.DataFrame({"label": [*CITIES, "Tokyo"], "people": range(7)})
    boxes = boxkit.load(sales, world)
    (key,) = boxes.foreign_keys
    assert str(key) == "table['place'] -> table_2['label']" and key.origin == "linked"
    assert "letter by letter" in key.evidence and not key.dangling


def test_values_that_need_normalising_are_kept_apart_and_come_with_the_code() -> None:
    sales = pd.DataFrame({"place": [*CITIES, "Oslo"], "sold": range(7)})
    world = pd.DataFrame({"label": ["OSLO", "paris ", "Zurich", "Sankt Gallen", "rome", "BERN"], "people": range(6)})
    boxes = boxkit.load(sales, world)
    (key,) = boxes.foreign_keys
    assert key.confidence < 0.7 and "set aside" in key.evidence
    (note,) = (note for note in boxes.notes if note.fix and "merge" in note.fix)
    joined = eval(note.fix, {name: box.frame for name, box in boxes.items()})
    assert len(joined) == 6
    assert any("'St. Gallen' and 'Sankt Gallen'" in note.message for note in boxes.notes)


def test_links_are_never_more_than_a_person_reads() -> None:
    names = [f"thing {chr(97 + at)}" for at in range(26)]
    sources = [pd.DataFrame({f"field{at}": names, "n": range(26)}) for at in range(9)]
    boxes = boxkit.load(*sources)
    assert len(boxes.foreign_keys) == MAX_LINKS and any(note.kind == "truncated" for note in boxes.notes)


def test_unrelated_sources_are_not_linked() -> None:
    one = pd.DataFrame({"kind": ["a", "b"] * 10, "year": range(20)})
    other = pd.DataFrame({"kind": ["a", "b"] * 10, "year": range(20)})
    assert not boxkit.load(one, other).foreign_keys


def test_sources_of_all_kinds_are_one_set(data: Path) -> None:
    boxes = boxkit.load(
        pd.DataFrame({"Name": ["x"]}),
        data / "sample_dbs" / "chinook" / "Chinook_Sqlite.sqlite",
        data / "rdf" / "stardog_music" / "beatles.ttl",
    )
    assert {"table", "Track"} <= set(boxes) and len(boxes.sources) == 3 and len(boxes) > 12


def test_keys_missing_on_both_sides_are_a_hint() -> None:
    countries = pd.DataFrame({"code": ["a", "b", "c", None], "n": range(4)})
    visits = pd.DataFrame({"visit": range(5), "land": ["a", "b", None, "c", "a"]})
    boxes = boxkit.load(countries, visits)
    (note,) = (note for note in boxes.notes if "missing with missing" in note.message)
    assert len(boxes.foreign_keys) == 1
    assert len(eval(note.fix, {name: box.frame for name, box in boxes.items()})) == 4


def test_a_table_that_refers_to_itself_needs_no_other() -> None:
    employees = pd.DataFrame({"employee_id": [7, 9, 12], "name": ["A", "B", "C"], "manager_id": [None, 7, 7]})
    assert found(boxkit.load(employees)) == {"table['manager_id'] -> table['employee_id']"}
