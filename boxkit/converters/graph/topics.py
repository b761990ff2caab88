"""Topic entities: given by IRI, id or label, or found in a question by label and alias."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from boxkit.converters.graph.lexicon import Lexicon
from boxkit.converters.graph.names import readable
from boxkit.converters.graph.store import LITERAL, Literal

__all__ = ["Topic", "TopicFinder", "function_words", "normal"]

#: Labels of more words than this are not looked for in questions.
MAX_WORDS = 14
#: How alike a text and a label must be to match in spite of a slip of the pen.
FUZZY = 0.86
MAX_TOPICS = 12
#: A word that more names begin or end with is no name by itself.
MOST_PARTLY = 20
#: The same for several words.
MOST_BEGUN = 1_000

_RANKS = {"iri": 0, "id": 0, "exact": 1, "normalised": 2, "alias": 3, "type": 4, "value": 5, "fuzzy": 6, "part": 7}

# Words that are no name by themselves, whatever a graph calls so.
_FUNCTION_WORDS = frozenset(
    "a an and are as at be been being by did do does for from had has have how in is it its many much of on or that the"
    " their there these they this those to was were what when where which who whom whose why will with would all any"
    " each every list give name names me show tell first last most least more less than number count total average"
    " maximum minimum between before after during under over also both not no only other same different i you he she we"
    " his her him them us my your our type types kind kinds one two three year years date dates people person".split()
)


# No name begins with one of these by a slip of the pen.
_ASKING = frozenset("what which who whom whose where when why how of".split())


def function_words() -> frozenset[str]:
    """Words that are no name by themselves."""
    return _FUNCTION_WORDS


@dataclass(frozen=True, slots=True)
class Topic:
    """An entity that a question is about.

    Attributes:
        node: The entity.
        mention: The words that name it.
        how: ``"iri"``, ``"id"``, ``"exact"``, ``"normalised"``, ``"alias"``, ``"type"``, ``"value"``, ``"fuzzy"``, or
            ``"part"`` of the entity's name.
    """

    node: int
    mention: str
    how: str

    @property
    def rank(self) -> int:
        """Smaller is surer."""
        return _RANKS[self.how]


def normal(text: str) -> str:
    """``text`` in lower case without accents, punctuation and possessive endings, words parted by single blanks.

    >>> normal("The  Café's owner—Müller & Co.")
    'the cafe owner muller co'
    """
    plain = "".join(char for char in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(char))
    plain = re.sub(r"['’`]s\b", "", plain)
    return " ".join(re.findall(r"\w+", plain.replace("'", "").replace("’", "").replace("_", " ")))


class TopicFinder:
    """Finds entities of a graph; its indexes are made on first use and serve every question after.

    Args:
        lexicon: The graph's words.
    """

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon

    @cached_property
    def _by_label(self) -> dict[str, dict[int, tuple[str, bool]]]:
        """For each normal form, the entities so called: the name as written, and whether it is their label."""
        store, lexicon = self.lexicon.store, self.lexicon
        found: dict[str, dict[int, tuple[str, bool]]] = {}
        for relations, is_label in ((lexicon.label_relations, True), (lexicon.alias_relations, False)):
            for relation in relations:
                at = store.with_predicate(relation)
                for node, value in zip(store.subjects[at].tolist(), store.objects[at].tolist(), strict=True):
                    term = store.terms[value]
                    if isinstance(term, Literal) and node not in lexicon.schema_nodes and (key := normal(term.text)):
                        found.setdefault(key, {}).setdefault(node, (term.text, is_label))
        self._add_ids(found)
        return found

    def _add_ids(self, found: dict[str, dict[int, tuple[str, bool]]]) -> None:
        """Readable ids name their entities too."""
        store, lexicon = self.lexicon.store, self.lexicon
        for iri, short in lexicon.ids.items():
            number = store.number(iri)
            name = readable(short) if "://" not in short else ""
            if number is not None and number not in lexicon.schema_nodes and (key := normal(name)):
                found.setdefault(key, {}).setdefault(number, (name, False))

    @cached_property
    def _by_id(self) -> dict[str, str]:
        return self.lexicon.iris

    @cached_property
    def _words(self) -> dict[str, list[str]]:
        """The normal forms that hold each word, by the word."""
        found: dict[str, list[str]] = {}
        for key in self._by_label:
            for word in set(key.split()):
                found.setdefault(word, []).append(key)
        return found

    @cached_property
    def _schema_words(self) -> frozenset[str]:
        """What types and relations are called, one or many."""
        lexicon = self.lexicon
        numbers = [*lexicon.store.relations.tolist(), *sorted(lexicon.type_nodes)]
        words = {word for number in numbers for word in lexicon.word(lexicon.store.text(number)).split("_")}
        return frozenset({*words, *(f"{w}s" for w in words), *(f"{w[:-1]}ies" for w in words if w.endswith("y"))})

    @cached_property
    def _words_by_start(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for word in self._words:
            found.setdefault(word[0], []).append(word)
        return found

    def given(self, topics: Iterable[str]) -> tuple[list[Topic], list[str]]:
        """The entities that the user named, and the names that the graph does not hold."""
        found: list[Topic] = []
        missing: list[str] = []
        for name in topics:
            hits = self._named(str(name).strip())
            found.extend(hits)
            if not hits:
                missing.append(str(name))
        return _distinct(found), missing

    def _named(self, name: str) -> list[Topic]:
        store = self.lexicon.store
        iri = name[1:-1] if name.startswith("<") and name.endswith(">") else name
        for text, how in ((iri, "iri"), (self._by_id.get(iri, ""), "id"), (self._expanded(iri), "iri")):
            number = store.number(text) if text else None
            if number is not None and store.kinds[number] != LITERAL:
                return self._instances(number, name) or [Topic(number, name, how)]
        hits = self._labelled(normal(name), name) or self._values(name)
        return self._ranked(hits or self._fuzzy([name.split()]))

    def _expanded(self, name: str) -> str:
        """A prefixed name, or a bare one of the vocabulary's own namespaces, in full."""
        prefix, colon, local = name.partition(":")
        if colon and prefix in self.lexicon.store.prefixes:
            return self.lexicon.store.prefixes[prefix] + local
        for space in self.lexicon.vocabulary.namespaces:
            if self.lexicon.store.number(space + name) is not None:
                return space + name
        return ""

    def _instances(self, number: int, name: str) -> list[Topic]:
        """A type stands for its entities."""
        store = self.lexicon.store
        if number not in self.lexicon.type_nodes:
            return []
        entering = store.into(np.array([number], dtype=np.int64))
        entering = entering[np.isin(store.predicates[entering], np.array(self.lexicon.type_relations))]
        return [Topic(int(node), name, "type") for node in store.subjects[entering]]

    def _labelled(self, key: str, mention: str) -> list[Topic]:
        hits = []
        for node, (written, is_label) in self._by_label.get(key, {}).items():
            how = "alias" if not is_label else "exact" if written == mention else "normalised"
            hits.append(Topic(node, mention, how))
        return hits

    def _values(self, name: str) -> list[Topic]:
        """Literals of that very text, whatever their datatype."""
        store = self.lexicon.store
        datatypes = {""} | {term.datatype for term in self._literals_of(name)}
        numbers = [store.number(Literal(name, datatype)) for datatype in sorted(datatypes)]
        return [Topic(number, name, "value") for number in numbers if number is not None]

    def _literals_of(self, text: str) -> Iterator[Literal]:
        for term in self.lexicon.store.terms:
            if isinstance(term, Literal) and term.text == text:
                yield term

    # In a question -----------------------------------------------------------------------------------------------

    def in_question(self, question: str) -> list[Topic]:
        """The entities that ``question`` names: longest names first, none inside another; all that share a name."""
        words = [(match[0], match.start(), match.end()) for match in re.finditer(r"[\w'’.&-]*\w", question)]
        taken: set[int] = set()
        found: list[Topic] = []
        begun: list[Topic] = []
        for start, end in _windows(len(words)):
            if taken.isdisjoint(range(start, end)):
                mention = question[words[start][1] : words[end - 1][2]]
                key = _telling(mention)
                hits = self._labelled(key, mention) if key else []
                if not hits:
                    begun.extend(self._begun(key, mention))
                if hits:
                    taken.update(range(start, end))
                    found.extend(hits)
        left = [word if at not in taken else "" for at, (word, *_) in enumerate(words)]
        alike = self._fuzzy(_runs(left))
        named = {word for topic in alike for word in normal(topic.mention).split()}
        found.extend(alike)
        capitals = any(word[:1].isupper() for word, *_ in words[1:])
        telling = [word for word in left if normal(word) not in named and (word[:1].isupper() or not capitals)]
        found.extend(topic for word in telling for topic in self._partly(word))
        return self._ranked([*found, *begun])[:MAX_TOPICS]

    def _begun(self, key: str, mention: str) -> list[Topic]:
        """The entities whose name begins or ends with these words, two or more, where not too many do."""
        words = key.split()
        if len(words) < 2 or words[0] in _FUNCTION_WORDS or words[-1] in _FUNCTION_WORDS:
            return []
        holding = min((self._words.get(word, []) for word in words), key=len)
        names = [name for name in holding if name.startswith(f"{key} ") or name.endswith(f" {key}")]
        nodes = [node for name in names for node in self._by_label[name]] if len(names) <= MOST_BEGUN else []
        return self._ranked(Topic(node, mention, "part") for node in nodes)[:3]

    def _partly(self, word: str) -> list[Topic]:
        """The entities whose name begins or ends with ``word``, where few do: ``Obama`` for Barack Obama."""
        key = normal(word)
        if len(key) < 4 or key in _FUNCTION_WORDS or key in self._schema_words:
            return []
        names = [name for name in self._words.get(key, ()) if name.startswith(f"{key} ") or name.endswith(f" {key}")]
        nodes = [node for name in names for node in self._by_label[name]] if len(names) <= MOST_PARTLY else []
        return self._ranked(Topic(node, word, "part") for node in nodes)[:3]

    def _fuzzy(self, runs: Sequence[Sequence[str]]) -> list[Topic]:
        """Names that some words of ``runs`` resemble closely enough."""
        found: list[Topic] = []
        for run in runs:
            words = [normal(word) for word in run]
            taken: set[int] = set()
            for start, end in _windows(len(words)):
                text = " ".join(words[start:end])
                if not taken.isdisjoint(range(start, end)) or len(text) < 5 or set(text.split()) <= _FUNCTION_WORDS:
                    continue
                if words[start] in _ASKING:
                    continue
                keys = self._alike(text)
                if keys:
                    taken.update(range(start, end))
                found.extend(
                    Topic(node, " ".join(run[start:end]), "fuzzy") for key in keys for node in self._by_label[key]
                )
        return found

    def _alike(self, text: str) -> list[str]:
        """The normal forms that ``text`` resembles most, if it resembles any."""
        candidates: set[str] = set()
        for word in text.split():
            near = self._words_by_start.get(word[:1], ())
            close = [each for each in near if abs(len(each) - len(word)) <= 2]
            for each in difflib.get_close_matches(word, close, n=3, cutoff=0.75) if len(word) > 3 else ():
                candidates.update(self._words[each][:200])
        scored = []
        for key in candidates:
            if abs(len(key) - len(text)) <= 0.2 * len(text) + 1:
                ratio = difflib.SequenceMatcher(None, text, key, autojunk=False).ratio()
                if ratio >= FUZZY:
                    scored.append((ratio, key))
        best = max((ratio for ratio, _ in scored), default=0.0)
        return sorted(key for ratio, key in scored if ratio > best - 0.01)

    def _ranked(self, topics: Iterable[Topic]) -> list[Topic]:
        """Surest first, then the longest names, then the best connected entities."""
        topics = _distinct(topics)
        leaving, entering = self.lexicon.store.degrees(np.array([topic.node for topic in topics], dtype=np.int64))
        links = dict(zip((topic.node for topic in topics), (leaving + entering).tolist(), strict=True))
        order = sorted(topics, key=lambda each: (each.rank, -len(each.mention), -links[each.node], each.node))
        return [topic for topic in order if self.lexicon.store.kinds[topic.node] != LITERAL or topic.how == "value"]

    def nearest(self, name: str) -> list[str]:
        """Names of the graph that resemble ``name``, for messages."""
        close = difflib.get_close_matches(normal(name), list(self._by_label)[:50_000], n=3, cutoff=0.6)
        return [next(iter(self._by_label[key].values()))[0] for key in close]


def _telling(mention: str) -> str:
    """The normal form of a mention; empty where it is only function words or a single letter."""
    key = normal(mention)
    return "" if set(key.split()) <= _FUNCTION_WORDS or len(key) < 2 else key


def _windows(count: int) -> Iterator[tuple[int, int]]:
    """Every run of words as start and end, the longest first, then from the left."""
    for length in range(min(count, MAX_WORDS), 0, -1):
        for start in range(count - length + 1):
            yield start, start + length


def _runs(words: Sequence[str]) -> list[list[str]]:
    """The stretches of words between blanks."""
    runs: list[list[str]] = [[]]
    for word in words:
        if word:
            runs[-1].append(word)
        elif runs[-1]:
            runs.append([])
    return [run for run in runs if run]


def _distinct(topics: Iterable[Topic]) -> list[Topic]:
    best: dict[int, Topic] = {}
    for topic in topics:
        if topic.node not in best or topic.rank < best[topic.node].rank:
            best[topic.node] = topic
    return list(best.values())
