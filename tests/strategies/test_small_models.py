"""What strategies do for a small model, which repeats itself, wraps its code in words and misnames things."""

from __future__ import annotations

import sqlite3

import pandas as pd
import pytest

import boxkit
from boxkit.prompts import layout_for
from boxkit.prompts.spelling import with_box_names
from boxkit.testing import ScriptedLLM


@pytest.mark.parametrize("strategy", ["Text2SQL", "Text2SQLCode", "Decompose", "Knowledge", "Pandora"])
def test_a_small_models_reply_ends_soon(strategy: str) -> None:
    # At 20 tokens a second, 4096 tokens of one line over and over would take three minutes.
    llm = ScriptedLLM(lambda _: "SELECT SELECT SELECT", layout="compact")
    answer = getattr(boxkit, strategy)(llm).ask("How many?", boxkit.load({"t": pd.DataFrame({"a": [1]})}))
    assert answer.failure is not None
    assert {each.parameters.max_tokens for each in llm.requests} == {layout_for("compact").max_tokens}


@pytest.fixture
def shop(tmp_path):
    with sqlite3.connect(tmp_path / "shop.sqlite") as connection:
        connection.execute("CREATE TABLE InvoiceLine(Id INTEGER PRIMARY KEY, Price REAL)")
        connection.executemany("INSERT INTO InvoiceLine(Price) VALUES (?)", [(1.5,), (2.0,)])
    return boxkit.load(tmp_path / "shop.sqlite")


def test_a_box_named_in_another_case_is_still_that_box(shop):
    llm = ScriptedLLM(["```python\nanswer = len(invoice_line[invoice_line['Price'] > 1.5])\n```"])
    answer = boxkit.Pandora(llm).ask("How many?", shop).check()
    assert answer.rows == [(1,)]
    assert answer.code.splitlines()[0] == "invoice_line = InvoiceLine", "the code shown is the code that ran"


@pytest.mark.parametrize(
    ("code", "names"),
    [
        ("customer = Customer\nanswer = customer", ["Customer"]),
        ("answer = (lambda customer: customer)(1)", ["Customer"]),
        ("answer = customer", ["Customer", "CUSTOMER"]),
        ("answer = customer", ["customer", "Customer"]),
        ("answer = 1 +", ["Customer"]),
    ],
)
def test_a_name_that_is_the_codes_own_or_might_be_two_boxes_is_left_alone(code, names):
    assert with_box_names(code, names) == code


@pytest.mark.parametrize(
    "reply",
    [
        "SELECT COUNT(*) FROM InvoiceLine",
        "The count:\n```sql\nSELECT COUNT(*) FROM InvoiceLine;\n```",
        "```python\ndef compute_result(path):\n"
        "    return sqlite3.connect(path).execute('SELECT COUNT(*) FROM InvoiceLine').fetchall()\n```",
    ],
)
@pytest.mark.parametrize("source", ["file", "frames"])
def test_a_function_that_is_only_its_query_or_forgets_an_import_answers_at_once(shop, reply, source):
    if source == "frames":
        reply = reply.replace("compute_result(path)", "compute_result(query)")
        reply = reply.replace("sqlite3.connect(path).execute('", "query('").replace("').fetchall()", "')")
        shop = boxkit.load({"InvoiceLine": shop["InvoiceLine"].frame})
    answer = boxkit.Text2SQLCode(ScriptedLLM([reply])).ask("How many?", shop).check()
    assert answer.rows == [(2,)] and answer.usage.calls == 1


@pytest.mark.parametrize("reply", ["DELETE FROM InvoiceLine", "With care, I would select the lines and count them."])
def test_what_is_no_reading_query_is_no_function_either(shop, reply):
    answer = boxkit.Text2SQLCode(ScriptedLLM([reply]), corrections=0).ask("How many?", shop)
    assert answer.failure is not None and answer.failure.kind == "no code"


def test_every_step_begins_with_the_schema_so_that_caches_keep_it(shop):
    steps = ["Decomposition:\nText2SQL: all prices\nPython: add them", "SELECT Price FROM InvoiceLine"]
    llm = ScriptedLLM([*steps, "```python\ndef compute_result(frames):\n    return [(3.5,)]\n```", *steps[1:]])
    boxkit.Text2SQLCode(llm, calls="multi").ask("How much?", shop).check()
    boxkit.Text2SQL(llm).ask("Which?", shop).check()
    first, second, _, other = (each.text for each in llm.requests)
    schema = first[: first.index(");") + 2]
    assert schema.startswith("CREATE TABLE") and second.startswith(schema) and other.startswith(schema)


def test_a_python_step_that_is_a_query_again_is_no_step(shop):
    decomposed = "Decomposition:\nText2SQL: SELECT COUNT(*) FROM InvoiceLine\nPython: SELECT COUNT(*) FROM InvoiceLine"
    llm = ScriptedLLM([decomposed, "SELECT COUNT(*) FROM InvoiceLine"])
    assert boxkit.Text2SQLCode(llm, calls="multi").ask("How many?", shop).check().rows == [(2,)]
