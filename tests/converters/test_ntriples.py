"""The bulk reader of N-Triples says what the parser says, or nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from boxkit.converters.graph import Graph
from boxkit.converters.graph.ntriples import read_ntriples
from boxkit.converters.graph.parse import _with_oxigraph, parse_file
from boxkit.converters.graph.store import TripleStore

S, P = "<http://e/s>", "<http://e/p>"


def triples(store: TripleStore) -> set[tuple[object, ...]]:
    parts = zip(store.subjects.tolist(), store.predicates.tolist(), store.objects.tolist(), strict=True)
    return {tuple(store.terms[number] for number in three) for three in parts}


def both(text: str) -> tuple[set[tuple[object, ...]], set[tuple[object, ...]]]:
    builder = read_ntriples(text.encode())
    assert builder is not None
    parsed, _ = _with_oxigraph(text.encode(), "nt", "file:///x", "")
    return triples(builder.build()), triples(parsed)


@pytest.mark.parametrize(
    "value",
    [
        '"plain"', '""', '"two words"', '"a . b"',
        '"tab\\tline\\nquote\\"back\\\\slash"', '"\\u00e9\\U0001F600"', '"é"@fr', '"x"@en-GB',
        '"1"^^<http://www.w3.org/2001/XMLSchema#integer>', '"x"^^<http://www.w3.org/2001/XMLSchema#string>', "<http://e/o>",
        "<mailto:a@b.org>", "_:b1", '"<not an iri>"', '"a@b"', '"^^"', '"x"^^<http://e/t#y>',
    ],
)  # fmt: skip  # values, many a line
def test_every_kind_of_value_is_read_as_the_parser_reads_it(value: str) -> None:
    one, other = both(f"{S} {P} {value} .\n")
    assert one == other


@pytest.mark.parametrize(
    "text",
    [
        f"{S} {P} {S} .\r\n{S} {P} _:x .\r\n",
        f"# note\n\n{S}\t{P}\t{S}\t.\n",
        f"{S} {P} {S}.",
        f'{S} {P} "x" .\n{S} {P} "x" .\n',
        f"{S} {P} {S} .\n   \n",
    ],
)
def test_lines_may_be_written_in_many_ways(text: str) -> None:
    one, other = both(text)
    assert one == other


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        f"{S} {P} .\n",
        f'"x" {P} {S} .\n',
        f"{S} _:p {S} .\n",
        f'{S} {P} "open .\n',
        f"{S} {P} {S}\n",
        f'{S} {P} "\\q" .\n',
        "a b c .\n",
        f"{S} {P} {S} . {S}\n",
        f"<relative> {P} {S} .\n",
    ],
)
def test_what_is_not_plain_is_left_to_the_parser(text: str) -> None:
    assert read_ntriples(text.encode()) is None


def test_bytes_that_are_no_text_are_left_to_the_parser() -> None:
    assert read_ntriples(f'{S} {P} "'.encode() + b'\xff" .\n') is None


def test_a_file_of_many_triples_is_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "many.nt"
    path.write_text("".join(f'<http://e/s{n}> {P} "{n % 100}" .\n' for n in range(50_000)))
    store, _ = parse_file(path, "nt", "many")
    assert len(store) == 50_000
    assert len(Graph(store, "many").boxes(topics=["s7"], hops=1)["entity"].frame) == 1
