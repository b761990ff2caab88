"""What the README and the guide show runs as it is shown."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path

import pandas as pd
import pytest

from boxkit.testing import FaultyServer

ROOT = Path(__file__).resolve().parent.parent

PAGES = ["README.md"] + [
    f"docs/{name}.md"
    for name in ("index", "boxes", "asking", "strategies", "planner", "sources", "cli", "models", "security")
]

#: What takes a model's file of a gigabyte.
NEEDS_A_FILE = ("LocalLLM(", "LocalServer(")


def python_blocks(page):
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(encoding="utf-8"), re.M | re.S)
    return [block for block in blocks if not any(needed in block for needed in NEEDS_A_FILE)]


@pytest.fixture
def workplace(tmp_path, monkeypatch):
    """The files and the server that the examples speak of."""
    pd.DataFrame({"region": ["North", "South"], "amount": [1200.5, 300.0]}).to_csv(tmp_path / "sales.csv", index=False)
    for name in ("crm.sqlite", "shop.sqlite"):
        database = sqlite3.connect(tmp_path / name)
        database.execute("CREATE TABLE customer(id INTEGER PRIMARY KEY, name TEXT, country TEXT)")
        database.executemany("INSERT INTO customer VALUES (?, ?, ?)", [(1, "Ada", "France"), (2, "Bo", "Spain")])
        database.commit()
        database.close()
    turtle = '<http://example.org/p1> a <http://example.org/Product> ; <http://example.org/name> "pen" .'
    for name in ("products.ttl", "kg.ttl"):
        (tmp_path / name).write_text(turtle)
    (tmp_path / "exports").mkdir()
    (tmp_path / "exports" / "may.csv").write_text("region,amount\nNorth,1\n")
    monkeypatch.chdir(tmp_path)
    reply = "Sum by region.\n```python\nanswer = sales.nlargest(1, 'amount')[['region', 'amount']]\n```"
    with FaultyServer(lambda _: reply) as server:
        monkeypatch.setenv("OPENAI_API_KEY", "test")
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        yield


@pytest.mark.parametrize("page", PAGES)
def test_the_python_on_a_page_runs_from_top_to_bottom(page, workplace, capsys):
    names: dict[str, object] = {"__name__": "__main__", "pd": pd, "df": pd.DataFrame({"region": ["North"]})}
    for block in python_blocks(page):
        exec(compile(block, page, "exec"), names)
    if page == "README.md":
        assert "[(1,)]" in capsys.readouterr().out
        assert names["answer"].rows == [("North", 1200.5)]


def test_every_command_the_readme_shows_exists():
    from boxkit.cli.app import app

    shown = set(
        re.findall(
            r"boxkit (\w+)",
            "".join(re.findall(r"^```(?:sh|bash)\n(.*?)^```", (ROOT / "README.md").read_text(), re.M | re.S)),
        )
    )
    assert shown
    assert shown <= set(app.commands)


@pytest.mark.parametrize("page", [*PAGES, "CONTRIBUTING.md"])
def test_links_lead_somewhere(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    targets = re.findall(r"\]\(([^)#]+)", text)
    missing = [target for target in targets if "://" not in target and not ((ROOT / page).parent / target).exists()]
    assert missing == []


MARKS = ("<!-- sources: made from docs/sources.md by `make golden` -->\n", "<!-- end of sources -->")


def support_table():
    """The sources' page's table, without the column of options."""
    rows = [
        line for line in (ROOT / "docs/sources.md").read_text(encoding="utf-8").splitlines() if line.startswith("|")
    ]
    start = next(at for at, row in enumerate(rows) if row.startswith("| source"))
    table = []
    for row in rows[start:]:
        source, becomes, _, extra = (cell.strip() for cell in row.strip("|").split("|")[:4])
        if table and source == "source":
            break
        table.append(
            f"| {source} | {becomes} | {extra} |".replace("|  |", "| |").replace("(graphs.md)", "(docs/graphs.md)")
        )
    return "\n".join(table) + "\n"


def test_the_readmes_support_table_is_made_from_the_sources_page(request):
    readme = ROOT / "README.md"
    before, start, rest = readme.read_text(encoding="utf-8").partition(MARKS[0])
    shown, end, after = rest.partition(MARKS[1])
    assert start
    assert end
    if request.config.getoption("--rewrite-golden"):
        readme.write_text(before + start + support_table() + end + after, encoding="utf-8")
    else:
        assert shown == support_table(), "run `make golden`"
