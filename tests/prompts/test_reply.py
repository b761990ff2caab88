"""Code is found in a reply however the model wrapped it; what is no program is never run as one."""

from __future__ import annotations

import pytest

from boxkit.prompts import parse_reply
from boxkit.prompts.reply import parse_sql_reply

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
        f"\r\n```python\r\n{CODE}\r\n```\r\nDone.",
        f"```python\r{CODE}\r```",
        f"```python\n{CODE}```",
        f"```python\n{CODE}\n```<|im_end|>",
        f"<|python_tag|>{CODE}",
        f"\ufeff```python\n\u200b{CODE}\n```",
        f"Use `{CODE}`.",
        f"Use ```python {CODE}``` for it.",
        f"**Code:**\n\n    {CODE}\n\nThat is it.",
        f"> ```python\n> {CODE}\n> ```",
        f"I should count.\n</think>\n```python\n{CODE}\n```",
        f'{{"rationale": "count", "code": "{CODE}"}}',
        f'```json\n{{"thinking": "count", "code": "{CODE}\\n"}}\n```',
        f'<tool_call>\n{{"name": "python", "arguments": {{"code": "{CODE}"}}}}\n</tool_call>',
        f'{{"tool": "run", "arguments": "{{\\"code\\": \\"{CODE}\\"}}"}}',
        f"<function=python>\n{CODE}\n</function>",
        f"Claro:\n```python\n{CODE}\n```\n¿Algo más?",
        f"```bash\npip install pandas\n```\n```python\n{CODE}\n```",
        f"```python\n{CODE}\n```\nOutput:\n```\n3\n```",
    ],
)
def test_the_code_is_found(text):
    assert parse_reply(text).code.splitlines()[0] == CODE


def test_a_block_is_run_with_the_earlier_ones_it_builds_on():
    reply = parse_reply("First\n```python\nold = author.head()\n```\nthen\n```python\nanswer = old.name\n```")
    assert reply.code == "old = author.head()\nanswer = old.name"
    assert reply.rationale == "First"


def test_a_mark_inside_a_text_of_the_code_does_not_end_it():
    assert parse_reply("```python\ntext = '''\n```\n'''\nanswer = len(text)\n```").code.endswith("len(text)")


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
        "```javascript\nlet answer = author.length;\n```",
        "```sql\nSELECT count(*) FROM author\n```",
        "The answer is `42`.",
        '{"answer": 42}',
    ],
)
def test_what_is_no_program_is_said_to_be_missing(text):
    reply = parse_reply(text)
    assert reply.code == ""
    assert "missing" in reply.problem


@pytest.mark.parametrize(
    "text", ["words and (more words\n" * 5000, "`" * 20000, "{" * 20000, "`a` " * 5000, "    x\n" * 5000]
)
def test_a_long_reply_without_code_is_given_up_quickly(text):
    assert parse_reply(text).code == ""
    parse_sql_reply(text)


QUERY = "SELECT count(*) FROM author"


@pytest.mark.parametrize(
    "text",
    [
        QUERY,
        f"{QUERY};\nThis counts all of them.",
        f"So:\r\n```sql\r\n{QUERY};\r\n```\r\n",
        f"```SQL\n{QUERY}```",
        f"```mariadb\n{QUERY}\n```",
        f"```sql\n{QUERY}\n",
        f"```sql\nSELECT 1\n```\nBetter:\n```sql\n{QUERY}\n```",
        f"```sql\n{QUERY}\n```\nIt gives\n```\n3\n```",
        f"<think>SELECT 1</think>{QUERY}",
        f"From the schema we see authors.\n\n{QUERY}",
        f"With this schema one can count.\n{QUERY}",
        f"Select the number of authors:\n\n{QUERY}",
        f"The query is `{QUERY}`.",
        f"SQL: {QUERY}",
        f'{{"sql": "{QUERY}"}}',
        f'<tool_call>{{"name": "sql", "arguments": {{"query": "{QUERY}"}}}}</tool_call>',
        f"{QUERY}\n\nThis counts all of them.",
    ],
)
def test_the_query_is_found(text):
    assert parse_sql_reply(text).code.rstrip(";") == QUERY


@pytest.mark.parametrize(
    "query",
    [
        "WITH a AS (\n\n  SELECT 1\n\n)\n\nSELECT * FROM a",
        "SELECT ';\n\n' AS text FROM author",
        "(SELECT 1) UNION (SELECT 2)",
        "VALUES (1)",
        "-- all of them\nSELECT 1",
    ],
)
def test_a_query_is_kept_whole(query):
    assert parse_sql_reply(f"```sql\n{query}\n```").code == query
    if not query.startswith("--"):
        assert parse_sql_reply(f"So.\n\n{query}\n\nThat is all of it.").code == query


@pytest.mark.parametrize("text", ["", "Three.", "```python\nprint(3)\n```", "I would SELECT something", '{"rows": 3}'])
def test_what_is_no_query_is_said_to_be_missing(text):
    reply = parse_sql_reply(text)
    assert (reply.code, "missing" in reply.problem) == ("", True)
