"""The public surface: the names promised, found lazily, and nothing heavy loaded for them."""

from __future__ import annotations

import subprocess
import sys

import pytest

import boxkit

PROMISED = [
    "Answer",
    "Attempt",
    "Box",
    "BoxSet",
    "Decompose",
    "Demonstration",
    "Failure",
    "Field",
    "ForeignKey",
    "Hybrid",
    "Knowledge",
    "Limits",
    "LocalLLM",
    "Memory",
    "Note",
    "OpenAI",
    "Pandora",
    "Planner",
    "Profile",
    "Run",
    "Search",
    "Select",
    "SelfConsistency",
    "Text2SPARQL",
    "Text2SQL",
    "Text2SQLCode",
    "Usage",
    "aevaluate",
    "aexecute",
    "evaluate",
    "execute",
    "from_database",
    "from_graph",
    "from_table",
    "learn",
    "load",
    "open_dataset",
]


def fresh(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_the_promised_names_are_there_sorted_and_no_others():
    assert boxkit.__all__ == PROMISED
    assert set(PROMISED) <= set(dir(boxkit))


@pytest.mark.parametrize("name", PROMISED)
def test_each_name_resolves(name):
    assert getattr(boxkit, name).__doc__


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="Pandorra"):
        boxkit.Pandorra  # noqa: B018 - the access is the test


def test_importing_boxkit_loads_nothing_heavy():
    heavy = {"torch", "faiss", "openai", "rdflib", "pandas", "numpy", "networkx", "click", "rich", "jinja2"}
    loaded = fresh("import sys, boxkit; print(*{name.partition('.')[0] for name in sys.modules})")
    assert not heavy & set(loaded.split())


def test_loading_a_table_loads_no_graph_library_and_no_model(tmp_path):
    (tmp_path / "t.csv").write_text("a\n1\n")
    code = f"import sys, boxkit; boxkit.load({str(tmp_path / 't.csv')!r}).to_prompt(); print(*sys.modules)"
    assert not {"torch", "faiss", "openai", "rdflib", "duckdb", "sqlalchemy"} & set(fresh(code).split())


@pytest.mark.parametrize(
    "first", ["import boxkit; boxkit.from_graph", "from boxkit.load import from_table; import boxkit"]
)
def test_load_stays_the_function_whatever_was_imported_before(first):
    assert fresh(f"{first}; print(callable(boxkit.load))") == "True"
