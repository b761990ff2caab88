"""Plain triples, tab-separated and JSON Lines files, and the layouts in which data sets publish a question's graph."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import boxkit
from boxkit.converters.graph import Vocabulary
from boxkit.errors import UnreadableSource

FORD = [
    ("Gerald Ford", "government.us_president.vice_president", "Nelson Rockefeller"),
    ("Gerald Ford", "people.person.date_of_birth", "1913-07-14"),
    ("Gerald Ford", "people.person.children", "Susan Ford"),
    ("Gerald Ford", "people.person.children", "Jack Ford"),
]


def check(boxes: boxkit.BoxSet) -> None:
    assert list(boxes["us_president"].frame["vice_president"]) == ["Nelson Rockefeller"]
    assert list(boxes["person"].frame["date_of_birth"]) == ["1913-07-14"]
    assert boxes["person"].field("date_of_birth").type == "text, ISO date"
    assert set(boxes["person_children"].frame["children"]) == {"Jack Ford", "Susan Ford"}
    assert boxes["us_president"].source_name == "government.us_president"


@pytest.mark.parametrize("make", [list, tuple, set, iter, lambda triples: [list(each) for each in triples]])
def test_any_iterable_of_triples_loads(make: object) -> None:
    check(boxkit.from_graph(make(FORD)))


@pytest.mark.parametrize("keys", [("subject", "predicate", "object"), ("s", "p", "o")])
def test_json_lines_of_triples_load_by_content(tmp_path: Path, keys: tuple[str, str, str]) -> None:
    path = tmp_path / "triples.jsonl"
    path.write_text("".join(json.dumps(dict(zip(keys, each, strict=True))) + "\n" for each in FORD))
    check(boxkit.load(path))


@pytest.mark.parametrize("header", ["", "head\trelation\ttail\n", "subject\tpredicate\tobject\n"])
@pytest.mark.parametrize("name", ["WebQTest-7.txt", "kg.tsv"])
def test_tab_separated_triples_load_by_content(tmp_path: Path, name: str, header: str) -> None:
    path = tmp_path / name
    path.write_text(header + "".join("\t".join(each) + "\n" for each in FORD))
    check(boxkit.load(path))


def test_a_table_of_three_columns_stays_a_table_unless_called_a_graph(tmp_path: Path) -> None:
    path = tmp_path / "t.tsv"
    path.write_text("name\tage\tcity\nann\t3\trome\n")
    assert list(boxkit.load(path)["t"].frame.columns) == ["name", "age", "city"]
    assert "entity" in boxkit.from_graph(path)


@pytest.mark.parametrize(
    "record",
    [
        {"id": "1", "question": "?", "answer": ["Nelson Rockefeller"], "q_entity": ["Gerald Ford"], "graph": FORD},
        {"ID": "1", "question": "?", "kg_tuples": FORD, "entities": [["Gerald Ford", "m.0c_md_"]]},
        {"QuestionId": "1", "question": "?", "triples": FORD},
    ],
)
def test_a_question_in_a_published_layout_gives_its_graph(record: dict[str, object]) -> None:
    check(boxkit.from_graph(record))
    check(boxkit.load(json.loads(json.dumps(record))))


def test_the_graphs_of_the_data_sets_load(data: Path) -> None:
    with open(data / "kg" / "webqsp" / "subgraphs_aog.jsonl", encoding="utf-8") as lines:
        for line, _ in zip(lines, range(40), strict=False):
            record = json.loads(line)
            if record["triples"]:
                boxes = boxkit.from_graph(record)
                cells = {
                    str(cell) for box in boxes.values() for column in box.frame for cell in box.frame[column].dropna()
                }
                assert {value for _, _, value in record["triples"]} <= cells


def test_values_keep_their_types_and_names_stay_names() -> None:
    boxes = boxkit.from_graph(
        [("a", "size", 3), ("a", "weight", "4.5"), ("a", "code", '"007"'), ("a", "next", "7"), ("7", "size", 1)]
    )
    row = boxes["entity"].frame.set_index("entity_id").loc["a"]
    assert (row["size"], row["weight"], row["code"], row["next"]) == (3, 4.5, "007", "7")


def test_terms_may_be_written_as_in_n_triples() -> None:
    boxes = boxkit.from_graph(
        [
            ("<http://e/a>", "<http://e/says>", '"l\\u00e9 \\"x\\""@fr'),
            ("<http://e/a>", "<http://e/at>", "<http://e/b>"),
        ]
    )
    assert list(boxes["entity"].frame["says"]) == ['lé "x"']


@pytest.mark.parametrize("triples", [[("a", "b")], [("a", "b", "c", "d")], [{"subject": "a"}], ["abc"]])
def test_what_is_no_triple_is_an_error_that_names_it(triples: list[object]) -> None:
    from boxkit.converters import triples as converter

    with pytest.raises(UnreadableSource, match="1"):
        converter.convert(iter(triples))


def test_a_line_with_another_number_of_fields_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "kg.tsv"
    path.write_text("a\tp.q.r\tb\n" * 300 + "a\tb\n")
    with pytest.raises(UnreadableSource, match="line 301 has 2 fields"):
        boxkit.load(path)


def test_a_triple_with_an_empty_part_is_left_out_with_a_note() -> None:
    boxes = boxkit.from_graph([("a", "p", "b"), ("a", "p", None), ("", "p", "b")])
    assert any("2 triples with an empty part" in str(note) for note in boxes.notes)


@pytest.mark.parametrize(
    "text",
    [
        "ann\t12.05.2020\t3\nbob\t13.05.2020\t4\n",
        "a\t10.0.0.1\tb\nc\t10.0.0.2\td\n",
        "ann,www.example.com,3\nbob,www.example.org,4\n",
        "ann\twww.example.com\t3\nbob\twww.example.org\t4\n",
        "source,relation,target\n1,2,3\n",
        "h,r,t\n1,2,3\n",
    ],
)
def test_tables_of_three_columns_are_not_taken_for_triples(tmp_path: Path, text: str) -> None:
    path = tmp_path / "table.csv"
    path.write_text(text)
    assert list(boxkit.load(path)) == ["table"]


def test_plain_names_are_labels_where_a_relation_is_for_names() -> None:
    triples = [("m.01", "people.person.place_of_birth", "m.02"), ("m.01", "type.object.name", "Ann Lee")]
    boxes = boxkit.from_graph([*triples, ("m.02", "type.object.name", '"Rome"@en')], topics=["Ann Lee"])
    row = boxes["person"].frame.iloc[0]
    assert (row["person_label"], row["place_of_birth_label"]) == ("Ann Lee", "Rome")


def test_a_value_that_is_an_entity_elsewhere_stays_one_though_a_relation_is_called_title() -> None:
    boxes = boxkit.from_graph([("f", "title", "Kiri"), ("k", "name", "Momo"), ("Kiri", "likes", "k")])
    assert set(boxes["entity"].frame["entity_id"]) >= {"f", "k", "Kiri"}
    assert (
        dict(zip(boxes["entity"].frame["entity_id"], boxes["entity"].frame["entity_label"], strict=True))["k"] == "Momo"
    )


def test_ones_own_relation_for_names_names_plain_triples() -> None:
    words = Vocabulary("zoo", types=("kind",), labels=("called",))
    boxes = boxkit.from_graph([("k", "called", "Kiri"), ("k", "kind", "Ape"), ("k", "likes", "b")], vocabulary=words)
    assert list(boxes["ape"].frame["ape_label"]) == ["Kiri"]


def test_the_names_that_unifiedskg_keeps_beside_its_triples_are_labels() -> None:
    record = {
        "question": "?",
        "kg_tuples": [["m.01", "people.person.place_of_birth", "m.02"]],
        "entities": [["Ann Lee", "m.01"], ["nowhere", "m.99"]],
    }
    boxes = boxkit.from_graph(record, topics=["Ann Lee"])
    assert list(boxes["person"].frame["person_label"]) == ["Ann Lee"]
    assert "m.99" not in boxes.to_prompt()
