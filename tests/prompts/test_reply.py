"""Code is found in a reply however the model wrapped it; what is no program is never run as one."""

from __future__ import annotations

import pytest

from boxkit.prompts import parse_reply

CODE = "answer = len(author)"


@pytest.mark.parametrize(
    "text",
    [
        CODE,
        f"```python\n{CODE}\n```",
        f"```py\n{CODE}\n```",
        f"```\n{CODE}\n```",
        f"~~~python\n{CODE}\n~~~",
        f"````python\n{CODE}\n````",
        f"```Python title=x\n{CODE}\n```",
        f"  ```python\n  {CODE}\n  ```",
        f"```python\n{CODE}",
        f"Count the authors.\n\n```python\n{CODE}\n```\nThat is all.",
        f"Count the authors.\n{CODE}\nThat is all.",
        f"Sure\n{CODE}",
        f"Rationale: count(authors)\n{CODE}",
        f"Answer: 3\n\n{CODE}",
        f"<think>Maybe\n```python\nanswer = 1\n```</think>\n```python\n{CODE}\n```",
        f"```json\n{{}}\n```\n```python\n{CODE}\n```",
        f"```sql\nSELECT 1\n```\n```python\n{CODE}\n```\n```text\n3\n```",
        f"```python\nanswer = len(autor)\n```\nNo, it is\n```python\n{CODE}\n```",
        f"```python\n>>> {CODE}\n>>> answer\n3\n```",
        f"\r\n```python\r\n{CODE}\r\n```\r\n".replace("\r\n", "\n"),
    ],
)
def test_the_code_is_found(text):
    assert parse_reply(text).code.splitlines()[0] == CODE


def test_a_block_is_run_with_the_earlier_ones_it_builds_on():
    reply = parse_reply("First\n```python\nold = author.head()\n```\nthen\n```python\nanswer = old.name\n```")
    assert reply.code == "old = author.head()\nanswer = old.name"
    assert reply.rationale == "First"


def test_of_an_expression_and_prose_the_expression_is_the_program():
    assert parse_reply("The count is\n\nauthor.name.nunique()").code == "author.name.nunique()"


def test_an_assignment_of_a_constant_is_a_program_fenced_or_not():
    assert parse_reply("answer = 42").code == parse_reply("```\nanswer = 42\n```").code == "answer = 42"


def test_broken_code_is_kept_so_that_its_error_can_be_fed_back():
    assert parse_reply("```python\nanswer = (1\n```").code == "answer = (1"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  \n",
        "42",
        "```\n42\n```",
        "Paris",
        "I cannot answer that.",
        "<think>hm",
        "```json\n{}\n```",
        "```python\n```",
        "'Paris'",
        "Yes.",
        "(1, 2)",
    ],
)
def test_what_is_no_program_is_said_to_be_missing(text):
    reply = parse_reply(text)
    assert reply.code == ""
    assert "missing" in reply.problem


def test_a_long_reply_without_code_is_given_up_quickly():
    assert parse_reply("words and (more words\n" * 5000).code == ""
