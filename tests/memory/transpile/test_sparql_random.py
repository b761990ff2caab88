"""Random queries: the code's rows are the engine's, or the query is refused by name; never other rows."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from boxkit.errors import UnsupportedQuery
from boxkit.memory.transpile import sparql_to_pandas

from .graph_oracle import PREFIXES, answered, gold, zoo

#: Relations by what stands at their ends.
LINKS = {
    "z:species": ("animal", "species"),
    "z:livesIn": ("animal", "enclosure"),
    "z:eats": ("animal", "food"),
    "z:father": ("animal", "animal"),
    "z:tends": ("keeper", "animal"),
    "z:boss": ("keeper", "keeper"),
}
VALUES = {
    "rdfs:label": ("animal species enclosure food keeper".split(), "text"),
    "z:weight": (["animal"], "number"),
    "z:price": (["food"], "number"),
    "z:area": (["enclosure"], "number"),
    "z:born": (["animal"], "date"),
    "z:since": (["keeper"], "year"),
    "z:class": (["species"], "text"),
    "z:phone": (["keeper"], "text"),
}
TYPES = {"animal": ["z:Animal", "z:Predator"], "keeper": ["z:Keeper"], "species": ["z:Species"], "food": ["z:Food"]}
ENTITIES = {
    "animal": "z:Leo z:Simba z:Rex z:Pingu".split(),
    "species": "z:Lion z:Wolf z:Penguin".split(),
    "enclosure": "z:Savanna z:Pool".split(),
    "food": "z:Beef z:Hay".split(),
    "keeper": "z:Ann z:Bob".split(),
}
TESTS = {
    "text": ['CONTAINS({0}, "e")', 'STRSTARTS(LCASE({0}), "l")', '{0} != "Leo"', 'REGEX({0}, "n$")', "STRLEN({0}) > 4"],
    "number": ["{0} > 9", "{0} <= 190.5", "{0} * 2 = 18", "{0} IN (9, 400, 8.5)", "!({0} < 12)", "ROUND({0}) = 12"],
    "date": ['{0} >= "2015-05-01"^^xsd:date', "YEAR({0}) < 2016", "MONTH({0}) = 5"],
    "year": ['{0} = "2010"^^xsd:gYear', '{0} > "2012"^^xsd:gYear'],
}


class Maker:
    """Makes one query out of random numbers."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.kinds: dict[str, str] = {"a": self.random.choice(list(ENTITIES))}

    def fresh(self, kind: str) -> str:
        name = "abcdefghijklmnopqrstuvw"[len(self.kinds)]
        self.kinds[name] = kind
        return name

    def triple(self, names: list[str]) -> str:
        """A pattern about one of the variables."""
        at = self.random.choice([name for name in names if self.kinds[name] in ENTITIES])
        kind = self.kinds[at]
        choices: list[tuple[str, ...]] = [("type",)] if kind in TYPES else []
        choices += [("out", each) for each, ends in LINKS.items() if ends[0] == kind]
        choices += [("in", each) for each, ends in LINKS.items() if ends[1] == kind]
        choices += [("value", each) for each, (kinds, _) in VALUES.items() if kind in kinds]
        how = self.random.choice(choices)
        if how[0] == "type":
            return f"?{at} a {self.random.choice(TYPES[kind])} ."
        if how[0] == "value":
            return f"?{at} {how[1]} ?{self.fresh(VALUES[how[1]][1])} ."
        other = LINKS[how[1]][1 if how[0] == "out" else 0]
        end = self.random.choice(ENTITIES[other]) if self.random.random() < 0.3 else f"?{self.fresh(other)}"
        return f"?{at} {how[1]} {end} ." if how[0] == "out" else f"{end} {how[1]} ?{at} ."

    def block(self, names: list[str], size: int) -> str:
        """Patterns that hang together, with a filter at times."""
        before = set(self.kinds)
        lines = []
        for _ in range(size):
            lines.append(self.triple([*names, *(name for name in self.kinds if name not in before)]))
        new = [name for name in self.kinds if name not in before and self.kinds[name] in TESTS]
        if new and self.random.random() < 0.5:
            name = self.random.choice(new)
            lines.append(f"FILTER({self.random.choice(TESTS[self.kinds[name]]).format('?' + name)})")
        return " ".join(lines)

    def query(self) -> str:
        """A query."""
        pick = self.random.random
        body = [self.block(["a"], self.random.randint(1, 3))]
        seen = list(self.kinds)
        if pick() < 0.35:
            body.append(f"OPTIONAL {{ {self.block(seen, self.random.randint(1, 2))} }}")
        if pick() < 0.2:
            body.append(f"FILTER NOT EXISTS {{ {self.block(seen, self.random.randint(1, 2))} }}")
        if pick() < 0.1:
            body.append(f"MINUS {{ {self.block(seen, 1)} }}")
        if pick() < 0.1:
            body.append(f"FILTER EXISTS {{ {self.block(seen, 1)} }}")
        if pick() < 0.15:
            body.insert(0, f"{{ {self.block(['a'], 1)} }} UNION {{ {self.block(['a'], 1)} }}")
        text = " ".join(body)
        names = [name for name in self.kinds if f"?{name} " in text]
        outer = [name for name in names if name in seen] or names
        if pick() < 0.2:
            return f"SELECT ?{outer[0]} (COUNT(?{outer[-1]}) AS ?n) WHERE {{ {text} }} GROUP BY ?{outer[0]}"
        if pick() < 0.1:
            return f"ASK {{ {text} }}"
        chosen = self.random.sample(names, min(len(names), self.random.randint(1, 3)))
        distinct = "DISTINCT " if pick() < 0.5 else ""
        return f"SELECT {distinct}{' '.join('?' + name for name in chosen)} WHERE {{ {text} }}"


def _queries(count: int) -> Iterator[str]:
    for seed in range(count):
        yield Maker(seed).query()


@pytest.mark.parametrize("start", range(0, 60, 20))
def test_no_query_gives_other_rows_than_the_engine(start: int) -> None:
    right = 0
    for query in list(_queries(start + 20))[start:]:
        theirs = sorted(gold(query))
        try:
            code = sparql_to_pandas(PREFIXES + query, zoo())
        except UnsupportedQuery:
            continue
        assert sorted(answered(code)) == theirs, f"{query}\n{code}"
        right += 1
    assert right >= 14
