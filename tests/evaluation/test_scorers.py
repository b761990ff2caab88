"""Scorers agree with the official scripts on every verdict that these gave; the verdicts lie beside the project."""

from __future__ import annotations

import datetime
import json
import math
import os
from decimal import Decimal
from pathlib import Path

import pandas as pd
import pytest

from boxkit.evaluation.judging import Predicted, judge
from boxkit.evaluation.scorers import SCORERS, score

CASES = Path(os.environ.get("BOXKIT_CASES", Path(__file__).parents[3] / "shared" / "cases")) / "scorers"

CELLS = {"$float": float, "$decimal": Decimal, "$date": datetime.date.fromisoformat, "$bytes": bytes.fromhex}


def decoded(value):
    if isinstance(value, list):
        return [decoded(item) for item in value]
    if isinstance(value, dict):
        if len(value) == 1 and next(iter(value)) in CELLS:
            ((kind, text),) = value.items()
            return CELLS[kind](text)
        return {key: decoded(item) for key, item in value.items()}
    return value


def cases(name):
    file = CASES / f"{name}.jsonl"
    if not file.exists():
        pytest.skip(f"no verdicts at {CASES}: set BOXKIT_CASES to the folder of cases")
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def disagreements(name, judged):
    wrong = []
    for case in cases(name):
        predicted, gold = decoded(case["predicted"]), decoded(case["gold"])
        got = judged(predicted, gold)
        if got is None:
            continue
        wanted = case["verdict"]
        said = got.correct if isinstance(wanted, bool) else got.value
        if bool(got.error) != (wanted is None) or (wanted is not None and said != pytest.approx(wanted, abs=1e-45)):
            wrong.append((case["id"], case["mutation"], wanted, got))
    return wrong


def one_a_row(values):
    return [(value,) for value in values] if isinstance(values, list) else values


def rows(values):
    return [tuple(row) for row in values]


def test_wikitq():
    def judged(predicted, gold):
        return score("wikitq", one_a_row(predicted), gold["targetValue"], canon=gold["targetCanon"])

    assert disagreements("wikitq", judged) == []


def test_spider_test_suite():
    def judged(predicted, gold):
        return score("spider", rows(predicted), rows(gold["rows"]), ordered=gold["order_matters"])

    assert disagreements("spider_testsuite_rows", judged) == []


@pytest.mark.parametrize(
    ("file", "name"), [("bird_ex_rows", "bird"), ("bird_damo_rows", "bird"), ("bird_f1_rows", "bird_f1")]
)
def test_bird(file, name):
    assert disagreements(file, lambda predicted, gold: score(name, rows(predicted), rows(gold["rows"]))) == []


def test_grailqa():
    def judged(predicted, gold):
        if predicted is None or "answer" not in predicted:
            return None  # a question without a prediction never reaches a scorer
        forms = {"logical_form": predicted["logical_form"], "gold_logical_form": gold["s_expression"]}
        answers = [answer["answer_argument"] for answer in gold["answer"]] if gold["answer"] != "null" else "null"
        return score("grailqa", one_a_row(predicted["answer"]), answers, **forms)

    assert disagreements("grailqa", judged) == []


def test_webqsp():
    assert disagreements("webqsp", lambda predicted, gold: score("webqsp", one_a_row(predicted), gold["parses"])) == []


@pytest.mark.parametrize(
    ("name", "predicted", "gold", "correct"),
    [
        ("spider", [(1, 10)], [(1.0, 10.0)], False),
        ("spider_strict", [(1, 10)], [(1.0, 10.0)], True),
        ("spider_strict", [("a", 1), ("b", 2)], [(2, "b"), (1, "a")], True),
        ("archer", [(1,), (1,)], [(1,)], False),
        ("starqa", [("a", 1)], [(1.0, "a")], True),
        ("starqa", [], [(None,)], False),
        ("starqa", [(0.1 + 0.2,)], [(0.3,)], False),
        ("starqa_tolerant", [(0.1 + 0.2,)], [(0.3,)], True),
        ("starqa_tolerant", [], [(None,)], True),
        ("starqa_tolerant", [(" Ada  Berg",)], [("ada berg",)], True),
        ("dabench", "@mean[5.0000001] @n[7]", [["mean", "5"], ["n", "7"]], True),
        ("dabench", "@n[1, 2]", [["n", "1,2"]], False),
        ("dabench", "@n[1]\n@n[2]", [["n", "2"]], True),
        ("dabench", [("n", 2)], [["n", "2"]], True),
        ("dabench", [(2,)], [["n", "2"]], False),
        ("rog", [("The Beatles, a band",)], [("Beatles",)], True),
        ("structgpt", [("1,000",), ("'A'.",)], [("a",), ("1000.0",)], True),
        ("unifiedskg", [("b, 1.0",)], [("1",), ("b",)], True),
        ("readi", [("(5 years)",), ("x",)], [("5",)], True),
        ("trustuqa", [("New York",), ("x",)], [("new york",)], True),
        ("pandora_release", [("1", None), ("1", None)], [(1.0, "")], True),
        ("pandora_release", [("1", None), ("2", None)], [(1,), (2,)], True),
        ("pandora_release", [("1", None), ("2", "x")], [(1,), (2,)], False),
        (
            "wikitq",
            [("[٣]",)],
            ["[3]"],
            False,
        ),  # a citation's digits are ASCII; an empty text would be the other's equal
        ("wikitq", [("[4]",)], ["[3]"], True),
        ("rog", [("Berlin, Rome",)], [("Berlin",), ("Rome",)], True),
    ],
)
def test_the_scorers_without_an_official_script_keep_their_definition(name, predicted, gold, correct):
    assert score(name, predicted, gold).correct is correct


def test_a_column_of_one_type_is_judged_cell_by_cell_as_sqlite_types_them():
    gold = [("a", 1, 10), ("b", 14.0, 2.5), ("c", 3, 1)]
    as_pandas_gives_it = [("a", 1.0, 10.0), ("b", 14.0, 2.5), ("c", 3.0, 1.0)]
    assert not score("spider", as_pandas_gives_it, gold).correct, "the official shortcut"
    assert judge("spider", Predicted(as_pandas_gives_it), gold).correct
    assert not judge("spider", Predicted([("a", 1.5, 10.0), *as_pandas_gives_it[1:]]), gold).correct


@pytest.mark.parametrize("day", ["2019-01-01", "2019-01-01T00:00:00", "2019-01-01 00:00:00"])
@pytest.mark.parametrize("name", ["spider", "starqa", "starqa_tolerant"])
def test_a_day_is_the_same_however_gold_spells_it(name, day):
    gold = [(day,), ("2020-02-02",)]
    right = [(datetime.datetime(2019, 1, 1),), (datetime.date(2020, 2, 2),)]
    assert judge(name, Predicted(right), gold).correct
    assert not judge(name, Predicted([(datetime.datetime(2019, 1, 1, 1),), right[1]]), gold).correct
    assert not judge(name, Predicted([("2019-1-1",), right[1]]), gold).correct, "a text is as it is"


@pytest.mark.parametrize("name", ["starqa", "starqa_tolerant"])
def test_the_order_of_rows_counts_where_data_of_ones_own_say_so(name):
    gold, rows = [("Bo", 1), ("Ann", 2)], [("Ann", 2), ("Bo", 1)]
    assert judge(name, Predicted(rows), gold, {"ordered": True}).correct, "a set for every benchmark's gold query"
    assert not judge(name, Predicted(rows), gold, {"in_order": True}).correct
    assert judge(name, Predicted(rows[::-1]), gold, {"in_order": True}).correct
    assert not judge(name, Predicted([*rows[::-1], rows[0]]), gold, {"in_order": True}).correct


@pytest.mark.parametrize("name", ["grailqa", "qald"])
def test_a_mean_that_pandas_adds_up_in_another_order_is_the_same_answer(name):
    gold = [("0.3",), ("2.5E1",)] if name == "grailqa" else [(0.3,), (25,)]
    assert judge(name, Predicted([(0.1 + 0.2,), (25.0,)]), gold).correct
    assert not judge(name, Predicted([(0.3001,), (25.0,)]), gold).correct


ODD = [
    *(None, math.nan, math.inf, -0.0, 0, True, "", " ", "\ud800", b"\xff", 10**400, 10**5000, "9" * 5000, [1, 2]),
    *(Decimal("NaN"), Decimal("sNaN"), Decimal("1E+400"), Decimal("1E+999999999"), Decimal("1e-400")),
    *(
        datetime.date(2020, 1, 2),
        datetime.datetime.max,
        datetime.time(1, 2),
        datetime.timedelta.max,
        "nan",
        "1_000",
        "xx-xx-xx",
    ),
]


@pytest.mark.parametrize("name", [each for each in SCORERS if each != "spider_exec"])
def test_no_answer_however_odd_ends_a_scorer(name):
    context = {"ordered": True, "kind": "graph" if name == "pandora_release" else "table"}
    for cell in ODD:
        for rows_of in ([(cell,)], [(cell, cell), (cell, 1)], [(cell,), (cell,)], [()]):
            for own, gold in ((rows_of, [("1", "2")]), ([(1,)], [("x", cell)]), (rows_of, [("x", cell)])):
                assert judge(name, Predicted(own, ["a", "b"]), gold, context).value <= (2.0 if name == "rog" else 1.0)


@pytest.mark.parametrize("name", ["starqa", "starqa_tolerant", "pandora_release", "spider", "spider_strict"])
def test_a_number_too_large_for_a_float_is_right_where_gold_is_it(name):
    assert judge(name, Predicted([(10**5000, "a")]), [(10**5000, "a")]).correct
    assert not judge(name, Predicted([(10**5000, "a")]), [(1, "a")]).correct


def test_wide_tables_of_equal_columns_are_compared_at_once():
    table = [tuple([row] * 40) for row in range(50)]
    assert score("spider_strict", table, table[::-1]).correct
    assert not score("spider_strict", table, [*table[:-1], tuple([7] * 40)]).correct


def test_an_unknown_scorer_names_the_nearest():
    with pytest.raises(ValueError, match="wikitq"):
        score("wikitqq", [], [])


@pytest.mark.parametrize("name", SCORERS)
def test_every_scorer_documents_itself(name):
    from boxkit.evaluation.scorers import scorer

    assert scorer(name).__doc__


@pytest.mark.parametrize("name", sorted(SCORERS))
def test_input_that_no_scorer_can_compare_is_no_silent_wrong(name):
    frame = pd.DataFrame({"a": [1]})
    context = {"database": "x"} if name == "spider_exec" else {}
    with pytest.raises(TypeError, match=rf"gold of the scorer '{name}' is .*, not a DataFrame"):
        score(name, [("a",)], frame, **context)
    with pytest.raises(TypeError, match=f"the scorer '{name}' takes no 'orderd'"):
        score(name, [("a",)], [("a",)], orderd=True, **context)


@pytest.mark.parametrize(
    ("name", "predicted", "gold", "said"),
    [
        ("spider", pd.DataFrame({"a": [1]}), [(1,)], "itertuples"),
        ("spider", [1], [(1,)], "item 0 is 1"),
        ("starqa", None, [(1,)], "not a NoneType"),
        ("webqsp", ["m.1"], ["m.1"], "the parses of WebQSP"),
        ("wikitq", ["a"], [("a",)], "is texts"),
        ("dabench", "@a[1]", ["a"], "a name and a value"),
    ],
)
def test_gold_of_another_kind_says_what_is_taken(name, predicted, gold, said):
    with pytest.raises(TypeError, match=said):
        score(name, predicted, gold)
    with pytest.raises(ValueError, match="no scorer None; there are wikitq, spider"):
        score(None, predicted, gold)
