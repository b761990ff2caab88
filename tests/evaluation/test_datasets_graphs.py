"""Benchmarks over graphs are read in each of their releases, with the graph from wherever it lies."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from boxkit.errors import SourceNotFound, UnreadableSource
from boxkit.evaluation.datasets import open_dataset
from boxkit.evaluation.datasets.graph_sources import Around, graph_source
from boxkit.evaluation.judging import Predicted, judge

TRIPLES = [
    ["m.1", "government.president.vice", "m.2"],
    ["m.1", "type.object.name", "Ford"],
    ["m.2", "type.object.name", "Rocky"],
    ["m.2", "people.person.height", "1.8"],
]
PARSES = {
    "QuestionId": "W-1",
    "RawQuestion": "who was ford's vice?",
    "Parses": [
        {
            "AnnotatorComment": {"QuestionQuality": "Good", "ParseQuality": "Complete"},
            "Sparql": "SELECT 1",
            "TopicEntityMid": "m.1",
            "Answers": [{"AnswerType": "Entity", "AnswerArgument": "m.2", "EntityName": "Rocky"}],
        }
    ],
}
UNIFIED = {
    "ID": "W-1",
    "question": "who was ford's vice?",
    "answers": [["ns:m.2", "Rocky"]],
    "entities": [["ford", "ns:m.1"]],
    "s_expression": "null",
    "kg_tuples": TRIPLES,
}
ROG = {
    "id": "W-1",
    "question": "who was ford's vice?",
    "answer": ["Rocky"],
    "q_entity": ["Ford"],
    "graph": [["Ford", "government.president.vice", "Rocky"]],
}


def cells(task):
    return {str(cell) for box in task.boxes().values() for row in box.frame.itertuples() for cell in row}


def written(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")
    return path


def microsoft(folder):
    return written(folder / "WebQSP.test.json", json.dumps({"Version": "1.0", "Questions": [PARSES]}, indent=1))


def pandora(folder):
    return written(folder / "webqsp.test.json", json.dumps([{"id": "W-1", "raw_data": PARSES, "schema": ""}]))


def tsv(folder):
    written(folder / "graphs/test/W-1.txt", "".join("\t".join(each) + "\n" for each in TRIPLES))
    return folder / "graphs"


def released(folder):
    written(folder / "box/test/W-1/government.president.csv", "president,government.president.vice\nm.1,m.2\n")
    return folder


def records(folder):
    return written(folder / "rows.jsonl", json.dumps({"ID": "W-1", "kg_tuples": TRIPLES}) + "\n")


def ntriples(folder):
    def term(text):
        return f"<http://rdf.freebase.com/ns/{text}>" if "." in text and " " not in text else f'"{text}"@en'

    triples = TRIPLES[:3]
    return written(folder / "graph.nt", "".join(f"{' '.join(map(term, each))} .\n" for each in triples))


@pytest.mark.parametrize("questions", [microsoft, pandora])
@pytest.mark.parametrize("graph", [tsv, released, records, ntriples])
def test_webqsp_with_a_graph_of_each_layout(tmp_path, questions, graph):
    file, where = questions(tmp_path), graph(tmp_path)
    (task,) = open_dataset("webqsp", file, graph=where)
    assert (task.question, task.gold(), task.source) == ("who was ford's vice?", [("m.2",)], "m.1")
    assert "m.2" in cells(task)
    for entities in ({}, {"Rocky": ("m.2",)}):
        name = "Rocky" if entities else "m.2"
        assert judge("webqsp", Predicted([(name,)], (), entities), task.gold(), task.context).correct
    assert judge("rog", Predicted([("Rocky",)]), task.gold(), task.context).correct


def test_questions_that_hold_their_triples(tmp_path):
    (task,) = open_dataset("webqsp", written(tmp_path / "test.jsonl", json.dumps(UNIFIED) + "\n"))
    assert (task.gold(), task.program, "m.1" in str(task.boxes().to_prompt())) == ([("m.2",)], "", True)
    parquet.write_table(pa.Table.from_pylist([ROG]), tmp_path / "rog.parquet")
    for name in ("webqsp", "cwq"):
        (task,) = open_dataset(name, tmp_path / "rog.parquet")
        assert (task.gold(), task.source) == ([("Rocky",)], "Ford") and "Rocky" in task.boxes().to_prompt()


GRAIL = {
    "qid": 7,
    "question": "which vice of ford is 180 tall?",
    "answer": [{"answer_type": "Entity", "answer_argument": "m.2", "entity_name": "Rocky"}],
    "function": "none",
    "graph_query": {
        "nodes": [
            {"nid": 0, "node_type": "class", "id": "people.person", "class": "people.person", "question_node": 1},
            {"nid": 1, "node_type": "class", "id": "people.height", "class": "people.height", "question_node": 0},
            {"nid": 2, "node_type": "entity", "id": "m.1", "class": "people.person", "friendly_name": "Ford"},
            {"nid": 3, "node_type": "literal", "id": "180^^http://www.w3.org/2001/XMLSchema#int", "class": "type.int"},
        ],
        "edges": [
            {"start": 2, "end": 0, "relation": "government.president.vice"},
            {"start": 0, "end": 1, "relation": "people.person.measured"},
            {"start": 1, "end": 3, "relation": "people.height.cm"},
        ],
    },
    "s_expression": "(AND people.person (JOIN (R government.president.vice) m.1))",
    "level": "zero-shot",
}


def test_the_graph_that_questions_imply(tmp_path):
    counting = {**GRAIL, "qid": 8, "function": "count", "answer": [{"answer_type": "Value", "answer_argument": "2"}]}
    strict = json.loads(json.dumps({**GRAIL, "qid": 9}))
    strict["graph_query"]["nodes"][3]["function"] = ">"  # any number above 180: which is not said
    strict["graph_query"]["edges"][0]["relation"] = "never.implied"
    file = written(tmp_path / "grailqa_v1.0_dev.json", json.dumps([GRAIL, counting, strict]))
    dataset = open_dataset("grailqa", tmp_path, graph="questions")
    assert any("own annotation implies" in note for note in dataset.notes) and dataset[0].source == "m.1"
    assert {"Rocky", "180", "m.x_8_0", "m.x_8_1"} <= cells(dataset[0])
    assert "never" not in dataset[0].boxes().to_prompt()
    chain = json.loads(json.dumps(PARSES))
    chain["Parses"][0] |= {
        "ParseId": "W-1.P0",
        "TopicEntityName": "Ford",
        "InferentialChain": ["government.president.term", "government.term.vice"],
        "Constraints": [
            {
                "Operator": "Equal",
                "Argument": "m.3",
                "EntityName": "1974",
                "SourceNodeIndex": 0,
                "NodePredicate": "a.b.c",
            }
        ],
    }
    written(tmp_path / "WebQSP.test.json", json.dumps({"Questions": [chain]}))
    (task,) = open_dataset("webqsp", tmp_path, graph="questions")
    assert {"m.x_W-1.P0_0_0", "Rocky", "1974"} <= cells(task)
    file.write_text(json.dumps([{**GRAIL, "graph_query": None}]))
    with pytest.raises(SourceNotFound, match="imply no graph"):
        open_dataset("grailqa", tmp_path, graph="questions")


def test_an_endpoint_serves_the_graph_as_freebase_does(tmp_path):
    servers = runpy.run_path(str(Path(__file__).parents[1] / "converters" / "sparql_server.py"))
    with servers["oxigraph"](ntriples(tmp_path).read_text()) as service:
        (task,) = open_dataset("webqsp", microsoft(tmp_path), graph=service.url)
        assert "Rocky" in task.boxes().to_prompt(samples=5) and any("m.1" in query for query in service.queries)


def test_grailqa_in_unifiedskgs_and_pandoras_releases(tmp_path):
    unified = {**GRAIL, "retrieved_schema": ["people.person"]}
    written(tmp_path / "skg/dev.jsonl", json.dumps(unified) + "\n")
    written(tmp_path / "pandora/grailqa.dev.json", json.dumps([{"id": "7", "raw_data": GRAIL, "schema": "ford: m.1"}]))
    written(tmp_path / "box/dev/7/people.person.csv", "person,government.president.vice\nm.1,m.2\n")
    for folder in ("skg", "pandora"):
        (task,) = open_dataset("grailqa", tmp_path / folder, graph=tmp_path)
        assert (task.id, task.gold(), task.groups["level"]) == ("7", [("m.2",)], ("zero-shot",))
        assert "m.2" in cells(task)


def test_questions_without_a_graph_say_what_to_give(tmp_path):
    with pytest.raises(SourceNotFound, match="graph=…"):
        open_dataset("webqsp", microsoft(tmp_path))
    (task,) = open_dataset("webqsp", microsoft(tmp_path), graph=written(tmp_path / "g/W-2.txt", "a\tb\tc\n").parent)
    with pytest.raises(SourceNotFound, match="'W-1'"):
        task.boxes()


def test_real_webqsp_and_grailqa(data):
    webqsp = open_dataset("webqsp", data / "kg/webqsp", graph=data / "kg/webqsp/freebase_slice.nt")
    assert (len(webqsp), webqsp[0].gold(), webqsp[0].language) == (600, [("m.05jd_",)], "sparql")
    grailqa = open_dataset("grailqa", data / "kg/grailqa", graph=data / "kg/grailqa/freebase_slice.nt")
    task = grailqa[0]
    assert (len(grailqa), task.gold(), task.groups["level"]) == (
        500,
        [("m.01y2h6z",), ("m.01ph3t",)],
        ("compositional",),
    )
    assert (task.source, task.language) == ("m.03zbbx9", "sexpr"), (task.source, task.language)


def test_real_cwq_and_its_official_layout(data, tmp_path):
    dataset = open_dataset("cwq", data / "kg/cwq")
    assert len(dataset) == 400 and "Ardulfurataini Watan" in dataset[0].boxes().to_prompt(samples=5)
    row = {
        "ID": "W-1_a",
        "question": "?",
        "sparql": "SELECT 1",
        "compositionality_type": "conjunction",
        "answers": [{"answer": "Rocky", "answer_id": "m.2", "aliases": ["The Rock"]}],
    }
    written(tmp_path / "ComplexWebQuestions_test.json", json.dumps([row]))
    (task,) = open_dataset("cwq", tmp_path, graph=tsv(tmp_path))
    assert (task.gold(), task.groups) == ([("m.2",)], {"type": ("conjunction",)})
    assert judge("structgpt_webqsp", Predicted([("the rock",)]), task.gold(), task.context).correct


def test_qald_in_both_layouts(data, tmp_path):
    dataset = open_dataset("qald-10", data / "kg/qald10", graph=tsv(tmp_path))
    assert (len(dataset), dataset[0].gold()) == (200, [("18",)])
    assert judge("qald", Predicted([(18,)]), dataset[0].gold(), dataset[0].context).correct
    dated = dataset[1]
    assert dated.gold() == [("2021-01-01T00:00:00Z",)]
    assert judge("qald", Predicted([("2021-01-01",)]), dated.gold()).value == 0.0
    official = {
        "id": "7",
        "question": [{"language": "en", "string": "Is it?"}, {"language": "de", "string": "Ist es?"}],
        "query": {"sparql": "ASK {}"},
        "answers": [{"head": {}, "boolean": True}],
    }
    entity = {"type": "uri", "value": "http://www.wikidata.org/entity/Q1"}
    listed = {"answers": [{"results": {"bindings": [{"x": entity}]}}]}
    written(tmp_path / "qald_10.json", json.dumps({"questions": [official, official | {"id": "8"} | listed]}))
    tasks = open_dataset("qald-10", tmp_path, graph=tsv(tmp_path), language="de")
    assert [(task.question, task.gold()) for task in tasks] == [("Ist es?", [("true",)]), ("Ist es?", [("Q1",)])]
    assert judge("qald", Predicted([(True,)]), tasks[0].gold()).correct


def test_ck25s_gold_is_run_over_its_graph(data):
    dataset = open_dataset("ck25", data / "rdf/ck25")
    assert (len(dataset), dataset[0].question) == (34, "In which department is Ms. Brant?")
    task = dataset[0]
    assert len(task.gold()) == 1 and task.line == 9
    answer = task.gold()[0][0]
    assert judge("qald", Predicted([("The name",)], (), {"The name": (answer,)}), task.gold(), task.context).correct
    bare = [("a", None), ("b", "x")]  # an OPTIONAL that found nothing is no answer to be missed
    assert judge("pandora_release", Predicted(bare), bare, {"kind": "graph"}).correct


def test_triples_in_another_encoding_say_where_and_what_to_do(tmp_path):
    for name in ("graph.tsv", "graph.jsonl"):
        (tmp_path / name).write_bytes("Ann\tknows\tBo\nBo\tknows\tZoë\n".encode("latin-1"))
        with pytest.raises(UnreadableSource, match=rf"{name}: line 2 is no UTF-8(?s:.*)save it as UTF-8"):
            graph_source(tmp_path / name, Around(hops=0)).boxes("", "", ())
    (tmp_path / "graph.parquet").write_bytes(b"PAR1 half of it")
    with pytest.raises(UnreadableSource, match=r"no whole Parquet file(?s:.*)published again"):
        graph_source(tmp_path / "graph.parquet", Around(hops=0))
