"""SPARQL to pandas: the code as people read it, and its rows against pyoxigraph's own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from boxkit.errors import UnsupportedQuery
from boxkit.memory.transpile import sparql_to_pandas
from boxkit.memory.transpile.sparql_text import standard

from .graph_oracle import PREFIXES, answered, gold, zoo

GOLDEN = Path(__file__).parent / "graph_golden"


def _read() -> Iterator[tuple[str, str, str]]:
    """File, query and expected code; a query ends with a semicolon at a line's end, its code with an empty line."""
    for file in sorted(GOLDEN.glob("*.txt")):
        lines = file.read_text(encoding="utf-8").splitlines()
        starts = [at for at, line in enumerate(lines) if line.endswith(";")]
        for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
            yield file.name, lines[start].removesuffix(";"), "\n".join(lines[start + 1 : end]).strip() + "\n"


CASES = list(_read())


@pytest.mark.parametrize(("file", "query", "expected"), CASES, ids=lambda value: str(value)[:60])
def test_code_is_the_golden_one_and_gives_the_engines_rows(
    file: str, query: str, expected: str, request: pytest.FixtureRequest
) -> None:
    code = sparql_to_pandas(PREFIXES + query, zoo())
    ours, theirs = answered(code), gold(query)
    assert ours == theirs if "ORDER BY" in query else sorted(ours) == sorted(theirs)
    if not request.config.getoption("--rewrite-golden"):
        assert code == expected, "pytest tests/memory/transpile --rewrite-golden, and review the difference"


def test_golden_files_are_rewritten_on_demand(request: pytest.FixtureRequest) -> None:
    if not request.config.getoption("--rewrite-golden"):
        pytest.skip("only with --rewrite-golden")
    texts: dict[str, list[str]] = {}
    for file, query, _ in CASES:
        texts.setdefault(file, []).append(f"{query};\n{sparql_to_pandas(PREFIXES + query, zoo())}")
    for file, blocks in texts.items():
        (GOLDEN / file).write_text("\n".join(blocks), encoding="utf-8")


REFUSED = {
    "CONSTRUCT { ?x z:is ?y } WHERE { ?x z:species ?y }": "CONSTRUCT",
    "DESCRIBE z:Leo": "DESCRIBE",
    "SELECT ?x FROM <http://other.example/> WHERE { ?x z:species ?y }": "FROM",
    "SELECT ?x WHERE { GRAPH ?g { ?x z:species ?y } }": "GRAPH",
    "SELECT ?x WHERE { SERVICE <http://other.example/> { ?x z:species ?y } }": "SERVICE",
    "SELECT ?x WHERE { ?x ?p z:Lion }": "a relation that is a variable",
    "SELECT ?x ?t WHERE { ?x a ?t }": "a type that is a variable",
    "SELECT ?x WHERE { ?x z:wingspan ?y }": "a relation that no box holds",
    "SELECT ?x WHERE { ?x a z:Dragon }": "a type that no box holds",
    "SELECT ?x WHERE { ?x z:father+ ?y }": "a property path repeated",
    "SELECT ?x WHERE { ?x !z:father ?y }": "a property path of the kind",
    "SELECT (GROUP_CONCAT(?l) AS ?all) WHERE { ?x rdfs:label ?l }": "GROUP_CONCAT",
    "SELECT (SUM(?l) AS ?n) WHERE { ?x rdfs:label ?l }": "SUM of text",
    'SELECT ?x WHERE { ?x rdfs:label ?l FILTER(LANG(?l) = "en") }': "language",
    'SELECT ?x WHERE { ?x rdfs:label ?l FILTER(REGEX(?l, "a.*b")) }': "REGEX",
    "SELECT ?x (NOW() AS ?n) WHERE { ?x z:species ?y }": "NOW",
    "SELECT ?x WHERE { ?x z:weight ?w BIND(xsd:int(?w) AS ?n) }": "xsd:int",
    "SELECT ?x WHERE { ?x z:species ?s OPTIONAL { ?x z:father ?f } ?f z:weight ?w }": "later in another part",
    "SELECT ?x WHERE { ?x z:species ?s FILTER(?s < z:Lion) }": "an order of entities",
    'SELECT ?x WHERE { ?x z:weight ?w FILTER(?w < "heavy") }': "a comparison of number and text",
    "SELECT ?x WHERE { ?x z:species": "does not parse",
    "SELECT ?x WHERE { ?x nothing:species ?y }": "does not parse",
}


@pytest.mark.parametrize(("query", "construct"), REFUSED.items())
def test_what_cannot_be_written_is_refused_by_name(query: str, construct: str) -> None:
    with pytest.raises(UnsupportedQuery, match=construct):
        sparql_to_pandas(PREFIXES + query, zoo())


def test_infix_or_an_undeclared_prefix_and_datetime_are_put_right() -> None:
    query = """# A query as Virtuoso takes it: "OR" in a comment, and in a text
    SELECT ?x WHERE { ?x <http://zoo.example/born> ?d ; <http://zoo.example/tame> ?t
      FILTER (xsd:datetime(?d) < "2010-01-01"^^xsd:dateTime OR ?t = true) FILTER (str(?d) != "this OR that") }"""
    text = standard(query)
    assert "||" in text and '"this OR that"' in text and "PREFIX xsd:" in text and "datetime" not in text
    found = answered(sparql_to_pandas(query, zoo()))
    assert sorted(found) == [("Dumbo",), ("Nala",), ("Simba",)]


def test_a_difference_of_dates_beside_zero_is_a_comparison() -> None:
    query = """SELECT ?x WHERE { ?x z:father ?f ; z:born ?d . ?f z:born ?e
      FILTER (xsd:dateTime(?d) - xsd:dateTime(?e) > 0) }"""
    assert sorted(answered(sparql_to_pandas(PREFIXES + query, zoo()))) == [("Leo",), ("Nala",)]


def test_a_condition_that_says_nothing_is_not_written() -> None:
    query = "SELECT DISTINCT ?k WHERE { ?k z:tends ?a . ?a z:weight ?w FILTER(?k != ?a && ?a != ?w) }"
    code = sparql_to_pandas(PREFIXES + query, zoo())
    assert "!=" not in code


def test_the_same_query_gives_the_same_code() -> None:
    query = PREFIXES + "SELECT DISTINCT ?k WHERE { ?k z:tends ?a . ?a z:eats ?f . ?f z:price ?p FILTER(?p > 2) }"
    assert len({sparql_to_pandas(query, zoo()) for _ in range(3)}) == 1
