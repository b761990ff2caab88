"""Benchmarks over tables, and data of one's own, are read as published."""

from __future__ import annotations

import gzip
import json

import pytest

from boxkit.errors import SourceNotFound, UnreadableSource
from boxkit.evaluation.datasets import open_dataset
from boxkit.evaluation.judging import Predicted, judge


def lines(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def test_wikitq_with_its_tagged_gold(data):
    dataset = open_dataset("wikitq", data / "wikitq", split="pristine-seen-tables")
    assert (len(dataset), dataset.notes, dataset.profile.cell_text) == (761, (), True)
    task = dataset[1]
    assert (task.id, task.line, task.gold(), task.context["canon"]) == ("ns-11", 3, [("6",)], ["6.0"])
    assert "table" in task.boxes()
    assert judge("wikitq", Predicted([(6,)]), task.gold(), task.context).correct


def test_wikitq_without_tagged_gold_says_so(data):
    dataset = open_dataset("wikitq", data / "wikitq", split="dev")
    assert (len(dataset), len(dataset.notes)) == (500, 1)


def test_wikitqs_items_are_split_and_unescaped(tmp_path):
    (tmp_path / "csv/200-csv").mkdir(parents=True)
    (tmp_path / "csv/200-csv/1.csv").write_text('"Name","Said"\n"A","He said \\"no\\", twice"\n')
    (tmp_path / "data").mkdir()
    (tmp_path / "data/training.tsv").write_text(
        "id\tutterance\tcontext\ttargetValue\n"
        "nt-0\twhich?\tcsv/200-csv/1.csv\ta\\pb|c\\\\d\\ne\n"
        "nt-1\twhich?\tcsv/200-csv/2.csv\ta\n"
    )
    with pytest.raises(UnreadableSource, match=r"training\.tsv:3: there is no table 'csv/200-csv/2\.csv'"):
        open_dataset("wikitq", tmp_path, split="train")
    (task,) = open_dataset("wikitq", tmp_path, split="train", skip_bad=True)
    assert task.gold() == [("a|b",), ("c\\d\ne",)]
    assert list(task.boxes()["table"].frame["Said"]) == ['He said "no", twice']


INLINE = {
    "id": "nu-0",
    "question": "how many?",
    "table": {"header": ["Team", "Goals\nscored"], "rows": [["x", "3"], ["y", "4"]]},
    "answer_text": ["2"],
}


@pytest.mark.parametrize("name", ["wikitq", "wikisql"])
def test_tables_within_the_questions_own_file(tmp_path, name):
    (tmp_path / "test.json").write_text(json.dumps([INLINE, INLINE | {"id": "nu-1", "table": {"header": ["a"]}}]))
    dataset = open_dataset(name, tmp_path / "test.json", skip_bad=True)
    assert [str(each.problem) for each in dataset.skipped] == ["the table's rows are not all 1 cells long"]
    assert list(dataset[0].boxes()["table"].frame["Goals scored"]) == [3, 4]
    assert judge(dataset.scorer, Predicted([(2,)]), dataset[0].gold(), dataset[0].context).correct


SKETCHES = {
    (0, 0, ((1, 1, 2),)): [("oslo",), ("bern",)],
    (1, 4, ((0, 0, "OSLO"),)): [(3.0,)],
    (0, 3, ()): [(3,)],
    (1, 5, ((1, 2, "1,000"),)): [(3.0,)],
}


def test_wikisql_sketches_are_executed_as_the_official_script_does(tmp_path):
    table = {
        "id": "1-1",
        "header": ["City", "Size"],
        "types": ["text", "real"],
        "rows": [["Oslo", 3], ["Bern", 5], ["Rome", 1]],
    }
    lines(tmp_path / "data/test.tables.jsonl", [table])
    rows = [
        {"table_id": "1-1", "question": "?", "sql": {"sel": sel, "agg": agg, "conds": conds}}
        for sel, agg, conds in SKETCHES
    ]
    lines(tmp_path / "data/test.jsonl", [*rows, {"table_id": "1-1", "question": "?", "sql": {"sel": 9, "agg": 0}}])
    dataset = open_dataset("wikisql", tmp_path, skip_bad=True)
    assert [task.gold() for task in dataset] == list(SKETCHES.values())
    assert (dataset.skipped[0].line, len(dataset.skipped)) == (5, 1)
    assert judge("wikisql", Predicted([("Oslo",), ("Bern",)]), dataset[0].gold()).correct
    assert not judge("wikisql", Predicted([("Bern",), ("Oslo",)]), dataset[0].gold()).correct


def test_dabench_with_its_labels_and_tables(data):
    dataset = open_dataset("dabench", data / "dabench_nc")
    assert len(dataset) == 162
    task = dataset[0]
    assert task.gold() == [("mean_fare", "34.65")] and "@mean_fare[" in task.asked and "mean fare" in task.question
    for rows in ([("mean_fare", 34.65)], [(34.65,)], [("@mean_fare[34.65]",)]):
        assert judge("dabench", Predicted(rows), task.gold()).correct
    assert not judge("dabench", Predicted([("mean_fare", 34.6)]), task.gold()).correct


def test_starqa_has_tuples_categories_and_databases_in_either_form(tmp_path):
    (tmp_path / "databases/olist").mkdir(parents=True)
    (tmp_path / "databases/olist/orders.csv").write_text("id,price\n1,2.5\n2,4\n")
    rows = [
        {"question": "?", "answer": "[('a', 1), (None,)]", "categories": ["math", "text"], "database": "olist"},
        {"question": "?", "answer": None, "category": "math", "database": "olist"},
        {"question": "?", "answer": [[2, 1.5]], "database": "imdb"},
    ]
    lines(tmp_path / "starqa.jsonl", rows)
    dataset = open_dataset("starqa", tmp_path, skip_bad=True)
    assert [task.gold() for task in dataset] == [[("a", 1), (None,)], []]
    assert dataset[0].groups == {"database": ("olist",), "category": ("math", "text")}
    assert "no database 'imdb'" in dataset.skipped[0].problem and "orders" in dataset[0].boxes()


def test_a_bad_row_says_how_many_questions_of_its_split_stand_before_it(tmp_path):
    for name in ("imdb", "olist"):
        (tmp_path / "databases" / name).mkdir(parents=True)
        (tmp_path / "databases" / name / "t.csv").write_text("id\n1\n")
    good = [{"question": "?", "answer": 1, "database": name} for name in ("imdb", "olist", "olist", "imdb")]
    lines(tmp_path / "starqa.jsonl", [*good[:3], {"question": "?"}, good[3]])
    places = {
        split: [each.before for each in open_dataset("starqa", tmp_path, split=split, skip_bad=True).skipped]
        for split in ("test", "imdb", "olist")
    }
    assert places == {"test": [3], "imdb": [1], "olist": [2]}, "a --limit would refuse, or pass over, the wrong rows"


def test_starqa_in_a_file_a_database_under_any_of_the_papers_names(tmp_path):
    for name, content in (("EuroSoccer", "id\n1\n"), ("olist", "id\n2\n")):
        (tmp_path / "databases" / name).mkdir(parents=True)
        (tmp_path / "databases" / name / "t.csv").write_text(content)
    row = {"id": 1, "question": "How many?", "answer": [[1]]}
    (tmp_path / "es.json").write_text(json.dumps({"data": [row]}))
    lines(tmp_path / "OL.jsonl", [row])
    soccer, olist = sorted(open_dataset("starqa", tmp_path), key=lambda task: task.id)
    assert (soccer.id, soccer.source, olist.source) == ("EuroSoccer/1", "EuroSoccer", "olist")
    assert "1 January 2025" in soccer.evidence and len(olist.boxes()["t"].frame) == 1


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (
            {"nl": "?", "gold": 1, "database": "olist"},
            "no 'answer'; there are nl, gold, database (boxkit reads 'question'",
        ),
        (
            {"question": "?", "answer": 1, "source": "olist"},
            "no 'database'; there are question, answer, source (boxkit",
        ),
    ],
)
def test_starqa_in_another_layout_says_what_is_read(tmp_path, row, said):
    (tmp_path / "databases").mkdir()
    lines(tmp_path / "starqa.jsonl", [row])
    with pytest.raises(UnreadableSource) as error:
        open_dataset("starqa", tmp_path)
    assert said in str(error.value)
    (tmp_path / "starqa.jsonl").unlink()
    with pytest.raises(SourceNotFound, match=r"no starqa\.json or starqa\.jsonl"):
        open_dataset("starqa", tmp_path)


def test_starqa_tells_of_each_database_what_its_questions_take_for_granted(tmp_path):
    for name in ("imdb", "EuroSoccer", "olist"):
        (tmp_path / "databases" / name).mkdir(parents=True)
        (tmp_path / "databases" / name / "t.csv").write_text("id\n1\n")
    rows = [{"question": "?", "answer": 1, "database": name} for name in ("imdb", "EuroSoccer", "olist")]
    lines(tmp_path / "starqa.jsonl", rows)
    imdb, soccer, olist = open_dataset("starqa", tmp_path)
    assert "'\\N' stands for a missing value" in imdb.evidence
    assert "1 January 2025" in soccer.evidence and "2008/2009" in soccer.evidence
    assert olist.asked == "?"
    alone = open_dataset("starqa", tmp_path, split="eurosoccer")
    assert alone.profile.name == "starqa-eurosoccer" and [task.asked for task in alone] == ["?"]
    with pytest.raises(ValueError, match="test, imdb, EuroSoccer, olist"):
        open_dataset("starqa", tmp_path, split="dev")


def test_a_source_is_loaded_once_for_all_questions_about_it(tmp_path):
    (tmp_path / "shop.csv").write_text("item,price\npen,2\nink,5\n")
    rows = [{"question": f"{at}?", "source": source, "answer": 2} for at, source in enumerate(["shop.csv"] * 3)]
    lines(tmp_path / "mine.jsonl", rows)
    assert len({id(task.boxes()) for task in open_dataset("own", tmp_path / "mine.jsonl")}) == 1


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("webqsp", {"ID": "1", "question": "Who?", "answers": ["m.0"], "entities": []}),
        ("grailqa", {"qid": 1, "question": "Who?", "answer": [1]}),
    ],
)
def test_a_field_of_another_shape_is_its_rows_fault(tmp_path, name, row):
    (tmp_path / "x.nt").write_text("<urn:a> <urn:b> <urn:c> .\n")
    (tmp_path / "x.json").write_text(json.dumps([row]))
    with pytest.raises(UnreadableSource, match=r"1 of 1 row does not fit:\n.*x\.json:1: "):
        open_dataset(name, tmp_path / "x.json", graph=tmp_path / "x.nt")


def test_fields_of_own_data_that_nobody_reads_are_noted(tmp_path):
    (tmp_path / "t.csv").write_text("a\n1\n")
    row = {"question": "q?", "source": "t.csv", "answer": 1}
    lines(tmp_path / "own.jsonl", [row, row | {"orderd": True, "url": "x"}])
    (note,) = open_dataset("own", tmp_path / "own.jsonl").notes
    assert note == "fields that boxkit does not read: 'orderd' (is 'ordered' meant?), 'url'"
    lines(tmp_path / "own.jsonl", [row | {"ordered": True, "group": "g", "evidence": "e", "id": "7", "program": ""}])
    assert not open_dataset("own", tmp_path / "own.jsonl").notes


def test_own_questions_name_their_sources(tmp_path):
    (tmp_path / "shop.csv").write_text("item,price\npen,2\nink,5\n")
    rows = [
        {"question": "How many?", "source": "shop.csv", "answer": 2},
        {"question": "Which?", "source": ["shop.csv"], "answer": ["pen", "ink"], "group": "list", "evidence": "all"},
        {"question": "Which?", "source": "shup.csv", "answer": []},
        {"question": "Which?", "source": "shop.csv"},
    ]
    lines(tmp_path / "mine.jsonl", rows)
    with (tmp_path / "mine.jsonl").open("a") as file:
        file.write('\n{"question": "Which?", \n[1]\n')
    dataset = open_dataset("own", tmp_path / "mine.jsonl", skip_bad=True)
    assert [task.gold() for task in dataset] == [[(2,)], [("pen",), ("ink",)]]
    told = [str(each).partition("mine.jsonl:")[2] for each in dataset.skipped]
    assert [each.partition(":")[0] for each in told] == ["3", "4", "6", "7"]
    assert "6: it is no JSON: Expecting property name" in told[2] and told[3] == "7: it is [1], not an object"
    with pytest.raises(UnreadableSource, match=r"(?s)4 of 6 rows do not fit:.*mine\.jsonl:6: it is no JSON"):
        open_dataset("own", tmp_path / "mine.jsonl")
    assert dataset[1].asked == "Which?\nTo know: all" and dataset[1].groups == {"group": ("list",)}
    assert dataset.name == "mine" and judge(dataset.scorer, Predicted([("Ink",), ("pen",)]), dataset[1].gold()).correct


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"answer": {"a": 6}}, "a value, a list of values or a list of rows"),
        ({"answer": [{"name": "Ann"}]}, "a value, a list of values or a list of rows"),
        ({"answer": [[[6]]]}, "a value, a list of values or a list of rows"),
        ({"answer": [[1], [1, 2]]}, "rows of 1, 2 values"),
        ({"answer": None}, "'answer' is null"),
        ({"source": []}, "'source' names nothing"),
        ({"source": 5}, "'source' is 5: it is a path"),
        ({"source": ["shop.csv", 5]}, "a list of them"),
        ({"question": 5}, "'question' is 5, not a text"),
        ({"ordered": "no"}, "'ordered' is 'no'"),
    ],
)
def test_own_gold_that_no_answer_could_equal_is_refused(tmp_path, wrong, said):
    (tmp_path / "shop.csv").write_text("item,price\npen,2\n")
    good = {"question": "How many?", "source": "shop.csv", "answer": 1}
    lines(tmp_path / "mine.jsonl", [good, good | wrong])
    with pytest.raises(UnreadableSource, match=rf"(?s)1 of 2 rows.*mine\.jsonl:2: .*{said}"):
        open_dataset("own", tmp_path / "mine.jsonl")


@pytest.mark.parametrize(
    ("name", "option", "has"),
    [
        ("own", "databases", "it has none"),
        ("spider", "graph", "it has databases"),
        ("webqsp", "databases", "graph, hops"),
    ],
)
def test_an_option_that_a_benchmark_has_not_is_met_with_those_it_has(tmp_path, name, option, has):
    with pytest.raises(TypeError, match=f"the dataset '{name}' has no option '{option}'; .*{has}"):
        open_dataset(name, tmp_path, **{option: "x"})


@pytest.mark.parametrize(
    ("saved", "said"),
    [
        (lambda text: text.encode("utf-16"), r"UTF-16(?s:.*)save it as UTF-8"),
        (lambda text: text.encode("utf-16-le"), r"UTF-16(?s:.*)save it as UTF-8"),
        (lambda text: text.encode("latin-1"), r"line 2 is no UTF-8(?s:.*)save it as UTF-8"),
        (lambda text: gzip.compress(text.encode()), r"packed(?s:.*)unpack it"),
    ],
)
def test_a_file_of_another_encoding_says_how_to_save_it(tmp_path, saved, said):
    (tmp_path / "mine.jsonl").write_bytes(saved('{"question": "?"}\n{"question": "Où?"}\n'))
    with pytest.raises(UnreadableSource, match=rf"mine\.jsonl: .*{said}"):
        open_dataset("own", tmp_path / "mine.jsonl")


def test_a_table_of_wikitq_in_another_encoding_says_where_and_what_to_do(tmp_path):
    (tmp_path / "csv").mkdir()
    (tmp_path / "csv/1.csv").write_bytes('"Name"\n"Zoë"\n'.encode("latin-1"))
    (tmp_path / "csv/2.csv").write_bytes(b"")
    (tmp_path / "data").mkdir()
    rows = "id\tutterance\tcontext\ttargetValue\nnt-0\twho?\tcsv/1.csv\ta\nnt-1\twho?\tcsv/2.csv\ta\n"
    (tmp_path / "data/training.tsv").write_text(rows)
    wrong, empty = open_dataset("wikitq", tmp_path, split="train")
    with pytest.raises(UnreadableSource, match=r"1\.csv: line 2 is no UTF-8(?s:.*)save it as UTF-8"):
        wrong.boxes()
    with pytest.raises(UnreadableSource, match=r"2\.csv: this table is empty"):
        empty.boxes()


def test_a_text_file_that_is_called_a_database_is_not_scored_as_one(tmp_path):
    (tmp_path / "databases/olist").mkdir(parents=True)
    (tmp_path / "databases/olist/olist.sqlite").write_text("id,price\n1,2.5\n")
    lines(tmp_path / "starqa.jsonl", [{"question": "?", "answer": [1], "database": "olist", "categories": []}])
    with pytest.raises(UnreadableSource, match=r"olist\.sqlite is no SQLite database, whatever its name says"):
        open_dataset("starqa", tmp_path)


def test_a_source_of_ones_own_that_is_not_what_its_name_says_is_noted_in_the_run(tmp_path):
    (tmp_path / "shop.db").write_text("item,price\npen,2\n")
    lines(tmp_path / "mine.jsonl", [{"question": "How many rows?", "source": "shop.db", "answer": 1}] * 2)
    (note,) = open_dataset("own", tmp_path / "mine.jsonl").notes
    assert "shop.db' holds csv" in note
