from __future__ import annotations

import datetime

import networkx as nx
import pandas as pd
import pytest

import boxkit
from boxkit.errors import UnsupportedValue


def test_parallel_edges_and_an_attribute_called_source_are_all_kept() -> None:
    graph = nx.MultiDiGraph()
    graph.add_edge(1, 2, source="web", weight=1.5)
    graph.add_edge(1, 2, source="book", weight=None)
    graph.add_edge(2, 3, source=None)
    boxes = boxkit.load(graph)
    edges = boxes["edge"].frame
    assert list(zip(edges["from_node"], edges["to_node"], strict=True)) == [(1, 2), (1, 2), (2, 3)]
    assert list(edges["source"].fillna("-")) == ["web", "book", "-"]
    assert str(boxes["node"].frame["node_id"].dtype) == "Int64"
    assert {str(key) for key in boxes.foreign_keys} == {
        "edge['from_node'] -> node['node_id']",
        "edge['to_node'] -> node['node_id']",
    }


@pytest.mark.parametrize(
    "attribute", ["source", "target", "from_node", "to_node", "edge_id", "key", "id", "label", "node_id", "edge"]
)
def test_no_attribute_clashes(attribute: str) -> None:
    graph = nx.MultiDiGraph()
    graph.add_node("a", **{attribute: "on a"})
    graph.add_edge("a", "b", **{attribute: "first"})
    graph.add_edge("a", "b", **{attribute: "second"})
    boxes = boxkit.load(graph)
    found = {
        text for box in boxes.values() for column in box.frame for text in box.frame[column] if isinstance(text, str)
    }
    # What names the kind of an edge names a field.
    found |= {field.source_name for box in boxes.values() for field in box.fields}
    assert {"on a", "first", "second", "a", "b"} <= found


@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph])
def test_every_class_of_graph_loads(kind: type[nx.Graph]) -> None:
    graph = kind([("a", "b"), ("b", "c")])
    boxes = boxkit.load(graph)
    assert len(boxes["node"].frame) == 3
    assert len(boxes["edge"].frame) == 2


def test_nodes_without_edges_are_kept() -> None:
    graph = nx.Graph()
    graph.add_nodes_from([10, 2])
    assert list(boxkit.load(graph)["node"].frame["node_id"]) == [2, 10]


def test_types_of_nodes_and_keys_of_edges_make_boxes_and_relations() -> None:
    graph = nx.MultiDiGraph()
    graph.add_node("ann", type="Person", age=30)
    graph.add_node("rome", type="City")
    graph.add_edge("ann", "rome", key="born_in")
    graph.add_edge("ann", "rome", key="died_in")
    boxes = boxkit.load(graph)
    people = boxes["person"].frame
    assert (people["born_in"].iloc[0], people["died_in"].iloc[0], people["age"].iloc[0]) == ("rome", "rome", 30)
    assert list(boxes["city"].frame["city_id"]) == ["rome"]


def test_values_keep_their_types() -> None:
    graph = nx.Graph()
    graph.add_node(
        "a", whole=2**60 + 1, part=0.1, truth=True, day=datetime.date(2020, 2, 29), text="007", names=["x", "y"]
    )
    graph.add_node("b", whole=None)
    boxes = boxkit.load(graph)
    row = boxes["node"].frame.iloc[0]
    assert (row["whole"], row["part"], bool(row["truth"]), row["day"], row["text"]) == (
        2**60 + 1,
        0.1,
        True,
        "2020-02-29",
        "007",
    )
    assert list(boxes["node_names"].frame["names"]) == ["x", "y"]


def test_different_nodes_written_alike_stay_different() -> None:
    graph = nx.Graph([(1, "1"), ("1", "x")])
    assert len(boxkit.load(graph)["node"].frame) == 3


def test_an_attribute_that_no_box_can_hold_is_refused_by_name() -> None:
    graph = nx.Graph()
    graph.add_node("a", thing=object())
    with pytest.raises(UnsupportedValue, match="'thing'"):
        boxkit.load(graph)


def test_the_graph_is_not_changed() -> None:
    graph = nx.MultiDiGraph()
    graph.add_edge(1, 2, source="web", tags=["a"])
    before = nx.to_dict_of_dicts(graph.copy())
    frame = boxkit.load(graph)["edge"].frame
    frame["edge_id"] = pd.NA
    assert nx.to_dict_of_dicts(graph) == before


def test_a_topic_is_followed() -> None:
    boxes = boxkit.from_graph(nx.path_graph(10, create_using=nx.DiGraph), topics=["4"], hops=2)
    assert list(boxes["node"].frame["node_id"]) == [3, 4, 5]


def test_an_attribute_without_any_value_is_an_empty_field_of_the_nodes_and_edges_that_have_it() -> None:
    graph = nx.DiGraph()
    graph.add_node("a", type="person", height=None, age=1, tags=[])
    graph.add_node("b", type="city", height=3)
    graph.add_edge("a", "b", weight=None)
    boxes = boxkit.load(graph)
    assert set(boxes["person"].labels) == {"person_id", "person_label", "age", "height", "tags"}
    assert boxes["person"].frame[["height", "tags"]].isna().all(axis=None)
    assert boxes["city"].labels == ("city_id", "city_label", "height")
    assert boxes["edge"].frame["weight"].isna().all()
    assert any("no node or edge has a value for these attributes: tags, weight" in note.message for note in boxes.notes)
