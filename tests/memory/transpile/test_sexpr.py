"""GrailQA's s-expressions to pandas, over a small graph in Freebase's words."""

from __future__ import annotations

from pathlib import Path

import pytest

import boxkit
from boxkit.box import BoxSet
from boxkit.errors import UnsupportedQuery
from boxkit.memory.transpile import sexpr_to_pandas

from .oracle import run

TYPED = {
    "film.film": "m.f1 m.f2 m.f3",
    "film.director": "m.d1 m.d2",
    "film.performance": "m.p1 m.p2 m.p3",
    "film.actor": "m.a1 m.a2",
}
TRIPLES = """m.f1 film.film.directed_by m.d1 | m.f2 film.film.directed_by m.d1 | m.f3 film.film.directed_by m.d2
m.f1 film.film.starring m.p1 | m.f1 film.film.starring m.p2 | m.f2 film.film.starring m.p3
m.p1 film.performance.actor m.a1 | m.p2 film.performance.actor m.a2 | m.p3 film.performance.actor m.a1
m.p1 film.performance.from "1999-01-01"^^date | m.p2 film.performance.from "2012-05-01"^^date
m.p1 film.performance.to "2001-01-01"^^date | m.d1 film.director.sibling m.d2 | m.d2 film.director.sibling m.d1
m.f1 film.film.length "90.5"^^float | m.f2 film.film.length "120.0"^^float | m.f3 film.film.length "120.0"^^float"""


@pytest.fixture(scope="module")
def films(tmp_path_factory: pytest.TempPathFactory) -> BoxSet:
    """The graph's boxes."""
    listed = [f"{name} type.object.type {kind}" for kind, names in TYPED.items() for name in names.split()]
    listed += [f'{name} type.object.name "{name[2:]}"@en' for names in TYPED.values() for name in names.split()]
    listed += [each.strip() for line in TRIPLES.splitlines() for each in line.split("|")]

    def term(text: str) -> str:
        if text.startswith('"'):
            value, mark, kind = text.partition("^^")
            return f"{value}^^<http://www.w3.org/2001/XMLSchema#{kind}>" if mark else text
        return f"<http://rdf.freebase.com/ns/{text}>"

    path = Path(tmp_path_factory.mktemp("films")) / "films.nt"
    path.write_text("".join(f"{' '.join(map(term, line.split()))} .\n" for line in listed), encoding="utf-8")
    return boxkit.load(path)


XSD = "http://www.w3.org/2001/XMLSchema#"

ANSWERS = {
    "(AND film.film (JOIN film.film.directed_by m.d1))": ["m.f1", "m.f2"],
    "(AND film.actor (JOIN (R film.performance.actor) (JOIN (R film.film.starring) m.f1)))": ["m.a1", "m.a2"],
    "(AND film.film (JOIN film.film.starring (JOIN film.performance.actor m.a1)))": ["m.f1", "m.f2"],
    "(AND film.film (AND (JOIN film.film.directed_by m.d1) (gt film.film.length 100.0^^" + XSD + "float)))": ["m.f2"],
    "(AND film.film (le film.film.length 90.5^^" + XSD + "float))": ["m.f1"],
    "(AND film.film (lt film.film.length 90.5^^" + XSD + "float))": [],
    "(AND film.performance (ge film.performance.from 2012-05-01^^" + XSD + "date))": ["m.p2"],
    "(ARGMAX film.film film.film.length)": ["m.f2", "m.f3"],
    "(ARGMIN (AND film.film (JOIN film.film.directed_by m.d1)) film.film.length)": ["m.f1"],
    "(ARGMAX film.director (JOIN (R film.film.directed_by) film.film.length))": ["m.d1", "m.d2"],
    "(AND film.director (JOIN film.director.sibling (JOIN film.director.sibling m.d1)))": [],
    "(COUNT (AND film.film (JOIN film.film.directed_by m.d1)))": ["2"],
    "(AND film.performance (TC (JOIN (R film.film.starring) m.f1) film.performance.from NOW))": ["m.p2"],
    "(AND film.performance (TC (JOIN (R film.film.starring) m.f1) film.performance.from 2000))": ["m.p1"],
}


@pytest.mark.parametrize(("expression", "answers"), ANSWERS.items())
def test_the_answer_is_what_the_expression_says(expression: str, answers: list[str], films: BoxSet) -> None:
    rows = run(sexpr_to_pandas(expression, films), films)
    assert sorted(str(row[0]) for row in rows) == answers


def test_the_code_reads_as_a_person_would_write_it(films: BoxSet) -> None:
    code = sexpr_to_pandas("(AND film.film (JOIN film.film.starring (JOIN film.performance.actor m.a1)))", films)
    assert code == (
        'filtered = performance[performance["actor"] == "m.a1"]\n'
        'filtered_2 = film_starring[film_starring["starring"].isin(filtered["performance_id"])]\n'
        'answer = filtered_2[["film_id"]].drop_duplicates().rename(columns={"film_id": "answer"})\n'
    )


REFUSED = {
    "(AND film.film (JOIN film.film.budget m.d1))": "a relation that no box holds",
    "(AND film.studio (JOIN film.film.directed_by m.d1))": "a type that no box holds",
    "(MOST film.film film.film.length)": "the operator MOST",
    "(AND film.film": "does not parse",
    "(AND film.film) film.film)": "does not parse",
    "(AND film.film)": "AND with 1 operands",
    "(ARGMAX film.film film.film.directed_by)": "largest or smallest of entity",
    "(AND film.film (JOIN film.film.directed_by (COUNT film.film)))": "COUNT inside",
    "(TC film.performance film.performance.actor NOW)": "dates no start",
}


@pytest.mark.parametrize(("expression", "construct"), REFUSED.items())
def test_what_cannot_be_written_is_refused_by_name(expression: str, construct: str, films: BoxSet) -> None:
    with pytest.raises(UnsupportedQuery, match=construct):
        sexpr_to_pandas(expression, films)
