"""Topics of a graph that an endpoint serves: by IRI, id or label, or found in the question."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from boxkit.box import Note
from boxkit.converters.graph.endpoint import Endpoint
from boxkit.converters.graph.remote_triples import batches, is_iri, text_of
from boxkit.converters.graph.topics import function_words, normal
from boxkit.converters.graph.vocabulary import Vocabulary
from boxkit.errors import SourceNotFound

__all__ = ["RemoteTopics"]

PHRASE_WORDS = 7
MOST_TOPICS = 12


@dataclass
class RemoteTopics:
    """Looks topics up.

    Attributes:
        endpoint: Where.
        vocabulary: The profile of its words.
        notes: Which topics it does not know.
    """

    endpoint: Endpoint
    vocabulary: Vocabulary
    notes: list[Note] = field(default_factory=list)

    def given(self, names: Sequence[str]) -> list[str]:
        """The IRIs of topics given by IRI, id or label.

        Raises:
            SourceNotFound: The endpoint knows none of them.
        """
        found: dict[str, None] = {}
        missing: list[str] = []
        for name in names:
            hits = self._named(name.strip())
            found.update(dict.fromkeys(hits))
            if not hits:
                missing.append(name)
        if not found:
            raise SourceNotFound(
                f"the endpoint has no entity {', '.join(map(repr, missing))}",
                where=self.endpoint.label,
                hint="give the label exactly as the graph writes it, or the IRI",
            )
        self.notes.extend(Note("skipped", f"the endpoint has no topic {name!r}") for name in missing)
        return list(found)

    def _named(self, name: str) -> list[str]:
        iri = name[1:-1] if name.startswith("<") and name.endswith(">") else name
        candidates = [iri] if "://" in iri or iri.startswith("urn:") else []
        if not candidates and re.fullmatch(r"[\w.-]+", iri):
            candidates = [space + iri for space in self.vocabulary.namespaces]
        for candidate in candidates:
            if is_iri(candidate) and self.endpoint.ask(
                f"ASK {{ {{ <{candidate}> ?p ?o }} UNION {{ ?s ?q <{candidate}> }} }}"
            ):
                return [candidate]
        return [] if candidates and "://" in iri else sorted(self._labelled([name]))

    def _labelled(self, names: Iterable[str]) -> dict[str, str]:
        """Entities whose label or alias is one of ``names``, as written or capitalised, each with its name."""
        forms: dict[str, str] = {}
        for name in names:
            for form in (name, name[:1].upper() + name[1:], name.title()):
                forms.setdefault(form, name)
        tags = [f"@{language}" if language else "" for language in self.vocabulary.languages]
        values = " ".join(f"{_quoted(form)}{tag}" for form in forms for tag in tags)
        named = filter(is_iri, (*self.vocabulary.labels, *self.vocabulary.aliases))
        relations = " ".join(f"<{relation}>" for relation in named)
        if not relations:
            return {}
        pattern = f"VALUES ?label {{ {values} }} VALUES ?r {{ {relations} }} ?s ?r ?label FILTER(isIRI(?s))"
        rows = [row for page in self.endpoint.pages(pattern, "?s ?label", 500) for row in page]
        return {str(row["s"]): forms[text_of(row["label"])] for row in rows if text_of(row["label"]) in forms}

    def in_question(self, question: str) -> list[str]:
        """The entities whose labels stand in ``question``, the longest names first, none inside another."""
        words = re.findall(r"[\w'’.&-]*\w", question)
        phrases: dict[str, tuple[int, int]] = {}
        for length in range(min(PHRASE_WORDS, len(words)), 0, -1):
            for start in range(len(words) - length + 1):
                phrase = " ".join(words[start : start + length])
                if not set(normal(phrase).split()) <= function_words():
                    phrases.setdefault(phrase, (start, start + length))
        by_phrase: dict[str, list[str]] = {}
        for batch in batches(list(phrases), 40):
            for iri, phrase in self._labelled(batch).items():
                by_phrase.setdefault(phrase, []).append(iri)
        taken: set[int] = set()
        found: list[str] = []
        for phrase in sorted(by_phrase, key=lambda each: (-len(each), each)):
            span = set(range(*phrases[phrase]))
            if taken.isdisjoint(span):
                taken |= span
                found.extend(sorted(by_phrase[phrase]))
        return found[:MOST_TOPICS]


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r")
    return f'"{escaped}"'
