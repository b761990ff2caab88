"""The graph that questions imply: what their own annotation says of Freebase, where Freebase itself is not at hand.

GrailQA publishes each question's graph (``graph_query``) with its answers, WebQSP a chain of relations with
constraints. All questions' graphs are merged, so that those of the others distract. A node that the annotation leaves
unnamed stands as an invented id (``m.x_…``), one for each answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from boxkit.evaluation.datasets.rows import Row

__all__ = ["IMPLIED", "implied_triples"]

Triple: TypeAlias = tuple[str, str, str]

#: What a report must say of such a graph.
IMPLIED = "the graph is what the questions' own annotation implies: every right answer is in it, and little else"

_TYPE, _NAME = "type.object.type", "type.object.name"
#: Functions of a node that a literal of its own satisfies; what others ask for is not in the annotation.
_MET = frozenset({"none", "count", ">=", "<=", "argmax", "argmin"})


def implied_triples(rows: Iterable[Row]) -> list[Triple]:
    """The triples, each once, in the order of the questions; none for a row that implies none."""
    found: dict[Triple, None] = {}
    for row in rows:
        inner = row.values.get("raw_data")
        values = inner if isinstance(inner, Mapping) else row.values
        if values.get("graph_query"):
            found.update(dict.fromkeys(_of_graph_query(values)))
        for parse in values.get("Parses") or ():
            found.update(dict.fromkeys(_of_chain(parse)))
    return list(found)


def _of_graph_query(values: Mapping[str, Any]) -> Iterator[Triple]:
    nodes, edges = values["graph_query"]["nodes"], values["graph_query"]["edges"]
    if any(node.get("function", "none") not in _MET for node in nodes) or not values.get("answer"):
        return
    answers = [(str(each["answer_argument"]), each.get("entity_name")) for each in values["answer"]]
    question = str(values.get("qid", ""))
    if values.get("function") == "count":
        counted = answers[0][0]
        answers = [(f"m.x_{question}_{at}", None) for at in range(int(counted) if counted.isdigit() else 0)]
    for at, (answer, name) in enumerate(answers):
        terms: dict[Any, str] = {}
        for node in nodes:
            if node.get("question_node"):
                term = answer
            elif node["node_type"] == "class":
                term = f"m.x_{question}_{node['nid']}_{at}"
            else:
                term = str(node["id"]).partition("^^")[0]
            terms[node["nid"]] = term
            called = name if node.get("question_node") else node.get("friendly_name")
            yield from _named(term, called if node.get("question_node") or node["node_type"] == "entity" else None)
            if node["node_type"] != "literal" and _is_id(term) and node.get("class"):
                yield term, _TYPE, str(node["class"])
        for edge in edges:
            yield terms[edge["start"]], str(edge["relation"]), terms[edge["end"]]


def _of_chain(parse: Mapping[str, Any]) -> Iterator[Triple]:
    chain: Sequence[str] = parse.get("InferentialChain") or ()
    topic = str(parse.get("TopicEntityMid") or "")
    if not topic or not chain:
        return
    yield from _named(topic, parse.get("TopicEntityName"))
    for at, answer in enumerate(parse.get("Answers") or ()):
        unnamed = [f"m.x_{parse.get('ParseId', topic)}_{at}_{step}" for step in range(len(chain) - 1)]
        path = [topic, *unnamed, str(answer["AnswerArgument"])]
        yield from _named(path[-1], answer.get("EntityName"))
        yield from zip(path, map(str, chain), path[1:], strict=False)
        for each in parse.get("Constraints") or ():
            step = int(each.get("SourceNodeIndex") or 0) + 1
            if each.get("Operator") == "Equal" and each.get("Argument") and step < len(path):
                yield path[step], str(each["NodePredicate"]), str(each["Argument"])
                yield from _named(str(each["Argument"]), each.get("EntityName"))


def _is_id(term: str) -> bool:
    return term.startswith(("m.", "g."))


def _named(term: str, name: Any) -> Iterator[Triple]:
    if name and _is_id(term):
        yield term, _NAME, str(name)
