"""What a failure says: the line, the error, the nearest names, the cast, the values that exist, the state so far."""

from __future__ import annotations

import pandas as pd
import pytest

from boxkit.box import BoxSet
from boxkit.executor import execute
from boxkit.failure import Failure

PANDAS_3 = int(pd.__version__.split(".")[0]) >= 3


def failure(code: str, boxes: BoxSet) -> Failure:
    error = execute(code, boxes).error
    assert error is not None
    return error


HINTS = {
    "a field": ("x = 1\nauthor['nme']", "exception", 2, "box 'author' has no field 'nme'; nearest: 'name'"),
    "a field of several": ("author[['id', 'nam']]", "exception", 1, "box 'author' has no field 'nam'; nearest: 'name'"),
    "a field to group by": ("author.groupby('cuntry').size()", "exception", 1, "nearest: 'country'"),
    "a field of another box": ("author['price']", "exception", 1, "'price' is a field of box 'book'"),
    "a field of a new frame": (
        "rich = book[['title']]\nrich['titel']",
        "exception",
        2,
        "frame 'rich' has no field 'titel'; nearest: 'title'",
    ),
    "an attribute": ("author.nme", "exception", 1, "nearest: 'name'"),
    "a box": ("autor['id']", "exception", 1, "nearest box: 'author'"),
    "a box by its name": ("boxes['autor']", "exception", 1, "nearest: 'author'"),
    "a frame of the frame": ("author.frame", "exception", 1, "leave .frame out"),
    "types of a merge": (
        "book.merge(author, left_on='author_id', right_on='id')",
        "exception",
        1,
        "book['author_id'] = pd.to_numeric(book['author_id'], errors='coerce')",
    ),
    "types of a sum": ("book.price + book.title", "exception", 1, "book['title'] is"),
    "a truth": ("if book.price > 1: pass", "exception", 1, "use & |".replace("use", "with")),
    "a conversion": ("book.author_id.astype(int)", "exception", 1, "pd.to_numeric"),
    "a file": ("pd.io.common.os.listdir('/')", "refused", 1, "out of reach"),
    "an import": ("import subprocess", "refused", 1, "imports allowed"),
    "an import late": ("def f():\n    import socket\nf()", "refused", 2, "imports allowed"),
    "open": ("x = 1\nopen('a.txt')", "refused", 2, "use the boxes"),
    "read_csv": ("pd.read_csv('a.csv')", "refused", 1, "use the boxes"),
    "to_csv": ("author.to_csv('a.csv')", "refused", 1, "`answer`"),
    "a week": ("author.born.dt.week", "policy", 1, "isocalendar().week"),
    "append": ("author.append(author)", "policy", 1, "pd.concat"),
    "fillna in place": (
        "author['name'].fillna('x', inplace=True)",
        "policy",
        1,
        "author['name'] = author['name'].fillna('x')",
    ),
    "a chained value": ("author['id'][0] = 9", "policy", 1, "author.loc[0, 'id'] = …"),
    "a chained filter": ("author[author.id > 1]['name'] = 'x'", "policy", 1, "author.loc[author.id > 1, 'name'] = …"),
    "a chained copy": ("c = author.copy()\nc['id'].iloc[0] = 9", "policy", 2, "c.loc[0, 'id'] = …"),
    "a generator": ("answer = (n for n in author.id)", "unsupported", None, ""),
}


@pytest.mark.parametrize(("code", "kind", "line", "hint"), HINTS.values(), ids=HINTS)
def test_a_failure_says_where_and_what_to_do(
    code: str, kind: str, line: int | None, hint: str, library: BoxSet
) -> None:
    failed = failure(code, library)
    assert failed.kind == kind and failed.line == line
    assert hint in failed.hint
    if line:
        assert failed.source == code.splitlines()[line - 1] and f"line {line}:" in failed.feedback()


@pytest.mark.skipif(not PANDAS_3, reason="pandas 2 still runs this")
@pytest.mark.parametrize(
    ("code", "hint"),
    [
        ("author[['id']].applymap(str)", ".map"),
        ("author.set_index('born').resample('M').size()", "'ME'"),
        ("pd.date_range('2024', periods=2, freq='M')", "'ME'"),
        ("author.groupby(pd.Grouper(key='born', freq='Y')).size()", "'YE'"),
        ("f = 'Q'\nauthor.set_index('born').resample(f).size()", "'QE'"),
        (
            "author.loc[author.id > 1].id.fillna(0, inplace=True)\nd = {'a': author}\nd['a']['id'][0] = 7\nanswer = 1",
            "copy",
        ),
    ],
)
def test_what_pandas_3_refuses_comes_with_the_fix(code: str, hint: str, library: BoxSet) -> None:
    assert hint in failure(code, library).hint


def test_periods_may_be_monthly(library: BoxSet) -> None:
    code = "answer = author.born.dt.to_period('M').tolist() + pd.period_range('2024', periods=1, freq='M').tolist()"
    assert execute(code, library).answer[-1] == pd.Period("2024-01")


@pytest.mark.parametrize(
    "code", ["author[", "answer = 'a", "Here is the code:\nanswer = 1", "answer = 1\n  x = 2", "answer = 1\0"]
)
def test_code_that_does_not_parse_names_its_line(code: str, library: BoxSet) -> None:
    failed = failure(code, library)
    assert failed.kind == "syntax" and (failed.line or "\0" in code)


def test_nesting_beyond_the_parser_is_a_syntax_failure(library: BoxSet) -> None:
    assert failure("(" * 5000 + ")" * 5000, library).kind == "syntax"


def test_the_state_so_far_shows_each_new_frame(library: BoxSet) -> None:
    failed = failure("rich = book[book.price > 1.6]\nn = 3\nrich['x']", library)
    assert "rich: DataFrame of 1 rows, 4 columns: 'bid' int64" in failed.state and "B" in failed.state
    assert "n: int = 3" in failed.state and "Ann" not in failed.state
    assert "state so far" in failed.feedback()


EMPTIED = {
    "==": ("author[author.country == 'USA']", "no row of author has ['country'] == 'USA'"),
    "reversed": ("author['USA' == author['country']].name.tolist()", "'United States'"),
    "isin": ("author[author['country'].isin(['USA', 'UK'])]", "'United States'"),
    "query": ("author.query('country == \"USA\"')", "'United States'"),
    "contains": ("author[author.country.str.contains('USA')]", "'United States'"),
    "lower": ("author[author.country.str.lower() == 'usa']", "'United States'"),
    "a range": ("author[author.id > 99]", "runs from 1 to 3"),
    "a number as text": ("author[author.id == '1']", "compare it with a number"),
    "text as a number": ("book[book.author_id == 1]", "compare it with text"),
    "in two steps": ("x = author[author.country == 'USA']\nanswer = x.name.tolist()", "'United States'"),
}


@pytest.mark.parametrize(("code", "hint"), EMPTIED.values(), ids=EMPTIED)
def test_an_empty_answer_comes_with_the_values_that_do_exist(code: str, hint: str, library: BoxSet) -> None:
    run = execute(code, library)
    assert run.error is None and run.empty is not None
    assert run.empty.kind == "empty" and hint in run.empty.hint


def test_taking_the_first_row_of_nothing_names_the_filter(library: BoxSet) -> None:
    failed = failure("x = author[author.country == 'USA']\nanswer = x.iloc[0]['name']", library)
    assert failed.type == "IndexError" and "'United States'" in failed.hint


def test_among_many_values_the_nearest_are_shown() -> None:
    frame = pd.DataFrame({"city": [f"Town {n}" for n in range(500)] + ["São Paulo", "Saint Paul"]})
    run = execute("t[t.city == 'Sao Paulo']", {"t": frame})
    assert run.empty is not None and "nearest: 'São Paulo'" in run.empty.hint


@pytest.mark.parametrize(
    "code", ["0", "[0]", "False", "''.join(['a'])", "author.id", "{'a': 0}", "np.array([0])", "pd.Series([0, None])"]
)
def test_a_zero_is_not_empty(code: str, library: BoxSet) -> None:
    assert execute(code, library).empty is None


@pytest.mark.parametrize(
    "code",
    [
        "[]",
        "None",
        "answer = None",
        "float('nan')",
        "author[author.id < 0]",
        "[None, float('nan')]",
        "{}",
        "pd.NA",
        "np.array([])",
    ],
)
def test_nothing_and_missing_values_are_empty(code: str, library: BoxSet) -> None:
    run = execute(code, library)
    assert run.empty is not None or (run.error is not None and run.error.kind == "no answer" and code == "None")
